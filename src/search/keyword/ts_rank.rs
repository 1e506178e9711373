//! PostgreSQL's own ranking functions: they know nothing of how rare a word is.

use kb_rag_core::cover_density::CoverDensity;
use kb_rag_core::top::Top;
use kb_rag_core::tsvector::TsVector;
use pgrx::Uuid;

use super::bm25;
use super::query::{Query, any_of};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::search::Search;
use crate::search::filter::Filter;
use crate::spi::{self, Access, Arg, Planning};

/// Weights of the labels D, C, B, A. PostgreSQL's default weight of a word of the text is 0.1; a word in the title or the
/// heading counts as many times that as the base says.
fn weights(base: &KnowledgeBase) -> [f32; 4] {
    [1.0, 1.0, base.settings.ranking.heading_weight, base.settings.ranking.title_weight]
        .map(|weight| weight as f32 / 10.0)
}

/// The best `depth` chunks by ts_rank with normalisation 1.
pub fn arm(search: &Search, base: &KnowledgeBase, query: &Query, depth: i64) -> Result<Vec<(Uuid, f64)>> {
    let schema = base.quoted_schema();
    let mut args = vec![Arg::new(any_lexeme(query)), Arg::new(weights(base).to_vec())];
    let filter = Filter::new(search.request, base)?.with_query(query);
    let conditions = filter.conditions(&schema, &mut args);
    args.push(Arg::new(depth));
    let limit = format!("${}", args.len());
    let sql = spi::render(
        include_str!("ts_rank.sql"),
        &[("schema", &schema), ("lexemes", filter.lexemes()), ("conditions", &conditions), ("limit", &limit)],
    );
    let planning = bm25::planning(&filter);
    search.connection.query(&sql, Access::Read, planning, &args, |row| Ok((row.require(1)?, row.require(2)?)))
}

/// The scores of these chunks of a base; 0 for those without a word of the query.
pub fn scores(
    search: &Search,
    base: &KnowledgeBase,
    query: &Query,
    chunks: Vec<Uuid>,
) -> Result<Vec<(Uuid, f64)>> {
    let args = [Arg::new(any_lexeme(query)), Arg::new(weights(base).to_vec()), Arg::new(chunks)];
    let sql = spi::render(include_str!("ts_rank_of.sql"), &[("schema", &base.quoted_schema())]);
    search
        .connection
        .query(&sql, Access::Read, Planning::Generic, &args, |row| Ok((row.require(1)?, row.require(2)?)))
}

/// The best `depth` chunks by the result of ts_rank_cd with normalisation 1.
pub fn cover_density_arm(
    search: &Search,
    base: &KnowledgeBase,
    query: &Query,
    depth: i64,
) -> Result<Vec<(Uuid, f64)>> {
    let filter = Filter::new(search.request, base)?.with_query(query);
    let ranker = cover_density(base, query);
    let mut top = Top::new(depth as usize);
    let rank = |vector: &TsVector, _| ranker.rank(vector);
    bm25::score_chunks(search, base, &filter, &any_lexeme(query), &[], rank, &mut top)?;
    Ok(bm25::best(top))
}

/// The same of these chunks of a base; 0 for those without a word of the query.
pub fn cover_density_scores(
    search: &Search,
    base: &KnowledgeBase,
    query: &Query,
    chunks: Vec<Uuid>,
) -> Result<Vec<(Uuid, f64)>> {
    let ranker = cover_density(base, query);
    bm25::scores_of(search, base, chunks, |vector, _| ranker.rank(vector))
}

fn cover_density(base: &KnowledgeBase, query: &Query) -> CoverDensity {
    CoverDensity::new(query.lexemes.iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect(), weights(base))
}

fn any_lexeme(query: &Query) -> String {
    any_of(query.lexemes.iter().map(String::as_str))
}
