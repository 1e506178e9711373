//! Chooses the strategy for a document by its MIME type, its name and its declared kind, or else by its text.

use super::{Strategy, looks};
use crate::file_kind::{self, Handling, Kind, Reader};

/// The strategy for a document: what [`detect`] says, but if it has neither a MIME type nor a name of a known kind nor a declared
/// kind, the text decides whether it is Markdown.
pub fn detect_with(
    mime_type: Option<&str>,
    name: Option<&str>,
    source_type: Option<&str>,
    content: &str,
) -> Strategy {
    let has_type = mime_type.is_some_and(|mime_type| !mime_type.trim().is_empty());
    let has_name = name.is_some_and(|name| file_kind::by_name(path_of(name)).is_some());
    match detect(mime_type, name, source_type) {
        Strategy::Text if !has_type && !has_name && looks::is_markdown(content) => Strategy::Markdown,
        strategy => strategy,
    }
}

/// The strategy for a document whose text is not known. A MIME type that identifies the text takes precedence, then the extension of
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
    file_kind::by_name(path_of(name)).and_then(of_kind)
}

/// In a URL, what follows the path is not part of the name.
fn path_of(name: &str) -> &str {
    if name.contains("://") { name.split(['?', '#']).next().unwrap_or_default() } else { name }
}

/// None for a kind that may be text of any kind.
fn of_kind(kind: &Kind) -> Option<Strategy> {
    match kind.handling {
        Handling::Code => Some(Strategy::Code),
        Handling::Read(Reader::Markdown) => Some(Strategy::Markdown),
        Handling::Records => Some(Strategy::Csv),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_which_nothing_is_known_may_be_markdown() {
        let text = "# Returns\n\nYou can return any item.\n";
        for (mime, name, source, expected) in [
            (None, None, None, Strategy::Markdown),
            (Some(""), Some("returns"), Some("document"), Strategy::Markdown),
            (None, Some("https://example.com/returns?a=b.txt"), None, Strategy::Markdown),
            (Some("text/plain"), None, None, Strategy::Text),
            (None, Some("returns.txt"), None, Strategy::Text),
            (None, None, Some("code"), Strategy::Code),
            (Some("text/html"), None, None, Strategy::Text),
        ] {
            assert_eq!(detect_with(mime, name, source, text), expected, "{mime:?} {name:?}");
        }
        assert_eq!(detect_with(None, None, None, "Plain words."), Strategy::Text);
    }

    #[test]
    fn mime_types_come_first() {
        for (mime, name, expected) in [
            ("text/markdown; charset=utf-8", "a.rs", Strategy::Markdown),
            ("Text/Markdown", "a", Strategy::Markdown),
            ("text/x-rust", "notes", Strategy::Code),
            ("application/json", "notes.md", Strategy::Code),
            ("application/vnd.api+json", "x", Strategy::Code),
            ("text/html", "index.php", Strategy::Text),
            ("text/csv; header=present", "a", Strategy::Csv),
            ("text/tab-separated-values", "a.md", Strategy::Csv),
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
            ("prices.CSV", Strategy::Csv),
            ("prices.tsv", Strategy::Csv),
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
