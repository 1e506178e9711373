//! kb_reconcile: documents, chunks, vectors and figures compared with each other, and what differs repaired.

use std::collections::BTreeSet;

use pgrx::Uuid;

use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::corpus;
use crate::error::{Error, Result};
use crate::ingest::{self, MakeVectors};
use crate::model;
use crate::queue::{self, Kind};
use crate::spi::{self, Access, Arg, Connection, Planning};

/// This many documents are repaired at a time.
const GROUP: usize = 64;

/// Repairs what was written while the triggers were off, or came by replication: chunks and vectors that a document
/// lacks, has too much or has of an earlier text, those without a document, and the figures of keyword search. Returns
/// how many documents, and passages and vectors without one, had to be repaired; 0 when all was right, as at once after.
/// A document that a transaction under way is writing is left to it.
pub fn reconcile(name: &str) -> Result<i64> {
    let base = base::claim(name)?;
    base.require_stored_settings()?;
    let schema = base.quoted_schema();
    // First, so that what it writes is looked at too.
    let of_tables = attach::reconcile(&base)?;
    let repaired = base.as_owner(|| {
        spi::connect(|c| {
            let without = |sql: &str| c.execute(&spi::render(sql, &[("schema", &schema)]), &[]);
            let chunks = without(include_str!("orphan_chunks.sql"))?;
            let found: Vec<Uuid> = out_of_step(c, &base, &schema)?.into_iter().collect();
            repair(c, &base, &schema, &found)?;
            // Last: with the triggers off no vector goes with its chunk.
            let orphans = chunks + without(include_str!("orphan_embeddings.sql"))?;
            let figures = corpus::correct(c, &schema)?;
            warn_of_triggers(c, &base, &schema)?;
            // Figures alone are wrong where somebody wrote to chunk itself.
            let repaired = orphans as i64 + found.len() as i64;
            Ok(if repaired == 0 { i64::from(figures) } else { repaired })
        })
    })?;
    base.save()?;
    Ok(of_tables + repaired)
}

/// The documents that need a repair.
fn out_of_step(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<BTreeSet<Uuid>> {
    let mut found = BTreeSet::new();
    let model = model::for_texts(&base.settings.model)?;
    // What a worker will embed, or could not, needs no repair.
    let queued = queue::queued(base.id, Kind::Embed)?;
    let all = spi::render(ingest::ALL_DOCUMENTS, &[("schema", schema)]);
    ingest::in_groups(c, &all, |ids| {
        found.extend(ingest::out_of_step(base, &model, schema, &ids, &queued)?);
        Ok(())
    })?;
    let sql = ingest::statement(include_str!("stale_chunks.sql"), schema, &base.settings.text_config);
    found.extend(c.query(&sql, Access::Read, Planning::Custom, &[], |row| row.require::<Uuid>(1))?);
    let sql = spi::render(include_str!("stale_documents.sql"), &[("schema", schema)]);
    let queued = Arg::new(queued.into_iter().collect::<Vec<_>>());
    found.extend(c.query(&sql, Access::Read, Planning::Custom, &[queued], |row| row.require::<Uuid>(1))?);
    Ok(found)
}

/// Brings documents in step, with their rows locked against other writers.
fn repair(c: &Connection, base: &KnowledgeBase, schema: &str, ids: &[Uuid]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let model = model::for_texts(&base.settings.model)?;
    for group in ids.chunks(GROUP) {
        let arg = || [Arg::new(group.to_vec())];
        for sql in [include_str!("lock_documents.sql"), include_str!("repair_documents.sql")] {
            c.execute(&spi::render(sql, &[("schema", schema)]), &arg())?;
        }
        ingest::sync_group(base, schema, &model, &MakeVectors::of_rebuild(base), group)?;
        ingest::refresh_lexemes_of(c, base, schema, group)?;
    }
    Ok(())
}

/// What is written while a trigger is off needs kb_reconcile again.
fn warn_of_triggers(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let off = c.query_one(
        include_str!("disabled_triggers.sql"),
        Access::Read,
        &[Arg::new(format!("{schema}.document")), Arg::new(format!("{schema}.chunk"))],
        |row| row.get::<String>(1),
    )?;
    if let Some(off) = off.flatten() {
        Error::not_ready(format!("triggers of knowledge base \"{}\" are disabled: {off}", base.name))
            .hint("ALTER TABLE … ENABLE TRIGGER ALL lets them run again.")
            .warn("what is written meanwhile needs kb_reconcile");
    }
    Ok(())
}
