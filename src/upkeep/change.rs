//! Changing the model in the background: workers fill a second table of vectors beside the one in use, and it takes that
//! table's place when it is complete. The change goes on after a crash, because all of it is in tables: the pending model in
//! the catalog, the documents in the queue, the vectors in the second table.

use std::time::{Duration, Instant};

use kb_rag_core::model_name::EmbeddingSpace;
use kb_rag_core::plural::counted;
use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use super::configure::save;
use super::replace::Replacement;
use super::vectors;
use crate::base::{self, KnowledgeBase};
use crate::catalog;
use crate::error::Result;
use crate::ingest::{self, MakeVectors};
use crate::lock::{self, Lockable, Patience};
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::subtransaction;
use crate::queue::{self, Kind};

/// How long to wait for sessions that use a base before writers are locked out, and after that.
const READERS: Duration = Duration::from_millis(500);
const SWAP: Duration = Duration::from_secs(1);

/// Begins to make the vectors of the pending model, or cancels a change that was begun before.
pub fn begin(old: &KnowledgeBase, new: &KnowledgeBase, is_short: bool) -> Result<()> {
    let schema = new.quoted_schema();
    let began = Instant::now();
    // Later writers see the pending model; present ones are waited for.
    new.lock_out_writers(is_short)?;
    let dropped: Vec<pg_sys::Oid> =
        [old, new].iter().filter_map(|base| base.next_oid().transpose()).collect::<Result<_>>()?;
    if !dropped.is_empty() {
        // PostgreSQL locks the table chunk too, to which its foreign key points.
        new.lock_out_all(&dropped, Patience::for_work_since(began))?;
    }
    let documents = new.connect(|c| {
        for base in [old, new] {
            drop_next(c, base, &schema)?;
        }
        let Some((settings, table)) = new.next_settings().zip(new.next_table()) else {
            return Ok(Vec::new());
        };
        base::create_embedding_table(c, &schema, &settings, &table)?;
        base::create_vector_index(c, &schema, &settings, &table, "")?;
        let sql = spi::render(include_str!("all_ids.sql"), &[("schema", &schema)]);
        c.query(&sql, Access::Latest, Planning::Auto, &[], |row| row.require::<Uuid>(1))
    })?;
    queue::forget(new.id, Kind::Change)?;
    queue::enqueue(new.id, Kind::Change, &documents)?;
    if let Some(next) = &new.next {
        let present = &new.settings.space;
        notice!(
            "knowledge base \"{}\" continues to use model {} until all vectors of {} are made; see kb_rag.status",
            new.name,
            named(present, next),
            named(next, present)
        );
        if documents.is_empty() {
            finish_at_once(new.id)?;
        }
    }
    Ok(())
}

/// A model in a message, with its dimensions if the other model has another number.
fn named(EmbeddingSpace { model, dimensions }: &EmbeddingSpace, other: &EmbeddingSpace) -> String {
    match *dimensions == other.dimensions {
        true => format!("\"{model}\""),
        false => format!("\"{model}\" ({})", counted(*dimensions, "dimension")),
    }
}

/// Finishes the change if there is nothing to embed. If the base is in use, the workers do it.
fn finish_at_once(base: Uuid) -> Result<()> {
    match subtransaction::run(|| finish(base)) {
        Err(error) if error.is_lock() => {
            queue::at_commit();
            Ok(())
        }
        result => result,
    }
}

/// Drops the vectors of the former pending model, so that the name of their table is free.
fn drop_next(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let Some(table) = base.next_table() else { return Ok(()) };
    let name = std::ffi::CString::new(table.as_str()).unwrap_or_default();
    if base.own_table(&name)?.is_some() {
        c.run(&spi::render(include_str!("drop_next.sql"), &[("schema", schema), ("table", &table)]))?;
    }
    Ok(())
}

/// Replaces the present vectors by those of the pending model, once all exist. Failed documents block the change if they
/// would lose vectors of the present model; without such vectors they only lack vectors afterwards, and their status says
/// so. Nothing happens while work is left.
pub fn finish(base: Uuid) -> Result<()> {
    if queue::is_pending(base, Kind::Change)? {
        return Ok(());
    }
    // Nobody changes its settings until we are done.
    catalog::connect(|c| c.execute(include_str!("lock_base.sql"), &[Arg::new(base)]))?;
    let Some(base) = base::by_id(base)? else { return Ok(()) };
    let Some(change) = Change::for_base(&base) else { return Ok(()) };
    // First without a lock, so that writers do not wait: missing vectors, or a transaction that keeps using the base, may
    // block the change for long.
    if !is_complete(&base, subtransaction::read(|| change.lacking())?)? {
        return Ok(());
    }
    change.lock_out()?;
    // Earlier writers have queued what they wrote.
    if snapshot::with_latest(|| queue::is_pending(base.id, Kind::Change))?
        || !is_complete(&base, change.lacking()?)?
    {
        return Ok(());
    }
    change.swap()?;
    save(&change.next)
}

/// A change of the model that is about to be finished.
struct Change<'a> {
    base: &'a KnowledgeBase,
    /// The base as it is afterwards.
    next: KnowledgeBase,
    schema: String,
    /// The table of the vectors of the pending model.
    table: String,
    began: Instant,
}

impl Change<'_> {
    /// None without a pending model.
    fn for_base(base: &KnowledgeBase) -> Option<Change<'_>> {
        let (settings, table) = base.next_settings().zip(base.next_table())?;
        let mut next = base.clone();
        (next.settings, next.next, next.model_variants) = (settings, None, Vec::new());
        Some(Change { base, next, schema: base.quoted_schema(), table, began: Instant::now() })
    }

    fn lacking(&self) -> Result<Vec<Lacking>> {
        self.base.connect(|c| lacking_next(c, &self.schema, &self.table))
    }

    /// Locks out writers, and everybody if the swap takes but a moment.
    fn lock_out(&self) -> Result<()> {
        let (base, next) = (self.base, &self.next);
        let is_short = self.began.elapsed() < lock::MOMENT
            && !chunks_differ(next, base)
            && vectors::is_indexed_as_wanted(next, &self.table)?;
        if is_short {
            return base.lock_out_all(base.next_oid()?.as_slice(), Patience::from_duration(READERS));
        }
        base.await_free(READERS)?;
        base.lock_out_writers(false)
    }

    /// Puts the vectors of the pending model in the place of the present ones. Writers are locked out.
    fn swap(&self) -> Result<()> {
        let Change { base, next, schema, table, .. } = self;
        let failed = queue::queued(base.id, Kind::Change, Access::Write)?;
        next.connect(|c| {
            if chunks_differ(next, base) {
                ingest::sync_all(next, schema, c, &MakeVectors::queued())?;
            }
            vectors::inherit_rights(c, schema, table)?;
            let index = vectors::index_as_wanted(c, next, schema, table)?;
            let mut replacement = Replacement::default();
            replacement.embedding_table(table, &next.settings.space.model, index);
            // After long work a reader is waited for, rather than throwing the work away.
            let patience = Patience::from_duration(self.began.elapsed().max(SWAP));
            replacement.take_place(c, base, base.next_oid()?, patience)?;
            queue::forget(next.id, Kind::Embed)?;
            // Failed jobs stay failed, now as jobs of the model in use.
            queue::convert_change_jobs(next.id)?;
            ingest::all_indexed(c, next, schema, "embedding")?;
            ingest::queue_unfinished(c, next, schema, &failed)
        })
    }
}

/// A document that lacks a vector of the pending model, and whether it would lose one that it has.
type Lacking = (Uuid, bool);

fn lacking_next(c: &Connection, schema: &str, table: &str) -> Result<Vec<Lacking>> {
    let sql = spi::render(include_str!("lacking_next.sql"), &[("schema", schema), ("table", table)]);
    c.query(&sql, Access::Latest, Planning::Auto, &[], |row| Ok((row.require(1)?, row.require(2)?)))
}

/// Whether no document would lose vectors. Documents that lack vectors of the pending model but were never tried, as after
/// the queue was emptied, are queued. Failed ones are recorded as blocking, and not checked again for a while.
fn is_complete(base: &KnowledgeBase, lacking: Vec<Lacking>) -> Result<bool> {
    let given_up = snapshot::with_latest(|| queue::queued(base.id, Kind::Change, Access::Write))?;
    let untried: Vec<Uuid> =
        lacking.iter().map(|(id, _)| *id).filter(|document| !given_up.contains(document)).collect();
    if !untried.is_empty() {
        queue::enqueue(base.id, Kind::Change, &untried)?;
        return Ok(false);
    }
    let holding: Vec<Uuid> =
        lacking.into_iter().filter(|(_, serves)| *serves).map(|(document, _)| document).collect();
    if holding.is_empty() {
        return Ok(true);
    }
    catalog::connect(|c| {
        c.execute(include_str!("hold_change.sql"), &[Arg::new(base.id), Arg::new(holding)])
    })?;
    Ok(false)
}

/// Whether texts may be chunked in another way for another model: chunks hold no more tokens than a local model reads.
fn chunks_differ(one: &KnowledgeBase, other: &KnowledgeBase) -> bool {
    let (one, other) = (&one.settings.space.model, &other.settings.space.model);
    !(one.is_remote() && other.is_remote()) && one != other
}

/// The progress of a change of the model.
pub struct Progress {
    pub model: String,
    pub embedded: i64,
    /// Failed documents that block the change until a user acts.
    pub given_up: i64,
}

impl Progress {
    /// What a user has to do to unblock the change; empty if it goes on by itself.
    pub fn advice(&self) -> String {
        if self.given_up == 0 {
            return String::new();
        }
        let documents = counted(self.given_up, "document");
        format!(
            ", {documents} could not be embedded: fix or delete them and run kb_retry, or cancel with kb_configure"
        )
    }
}

/// How many chunks have a vector of the pending model. None without a pending model, or if its table was dropped or altered.
/// Run with the privileges of the owner.
pub fn progress(c: &Connection, base: &KnowledgeBase) -> Result<Option<Progress>> {
    let (Some(next), Some(table)) = (&base.next, base.next_table()) else { return Ok(None) };
    let name = std::ffi::CString::new(table.as_str()).unwrap_or_default();
    if !base.has_own_columns(&name, &[(c"chunk_id", pg_sys::UUIDOID)]) {
        return Ok(None);
    }
    let given_up = catalog::connect(|c| {
        let sql = include_str!("given_up.sql");
        c.query(sql, Access::Read, Planning::Auto, &[Arg::new(base.id)], |row| row.require::<Uuid>(1))
    })?;
    let sql =
        spi::render(include_str!("count_next.sql"), &[("schema", &base.quoted_schema()), ("table", &table)]);
    c.query_one(&sql, Access::Read, &[Arg::new(given_up)], |row| {
        Ok(Progress { model: next.model.to_string(), embedded: row.require(1)?, given_up: row.require(2)? })
    })
}
