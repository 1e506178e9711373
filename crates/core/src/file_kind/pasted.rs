//! Files that were pasted as text. A search in them would find bytes or tags.

use super::kind::{Handling, Kind, Reader};
use super::{by_mime_type, table};

/// Kinds whose bytes people pass as text.
const PASTED: [&Kind; 2] = [&table::PDF, &table::ZIP];
/// How their bytes begin in base64, as JSON and mail carry them.
const BASE64: [(&str, &Kind); 2] = [("JVBERi0", &table::PDF), ("UEsDB", &table::ZIP)];

/// The kind of file that a text looks like, by its beginning or by its MIME type: a PDF file, a ZIP archive or an HTML page,
/// also in base64, or in hexadecimal digits, as `encode(…, 'hex')` and `bytea::text` write them. None for text.
pub fn looks_like(mime_type: Option<&str>, content: &str) -> Option<&'static Kind> {
    let is_converted = |kind: &&Kind| matches!(kind.handling, Handling::Read(Reader::Pdf | Reader::Html));
    by_content(content).or_else(|| mime_type.and_then(by_mime_type).filter(is_converted))
}

fn by_content(content: &str) -> Option<&'static Kind> {
    let content = trimmed(content);
    let digits = content.strip_prefix("\\x").unwrap_or(content);
    let begins = |kind: &&&Kind| {
        kind.marked(content.as_bytes()).is_some()
            || kind.marks.iter().flat_map(|mark| *mark).any(|(at, bytes)| {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                *at == 0 && after(digits, &hex).is_some()
            })
    };
    let encoded = BASE64.iter().find(|(beginning, _)| content.starts_with(beginning));
    let pasted = PASTED.iter().find(begins).copied().or_else(|| encoded.map(|(_, kind)| *kind));
    pasted.or_else(|| is_html(content).then_some(&table::HTML))
}

/// Whether a text begins as a page does: with its document type or its outermost tag, perhaps below an XML declaration.
pub(super) fn is_html(content: &str) -> bool {
    let content = trimmed(content);
    let content = match after(content, "<?xml") {
        Some(declaration) => declaration.split_once("?>").map_or("", |(_, rest)| rest).trim_start(),
        None => content,
    };
    let is_tag = |rest: &str| rest.starts_with(|c: char| c == '>' || c.is_whitespace());
    after(content, "<!doctype html").or_else(|| after(content, "<html")).is_some_and(is_tag)
}

fn trimmed(content: &str) -> &str {
    content.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// What follows a beginning of ASCII characters, in upper or lower case.
fn after<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let (first, rest) = text.split_at_checked(beginning.len())?;
    first.eq_ignore_ascii_case(beginning).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_files_by_their_beginning() {
        for (content, kind) in [
            ("%PDF-1.7\n%âãÏÓ", table::PDF),
            ("\u{feff} \n%PDF-1.4", table::PDF),
            ("\\x255044462d312e370a", table::PDF),
            ("255044462D312E37", table::PDF),
            ("JVBERi0xLjcKJeLjz9MK", table::PDF),
            ("UEsDBBQABgAIAAAAIQ", table::ZIP),
            ("PK\u{3}\u{4}\u{14}", table::ZIP),
            ("\\x504b030414000600", table::ZIP),
            ("504B030414", table::ZIP),
            ("<!DOCTYPE html>\n<title>x</title>", table::HTML),
            ("\n<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", table::HTML),
            ("<html lang=\"en\">", table::HTML),
            ("<HTML>", table::HTML),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE html>", table::HTML),
        ] {
            assert_eq!(looks_like(None, content), Some(&kind), "{content}");
        }
    }

    #[test]
    fn recognizes_files_by_their_type() {
        for (mime_type, kind) in [
            ("application/pdf", Some(&table::PDF)),
            ("text/html; charset=utf-8", Some(&table::HTML)),
            (" Text/HTML ", Some(&table::HTML)),
            ("text/markdown", None),
            ("text/html-like", None),
            ("application/json", None),
            ("", None),
        ] {
            assert_eq!(looks_like(Some(mime_type), "Plain text."), kind, "{mime_type}");
        }
        assert_eq!(looks_like(Some("text/html"), "%PDF-1.7"), Some(&table::PDF));
    }

    #[test]
    fn ignores_text() {
        for content in [
            "",
            " ",
            "%",
            "%PDF is a format.",
            "PK",
            "PKZIP packs files.",
            "25504446 is the number of an order.",
            "\\x25",
            "An <html> tag begins a page.",
            "<htmlx>",
            "<!doctype html5ish>",
            "<?xml version=\"1.0\"?><note>text</note>",
            "<?xml is not closed",
            "<h1>A heading in Markdown</h1>",
            "é".repeat(7).as_str(),
        ] {
            assert_eq!(looks_like(None, content), None, "{content}");
        }
    }
}
