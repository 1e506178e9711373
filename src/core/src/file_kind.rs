//! Recognizing files that are not text. A search in them would find bytes or tags.

/// A kind of file that should be converted to text first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A PDF file.
    Pdf,
    /// A ZIP file, which DOCX, XLSX, PPTX and ODT files are.
    Zip,
    /// An HTML page.
    Html,
}

/// The first bytes of files, and the same in hexadecimal digits, as `encode(…, 'hex')` and `bytea::text` write them. The
/// digits of a PDF file go one byte further than needed: eight decimal digits may be a number.
const BEGINNINGS: [(FileKind, &str, &str); 2] =
    [(FileKind::Pdf, "%PDF-", "255044462d"), (FileKind::Zip, "PK\u{3}\u{4}", "504b0304")];

impl FileKind {
    /// The kind of file that a document looks like, by the beginning of its content or by its MIME type. None for text.
    pub fn of(mime_type: Option<&str>, content: &str) -> Option<FileKind> {
        of_content(content).or_else(|| mime_type.and_then(of_mime_type))
    }

    /// Its name with an article.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Pdf => "a PDF file",
            FileKind::Zip => "a ZIP file",
            FileKind::Html => "an HTML page",
        }
    }
}

fn of_mime_type(mime_type: &str) -> Option<FileKind> {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    match essence {
        _ if essence.eq_ignore_ascii_case("application/pdf") => Some(FileKind::Pdf),
        _ if essence.eq_ignore_ascii_case("text/html") => Some(FileKind::Html),
        _ => None,
    }
}

fn of_content(content: &str) -> Option<FileKind> {
    let content = content.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let digits = content.strip_prefix("\\x").unwrap_or(content);
    BEGINNINGS
        .iter()
        .find(|(_, text, hex)| content.starts_with(text) || after(digits, hex).is_some())
        .map(|(kind, ..)| *kind)
        .or_else(|| is_html(content).then_some(FileKind::Html))
}

/// Whether a text begins as a page does: with its document type or its outermost tag, perhaps below an XML declaration.
fn is_html(content: &str) -> bool {
    let content = match after(content, "<?xml") {
        Some(declaration) => declaration.split_once("?>").map_or("", |(_, rest)| rest).trim_start(),
        None => content,
    };
    let is_tag = |rest: &str| rest.starts_with(|c: char| c == '>' || c.is_whitespace());
    after(content, "<!doctype html").or_else(|| after(content, "<html")).is_some_and(is_tag)
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
            ("%PDF-1.7\n%âãÏÓ", FileKind::Pdf),
            ("\u{feff} \n%PDF-1.4", FileKind::Pdf),
            ("\\x255044462d312e370a", FileKind::Pdf),
            ("255044462D312E37", FileKind::Pdf),
            ("PK\u{3}\u{4}\u{14}", FileKind::Zip),
            ("\\x504b030414000600", FileKind::Zip),
            ("504B030414", FileKind::Zip),
            ("<!DOCTYPE html>\n<title>x</title>", FileKind::Html),
            ("\n<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", FileKind::Html),
            ("<html lang=\"en\">", FileKind::Html),
            ("<HTML>", FileKind::Html),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE html>", FileKind::Html),
        ] {
            assert_eq!(FileKind::of(None, content), Some(kind), "{content}");
        }
    }

    #[test]
    fn recognizes_files_by_their_type() {
        for (mime_type, kind) in [
            ("application/pdf", Some(FileKind::Pdf)),
            ("text/html; charset=utf-8", Some(FileKind::Html)),
            (" Text/HTML ", Some(FileKind::Html)),
            ("text/markdown", None),
            ("text/html-like", None),
            ("", None),
        ] {
            assert_eq!(FileKind::of(Some(mime_type), "Plain text."), kind, "{mime_type}");
        }
        assert_eq!(FileKind::of(Some("text/html"), "%PDF-1.7"), Some(FileKind::Pdf));
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
            assert_eq!(FileKind::of(None, content), None, "{content}");
        }
    }
}
