//! Chooses the strategy for a document by its MIME type, its name and its declared kind.

use super::Strategy;
use crate::file_kind::{self, Handling, Kind, Reader};

/// The strategy for a document. A MIME type that identifies the text takes precedence, then the extension of
/// the name (a path or a URL), then the kind of source: `code` is code. Anything else is text.
pub fn detect(mime_type: Option<&str>, name: Option<&str>, source_type: Option<&str>) -> Strategy {
    mime_type
        .and_then(by_mime_type)
        .or_else(|| name.and_then(by_name))
        .or_else(|| (source_type == Some("code")).then_some(Strategy::Code))
        .unwrap_or(Strategy::Text)
}

/// None if the type only says that it is text or bytes: servers send such a type for most programs.
fn by_mime_type(mime_type: &str) -> Option<Strategy> {
    match file_kind::essence(mime_type).as_str() {
        "" | "text/plain" | "application/octet-stream" => None,
        essence => Some(file_kind::by_mime_type(essence).and_then(of_kind).unwrap_or(Strategy::Text)),
    }
}

fn by_name(name: &str) -> Option<Strategy> {
    // In a URL, what follows the path is not part of the name.
    let path = if name.contains("://") { name.split(['?', '#']).next().unwrap_or_default() } else { name };
    file_kind::by_name(path).and_then(of_kind)
}

/// None for a kind that may be text of any kind.
fn of_kind(kind: &Kind) -> Option<Strategy> {
    match kind.handling {
        Handling::Code => Some(Strategy::Code),
        Handling::Read(Reader::Markdown) => Some(Strategy::Markdown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mime_types_come_first() {
        for (mime, name, expected) in [
            ("text/markdown; charset=utf-8", "a.rs", Strategy::Markdown),
            ("Text/Markdown", "a", Strategy::Markdown),
            ("text/x-rust", "notes", Strategy::Code),
            ("application/json", "notes.md", Strategy::Code),
            ("application/vnd.api+json", "x", Strategy::Code),
            ("text/html", "index.php", Strategy::Text),
            ("text/x-rst", "a.py", Strategy::Text),
            ("text/plain", "a.py", Strategy::Code),
            ("text/plain", "a.md", Strategy::Markdown),
            ("application/octet-stream", "a.txt", Strategy::Text),
        ] {
            assert_eq!(detect(Some(mime), Some(name), None), expected, "{mime} {name}");
        }
    }

    #[test]
    fn names_and_kinds() {
        for (name, expected) in [
            ("docs/guide.MD", Strategy::Markdown),
            ("src/main.rs", Strategy::Code),
            ("https://example.org/a/b.py?raw=1#L3", Strategy::Code),
            ("https://example.org/?f=b.py", Strategy::Text),
            ("C:\\work\\Program.cs", Strategy::Code),
            ("Makefile", Strategy::Code),
            ("report.txt", Strategy::Text),
            (".md", Strategy::Text),
            ("42", Strategy::Text),
            ("", Strategy::Text),
        ] {
            assert_eq!(detect(None, Some(name), None), expected, "{name}");
        }
        assert_eq!(detect(None, None, Some("code")), Strategy::Code);
        assert_eq!(detect(None, Some("README.md"), Some("code")), Strategy::Markdown);
        assert_eq!(detect(None, Some("notes.txt"), Some("code")), Strategy::Code);
        assert_eq!(detect(None, None, Some("document")), Strategy::Text);
    }
}
