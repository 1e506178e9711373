//! Reading the texts of the results.

use std::collections::HashMap;

use kb_rag_core::fusion::Fused;
use pgrx::Uuid;

use super::found::Found;
use super::{Candidate, Search};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::jsonb::Jsonb;
use crate::spi::{self, Access, Arg, Connection, Planning};

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
    pub keyword_score: Option<f64>,
    pub semantic_rank: Option<i32>,
    pub keyword_rank: Option<i32>,
    pub metadata: Jsonb,
}

struct Text {
    document_id: Uuid,
    title: Option<String>,
    source: Option<String>,
    content: String,
    metadata: Jsonb,
}

/// The results in the order of `hits`.
pub fn fetch(search: &Search, hits: Vec<Fused<Candidate>>, found: &Found) -> Result<Vec<FoundChunk>> {
    let candidates: Vec<Candidate> = hits.iter().map(|hit| hit.id).collect();
    let mut texts =
        read(search.connection, search.bases, &candidates, include_str!("found_chunks.sql"), |row| {
            Ok(Text {
                document_id: row.require(2)?,
                title: row.get(3)?,
                source: row.get(4)?,
                content: row.require(5)?,
                metadata: row.require(6)?,
            })
        })?;
    Ok(hits
        .into_iter()
        .filter_map(|hit| {
            let text = texts.remove(&hit.id)?;
            Some(FoundChunk {
                chunk_id: hit.id.chunk,
                document_id: text.document_id,
                knowledge_base: search.bases[hit.id.base].name.clone(),
                title: text.title,
                source: text.source,
                content: text.content,
                score: hit.score,
                similarity: found.similarities.get(&hit.id).copied(),
                keyword_score: found.keyword_scores.get(&hit.id).copied(),
                semantic_rank: found.semantic_rank(&hit),
                keyword_rank: found.keyword_rank(&hit),
                metadata: text.metadata,
            })
        })
        .collect())
}

/// The document of each candidate.
pub fn documents(search: &Search, hits: &[Fused<Candidate>]) -> Result<HashMap<Candidate, Uuid>> {
    let candidates: Vec<Candidate> = hits.iter().map(|hit| hit.id).collect();
    read(search.connection, search.bases, &candidates, include_str!("document_of_chunk.sql"), |row| {
        row.require(2)
    })
}

/// Runs a statement over the chunk ids of each base, given as `$1`; its first column is the chunk id.
pub fn read<T>(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
    template: &str,
    read: impl Fn(&spi::Row) -> Result<T>,
) -> Result<HashMap<Candidate, T>> {
    let mut found = HashMap::with_capacity(candidates.len());
    for (index, base) in bases.iter().enumerate() {
        let ids: Vec<Uuid> = candidates.iter().filter(|c| c.base == index).map(|c| c.chunk).collect();
        if ids.is_empty() {
            continue;
        }
        let sql = spi::render(template, &[("schema", &base.quoted_schema())]);
        let rows = base.read(|| {
            connection.query(&sql, Access::Read, Planning::Generic, &[Arg::new(ids)], |row| {
                Ok((Candidate { chunk: row.require(1)?, base: index }, read(row)?))
            })
        })?;
        found.extend(rows);
    }
    Ok(found)
}
