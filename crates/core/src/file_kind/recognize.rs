//! What kind a file is.

use memchr::memmem::find;

use super::container::{self, Container};
use super::encoding::{decode_wide, is_text, wide};
use super::kind::{Handling, Kind, Reader};
use super::minified::is_minified;
use super::pasted::is_html;
use super::{by_mime_type, by_name, essence, table};

/// How many bytes are examined to find out whether a file is text.
pub const SAMPLE: usize = 1 << 20;

/// How many bytes of a text are examined to find out whether it is an HTML page.
const BEGINNING: usize = 4096;

/// A PDF file may have this many bytes of junk before its header, as readers accept it.
const MAX_JUNK: usize = 1024;

/// The kind of a file with these bytes.
///
/// Bytes that are not text decide alone: a PDF file is one, whatever it is called. Over text the declared MIME type decides,
/// then the name, unless it is that of files of bytes, then the beginning of the text. Over bytes that nothing here knows, type
/// and name tell what they may be: a damaged PDF or DOCX file is one.
pub fn recognize(bytes: &[u8], filename: Option<&str>, mime_type: Option<&str>) -> &'static Kind {
    let (declared, named) = (mime_type.and_then(by_mime_type), filename.and_then(by_name));
    let claims =
        |reader| [declared, named].iter().flatten().any(|kind| kind.handling == Handling::Read(reader));
    let is_text = is_text(&bytes[..bytes.len().min(SAMPLE)]);
    if is_pdf(bytes, !is_text || claims(Reader::Pdf)) {
        return &table::PDF;
    }
    match container::contained(bytes) {
        Container::Kind(kind) => return kind,
        Container::Broken if claims(Reader::Docx) => return &table::DOCX,
        Container::Broken => {
            let kind = claimed(declared, named);
            return if container::is_archive(kind) { kind } else { &table::ZIP };
        }
        Container::Unknown => return claimed(declared, named),
        Container::None => {}
    }
    if let Some(kind) = by_marks(bytes, is_text) {
        return kind;
    }
    if !is_text {
        return claimed(declared, named);
    }
    let kind = of_text(bytes, declared, named, mime_type);
    if is_minified(kind, &bytes[..bytes.len().min(SAMPLE)]) { &table::MINIFIED } else { kind }
}

/// The kind of bytes that are text.
fn of_text(
    bytes: &[u8],
    declared: Option<&'static Kind>,
    named: Option<&'static Kind>,
    mime_type: Option<&str>,
) -> &'static Kind {
    match (declared, named) {
        // Servers send Markdown as plain text.
        (Some(_), Some(named))
            if named.handling == Handling::Read(Reader::Markdown) && is_plain(mime_type) =>
        {
            named
        }
        (Some(kind), _) => kind,
        (None, Some(kind)) if kind.is_text() => kind,
        (None, _) => by_text(bytes),
    }
}

/// The kind of a file that is none of a text, by the beginning of its bytes. None if more of them must be known.
pub fn recognize_beginning(beginning: &[u8], filename: Option<&str>) -> Option<&'static Kind> {
    if !matches!(container::contained(beginning), Container::None) {
        return None;
    }
    let is_clear = beginning.len() >= SAMPLE || by_marks(beginning, is_text(beginning)).is_some();
    is_clear.then(|| recognize(beginning, filename, None))
}

fn is_plain(mime_type: Option<&str>) -> bool {
    mime_type.is_some_and(|mime_type| essence(mime_type) == "text/plain")
}

/// A PDF file begins with its header. Readers accept junk before it; so may a text that quotes it.
fn is_pdf(bytes: &[u8], is_likely: bool) -> bool {
    let beginning = &bytes[..bytes.len().min(MAX_JUNK)];
    match find(beginning, b"%PDF-") {
        Some(at) => is_likely || beginning[..at].trim_ascii() == b"" || &beginning[..at] == b"\xEF\xBB\xBF",
        None => false,
    }
}

/// The kind with the longest mark that a file begins with. A text may begin with the letters of files that hold no text, as in
/// "BM": then these do not count.
fn by_marks(bytes: &[u8], is_text: bool) -> Option<&'static Kind> {
    table::kinds()
        .filter(|kind| !(is_text && kind.handling == Handling::NoText))
        .filter_map(|kind| Some((kind.marked(bytes)?, kind)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}

/// The kind of bytes that are not text and have no mark: what type or name say, if files of that kind are bytes.
fn claimed(declared: Option<&'static Kind>, named: Option<&'static Kind>) -> &'static Kind {
    let is_of_bytes = |kind: &&&'static Kind| match kind.handling {
        Handling::Read(reader) => reader.reads_bytes(),
        _ => !kind.is_text(),
    };
    [declared, named].iter().flatten().find(is_of_bytes).copied().unwrap_or(&table::BINARY)
}

/// The kind of a text that neither type nor name tell.
fn by_text(bytes: &[u8]) -> &'static Kind {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    let is_page = match wide(beginning) {
        Some(wide) => is_html(&decode_wide(beginning, wide)),
        None => is_html(&String::from_utf8_lossy(beginning)),
    };
    if is_page { &table::HTML } else { &table::PLAIN_TEXT }
}
