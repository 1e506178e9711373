//! The status of documents: `pending` while vectors are missing, `indexed` when all exist, `failed` when one could not be
//! made.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

use kb_rag_core::model_name::ModelName;
use pgrx::{Uuid, pg_sys};

use super::own_write::OwnWrite;
use super::write::MakeVectors;
use crate::base::{Embed, KnowledgeBase};
use crate::catalog;
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::queue::{self, Kind};

/// All vectors of the document exist.
pub const INDEXED: &str = "indexed";
/// The document waits for a worker.
pub const PENDING: &str = "pending";
/// A chunk of the document could not be embedded.
pub const FAILED: &str = "failed";

/// The most tables whose status is kept.
const MAX_KEPT: usize = 256;

thread_local! {
    /// The status of new rows of tables `document`, until a relation is altered or the settings of a base change.
    static KEPT: RefCell<HashMap<pg_sys::Oid, &'static str>> = RefCell::new(HashMap::new());
    /// How often that has happened.
    static CHANGES: Cell<u64> = const { Cell::new(0) };
}

/// Begins to watch for changes of settings; called once when the library is loaded.
pub fn watch() {
    lookup::on_relation_change(|| {
        CHANGES.set(CHANGES.get().wrapping_add(1));
        KEPT.with_borrow_mut(HashMap::clear);
    });
}

/// The status that a new row of a table `document` most likely has when the statement ends, looked up once in a session: a
/// right guess saves an UPDATE of the row. [`correct`] corrects wrong ones.
pub fn initial(table: pg_sys::Oid, namespace: pg_sys::Oid) -> Result<&'static str> {
    if let Some(status) = KEPT.with_borrow(|kept| kept.get(&table).copied()) {
        return Ok(status);
    }
    let changes = CHANGES.get();
    let schema = lookup::schema_name(namespace)?;
    let settings = catalog::connect(|c| {
        c.query_one(include_str!("embed_of.sql"), Access::Latest, &[Arg::new(schema.as_str())], |row| {
            Ok((row.require_named::<String>("embed")?, row.require_named::<String>("model")?))
        })
    })?;
    let is_queued = settings.is_some_and(|(embed, model)| {
        Embed::from_name(&embed).is_ok_and(|embed| embed.is_by_workers(&ModelName::new(model)))
    });
    let status = if is_queued { PENDING } else { INDEXED };
    // Settings may have changed since the statement took its snapshot.
    if changes == CHANGES.get() {
        KEPT.with_borrow_mut(|kept| {
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(table, status);
        });
    }
    Ok(status)
}

/// Corrects the status of documents that were just synced.
pub fn correct<'a>(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    vectors: &MakeVectors,
    documents: impl Iterator<Item = (Uuid, &'a str)>,
    unfinished: &BTreeSet<Uuid>,
) -> Result<()> {
    // The code that makes the vectors later sets the status, too.
    if matches!(vectors, MakeVectors::Later) {
        return Ok(());
    }
    let (mut pending, mut indexed) = (Vec::new(), Vec::new());
    for (id, status) in documents {
        match (unfinished.contains(&id), status) {
            (true, PENDING) | (false, INDEXED) => {}
            (true, _) => pending.push(id),
            (false, _) => indexed.push(id),
        }
    }
    set(c, base, schema, &pending, PENDING, None)?;
    set(c, base, schema, &indexed, INDEXED, None)
}

/// Marks every document with all its vectors in `table` as indexed, bypassing the triggers; with `embed` off, every document.
pub fn all_indexed(c: &Connection, base: &KnowledgeBase, schema: &str, table: &str) -> Result<()> {
    let _own_write = OwnWrite::begin(base.table(c"document")?);
    let complete =
        if base.settings.embed == Embed::Off { "true" } else { include_str!("is_complete.sql").trim() };
    let complete = spi::render(complete, &[("schema", schema), ("table", table)]);
    c.execute(
        &spi::render(include_str!("all_indexed.sql"), &[("schema", schema), ("complete", &complete)]),
        &[],
    )?;
    Ok(())
}

/// Queues the documents that lack vectors, except failed ones.
pub fn queue_unfinished(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    given_up: &HashSet<Uuid>,
) -> Result<()> {
    let sql = spi::render(include_str!("unfinished.sql"), &[("schema", schema)]);
    let unfinished = c.query(&sql, Access::Write, Planning::Auto, &[], |row| row.require::<Uuid>(1))?;
    let (failed, pending): (Vec<_>, Vec<_>) = unfinished.into_iter().partition(|id| given_up.contains(id));
    set(c, base, schema, &failed, FAILED, Some("a chunk could not be embedded; see kb_rag.failed"))?;
    set(c, base, schema, &pending, PENDING, None)?;
    queue::enqueue(base.id, Kind::Embed, &pending)
}

/// Queues the documents that wait for their vectors, except those that are in the queue.
pub fn queue_pending(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let sql = spi::render(include_str!("pending.sql"), &[("schema", schema)]);
    let pending =
        c.query(&sql, Access::Write, Planning::Auto, &[Arg::new(PENDING)], |row| row.require::<Uuid>(1))?;
    let queued = queue::queued(base.id, Kind::Embed, Access::Write)?;
    let lost: Vec<Uuid> = pending.into_iter().filter(|id| !queued.contains(id)).collect();
    queue::enqueue(base.id, Kind::Embed, &lost)
}

/// Writes the status of documents, bypassing the triggers.
pub fn set(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    documents: &[Uuid],
    status: &str,
    error: Option<&str>,
) -> Result<()> {
    if documents.is_empty() {
        return Ok(());
    }
    let _own_write = OwnWrite::begin(base.table(c"document")?);
    let sql = spi::render(include_str!("set_status.sql"), &[("schema", schema)]);
    c.execute(&sql, &[Arg::new(documents.to_vec()), Arg::new(status), Arg::new(error)])?;
    Ok(())
}
