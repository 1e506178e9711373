//! Writing chunks and their vectors in batches.

use std::collections::BTreeSet;
use std::ffi::CStr;

use kb_rag_core::analyzer::LexemeFormat;
use kb_rag_core::chunk::Chunk;
use pgrx::{Uuid, pg_sys};

use super::next;
use super::waiting::Limit;
use crate::base::{Embed, KnowledgeBase, Lexemes};
use crate::chunking;
use crate::error::{Error, Result};
use crate::model::{InputType, Model};
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Arg, Connection, Planning};
use crate::postgres::test_point::test_point;
use crate::postgres::uuid;
use crate::postgres::vector::Pgvector;
use crate::queue::{self, Kind};
use crate::settings;

/// The metadata of a chunk `u` of the document `d`.
const CHUNK_METADATA: &str = include_str!("chunk_metadata.sql");

/// The keys that chunks get in their metadata from columns of their document `d`, with the expressions of their values.
const OF_DOCUMENT: [(&str, &str); 4] = [
    ("title", "d.title"),
    ("source_url", include_str!("source_url.sql")),
    ("filePath", include_str!("file_path.sql")),
    ("language", "{language}"),
];

/// Those of the keys that are `wanted`, with their values, as arguments of jsonb_build_object.
fn of_document(wanted: impl Fn(&str) -> bool, replacements: &[(&str, &str)]) -> String {
    let wanted = OF_DOCUMENT.iter().filter(|(key, _)| wanted(key));
    let pairs: Vec<String> = wanted.map(|(key, value)| format!("'{key}', {}", value.trim_end())).collect();
    spi::render(&pairs.join(",\n        "), replacements)
}

/// The metadata of a document `d` with those of the `wanted` keys that its chunks have from its columns. A column that the owner dropped
/// or altered counts as NULL.
pub fn document_metadata(base: &KnowledgeBase, wanted: &[String]) -> String {
    let column = |name: &CStr, oid, column, missing| {
        if base.has_own_columns(c"document", &[(name, oid)]) { column } else { missing }
    };
    let pairs = of_document(
        |key| wanted.iter().any(|wanted| wanted == key),
        &[
            ("schema", &base.quoted_schema()),
            ("source_id", column(c"source_id", pg_sys::UUIDOID, "d.source_id", "NULL::uuid")),
            ("language", column(c"language", pg_sys::TEXTOID, "d.language", "NULL::text")),
        ],
    );
    if pairs.is_empty() {
        return "d.metadata".to_string();
    }
    format!("(jsonb_strip_nulls(jsonb_build_object({pairs})) || d.metadata)")
}

/// The text of a chunk `u` after its heading, where its table has a context.
const TEXT: &str =
    "CASE WHEN u.context IS NULL THEN u.content ELSE pg_catalog.concat(u.context, E'\\n', u.content) END";

/// The lexemes of a chunk `u` of the document `d` in the text search configuration `l.config`, for each format. The first one
/// calls only what kb_rag 0.3.0 had.
fn chunk_tsv(format: LexemeFormat) -> &'static str {
    match format {
        LexemeFormat::One => include_str!("chunk_tsv_1.sql"),
        LexemeFormat::Two => include_str!("chunk_tsv.sql"),
    }
}

/// Fills the placeholders of a statement that writes chunks. `{analyzer}` is the name of the analyzer of a document in the text
/// search configuration `l.config`.
pub fn statement(template: &str, schema: &str, base: &KnowledgeBase) -> String {
    let settings = &base.settings;
    let has_context = base.has_context();
    let Lexemes { format, fold_accents } = settings.lexemes;
    let tsv = spi::render(
        chunk_tsv(format),
        &[
            ("text", if has_context { TEXT } else { "u.content" }),
            ("prefix", &chunking::PREFIX_CHARACTERS.to_string()),
            ("format", &format.number().to_string()),
            ("fold_accents", &fold_accents.to_string()),
        ],
    );
    let analyzer = match settings.lexemes.analyzer("").ending() {
        "" => "l.config".to_string(),
        ending => format!("pg_catalog.concat(l.config, {})", spi::quote_literal(ending)),
    };
    let of_document = of_document(
        |_| true,
        &[("schema", schema), ("source_id", "d.source_id"), ("language", "d.language")],
    );
    let metadata = spi::render(CHUNK_METADATA, &[("of_document", &of_document)]);
    let text_config = spi::quote_literal(&settings.text_config);
    let replacements = [
        ("metadata", metadata.as_str()),
        ("tsv", &tsv),
        ("analyzer", &analyzer),
        ("text_config", &text_config),
        ("context_column", if has_context { ", context" } else { "" }),
        ("context_value", if has_context { ", u.context" } else { "" }),
        ("schema", schema),
        ("chunks", "chunk"),
    ];
    spi::render(template, &replacements)
}

/// Chunks are written when this many are ready.
pub const BATCH: usize = 64;

/// A hash of what is embedded and indexed: title, heading, context and content.
pub type ChunkHash = [u8; 16];

/// A chunk as the chunker gave it, borrowed from its document.
pub struct NewChunk<'a> {
    pub document_id: Uuid,
    pub ordinal: i32,
    pub title: Option<&'a str>,
    pub content: &'a str,
    /// Its page, from 1; None in a document without pages.
    pub page: Option<i32>,
    pub chunk: &'a Chunk,
    pub hash: &'a ChunkHash,
}

/// Columns of the chunks that wait to be written.
#[derive(Default)]
pub(super) struct Columns {
    pub ids: Vec<Uuid>,
    document_ids: Vec<Uuid>,
    ordinals: Vec<i32>,
    contents: Vec<String>,
    starts: Vec<i32>,
    ends: Vec<i32>,
    pages: Vec<Option<i32>>,
    headings: Vec<Option<String>>,
    token_counts: Vec<Option<i32>>,
    hashes: Vec<Vec<u8>>,
    contexts: Vec<Option<String>>,
}

/// Vectors that wait to be written.
#[derive(Default)]
struct Vectors {
    chunk_ids: Vec<Uuid>,
    vectors: Vec<Vec<f32>>,
}

/// Collects changes and writes them. Everything is written when `finish` returns.
pub struct Writer<'a> {
    connection: &'a Connection,
    /// None where every vector is given.
    model: Option<&'a Model>,
    base: &'a KnowledgeBase,
    pgvector: Pgvector,
    schema: &'a str,
    vectors: &'a MakeVectors,
    /// Documents with chunks whose vectors are left to a worker.
    unfinished: BTreeSet<Uuid>,
    /// Documents that were cut while the vectors of a pending model are being made.
    renewed: BTreeSet<Uuid>,
    added: Columns,
    rewritten: Columns,
    /// Chunks whose vectors of the pending model are of an earlier text.
    forgotten: Vec<Uuid>,
    kept: Columns,
    embedded: Vectors,
    deleted: Vec<Uuid>,
    /// Whether vectors were written.
    has_embedded: bool,
}

/// When chunks get their vectors.
pub enum MakeVectors {
    /// With the chunk, for as many chunks as this; the vectors of the others are queued.
    Now(Limit),
    /// Later, by the caller: all vectors of the base are about to be rebuilt.
    Later,
    /// Never: the base is searched by keyword only.
    Never,
}

impl MakeVectors {
    /// For a statement that writes documents, according to the base's embed mode.
    pub fn of_statement(base: &KnowledgeBase) -> MakeVectors {
        let local = if base.settings.embed == Embed::Inline { usize::MAX } else { settings::inline_chunks() };
        Self::at_most(base, local)
    }

    /// The same for work on a whole base, which is expected to take long.
    pub fn of_rebuild(base: &KnowledgeBase) -> MakeVectors {
        Self::at_most(base, usize::MAX)
    }

    fn at_most(base: &KnowledgeBase, local: usize) -> MakeVectors {
        match base.settings.embed {
            Embed::Off => MakeVectors::Never,
            embed if embed.is_by_workers(&base.settings.space.model) => MakeVectors::Now(Limit::new(0)),
            _ => MakeVectors::Now(Limit::new(local)),
        }
    }

    /// Whether any are made, with the chunk or by the workers.
    fn are_wanted(&self) -> bool {
        matches!(self, MakeVectors::Now(_))
    }

    /// Whether one more is to be made with its chunk; counts it.
    fn take(&self) -> bool {
        let MakeVectors::Now(limit) = self else { return false };
        limit.take()
    }

    /// Counts what a statement left to the workers for the notice of [`waiting::notify_once`](super::waiting::notify_once).
    pub fn count_waiting(&self) {
        if let MakeVectors::Now(limit) = self {
            limit.count_waiting();
        }
    }
}

impl<'a> Writer<'a> {
    pub fn new(
        base: &'a KnowledgeBase,
        schema: &'a str,
        model: Option<&'a Model>,
        vectors: &'a MakeVectors,
        connection: &'a Connection,
    ) -> Result<Writer<'a>> {
        Ok(Writer {
            connection,
            model,
            base,
            pgvector: Pgvector::find()?,
            schema,
            vectors,
            unfinished: BTreeSet::new(),
            renewed: BTreeSet::new(),
            added: Columns::default(),
            rewritten: Columns::default(),
            forgotten: Vec::new(),
            kept: Columns::default(),
            embedded: Vectors::default(),
            deleted: Vec::new(),
            has_embedded: false,
        })
    }

    /// Embeds a chunk and queues it to be inserted.
    pub fn add(&mut self, new: &NewChunk) -> Result<()> {
        let id = self.push(new)?;
        self.embed(id, new)
    }

    /// Queues a chunk to be inserted with a vector that exists already.
    pub fn take_over(&mut self, new: &NewChunk, vector: Vec<f32>) -> Result<()> {
        let id = self.push(new)?;
        self.push_vector(id, vector)
    }

    /// Gives a chunk another text, with this hash; its vector stays.
    pub fn rewrite(&mut self, id: Uuid, new: &NewChunk, hash: Vec<u8>) -> Result<()> {
        if self.base.next.is_some() {
            // The pending model may have embedded the earlier text.
            self.forgotten.push(id);
            self.renew(new.document_id);
        }
        let token_count = self.token_count(new);
        self.rewritten.push(id, new, token_count, hash);
        if self.rewritten.ids.len() >= BATCH { self.rewrite_all() } else { Ok(()) }
    }

    fn token_count(&self, new: &NewChunk) -> Option<i32> {
        self.model.and_then(|model| chunking::count_tokens(model, new.content))
    }

    /// Notes that the text of a document is cut: the pending model may cut it differently.
    pub fn renew(&mut self, document: Uuid) {
        if self.base.next.is_some() {
            self.renewed.insert(document);
        }
    }

    fn push(&mut self, new: &NewChunk) -> Result<Uuid> {
        let id = uuid::v7()?;
        self.renew(new.document_id);
        let token_count = self.token_count(new);
        self.added.push(id, new, token_count, new.hash.to_vec());
        Ok(id)
    }

    /// Embeds the text of a chunk that has no vector, or is queued to be inserted.
    fn embed(&mut self, id: Uuid, new: &NewChunk) -> Result<()> {
        if !self.vectors.take() {
            if self.vectors.are_wanted() {
                self.unfinished.insert(new.document_id);
            }
            return if self.added.ids.len() >= BATCH { self.insert() } else { Ok(()) };
        }
        let model = self.model.ok_or_else(|| Error::internal("no model to embed with"))?;
        let text = chunking::embedded_text(model, new.title, new.chunk.before(), new.content);
        let vector = model.embed(&text, self.base.settings.space.dimensions, InputType::Document)?;
        self.push_vector(id, vector)
    }

    fn push_vector(&mut self, id: Uuid, vector: Vec<f32>) -> Result<()> {
        self.embedded.chunk_ids.push(id);
        self.embedded.vectors.push(vector);
        if self.embedded.chunk_ids.len() >= BATCH { self.insert() } else { Ok(()) }
    }

    /// Queues a chunk with unchanged text for an update of its position and metadata. An existing vector is not touched.
    pub fn keep(&mut self, id: Uuid, has_vector: bool, new: &NewChunk) -> Result<()> {
        if !has_vector && self.vectors.are_wanted() && snapshot::is_kept() {
            // A worker may have written it since the snapshot was taken: writing it too would be a serialization failure.
            self.unfinished.insert(new.document_id);
        } else if !has_vector {
            self.embed(id, new)?;
        }
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

    /// Writes all that is queued here, and leaves the rest to the workers. Returns the documents that wait for them.
    pub fn finish(mut self) -> Result<BTreeSet<Uuid>> {
        self.insert()?;
        self.rewrite_all()?;
        self.update()?;
        if !self.deleted.is_empty() {
            let sql = spi::render(include_str!("delete_chunks.sql"), &[("schema", self.schema)]);
            self.connection.execute(&sql, &[Arg::new(std::mem::take(&mut self.deleted))])?;
        }
        let targets = |documents: &BTreeSet<Uuid>| documents.iter().copied().collect::<Vec<_>>();
        queue::enqueue(self.base.id, Kind::Embed, &targets(&self.unfinished))?;
        next::renew(self.connection, self.base, self.schema, &targets(&self.renewed))?;
        if self.has_embedded {
            self.base.queue_index_if_due()?;
        }
        Ok(self.unfinished)
    }

    fn insert(&mut self) -> Result<()> {
        let (added, embedded) = (std::mem::take(&mut self.added), std::mem::take(&mut self.embedded));
        if !added.ids.is_empty() {
            // A connection of its own, so that the memory of the values is given back after each batch.
            let sql = self.statement(include_str!("insert_chunks.sql"));
            spi::connect(|c| c.execute_planned(&sql, Planning::Generic, &added.args()))?;
        }
        if embedded.chunk_ids.is_empty() {
            return Ok(());
        }
        insert_vectors(&self.pgvector, self.schema, "embedding", embedded.chunk_ids, &embedded.vectors)?;
        self.has_embedded = true;
        self.base.record_variant(self.model.and_then(Model::variant))
    }

    fn rewrite_all(&mut self) -> Result<()> {
        let (rewritten, forgotten) =
            (std::mem::take(&mut self.rewritten), std::mem::take(&mut self.forgotten));
        if rewritten.ids.is_empty() {
            return Ok(());
        }
        spi::connect(|c| {
            next::forget_vectors(c, self.base, self.schema, forgotten)?;
            c.execute(&self.statement(include_str!("rewrite_chunks.sql")), &rewritten.args())
        })?;
        Ok(())
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
        statement(template, self.schema, self.base)
    }
}

/// Writes vectors into `table`.
pub fn insert_vectors(
    pgvector: &Pgvector,
    schema: &str,
    table: &str,
    chunk_ids: Vec<Uuid>,
    vectors: &[Vec<f32>],
) -> Result<()> {
    test_point("ingest.before_vectors");
    let sql = spi::render(include_str!("insert_embeddings.sql"), &[("schema", schema), ("table", table)]);
    spi::connect(|c| {
        c.execute_planned(&sql, Planning::Generic, &[Arg::new(chunk_ids), pgvector.array_arg(vectors)?])
    })?;
    Ok(())
}

impl Columns {
    pub fn push(&mut self, id: Uuid, new: &NewChunk, token_count: Option<i32>, hash: Vec<u8>) {
        self.push_position(id, new);
        self.contents.push(new.content.to_string());
        self.token_counts.push(token_count);
        self.hashes.push(hash);
        self.contexts.push(new.chunk.context.as_deref().map(str::to_string));
    }

    fn push_position(&mut self, id: Uuid, new: &NewChunk) {
        self.ids.push(id);
        self.document_ids.push(new.document_id);
        self.ordinals.push(new.ordinal);
        self.starts.push(new.chunk.chars.start as i32);
        self.ends.push(new.chunk.chars.end as i32);
        self.pages.push(new.page);
        self.headings.push(new.chunk.heading.as_deref().map(str::to_string));
    }

    pub fn args(self) -> Vec<Arg> {
        let mut args = self.position_args();
        args.extend([Arg::new(self.contents), Arg::new(self.token_counts), Arg::new(self.hashes)]);
        args.push(Arg::new(self.contexts));
        args
    }

    fn position_args(&self) -> Vec<Arg> {
        vec![
            Arg::new(self.ids.clone()),
            Arg::new(self.document_ids.clone()),
            Arg::new(self.ordinals.clone()),
            Arg::new(self.starts.clone()),
            Arg::new(self.ends.clone()),
            Arg::new(self.pages.clone()),
            Arg::new(self.headings.clone()),
        ]
    }
}
