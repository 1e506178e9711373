//! Which pages belong to a crawl.

use super::WebUrl;

/// The pages of one origin at and below a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    origin: String,
    /// Ends with `/`.
    directory: String,
}

impl Scope {
    /// The pages below a URL. A last segment with an extension is a file: `/docs/index.html` means `/docs/`, as `/docs/`
    /// and `/docs` do. A version number has no extension: `/docs/5.2` means `/docs/5.2/`.
    pub fn below(url: &WebUrl) -> Self {
        let path = url.path();
        let (parent, last) = path.rsplit_once('/').unwrap_or_default();
        let directory = match last {
            _ if is_file(last) => format!("{parent}/"),
            "" => path.to_owned(),
            _ => format!("{path}/"),
        };
        Self { origin: url.origin().to_owned(), directory }
    }

    /// Whether a page is of the same origin and at or below the path, however its server decodes it.
    pub fn contains(&self, url: &WebUrl) -> bool {
        let path = url.path();
        let below = match path.strip_prefix(self.directory.as_str()) {
            Some(below) => below,
            None if self.directory.strip_suffix('/') == Some(path) => "",
            None => return false,
        };
        url.origin() == self.origin && !climbs(below)
    }

    /// The path that all pages but the one at it begin with; it ends with `/`.
    pub fn directory(&self) -> &str {
        &self.directory
    }
}

fn is_file(segment: &str) -> bool {
    segment.contains('.') && !is_version(segment)
}

/// Whether a segment is like `5.2`, `v1.0` or `11.x`.
fn is_version(segment: &str) -> bool {
    let numbers = segment.strip_prefix(['v', 'V']).unwrap_or(segment);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers.split('.').all(|part| is_number(part) || part == "x")
}

/// Whether a path has a segment `..` for a server that takes encoded slashes for slashes.
fn climbs(path: &str) -> bool {
    path.contains("..")
        && path.replace("%2F", "/").replace("%5C", "/").split('/').any(|segment| segment == "..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scope(url: &str) -> Scope {
        Scope::below(&WebUrl::parse(url).unwrap())
    }

    fn contains(scope: &Scope, url: &str) -> bool {
        scope.contains(&WebUrl::parse(url).unwrap())
    }

    #[test]
    fn is_the_directory_of_a_page() {
        for (url, directory) in [
            ("https://h/docs/", "/docs/"),
            ("https://h/docs?page=1", "/docs/"),
            ("https://h/docs/index.html", "/docs/"),
            ("https://h", "/"),
            ("https://h/index.html", "/"),
            ("https://h/en/5.2", "/en/5.2/"),
            ("https://h/docs/11.x", "/docs/11.x/"),
            ("https://h/docs/v1.20.3", "/docs/v1.20.3/"),
            ("https://h/docs/v1.html", "/docs/"),
            ("https://h/docs/.well-known", "/docs/"),
        ] {
            assert_eq!(scope(url).directory(), directory, "{url}");
        }
    }

    #[test]
    fn contains_what_is_below() {
        let docs = scope("https://h/docs/");
        for url in [
            "https://h/docs",
            "https://h/docs?a",
            "https://h/docs/",
            "https://h/docs/a/b",
            "https://h:443/docs/../docs/a",
            "https://h/%64ocs/a",
            "https://h/docs/a..b",
            "https://h/docs/a%2Fb",
        ] {
            assert!(contains(&docs, url), "{url}");
        }
        for url in [
            "https://h/",
            "https://h/docs-old",
            "https://h/doc",
            "https://h/docs/../a",
            "https://h/docs/%2e%2e/a",
            "https://h/docs/..%2fa",
            "https://h/docs/a%5C..%5C..%5Cb",
            "https://h/docs%2Fa",
            "https://h/Docs/",
            "http://h/docs/",
            "https://h:8443/docs/",
            "https://h.example/docs/",
            "https://www.h/docs/",
        ] {
            assert!(!contains(&docs, url), "{url}");
        }
        assert!(contains(&scope("https://h/"), "https://h/a"));
    }

    proptest! {
        #[test]
        fn contains_its_own_page_and_none_above(path in "[a-c./%2F-]{0,12}", href in "[a-c./%2F-]{0,20}") {
            let Some(url) = WebUrl::parse("https://h/").unwrap().join(&path) else { return Ok(()) };
            let scope = Scope::below(&url);
            prop_assert!(scope.directory().starts_with('/') && scope.directory().ends_with('/'));
            prop_assert!(scope.contains(&url) || url.path().contains(".."), "{url}");
            let Some(other) = url.join(&href) else { return Ok(()) };
            if scope.contains(&other) {
                let path = format!("{}/", other.path());
                prop_assert!(path.starts_with(scope.directory()) && other.origin() == url.origin());
            }
        }
    }
}
