//! Rows of an attached table, as documents are made from them.

use sha2::{Digest, Sha256};

use super::text::{self, Raw};
use crate::error::Result;
use crate::postgres::spi::{Cursor, Row};

/// Rows fetched at a time: each may be large.
pub const FETCHED: i64 = 16;
/// In a hash, what stands for NULL, and what ends each value.
const NONE: &str = "\u{2}";
const END: &str = "\u{1}";
/// Documents are written when there are this many, or this many bytes of text.
const GROUP_ROWS: usize = 500;
const GROUP_BYTES: usize = 4 << 20;

/// A key, and what its document is made from.
#[derive(Debug)]
pub struct SourceRow {
    pub key: String,
    /// None if the row does not exist or has no text: then there is no document.
    pub content: Option<String>,
    pub title: Option<String>,
    pub metadata: String,
    pub mime_type: Option<String>,
    pub language: Option<String>,
    /// As it is in the column `embedding`.
    pub vector: Option<Vec<f32>>,
}

impl SourceRow {
    /// The number of columns that [`SourceRow::read`] reads.
    pub const COLUMNS: i32 = 9;

    /// From columns of a result: the key, and the values that [`Select`](super::select::Select) gives. Files and pages of HTML are read.
    pub fn read(row: &Row) -> Result<SourceRow> {
        let key: String = row.require(1)?;
        let declared: Option<String> = row.get(5)?;
        let language: Option<String> = row.get(6)?;
        let raw = Raw { text: row.get(2)?, bytes: row.get(8)?, declared: declared.as_deref() };
        let (title, metadata) = (row.get(3)?, row.get::<String>(4)?.unwrap_or_else(|| "{}".to_string()));
        let made = text::read(&key, raw, row.get::<String>(7)?.as_deref())?;
        Ok(SourceRow {
            key,
            content: made.content.filter(|text| !text.is_empty()),
            title: title.or(made.title),
            metadata,
            mime_type: made.mime_type,
            language: language.filter(|language| !language.trim().is_empty()),
            vector: row.get(9)?,
        })
    }

    /// A hash of what its document is made from, as documents_hash.sql makes it.
    pub fn hash(&self, sets_mime_type: bool, sets_language: bool) -> Vec<u8> {
        let mut hash = Sha256::new();
        let mime_type = self.mime_type.as_deref().filter(|_| sets_mime_type);
        let language = self.language.as_deref().filter(|_| sets_language);
        let parts =
            [self.content.as_deref(), self.title.as_deref(), Some(&self.metadata), mime_type, language];
        for part in parts {
            hash.update(part.unwrap_or(NONE).as_bytes());
            hash.update(END);
        }
        hash.finalize().to_vec()
    }

    fn bytes(&self) -> usize {
        let texts = [self.content.as_deref(), self.title.as_deref(), Some(&self.metadata)];
        let vector = self.vector.as_ref().map_or(0, |vector| size_of_val(vector.as_slice()));
        texts.into_iter().flatten().map(str::len).sum::<usize>() + vector
    }
}

/// Rows that are written together.
#[derive(Default)]
pub struct Group {
    pub rows: Vec<SourceRow>,
    /// The parts of their keys, where known.
    pub keys: Vec<Vec<String>>,
    bytes: usize,
}

impl Group {
    /// Adds a row, unless it has the key of the last one: duplicates occur in a table whose primary key was dropped.
    pub fn push(&mut self, row: SourceRow) {
        if self.rows.last().is_none_or(|last| last.key != row.key) {
            self.bytes += row.bytes();
            self.rows.push(row);
        }
    }

    /// The same with the parts of its key.
    pub fn push_with(&mut self, row: SourceRow, key: Vec<String>) {
        let before = self.rows.len();
        self.push(row);
        if self.rows.len() > before {
            self.keys.push(key);
        }
    }

    pub fn is_full(&self) -> bool {
        self.rows.len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES
    }
}

/// Hands the rows of a cursor to `work` in groups that fit into memory.
pub fn in_groups(cursor: Cursor, mut work: impl FnMut(Group) -> Result<()>) -> Result<()> {
    let mut group = Group::default();
    loop {
        let rows = cursor.fetch(FETCHED, SourceRow::read)?;
        if rows.is_empty() {
            break;
        }
        rows.into_iter().for_each(|row| group.push(row));
        if group.is_full() {
            work(std::mem::take(&mut group))?;
        }
    }
    if !group.rows.is_empty() {
        work(group)?;
    }
    cursor.close();
    Ok(())
}
