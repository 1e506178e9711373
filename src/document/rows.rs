//! Reading documents of a base.

use std::collections::HashMap;
use std::ffi::CStr;

use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use super::level::{CHARACTERS_READ, CHARACTERS_READ_FOR_ABSTRACT, Level, Summaries};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::filter::{self, Filter, Rows};
use crate::ingest;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning, Row};

/// A document as it is shown.
pub struct Document {
    pub id: Uuid,
    pub knowledge_base: String,
    pub title: Option<String>,
    pub source: Option<String>,
    pub source_type: Option<String>,
    pub mime_type: Option<String>,
    pub language: Option<String>,
    pub status: Option<String>,
    pub error_message: Option<String>,
    pub metadata: Jsonb,
    pub created_at: Option<TimestampWithTimeZone>,
    pub updated_at: Option<TimestampWithTimeZone>,
    /// None where they are not counted.
    pub chunks: Option<i64>,
    pub abstract_text: String,
    /// None where only the abstract is asked for.
    pub overview: Option<String>,
    /// The whole text, where it is asked for.
    pub content: Option<String>,
}

impl Document {
    /// Its text at a level that was read.
    pub fn text(&self, level: Level) -> Option<String> {
        match level {
            Level::Abstract => Some(self.abstract_text.clone()),
            Level::Overview => self.overview.clone(),
            Level::Content => self.content.clone(),
        }
    }
}

/// What is read of each document.
pub struct Details {
    /// The texts down to this level.
    pub level: Level,
    pub counts_chunks: bool,
}

impl Details {
    /// How many characters of the text are read; None for all.
    fn characters(&self) -> Option<usize> {
        match self.level {
            Level::Abstract => Some(CHARACTERS_READ_FOR_ABSTRACT),
            Level::Overview => Some(CHARACTERS_READ),
            Level::Content => None,
        }
    }
}

/// Columns that can be done without, by their placeholder in `documents.sql`: name, type, how they are read, and what is read
/// where the owner dropped or altered them.
const DISPENSABLE: [(&str, &CStr, pg_sys::Oid, &str, &str); 9] = [
    ("source_type", c"source_type", pg_sys::TEXTOID, "d.source_type", "NULL::text"),
    ("mime_type", c"mime_type", pg_sys::TEXTOID, "d.mime_type", "NULL::text"),
    ("language", c"language", pg_sys::TEXTOID, "d.language", "NULL::text"),
    ("error_message", c"error_message", pg_sys::TEXTOID, "d.error_message", "NULL::text"),
    ("abstract", c"abstract", pg_sys::TEXTOID, "d.abstract", "NULL::text"),
    ("overview", c"overview", pg_sys::TEXTOID, "d.overview", "NULL::text"),
    ("metadata", c"metadata", pg_sys::JSONBOID, "d.metadata", "NULL::jsonb"),
    ("created_at", c"created_at", pg_sys::TIMESTAMPTZOID, "d.created_at", "NULL::timestamptz"),
    ("updated_at", c"updated_at", pg_sys::TIMESTAMPTZOID, "d.updated_at", "NULL::timestamptz"),
];

/// Fills the placeholders of a statement over the documents `d` of a base.
pub fn statement(base: &KnowledgeBase, template: &str) -> String {
    let schema = base.quoted_schema();
    let mut values = vec![("schema", schema.as_str())];
    values.extend(DISPENSABLE.map(|(placeholder, name, oid, column, missing)| {
        (placeholder, if base.has_own_columns(c"document", &[(name, oid)]) { column } else { missing })
    }));
    spi::render(template, &values)
}

/// The metadata of documents `d` that a filter compares: that of their chunks, as far as a document has it.
pub fn metadata(base: &KnowledgeBase, filter: Option<&Filter>) -> String {
    let subjects = filter.map(Filter::subjects).unwrap_or_default();
    let keys: Vec<String> =
        subjects.into_iter().filter_map(|looked| looked.path.into_iter().next()).collect();
    ingest::document_metadata(base, &keys)
}

/// The conditions of a filter on documents `d`, with their values appended to `args`.
pub fn conditions(base: &KnowledgeBase, filter: Option<&Filter>, args: &mut Vec<Arg>) -> Result<String> {
    let documents = Rows { metadata: &metadata(base, filter), document: None };
    filter::conditions(filter, &documents, args)
}

/// The documents of a base with these ids that the caller may see.
pub fn read(base: &KnowledgeBase, ids: Vec<Uuid>, details: &Details) -> Result<HashMap<Uuid, Document>> {
    base.read(|| {
        spi::connect(|c| {
            let sql = statement(base, include_str!("documents.sql"));
            let characters = details.characters();
            let args = [
                Arg::new(ids),
                Arg::new(characters.and_then(|count| i32::try_from(count).ok())),
                Arg::new(details.counts_chunks),
            ];
            let rows = c.query(&sql, Access::Read, Planning::Generic, &args, |row| {
                Ok((document(base, row)?, summaries(row, characters)?))
            })?;
            rows.into_iter()
                .map(|(mut document, summaries)| {
                    check_for_interrupts();
                    complete(c, base, &mut document, summaries, details)?;
                    Ok((document.id, document))
                })
                .collect()
        })
    })
}

fn document(base: &KnowledgeBase, row: &Row) -> Result<Document> {
    Ok(Document {
        id: row.require(1)?,
        knowledge_base: base.name.clone(),
        title: row.get(2)?,
        source: row.get(3)?,
        source_type: row.get(4)?,
        mime_type: row.get(5)?,
        language: row.get(6)?,
        status: row.get(7)?,
        error_message: row.get(8)?,
        metadata: row.get(9)?.unwrap_or_default(),
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
        chunks: row.get(12)?,
        abstract_text: String::new(),
        overview: None,
        content: None,
    })
}

/// The summaries of a row of which at most so many characters of the text were read.
fn summaries(row: &Row, characters: Option<usize>) -> Result<Summaries> {
    let start: String = row.require(15)?;
    let is_part = characters.is_some_and(|max| start.chars().count() >= max);
    Ok(Summaries { abstract_text: row.get(13)?, overview: row.get(14)?, start, is_part })
}

/// Fills in the texts. Where the beginning of the text does not tell its first sentences, the whole text is read.
fn complete(
    c: &Connection,
    base: &KnowledgeBase,
    document: &mut Document,
    mut summaries: Summaries,
    details: &Details,
) -> Result<()> {
    let wants_overview = details.level != Level::Abstract;
    let is_enough = |summaries: &Summaries| {
        summaries.abstract_text().is_some() && (!wants_overview || summaries.overview().is_some())
    };
    if !is_enough(&summaries) {
        let sql = spi::render(include_str!("content.sql"), &[("schema", &base.quoted_schema())]);
        let whole = c.query_one(&sql, Access::Read, &[Arg::new(document.id)], |row| row.require(1))?;
        summaries = Summaries { start: whole.unwrap_or_default(), is_part: false, ..summaries };
    }
    document.abstract_text = summaries.abstract_text().unwrap_or_default();
    if wants_overview {
        document.overview = summaries.overview();
    }
    if details.level == Level::Content {
        document.content = Some(summaries.start);
    }
    Ok(())
}
