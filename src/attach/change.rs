//! Documents of the rows that a statement touched.

use pgrx::pg_sys;

use super::attachment::Attachment;
use super::document::Documents;
use super::row::{self, SourceRow};
use super::select::Select;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::ingest;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// Keys moved at a time.
const GROUP: i64 = 500;

/// The kind of a statement that has transition tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Insert,
    Update {
        /// Whether it wrote to a column of the key.
        moves: bool,
    },
    Delete,
}

/// Syncs the documents with what a statement did. `register` makes its transition tables available.
pub fn follow_statement(
    base: &KnowledgeBase,
    attachment: &Attachment,
    event: Event,
    register: impl FnOnce(&Connection) -> Result<()>,
) -> Result<()> {
    let select = Select::new(&attachment.table)?;
    let documents = Documents::new(base, attachment);
    let rows = match event {
        Event::Insert => select.inserted()?,
        Event::Update { .. } => select.updated()?,
        Event::Delete => select.deleted()?,
    };
    let follow = || {
        spi::connect(|c| {
            register(c)?;
            if event == (Event::Update { moves: true }) {
                let cursor = c.cursor(&select.moved(), &[])?;
                let mut ids = Vec::new();
                loop {
                    let moved: Vec<(String, String)> =
                        cursor.fetch(GROUP, |row| Ok((row.require(1)?, row.require(2)?)))?;
                    if moved.is_empty() {
                        break;
                    }
                    ids.extend(documents.move_away(&moved)?);
                }
                cursor.close();
                documents.move_in(&ids)?;
            }
            row::in_groups(c.cursor(&rows, &[])?, |group| documents.write(&group.rows).map(drop))
        })
    };
    ingest::notify_once(|| attachment.table.as_owner(follow))
}

/// A part of a key: its type and value.
pub type Part = (pg_sys::Oid, pg_sys::Datum);

/// Syncs the documents of one row: under its key before and after it was written.
pub fn follow_row(
    base: &KnowledgeBase,
    attachment: &Attachment,
    old: Option<Vec<Part>>,
    new: Option<Vec<Part>>,
) -> Result<()> {
    let sql = Select::new(&attachment.table)?.one()?;
    let documents = Documents::new(base, attachment);
    let read = |parts: Vec<Part>| -> Result<Option<SourceRow>> {
        attachment.table.connect(|c| {
            let args: Vec<Arg> = parts.iter().map(|(kind, datum)| Arg::from_datum(*kind, *datum)).collect();
            let rows = c.query(&sql, Access::Write, Planning::Auto, &args, SourceRow::read)?;
            Ok(rows.into_iter().next())
        })
    };
    let (old, new) = (old.map(read).transpose()?.flatten(), new.map(read).transpose()?.flatten());
    if let (Some(old), Some(new)) = (&old, &new)
        && old.key != new.key
        && old.content.is_none()
    {
        let ids = documents.move_away(&[(old.key.clone(), new.key.clone())])?;
        documents.move_in(&ids)?;
    }
    let rows: Vec<SourceRow> = match (old, new) {
        (Some(old), Some(new)) if old.key == new.key => vec![new],
        (old, new) => old.into_iter().chain(new).collect(),
    };
    documents.write(&rows)?;
    Ok(())
}
