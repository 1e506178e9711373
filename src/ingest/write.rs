//! Writing chunks and their vectors in batches.

use kb_rag_core::chunk::Chunk;
use pgrx::Uuid;

use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::model::{InputType, Model};
use crate::spi::{self, Arg, Connection};
use crate::uuid;
use crate::vector::Pgvector;

/// The metadata of a chunk `u` of the document `d`.
const CHUNK_METADATA: &str = include_str!("chunk_metadata.sql");

/// The lexemes of a chunk `u` of the document `d` in the text search configuration `l.name`.
const CHUNK_TSV: &str = include_str!("chunk_tsv.sql");

/// Fills the placeholders of a statement that writes chunks.
pub fn statement(template: &str, schema: &str, text_config: &str) -> String {
    let prefix = PREFIX_CHARACTERS.to_string();
    let tsv = spi::render(CHUNK_TSV, &[("prefix", &prefix)]);
    let text_config = spi::quote_literal(text_config);
    spi::render(
        template,
        &[("metadata", CHUNK_METADATA), ("tsv", &tsv), ("text_config", &text_config), ("schema", schema)],
    )
}

/// Chunks are written when this many are ready.
const BATCH: usize = 64;

/// At most this many characters of the title, and of the heading path, are embedded and indexed with each chunk.
const PREFIX_CHARACTERS: usize = 300;

/// A chunk as the chunker gave it, borrowed from its document.
pub struct NewChunk<'a> {
    pub document_id: Uuid,
    pub ordinal: i32,
    pub title: Option<&'a str>,
    pub content: &'a str,
    pub chunk: &'a Chunk,
    pub hash: &'a [u8],
}

impl NewChunk<'_> {
    /// What is embedded: title and heading path before the text.
    fn embedded_text(&self) -> String {
        [self.title.map(prefix), self.chunk.heading.as_deref().map(prefix), Some(self.content)]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// The part of a title or heading path that goes before the text: a longer one would leave no room for it.
fn prefix(text: &str) -> &str {
    text.char_indices().nth(PREFIX_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

/// Columns of the chunks that wait to be written.
#[derive(Default)]
struct Columns {
    ids: Vec<Uuid>,
    document_ids: Vec<Uuid>,
    ordinals: Vec<i32>,
    contents: Vec<String>,
    starts: Vec<i32>,
    ends: Vec<i32>,
    headings: Vec<Option<String>>,
    token_counts: Vec<Option<i32>>,
    hashes: Vec<Vec<u8>>,
    vectors: Vec<Vec<f32>>,
}

/// Collects changes and writes them. Everything is written when `finish` returns.
pub struct Writer<'a> {
    connection: &'a Connection,
    model: &'a Model,
    base: &'a KnowledgeBase,
    pgvector: Pgvector,
    schema: &'a str,
    added: Columns,
    kept: Columns,
    deleted: Vec<Uuid>,
}

impl<'a> Writer<'a> {
    pub fn new(
        base: &'a KnowledgeBase,
        schema: &'a str,
        model: &'a Model,
        connection: &'a Connection,
    ) -> Result<Writer<'a>> {
        Ok(Writer {
            connection,
            model,
            base,
            pgvector: Pgvector::find()?,
            schema,
            added: Columns::default(),
            kept: Columns::default(),
            deleted: Vec::new(),
        })
    }

    /// Embeds a chunk and queues it to be inserted.
    pub fn add(&mut self, new: &NewChunk) -> Result<()> {
        let vector = self.model.embed(&new.embedded_text(), self.base.dimensions, InputType::Document)?;
        let added = &mut self.added;
        added.push_position(uuid::v7()?, new);
        added.contents.push(new.content.to_string());
        added.token_counts.push(self.model.count_tokens(new.content));
        added.hashes.push(new.hash.to_vec());
        added.vectors.push(vector);
        if added.ids.len() >= BATCH {
            self.insert()?;
        }
        Ok(())
    }

    /// Queues a chunk whose text is unchanged for a look at its position and metadata. Its vector is not touched.
    pub fn keep(&mut self, id: Uuid, new: &NewChunk) -> Result<()> {
        self.kept.push_position(id, new);
        if self.kept.ids.len() >= BATCH {
            self.update()?;
        }
        Ok(())
    }

    /// Queues a chunk to be deleted; its vector goes with it.
    pub fn delete(&mut self, id: Uuid) {
        self.deleted.push(id);
    }

    /// Writes all that is queued.
    pub fn finish(mut self) -> Result<()> {
        self.insert()?;
        self.update()?;
        if !self.deleted.is_empty() {
            let sql = spi::render(include_str!("delete_chunks.sql"), &[("schema", self.schema)]);
            self.connection.execute(&sql, &[Arg::new(std::mem::take(&mut self.deleted))])?;
        }
        Ok(())
    }

    fn insert(&mut self) -> Result<()> {
        if self.added.ids.is_empty() {
            return Ok(());
        }
        let added = std::mem::take(&mut self.added);
        // A connection of its own, so that the memory of the values is given back after each batch.
        spi::connect(|c| {
            let chunk_ids = added.ids.clone();
            let vectors = self.pgvector.array_arg(&added.vectors)?;
            let mut args = added.position_args();
            args.extend([
                Arg::new(added.contents),
                Arg::new(added.token_counts),
                Arg::new(added.hashes),
                Arg::new(self.base.text_config.as_str()),
            ]);
            c.execute(&self.statement(include_str!("insert_chunks.sql")), &args)?;
            c.execute(&self.statement(include_str!("insert_embeddings.sql")), &[Arg::new(chunk_ids), vectors])
        })?;
        self.base.record_variant(self.model.variant())
    }

    fn update(&mut self) -> Result<()> {
        if self.kept.ids.is_empty() {
            return Ok(());
        }
        let kept = std::mem::take(&mut self.kept);
        spi::connect(|c| {
            c.execute(&self.statement(include_str!("update_chunks.sql")), &kept.position_args())
        })?;
        Ok(())
    }

    fn statement(&self, template: &str) -> String {
        statement(template, self.schema, &self.base.text_config)
    }
}

impl Columns {
    fn push_position(&mut self, id: Uuid, new: &NewChunk) {
        self.ids.push(id);
        self.document_ids.push(new.document_id);
        self.ordinals.push(new.ordinal);
        self.starts.push(new.chunk.chars.start as i32);
        self.ends.push(new.chunk.chars.end as i32);
        self.headings.push(new.chunk.heading.as_deref().map(str::to_string));
    }

    fn position_args(&self) -> Vec<Arg> {
        vec![
            Arg::new(self.ids.clone()),
            Arg::new(self.document_ids.clone()),
            Arg::new(self.ordinals.clone()),
            Arg::new(self.starts.clone()),
            Arg::new(self.ends.clone()),
            Arg::new(self.headings.clone()),
        ]
    }
}
