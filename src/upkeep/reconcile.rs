//! kb_reconcile: compares documents, chunks, vectors and the keyword index, and repairs what differs.

use std::collections::BTreeSet;
use std::time::Duration;

use kb_rag_core::plural::counted;
use pgrx::Uuid;

use super::configure::save;
use super::lexemes;
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::catalog::missed;
use crate::error::{Error, Result};
use crate::ingest::{self, MakeVectors, OutOfSync};
use crate::keyword_index::{self, Place, Repair};
use crate::lock::{Lockable, RowPatience};
use crate::model::{self, Model};
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::queue::{self, Kind};

/// This many documents are repaired at a time.
const GROUP: usize = 64;
/// How long to wait, in all, for documents that other transactions write.
const PATIENCE: Duration = Duration::from_secs(5);

/// Repairs what was written while the triggers were off, or came by replication: chunks and vectors that are missing,
/// surplus or made from an earlier text, those without a document, and the keyword index. Returns how many
/// documents, and chunks and vectors without one, had to be repaired; 0 if all was right, as at once after. A document that
/// another transaction is writing is left to it. One that needs a repair is waited for, some seconds and while nobody waits
/// for us, and then left with a warning. With `outdated`, documents that an earlier version of the chunker cut are cut again.
pub fn reconcile(name: &str, outdated: bool) -> Result<i64> {
    let base = base::locked_for_admin(name)?;
    base.require_stored_settings()?;
    let schema = base.quoted_schema();
    // What triggers noted while library and SQL had different formats is compared with the rest.
    missed::take(Some(base.id))?;
    base::note_row_security(Some(base.id))?;
    base.warn_of_row_security()?;
    attach::hold(&base)?;
    base.add_versions()?;
    let patience = RowPatience::from_duration(PATIENCE);
    // First, so that the documents it writes are checked too.
    let of_tables = ingest::notify_once(|| attach::reconcile(&base, &patience))?;
    let mut busy = of_tables.busy;
    let repaired = base.connect(|c| {
        let without = |sql: &str| c.execute(&spi::render(sql, &[("schema", &schema)]), &[]);
        let chunks = without(include_str!("orphan_chunks.sql"))?;
        let OutOfSync { damaged: found, to_note } = out_of_sync(c, &base, &schema, outdated)?;
        let left = repair(c, &base, &schema, &found, &patience)?;
        busy += (left + repair(c, &base, &schema, &to_note, &patience)?) as u64;
        // Last: with the triggers off, deleting a chunk does not delete its vector.
        let orphans = chunks + without(include_str!("orphan_embeddings.sql"))?;
        let keyword_index = repair_index(c, &base)?;
        lexemes::enqueue_if_needed(c, &base)?;
        ingest::tidy_summaries(c, &base, &schema)?;
        ingest::enqueue_missing_summaries(c, &base, &schema)?;
        warn_of_triggers(c, &base, &schema)?;
        // Only the keyword index is wrong if a user wrote to chunk directly.
        let repaired = orphans as i64 + (found.len() - left) as i64;
        Ok(if repaired == 0 { i64::from(keyword_index != Repair::Right) } else { repaired })
    })?;
    if busy > 0 {
        let documents = counted(busy, "document");
        Error::locked(format!(
            "could not lock {documents} of knowledge base \"{}\": other transactions are writing them",
            base.name
        ))
        .hint("Run kb_reconcile again when these transactions have ended.")
        .warn("they are not repaired");
    }
    if outdated {
        remark_of_files(&base)?;
    }
    attach::correct_triggers(&base)?;
    base.queue_index_if_due()?;
    save(&base)?;
    Ok(of_tables.repaired as i64 + repaired)
}

/// Says how many documents an earlier version of a reader read: only their files have what it lost.
fn remark_of_files(base: &KnowledgeBase) -> Result<()> {
    let sql = base.versions()?.render(include_str!("count_read_before.sql"), &base.quoted_schema());
    let count = base.connect(|c| c.query_one(&sql, Access::Read, &[], |row| row.require::<i64>(1)))?;
    if let Some(count) = count.filter(|count| *count > 0) {
        Error::remark(format!(
            "an earlier version of a reader read {} of knowledge base \"{}\"",
            counted(count, "document"),
            base.name
        ))
        .hint("kb-rag index and kb_add_file read files again, kb_source_sync pages.")
        .notify();
    }
    Ok(())
}

/// Repairs the keyword index, or rebuilds it. Run as the owner of the base.
pub(super) fn repair_index(c: &Connection, base: &KnowledgeBase) -> Result<Repair> {
    let found = keyword_index::repair(c, base)?;
    if found == Repair::Damaged {
        base.lock_out_writers(false)?;
        keyword_index::rebuild(c, &Place::for_base(base)?)?;
    }
    Ok(found)
}

/// The documents that need a repair, and those that today's version of the chunker cuts as they are.
fn out_of_sync(c: &Connection, base: &KnowledgeBase, schema: &str, outdated: bool) -> Result<OutOfSync> {
    let (mut found, mut to_note) = (BTreeSet::new(), Vec::new());
    let model = model::tokenizer_of(&base.settings.space.model)?;
    // Documents that a worker will embed, or could not embed, need no repair. In the snapshot that documents are read in: a worker may
    // have ended its work since.
    let queued = queue::queued(base.id, Kind::Embed, Access::Read)?;
    let all = spi::render(ingest::ALL_DOCUMENTS, &[("schema", schema)]);
    ingest::in_groups(c, &all, |ids| {
        let group = ingest::out_of_sync(base, &model, schema, &ids, &queued, outdated)?;
        found.extend(group.damaged);
        to_note.extend(group.to_note);
        Ok(())
    })?;
    let sql = ingest::statement(include_str!("stale_chunks.sql"), schema, base);
    found.extend(c.query(&sql, Access::Read, Planning::Custom, &[], |row| row.require::<Uuid>(1))?);
    let sql = spi::render(include_str!("stale_documents.sql"), &[("schema", schema)]);
    let queued = Arg::new(queued.into_iter().collect::<Vec<_>>());
    found.extend(c.query(&sql, Access::Read, Planning::Custom, &[queued], |row| row.require::<Uuid>(1))?);
    to_note.retain(|id| !found.contains(id));
    Ok(OutOfSync { damaged: found.into_iter().collect(), to_note })
}

/// Repairs documents, with their rows locked against other writers. Returns how many are left because other transactions
/// have them locked: waiting for one row while holding others could end in a deadlock.
fn repair(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    ids: &[Uuid],
    patience: &RowPatience,
) -> Result<usize> {
    if ids.is_empty() {
        return Ok(0);
    }
    let model = model::tokenizer_of(&base.settings.space.model)?;
    let mut left = ids.to_vec();
    loop {
        let mut busy = Vec::new();
        for group in left.chunks(GROUP) {
            busy.extend(repair_group(c, base, schema, &model, group)?);
        }
        if busy.is_empty() || !patience.wait()? {
            return Ok(busy.len());
        }
        left = busy;
    }
}

/// The same for some documents; returns those that others have locked.
pub(super) fn repair_group(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    model: &Model,
    group: &[Uuid],
) -> Result<Vec<Uuid>> {
    let lock = spi::render(include_str!("lock_documents.sql"), &[("schema", schema)]);
    let there = c.query(&lock, Access::Write, Planning::Custom, &[Arg::new(group.to_vec())], |row| {
        Ok((row.require::<Uuid>(1)?, row.require::<bool>(2)?))
    })?;
    let (locked, busy): (Vec<_>, Vec<_>) = there.into_iter().partition(|(_, is_locked)| *is_locked);
    let [locked, busy] = [locked, busy].map(|list| list.into_iter().map(|(id, _)| id).collect::<Vec<Uuid>>());
    if !locked.is_empty() {
        let sql = spi::render(include_str!("repair_documents.sql"), &[("schema", schema)]);
        c.execute(&sql, &[Arg::new(locked.clone())])?;
        ingest::sync_group(base, schema, model, &MakeVectors::of_rebuild(base), &locked)?;
        ingest::refresh_lexemes_of(c, base, schema, &locked)?;
    }
    Ok(busy)
}

/// Rows written while a trigger is off need kb_reconcile again.
fn warn_of_triggers(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let off = c.query_one(
        include_str!("disabled_triggers.sql"),
        Access::Read,
        &[Arg::new(format!("{schema}.document")), Arg::new(format!("{schema}.chunk"))],
        |row| row.get::<String>(1),
    )?;
    if let Some(off) = off.flatten() {
        Error::not_ready(format!("triggers of knowledge base \"{}\" are disabled: {off}", base.name))
            .hint("Enable them again with ALTER TABLE … ENABLE TRIGGER ALL.")
            .warn("rows written meanwhile need kb_reconcile");
    }
    Ok(())
}
