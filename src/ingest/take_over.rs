//! Documents of a source whose rows bring vectors along: each is one chunk with the vector of its row.

use std::collections::{HashMap, HashSet};

use kb_rag_core::chunk::{Before, Chunk};
use kb_rag_core::given_vector;
use pgrx::Uuid;

use super::own_write::OwnWrite;
use super::sync::{self, Document, connect_without_seqscan};
use super::write::{ChunkHash, MakeVectors, NewChunk, Writer};
use super::{language, rebuild};
use crate::base::KnowledgeBase;
use crate::chunking;
use crate::error::{Error, Result};
use crate::keyword_index::{self, Place};
use crate::model;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::vector::{Pgvector, Vector};

/// A document as its row gives it.
pub struct Given<'a> {
    pub key: &'a str,
    pub title: Option<&'a str>,
    pub content: &'a str,
    pub metadata: &'a str,
    pub mime_type: Option<&'a str>,
    pub language: Option<&'a str>,
    /// Of the dimensions of the base, and of length 1.
    pub vector: Vec<f32>,
}

/// The source of documents, and what its rows decide on.
pub struct Source<'a> {
    pub id: Uuid,
    pub source_type: &'a str,
    pub sets_mime_type: bool,
    pub sets_language: bool,
}

/// A chunk that a document has.
struct Existing {
    id: Uuid,
    hash: Vec<u8>,
    vector: Option<Vec<f32>>,
}

impl Existing {
    /// The hashes of the text that its vector was made for, and of its own text, which follows the other if it is another one.
    fn hashes(&self) -> (&[u8], &[u8]) {
        match self.hash.split_at_checked(size_of::<ChunkHash>()) {
            Some((embedded, own)) if own.len() == embedded.len() => (embedded, own),
            _ => (&self.hash, &self.hash),
        }
    }

    fn has(&self, vector: &[f32]) -> bool {
        self.vector.as_deref().is_some_and(|own| given_vector::are_same(own, vector))
    }
}

/// Writes documents with their vectors, as the owner of the base; returns how many were out of sync. A vector that stays while title
/// or content change is kept, and its chunk marked as stale. 54000 for a text that is too long for a chunk.
pub fn take_over(base: &KnowledgeBase, source: &Source, given: Vec<Given>) -> Result<u64> {
    let schema = base.quoted_schema();
    let document = base.table(c"document")?;
    for language in given.iter().filter_map(|given| given.language) {
        language::check(language, document, || Ok(Some(base.settings.text_config.clone())))?;
    }
    base.as_owner(|| {
        let _own_write = OwnWrite::begin(document);
        keyword_index::collecting(&Place::for_base(base)?, || {
            connect_without_seqscan(|c| write(c, base, &schema, source, given))
        })
    })
}

fn write(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    source: &Source,
    given: Vec<Given>,
) -> Result<u64> {
    let mut changed = write_documents(c, base, schema, source, &given)?;
    let sql = spi::render(include_str!("ids_of_keys.sql"), &[("schema", schema)]);
    let keys: Vec<&str> = given.iter().map(|given| given.key).collect();
    let args = [Arg::new(source.id), Arg::new(source.source_type), Arg::new(keys)];
    let ids: HashMap<String, Uuid> = c
        .query(&sql, Access::Write, Planning::Auto, &args, |row| Ok((row.require(1)?, row.require(2)?)))?
        .into_iter()
        .collect();
    // A trigger of a user may have suppressed a row, or changed its text.
    let found: Vec<Uuid> = ids.values().copied().collect();
    let documents: HashMap<Uuid, Document> = sync::read_documents(c, base, schema, &found, Access::Write)?
        .into_iter()
        .map(|document| (document.id, document))
        .collect();
    let mut existing = read_chunks(c, schema, &found)?;
    // Only to count tokens: vectors can be taken over even if the model cannot be reached.
    let model = model::resolve(&base.settings.space.model).ok();
    let mut writer = Writer::new(base, schema, model.as_ref(), &MakeVectors::Later, c)?;
    let mut kept = Vec::new();
    for given in given {
        let Some(document) = ids.get(given.key).and_then(|id| documents.get(id)) else { continue };
        let old = existing.remove(&document.id).unwrap_or_default();
        if write_chunk(&mut writer, document, old, &given, changed.contains(&document.id))? {
            changed.insert(document.id);
        } else {
            kept.push(document.id);
        }
    }
    writer.finish()?;
    kept.retain(|id| changed.contains(id));
    if source.sets_language && !kept.is_empty() {
        rebuild::refresh_lexemes_of(c, base, schema, &kept)?;
    }
    Ok(changed.len() as u64)
}

/// Writes the rows of `document`; returns the ids of those that were new or differed.
fn write_documents(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    source: &Source,
    given: &[Given],
) -> Result<HashSet<Uuid>> {
    let no_version = if base.versions()?.are_kept() { ", chunker_version = NULL" } else { "" };
    let values = [("schema", schema), ("key", base.conflict_target()?), ("no_version", no_version)];
    let sql = spi::render(include_str!("take_over_documents.sql"), &values);
    let args = [
        Arg::new(source.id),
        Arg::new(source.source_type),
        Arg::new(given.iter().map(|given| given.key).collect::<Vec<_>>()),
        Arg::new(given.iter().map(|given| given.title).collect::<Vec<_>>()),
        Arg::new(given.iter().map(|given| given.content).collect::<Vec<_>>()),
        Arg::new(given.iter().map(|given| given.metadata).collect::<Vec<_>>()),
        Arg::new(given.iter().map(|given| given.mime_type).collect::<Vec<_>>()),
        Arg::new(given.iter().map(|given| given.language).collect::<Vec<_>>()),
        Arg::new(source.sets_mime_type),
        Arg::new(source.sets_language),
    ];
    let changed = c.query(&sql, Access::Write, Planning::Auto, &args, |row| row.require(1))?;
    Ok(changed.into_iter().collect())
}

fn read_chunks(c: &Connection, schema: &str, documents: &[Uuid]) -> Result<HashMap<Uuid, Vec<Existing>>> {
    let pgvector = Pgvector::find()?;
    let values = [("schema", schema), ("vector", pgvector.schema.as_str())];
    let sql = spi::render(include_str!("chunk_vectors.sql"), &values);
    let rows = c.query(&sql, Access::Write, Planning::Auto, &[Arg::new(documents.to_vec())], |row| {
        let vector = row.get::<Vector>(4)?.map(|vector| vector.0);
        Ok((row.require::<Uuid>(1)?, Existing { id: row.require(2)?, hash: row.require(3)?, vector }))
    })?;
    let mut chunks: HashMap<Uuid, Vec<Existing>> = HashMap::new();
    for (document, chunk) in rows {
        chunks.entry(document).or_default().push(chunk);
    }
    Ok(chunks)
}

/// Gives a document its one chunk. Returns false if it has it already; then its position and metadata are corrected if `differs`.
fn write_chunk(
    writer: &mut Writer,
    document: &Document,
    existing: Vec<Existing>,
    given: &Given,
    differs: bool,
) -> Result<bool> {
    let content = document.content.as_str();
    if content.len() > chunking::MAX_CHUNK_BYTES {
        return Err(Error::limit(format!("the text of row \"{}\" has {} bytes", given.key, content.len()))
            .detail(format!("A chunk holds at most {} bytes.", chunking::MAX_CHUNK_BYTES))
            .hint(
                "A row with a vector is one chunk: shorten its text, or attach the table without embedding.",
            ));
    }
    let title = document.title.as_deref();
    let hash = sync::hash_of(title, Before::default(), content);
    let chunk =
        Chunk { bytes: 0..content.len(), chars: 0..content.chars().count(), heading: None, context: None };
    let new = NewChunk {
        document_id: document.id,
        ordinal: 0,
        title,
        content,
        page: None,
        chunk: &chunk,
        hash: &hash,
    };
    let same = match existing.as_slice() {
        [only] if only.has(&given.vector) => Some(only),
        _ => None,
    };
    let Some(only) = same else {
        writer.take_over(&new, given.vector.clone())?;
        existing.into_iter().for_each(|old| writer.delete(old.id));
        return Ok(true);
    };
    let (embedded, own) = only.hashes();
    if own == hash {
        if differs {
            writer.keep(only.id, true, &new)?;
        }
        return Ok(false);
    }
    let hash = if embedded == hash { hash.to_vec() } else { [embedded, &hash].concat() };
    writer.rewrite(only.id, &new, hash)?;
    Ok(true)
}

/// Deletes the chunks of those of the documents whose vectors were taken over: they are about to be cut and embedded.
pub fn release(base: &KnowledgeBase, source_id: Uuid, source_type: &str, keys: Vec<&str>) -> Result<()> {
    let sql = spi::render(include_str!("release.sql"), &[("schema", &base.quoted_schema())]);
    base.as_owner(|| {
        connect_without_seqscan(|c| {
            c.execute(&sql, &[Arg::new(source_id), Arg::new(source_type), Arg::new(keys)])
        })
    })?;
    Ok(())
}
