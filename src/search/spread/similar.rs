//! match_knowledge_chunks over several nodes.

use std::collections::HashSet;

use kb_rag_core::fusion;
use kb_rag_core::search::{Candidate, Hit, candidates_alone};
use kb_rag_core::spread::{Ask, Asked, Candidates, Exact, Floats, Id, Told, Vector as Given, With};
use pgrx::Uuid;

use super::bases::Bases;
use super::rows::Reader;
use super::run::CANDIDATES;
use crate::cluster::{self, Nodes, Stop};
use crate::error::{Error, Result};
use crate::postgres::vector::Vector;
use crate::search::similar::SimilarChunk;
use crate::search::{Mode, Request, part, scope};

/// The nearest chunks in the bases of an agent on the nodes of these groups.
pub fn similar_chunks(
    agent: Uuid,
    vector: &Vector,
    count: i64,
    threshold: f64,
    groups: &[i32],
) -> Result<Vec<SimilarChunk>> {
    let request =
        Request { agent: Some(agent), mode: Mode::Semantic, match_count: count, ..Request::new("") };
    cluster::over(groups, |nodes| {
        let bases = Bases::find(&request, nodes)?;
        scope::require_one_space(bases.of.iter().map(|base| (base.name.as_str(), &base.space)))?;
        for base in &bases.of {
            vector.check(base.space.dimensions as usize, "p_query_embedding")?;
        }
        let mut nearest = nearest(&request, nodes, &bases, vector)?;
        nearest.retain(|(_, similarity)| *similarity > threshold);
        nearest.sort_unstable_by(fusion::by_score);
        let mut reader = Reader::new(&request, nodes, &bases);
        loop {
            let hits: Vec<Hit<Id>> = nearest.iter().take(count as usize).map(hit).collect();
            let (chunks, gone) = reader.read(&hits)?;
            if gone.is_empty() {
                let similar = hits.iter().zip(chunks).map(|(hit, chunk)| {
                    SimilarChunk::new(chunk.chunk_id, chunk.content, hit.score, chunk.metadata)
                });
                return Ok(similar.collect::<Result<_>>()?);
            }
            // Deleted since they were found: others take their places.
            let gone: HashSet<Candidate<Id>> = gone.into_iter().collect();
            nearest.retain(|(id, _)| !gone.contains(id));
        }
    })
}

/// The chunks of all bases that are nearest to a vector.
fn nearest(
    request: &Request,
    nodes: &Nodes,
    bases: &Bases,
    vector: &Vector,
) -> Result<Vec<(Candidate<Id>, f64)>, Stop> {
    let depth = request.match_count as usize;
    let ask = |base| Ask::Nearest { base, depth, candidates: candidates_alone(depth) };
    let own = bases
        .nodes
        .iter()
        .map(|(group, ids)| (*group, Asked { bases: ids.clone(), asks: (0..ids.len()).map(ask).collect() }));
    let given = bases.of.first().map(|base| Given {
        model: base.space.model.to_string(),
        dimensions: base.space.dimensions,
        vector: Floats(vector.0.clone()),
    });
    let common = Candidates {
        question: part::question_of(request, bases.ranker),
        agent: request.agent.map(part::id),
        is_named: false,
        chunks: Exact(0.0),
        length: Exact(0.0),
        frequencies: Vec::new(),
        vectors: given.into_iter().collect(),
        with: With::default(),
    };
    let mut nearest = Vec::new();
    for (group, answered) in nodes.ask(&CANDIDATES, &common, own.collect())? {
        for (place, told) in answered.told.into_iter().enumerate() {
            let hits = match told {
                Told::Found { hits, .. } => hits,
                Told::Failed { failure, .. } => return Err(Error::of_failure(&failure).into()),
                _ => return Err(cluster::unreadable(group)?.into()),
            };
            let Some(base) = bases.place(group, place) else {
                return Err(cluster::unreadable(group)?.into());
            };
            nearest.extend(hits.into_iter().map(|hit| (Candidate { chunk: hit.id, base }, hit.score.0)));
        }
    }
    Ok(nearest)
}

fn hit((id, similarity): &(Candidate<Id>, f64)) -> Hit<Id> {
    Hit {
        id: *id,
        score: *similarity,
        similarity: None,
        is_reliable: false,
        keyword_score: None,
        keyword_rank: None,
        semantic_rank: None,
        window: None,
        copies: Vec::new(),
    }
}
