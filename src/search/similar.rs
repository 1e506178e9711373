//! match_knowledge_chunks: the nearest chunks to a vector, over an agent's bases.

use pgrx::Uuid;

use super::filter::Filter;
use super::{request, scope, semantic};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::jsonb::Jsonb;
use crate::role;
use crate::spi::{self, Access, Arg, Connection, Planning};
use crate::vector::{Pgvector, Vector};

/// One result.
pub struct SimilarChunk {
    pub id: Uuid,
    pub content: String,
    pub similarity: f64,
    pub metadata: Jsonb,
}

/// The nearest `count` chunks whose similarity is strictly above `threshold`, best first, ties by id.
pub fn similar_chunks(agent: Uuid, vector: &Vector, count: i32, threshold: f64) -> Result<Vec<SimilarChunk>> {
    request::check_count("p_match_count", count)?;
    if threshold.is_nan() {
        return Err(Error::invalid("p_match_threshold is NaN").hint("Use a similarity, for example 0.3."));
    }
    let bases = scope::resolve(None, Some(agent))?;
    one_model(&bases)?;
    role::with_settings(&[], || {
        spi::connect(|connection| {
            let pgvector = Pgvector::find(connection)?;
            let mut nearest = Vec::new();
            for base in &bases {
                vector.check(base.dimensions as usize, "p_query_embedding")?;
                let filter = Filter::of_base(base)?;
                let hits =
                    semantic::nearest(connection, &pgvector, base, &filter, &vector.0, i64::from(count))?;
                nearest.extend(hits.into_iter().map(|(id, similarity)| (base, id, similarity)));
            }
            nearest.retain(|(_, _, similarity)| *similarity > threshold);
            nearest.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.1.cmp(&b.1)));
            nearest.truncate(count as usize);
            read(connection, &bases, &nearest)
        })
    })
}

/// Similarities of different models do not compare: 22023 that names both.
fn one_model(bases: &[KnowledgeBase]) -> Result<()> {
    let Some((first, rest)) = bases.split_first() else {
        return Ok(());
    };
    match rest.iter().find(|base| base.model != first.model || base.dimensions != first.dimensions) {
        None => Ok(()),
        Some(other) => Err(Error::invalid(format!(
            "knowledge bases \"{}\" and \"{}\" have different models: \"{}\" ({} dimensions) and \"{}\" ({} dimensions)",
            first.name, other.name, first.model, first.dimensions, other.model, other.dimensions
        ))
        .hint("Search them with kb_hybrid_search, which embeds the query once per model.")),
    }
}

fn read(
    connection: &Connection,
    bases: &[KnowledgeBase],
    nearest: &[(&KnowledgeBase, Uuid, f64)],
) -> Result<Vec<SimilarChunk>> {
    let mut texts = std::collections::HashMap::with_capacity(nearest.len());
    for base in bases {
        let ids: Vec<Uuid> = nearest
            .iter()
            .filter(|hit| hit.0.id == base.id)
            .map(|hit| hit.1)
            .collect();
        if ids.is_empty() {
            continue;
        }
        let sql = spi::render(
            include_str!("chunk_text.sql"),
            &[("schema", &base.quoted_schema())],
        );
        let rows = connection.query(&sql, Access::Read, Planning::Auto, &[Arg::new(ids)], |row| {
            Ok((
                (base.id, row.require::<Uuid>(1)?),
                (row.require::<String>(2)?, row.require::<Jsonb>(3)?),
            ))
        })?;
        texts.extend(rows);
    }
    Ok(nearest
        .iter()
        .filter_map(|(base, id, similarity)| {
            let (content, metadata) = texts.remove(&(base.id, *id))?;
            Some(SimilarChunk {
                id: *id,
                content,
                similarity: *similarity,
                metadata,
            })
        })
        .collect())
}
