//! Cutting one document again.

use pgrx::Uuid;

use super::own_write::OwnWrite;
use super::sync;
use super::waiting;
use super::write::MakeVectors;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Arg};
use crate::queue;

/// Replaces the chunks and vectors of a document, which the caller has locked, by those that its text and the settings of the
/// base give, as the owner. Imported chunks are replaced too. What failed before is tried again.
pub fn refresh(base: &KnowledgeBase, document: Uuid) -> Result<()> {
    require_seen_vectors(base)?;
    let vectors = MakeVectors::of_statement(base);
    let schema = base.quoted_schema();
    let refresh = || {
        let model = model::tokenizer_of(&base.settings.space.model)?;
        let placeholders = [("schema", schema.as_str())];
        sync::connect_without_seqscan(|c| {
            let _own_write = OwnWrite::begin(base.table(c"document")?);
            c.execute(
                &spi::render(include_str!("refresh_document.sql"), &placeholders),
                &[Arg::new(document)],
            )?;
            c.execute(
                &spi::render(include_str!("delete_chunks_of.sql"), &placeholders),
                &[Arg::new(document)],
            )
        })?;
        queue::forget_failed(base.id, document)?;
        sync::group(base, &schema, &model, &vectors, &[document])
    };
    waiting::notify_once(|| base.as_owner(refresh).inspect(|()| vectors.count_waiting()))
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
