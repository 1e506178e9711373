//! Syncing the chunks of documents with their text.

use std::collections::{HashMap, VecDeque};

use kb_rag_core::chunk::{Before, Pages};
use kb_rag_core::version::CHUNKER;
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::own_write::OwnWrite;
use super::status;
use super::write::{self, ChunkHash, MakeVectors, NewChunk, Writer};
use crate::base::KnowledgeBase;
use crate::chunking::{self, Origin};
use crate::error::{Error, Result};
use crate::keyword_index::{self, Place};
use crate::model;
use crate::postgres::guc;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::limit;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// Documents are read in groups of at most this many, and this many bytes of text: one larger text is a group.
const GROUP_DOCUMENTS: usize = 64;
const GROUP_BYTES: usize = 4 << 20;

pub(super) struct Document {
    pub id: Uuid,
    pub title: Option<String>,
    pub content: String,
    mime_type: Option<String>,
    source_key: Option<String>,
    source_type: String,
    pub imported: bool,
    status: String,
    /// The version of the chunker that cut it.
    pub chunker_version: Option<i32>,
    has_chunks: bool,
}

/// Syncs the documents that `touched` hands on in groups, in bounded memory. The model is opened only when there is something to do.
pub fn documents(
    base: &KnowledgeBase,
    schema: &str,
    vectors: &MakeVectors,
    touched: impl FnOnce(&mut dyn FnMut(Vec<Uuid>) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let mut model = None;
    keyword_index::collecting(&Place::for_base(base)?, || {
        touched(&mut |ids| {
            let model = match &model {
                Some(model) => model,
                None => model.insert(model::tokenizer_of(&base.settings.space.model)?),
            };
            limit::afresh(|| group(base, schema, model, vectors, &ids))
        })
    })
}

/// Documents that are handed on in groups whose texts fit into memory.
pub struct Groups<W> {
    work: W,
    ids: Vec<Uuid>,
    bytes: usize,
}

impl<W: FnMut(Vec<Uuid>) -> Result<()>> Groups<W> {
    pub fn new(work: W) -> Groups<W> {
        Groups { work, ids: Vec::new(), bytes: 0 }
    }

    /// Adds a document whose text has so many bytes.
    pub fn add(&mut self, id: Uuid, bytes: usize) -> Result<()> {
        self.ids.push(id);
        self.bytes += bytes;
        if self.ids.len() >= GROUP_DOCUMENTS || self.bytes >= GROUP_BYTES { self.flush() } else { Ok(()) }
    }

    /// Hands on the last group.
    pub fn finish(mut self) -> Result<()> {
        if self.ids.is_empty() { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        (self.work)(std::mem::take(&mut self.ids))
    }
}

/// Hands the ids of the documents that `touched` selects, with their sizes in bytes, to `work` in groups whose texts fit
/// into memory.
pub fn in_groups(
    connection: &Connection,
    touched: &str,
    work: impl FnMut(Vec<Uuid>) -> Result<()>,
) -> Result<()> {
    let cursor = limit::afresh(|| connection.cursor(touched, &[]))?;
    let mut groups = Groups::new(work);
    loop {
        let rows = limit::afresh(|| {
            cursor.fetch(GROUP_DOCUMENTS as i64, |row| {
                Ok((row.require::<Uuid>(1)?, row.require::<i32>(2)?.unsigned_abs() as usize))
            })
        })?;
        if rows.is_empty() {
            break;
        }
        rows.into_iter().try_for_each(|(id, bytes)| groups.add(id, bytes))?;
    }
    groups.finish()?;
    cursor.close();
    Ok(())
}

/// Runs `work` in a connection whose statements find rows by an index. Tables grow while a statement writes to them, and
/// plans are kept: one that read a table from end to end while it was small would make a bulk load quadratic.
pub fn connect_without_seqscan<T>(work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    guc::with_settings(&[(c"enable_seqscan", c"off")], || spi::connect(work))
}

/// Syncs some documents in a connection of its own, so that the memory of its statements is given back.
pub fn group(
    base: &KnowledgeBase,
    schema: &str,
    model: &model::Model,
    vectors: &MakeVectors,
    ids: &[Uuid],
) -> Result<()> {
    connect_without_seqscan(|c| {
        let documents = read_documents(c, base, schema, ids, Access::Write)?;
        let cut: Vec<Uuid> = documents.iter().filter(|d| d.has_chunks).map(|d| d.id).collect();
        // A new document, as most are, has none.
        let mut existing = match cut.as_slice() {
            [] => HashMap::new(),
            cut => read_chunks(c, base, schema, cut, Access::Write)?,
        };
        let mut writer = Writer::new(base, schema, Some(model), vectors, c)?;
        let imported: Vec<Uuid> = documents.iter().filter(|d| d.imported).map(|d| d.id).collect();
        if !imported.is_empty() {
            c.execute(
                &write::statement(include_str!("refresh_metadata.sql"), schema, base),
                &[Arg::new(imported)],
            )?;
        }
        // Imported chunks are not what the text would give.
        for document in documents.iter().filter(|document| !document.imported) {
            sync_document(
                base,
                model,
                document,
                existing.remove(&document.id).unwrap_or_default(),
                &mut writer,
            )?;
        }
        let unfinished = writer.finish()?;
        note_version(c, base, schema, &documents)?;
        let statuses = documents.iter().map(|document| (document.id, document.status.as_str()));
        status::correct(c, base, schema, vectors, statuses, &unfinished)
    })
}

/// Notes which version of the chunker cut documents, bypassing the triggers. Those that a trigger has just seen have it already.
fn note_version(c: &Connection, base: &KnowledgeBase, schema: &str, documents: &[Document]) -> Result<()> {
    let changed =
        documents.iter().filter(|document| !document.imported && document.chunker_version != Some(CHUNKER));
    let ids: Vec<Uuid> = changed.map(|document| document.id).collect();
    if ids.is_empty() || !base.versions()?.are_kept() {
        return Ok(());
    }
    let _own_write = OwnWrite::begin(base.table(c"document")?);
    let sql = spi::render(include_str!("set_chunker_version.sql"), &[("schema", schema)]);
    c.execute(&sql, &[Arg::new(ids), Arg::new(CHUNKER)])?;
    Ok(())
}

/// In a connection of [`connect_without_seqscan`]: the plan is kept.
pub(super) fn read_documents(
    connection: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    ids: &[Uuid],
    access: Access,
) -> Result<Vec<Document>> {
    let values = [("chunker_version", base.versions()?.chunker_version()), ("schema", schema)];
    let sql = spi::render(include_str!("documents.sql"), &values);
    connection.query(&sql, access, Planning::Generic, &[Arg::new(ids.to_vec())], |row| {
        Ok(Document {
            id: row.require(1)?,
            title: row.get(2)?,
            content: row.require(3)?,
            mime_type: row.get(4)?,
            source_key: row.get(5)?,
            source_type: row.require(6)?,
            imported: row.require(7)?,
            status: row.require(8)?,
            chunker_version: row.get(9)?,
            has_chunks: row.require(10)?,
        })
    })
}

/// An existing chunk of a document.
pub(super) struct OldChunk {
    id: Uuid,
    pub hash: ChunkHash,
    pub has_vector: bool,
    /// Ordinal, start, end and page, which is 0 for none.
    pub position: [i32; 4],
    pub heading: Option<String>,
    pub context: Option<String>,
}

impl OldChunk {
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// The texts that were embedded before its own, after the title.
    pub fn before(&self) -> Before<'_> {
        Before { heading: self.heading.as_deref(), context: self.context.as_deref() }
    }

    /// Whether it is the chunk that the text gives, with its vector and in its place.
    pub fn is(&self, new: &NewChunk) -> bool {
        let (start, end) = (new.chunk.chars.start as i32, new.chunk.chars.end as i32);
        let position = [new.ordinal, start, end, new.page.unwrap_or(0)];
        self.has_vector && self.hash == *new.hash && self.position == position
    }
}

/// The chunks of each document, in their order.
pub(super) fn read_chunks(
    connection: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    ids: &[Uuid],
    access: Access,
) -> Result<HashMap<Uuid, Vec<OldChunk>>> {
    let sql = spi::render(include_str!("chunks.sql"), &[("schema", schema), ("context", base.context())]);
    let rows = connection.query(&sql, access, Planning::Auto, &[Arg::new(ids.to_vec())], |row| {
        // A hash of another length matches nothing: the chunk is replaced.
        let hash = ChunkHash::try_from(row.require::<Vec<u8>>(3)?.as_slice()).unwrap_or_default();
        let position = [row.require(5)?, row.require(6)?, row.require(7)?, row.require(8)?];
        let chunk = OldChunk {
            id: row.require(2)?,
            hash,
            has_vector: row.require(4)?,
            position,
            heading: row.get(9)?,
            context: row.get(10)?,
        };
        Ok((row.require::<Uuid>(1)?, chunk))
    })?;
    let mut documents: HashMap<Uuid, Vec<OldChunk>> = HashMap::new();
    for (document, chunk) in rows {
        documents.entry(document).or_default().push(chunk);
    }
    Ok(documents)
}

/// Chunks one document; keeps what it already has, hands the rest to the writer, drops what is no longer there.
fn sync_document(
    base: &KnowledgeBase,
    model: &model::Model,
    document: &Document,
    existing: Vec<OldChunk>,
    writer: &mut Writer,
) -> Result<()> {
    writer.renew(document.id);
    let mut by_hash: HashMap<ChunkHash, VecDeque<OldChunk>> = HashMap::new();
    for chunk in existing {
        by_hash.entry(chunk.hash).or_default().push_back(chunk);
    }
    for_each_chunk(base, model, document, |new| {
        match by_hash.get_mut(new.hash).and_then(VecDeque::pop_front) {
            Some(old) => writer.keep(old.id, old.has_vector, new),
            None => writer.add(new),
        }
    })?;
    by_hash.into_values().flatten().for_each(|old| writer.delete(old.id));
    Ok(())
}

/// Hands the chunks that the text of a document gives to `take`, in their order.
pub(super) fn for_each_chunk(
    base: &KnowledgeBase,
    model: &model::Model,
    document: &Document,
    mut take: impl FnMut(&NewChunk) -> Result<()>,
) -> Result<()> {
    let origin = Origin {
        mime_type: document.mime_type.as_deref(),
        source_key: document.source_key.as_deref(),
        source_type: Some(&document.source_type),
    };
    let chunks = chunking::document_chunks(
        &base.settings.chunks,
        model,
        document.title.as_deref(),
        &document.content,
        &origin,
    )?;
    let mut pages = Pages::from_text(&document.content);
    let has_context = base.has_context();
    for (ordinal, mut chunk) in chunks.enumerate() {
        check_for_interrupts();
        let content = &document.content[chunk.bytes.clone()];
        let bytes = chunk.context.as_deref().map_or(0, |context| context.len() + 1);
        if !has_context || content.len() + bytes > chunking::MAX_CHUNK_BYTES {
            chunk.context = None;
        }
        if content.len() > chunking::MAX_CHUNK_BYTES {
            return Err(too_long(document, content.len()));
        }
        let hash = hash_of(document.title.as_deref(), chunk.before(), content);
        take(&NewChunk {
            document_id: document.id,
            ordinal: ordinal as i32,
            title: document.title.as_deref(),
            content,
            page: pages.at(chunk.bytes.start),
            chunk: &chunk,
            hash: &hash,
        })?;
    }
    Ok(())
}

fn too_long(document: &Document, bytes: usize) -> Error {
    Error::limit(format!("document {} gives a chunk of {bytes} bytes", document.id))
        .detail(format!("A chunk holds at most {} bytes.", chunking::MAX_CHUNK_BYTES))
        .hint("Use a chunk_strategy other than none, or a smaller chunk_size.")
}

/// The hash of a chunk. Without a context it is the one that kb_rag 0.3 made.
pub fn hash_of(title: Option<&str>, before: Before, content: &str) -> ChunkHash {
    let mut hasher = Sha256::new();
    let parts = [title.unwrap_or_default(), before.heading.unwrap_or_default(), content];
    for part in parts.into_iter().chain(before.context) {
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
