//! What kind a file is.
//!
//! Bytes that are no text decide alone: a PDF file is one, whatever it is called. Over text the declared MIME type decides,
//! then the extension of the file's name, then the beginning of the text.

mod binary;
mod names;

use kb_rag_core::extraction::Failure;
use kb_rag_core::file_kind::FileKind;

use crate::{File, text};

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A PDF file.
    Pdf,
    /// A document of Word; also an encrypted file of Office, which cannot be told from one.
    Docx,
    /// An HTML page.
    Html,
    /// Text in Markdown.
    Markdown,
    /// Any other text, such as CSV, JSON and source code.
    Text,
}

/// How much of a text is looked at to find out whether it is a page, in bytes.
const BEGINNING: usize = 4096;

/// The kind of a file.
///
/// # Errors
/// [`Failure::Unsupported`] for other files.
pub fn of(file: &File) -> Result<Kind, Failure> {
    let essence = file.mime_type.map(names::essence).unwrap_or_default();
    let declared = names::of_mime_type(&essence);
    let extension = file.filename.and_then(names::extension).unwrap_or_default();
    let named = names::of_extension(&extension);
    let said_pdf = matches!(declared, Some(Ok(Kind::Pdf))) || matches!(named, Some(Ok(Kind::Pdf)));
    if let Some(found) = binary::of(file.bytes, said_pdf) {
        return found.map_err(unsupported);
    }
    let found = match (declared, named) {
        // Servers send Markdown as plain text.
        (Some(Ok(Kind::Text)), Some(Ok(Kind::Markdown))) if essence == "text/plain" => Ok(Kind::Markdown),
        (Some(found), _) | (None, Some(found)) => found,
        (None, None) => Ok(of_content(file.bytes)),
    };
    found.map_err(unsupported)
}

fn unsupported(name: &str) -> Failure {
    Failure::Unsupported(name.to_owned())
}

fn of_content(bytes: &[u8]) -> Kind {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    match FileKind::of(None, &text::decode(beginning, None)) {
        Some(FileKind::Html) => Kind::Html,
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests;
