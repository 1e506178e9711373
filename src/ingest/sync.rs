//! Syncing the chunks of documents with their text.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use kb_rag_core::chunk::{Chunk, Pages, located};
use kb_rag_core::version::CHUNKER;
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::own_write::OwnWrite;
use super::status;
use super::write::{self, ChunkHash, MakeVectors, NewChunk, Writer};
use crate::base::{Embed, KnowledgeBase};
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
const GROUP_BYTES: i64 = 4 << 20;

struct Document {
    id: Uuid,
    title: Option<String>,
    content: String,
    mime_type: Option<String>,
    source_key: Option<String>,
    source_type: String,
    imported: bool,
    status: String,
    /// The version of the chunker that cut it.
    chunker_version: Option<i32>,
}

impl Document {
    /// Whether an earlier version of the chunker cut it.
    fn is_cut_before(&self) -> bool {
        !self.imported && self.chunker_version.is_none_or(|version| version < CHUNKER)
    }
}

/// Syncs the documents whose id and size in bytes `touched` selects, in bounded memory. The model is opened only when
/// there is something to do.
pub fn documents(
    base: &KnowledgeBase,
    schema: &str,
    connection: &Connection,
    touched: &str,
    vectors: &MakeVectors,
) -> Result<()> {
    let mut model = None;
    keyword_index::collecting(&Place::for_base(base)?, || {
        in_groups(connection, touched, |ids| {
            let model = match &model {
                Some(model) => model,
                None => model.insert(model::tokenizer_of(&base.settings.space.model)?),
            };
            limit::afresh(|| group(base, schema, model, vectors, &ids))
        })
    })
}

/// Hands the ids of the documents that `touched` selects, with their sizes in bytes, to `work` in groups whose texts fit
/// into memory.
pub fn in_groups(
    connection: &Connection,
    touched: &str,
    mut work: impl FnMut(Vec<Uuid>) -> Result<()>,
) -> Result<()> {
    let cursor = limit::afresh(|| connection.cursor(touched, &[]))?;
    let mut group = Vec::new();
    let mut bytes = 0;
    loop {
        let rows = limit::afresh(|| {
            cursor.fetch(GROUP_DOCUMENTS as i64, |row| Ok((row.require(1)?, row.require::<i32>(2)?)))
        })?;
        let done = rows.is_empty();
        for (id, size) in rows {
            group.push(id);
            bytes += i64::from(size);
            if group.len() >= GROUP_DOCUMENTS || bytes >= GROUP_BYTES {
                work(std::mem::take(&mut group))?;
                bytes = 0;
            }
        }
        if done {
            break;
        }
    }
    if !group.is_empty() {
        work(group)?;
    }
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
        let mut existing = read_chunks(c, schema, ids, Access::Write)?;
        let mut writer = Writer::new(base, schema, Some(model), vectors, c)?;
        let imported: Vec<Uuid> = documents.iter().filter(|d| d.imported).map(|d| d.id).collect();
        if !imported.is_empty() {
            c.execute(
                &write::statement(include_str!("refresh_metadata.sql"), schema, &base.settings),
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

/// What is to be done for documents.
#[derive(Default)]
pub struct OutOfSync {
    /// Their chunks are not what their text gives, or lack a vector while the document is not queued.
    pub damaged: Vec<Uuid>,
    /// An earlier version of the chunker cut them, and today's cuts the same.
    pub to_note: Vec<Uuid>,
}

/// The documents that are out of sync, without those that are `queued` for vectors alone. Chunks of an earlier version of the
/// chunker are right as long as they are whole; with `outdated`, only what today's version cuts is. Reads one snapshot, so that a
/// writer that commits meanwhile is not mistaken for a fault.
pub fn out_of_sync(
    base: &KnowledgeBase,
    model: &model::Model,
    schema: &str,
    ids: &[Uuid],
    queued: &HashSet<Uuid>,
    outdated: bool,
) -> Result<OutOfSync> {
    connect_without_seqscan(|c| {
        let documents = read_documents(c, base, schema, ids, Access::Read)?;
        let mut existing = read_chunks(c, schema, ids, Access::Read)?;
        let mut found = OutOfSync::default();
        let keeps_versions = base.versions()?.are_kept();
        for document in documents {
            check_for_interrupts();
            let mut old = existing.remove(&document.id).unwrap_or_default();
            if base.settings.embed == Embed::Off || queued.contains(&document.id) {
                old.iter_mut().for_each(|chunk| chunk.has_vector = true);
            }
            if document.imported {
                if old.is_empty() || old.iter().any(|chunk| !chunk.has_vector) {
                    found.damaged.push(document.id);
                }
                continue;
            }
            let is_cut_before = document.is_cut_before();
            let in_sync = if is_cut_before && !outdated {
                is_whole(&document, &old)
            } else {
                is_as_cut(base, model, &document, old)?
            };
            if !in_sync {
                found.damaged.push(document.id);
            } else if outdated && is_cut_before && keeps_versions {
                found.to_note.push(document.id);
            }
        }
        Ok(found)
    })
}

/// Whether the chunks are those that the text gives, with their vectors.
fn is_as_cut(
    base: &KnowledgeBase,
    model: &model::Model,
    document: &Document,
    old: Vec<OldChunk>,
) -> Result<bool> {
    let mut rest = old.into_iter();
    let mut is_same = true;
    for_each_chunk(base, model, document, |new| {
        is_same = is_same && rest.next().is_some_and(|old| old.is(new));
        Ok(())
    })?;
    Ok(is_same && rest.next().is_none())
}

/// Whether the chunks, cut by an earlier version, have all of the text, with their vectors.
fn is_whole(document: &Document, old: &[OldChunk]) -> bool {
    let text = document.content.as_str();
    let chars = |chunk: &OldChunk| {
        let [_, start, end, _] = chunk.position.map(|place| usize::try_from(place).unwrap_or(usize::MAX));
        start..end
    };
    let places: Vec<Range<usize>> = old.iter().map(chars).collect();
    let Some(places) = located(text, &places) else { return false };
    let mut pages = Pages::from_text(text);
    (0..).zip(old).zip(places).all(|((ordinal, chunk), bytes)| {
        let page = pages.at(bytes.start).unwrap_or(0);
        chunk.has_vector
            && (chunk.position[0], chunk.position[3]) == (ordinal, page)
            && chunk.hash == hash_of(document.title.as_deref(), chunk.heading.as_deref(), &text[bytes])
    })
}

/// Takes title, heading and content of a chunk.
type TakeCut<'a> = dyn FnMut(Option<&str>, Option<&str>, &str) + 'a;

/// Hands each chunk that today's version of the chunker makes of documents, and that has no vector yet, to `take`: title, heading
/// and content. With `all`, also those that have one.
pub fn each_cut(
    base: &KnowledgeBase,
    model: &model::Model,
    schema: &str,
    ids: &[Uuid],
    all: bool,
    take: &mut TakeCut,
) -> Result<()> {
    connect_without_seqscan(|c| {
        let documents = read_documents(c, base, schema, ids, Access::Read)?;
        let mut existing = read_chunks(c, schema, ids, Access::Read)?;
        for document in &documents {
            let mut embedded: HashMap<ChunkHash, usize> = HashMap::new();
            for old in existing.remove(&document.id).unwrap_or_default() {
                *embedded.entry(old.hash).or_default() += usize::from(old.has_vector && !all);
            }
            for_each_chunk(base, model, document, |new| {
                match embedded.get_mut(new.hash).filter(|left| **left > 0) {
                    Some(left) => *left -= 1,
                    None => take(new.title, new.chunk.heading.as_deref(), new.content),
                }
                Ok(())
            })?;
        }
        Ok(())
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

fn read_documents(
    connection: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    ids: &[Uuid],
    access: Access,
) -> Result<Vec<Document>> {
    let sql = base.versions()?.render(include_str!("documents.sql"), schema);
    connection.query(&sql, access, Planning::Auto, &[Arg::new(ids.to_vec())], |row| {
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
        })
    })
}

/// An existing chunk of a document.
struct OldChunk {
    id: Uuid,
    hash: ChunkHash,
    has_vector: bool,
    /// Ordinal, start, end and page, which is 0 for none.
    position: [i32; 4],
    heading: Option<String>,
}

impl OldChunk {
    /// Whether it is the chunk that the text gives, with its vector and in its place.
    fn is(&self, new: &NewChunk) -> bool {
        let (start, end) = (new.chunk.chars.start as i32, new.chunk.chars.end as i32);
        let position = [new.ordinal, start, end, new.page.unwrap_or(0)];
        self.has_vector && self.hash == *new.hash && self.position == position
    }
}

/// The chunks of each document, in their order.
fn read_chunks(
    connection: &Connection,
    schema: &str,
    ids: &[Uuid],
    access: Access,
) -> Result<HashMap<Uuid, Vec<OldChunk>>> {
    let sql = spi::render(include_str!("chunks.sql"), &[("schema", schema)]);
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
fn for_each_chunk(
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
    for (ordinal, chunk) in chunks.enumerate() {
        check_for_interrupts();
        let content = &document.content[chunk.bytes.clone()];
        if content.len() > chunking::MAX_CHUNK_BYTES {
            return Err(too_long(document, content.len()));
        }
        let hash = hash(document.title.as_deref(), &chunk, content);
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

/// The hash of a chunk.
pub fn hash(title: Option<&str>, chunk: &Chunk, content: &str) -> ChunkHash {
    hash_of(title, chunk.heading.as_deref(), content)
}

fn hash_of(title: Option<&str>, heading: Option<&str>, content: &str) -> ChunkHash {
    let mut hasher = Sha256::new();
    for part in [title.unwrap_or_default(), heading.unwrap_or_default(), content] {
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
