//! match_knowledge_chunks: the nearest chunks to a vector, over an agent's bases. It is one list, cut at its threshold and at its
//! length, so that no step depends on what another finds: it performs no `kb_rag_core::search`, which would look for more chunks
//! than are wanted and read their languages.

use kb_rag_core::fusion;
use pgrx::Uuid;

use super::filter::Filter;
use super::visible::Visible;
use super::{Candidate, request, results, scope, semantic, spread};
use crate::base::KnowledgeBase;
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi;
use crate::postgres::vector::{Pgvector, Vector};

/// One result.
pub struct SimilarChunk {
    pub id: Uuid,
    pub content: String,
    pub similarity: f64,
    pub metadata: Jsonb,
}

/// The nearest `count` chunks whose similarity is strictly above `threshold`, best first, ties by id.
pub fn similar_chunks(agent: Uuid, vector: &Vector, count: i64, threshold: f64) -> Result<Vec<SimilarChunk>> {
    request::check_count("p_match_count", count)?;
    if threshold.is_nan() {
        return Err(Error::invalid("p_match_threshold is NaN").hint("Use a similarity, for example 0.3."));
    }
    let here = scope::over(None, Some(agent), |bases| similar_in(bases, vector, count, threshold));
    cluster::here_or_over(here, |groups| spread::similar_chunks(agent, vector, count, threshold, groups))
}

impl SimilarChunk {
    /// Applications that call match_knowledge_chunks read chunk_index. One that the metadata has already is the last in the text, and stays.
    pub fn new(id: Uuid, content: String, similarity: f64, metadata: Jsonb) -> Result<SimilarChunk> {
        let text = metadata.to_text();
        let fields = text.strip_prefix('{').map(str::to_string);
        let metadata = match (fields, metadata.at(vec!["chunkIndex"])) {
            (Some(fields), Some(index)) => {
                Jsonb::from_text(&format!("{{\"chunk_index\": {}, {fields}", index.to_text()))?
            }
            _ => Jsonb::from_text(&text)?,
        };
        Ok(SimilarChunk { id, content, similarity, metadata })
    }
}

fn similar_in(
    bases: &[KnowledgeBase],
    vector: &Vector,
    count: i64,
    threshold: f64,
) -> Result<Vec<SimilarChunk>> {
    scope::require_one_model(bases)?;
    guc::with_settings(&[], || {
        spi::connect(|connection| {
            let pgvector = Pgvector::find()?;
            let mut nearest = Vec::new();
            for (index, base) in bases.iter().enumerate() {
                vector.check(base.settings.space.dimensions as usize, "p_query_embedding")?;
                let visible = Visible::of_base(connection, base)?;
                let hits = base.read(|| {
                    let filter = Filter::of_base(base)?;
                    let candidates = kb_rag_core::search::candidates_alone(count as usize) as i64;
                    let depth = semantic::Depth { hits: count, candidates };
                    semantic::nearest(connection, &pgvector, base, &visible, &filter, &vector.0, depth)
                        .map(|found| found.hits)
                })?;
                nearest
                    .extend(hits.into_iter().map(|(chunk, score)| (Candidate { chunk, base: index }, score)));
            }
            nearest.retain(|(_, similarity)| *similarity > threshold);
            nearest.sort_unstable_by(fusion::by_score);
            nearest.truncate(count as usize);
            let candidates: Vec<Candidate> = nearest.iter().map(|(candidate, _)| *candidate).collect();
            let mut texts =
                results::read(connection, bases, &candidates, include_str!("chunk_text.sql"), |row| {
                    Ok((row.require::<String>(2)?, row.require::<Jsonb>(3)?))
                })?;
            let chunks = nearest.into_iter().filter_map(|(candidate, similarity)| {
                let (content, metadata) = texts.remove(&candidate)?;
                Some(SimilarChunk::new(candidate.chunk, content, similarity, metadata))
            });
            chunks.collect()
        })
    })
}
