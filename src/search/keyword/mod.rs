//! The keyword arm: an OR of the query's lexemes, ranked.

mod bm25;
mod pool;
pub mod query;
mod ts_rank;

use kb_rag_core::informative::most_informative;
use kb_rag_core::plural::counted;
use pgrx::Uuid;

use super::filter::Filter;
use super::{Request, Search};
use crate::base::{KnowledgeBase, Ranker};
use crate::corpus;
use crate::error::{Error, Result};
use crate::regconfig::RegConfig;
use crate::spi::{self, Access, Arg, Connection};
use pool::Pool;
use query::Query;
use ts_rank::Function;

/// The ranker of a search: the call's; or that of the bases; or, if they differ, bm25, whose scores are comparable.
fn ranker_of(request: &Request, bases: &[KnowledgeBase]) -> Ranker {
    let mut of_bases = bases.iter().map(|base| base.settings.ranker);
    request
        .ranker
        .or(of_bases.next().filter(|first| of_bases.all(|ranker| ranker == *first)))
        .unwrap_or(Ranker::Bm25)
}

/// A query is ranked by at most this many lexemes: the time of a search grows with their number, and a query of 64 kB may
/// have ten thousand. Questions of some hundred words have fewer.
const MOST_LEXEMES: usize = 256;

/// The query made ready for each base in scope.
pub struct Keyword {
    ranker: Ranker,
    queries: Vec<Query>,
    pool: Pool,
}

impl Keyword {
    /// Splits the query into lexemes as each base does, and reads the statistics that the ranker needs: if row security
    /// applies, those of the chunks that the caller may see.
    pub fn prepare(connection: &Connection, request: &Request, bases: &[KnowledgeBase]) -> Result<Keyword> {
        let ranker = ranker_of(request, bases);
        let mut pool = Pool::default();
        let mut queries = Vec::with_capacity(bases.len());
        let is_counted = |query: &Query| ranker == Ranker::Bm25 || query.lexemes.len() > MOST_LEXEMES;
        for base in bases {
            require_text_config(base, request)?;
            let schema = base.quoted_schema();
            let in_configs =
                |configs: &[String]| Query::new(connection, &base.settings.text_config, configs, request);
            let query = if base.is_row_secured()? {
                let size = base.read(|| corpus::visible_size(connection, &schema))?;
                // The caller may have no privilege on the schema of a text search configuration.
                let query = base.read_as_owner(|| in_configs(&size.text_configs))?;
                if is_counted(&query) {
                    let count = || corpus::visible_frequencies(connection, &schema, &query.lexemes);
                    pool.add(&size, &query.lexemes, base.read(count)?);
                }
                query
            } else {
                base.read_as_owner(|| {
                    let size = corpus::size(connection, &schema, Access::Read)?;
                    let query = in_configs(&size.text_configs)?;
                    if is_counted(&query) {
                        let frequencies = corpus::frequencies(connection, base, &size, &query.lexemes)?;
                        pool.add(&size, &query.lexemes, frequencies);
                    }
                    Ok(query)
                })?
            };
            queries.push(query);
        }
        shorten(&mut queries, &pool);
        Ok(Keyword { ranker, queries, pool })
    }

    /// Whether the query has no lexemes in any base: it is empty, or of stop words only.
    pub fn is_empty(&self) -> bool {
        self.queries.iter().all(|query| query.lexemes.is_empty() && query.conditions.is_none())
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
            Ranker::TsRank => Function::ts_rank(base, query).arm(search, base, query, depth),
            Ranker::TsRankCd => Function::ts_rank_cd(base, query).arm(search, base, query, depth),
        })
    }

    /// Whether a chunk of a base that the query finds has no vector.
    pub fn finds_without_vector(&self, search: &Search, index: usize) -> Result<bool> {
        let (base, query) = (&search.bases[index], &self.queries[index]);
        if query.lexemes.is_empty() {
            return Ok(false);
        }
        let schema = base.quoted_schema();
        base.read(|| {
            let filter = Filter::new(search.request, base)?.with_query(query);
            let mut args = vec![Arg::new(query::any_of(query.lexemes.iter().map(String::as_str)))];
            let conditions = filter.conditions(&schema, &mut args);
            let sql = spi::render(
                include_str!("without_vector.sql"),
                &[("schema", &schema), ("lexemes", filter.lexemes()), ("conditions", &conditions)],
            );
            let found = search.connection.query_one(&sql, Access::Read, &args, |row| row.require(1))?;
            Ok(found == Some(true))
        })
    }

    /// The scores of these chunks of a base, which another arm found; 0 for those without a word of the query.
    pub fn scores(&self, search: &Search, index: usize, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
        let (base, query) = (&search.bases[index], &self.queries[index]);
        base.read(|| match self.ranker {
            Ranker::Bm25 => bm25::scores(search, self, base, query, chunks),
            Ranker::TsRank => Function::ts_rank(base, query).scores(search, base, chunks),
            Ranker::TsRankCd => Function::ts_rank_cd(base, query).scores(search, base, chunks),
        })
    }
}

/// 42704 where the caller named a base whose text search configuration was dropped; a warning in a search over all bases.
fn require_text_config(base: &KnowledgeBase, request: &Request) -> Result<()> {
    let name = &base.settings.text_config;
    if RegConfig::find(name).is_some() {
        return Ok(());
    }
    let error = Error::not_found(format!(
        "the text search configuration {name} of knowledge base \"{}\" does not exist",
        base.name
    ))
    .hint("Create it, or set another one with kb_configure(name, text_config => …).");
    if request.knowledge_base.is_some() {
        return Err(error);
    }
    error.warn("keyword search in the base does not use it");
    Ok(())
}

/// Keeps in each query the lexemes that are in the fewest chunks of all bases; a notice says how many are left out.
fn shorten(queries: &mut [Query], pool: &Pool) {
    let mut left_out = 0;
    for query in queries {
        let frequencies: Vec<f64> = query.lexemes.iter().map(|lexeme| pool.frequency(lexeme)).collect();
        let kept = most_informative(&frequencies, MOST_LEXEMES);
        left_out = left_out.max(kept.left_out);
        let mut places = kept.places.into_iter().peekable();
        let mut place = 0;
        query.lexemes.retain(|_| {
            place += 1;
            places.next_if_eq(&(place - 1)).is_some()
        });
    }
    if left_out > 0 {
        pgrx::notice!(
            "keyword search leaves out {} of the query and keeps the {MOST_LEXEMES} that are in the fewest chunks",
            counted(left_out, "lexeme")
        );
    }
}
