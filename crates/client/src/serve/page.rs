//! The page for people: files without a build step, which are sent as one.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_FRAME_OPTIONS};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use crate::http_server::{Answer, answer};

const MARKUP: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The parts of its only script, in this order.
const SCRIPT: &[&str] = &[
    include_str!("page/basics.js"),
    include_str!("page/session.js"),
    include_str!("page/markdown.js"),
    include_str!("page/views.js"),
    include_str!("page/edit.js"),
    include_str!("page/bases.js"),
    include_str!("page/quality.js"),
    include_str!("page/routes.js"),
    include_str!("page/add.js"),
];

static PAGE: LazyLock<Page> = LazyLock::new(Page::new);

struct Page {
    text: Bytes,
    policy: HeaderValue,
}

impl Page {
    fn new() -> Page {
        let script = SCRIPT.join("\n");
        let text = filled(&filled(MARKUP, "style", STYLE), "script", &script);
        let policy = HeaderValue::try_from(policy(STYLE, &script));
        Page { text: text.into(), policy: policy.unwrap_or(HeaderValue::from_static("default-src 'none'")) }
    }
}

/// The page with the headers that let nothing run but its own script.
pub fn page() -> Answer {
    let mut page = answer(StatusCode::OK, "text/html; charset=utf-8", PAGE.text.clone());
    let headers = [
        (CONTENT_SECURITY_POLICY, PAGE.policy.clone()),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    page.headers_mut().extend(headers);
    page
}

/// Markup whose empty element of this name has a text.
fn filled(markup: &str, element: &str, text: &str) -> String {
    markup.replacen(&format!("<{element}></{element}>"), &format!("<{element}>{text}</{element}>"), 1)
}

fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
        hash(script),
        hash(style)
    )
}

/// The hash of a text, as a policy has it.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> &'static str {
        std::str::from_utf8(&PAGE.text).unwrap()
    }

    #[test]
    fn only_its_own_script_and_style_run() {
        let head = page();
        let policy = head.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        for element in ["script", "style"] {
            assert_eq!(text().matches(&format!("<{element}")).count(), 1, "{element}");
            assert_eq!(text().matches(&format!("</{element}")).count(), 1, "{element}");
            let (_, rest) = text().split_once(&format!("<{element}>")).unwrap();
            let (inside, _) = rest.split_once(&format!("</{element}>")).unwrap();
            assert!(inside.len() > 1_000 && policy.contains(&hash(inside)), "{element}");
        }
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
            assert!(!text().contains(forbidden), "{forbidden}");
        }
    }
}
