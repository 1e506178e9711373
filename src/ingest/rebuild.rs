//! Rebuilding parts of the chunks of a whole base.

use kb_rag_core::chunk::Before;
use pgrx::Uuid;

use super::sync;
use super::write::{self, BATCH, MakeVectors};
use crate::base::KnowledgeBase;
use crate::chunking;
use crate::error::Result;
use crate::model::{InputType, Model};
use crate::postgres::limit;
use crate::postgres::spi::{self, Arg, Connection};
use crate::postgres::vector::Pgvector;

/// Selects every document, for [`sync::in_groups`].
pub const ALL_DOCUMENTS: &str = include_str!("all_documents.sql");

/// Chunks every text again and keeps the chunks that come out the same.
pub fn sync_all(base: &KnowledgeBase, schema: &str, c: &Connection, vectors: &MakeVectors) -> Result<()> {
    let all = spi::render(ALL_DOCUMENTS, &[("schema", schema)]);
    limit::without(|| sync::documents(base, schema, vectors, |work| sync::in_groups(c, &all, work)))
}

/// Rebuilds the lexemes of the chunks `u` for which `condition` holds; `{analyzer}` is the name of the analyzer that
/// they should have. Writes only the chunks whose lexemes differ.
pub fn refresh_lexemes(c: &Connection, base: &KnowledgeBase, schema: &str, condition: &str) -> Result<()> {
    c.run(&statement(base, schema, condition))
}

/// The same for the chunks of some documents.
pub fn refresh_lexemes_of(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    documents: &[Uuid],
) -> Result<()> {
    c.execute(&statement(base, schema, "u.document_id = ANY ($1)"), &[Arg::new(documents.to_vec())])?;
    Ok(())
}

/// The same for some chunks, whose documents are locked.
pub fn refresh_lexemes_of_chunks(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    chunks: &[Uuid],
) -> Result<()> {
    c.execute(&statement(base, schema, "u.id = ANY ($1)"), &[Arg::new(chunks.to_vec())])?;
    Ok(())
}

fn statement(base: &KnowledgeBase, schema: &str, condition: &str) -> String {
    let template = spi::render(include_str!("refresh_lexemes.sql"), &[("condition", condition)]);
    write::statement(&template, schema, base)
}

/// Embeds every chunk into the table `table`, which is empty.
pub fn embed_all(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    model: &Model,
    table: &str,
) -> Result<()> {
    let pgvector = Pgvector::find()?;
    let cursor = c.cursor(
        &spi::render(include_str!("chunk_texts.sql"), &[("schema", schema), ("context", base.context())]),
        &[],
    )?;
    loop {
        let batch = cursor.fetch(BATCH as i64, |row| {
            let [title, heading, context] = [row.get::<String>(2)?, row.get(3)?, row.get(4)?];
            let before = Before { heading: heading.as_deref(), context: context.as_deref() };
            let content = row.require::<String>(5)?;
            let text = chunking::embedded_text(model, title.as_deref(), before, &content);
            Ok((row.require::<Uuid>(1)?, text))
        })?;
        if batch.is_empty() {
            break;
        }
        let mut chunk_ids = Vec::new();
        let mut vectors = Vec::new();
        for (id, text) in batch {
            chunk_ids.push(id);
            vectors.push(model.embed(&text, base.settings.space.dimensions, InputType::Document)?);
        }
        write::insert_vectors(&pgvector, schema, table, chunk_ids, &vectors)?;
    }
    cursor.close();
    Ok(())
}
