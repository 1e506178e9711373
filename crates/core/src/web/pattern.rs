//! Patterns of the pages that a crawl leaves out.

use super::glob::Glob;
use super::percent;
use super::{Scope, WebUrl};
use crate::provider::said::one_line;
use core::fmt;

const MAX_PATTERNS: usize = 100;
/// In characters.
const MAX_CHARACTERS: usize = 500;
/// As much of a pattern as a message shows, in characters.
const SHOWN: usize = 100;

/// Globs over the path and query of a URL, from the beginning to the end. `*` stands for any characters, `/` and `?` among
/// them; every other character for itself. Percent-encoding does not matter: `/ü` matches `/%C3%BC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<Glob>);

/// Why a list of patterns is refused. Its words are a whole sentence without a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternFault {
    /// How many there are; at most 100.
    TooMany(usize),
    /// Nothing is in it.
    Empty,
    /// More than 500 characters. This and the following hold the pattern.
    TooLong(String),
    /// It is a URL.
    Url(String),
    /// It can match no path.
    Beginning(String),
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shown = |pattern: &String| one_line(pattern, SHOWN);
        match self {
            PatternFault::TooMany(count) => write!(f, "{count} patterns are more than {MAX_PATTERNS}"),
            PatternFault::Empty => f.write_str("a pattern must not be empty"),
            PatternFault::TooLong(pattern) => {
                write!(f, "pattern \"{}\" is longer than {MAX_CHARACTERS} characters", shown(pattern))
            }
            PatternFault::Url(pattern) => {
                write!(
                    f,
                    "pattern \"{}\" must be without scheme and host: patterns match the path",
                    shown(pattern)
                )
            }
            PatternFault::Beginning(pattern) => {
                write!(f, "pattern \"{}\" must begin with / or *", shown(pattern))
            }
        }
    }
}

impl core::error::Error for PatternFault {}

impl Patterns {
    /// Reads patterns.
    ///
    /// # Errors
    /// For the first pattern that is none, or too many of them.
    pub fn parse(patterns: &[String]) -> Result<Self, PatternFault> {
        if patterns.len() > MAX_PATTERNS {
            return Err(PatternFault::TooMany(patterns.len()));
        }
        patterns.iter().map(|pattern| glob(pattern)).collect::<Result<_, _>>().map(Self)
    }

    /// Whether one of them matches the path and query of a page.
    pub fn matches(&self, url: &WebUrl) -> bool {
        self.matches_path(url.path_and_query())
    }

    /// Whether one of them matches a path, which begins with a slash, such as that of a file in a repository.
    pub fn matches_path(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(path))
    }

    /// The same as regular expressions over whole URLs of any host, in the syntax that JavaScript and the Rust crate regex
    /// share.
    pub fn as_regular_expressions(&self) -> Vec<String> {
        self.0.iter().map(|pattern| anchored(&path_expression(pattern.parts()))).collect()
    }
}

impl Scope {
    /// The same as a regular expression over whole URLs of any host, as those of [`Patterns`].
    pub fn as_regular_expression(&self) -> String {
        let path = self.directory().strip_suffix('/').unwrap_or_default();
        anchored(&format!("{}(?:[/?].*)?", literally(path)))
    }
}

fn glob(pattern: &str) -> Result<Glob, PatternFault> {
    let is_url =
        |scheme: &str| pattern.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if pattern.trim().is_empty() {
        Err(PatternFault::Empty)
    } else if pattern.chars().nth(MAX_CHARACTERS).is_some() {
        Err(PatternFault::TooLong(pattern.to_owned()))
    } else if is_url("http://") || is_url("https://") {
        Err(PatternFault::Url(pattern.to_owned()))
    } else if !pattern.starts_with(['/', '*']) {
        Err(PatternFault::Beginning(pattern.to_owned()))
    } else {
        Ok(Glob::of_parts(pattern.split('*').map(|part| percent::normalized(part.as_bytes()))))
    }
}

fn anchored(path: &str) -> String {
    format!("^https?://[^/]*{path}$")
}

/// A `*` at the beginning covers the first slash too, which must not be looked for in the host. Nothing is left to cover
/// where the text after it brings that slash.
fn path_expression(parts: &[String]) -> String {
    let expression =
        |parts: &[String]| parts.iter().map(|part| literally(part)).collect::<Vec<_>>().join(".*");
    let is_text = |part: &String| !part.is_empty();
    match parts.iter().position(is_text).and_then(|start| parts.get(start..)) {
        None => "/.*".to_owned(),
        Some(rest) if rest.len() == parts.len() => expression(parts),
        Some(rest) if rest.iter().take(1).all(|part| part.starts_with('/')) => {
            format!("(?:/.*)?{}", expression(rest))
        }
        Some(rest) => format!("/.*{}", expression(rest)),
    }
}

/// A text with its special characters escaped.
fn literally(text: &str) -> String {
    let mut expression = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            expression.push('\\');
        }
        expression.push(c);
    }
    expression
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn patterns(patterns: &[&str]) -> Patterns {
        Patterns::parse(&patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn matches(pattern: &str, url: &str) -> bool {
        patterns(&[pattern]).matches(&WebUrl::parse(url).unwrap())
    }

    #[test]
    fn match_path_and_query_as_a_whole() {
        for (pattern, url, expected) in [
            ("/blog/*", "https://h/blog/a/b?c", true),
            ("/blog/*", "https://h/blog", false),
            ("/blog", "https://h/blog?page=2", false),
            ("*?page=*", "https://h/blog?page=2", true),
            ("/a?b", "https://h/a?b", true),
            ("/a?b", "https://h/axb", false),
            ("*.pdf", "https://h/a.pdf", true),
            ("*.pdf", "https://h/apdf", false),
            ("*/en/*", "https://h/en/a", true),
            ("/ü b*", "https://h/%c3%bc%20bc", true),
            ("/[a]", "https://h/a", false),
            ("*", "https://h", true),
        ] {
            assert_eq!(matches(pattern, url), expected, "{pattern} {url}");
        }
        assert!(!Patterns::default().matches(&WebUrl::parse("https://h/").unwrap()));
        assert!(patterns(&["/a", "/b"]).matches(&WebUrl::parse("https://h/b").unwrap()));
    }

    #[test]
    fn refuses_what_cannot_match() {
        for (pattern, words) in [
            ("", "a pattern must not be empty"),
            ("  ", "a pattern must not be empty"),
            ("blog/*", "pattern \"blog/*\" must begin with / or *"),
            (
                "HTTPS://h/*",
                "pattern \"HTTPS://h/*\" must be without scheme and host: patterns match the path",
            ),
        ] {
            assert_eq!(Patterns::parse(&[pattern.to_owned()]).unwrap_err().to_string(), words);
        }
        let longest = format!("/{}", "ü".repeat(499));
        assert!(Patterns::parse(std::slice::from_ref(&longest)).is_ok());
        let words = Patterns::parse(&[longest + "x"]).unwrap_err().to_string();
        assert!(
            words.ends_with("…\" is longer than 500 characters") && words.chars().count() < 150,
            "{words}"
        );
        let words = Patterns::parse(&vec!["/".to_owned(); 101]).unwrap_err().to_string();
        assert_eq!(words, "101 patterns are more than 100");
    }

    #[test]
    fn become_regular_expressions() {
        for (pattern, expression) in [
            ("/blog/*", r"^https?://[^/]*/blog/.*$"),
            ("/a.b?c=[1]$", r"^https?://[^/]*/a\.b\?c=\[1\]\$$"),
            ("*.pdf", r"^https?://[^/]*/.*\.pdf$"),
            ("*/en/**/x", r"^https?://[^/]*(?:/.*)?/en/.*.*/x$"),
            ("**", r"^https?://[^/]*/.*$"),
            ("/ü", r"^https?://[^/]*/%C3%BC$"),
        ] {
            assert_eq!(patterns(&[pattern]).as_regular_expressions(), [expression], "{pattern}");
        }
        let expression = |url: &str| Scope::below(&WebUrl::parse(url).unwrap()).as_regular_expression();
        assert_eq!(expression("https://h/a.b/c.html"), r"^https?://[^/]*/a\.b(?:[/?].*)?$");
        assert_eq!(expression("https://h/"), r"^https?://[^/]*(?:[/?].*)?$");
    }

    proptest! {
        #[test]
        fn literal_characters_match_themselves_alone(path in "/[!-)+-~]{0,30}", more in "[a-z]{1,5}") {
            let Ok(url) = WebUrl::parse(&format!("https://h{path}")) else { return Ok(()) };
            let pattern = url.path_and_query();
            let matches = |url: &str| matches(pattern, url);
            prop_assert!(matches(url.as_str()));
            let longer = format!("{url}{more}");
            let below = format!("https://h/{more}{pattern}");
            prop_assert!(!matches(&longer) && !matches(&below), "{longer} {below}");
        }

        #[test]
        fn never_panics(list in proptest::collection::vec(any::<String>(), 0..4), path in any::<String>()) {
            let list: Vec<_> = list.iter().map(|pattern| format!("*{pattern}")).collect();
            let patterns = Patterns::parse(&list).unwrap();
            let Some(url) = WebUrl::parse("https://h/").unwrap().join(&path) else { return Ok(()) };
            patterns.matches(&url);
            let expressions = patterns.as_regular_expressions();
            prop_assert!(expressions.iter().all(|expression| expression.starts_with('^') && expression.ends_with('$')));
        }
    }
}
