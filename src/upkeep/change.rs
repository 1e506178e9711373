//! Another model, by the workers: a second table of vectors is filled beside the one that serves, and takes its place when
//! it is complete. It goes on after a crash, because all of it is in tables: the model in the catalogue, the documents in
//! the queue, the vectors in the second table.

use pgrx::Uuid;
use pgrx::prelude::*;

use super::replace::Replacement;
use super::vectors;
use crate::base::{self, KnowledgeBase, Settings};
use crate::error::Result;
use crate::ingest::{self, MakeVectors};
use crate::model;
use crate::queue::{self, Kind};
use crate::role;
use crate::snapshot;
use crate::spi::{self, Access, Arg, Connection};

impl KnowledgeBase {
    /// Whether another model's vectors are made by the workers rather than in the transaction that asks for it.
    pub(super) fn is_changed_in_background(&self) -> bool {
        self.settings.embed == "queued"
            || self.settings.embed == "auto" && model::is_remote(&self.settings.model)
    }

    /// The settings as they will be.
    fn next_settings(&self) -> Option<Settings> {
        self.next.as_ref().map(|(model, dimensions)| Settings {
            model: model.clone(),
            dimensions: *dimensions,
            ..self.settings.clone()
        })
    }

    /// The table of the vectors of the model that is to come.
    pub fn next_table(&self) -> Option<String> {
        self.next.as_ref().map(|(_, dimensions)| vectors::table_of(*dimensions))
    }
}

/// Notes the model of the new settings as the one to come and keeps the old one.
pub fn plan(old: &KnowledgeBase, new: &mut KnowledgeBase) {
    new.next = Some((new.settings.model.clone(), new.settings.dimensions));
    new.settings.model.clone_from(&old.settings.model);
    new.settings.dimensions = old.settings.dimensions;
}

/// Begins to make the vectors of the model to come, or gives up what was begun before.
pub fn begin(old: &KnowledgeBase, new: &KnowledgeBase) -> Result<()> {
    let schema = new.quoted_schema();
    let documents = new.as_owner(|| {
        spi::connect(|c| {
            // Whoever writes from now on sees the model to come; those who write now are waited for.
            c.run(&spi::render(include_str!("lock_writers.sql"), &[("schema", &schema)]))?;
            for base in [old, new] {
                drop_next(c, base, &schema)?;
            }
            let Some(settings) = new.next_settings() else { return Ok(Vec::new()) };
            let table = vectors::table_of(settings.dimensions);
            base::create_embedding_table(c, &schema, &settings, &table)?;
            if settings.is_indexed() {
                base::create_vector_index(c, &schema, &settings, &table, &format!("{table}_hnsw"))?;
            }
            let sql = spi::render(include_str!("all_ids.sql"), &[("schema", &schema)]);
            c.query(&sql, Access::Latest, spi::Planning::Auto, &[], |row| row.require::<Uuid>(1))
        })
    })?;
    queue::forget(new.id, Kind::Change)?;
    queue::enqueue(new.id, Kind::Change, &documents)?;
    if let Some((model, _)) = &new.next {
        notice!(
            "knowledge base \"{}\" goes on with model \"{}\" until all vectors of \"{model}\" are made; see kb_rag.status",
            new.name,
            new.settings.model
        );
        if documents.is_empty() {
            // Nothing to wait for.
            finish(new.id)?;
        }
    }
    Ok(())
}

fn drop_next(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let Some(table) = base.next_table() else { return Ok(()) };
    let name = std::ffi::CString::new(table.as_str()).unwrap_or_default();
    if base.own_table(&name)?.is_some() {
        c.run(&spi::render(include_str!("drop_next.sql"), &[("schema", schema), ("table", &table)]))?;
    }
    Ok(())
}

/// Lets the vectors of the model to come take the place of the present ones, once all are there. Documents that were
/// given up do not hold it up: they lack vectors afterwards, and say so. False while anything is still to be done.
pub fn finish(base: Uuid) -> Result<bool> {
    if queue::is_pending(base, Kind::Change)? {
        return Ok(false);
    }
    // Nobody changes its settings until we are done.
    role::as_catalogue_owner(|| {
        spi::connect(|c| c.execute(include_str!("lock_base.sql"), &[Arg::new(base)]))
    })?;
    let Some(base) = base::by_id(base)? else { return Ok(true) };
    let Some(table) = base.next_table() else { return Ok(true) };
    let schema = base.quoted_schema();
    let done = base.as_owner(|| {
        spi::connect(|c| {
            c.run(&spi::render(include_str!("lock_writers.sql"), &[("schema", &schema)]))?;
            // Those who wrote before us have queued what they wrote.
            Ok(!snapshot::with_latest(|| queue::is_pending(base.id, Kind::Change))?)
        })
    })?;
    if !done {
        return Ok(false);
    }
    let mut next = base.clone();
    if let Some(settings) = base.next_settings() {
        next.settings = settings;
    }
    next.next = None;
    next.model_variants.clear();
    let failed = queue::queued(base.id, Kind::Change)?;
    next.as_owner(|| {
        spi::connect(|c| {
            if next.cuts_unlike(&base) {
                ingest::sync_all(&next, &schema, c, &MakeVectors::queued())?;
            }
            vectors::inherit_rights(c, &schema, &table)?;
            let mut replacement = Replacement::default();
            replacement.embedding_table(&table, next.settings.is_indexed());
            replacement.take_place(c, &schema)?;
            queue::forget(next.id, Kind::Embed)?;
            // What was given up stays so, now as a job of the model that serves.
            queue::become_embed(next.id)?;
            ingest::all_indexed(c, &next, &schema)?;
            ingest::queue_unfinished(c, &next, &schema, &failed)
        })
    })?;
    next.save()?;
    Ok(true)
}

impl KnowledgeBase {
    /// Whether texts may be cut in another way: chunks hold no more tokens than a local model reads.
    fn cuts_unlike(&self, other: &KnowledgeBase) -> bool {
        !(model::is_remote(&self.settings.model) && model::is_remote(&other.settings.model))
            && self.settings.model != other.settings.model
    }
}

/// How far a change of the model is.
pub struct Progress {
    pub model: String,
    pub embedded: i64,
}

/// How many passages have their vector of the model to come; None while none is. Run with the rights of the owner.
pub fn progress(c: &Connection, base: &KnowledgeBase) -> Result<Option<Progress>> {
    let (Some((model, _)), Some(table)) = (&base.next, base.next_table()) else { return Ok(None) };
    let sql =
        spi::render(include_str!("count_next.sql"), &[("schema", &base.quoted_schema()), ("table", &table)]);
    let embedded = c.query_one(&sql, Access::Read, &[], |row| row.require::<i64>(1))?.unwrap_or_default();
    Ok(Some(Progress { model: model.clone(), embedded }))
}
