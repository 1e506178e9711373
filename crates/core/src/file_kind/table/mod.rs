//! The table, one row a kind.
//!
//! A text format is one row of [`code`] or [`text`]. A format that a reader is written for moves from [`unread`] to [`text`] or
//! gets a row of `READ` here, with a variant of [`Reader`], which the compiler then asks for in kb-rag-extract.

mod code;
mod no_text;
mod text;
mod unread;

pub use code::{JSON, SOURCE_CODE};
pub use no_text::{AUDIO, BINARY, FONT, IMAGE, VIDEO, ZIP};
pub use text::{OTHER_TEXT, PLAIN_TEXT, XML};
pub use unread::{DOC, ENCRYPTED_OFFICE, EPUB, MINIFIED, ODP, ODS, ODT, OUTLOOK, PPT, PPTX, XLS, XLSX};

use super::kind::{Handling, Kind, Reader};

/// A PDF file.
pub const PDF: Kind = read("a PDF file", Reader::Pdf, "pdf")
    .with_types("application/pdf application/x-pdf")
    .with_marks(&[&[(0, b"%PDF-")]]);

/// A document of Word, which is a ZIP archive.
pub const DOCX: Kind = read("a DOCX file", Reader::Docx, "docm docx").with_types(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document \
     application/vnd.ms-word.document.macroenabled.12",
);

/// An HTML page.
pub const HTML: Kind =
    read("an HTML page", Reader::Html, "htm html xht xhtml").with_types("text/html application/xhtml+xml");

/// Text in Markdown.
pub const MARKDOWN: Kind = read("Markdown", Reader::Markdown, "markdown md mdown mdx mkd")
    .with_types("text/markdown text/x-markdown text/x-gfm");

const NOTEBOOK: Kind = read("a notebook", Reader::Notebook, "ipynb").with_types("application/x-ipynb+json");

const SUBTITLES: Kind = read("subtitles", Reader::Subtitles, "srt vtt")
    .with_types("application/x-subrip text/srt text/vtt")
    .with_marks(&[&[(0, b"WEBVTT\n")], &[(0, b"WEBVTT\r\n")]]);

const READ: [Kind; 6] = [PDF, DOCX, HTML, MARKDOWN, NOTEBOOK, SUBTITLES];

const fn read(name: &'static str, reader: Reader, endings: &'static str) -> Kind {
    Kind::new(name, Handling::Read(reader), endings)
}

/// All kinds.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    static ROWS: [&[Kind]; 5] = [&READ, &text::KINDS, &code::KINDS, &unread::KINDS, &no_text::KINDS];
    ROWS.into_iter().flatten()
}
