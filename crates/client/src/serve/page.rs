//! The page for people: one file without a build step.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_FRAME_OPTIONS};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use crate::http_server::{Answer, answer};

const PAGE: &str = include_str!("page.html");

/// The page with the headers that let nothing run but its own script.
pub fn page() -> Answer {
    let mut page = answer(StatusCode::OK, "text/html; charset=utf-8", PAGE);
    let headers = [
        (CONTENT_SECURITY_POLICY, POLICY.clone()),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    page.headers_mut().extend(headers);
    page
}

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    HeaderValue::try_from(policy()).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

fn policy() -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
        hash("script"),
        hash("style")
    )
}

/// The hash of the only element of this name, as a policy has it.
fn hash(element: &str) -> String {
    let text = PAGE
        .split_once(&format!("<{element}>"))
        .and_then(|(_, rest)| rest.split_once(&format!("</{element}>")))
        .map(|(text, _)| text);
    match text {
        Some(text) => format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text))),
        None => "'none'".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_script_and_style_run() {
        for element in ["script", "style"] {
            assert_eq!(PAGE.matches(&format!("<{element}")).count(), 1, "{element}");
            assert!(hash(element).starts_with("'sha256-"), "{element}");
        }
        let head = page();
        let policy = head.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn nothing_comes_from_elsewhere_and_no_text_becomes_markup() {
        for forbidden in [
            "src=",
            "@import",
            "innerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            " style=",
            " onclick=",
        ] {
            assert!(!PAGE.contains(forbidden), "{forbidden}");
        }
    }
}
