//! The text of files. Pure functions over bytes: no files, no network, no PostgreSQL.
//!
//! [`extract`] finds out what a file is ([`kb_rag_core::file_kind`]) and has its reader take the text out: [`pdf`], [`docx`],
//! [`html`], or [`text`] for everything that is text already. [`extract_page`] also reads what a page says to a crawler,
//! [`sitemap`] the addresses in a sitemap or a feed, and [`archive`] the documentation in the archive of a repository. Each
//! reader may take much time or memory, or crash, over a file made for that purpose; the program `kb-rag-extract` sets the
//! limits.

pub mod archive;
pub mod docx;
pub mod html;
pub mod pdf;
pub mod sitemap;
pub mod text;
mod urls;

use kb_rag_core::extract_protocol::{Failure, Page, Properties};
use kb_rag_core::file_kind::{Kind, Reader, recognize};

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

impl File<'_> {
    /// What kind it is.
    pub fn kind(&self) -> &'static Kind {
        recognize(self.bytes, self.filename, self.mime_type)
    }
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
    read(file, None)
}

/// Reads the text of a file that was fetched from `url`, and what it says to a crawler if it is HTML ([`Properties::web`]).
///
/// # Errors
/// As [`extract`].
pub fn extract_page(file: &File, url: &str) -> Result<Text, Failure> {
    read(file, Some(url))
}

fn read(file: &File, url: Option<&str>) -> Result<Text, Failure> {
    let reader = file.kind().reader().map_err(|name| Failure::Unsupported(name.to_owned()))?;
    match reader {
        Reader::Pdf => pdf::extract(file),
        Reader::Docx => docx::extract(file),
        Reader::Html => match url {
            Some(url) => html::extract_page(file, url),
            None => html::extract(file),
        },
        Reader::Markdown => text::extract(file, true),
        Reader::Text => text::extract(file, false),
    }
}
