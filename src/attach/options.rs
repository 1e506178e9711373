//! The arguments of kb_attach that are no columns: constants, the template of a URL, and the condition.

use kb_rag_core::file_kind::{by_mime_type, essence};
use kb_rag_core::url_template::{self, Fault, Part};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ingest;

/// Stored in the catalog as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The MIME type of all rows. None if they have none, or a column of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The language of all rows. None if they have none, or a column of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The template of a URL, whose columns are the labels of columns with that use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The condition that rows with documents meet, as PostgreSQL writes it, with the labels of its columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The types of these columns, without lengths, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub condition_types: Vec<String>,
    /// Whether the rows decide on the MIME type and the language of documents, in this call or an earlier one: none is a change, too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sets_mime_type: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub sets_language: bool,
    /// The model that made the vectors in the column `embedding`, and their dimensions. None without such a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<MadeBy>,
    /// Whether vectors are taken from a column, in this call or an earlier one: none is a change, too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub takes_vectors: bool,
}

/// What made the vectors of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeBy {
    pub model: String,
    pub dimensions: i32,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Options {
    /// The template of the URL with the names that its columns have now, which are found by label. None without one, or if one of them
    /// is gone.
    pub fn url_now(&self, name_of: impl Fn(&str) -> Option<String>) -> Option<String> {
        url_template::renamed(self.url.as_deref()?, name_of)
    }
}

/// An argument that is a constant or names a column.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    Constant(&'a str),
    Column(&'a str),
}

impl<'a> Given<'a> {
    /// A column, if the value is one in braces.
    pub fn from_value(value: &'a str) -> Given<'a> {
        url_template::column(value).map_or(Given::Constant(value), Given::Column)
    }

    /// The constant, if it is one.
    pub fn constant(self) -> Option<&'a str> {
        match self {
            Given::Constant(value) => Some(value),
            Given::Column(_) => None,
        }
    }

    /// The column, if it names one.
    pub fn column(self) -> Option<&'a str> {
        match self {
            Given::Constant(_) => None,
            Given::Column(name) => Some(name),
        }
    }
}

/// 22023 for a constant that is no MIME type of a file that is read.
pub fn check_mime_type(value: &str) -> Result<()> {
    let essence = essence(value);
    let known = by_mime_type(value).filter(|kind| kind.types().any(|known| known == essence));
    let why = match known.map(|kind| kind.reader()) {
        Some(Err(name)) => format!("{name} is not read"),
        Some(Ok(_)) => return Ok(()),
        None => "it is not known".to_string(),
    };
    Err(Error::invalid(format!("mime_type \"{value}\" cannot be used: {why}"))
        .hint("For example 'text/html' or 'text/markdown', or a column in braces: '{mime_type}'."))
}

/// 22023 for a constant that is no language.
pub fn check_language(value: &str) -> Result<()> {
    if ingest::is_known_language(value) {
        return Ok(());
    }
    Err(Error::invalid(format!("language \"{value}\" has no text search configuration"))
        .hint("Give an ISO 639-1 code or the name of a language, such as de or German, or a column in braces: '{language}'."))
}

/// The columns of the template of a URL, each once. 22023 for text that is none.
pub fn columns_of_url(template: &str) -> Result<Vec<String>> {
    let parts = url_template::parse(template).map_err(|fault| {
        let why = match fault {
            Fault::NoUrl => "it does not begin with https:// or http://",
            Fault::Brace => "a brace has no counterpart, or no name in it",
        };
        Error::invalid(format!("url \"{template}\" is not a URL template: {why}"))
            .hint("For example 'https://help.example.com/a/{id}'; write {{ for a brace.")
    })?;
    let mut columns = Vec::new();
    for part in parts {
        if let Part::Column(name) = part
            && !columns.contains(&name)
        {
            columns.push(name);
        }
    }
    Ok(columns)
}
