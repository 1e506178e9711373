//! Reading the texts of the results.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::CStr;

use kb_rag_core::search::{Digest, Hit};
use pgrx::{Uuid, pg_sys};
use serde::Serialize;

use super::{Candidate, Duplicates, Request, windows};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::model;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// One result.
pub struct FoundChunk {
    pub chunk_id: Uuid,
    pub document_id: Uuid,
    pub knowledge_base: String,
    pub title: Option<String>,
    pub source: Option<String>,
    pub content: String,
    pub score: f64,
    pub similarity: Option<f64>,
    /// Whether the similarity tells something: the model reads the texts that were found.
    pub is_reliable: bool,
    /// What the similarity means, from 0 to 1, where it tells something.
    pub relevance: Option<f64>,
    pub keyword_score: Option<f64>,
    pub semantic_rank: Option<i32>,
    pub keyword_rank: Option<i32>,
    pub metadata: Jsonb,
    pub source_type: Option<String>,
    pub heading: Option<String>,
    pub page: Option<i32>,
    pub ordinal: Option<i32>,
    pub start_char: Option<i32>,
    pub end_char: Option<i32>,
    pub context: Option<String>,
    /// The part that shows why it was found, if that was asked for.
    pub snippet: Option<String>,
    /// Other chunks with the same text; None where copies are not merged.
    pub duplicates: Option<Vec<Duplicate>>,
    /// The analyzer that made its lexemes, if it is known.
    pub text_config: Option<String>,
}

/// A chunk with the text of a result.
#[derive(Clone, Serialize)]
pub struct Duplicate {
    pub chunk_id: String,
    pub document_id: String,
    pub knowledge_base: String,
    pub source: Option<String>,
}

impl FoundChunk {
    /// Its text for readers: the header of its table before the rows.
    pub fn passage(&self) -> Cow<'_, str> {
        match &self.context {
            Some(context) => Cow::Owned(format!("{context}\n{}", self.content)),
            None => Cow::Borrowed(&self.content),
        }
    }

    /// The same where at most `max` characters are shown: a header that takes more than half of them would leave too few for rows.
    pub fn passage_within(&self, max: Option<usize>) -> Cow<'_, str> {
        let is_long = |context: &String| max.is_some_and(|max| context.chars().count() > max / 2);
        if self.context.as_ref().is_some_and(is_long) { Cow::Borrowed(&self.content) } else { self.passage() }
    }
}

/// Columns that a search shows but can do without, by their placeholder in `found_chunks.sql`: table, name, type, how they are
/// read, and what is read where the owner dropped or altered them.
const DISPENSABLE: [(&str, &CStr, &CStr, pg_sys::Oid, &str, &str); 8] = [
    ("source_type", c"document", c"source_type", pg_sys::TEXTOID, "d.source_type", "NULL::text"),
    ("heading", c"chunk", c"heading", pg_sys::TEXTOID, "c.heading", "NULL::text"),
    ("page", c"chunk", c"page", pg_sys::INT4OID, "c.page", "NULL::int"),
    ("ordinal", c"chunk", c"ordinal", pg_sys::INT4OID, "c.ordinal", "NULL::int"),
    ("start_char", c"chunk", c"start_char", pg_sys::INT4OID, "c.start_char", "NULL::int"),
    ("end_char", c"chunk", c"end_char", pg_sys::INT4OID, "c.end_char", "NULL::int"),
    ("context", c"chunk", c"context", pg_sys::TEXTOID, "c.context", "NULL::text"),
    ("text_config", c"chunk", c"text_config", pg_sys::TEXTOID, "c.text_config", "NULL::text"),
];

struct Text {
    document_id: Uuid,
    title: Option<String>,
    source: Option<String>,
    content: String,
    metadata: Jsonb,
    source_type: Option<String>,
    heading: Option<String>,
    page: Option<i32>,
    ordinal: Option<i32>,
    start_char: Option<i32>,
    end_char: Option<i32>,
    context: Option<String>,
    text_config: Option<String>,
}

/// The results in the order of `hits`. Chunks that the caller cannot read are left out.
pub fn fetch(
    connection: &Connection,
    request: &Request,
    bases: &[KnowledgeBase],
    hits: Vec<Hit<Uuid>>,
) -> Result<Vec<FoundChunk>> {
    let mut windows = windows::texts(connection, bases, request.window, &hits)?;
    let copies: Vec<Candidate> = hits.iter().flat_map(|hit| &hit.copies).copied().collect();
    let sources = self::copies(connection, bases, &copies)?;
    let duplicate = |id: &Candidate| {
        let (document_id, source) = sources.get(id)?;
        Some(Duplicate {
            chunk_id: id.chunk.to_string(),
            document_id: document_id.to_string(),
            knowledge_base: bases[id.base].name.clone(),
            source: source.clone(),
        })
    };
    let merges = request.duplicates == Duplicates::Merge;
    let candidates: Vec<Candidate> = hits.iter().map(|hit| hit.id).collect();
    let mut texts = read_by(connection, bases, &candidates, found_chunks, |row| {
        Ok(Text {
            document_id: row.require(2)?,
            title: row.get(3)?,
            source: row.get(4)?,
            content: row.require(5)?,
            metadata: row.require(6)?,
            source_type: row.get(7)?,
            heading: row.get(8)?,
            page: row.get(9)?,
            ordinal: row.get(10)?,
            start_char: row.get(11)?,
            end_char: row.get(12)?,
            context: row.get(13)?,
            text_config: row.get(14)?,
        })
    })?;
    let mut scales = HashMap::new();
    let mut relevance = |hit: &Hit<Uuid>| {
        let similarity = hit.similarity.filter(|_| hit.is_reliable)?;
        let scale = scales.entry(hit.id.base);
        let scale = scale.or_insert_with(|| model::scale(&bases[hit.id.base].settings.space.model));
        Some(scale.relevance(similarity))
    };
    Ok(hits
        .into_iter()
        .filter_map(|hit| {
            let mut text = texts.remove(&hit.id)?;
            let place = text.start_char.zip(text.end_char);
            let window = windows.remove(&hit.id).zip(place);
            if let Some(shown) = window.and_then(|(window, place)| window.shown(place, &text.content)) {
                text.content = shown.content;
                text.context = shown.context;
                (text.start_char, text.end_char) = (Some(shown.start_char), Some(shown.end_char));
            }
            Some(FoundChunk {
                snippet: None,
                duplicates: merges.then(|| hit.copies.iter().filter_map(duplicate).collect()),
                text_config: text.text_config,
                relevance: relevance(&hit),
                chunk_id: hit.id.chunk,
                document_id: text.document_id,
                knowledge_base: bases[hit.id.base].name.clone(),
                title: text.title,
                source: text.source,
                content: text.content,
                score: hit.score,
                similarity: hit.similarity,
                is_reliable: hit.is_reliable,
                keyword_score: hit.keyword_score,
                semantic_rank: hit.semantic_rank.map(rank),
                keyword_rank: hit.keyword_rank.map(rank),
                metadata: text.metadata,
                source_type: text.source_type,
                heading: text.heading,
                page: text.page,
                ordinal: text.ordinal,
                start_char: text.start_char,
                end_char: text.end_char,
                context: text.context,
            })
        })
        .collect())
}

/// The document and the source of each candidate.
pub fn copies(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
) -> Result<HashMap<Candidate, (Uuid, Option<String>)>> {
    read(connection, bases, candidates, include_str!("copies.sql"), |row| {
        Ok((row.require::<Uuid>(2)?, row.get(3)?))
    })
}

fn rank(rank: u32) -> i32 {
    i32::try_from(rank).unwrap_or(i32::MAX)
}

/// The statement that reads the texts of a base.
fn found_chunks(base: &KnowledgeBase) -> String {
    let schema = base.quoted_schema();
    let mut values = vec![("schema", schema.as_str())];
    values.extend(DISPENSABLE.map(|(placeholder, table, name, oid, column, missing)| {
        (placeholder, if base.has_own_columns(table, &[(name, oid)]) { column } else { missing })
    }));
    spi::render(include_str!("found_chunks.sql"), &values)
}

/// The document of each candidate.
pub fn documents(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
) -> Result<HashMap<Candidate, Uuid>> {
    read(connection, bases, candidates, include_str!("document_of_chunk.sql"), |row| row.require(2))
}

/// A digest of the text of each candidate, with the header of its table: rows with the same cells in two tables are no copies.
pub fn digests(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
) -> Result<HashMap<Candidate, Digest>> {
    let statement = |base: &KnowledgeBase| {
        let values = [("schema", base.quoted_schema()), ("context", base.context().to_string())];
        spi::render(
            include_str!("digests.sql"),
            &values.each_ref().map(|(name, value)| (*name, value.as_str())),
        )
    };
    let digests = read_by(connection, bases, candidates, statement, |row| row.require::<Vec<u8>>(2))?;
    Ok(digests.into_iter().filter_map(|(id, digest)| Some((id, Digest::try_from(digest).ok()?))).collect())
}

/// Runs a statement over the chunk ids of each base, given as `$1`; its first column is the chunk id.
pub fn read<T>(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
    template: &str,
    read: impl Fn(&spi::Row) -> Result<T>,
) -> Result<HashMap<Candidate, T>> {
    let statement = |base: &KnowledgeBase| spi::render(template, &[("schema", &base.quoted_schema())]);
    read_by(connection, bases, candidates, statement, read)
}

/// As [`read`], with a statement for each base.
fn read_by<T>(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
    statement: impl Fn(&KnowledgeBase) -> String,
    read: impl Fn(&spi::Row) -> Result<T>,
) -> Result<HashMap<Candidate, T>> {
    let mut found = HashMap::with_capacity(candidates.len());
    for (index, base) in bases.iter().enumerate() {
        let ids: Vec<Uuid> = candidates.iter().filter(|c| c.base == index).map(|c| c.chunk).collect();
        if ids.is_empty() {
            continue;
        }
        let rows = base.read(|| {
            let sql = statement(base);
            connection.query(&sql, Access::Read, Planning::Generic, &[Arg::new(ids)], |row| {
                Ok((Candidate { chunk: row.require(1)?, base: index }, read(row)?))
            })
        })?;
        found.extend(rows);
    }
    Ok(found)
}
