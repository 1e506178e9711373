//! Addresses in pages and sitemaps.

use std::collections::HashSet;

use kb_rag_core::extract_protocol::MAX_URL_BYTES;
use url::Url;

/// The longest reference that is looked at, in bytes: steps such as `../` and line ends make an address shorter.
const MAX_REFERENCE_BYTES: usize = 4 * MAX_URL_BYTES;

/// An address that others are resolved against. None if it is no address, or too long: each of them would copy it.
pub(crate) fn base(url: &str) -> Option<Url> {
    if url.len() > MAX_REFERENCE_BYTES {
        return None;
    }
    Url::parse(url).ok()
}

/// The address that a reference stands for, without its fragment. None if it is not http or https, has a user name, or is longer
/// than [`MAX_URL_BYTES`]. Without a base, only an absolute address is one.
pub(crate) fn absolute(base: Option<&Url>, reference: &str) -> Option<String> {
    if reference.len() > MAX_REFERENCE_BYTES {
        return None;
    }
    let mut url = match base {
        Some(base) => base.join(reference),
        None => Url::parse(reference),
    }
    .ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    if !is_web || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    let url = String::from(url);
    (url.len() <= MAX_URL_BYTES).then_some(url)
}

/// Addresses in order, each once.
#[derive(Debug)]
pub(crate) struct Urls {
    found: Vec<String>,
    seen: HashSet<String>,
    max: usize,
}

impl Urls {
    /// None yet, and never more than `max`.
    pub(crate) fn new(max: usize) -> Urls {
        Urls { found: Vec::new(), seen: HashSet::new(), max }
    }

    /// Adds one. False if there is no room for it.
    pub(crate) fn add(&mut self, url: String) -> bool {
        if self.seen.contains(&url) {
            return true;
        }
        if self.found.len() >= self.max {
            return false;
        }
        self.seen.insert(url.clone());
        self.found.push(url);
        true
    }

    /// All that were added.
    pub(crate) fn into_vec(self) -> Vec<String> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn resolves_references() {
        let base = base("https://example.org/a/b?q#f");
        for (reference, expected) in [
            ("c", Some("https://example.org/a/c")),
            ("../c/./d#e", Some("https://example.org/c/d")),
            ("//other.example/x y", Some("https://other.example/x%20y")),
            (" http://EXAMPLE.org:80/\n", Some("http://example.org/")),
            ("?r=1", Some("https://example.org/a/b?r=1")),
            ("#f", Some("https://example.org/a/b?q")),
            ("", Some("https://example.org/a/b?q")),
            ("https://b\u{fc}cher.example/\u{fc}", Some("https://xn--bcher-kva.example/%C3%BC")),
            ("http://0x7f.1/", Some("http://127.0.0.1/")),
            ("mailto:a@example.org", None),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("ftp://example.org/", None),
            ("https://user@example.org/", None),
            ("https://:password@example.org/", None),
            ("https://", None),
            ("http://[::1/", None),
        ] {
            assert_eq!(absolute(base.as_ref(), reference).as_deref(), expected, "{reference}");
        }
        assert_eq!(absolute(None, "c"), None);
        assert_eq!(absolute(None, "https://example.org").as_deref(), Some("https://example.org/"));
        assert_eq!(absolute(None, &format!("https://example.org/{}", "a".repeat(1980))).unwrap().len(), 2000);
        assert_eq!(absolute(None, &format!("https://example.org/{}", "a".repeat(1981))), None);
        assert_eq!(absolute(None, &format!("https://example.org/{}", "\u{fc}".repeat(900))), None);
        assert!(super::base(&format!("https://example.org/{}", "a".repeat(9000))).is_none());
    }

    #[test]
    fn keeps_each_once_and_not_too_many() {
        let mut urls = Urls::new(2);
        let added = ["a", "b", "a", "c", "b"].map(|url| urls.add(url.to_owned()));
        assert_eq!(added, [true, true, true, false, true]);
        assert_eq!(urls.into_vec(), ["a", "b"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// What is found keeps its promises, and stays the same when it is resolved again.
        #[test]
        fn addresses_are_bounded_and_stable(
            reference in prop_oneof![any::<String>(), "(https?:)?[/\\\\]{0,3}[a-z0-9.:@%\\[\\]/?#\\\\ |^{}-]{0,40}"]
        ) {
            let base = base("https://example.org/a/b");
            if let Some(url) = absolute(base.as_ref(), &reference) {
                prop_assert!(url.starts_with("http://") || url.starts_with("https://"));
                prop_assert!(url.len() <= MAX_URL_BYTES && url.is_ascii());
                prop_assert!(!url.contains('#') && !url.contains(|c: char| c.is_ascii_control() || c == ' '));
                prop_assert_eq!(absolute(None, &url), Some(url));
            }
        }
    }
}
