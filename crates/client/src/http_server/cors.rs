//! Which web pages may call over HTTP, and what their browsers are told of it.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderMap, VARY,
};
use http::{HeaderName, HeaderValue};

/// Pages of this machine, on any port.
const OWN: [&str; 3] = ["http://localhost", "http://127.0.0.1", "http://[::1]"];

const HEADERS: [(HeaderName, &str); 4] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PATCH, DELETE"),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization, content-type, accept, if-match, if-none-match, last-event-id, mcp-protocol-version, mcp-session-id, \
         mcp-method, mcp-name",
    ),
    (ACCESS_CONTROL_EXPOSE_HEADERS, "mcp-session-id, x-kb-rag-notice"),
    (ACCESS_CONTROL_MAX_AGE, "3600"),
];

/// The origins of pages that may call.
pub struct Origins {
    own: &'static [&'static str],
    others: Vec<String>,
}

impl Origins {
    /// Those of this machine and these.
    pub fn new(others: Vec<String>) -> Origins {
        Origins { own: &OWN, others }
    }

    /// Only these.
    pub fn only(others: Vec<String>) -> Origins {
        Origins { own: &[], others }
    }

    /// As rmcp takes them: `:*` is any port.
    pub fn patterns(&self) -> impl Iterator<Item = String> {
        self.own.iter().map(|own| format!("{own}:*")).chain(self.others.iter().cloned())
    }

    /// Whether the value of a header `Origin` is one of them.
    pub fn allow(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        let is_port = |rest: &str| {
            let digits = rest.strip_prefix(':').unwrap_or(rest);
            rest.is_empty() || (rest.starts_with(':') && digits.bytes().all(|b| b.is_ascii_digit()))
        };
        let is_own = self.own.iter().any(|own| origin.strip_prefix(own).is_some_and(is_port));
        is_own || self.others.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }
}

/// Whether a browser says that a page of another site, or of another port of the same machine, makes it send this request. It
/// does where it sends no `Origin`, as for an image.
pub fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"))
}

/// Tells the browser that a page of this origin may call and read the answer.
pub fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(VARY, HeaderValue::from_static("Origin"));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites() {
        for (site, expected) in [
            ("same-origin", false),
            ("none", false),
            ("same-site", true),
            ("cross-site", true),
            ("", true),
            ("Same-Origin", true),
        ] {
            let headers = [("sec-fetch-site".parse().unwrap(), HeaderValue::from_str(site).unwrap())];
            assert_eq!(is_from_elsewhere(&HeaderMap::from_iter(headers)), expected, "{site}");
        }
        assert!(!is_from_elsewhere(&HeaderMap::new()));
    }

    #[test]
    fn origins() {
        let origins = Origins::new(vec!["https://chat.example".to_string()]);
        for (origin, expected) in [
            ("http://localhost", true),
            ("http://localhost:3000", true),
            ("http://[::1]:80", true),
            ("https://chat.example", true),
            ("https://CHAT.example", true),
            ("http://localhost.evil.example", false),
            ("http://localhost:3000.evil.example", false),
            ("https://chat.example.evil.example", false),
            ("http://chat.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(origins.allow(&HeaderValue::from_str(origin).unwrap()), expected, "{origin}");
        }
    }
}
