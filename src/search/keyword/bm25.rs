//! BM25 over stock GIN indexes, exact.
//!
//! The index first gives the chunks that can get the highest scores, by the lexemes they have; these are scored. Once
//! the worst of the best so far is known, it gives the others that can still get above it. See `kb_rag_core::maxscore`.

use kb_rag_core::bm25::{Corpus, Parameters, Scorer, Term, inverse_document_frequency};
use kb_rag_core::impact;
use kb_rag_core::maxscore::{Bounds, Condition, need_for_share};
use kb_rag_core::top::Top;
use kb_rag_core::tsvector::TsVector;
use pgrx::Uuid;

use super::query::{self, Query};
use super::{Keyword, Pool};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::guc;
use crate::search::Search;
use crate::search::filter::Filter;
use crate::spi::{self, Access, Arg, Planning, Slot};
use crate::tsvector;

/// The first scan of the index is meant to give this many times the chunks wanted: with fewer, a second scan, which costs
/// more, would often be necessary. Each further one, if there were too few, is meant to give `WIDER` times as many.
const AMPLE: f64 = 4.0;
const WIDER: f64 = 8.0;

/// The lexemes of a query, rarest first.
struct Terms<'a> {
    lexemes: Vec<&'a str>,
    /// What each can add to a score, by its level.
    bounds: Vec<Bounds>,
    /// In what share of the chunks it is.
    shares: Vec<f64>,
    scorer: Scorer,
}

impl<'a> Terms<'a> {
    fn new(base: &KnowledgeBase, query: &'a Query, pool: &Pool) -> Terms<'a> {
        let parameters = parameters(base);
        let mut lexemes: Vec<&str> = query.lexemes.iter().map(String::as_str).collect();
        lexemes.sort_by(|a, b| pool.frequency(a).total_cmp(&pool.frequency(b)).then_with(|| a.cmp(b)));
        let idf = |lexeme: &&str| inverse_document_frequency(pool.chunks, pool.frequency(lexeme));
        let terms = lexemes.iter().map(|l| Term { lexeme: l.as_bytes().to_vec(), idf: idf(l) }).collect();
        let corpus = Corpus { chunks: pool.chunks, mean_length: pool.mean_length() };
        Terms {
            bounds: lexemes
                .iter()
                .map(|l| impact::bounds(l.as_bytes(), idf(l), &parameters, &corpus, &base.impact_scale()))
                .collect(),
            shares: lexemes.iter().map(|l| (pool.frequency(l) / pool.chunks.max(1.0)).min(1.0)).collect(),
            scorer: Scorer::new(terms, corpus, parameters),
            lexemes,
        }
    }
}

fn parameters(base: &KnowledgeBase) -> Parameters {
    let ranking = base.settings.ranking;
    Parameters {
        k1: ranking.bm25_k1,
        b: ranking.bm25_b,
        weights: [1.0, 1.0, ranking.heading_weight, ranking.title_weight],
    }
}

/// The best `depth` chunks of a base by BM25.
pub fn arm(
    search: &Search,
    keyword: &Keyword,
    base: &KnowledgeBase,
    query: &Query,
    depth: i64,
) -> Result<Vec<(Uuid, f64)>> {
    let terms = Terms::new(base, query, &keyword.pool);
    let mut top = Top::new(depth as usize);
    let mut wanted = AMPLE * depth as f64;
    let need_for =
        |wanted: f64| need_for_share(&terms.bounds, &terms.shares, wanted / keyword.pool.chunks.max(1.0));
    let mut need = need_for(wanted);
    let mut seen = Vec::new();
    let filter = Filter::new(search.request, base)?.with_query(query);
    // Chunks without levels are read in any case, and a title may have the weight 0.
    let score =
        |vector: &TsVector, length| Some(terms.scorer.score(vector, length)).filter(|score| *score > 0.0);
    if filter.is_secured() {
        let any = query::any_of(terms.lexemes.iter().copied());
        score_chunks(search, base, &filter, &any, &[], score, &mut top)?;
        return Ok(best(top));
    }
    while let Some(condition) = Condition::reaching(&terms.bounds, &terms.shares, need) {
        let reaching = format!(
            "{} | {}",
            query::tsquery(&condition, &terms.lexemes),
            tsvector::quote(impact::UNLEVELLED)
        );
        score_chunks(search, base, &filter, &reaching, &seen, score, &mut top)?;
        if need <= 0.0 {
            break;
        }
        need = match top.threshold() {
            // No chunk that was left out can get in.
            Some(worst) if worst >= need => break,
            Some(worst) => worst,
            None => {
                wanted *= WIDER;
                need_for(wanted).min(need / 2.0)
            }
        };
        seen.push(reaching);
    }
    Ok(best(top))
}

/// The chunks that were kept, best first.
pub fn best(top: Top<Uuid>) -> Vec<(Uuid, f64)> {
    top.into_sorted().into_iter().map(|scored| (scored.id, scored.score)).collect()
}

/// The scores of these chunks of a base; 0 for those without a word of the query.
pub fn scores(
    search: &Search,
    keyword: &Keyword,
    base: &KnowledgeBase,
    query: &Query,
    chunks: Vec<Uuid>,
) -> Result<Vec<(Uuid, f64)>> {
    let scorer = Terms::new(base, query, &keyword.pool).scorer;
    scores_of(search, base, chunks, |vector, length| Some(scorer.score(vector, length)))
}

/// The result of `score` for these chunks of a base; 0 for None.
pub fn scores_of(
    search: &Search,
    base: &KnowledgeBase,
    chunks: Vec<Uuid>,
    score: impl Fn(&TsVector, u32) -> Option<f64>,
) -> Result<Vec<(Uuid, f64)>> {
    let sql = spi::render(include_str!("bm25_of.sql"), &[("schema", &base.quoted_schema())]);
    let mut scores = Vec::with_capacity(chunks.len());
    search.connection.stream(&sql, Access::Read, Planning::Generic, &[Arg::new(chunks)], |row| {
        score_row(row, &score, |id, score| scores.push((id, score.unwrap_or_default())))
    })?;
    Ok(scores)
}

/// Scores the chunks that the tsquery `reaching` matches and none of `seen` does.
pub fn score_chunks(
    search: &Search,
    base: &KnowledgeBase,
    filter: &Filter,
    reaching: &str,
    seen: &[String],
    score: impl Fn(&TsVector, u32) -> Option<f64>,
    top: &mut Top<Uuid>,
) -> Result<()> {
    let schema = base.quoted_schema();
    let mut matching = format!("({reaching})");
    for seen in seen {
        matching.push_str(&format!(" & !({seen})"));
    }
    let mut args = vec![Arg::new(matching)];
    let planning = planning(filter);
    let conditions = filter.conditions(&schema, &mut args);
    let sql = spi::render(
        include_str!("bm25.sql"),
        &[("schema", &schema), ("lexemes", filter.lexemes()), ("conditions", &conditions)],
    );
    // Enough for a bitmap of a million pages: with less memory PostgreSQL checks every row again.
    guc::with_settings(&[(c"work_mem", c"64MB")], || {
        search.connection.stream(&sql, Access::Read, planning, &args, |row| {
            score_row(row, &score, |id, score| {
                if let Some(score) = score {
                    top.push(score, id);
                }
            })
        })
    })
}

/// Without a filter the keyword index is the best plan, whatever the words.
fn planning(filter: &Filter) -> Planning {
    if filter.is_empty() { Planning::Generic } else { Planning::Custom }
}

/// Scores a chunk given as id, tsv and length.
fn score_row(
    row: &Slot,
    score: impl Fn(&TsVector, u32) -> Option<f64>,
    take: impl FnOnce(Uuid, Option<f64>),
) -> Result<()> {
    let (id, length) = (row.require(1)?, row.require::<i32>(3)?);
    row.with_tsvector(2, |vector| take(id, score(vector, length.max(0) as u32)))
}
