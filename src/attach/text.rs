//! The text of a row: as it stands in a column, or read from a page of HTML or a file.

use kb_rag_core::file_kind::{Handling, by_mime_type, by_name, is_mime_type};

use super::warned;
use crate::error::{Error, Result};
use crate::extraction::{self, File};

/// The values of a row.
pub struct Raw<'a> {
    pub text: Option<String>,
    /// The file, if the column is one of bytes.
    pub bytes: Option<Vec<u8>>,
    /// The MIME type or the name of the file.
    pub declared: Option<&'a str>,
}

/// The parts of a document.
#[derive(Default)]
pub struct Made {
    /// None if there is no text.
    pub content: Option<String>,
    /// The title that a file or a page states.
    pub title: Option<String>,
    /// The MIME type of the text, not of the file.
    pub mime_type: Option<String>,
}

/// Reads a row. A file that cannot be read, or a page of which nothing is left, is no document: a warning names the row by its key.
/// `more` is appended.
pub fn read(key: &str, raw: Raw, more: Option<&str>) -> Result<Made> {
    let declared = raw.declared.map(str::trim).filter(|declared| !declared.is_empty());
    let made = match (raw.bytes, raw.text) {
        (Some(bytes), _) if !bytes.is_empty() => file(&bytes, declared),
        (_, Some(text)) if is_page(declared) && !text.is_empty() => file(text.as_bytes(), declared),
        (_, text) => {
            let mime_type = declared.filter(|declared| is_mime_type(declared)).map(str::to_string);
            Ok((Made { content: text, mime_type, ..Made::default() }, None))
        }
    };
    let (mut made, why_empty) = match made {
        Ok(made) => made,
        Err(error) if error.is_of_file() => {
            error.preceded_by(&format!("row \"{key}\" cannot be read")).warn("it has no document");
            return Ok(Made::default());
        }
        Err(error) => return Err(error),
    };
    made.content = with_more(made.content, more);
    if let (Some(reason), "") = (why_empty, made.content.as_deref().unwrap_or_default().trim())
        && warned::is_new(&format!("{key}, empty"))
    {
        Error::bad_file(format!("row \"{key}\" has no text: {reason}")).warn("it has no document");
    }
    Ok(made)
}

/// Whether a text is to be read: a page of HTML, by its MIME type or name.
fn is_page(declared: Option<&str>) -> bool {
    let kind = declared.and_then(|name| if is_mime_type(name) { by_mime_type(name) } else { by_name(name) });
    kind.is_some_and(|kind| matches!(kind.handling, Handling::Read(_)))
}

/// The parts of a file or page, and the reason if nothing is left of a page.
fn file(bytes: &[u8], declared: Option<&str>) -> Result<(Made, Option<String>)> {
    let mime_type = declared.filter(|declared| is_mime_type(declared));
    let filename = declared.filter(|_| mime_type.is_none());
    let text = extraction::read(&File { bytes, filename, mime_type, password: None })?;
    let why_empty = text.why_empty().map(str::to_string);
    let made = Made {
        content: Some(text.content()),
        mime_type: Some(text.mime_type().to_string()),
        title: text.properties.title,
    };
    Ok((made, why_empty))
}

/// A text with further text below it. select.rs does the same in SQL.
fn with_more(content: Option<String>, more: Option<&str>) -> Option<String> {
    let Some(more) = more.filter(|more| !more.is_empty()) else { return content };
    match content.filter(|content| !content.is_empty()) {
        Some(content) => Some(content + more),
        None => Some(more.trim_start_matches('\n').to_string()),
    }
}
