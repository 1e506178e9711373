//! kb_search_documents: the documents of the best chunks.

use std::collections::HashMap;

use pgrx::Uuid;

use super::level::Level;
use super::rows::{self, Details, Document};
use super::spread;
use crate::cluster;
use crate::error::Result;
use crate::search::{self, Duplicate, FoundChunk, Request, Results};

/// A document, and the best of its chunks.
pub struct FoundDocument {
    pub document: Document,
    pub best_chunk_id: Uuid,
    pub score: f64,
    pub similarity: Option<f64>,
    pub relevance: Option<f64>,
    pub snippet: Option<String>,
    pub duplicates: Option<Vec<Duplicate>>,
}

/// The documents of the chunks that a search finds, of each document one, in the order of the chunks. Their texts are read
/// down to `level`, summaries always.
pub fn search(request: &Request, level: Level) -> Result<Vec<FoundDocument>> {
    let here = search_here(request, with_overview(level));
    cluster::here_or_over(here, |groups| search_on(request, level, groups))
}

/// The same on the nodes of these groups.
pub fn search_on(request: &Request, level: Level, groups: &[i32]) -> Result<Vec<FoundDocument>> {
    spread::search(request, with_overview(level), groups)
}

fn with_overview(level: Level) -> Level {
    if level == Level::Content { level } else { Level::Overview }
}

fn search_here(request: &Request, level: Level) -> Result<Vec<FoundDocument>> {
    search::search_with(request, |bases, Results { chunks, .. }| {
        let mut documents: HashMap<(String, Uuid), Document> = HashMap::new();
        for base in bases {
            let of_base = chunks.iter().filter(|chunk| chunk.knowledge_base == base.name);
            let ids: Vec<Uuid> = of_base.map(|chunk| chunk.document_id).collect();
            if ids.is_empty() {
                continue;
            }
            let read = rows::read(base, ids, &Details { level, counts_chunks: false })?;
            documents.extend(read.into_iter().map(|(id, document)| ((base.name.clone(), id), document)));
        }
        Ok(with_documents(chunks, documents))
    })
}

/// Chunks with their documents, of each document the first chunk. Documents are found by the name of the base.
pub fn with_documents(
    chunks: Vec<FoundChunk>,
    mut documents: HashMap<(String, Uuid), Document>,
) -> Vec<FoundDocument> {
    let found = chunks.into_iter().filter_map(|chunk| {
        Some(FoundDocument {
            document: documents.remove(&(chunk.knowledge_base, chunk.document_id))?,
            best_chunk_id: chunk.chunk_id,
            score: chunk.score,
            similarity: chunk.similarity,
            relevance: chunk.relevance,
            snippet: chunk.snippet,
            duplicates: chunk.duplicates,
        })
    });
    found.collect()
}
