//! kb_import: takes over existing chunks and vectors without embedding anything.

use std::sync::Arc;

use kb_rag_core::chunk::Chunk;
use kb_rag_core::model_name::EmbeddingSpace;
use kb_rag_core::plural::counted;
use pgrx::Uuid;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys;

use super::import_columns::Columns;
use super::own_write::OwnWrite;
use super::write::{MakeVectors, NewChunk, Writer};
use super::{language, sync};
use crate::base::KnowledgeBase;
use crate::chunking;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Arg, Connection};
use crate::postgres::uuid;
use crate::postgres::vector::{Pgvector, Vector};
use crate::queue::{self, Kind};

/// Separates the chunks of a document when its text is put together again.
const SEPARATOR: &str = "\n\n";
/// The source type of documents if no column gives another.
const SOURCE_TYPE: &str = "import";
/// Documents are written when there are this many, or this many bytes of text.
const GROUP_DOCUMENTS: usize = 64;
const GROUP_BYTES: usize = 4 << 20;
/// A document may hold this much of text and vectors, which are in memory until it is complete.
const MAX_DOCUMENT_BYTES: usize = 256 << 20;
/// Rows read at a time.
const ROWS: i64 = 256;

/// A row of the table that is imported.
struct ImportRow {
    document: Option<String>,
    title: Option<String>,
    heading: Option<String>,
    content: String,
    language: Option<String>,
    metadata: Option<String>,
    source_type: Option<String>,
    r#abstract: Option<String>,
    overview: Option<String>,
    created_at: Option<TimestampWithTimeZone>,
    vector: Vec<f32>,
}

impl ImportRow {
    fn source_type(&self) -> &str {
        self.source_type.as_deref().unwrap_or(SOURCE_TYPE)
    }
}

/// A document put together from the rows of its chunks.
struct Document {
    id: Uuid,
    first: ImportRow,
    content: String,
    characters: usize,
    chunks: Vec<(Chunk, Vec<f32>)>,
}

/// Imports the rows of `source`, read with the caller's privileges. Rows of the same document become one document, whose
/// text is theirs with an empty line between; one that was imported before is replaced. Returns the number of chunks. Rows
/// without text are skipped, and counted in a notice.
pub fn import(base: &KnowledgeBase, source: &str, columns: &Columns) -> Result<i64> {
    let pgvector = Pgvector::find()?;
    let select = columns.select(source, &pgvector);
    let dimensions = base.settings.space.dimensions as usize;
    let mut import =
        Import { base, schema: base.quoted_schema(), documents: Vec::new(), bytes: 0, chunks: 0, skipped: 0 };
    guc::with_settings(&[], || {
        spi::connect(|c| {
            columns.check(c, source, &pgvector)?;
            let cursor = c.cursor(&select, &[])?;
            loop {
                let rows = cursor.fetch(ROWS, |row| {
                    let vector = row.get::<Vector>(7)?;
                    let content = row.get::<String>(4)?.filter(|text| !text.trim().is_empty());
                    let Some(content) = content else { return Ok(None) };
                    let vector = vector.ok_or_else(|| missing_vector(&content))?;
                    vector.check(dimensions, "the embedding of a row").map_err(|error| {
                        if vector.0.len() == dimensions {
                            error
                        } else {
                            of_other_model(error, base, &vector)
                        }
                    })?;
                    Ok(Some(ImportRow {
                        document: row.get(1)?,
                        title: row.get(2)?,
                        heading: row.get(3)?,
                        content,
                        language: row.get(5)?,
                        metadata: row.get(6)?,
                        source_type: row.get(8)?,
                        r#abstract: row.get(9)?,
                        overview: row.get(10)?,
                        created_at: row.get(11)?,
                        vector: vector.0,
                    }))
                })?;
                if rows.is_empty() {
                    break;
                }
                for row in rows {
                    match row {
                        Some(row) => import.take(row)?,
                        None => import.skipped += 1,
                    }
                }
            }
            cursor.close();
            import.write()
        })
    })?;
    if import.skipped > 0 {
        Error::remark(format!("{} without content skipped", counted(import.skipped, "row"))).notify();
    }
    Ok(import.chunks)
}

fn missing_vector(content: &str) -> Error {
    let begin: String = content.chars().take(60).collect();
    Error::bad_vector(format!("the row \"{begin}\" has no embedding"))
        .hint("Import a view that leaves out such rows, and add them with kb_add.")
}

/// Vectors of another model would be compared with those of queries by the base's own.
fn of_other_model(error: Error, base: &KnowledgeBase, vector: &Vector) -> Error {
    let (name, EmbeddingSpace { model, dimensions }) = (&base.name, &base.settings.space);
    error.hint(format!(
        "Knowledge base \"{name}\" has {dimensions} dimensions, of model \"{model}\". Import into a knowledge base of the \
         model that made these vectors: kb_create(…, model => …, dimensions => {}).",
        vector.0.len()
    ))
}

struct Import<'a> {
    base: &'a KnowledgeBase,
    schema: String,
    documents: Vec<Document>,
    bytes: usize,
    chunks: i64,
    /// Rows without text.
    skipped: i64,
}

impl Import<'_> {
    fn take(&mut self, row: ImportRow) -> Result<()> {
        if row.content.len() > chunking::MAX_CHUNK_BYTES {
            return Err(Error::limit(format!("the text of a row has {} bytes", row.content.len()))
                .detail(format!("A chunk holds at most {} bytes.", chunking::MAX_CHUNK_BYTES)));
        }
        let belongs = self
            .documents
            .last()
            .is_some_and(|last| row.document.is_some() && last.first.document == row.document);
        if !belongs && (self.documents.len() >= GROUP_DOCUMENTS || self.bytes >= GROUP_BYTES) {
            self.write()?;
        }
        self.chunks += 1;
        self.bytes += row.content.len();
        match self.documents.last_mut().filter(|_| belongs) {
            Some(document) => document.append(row),
            None => {
                self.documents.push(Document::begin(row)?);
                Ok(())
            }
        }
    }

    /// Writes what was collected, as the owner of the base.
    fn write(&mut self) -> Result<()> {
        let documents = std::mem::take(&mut self.documents);
        self.bytes = 0;
        if documents.is_empty() {
            return Ok(());
        }
        let document = self.base.table(c"document")?;
        role::run_as(lookup::table_owner(document)?, || {
            let _under_way = OwnWrite::begin(document);
            sync::connect_without_seqscan(|c| self.write_group(c, documents))
        })
    }

    fn write_group(&self, c: &Connection, mut documents: Vec<Document>) -> Result<()> {
        let schema = &self.schema;
        let table = self.base.table(c"document")?;
        for language in documents.iter().filter_map(|document| document.first.language.as_deref()) {
            language::check(language, table, || Ok(Some(self.base.settings.text_config.clone())))?;
        }
        let keys: Vec<Option<&str>> = documents.iter().map(|d| d.first.document.as_deref()).collect();
        let replaced = spi::render(include_str!("import_replaced.sql"), &[("schema", schema)]);
        let source_types: Vec<&str> = documents.iter().map(|d| d.first.source_type()).collect();
        c.execute(&replaced, &[Arg::new(keys.clone()), Arg::new(source_types.clone())])?;
        let column = |get: fn(&ImportRow) -> Option<&str>| -> Vec<Option<&str>> {
            documents.iter().map(|document| get(&document.first)).collect()
        };
        let args = [
            Arg::new(documents.iter().map(|d| d.id).collect::<Vec<_>>()),
            Arg::new(keys),
            Arg::new(source_types),
            Arg::new(column(|first| first.title.as_deref())),
            Arg::new(documents.iter().map(|d| d.content.as_str()).collect::<Vec<_>>()),
            Arg::new(column(|first| first.language.as_deref())),
            Arg::new(column(|first| first.metadata.as_deref())),
            Arg::new(column(|first| first.r#abstract.as_deref())),
            Arg::new(column(|first| first.overview.as_deref())),
            Arg::new(documents.iter().map(|d| d.first.created_at).collect::<Vec<_>>()),
        ];
        c.execute(&spi::render(include_str!("import_documents.sql"), &[("schema", schema)]), &args)?;
        // Only to count tokens: chunks can be imported even if the model cannot be reached.
        let model = model::resolve(&self.base.settings.space.model).ok();
        let mut writer = Writer::new(self.base, schema, model.as_ref(), &MakeVectors::Later, c)?;
        for document in &mut documents {
            for (ordinal, (chunk, vector)) in document.chunks.drain(..).enumerate() {
                let (title, content) =
                    (document.first.title.as_deref(), &document.content[chunk.bytes.clone()]);
                let hash = sync::hash_of(title, chunk.before(), content);
                writer.take_over(
                    &NewChunk {
                        document_id: document.id,
                        ordinal: ordinal as i32,
                        title,
                        content,
                        page: None,
                        chunk: &chunk,
                        hash: &hash,
                    },
                    vector,
                )?;
            }
        }
        writer.finish()?;
        if self.base.settings.summaries.is_none() {
            return Ok(());
        }
        let lacks_text = |first: &ImportRow| first.r#abstract.is_none() || first.overview.is_none();
        let lacking = documents.iter().filter(|document| lacks_text(&document.first));
        queue::enqueue(self.base.id, Kind::Summary, &lacking.map(|document| document.id).collect::<Vec<_>>())
    }
}

impl Document {
    fn begin(first: ImportRow) -> Result<Document> {
        let mut document =
            Document { id: uuid::v7()?, content: String::new(), characters: 0, chunks: Vec::new(), first };
        let (content, heading) = (document.first.content.clone(), document.first.heading.clone());
        let vector = std::mem::take(&mut document.first.vector);
        document.push(&content, heading, vector);
        Ok(document)
    }

    /// 22023 for a row that contradicts the first row of its document.
    fn append(&mut self, row: ImportRow) -> Result<()> {
        for (what, first, other) in [
            ("title", &self.first.title, &row.title),
            ("language", &self.first.language, &row.language),
            ("metadata", &self.first.metadata, &row.metadata),
            ("source_type", &self.first.source_type, &row.source_type),
            ("abstract", &self.first.r#abstract, &row.r#abstract),
            ("overview", &self.first.overview, &row.overview),
        ] {
            if first != other {
                let key = self.first.document.as_deref().unwrap_or_default();
                return Err(Error::invalid(format!("rows of document \"{key}\" differ in their {what}"))
                    .hint("Leave \"document\" out of the mapping: each row then becomes its own document."));
            }
        }
        let vectors = 4 * self.chunks.len() * row.vector.len();
        if self.content.len() + row.content.len() + vectors > MAX_DOCUMENT_BYTES {
            let key = self.first.document.as_deref().unwrap_or_default();
            return Err(Error::limit(format!(
                "the rows of document \"{key}\" hold more than {} MB",
                MAX_DOCUMENT_BYTES >> 20
            ))
            .hint("Map \"document\" to a column with more values, or leave it out."));
        }
        // Its rows may have been written one after the other.
        let times = [self.first.created_at, row.created_at];
        self.first.created_at =
            times.into_iter().flatten().min_by_key(|time| pg_sys::TimestampTz::from(*time));
        self.content.push_str(SEPARATOR);
        self.characters += SEPARATOR.len();
        self.push(&row.content, row.heading, row.vector);
        Ok(())
    }

    fn push(&mut self, content: &str, heading: Option<String>, vector: Vec<f32>) {
        let (bytes, chars) = (self.content.len(), self.characters);
        self.content.push_str(content);
        self.characters += content.chars().count();
        let chunk = Chunk {
            bytes: bytes..self.content.len(),
            chars: chars..self.characters,
            heading: heading.map(Arc::from),
            context: None,
        };
        self.chunks.push((chunk, vector));
    }
}
