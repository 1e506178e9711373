//! The keyword arm: an OR of the query's lexemes, ranked.

mod bm25;
mod pool;
mod query;
mod ts_rank;

use pgrx::Uuid;

pub use query::{Conditions, Query};

use super::{Request, Search};
use crate::base::KnowledgeBase;
use crate::corpus;
use crate::error::{Error, Result};
use crate::spi::{Access, Connection};
use pool::Pool;

/// How the matches of the keyword arm are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranker {
    /// BM25 with the figures of the bases searched.
    Bm25,
    /// PostgreSQL's ts_rank with normalisation 1.
    TsRank,
    /// PostgreSQL's ts_rank_cd with normalisation 1.
    TsRankCd,
}

impl Ranker {
    /// 22023 unless `bm25`, `ts_rank` or `ts_rank_cd`.
    pub fn from_name(name: &str) -> Result<Ranker> {
        match name {
            "bm25" => Ok(Ranker::Bm25),
            "ts_rank" => Ok(Ranker::TsRank),
            "ts_rank_cd" => Ok(Ranker::TsRankCd),
            _ => Err(Error::invalid(format!("ranker \"{name}\" is not known"))
                .hint("Use one of: bm25, ts_rank, ts_rank_cd.")),
        }
    }

    /// The ranker of a search: the call's; or that of the bases; or, where they differ, bm25, whose scores compare.
    pub fn of_search(asked: Option<Ranker>, bases: &[KnowledgeBase]) -> Result<Ranker> {
        if let Some(ranker) = asked {
            return Ok(ranker);
        }
        let Some((first, rest)) = bases.split_first() else { return Ok(Ranker::Bm25) };
        if rest.iter().all(|base| base.settings.ranker == first.settings.ranker) {
            Ranker::from_name(&first.settings.ranker)
        } else {
            Ok(Ranker::Bm25)
        }
    }
}

/// The query made ready for each base in scope.
pub struct Keyword {
    ranker: Ranker,
    queries: Vec<Query>,
    pool: Pool,
}

impl Keyword {
    /// Cuts the query into lexemes as each base does, and reads the figures the ranker needs: where row security applies,
    /// those of what the caller may see.
    pub fn prepare(connection: &Connection, request: &Request, bases: &[KnowledgeBase]) -> Result<Keyword> {
        let ranker = Ranker::of_search(request.ranker, bases)?;
        let mut pool = Pool::default();
        let mut queries = Vec::with_capacity(bases.len());
        for base in bases {
            let schema = base.quoted_schema();
            let in_configs = |configs: &[String]| {
                Query::new(connection, &base.settings.text_config, configs, request.query)
            };
            let query = if base.is_row_secured()? {
                let size = base.read(|| corpus::visible_size(connection, &schema))?;
                // The caller may have no right to the schema of a text search configuration.
                let query = base.read_as_owner(|| in_configs(&size.text_configs))?;
                if ranker == Ranker::Bm25 {
                    let count = || corpus::visible_frequencies(connection, &schema, &query.lexemes);
                    pool.add(&size, &query.lexemes, base.read(count)?);
                }
                query
            } else {
                base.read_as_owner(|| {
                    let size = corpus::size(connection, &schema, Access::Read)?;
                    let query = in_configs(&size.text_configs)?;
                    if ranker == Ranker::Bm25 {
                        let frequencies = corpus::frequencies(connection, base, &size, &query.lexemes)?;
                        pool.add(&size, &query.lexemes, frequencies);
                    }
                    Ok(query)
                })?
            };
            queries.push(query);
        }
        Ok(Keyword { ranker, queries, pool })
    }

    /// The query as the base at this place in the scope reads it.
    pub fn query(&self, base: usize) -> Option<&Query> {
        self.queries.get(base)
    }

    /// The best `depth` chunks of a base. Empty when the query has no lexeme, as one of stop words only.
    pub fn arm(&self, search: &Search, index: usize, depth: i64) -> Result<Vec<(Uuid, f64)>> {
        let (base, query) = (&search.bases[index], &self.queries[index]);
        if query.lexemes.is_empty() {
            return Ok(Vec::new());
        }
        base.read(|| match self.ranker {
            Ranker::Bm25 => bm25::arm(search, self, base, query, depth),
            Ranker::TsRank => ts_rank::arm(search, base, query, "ts_rank", depth),
            Ranker::TsRankCd => ts_rank::arm(search, base, query, "ts_rank_cd", depth),
        })
    }

    /// The scores of these chunks of a base, which another arm found; 0 for those without a word of the query.
    pub fn scores(&self, search: &Search, index: usize, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
        let (base, query) = (&search.bases[index], &self.queries[index]);
        base.read(|| match self.ranker {
            Ranker::Bm25 => bm25::scores(search, self, base, query, chunks),
            Ranker::TsRank => ts_rank::scores(search, base, query, "ts_rank", chunks),
            Ranker::TsRankCd => ts_rank::scores(search, base, query, "ts_rank_cd", chunks),
        })
    }
}
