//! The text of files. Pure functions over bytes: no files, no network, no PostgreSQL.
//!
//! [`extract`] finds out what a file is ([`kb_rag_core::file_kind`]) and has its reader take the text out: [`pdf`], [`docx`],
//! [`html`], [`notebook`], [`subtitles`], or [`text`] for everything that is text already. Data that was written into a text is left out. [`extract_page`] also reads what a page says to a crawler,
//! [`sitemap`] the addresses in a sitemap or a feed, and [`archive`] the documentation in the archive of a repository. Each
//! reader may take much time or memory, or crash, over a file made for that purpose; the program `kb-rag-extract` sets the
//! limits.

pub mod archive;
pub mod docx;
pub mod html;
pub mod notebook;
pub mod pdf;
pub mod sitemap;
pub mod subtitles;
pub mod text;
mod urls;

use kb_rag_core::blob::{LeftOut, without_blobs};
use kb_rag_core::extract_protocol::{Failure, Page, Properties, ReadBy};
use kb_rag_core::file_kind::{Handling, Kind, Reader, recognize};

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

impl Text {
    /// The text without data such as images, with a remark that says how much was left out.
    fn without_blobs(mut self) -> Text {
        let mut left_out = LeftOut::default();
        for page in &mut self.pages {
            if let Some((content, of_page)) = without_blobs(&page.content) {
                page.content = content;
                left_out.add(of_page);
            }
        }
        if !left_out.is_nothing() {
            self.properties.remark = Some(format!("{left_out} left out"));
        }
        self
    }

    /// Notes what read it, with its version.
    fn read_by(mut self, reader: Reader) -> Text {
        self.properties.reader = Some(ReadBy::own(reader.name()));
        self
    }
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
    let kind = file.kind();
    let reader = kind.reader().map_err(|name| Failure::Unsupported(name.to_owned()))?;
    let is_code = kind.handling == Handling::Code;
    let text = match reader {
        Reader::Pdf => pdf::extract(file),
        Reader::Docx => docx::extract(file),
        Reader::Html => match url {
            Some(url) => html::extract_page(file, url),
            None => html::extract(file),
        },
        Reader::Markdown => text::extract(file, true),
        Reader::Notebook => notebook::extract(file),
        Reader::Subtitles => subtitles::extract(file),
        Reader::Text => text::extract(file, false),
    }?;
    let text = if is_code { text } else { text.without_blobs() };
    Ok(text.read_by(reader))
}
