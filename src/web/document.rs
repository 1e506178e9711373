//! The documents of a source.

use kb_rag_core::extract_protocol::ReadBy;
use pgrx::Uuid;
use serde_json::json;

use super::source::{ContentType, Source};
use crate::base::KnowledgeBase;
use crate::choice::Choice;
use crate::error::Result;
use crate::ingest::{self, FetchedDocument};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// What is added to the metadata of the source's documents. The agent comes last: its filter asks for it.
fn additions(source: &Source) -> Result<Jsonb> {
    match source.agent {
        Some(agent) => Jsonb::from_value(&json!({ "agent_id": agent.to_string() })),
        None => Ok(Jsonb::default()),
    }
}

/// Inserts an empty document with the metadata of the source, as the current role: row security may refuse it.
pub fn try_insert(base: &KnowledgeBase, source: &Source) -> Result<()> {
    let sql = spi::render(include_str!("try_insert.sql"), &[("schema", &base.quoted_schema())]);
    let additions = additions(source)?;
    spi::connect(|c| {
        let args = [
            Arg::new(source.content_type.name()),
            Arg::new(source.location.as_str()),
            Arg::new(source.title.as_deref()),
            Arg::new(source.metadata.clone()),
            Arg::new(additions),
        ];
        c.execute(&sql, &args)
    })?;
    Ok(())
}

/// The text of a page.
pub struct Text<'a> {
    /// The URL that it is known by.
    pub key: &'a str,
    pub title: Option<&'a str>,
    pub content: String,
    pub mime_type: &'a str,
    /// The language that it declares.
    pub language: Option<&'a str>,
    /// SHA-256 and size of the file.
    pub hash: Vec<u8>,
    pub bytes: i64,
    /// Of the file; its name in a repository.
    pub filename: Option<&'a str>,
    /// What read it.
    pub reader: Option<ReadBy>,
}

/// Writes the document of a page, as the owner of the base. One that has not changed is not written. Workers embed it.
pub fn write(base: &KnowledgeBase, source: &Source, text: Text) -> Result<Uuid> {
    ingest::write_fetched(
        base,
        FetchedDocument {
            source: source.id,
            source_type: source.content_type.name(),
            source_key: text.key,
            title: text.title,
            content: text.content,
            mime_type: text.mime_type,
            language: text.language,
            metadata: source.metadata.clone(),
            additions: additions(source)?,
            filename: text.filename,
            hash: text.hash,
            reader: text.reader,
            bytes: text.bytes,
        },
    )
}

/// Whether an earlier version of its reader read a document. None if it does not exist or has no key.
pub fn is_read_before(base: &KnowledgeBase, id: Uuid) -> Result<Option<bool>> {
    let sql = base.versions()?.render(include_str!("is_read_before.sql"), &base.quoted_schema());
    base.connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(id)], |row| row.require(1)))
}

/// Whether an earlier version of its reader or of the chunker made one of these documents.
pub fn is_any_outdated(base: &KnowledgeBase, ids: Vec<Uuid>) -> Result<bool> {
    let sql = base.versions()?.render(include_str!("is_any_outdated.sql"), &base.quoted_schema());
    let found = base.connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(ids)], |row| row.require(1)))?;
    Ok(found == Some(true))
}

/// The key of a document, if it exists and has one.
pub fn key(base: &KnowledgeBase, id: Uuid) -> Result<Option<String>> {
    let sql = spi::render(include_str!("document_key.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(id)], |row| row.require(1)))
}

/// Deletes documents of a source, as the owner of the base.
pub fn delete(base: &KnowledgeBase, source: Uuid, documents: &[Uuid]) -> Result<()> {
    if documents.is_empty() {
        return Ok(());
    }
    let sql = spi::render(include_str!("delete_documents.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.execute(&sql, &[Arg::new(source), Arg::new(documents.to_vec())]))?;
    Ok(())
}

/// The documents of a source that were made from pages, without these.
pub fn without_page(base: &KnowledgeBase, source: Uuid, of_pages: Vec<Uuid>) -> Result<Vec<Uuid>> {
    let sql = spi::render(include_str!("documents_without_page.sql"), &[("schema", &base.quoted_schema())]);
    let types: Vec<&str> = ContentType::ALL.iter().map(|of| of.name()).collect();
    base.connect(|c| {
        let args = [Arg::new(source), Arg::new(types), Arg::new(of_pages)];
        c.query(&sql, Access::Write, Planning::Custom, &args, |row| row.require(1))
    })
}

/// How many documents and chunks each of some sources has, of those that the current role may see.
pub fn count(base: &KnowledgeBase, sources: &[Uuid]) -> Result<Vec<(Uuid, i64, i64)>> {
    let sql = spi::render(include_str!("count_documents.sql"), &[("schema", &base.quoted_schema())]);
    base.read(|| {
        spi::connect(|c| {
            c.query(&sql, Access::Read, Planning::Custom, &[Arg::new(sources.to_vec())], |row| {
                Ok((row.require(1)?, row.require(2)?, row.require(3)?))
            })
        })
    })
}
