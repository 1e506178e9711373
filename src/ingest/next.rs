//! Chunks for a pending model. Documents that it cuts differently have their chunks in the table `chunk_<n>`, the others only in
//! `chunk`; its vectors are of either. A chunk with a text that is there already keeps its id, and so its vector.

use std::collections::HashMap;

use kb_rag_core::recut::Ids;
use kb_rag_core::version::CHUNKER;
use pgrx::Uuid;

use super::compare::is_as_cut;
use super::own_write::OwnWrite;
use super::sync::{self, Document, OldChunk};
use super::write::{self, BATCH, ChunkHash, Columns};
use crate::base::{KnowledgeBase, NextTables, Pending};
use crate::chunking;
use crate::error::Result;
use crate::model::{self, Model};
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::uuid;
use crate::queue::{self, Kind};

/// Queues documents, which were written, for the pending model, and marks their chunks in its table. Workers
/// cut them: writers do not wait for that.
pub fn renew(c: &Connection, base: &KnowledgeBase, schema: &str, documents: &[Uuid]) -> Result<()> {
    if documents.is_empty() {
        return Ok(());
    }
    if let Some(chunks) = table(base) {
        let sql = spi::render(include_str!("mark_stale.sql"), &[("schema", schema), ("chunks", &chunks)]);
        c.execute(&sql, &[Arg::new(documents.to_vec())])?;
    }
    queue::enqueue(base.id, Kind::Change, documents)
}

/// Notes that vectors of the pending model are of an earlier text of these chunks. Its index may be being built: writers do not wait for
/// that.
pub fn forget_vectors(c: &Connection, base: &KnowledgeBase, schema: &str, chunks: Vec<Uuid>) -> Result<()> {
    let Some(table) = table(base).filter(|_| !chunks.is_empty()) else { return Ok(()) };
    let sql = spi::render(include_str!("note_forgotten.sql"), &[("schema", schema), ("chunks", &table)]);
    c.execute(&sql, &[Arg::new(chunks)]).map(drop)
}

/// Queues documents whose metadata or language a statement changed, within its trigger: their chunks for the pending model have both.
pub fn renew_changed(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let Some(chunks) = table(base) else { return Ok(()) };
    let sql = spi::render(include_str!("changed_metadata.sql"), &[("schema", schema), ("chunks", &chunks)]);
    let changed = c.query(&sql, Access::Write, Planning::Auto, &[], |row| row.require::<Uuid>(1))?;
    renew(c, base, schema, &changed)
}

/// Notes which version of the chunker cut the documents whose chunks are being replaced.
pub fn note_versions(c: &Connection, base: &KnowledgeBase, schema: &str) -> Result<()> {
    let Some(chunks) = table(base) else { return Ok(()) };
    if !base.versions()?.are_kept() {
        return Ok(());
    }
    let _own_write = OwnWrite::begin(base.table(c"document")?);
    let sql = spi::render(include_str!("note_next_versions.sql"), &[("schema", schema), ("chunks", &chunks)]);
    c.execute(&sql, &[Arg::new(CHUNKER)]).map(drop)
}

/// The table of the chunks for the pending model, if it is there.
fn table(base: &KnowledgeBase) -> Option<String> {
    let tables = base.next_tables()?;
    let [_, name] = tables.names();
    base.has_relation(&name).then_some(tables.chunks)
}

/// The tables of the pending model, with what cuts for it.
struct Next<'a> {
    /// With the settings of the pending model.
    base: KnowledgeBase,
    schema: &'a str,
    tables: NextTables,
    model: Model,
}

/// Cuts documents, which the caller has locked, for the pending model: `chunk_<n>` has the chunks of those that come out differently
/// afterward, and of no others of them.
pub fn cut(c: &Connection, base: &KnowledgeBase, schema: &str, documents: &[Uuid]) -> Result<()> {
    let Some(Pending { base: of_next, tables }) = base.pending() else { return Ok(()) };
    let model = model::tokenizer_of(&of_next.settings.space.model)?;
    let next = Next { base: of_next, schema, tables, model };
    let (read, mut present) = sync::connect_without_seqscan(|c| {
        let read = sync::read_documents(c, base, schema, documents, Access::Write)?;
        Ok((read, sync::read_chunks(c, base, schema, documents, Access::Write)?))
    })?;
    let mut former = next.read(c, documents)?;
    for document in read {
        let mut present = present.remove(&document.id).unwrap_or_default();
        // Whether their vectors are there does not matter.
        present.iter_mut().for_each(|chunk| chunk.has_vector = true);
        next.cut(c, &document, present, former.remove(&document.id).unwrap_or_default())?;
    }
    if next.base.settings.space == base.settings.space {
        c.execute(&next.render(include_str!("copy_vectors.sql")), &[Arg::new(documents.to_vec())])?;
    }
    Ok(())
}

/// A row of `chunk_<n>`; without a hash it names a chunk whose vector is of an earlier text.
struct Former {
    id: Uuid,
    hash: Option<ChunkHash>,
}

impl Next<'_> {
    fn render(&self, template: &str) -> String {
        let NextTables { vectors, chunks } = &self.tables;
        let values = [("chunks", chunks.as_str()), ("table", vectors), ("schema", self.schema)];
        spi::render(template, &values)
    }

    fn read(&self, c: &Connection, documents: &[Uuid]) -> Result<HashMap<Uuid, Vec<Former>>> {
        let args = [Arg::new(documents.to_vec())];
        let sql = self.render(include_str!("next_chunks.sql"));
        let rows = c.query(&sql, Access::Write, Planning::Auto, &args, |row| {
            let hash = row.get::<Vec<u8>>(3)?.map(|hash| ChunkHash::try_from(&hash[..]).unwrap_or_default());
            Ok((row.require::<Uuid>(1)?, Former { id: row.require(2)?, hash }))
        })?;
        let mut documents: HashMap<Uuid, Vec<Former>> = HashMap::new();
        for (document, chunk) in rows {
            documents.entry(document).or_default().push(chunk);
        }
        Ok(documents)
    }

    fn cut(
        &self,
        c: &Connection,
        document: &Document,
        present: Vec<OldChunk>,
        former: Vec<Former>,
    ) -> Result<()> {
        let forgotten: Vec<Uuid> = former.iter().filter(|row| row.hash.is_none()).map(|row| row.id).collect();
        self.delete_vectors(c, forgotten)?;
        if !former.is_empty() {
            c.execute(&self.render(include_str!("delete_next_chunks.sql")), &[Arg::new(document.id)])?;
        }
        // Imported chunks are not what the text would give.
        let is_same = document.imported || is_as_cut(&self.base, &self.model, document, present.iter())?;
        let present = present.iter().map(|chunk| (chunk.id(), chunk.hash));
        let former = former.into_iter().filter_map(|row| Some((row.id, row.hash?)));
        let mut ids = Ids::new(present, former);
        if !is_same {
            self.insert(c, document, &mut ids)?;
        }
        self.delete_vectors(c, ids.left())
    }

    /// Inserts the chunks of a document; those with a known text get their ids.
    fn insert(&self, c: &Connection, document: &Document, ids: &mut Ids<Uuid, ChunkHash>) -> Result<()> {
        let insert = self.render(include_str!("insert_chunks.sql"));
        let insert = write::statement(&insert, self.schema, &self.base);
        let mut columns = Columns::default();
        sync::for_each_chunk(&self.base, &self.model, document, |new| {
            let id = ids.take(new.hash).map_or_else(uuid::v7, Ok)?;
            let tokens = chunking::count_tokens(&self.model, new.content);
            columns.push(id, new, tokens, new.hash.to_vec());
            if columns.ids.len() >= BATCH {
                c.execute(&insert, &std::mem::take(&mut columns).args())?;
            }
            Ok(())
        })?;
        if columns.ids.is_empty() {
            return Ok(());
        }
        c.execute(&insert, &columns.args()).map(drop)
    }

    fn delete_vectors(&self, c: &Connection, chunks: Vec<Uuid>) -> Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        c.execute(&self.render(include_str!("delete_next_vectors.sql")), &[Arg::new(chunks)]).map(drop)
    }
}
