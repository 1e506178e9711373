//! Rows of an attached table, as documents are made from them.

use crate::error::Result;
use crate::postgres::spi::{Cursor, Row};

/// Rows fetched at a time: each may be large.
const FETCHED: i64 = 16;
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
}

impl SourceRow {
    /// From columns of a result: key, content, title and metadata as text.
    pub fn read(row: &Row) -> Result<SourceRow> {
        Ok(SourceRow {
            key: row.require(1)?,
            content: row.get::<String>(2)?.filter(|text| !text.is_empty()),
            title: row.get(3)?,
            metadata: row.get::<String>(4)?.unwrap_or_else(|| "{}".to_string()),
        })
    }

    fn bytes(&self) -> usize {
        [self.content.as_deref(), self.title.as_deref(), Some(&self.metadata)]
            .into_iter()
            .flatten()
            .map(str::len)
            .sum()
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
