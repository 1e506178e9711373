//! Files that were pasted as text. A search in them would find bytes or tags.

use super::kind::{Handling, Kind, Reader};
use super::{by_mime_type, table};

/// Kinds whose bytes people pass as text.
const PASTED: [&Kind; 2] = [&table::PDF, &table::ZIP];
/// Elements with which parts of pages begin, and hardly any XML.
const BLOCKS: [&str; 6] = ["blockquote", "div", "ol", "p", "pre", "ul"];
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
/// How their bytes begin in base64, as JSON and mail carry them.
const BASE64: [(&str, &Kind); 2] = [("JVBERi0", &table::PDF), ("UEsDB", &table::ZIP)];

/// The kind of file that a text looks like, by its beginning or by its MIME type: a PDF file, a ZIP archive, an HTML page or a part of
/// one, also in base64, or in hexadecimal digits, as `encode(…, 'hex')` and `bytea::text` write them. None for text.
pub fn looks_like(mime_type: Option<&str>, content: &str) -> Option<&'static Kind> {
    let is_converted = |kind: &&Kind| matches!(kind.handling, Handling::Read(Reader::Pdf | Reader::Html));
    by_content(content)
        .or_else(|| mime_type.and_then(by_mime_type).filter(is_converted))
        .or_else(|| (mime_type.is_none_or(is_unspecific) && is_fragment(content)).then_some(&table::HTML))
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

/// Whether a MIME type is one that texts have which nobody looked at.
fn is_unspecific(mime_type: &str) -> bool {
    mime_type
        .trim_ascii()
        .split(';')
        .next()
        .is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case("text/plain"))
}

/// Whether a text begins and ends with tags, as editors of web pages store it. Markdown may do so, too, but has paragraphs without a
/// tag between.
fn is_fragment(content: &str) -> bool {
    let content = trimmed(content);
    let Some(rest) = content.strip_prefix('<') else { return false };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if !rest.starts_with(|c: char| c == '>' || c.is_whitespace()) {
        return false;
    }
    let is = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let closed = rest.matches("</").count();
    let last = rest.rsplit_once("</").map_or("", |(_, last)| last.trim_end());
    let ends =
        last.strip_suffix('>').is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    ends && (is(&BLOCKS) || is(&HEADINGS) && closed > 1) && !has_bare_paragraph(content)
}

/// Whether a paragraph after an empty line begins without a tag.
fn has_bare_paragraph(content: &str) -> bool {
    let mut is_after_empty = false;
    content.lines().map(str::trim_start).any(|line| {
        let is_bare = is_after_empty && !line.is_empty() && !line.starts_with('<');
        is_after_empty = line.is_empty();
        is_bare
    })
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
            ("<div class=\"c\">We <b>open</b> at 9.</div><p>And <a href=\"x\">more</a>.</p>\n", table::HTML),
            ("<P>One paragraph.</P>", table::HTML),
            ("<h2>Times</h2>\n<ul><li>9 to 5</li></ul>", table::HTML),
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
        assert_eq!(
            looks_like(Some("Text/Plain; charset=utf-8"), "<p>A part of a page</p>"),
            Some(&table::HTML)
        );
        assert_eq!(looks_like(Some("text/markdown"), "<p>Markdown</p>"), None);
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
            "<p align=\"center\">A logo</p>\n\n# Markdown\n\nText.",
            "<p>",
            "<p/>",
            "<path>text</path>",
            "<p>Not closed </",
            "<div> begins a part of a page, and </div> ends it.",
            "<p align=\"center\"><img src=\"logo\"></p>\n\n# Name\n\nText.\n\n<p>A footer</p>",
            "<div align=\"center\">\n\n![logo](x.png)\n\n</div>",
            "<article><title>DocBook</title><para>Text</para></article>",
            "é".repeat(7).as_str(),
        ] {
            assert_eq!(looks_like(None, content), None, "{content}");
        }
    }
}
