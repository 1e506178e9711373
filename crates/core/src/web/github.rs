//! Repositories of GitHub: their URLs and the REST API that gives out their files.

use super::WebUrl;
use super::answer::{MAX_WAIT, asked_wait};
use super::percent::{decoded, segment};
use crate::provider::retry_after::header;
use crate::provider::said::{Said, one_line};
use core::time::Duration;
use serde_json::Value;

/// The media type to accept at [`Repository::commit_path`]: the answer is then the commit's hash alone.
pub const ACCEPT_SHA: &str = "application/vnd.github.sha";

/// The longest name of an owner or a repository; GitHub itself allows 39 and 100 bytes.
const MAX_NAME_BYTES: usize = 100;
/// The longest name of a branch, in bytes; git's own limit is that of file names.
const MAX_REFERENCE_BYTES: usize = 255;
/// As much of a message of GitHub as is shown, in characters.
const MAX_MESSAGE_CHARACTERS: usize = 300;
/// What GitHub asks to wait at least where it does not say how long.
const MINUTE: Duration = Duration::from_secs(60);

/// What is wrong with a URL, in words that follow `url "…"`.
const NO_REPOSITORY: &str = "must be the URL of a repository as https://github.com/OWNER/NAME, perhaps with /tree/BRANCH/PATH or /blob/BRANCH/PATH";

/// A repository, or a part of it, that a URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Scheme, host and port of the web site, without `www.`: `https://github.com`, or that of a GitHub Enterprise Server.
    pub origin: String,
    /// The user or organization; ASCII letters, digits, `.`, `_` and `-`.
    pub owner: String,
    /// The repository; the same characters.
    pub name: String,
    /// A branch, a tag or a hash. None is the default branch. A URL does not show where the name of a branch ends, so it is
    /// the first segment; slashes in it have to be written as `%2F`.
    pub reference: Option<String>,
    /// The folder or file, without a slash at either end.
    pub path: Option<String>,
}

impl Repository {
    /// Reads the URL of a repository, a folder or a file in it. Any host is taken for one of GitHub.
    ///
    /// # Errors
    /// Words that follow `url "…"`, for any other page.
    pub fn parse(url: &WebUrl) -> Result<Self, String> {
        Self::read(url).ok_or_else(|| NO_REPOSITORY.to_owned())
    }

    fn read(url: &WebUrl) -> Option<Self> {
        let path = url.path().trim_matches('/');
        let segments = path.split('/').map(decoded).collect::<Option<Vec<_>>>()?;
        let (owner, name, rest) = match segments.as_slice() {
            [owner, name, rest @ ..] => (owner, name.strip_suffix(".git").unwrap_or(name), rest),
            _ => return None,
        };
        let (reference, path) = match rest {
            [] => (None, None),
            [kind, reference, path @ ..] if kind == "tree" || kind == "blob" && !path.is_empty() => {
                (Some(reference.clone()), Some(path.join("/")).filter(|path| !path.is_empty()))
            }
            _ => return None,
        };
        let is_valid = is_name(owner)
            && is_name(name)
            && reference.as_deref().is_none_or(is_reference)
            && rest.iter().skip(2).all(|segment| is_file_name(segment));
        is_valid.then(|| Self {
            origin: url.origin().replacen("://www.", "://", 1),
            owner: owner.clone(),
            name: name.to_owned(),
            reference,
            path,
        })
    }

    /// Where the API tells about the repository, for [`default_branch`].
    pub fn repository_path(&self) -> String {
        format!("/repos/{}/{}", self.owner, self.name)
    }

    /// Where the API tells the hash of the newest commit of a branch, for [`sha`]. `HEAD` is the default branch.
    pub fn commit_path(&self, reference: &str) -> String {
        format!("{}/commits/{}", self.repository_path(), segment(reference))
    }

    /// Where the API gives out all files as a tar archive compressed by gzip; it answers with a redirect.
    pub fn archive_path(&self, sha: &str) -> String {
        format!("{}/tarball/{}", self.repository_path(), segment(sha))
    }

    /// The page that shows a file.
    pub fn file_url(&self, reference: &str, path: &str) -> String {
        let path = path.split('/').map(segment).collect::<Vec<_>>().join("/");
        format!("{}/{}/{}/blob/{}/{path}", self.origin, self.owner, self.name, segment(reference))
    }
}

/// The name of the default branch, from the answer to [`Repository::repository_path`].
///
/// # Errors
/// What GitHub says instead, for people.
pub fn default_branch(body: &[u8]) -> Result<String, String> {
    let answer = serde_json::from_slice::<Value>(body).unwrap_or_default();
    let branch = answer.get("default_branch").and_then(Value::as_str).filter(|branch| is_reference(branch));
    branch.map(str::to_owned).ok_or_else(|| message(body))
}

/// The hash of a commit, from the answer to [`Repository::commit_path`] with [`ACCEPT_SHA`].
///
/// # Errors
/// What GitHub says instead, for people.
pub fn sha(body: &[u8]) -> Result<String, String> {
    let text = body.trim_ascii();
    // SHA-1 or SHA-256.
    let is_sha = matches!(text.len(), 40 | 64) && text.iter().all(u8::is_ascii_hexdigit);
    core::str::from_utf8(text).ok().filter(|_| is_sha).map(str::to_owned).ok_or_else(|| message(body))
}

/// How long to wait if an answer says that there were too many requests; at most [`MAX_WAIT`], since limits are those of an hour. `now` is in seconds since 1970. A
/// 403 without such headers means that access is denied.
pub fn rate_limited(status: u16, headers: &[(String, String)], now: f64) -> Option<Duration> {
    if !matches!(status, 403 | 429) {
        return None;
    }
    let reset = header(headers, "x-ratelimit-reset")
        .filter(|_| header(headers, "x-ratelimit-remaining") == Some("0"))
        .and_then(|reset| reset.parse::<f64>().ok())
        // The clocks differ.
        .and_then(|reset| Duration::try_from_secs_f64((reset - now).clamp(1.0, MAX_WAIT.as_secs_f64())).ok());
    let no_wait = (status == 429).then_some(MINUTE);
    asked_wait(headers, &Said::default(), now).or(reset).or(no_wait)
}

/// What GitHub says in an error, in one line of at most 300 characters. None if it says nothing.
pub fn error_message(body: &[u8]) -> Option<String> {
    Some(one_line(&Said::read(body).message, MAX_MESSAGE_CHARACTERS)).filter(|message| !message.is_empty())
}

fn message(body: &[u8]) -> String {
    match error_message(body) {
        None => "GitHub's answer is not as documented".to_owned(),
        Some(message) => format!("GitHub answered: {message}"),
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_allowed) && !matches!(name, "." | "..")
}

/// Whether git takes it for the name of a branch, nearly (git-check-ref-format).
fn is_reference(name: &str) -> bool {
    let is_allowed = |c: char| !c.is_control() && !c.is_whitespace() && !r"~^:?*[\".contains(c);
    (1..=MAX_REFERENCE_BYTES).contains(&name.len())
        && name.chars().all(is_allowed)
        && !name.starts_with(['/', '-'])
        && !["..", "//", "@{"].iter().any(|part| name.contains(part))
        && !name.ends_with(['/', '.'])
}

fn is_file_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(|c: char| c == '/' || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(url: &str) -> Result<Repository, String> {
        Repository::parse(&WebUrl::parse(url).unwrap())
    }

    #[test]
    fn reads_the_parts_of_a_url() {
        for (url, reference, path) in [
            ("https://github.com/o/n", None, None),
            ("https://www.github.com/o/n.git", None, None),
            ("https://github.com/o/n/?tab=readme#x", None, None),
            ("https://github.com/o/n/tree/main", Some("main"), None),
            ("https://github.com/o/n/tree/main/docs/a%20b/", Some("main"), Some("docs/a b")),
            ("https://github.com/o/n/blob/v1.2/README.md", Some("v1.2"), Some("README.md")),
            ("https://github.com/o/n/tree/feature%2Fx/docs", Some("feature/x"), Some("docs")),
        ] {
            let repository = parse(url).unwrap();
            assert_eq!(repository.origin, "https://github.com", "{url}");
            assert_eq!((repository.owner.as_str(), repository.name.as_str()), ("o", "n"), "{url}");
            assert_eq!(
                (repository.reference.as_deref(), repository.path.as_deref()),
                (reference, path),
                "{url}"
            );
        }
        assert_eq!(
            parse("https://git.example.com:8443/o/n.js").unwrap().origin,
            "https://git.example.com:8443"
        );
        for url in [
            "https://github.com/",
            "https://github.com/o",
            "https://github.com/o/n/issues",
            "https://github.com/o/n/tree",
            "https://github.com/o/n/blob/main",
            "https://github.com/o/.git",
            "https://github.com/o/n%20x",
            "https://github.com/o%2Fp/n",
            "https://github.com/o/n/tree/a..b",
            "https://github.com/o/n/tree/main/a%2F..%2Fb",
            "https://github.com/o/n/tree/main/a//b",
            "https://github.com/o/n/tree/main/%00",
            "https://github.com/o/n/tree/main/%FF",
        ] {
            assert_eq!(parse(url).unwrap_err(), NO_REPOSITORY, "{url}");
        }
    }

    #[test]
    fn names_paths_of_the_api() {
        let repository = parse("https://github.com/o/n").unwrap();
        assert_eq!(repository.repository_path(), "/repos/o/n");
        assert_eq!(repository.commit_path("feature/x"), "/repos/o/n/commits/feature%2Fx");
        assert_eq!(repository.archive_path("0a1b"), "/repos/o/n/tarball/0a1b");
        let url = repository.file_url("main", "docs/ü #1.md");
        assert_eq!(url, "https://github.com/o/n/blob/main/docs/%C3%BC%20%231.md");
        assert_eq!(WebUrl::parse(&url).unwrap().as_str(), url);
    }

    #[test]
    fn reads_answers() {
        assert_eq!(default_branch(br#"{"id": 1, "default_branch": "trunk"}"#), Ok("trunk".to_owned()));
        let said = |text: &str| Err(format!("GitHub answered: {text}"));
        assert_eq!(default_branch(br#"{"message": "Not Found", "status": "404"}"#), said("Not Found"));
        assert_eq!(default_branch(b""), Err("GitHub's answer is not as documented".to_owned()));
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(sha(format!("{hash}\n").as_bytes()), Ok(hash.to_owned()));
        assert_eq!(sha(br#"{"message": "No commit found for SHA: x"}"#), said("No commit found for SHA: x"));
        assert_eq!(sha(b"<html><title>Unicorn!</title>"), said("Unicorn!"));
    }

    #[test]
    fn recognizes_limits() {
        let limited = |status, headers: &[(&str, &str)]| {
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            rate_limited(status, &headers, 1000.0).map(|wait| wait.as_secs())
        };
        let used_up = ("X-RateLimit-Remaining", "0");
        assert_eq!(limited(403, &[used_up, ("X-RateLimit-Reset", "1600")]), Some(600));
        assert_eq!(limited(403, &[used_up, ("X-RateLimit-Reset", "900")]), Some(1));
        assert_eq!(limited(429, &[used_up, ("X-RateLimit-Reset", "1e300")]), Some(3600));
        assert_eq!(limited(403, &[("Retry-After", "31536000")]), Some(3600));
        assert_eq!(limited(403, &[("Retry-After", "30")]), Some(30));
        assert_eq!(limited(429, &[]), Some(60));
        assert_eq!(limited(403, &[]), None);
        assert_eq!(limited(403, &[("x-ratelimit-remaining", "7"), ("x-ratelimit-reset", "1600")]), None);
        assert_eq!(limited(403, &[used_up, ("x-ratelimit-reset", "nan")]), None);
        assert_eq!(limited(200, &[used_up, ("x-ratelimit-reset", "1600")]), None);
    }

    proptest! {
        #[test]
        fn a_file_has_a_page_that_names_it(path in proptest::collection::vec("[^/\\pC]{1,6}", 1..4), branch in "[a-z]{1,4}(/[a-z]{1,4})?") {
            prop_assume!(path.iter().all(|name| is_file_name(name)) && is_reference(&branch));
            let path = path.join("/");
            let url = parse("https://github.com/o/n").unwrap().file_url(&branch, &path);
            let repository = parse(&url).unwrap();
            prop_assert_eq!(repository.reference, Some(branch));
            prop_assert_eq!(repository.path, Some(path));
        }

        #[test]
        fn names_are_safe_in_paths(path in "[a-z./%2F?\\PC]{0,30}") {
            let Some(url) = WebUrl::parse("https://github.com/").unwrap().join(&path) else { return Ok(()) };
            let Ok(repository) = Repository::parse(&url) else { return Ok(()) };
            let path = repository.repository_path();
            prop_assert_eq!(path.split('/').count(), 4);
            prop_assert!(path.split('/').skip(2).all(is_name));
        }

        #[test]
        fn never_panics(body in proptest::collection::vec(any::<u8>(), 0..60), value in any::<String>(), now in any::<f64>()) {
            let _ = (default_branch(&body), sha(&body));
            let headers = [("x-ratelimit-remaining", "0".to_owned()), ("x-ratelimit-reset", value)];
            rate_limited(403, &headers.map(|(name, value)| (name.to_owned(), value)), now);
        }
    }
}
