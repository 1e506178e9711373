//! Bringing the chunks of documents in line with their text.

use std::collections::{HashMap, VecDeque};

use kb_rag_core::chunk::{self, Chunk};
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::write::{NewChunk, Writer};
use crate::base::KnowledgeBase;
use crate::chunking;
use crate::error::{Error, Result};
use crate::model;
use crate::spi::{self, Access, Arg, Connection, Planning};

/// Documents are read in groups of at most this many, and this many bytes of text: one larger text is a group.
const GROUP_DOCUMENTS: usize = 64;
const GROUP_BYTES: i64 = 4 << 20;

/// A hash of what is embedded and indexed: title, heading and content.
type ChunkHash = [u8; 16];

struct Document {
    id: Uuid,
    title: Option<String>,
    content: String,
    mime_type: Option<String>,
    source_key: Option<String>,
}

/// Syncs the documents whose id and size in bytes `touched` selects, in bounded memory.
pub fn documents(base: &KnowledgeBase, schema: &str, connection: &Connection, touched: &str) -> Result<()> {
    let cursor = connection.cursor(touched, &[])?;
    let mut model = None;
    let mut group = Vec::new();
    let mut bytes = 0;
    loop {
        let rows =
            cursor.fetch(GROUP_DOCUMENTS as i64, |row| Ok((row.require(1)?, row.require::<i32>(2)?)))?;
        let done = rows.is_empty();
        for (id, size) in rows {
            group.push(id);
            bytes += i64::from(size);
            if group.len() >= GROUP_DOCUMENTS || bytes >= GROUP_BYTES {
                sync_group(base, schema, &mut model, std::mem::take(&mut group))?;
                bytes = 0;
            }
        }
        if done {
            break;
        }
    }
    if !group.is_empty() {
        sync_group(base, schema, &mut model, group)?;
    }
    cursor.close();
    Ok(())
}

/// Syncs some documents in a connection of its own, so that the memory of its statements is given back. The model is
/// opened only when there is something to do.
fn sync_group(
    base: &KnowledgeBase,
    schema: &str,
    model: &mut Option<model::Model>,
    ids: Vec<Uuid>,
) -> Result<()> {
    let model = match model {
        Some(model) => model,
        None => model.insert(model::resolve(&base.model)?),
    };
    spi::connect(|c| {
        let documents = read_documents(c, schema, &ids)?;
        let mut existing = read_chunks(c, schema, &ids)?;
        let mut writer = Writer::new(base, schema, model, c)?;
        for document in &documents {
            sync_document(base, document, existing.remove(&document.id).unwrap_or_default(), &mut writer)?;
        }
        writer.finish()
    })
}

fn read_documents(connection: &Connection, schema: &str, ids: &[Uuid]) -> Result<Vec<Document>> {
    let sql = spi::render(include_str!("documents.sql"), &[("schema", schema)]);
    connection.query(&sql, Access::Write, Planning::Auto, &[Arg::new(ids.to_vec())], |row| {
        Ok(Document {
            id: row.require(1)?,
            title: row.get(2)?,
            content: row.require(3)?,
            mime_type: row.get(4)?,
            source_key: row.get(5)?,
        })
    })
}

/// The chunks each document has, by hash, in their order.
type Existing = HashMap<ChunkHash, VecDeque<Uuid>>;

fn read_chunks(connection: &Connection, schema: &str, ids: &[Uuid]) -> Result<HashMap<Uuid, Existing>> {
    let sql = spi::render(include_str!("chunks.sql"), &[("schema", schema)]);
    let rows = connection.query(&sql, Access::Write, Planning::Auto, &[Arg::new(ids.to_vec())], |row| {
        Ok((row.require::<Uuid>(1)?, row.require::<Uuid>(2)?, row.require::<Vec<u8>>(3)?))
    })?;
    let mut documents: HashMap<Uuid, Existing> = HashMap::new();
    for (document, id, hash) in rows {
        // A hash of another length matches nothing: the chunk is replaced.
        let hash = ChunkHash::try_from(hash.as_slice()).unwrap_or_default();
        documents.entry(document).or_default().entry(hash).or_default().push_back(id);
    }
    Ok(documents)
}

/// Chunks one document; keeps what it already has, hands the rest to the writer, drops what is no longer there.
fn sync_document(
    base: &KnowledgeBase,
    document: &Document,
    mut existing: Existing,
    writer: &mut Writer,
) -> Result<()> {
    let settings = chunking::settings(
        base.chunk_size,
        base.chunk_overlap,
        &base.chunk_strategy,
        document.mime_type.as_deref(),
        document.source_key.as_deref(),
    )?;
    for (ordinal, chunk) in chunk::chunks(&document.content, &settings).enumerate() {
        let content = &document.content[chunk.bytes.clone()];
        if content.len() > chunking::MAX_CHUNK_BYTES {
            return Err(too_long(document, content.len()));
        }
        let hash = hash(document.title.as_deref(), &chunk, content);
        let new = NewChunk {
            document_id: document.id,
            ordinal: ordinal as i32,
            title: document.title.as_deref(),
            content,
            chunk: &chunk,
            hash: &hash,
        };
        match existing.get_mut(&hash).and_then(VecDeque::pop_front) {
            Some(id) => writer.keep(id, &new)?,
            None => writer.add(&new)?,
        }
    }
    existing.into_values().flatten().for_each(|id| writer.delete(id));
    Ok(())
}

fn too_long(document: &Document, bytes: usize) -> Error {
    Error::limit(format!("document {} gives a chunk of {bytes} bytes", document.id))
        .detail(format!("A chunk holds at most {} bytes.", chunking::MAX_CHUNK_BYTES))
        .hint("Use a chunk strategy other than none, or a smaller chunk size.")
}

fn hash(title: Option<&str>, chunk: &Chunk, content: &str) -> ChunkHash {
    let mut hasher = Sha256::new();
    for part in [title.unwrap_or_default(), chunk.heading.as_deref().unwrap_or_default(), content] {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut hash = ChunkHash::default();
    for (to, from) in hash.iter_mut().zip(hasher.finalize()) {
        *to = from;
    }
    hash
}
