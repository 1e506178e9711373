//! Abstract and overview that a chat model makes: the documents that lack them, and the marks of those that were made. A made text
//! is the one whose hash is in the table `summary`; every other one is a user's, and is never written.

use pgrx::Uuid;

use super::own_write::OwnWrite;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::queue::{self, Kind};

/// The documents that a statement has written, as its trigger sees them.
const TOUCHED: &str = "new_document";

/// Follows a statement that wrote documents, in the connection of its trigger: removes the marks of texts that a user wrote, and what was
/// made of an earlier content, and queues what is to be made.
pub fn follow(c: &Connection, base: &KnowledgeBase, schema: &str, is_update: bool) -> Result<()> {
    if is_update && base.has_summaries() {
        tidy(c, base, schema, TOUCHED)?;
    }
    if base.settings.summaries.is_none() {
        return Ok(());
    }
    let template =
        if is_update { include_str!("summary/updated.sql") } else { include_str!("summary/inserted.sql") };
    queue::enqueue(base.id, Kind::Summary, &select(c, &spi::render(template, &[("schema", schema)]))?)
}

/// The same for all documents, since the triggers may have been off.
pub fn tidy_all(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    if base.has_summaries() { tidy(c, base, schema, &format!("{schema}.document")) } else { Ok(()) }
}

fn tidy(c: &Connection, base: &KnowledgeBase, schema: &str, touched: &str) -> Result<()> {
    let values = [("schema", schema), ("touched", touched)];
    let _own_write = OwnWrite::begin(base.table(c"document")?);
    let statements = [
        include_str!("summary/unmark.sql"),
        include_str!("summary/remove_texts.sql"),
        include_str!("summary/remove_marks.sql"),
    ];
    statements.into_iter().try_for_each(|sql| c.execute(&spi::render(sql, &values), &[]).map(drop))
}

/// Queues all documents that lack an abstract or an overview and are not in the queue, if the base asks for them.
pub fn enqueue_missing(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    if base.settings.summaries.is_none() {
        return Ok(());
    }
    let missing = select(c, &spi::render(include_str!("summary/missing.sql"), &[("schema", schema)]))?;
    let queued = queue::queued(base.id, Kind::Summary, Access::Write)?;
    let new: Vec<Uuid> = missing.into_iter().filter(|id| !queued.contains(id)).collect();
    queue::enqueue(base.id, Kind::Summary, &new)
}

fn select(c: &Connection, sql: &str) -> Result<Vec<Uuid>> {
    c.query(sql, Access::Write, Planning::Auto, &[], |row| row.require::<Uuid>(1))
}

/// A document that lacks a text, or has one that was made of an earlier content.
pub struct Source {
    pub title: Option<String>,
    /// The beginning of its content.
    pub content: String,
    pub content_hash: Vec<u8>,
}

/// Reads at most so many characters of a document, as the owner. None if it has both texts, and none of them was made of another
/// content; or if it is gone, blank, or not indexed.
pub fn read(c: &Connection, schema: &str, document: Uuid, characters: usize) -> Result<Option<Source>> {
    let sql = spi::render(include_str!("summary/read.sql"), &[("schema", schema)]);
    let args = [Arg::new(document), Arg::new(i32::try_from(characters).unwrap_or(i32::MAX))];
    c.query_one(&sql, Access::Write, &args, |row| {
        Ok(Source { title: row.get(1)?, content: row.require(2)?, content_hash: row.require(3)? })
    })
}

/// Writes what a model made of a document, which must be locked, and marks it, as the owner: only if the content is still that one,
/// and only columns that are NULL or hold a made text.
pub fn write(
    c: &Connection,
    base: &KnowledgeBase,
    document: Uuid,
    content_hash: &[u8],
    model: &str,
    (abstract_text, overview): (&str, &str),
) -> Result<()> {
    let _own_write = OwnWrite::begin(base.table(c"document")?);
    let sql = spi::render(include_str!("summary/write.sql"), &[("schema", &base.quoted_schema())]);
    let args = [
        Arg::new(document),
        Arg::new(content_hash.to_vec()),
        Arg::new(abstract_text),
        Arg::new(overview),
        Arg::new(model),
    ];
    c.execute(&sql, &args).map(drop)
}
