//! What the answer to the request for a page means for that page.

use super::WebUrl;
use crate::provider::retry_after::{self, header};
use crate::provider::said::Said;
use core::time::Duration;

/// The longest wait that a server is granted. A host that is overloaded, or counts requests by the hour, gets what it needs; and
/// one answer of one page does not keep all sources of a database from the host for longer.
pub const MAX_WAIT: Duration = Duration::from_secs(3600);

/// The wait that an answer asks for, at most [`MAX_WAIT`]. `now` is in seconds since 1970.
pub(super) fn asked_wait(headers: &[(String, String)], said: &Said, now: f64) -> Option<Duration> {
    retry_after::wait(headers, said, now).map(|time| time.min(MAX_WAIT))
}

/// What to do with a page after an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Read the body.
    Content,
    /// Keep what is known: the page has not changed.
    Unchanged,
    /// Request this URL instead.
    Redirect(WebUrl),
    /// The page no longer exists.
    Gone,
    /// Try again, since the failure may pass.
    Later {
        /// For people: `the server answered 503 Service Unavailable`.
        reason: String,
        /// The wait that the server asks for, at most [`MAX_WAIT`].
        after: Option<Duration>,
        /// Whether no other page of the host should be requested before.
        whole_host: bool,
    },
    /// The server does not give the page out; the reason is for people, as that of `Later`.
    Refused(String),
}

/// Reads the head of an answer to the request for `url`. `now` is in seconds since 1970.
pub fn verdict(url: &WebUrl, status: u16, headers: &[(String, String)], now: f64) -> Verdict {
    let reason = || format!("the server answered {}", status_line(status));
    let later = |whole_host| Verdict::Later {
        reason: reason(),
        after: asked_wait(headers, &Said::default(), now),
        whole_host,
    };
    match status {
        200 | 203 => Verdict::Content,
        304 => Verdict::Unchanged,
        301 | 302 | 303 | 307 | 308 => {
            let target = header(headers, "location").filter(|target| !target.is_empty());
            match target.and_then(|target| url.join(target)) {
                Some(target) => Verdict::Redirect(target),
                None => Verdict::Refused(format!("{} without the URL of a page", reason())),
            }
        }
        404 | 410 => Verdict::Gone,
        429 | 503 => later(true),
        408 | 425 | 500..=599 => later(false),
        _ => Verdict::Refused(reason()),
    }
}

/// A status code with its name, if it has one (RFC 9110, section 15, and the IANA registry).
fn status_line(status: u16) -> String {
    let name = match status {
        202 => "Accepted",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        412 => "Precondition Failed",
        414 => "URI Too Long",
        416 => "Range Not Satisfiable",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        425 => "Too Early",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => return status.to_string(),
    };
    format!("{status} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2015-10-21 07:28:00 UTC.
    const NOW: f64 = 1_445_412_480.0;

    fn judge(status: u16, headers: &[(&str, &str)]) -> Verdict {
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        verdict(&WebUrl::parse("https://h/a/b").unwrap(), status, &headers, NOW)
    }

    fn later(reason: &str, after: Option<u64>, whole_host: bool) -> Verdict {
        Verdict::Later { reason: reason.to_owned(), after: after.map(Duration::from_secs), whole_host }
    }

    #[test]
    fn tells_pages_from_failures() {
        for (status, expected) in [
            (200, Verdict::Content),
            (203, Verdict::Content),
            (304, Verdict::Unchanged),
            (404, Verdict::Gone),
            (410, Verdict::Gone),
            (403, Verdict::Refused("the server answered 403 Forbidden".to_owned())),
            (204, Verdict::Refused("the server answered 204 No Content".to_owned())),
            (299, Verdict::Refused("the server answered 299".to_owned())),
            (408, later("the server answered 408 Request Timeout", None, false)),
            (425, later("the server answered 425 Too Early", None, false)),
            (429, later("the server answered 429 Too Many Requests", None, true)),
            (500, later("the server answered 500 Internal Server Error", None, false)),
            (503, later("the server answered 503 Service Unavailable", None, true)),
            (522, later("the server answered 522", None, false)),
        ] {
            assert_eq!(judge(status, &[]), expected, "{status}");
        }
    }

    #[test]
    fn waits_as_long_as_asked() {
        for (value, after) in [
            ("120", Some(120)),
            ("Wed, 21 Oct 2015 07:29:00 GMT", Some(60)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", None),
            ("3601", Some(3600)),
            ("31536000", Some(3600)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(3600)),
            ("soon", None),
        ] {
            let expected = later("the server answered 503 Service Unavailable", after, true);
            assert_eq!(judge(503, &[("Retry-After", value)]), expected, "{value}");
        }
    }

    #[test]
    fn follows_redirects_to_pages() {
        for (location, expected) in [
            ("https://other/x#y", Some("https://other/x")),
            ("/c", Some("https://h/c")),
            (" c?d ", Some("https://h/a/c?d")),
            ("ftp://h/", None),
            ("https://me:secret@h/", None),
            ("", None),
        ] {
            let expected = match expected {
                Some(target) => Verdict::Redirect(WebUrl::parse(target).unwrap()),
                None => {
                    Verdict::Refused("the server answered 302 Found without the URL of a page".to_owned())
                }
            };
            assert_eq!(judge(302, &[("Location", location)]), expected, "{location}");
        }
        assert!(matches!(judge(308, &[]), Verdict::Refused(_)));
    }

    proptest! {
        #[test]
        fn never_panics(
            status in any::<u16>(),
            name in "(location|retry-after)",
            value in any::<String>(),
            now in any::<f64>(),
        ) {
            let verdict = verdict(&WebUrl::parse("https://h/").unwrap(), status, &[(name, value)], now);
            if let Verdict::Later { after, .. } = verdict {
                prop_assert!(after.is_none_or(|after| after <= MAX_WAIT));
            }
        }
    }
}
