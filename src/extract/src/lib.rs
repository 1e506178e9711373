//! The text of files. Pure functions over bytes: no files, no network, no PostgreSQL.
//!
//! [`extract`] finds out what a file is ([`kind`]) and has its reader take the text out: [`pdf`], [`docx`], [`html`], or
//! [`text`] for everything that is text already. Each reader may take much time or memory, or crash, over a file made for that
//! purpose; the program `kb-rag-extract` sets the limits.

pub mod docx;
pub mod html;
pub mod kind;
pub mod pdf;
pub mod text;

use kb_rag_core::extraction::{Failure, Page, Properties};

use crate::kind::Kind;

/// A file to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct File<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its name, perhaps with a path.
    pub filename: Option<&'a str>,
    /// Its MIME type, as declared; may have parameters such as `charset`.
    pub mime_type: Option<&'a str>,
    /// The password of an encrypted file.
    pub password: Option<&'a str>,
}

/// The text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Title, language and form.
    pub properties: Properties,
    /// The pages of a paged file, otherwise one page with all of the text.
    pub pages: Vec<Page>,
}

/// Reads the text of a file.
///
/// # Errors
/// A [`Failure`] if nothing can be read. What is wrong with a single page is said in [`Page::error`].
pub fn extract(file: &File) -> Result<Text, Failure> {
    match kind::of(file)? {
        Kind::Pdf => pdf::extract(file),
        Kind::Docx => docx::extract(file),
        Kind::Html => html::extract(file),
        Kind::Markdown => text::extract(file, true),
        Kind::Text => text::extract(file, false),
    }
}
