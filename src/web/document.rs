//! The documents of a source.

use kb_rag_core::extract_protocol::ReadBy;
use kb_rag_core::web::WebUrl;
use kb_rag_core::web::copies::Names;
use pgrx::Uuid;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::source::{ContentType, Source};
use crate::base::KnowledgeBase;
use crate::choice::Choice;
use crate::error::Result;
use crate::ingest::{self, FetchedDocument};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// What is added to the metadata of the source's documents, and takes precedence: a filter asks for the agent.
fn additions(source: &Source, others: &[String]) -> Result<Jsonb> {
    let mut members = serde_json::Map::new();
    if !others.is_empty() {
        members.insert(OTHER_URLS.to_string(), json!(others));
    }
    if let Some(agent) = source.agent {
        members.insert("agent_id".to_string(), json!(agent.to_string()));
    }
    Jsonb::from_value(&members)
}

/// Inserts an empty document with the metadata of the source, as the current role: row security may refuse it.
pub fn try_insert(base: &KnowledgeBase, source: &Source) -> Result<()> {
    let sql = spi::render(include_str!("try_insert.sql"), &[("schema", &base.quoted_schema())]);
    let additions = additions(source, &[])?;
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

/// The key of the metadata with the other URLs that lead to a document.
const OTHER_URLS: &str = "other_urls";

/// Writes the document of a page, as the owner of the base. One that has not changed is not written. Workers embed it. `others`
/// are the other URLs that lead to it.
pub fn write(base: &KnowledgeBase, source: &Source, text: Text, others: &[String]) -> Result<Uuid> {
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
            additions: additions(source, others)?,
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

/// A document with its key.
pub struct Found {
    pub id: Uuid,
    pub key: String,
    /// Whether it has the text and the title of a page.
    pub is_same: bool,
    /// Whether it has also the metadata of the source.
    pub is_current: bool,
}

/// The documents that may be that of a page: the one it has now, the one under its key, and those with its text.
pub fn known(
    base: &KnowledgeBase,
    source: &Source,
    of_page: Option<Uuid>,
    text: &Text,
) -> Result<Vec<Found>> {
    let sql = spi::render(include_str!("known_documents.sql"), &[("schema", &base.quoted_schema())]);
    let additions = additions(source, &[])?;
    base.connect(|c| {
        let args = [
            Arg::new(source.id),
            Arg::new(source.content_type.name()),
            Arg::new(of_page),
            Arg::new(text.key),
            Arg::new(Sha256::digest(text.content.as_bytes()).to_vec()),
            Arg::new(text.title),
            Arg::new(source.metadata.clone()),
            Arg::new(additions),
        ];
        c.query(&sql, Access::Write, Planning::Custom, &args, |row| {
            Ok(Found {
                id: row.require(1)?,
                key: row.require(2)?,
                is_same: row.require(3)?,
                is_current: row.require(4)?,
            })
        })
    })
}

/// The keys of documents of a source.
pub fn keys(base: &KnowledgeBase, source: Uuid, ids: &[Uuid]) -> Result<Vec<Found>> {
    let sql = spi::render(include_str!("keys_of_documents.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| {
        c.query(&sql, Access::Write, Planning::Custom, &[Arg::new(source), Arg::new(ids.to_vec())], |row| {
            Ok(Found { id: row.require(1)?, key: row.require(2)?, is_same: false, is_current: false })
        })
    })
}

/// Those of some keys that other documents of the source have.
pub fn taken_keys(base: &KnowledgeBase, source: &Source, id: Uuid, keys: Vec<String>) -> Result<Vec<String>> {
    let sql = spi::render(include_str!("taken_keys.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| {
        let args = [Arg::new(source.id), Arg::new(source.content_type.name()), Arg::new(keys), Arg::new(id)];
        c.query(&sql, Access::Write, Planning::Custom, &args, |row| row.require(1))
    })
}

/// Gives a document its key and the other URLs that lead to it, as the owner of the base; its text and vectors stay.
pub fn rename(base: &KnowledgeBase, source: &Source, document: &Found, names: &Names) -> Result<()> {
    let others = match names.others.is_empty() {
        false => Some(json!(names.others)),
        // One that the user gave.
        true => source.metadata.value().and_then(|given| given.get(OTHER_URLS).cloned()),
    };
    let others: serde_json::Map<String, Value> =
        others.map(|others| (OTHER_URLS.to_string(), others)).into_iter().collect();
    let [old, new] = [document.key.as_str(), names.key.as_str()].map(WebUrl::parse);
    let file_name = |url: &WebUrl| url.file_name().map(str::to_string);
    let args = [
        Arg::new(source.id),
        Arg::new(document.id),
        Arg::new(names.key.as_str()),
        Arg::new(Jsonb::from_value(&others)?),
        Arg::new(old.ok().as_ref().and_then(file_name)),
        Arg::new(new.ok().as_ref().and_then(file_name)),
    ];
    let sql = spi::render(include_str!("name_document.sql"), &[("schema", &base.quoted_schema())]);
    ingest::write_later(|| base.connect(|c| c.execute(&sql, &args).map(drop)))
}

/// The documents of a source that were made from pages, without these, and their keys.
pub fn without_page(base: &KnowledgeBase, source: Uuid, of_pages: Vec<Uuid>) -> Result<Vec<(Uuid, String)>> {
    let sql = spi::render(include_str!("documents_without_page.sql"), &[("schema", &base.quoted_schema())]);
    let types: Vec<&str> = ContentType::ALL.iter().map(|of| of.name()).collect();
    base.connect(|c| {
        let args = [Arg::new(source), Arg::new(types), Arg::new(of_pages)];
        c.query(&sql, Access::Write, Planning::Custom, &args, |row| Ok((row.require(1)?, row.require(2)?)))
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
