//! The columns of an attached table and their uses.

use pgrx::pg_sys;

/// The use of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Content,
    Title,
    Key,
    Metadata,
    /// Further text, under a heading.
    MoreContent,
    /// The MIME type or the file name of the content.
    MimeType,
    /// The language of the content.
    Language,
    /// A part of the URL of the row.
    Url,
    /// In the condition.
    Condition,
    /// The vector of the row.
    Embedding,
}

impl Use {
    const ALL: [Use; 10] = [
        Use::Content,
        Use::Title,
        Use::Key,
        Use::Metadata,
        Use::MoreContent,
        Use::MimeType,
        Use::Language,
        Use::Url,
        Use::Condition,
        Use::Embedding,
    ];

    /// As the catalog spells it.
    pub fn name(self) -> &'static str {
        match self {
            Use::Content => "content",
            Use::Title => "title",
            Use::Key => "key",
            Use::Metadata => "metadata",
            Use::MoreContent => "more_content",
            Use::MimeType => "mime_type",
            Use::Language => "language",
            Use::Url => "url",
            Use::Condition => "condition",
            Use::Embedding => "embedding",
        }
    }

    /// The use of this name.
    pub fn from_name(name: &str) -> Option<Use> {
        Self::ALL.into_iter().find(|u| u.name() == name)
    }
}

/// A column that is used, as the table has it now.
#[derive(Debug, Clone)]
pub struct Column {
    pub used_as: Use,
    /// Its name in metadata, which a later rename does not change.
    pub label: String,
    pub name: String,
    pub number: i32,
    pub kind: pg_sys::Oid,
    /// Its type as a cast names it.
    pub type_name: String,
    /// Its type, qualified and not quoted, without a length: the same text in every session.
    pub plain_type: String,
    /// A virtual generated column: transition tables do not contain it.
    pub is_virtual: bool,
}
