//! Changing the model in the background: workers fill a second table of vectors beside the one in use, and a table with the chunks of
//! documents that come out differently for it. When both are complete, these chunks replace the present ones and the vectors take the
//! place of theirs, in one transaction. What takes long comes before its lock: building the index, inserting the chunks. The change
//! goes on after a crash, because all of it is in tables: the pending model in the catalog, the documents in the queue, the rest in the two
//! tables.

use std::time::{Duration, Instant};

use kb_rag_core::model_name::EmbeddingSpace;
use kb_rag_core::plural::counted;
use pgrx::Uuid;
use pgrx::prelude::*;

use super::configure::save;
use super::late;
use super::replace::Replacement;
use super::vectors;
use crate::base::{self, KnowledgeBase, NextTables, Pending};
use crate::catalog;
use crate::error::{Error, Result};
use crate::ingest;
use crate::keyword_index::{self, Place};
use crate::lock::{Lockable, Patience};
use crate::postgres::limit;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::subtransaction;
use crate::postgres::test_point::test_point;
use crate::queue::{self, Kind};

/// How long to wait for sessions that use a base.
const SWAP: Duration = Duration::from_secs(1);

/// Begins to make the vectors of the pending model, or cancels a change that was begun before.
pub fn begin(old: &KnowledgeBase, new: &KnowledgeBase, is_short: bool) -> Result<()> {
    let schema = new.quoted_schema();
    let began = Instant::now();
    // Later writers see the pending model; present ones are waited for.
    new.lock_out_writers(is_short)?;
    let dropped = [old.next_oids(), new.next_oids()].concat();
    if !dropped.is_empty() {
        // PostgreSQL locks the table document too, to which a foreign key points.
        new.lock_out_all(&dropped, Patience::for_work_since(began))?;
    }
    let documents = new.connect(|c| {
        for base in [old, new] {
            drop_next(c, base, &schema)?;
        }
        if new.next.is_none() {
            return Ok(Vec::new());
        }
        base::create_next_tables(c, new)?;
        let sql = spi::render(include_str!("all_ids.sql"), &[("schema", &schema)]);
        c.query(&sql, Access::Latest, Planning::Auto, &[], |row| row.require::<Uuid>(1))
    })?;
    queue::forget(new.id, Kind::Change)?;
    queue::enqueue(new.id, Kind::Change, &documents)?;
    if let Some(next) = &new.next {
        let present = &new.settings.space;
        if next == present {
            notice!(
                "knowledge base \"{}\" keeps its chunks until all vectors of the new ones are made; see kb_rag.status",
                new.name
            );
        } else {
            notice!(
                "knowledge base \"{}\" continues to use model {} until all vectors of {} are made; see kb_rag.status",
                new.name,
                named(present, next),
                named(next, present)
            );
        }
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
    match subtransaction::run(|| finish_in(base, true)) {
        Err(error) if error.is_lock() => {
            queue::at_commit();
            Ok(())
        }
        result => result,
    }
}

/// Drops the tables of the former pending model, so that their names are free.
fn drop_next(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    for name in base.next_tables().iter().flat_map(NextTables::names) {
        if base.own_table(&name)?.is_some() {
            let values = [("schema", schema), ("table", &name.to_string_lossy())];
            c.run(&spi::render(include_str!("drop_next.sql"), &values))?;
        }
    }
    Ok(())
}

/// Begins a change again that lacks a table, as one that kb_rag 0.3 began. Returns whether that was so.
pub fn restart(base: &KnowledgeBase) -> Result<bool> {
    if base.next.is_none() || base.has_next_tables() {
        return Ok(false);
    }
    begin(base, base, false)?;
    Ok(true)
}

/// Replaces the present vectors by those of the pending model, once all exist. Failed documents block the change if they
/// would lose vectors of the present model; without such vectors they only lack vectors afterwards, and their status says
/// so. Nothing happens while work is left.
pub fn finish(base: Uuid) -> Result<()> {
    finish_in(base, false)
}

/// The same; `is_at_once` does it in one transaction whatever the time.
fn finish_in(base: Uuid, is_at_once: bool) -> Result<()> {
    // Until we are done nobody changes its settings, and no other worker cuts its documents.
    let id = Arg::new(base);
    let is_locked =
        catalog::connect(|c| c.query_one(include_str!("lock_base.sql"), Access::Write, &[id], |_| Ok(())))?;
    if is_locked.is_none() {
        return Err(Error::locked("the change of a knowledge base is being finished by another session"));
    }
    if snapshot::with_latest(|| queue::is_pending(base, Kind::Change))? {
        return Ok(());
    }
    let Some(base) = base::by_id(base)? else { return Ok(()) };
    let Some(change) = Change::for_base(&base) else { return Ok(()) };
    if restart(&base)? || !is_complete(&base, subtransaction::read(|| change.lacking())?)? {
        return Ok(());
    }
    if change.build_index()? && !is_at_once {
        // The swap follows in a transaction of its own: writers of vectors wait for this one.
        return Ok(());
    }
    let mut kept = change.insert_chunks()?;
    test_point("change.inserted");
    // After long work those who use the base are waited for, rather than throwing the work away.
    let patience = Patience::from_duration(change.began.elapsed().max(SWAP));
    base.lock_out_all(&base.next_oids(), patience)?;
    let late = late::documents(&base)?;
    change.cut_late(&late)?;
    kept.extend(&late);
    change.swap(kept, &late)?;
    save(&change.next)
}

/// A change of the model that is about to be finished.
struct Change<'a> {
    base: &'a KnowledgeBase,
    /// The base as it is afterwards.
    next: KnowledgeBase,
    schema: String,
    /// The tables of the pending model.
    table: String,
    chunks: String,
    began: Instant,
}

impl Change<'_> {
    /// None without a pending model.
    fn for_base(base: &KnowledgeBase) -> Option<Change<'_>> {
        let Pending { base: next, tables: NextTables { vectors: table, chunks } } = base.pending()?;
        Some(Change { base, next, schema: base.quoted_schema(), table, chunks, began: Instant::now() })
    }

    fn render(&self, template: &str) -> String {
        let values = [("schema", self.schema.as_str()), ("table", &self.table), ("chunks", &self.chunks)];
        spi::render(template, &values)
    }

    fn lacking(&self) -> Result<Vec<Lacking>> {
        self.base.connect(|c| {
            let sql = self.render(include_str!("lacking_next.sql"));
            c.query(&sql, Access::Latest, Planning::Auto, &[], |row| Ok((row.require(1)?, row.require(2)?)))
        })
    }

    /// Builds the index of the new vectors if it is missing. Returns whether it was. Until then vectors are inserted without one, which
    /// takes a fraction of the time.
    fn build_index(&self) -> Result<bool> {
        self.next.connect(|c| {
            // Of chunks that are gone, or are to go.
            c.run(&self.render(include_str!("delete_orphans.sql")))?;
            if vectors::is_indexed_as_wanted(&self.next, &self.table)? {
                return Ok(false);
            }
            vectors::index_as_wanted(c, &self.next, &self.schema, &self.table).map(|_| true)
        })
    }

    /// Inserts the new chunks beside the present ones. Nobody sees them before the end of the transaction. Returns the documents with chunks
    /// that stay.
    fn insert_chunks(&self) -> Result<Vec<Uuid>> {
        self.next.connect(|c| {
            c.run(&self.render(include_str!("delete_stale.sql")))?;
            let refresh = spi::render(include_str!("refresh_next.sql"), &[("chunks", &self.chunks)]);
            c.run(&ingest::statement(&refresh, &self.schema, &self.next))?;
            let insert = self.insert_statement();
            let kept = self.render(include_str!("kept_chunks.sql"));
            let kept = c.query(&kept, Access::Write, Planning::Auto, &[], |row| row.require(1))?;
            self.for_each_group(c, &insert)?;
            Ok(kept)
        })
    }

    fn insert_statement(&self) -> String {
        // Bases of kb_rag 0.3 may lack the column.
        let context = if self.base.has_context() { ", context" } else { "" };
        spi::render(include_str!("insert_next.sql"), &[("context", context)])
    }

    /// Cuts documents again that were written since their chunks were inserted. Everybody is locked out.
    fn cut_late(&self, late: &[Uuid]) -> Result<()> {
        if late.is_empty() {
            return Ok(());
        }
        // Those that were inserted count as present, and go with what is replaced.
        let recut = |c: &Connection| {
            ingest::cut_next(c, self.base, &self.schema, late)?;
            self.write_chunks(&self.insert_statement(), late.to_vec())
        };
        let place = Place::for_base(self.base)?;
        self.next.connect(|c| limit::without(|| keyword_index::collecting(&place, || recut(c))))
    }

    /// Runs a statement, which writes chunks, for the documents that are cut differently: one group of them after the other, so that the
    /// limit of the owner's triggers counts for each.
    fn for_each_group(&self, c: &Connection, statement: &str) -> Result<()> {
        let changed = self.render(include_str!("changed_documents.sql"));
        let write = || {
            ingest::in_groups(c, &changed, |documents| {
                limit::afresh(|| self.write_chunks(statement, documents))
            })
        };
        let place = Place::for_base(self.base)?;
        limit::without(|| keyword_index::collecting(&place, write))
    }

    fn write_chunks(&self, statement: &str, documents: Vec<Uuid>) -> Result<()> {
        let sql = self.render(statement);
        ingest::connect_without_seqscan(|c| c.execute(&sql, &[Arg::new(documents)]).map(drop))
    }

    /// Deletes the chunks that are replaced, and puts the vectors of the pending model in the place of the present ones. Everybody is
    /// locked out. `late` are documents whose vectors are made afterward.
    fn swap(&self, kept: Vec<Uuid>, late: &[Uuid]) -> Result<()> {
        let Change { base, next, schema, table, .. } = self;
        let mut failed = queue::queued(base.id, Kind::Change, Access::Write)?;
        failed.retain(|document| !late.contains(document));
        next.connect(|c| {
            vectors::inherit_rights(c, schema, table)?;
            let index = vectors::index_as_wanted(c, next, schema, table)?;
            let mut replacement = Replacement::default();
            replacement.embedding_table(table, &next.settings.space.model, index);
            replacement.take_place(c, base, &base.next_oids(), Patience::from_duration(SWAP))?;
            // The former vectors are gone: deleting a chunk looks for none.
            self.for_each_group(c, include_str!("delete_replaced.sql"))?;
            if !kept.is_empty() {
                self.write_chunks(include_str!("move_kept.sql"), kept)?;
            }
            ingest::note_next_versions(c, base, schema)?;
            c.run(&self.render(include_str!("refer_to_chunks.sql")))?;
            queue::forget(next.id, Kind::Embed)?;
            // Failed jobs stay failed, and those of late documents queued, now as jobs of the model in use.
            queue::convert_change_jobs(next.id)?;
            ingest::all_indexed(c, next, schema, "embedding")?;
            ingest::queue_unfinished(c, next, schema, &failed)
        })
    }
}

/// A document that lacks a vector of the pending model, and whether it would lose one that it has.
type Lacking = (Uuid, bool);

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
    let Some(next) = base.next.as_ref().filter(|_| base.has_next_tables()) else { return Ok(None) };
    let Some(change) = Change::for_base(base) else { return Ok(None) };
    let given_up = catalog::connect(|c| {
        let sql = include_str!("given_up.sql");
        c.query(sql, Access::Read, Planning::Auto, &[Arg::new(base.id)], |row| row.require::<Uuid>(1))
    })?;
    let sql = change.render(include_str!("count_next.sql"));
    c.query_one(&sql, Access::Read, &[Arg::new(given_up)], |row| {
        Ok(Progress { model: next.model.to_string(), embedded: row.require(1)?, given_up: row.require(2)? })
    })
}
