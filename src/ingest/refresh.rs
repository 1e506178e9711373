//! Cutting one document again.

use kb_rag_core::chunk::Before;
use pgrx::Uuid;

use super::own_write::OwnWrite;
use super::rebuild;
use super::sync;
use super::waiting;
use super::write::{BATCH, MakeVectors};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Arg, Connection};
use crate::queue;

/// Cuts a document, which the caller has locked, again by its text and the settings of the base, as the owner. Chunks that
/// come out the same keep id and vector. Imported chunks, and those whose text was changed, are replaced. What failed before is tried again.
pub fn refresh(base: &KnowledgeBase, document: Uuid) -> Result<()> {
    require_seen_vectors(base)?;
    let vectors = MakeVectors::of_statement(base);
    let schema = base.quoted_schema();
    let refresh = || {
        let model = model::tokenizer_of(&base.settings.space.model)?;
        let placeholders = [("schema", schema.as_str())];
        sync::connect_without_seqscan(|c| {
            let _own_write = OwnWrite::begin(base.table(c"document")?);
            let replaced = replaced_chunks(c, base, &schema, document)?;
            c.execute(&spi::render(include_str!("delete_chunks.sql"), &placeholders), &[Arg::new(replaced)])?;
            c.execute(
                &spi::render(include_str!("refresh_document.sql"), &placeholders),
                &[Arg::new(document)],
            )
        })?;
        queue::forget_failed(base.id, document)?;
        sync::group(base, &schema, &model, &vectors, &[document])?;
        sync::connect_without_seqscan(|c| rebuild::refresh_lexemes_of(c, base, &schema, &[document]))
    };
    waiting::notify_once(|| base.as_owner(refresh).inspect(|()| vectors.count_waiting()))
}

/// The chunks of a document that are not as its text gave them: imported, or changed since.
fn replaced_chunks(c: &Connection, base: &KnowledgeBase, schema: &str, document: Uuid) -> Result<Vec<Uuid>> {
    let sql =
        spi::render(include_str!("chunks_with_hash.sql"), &[("schema", schema), ("context", base.context())]);
    let cursor = c.cursor(&sql, &[Arg::new(document)])?;
    let mut replaced = Vec::new();
    loop {
        let batch = cursor.fetch(BATCH as i64, |row| {
            let [title, heading, context] = [row.get::<String>(2)?, row.get(3)?, row.get(4)?];
            let before = Before { heading: heading.as_deref(), context: context.as_deref() };
            let hash = sync::hash_of(title.as_deref(), before, &row.require::<String>(5)?);
            let is_as_cut = row.require::<Vec<u8>>(6)? == hash && !row.require::<bool>(7)?;
            Ok((row.require::<Uuid>(1)?, is_as_cut))
        })?;
        if batch.is_empty() {
            break;
        }
        replaced.extend(batch.into_iter().filter(|(_, is_as_cut)| !is_as_cut).map(|(id, _)| id));
    }
    cursor.close();
    Ok(replaced)
}

/// 40001 in a transaction that keeps a snapshot older than the vectors of the base, which a change of the model replaced.
pub fn require_seen_vectors(base: &KnowledgeBase) -> Result<()> {
    if snapshot::is_kept() && base.is_newer_than_snapshot()? {
        return Err(Error::serialization(format!(
            "could not serialize access due to a new model of knowledge base \"{}\"",
            base.name
        ))
        .hint("Run the transaction again."));
    }
    Ok(())
}
