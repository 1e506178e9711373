//! The keyword arm: an OR of the query's lexemes, ranked.

mod bm25;
mod explain;
mod index;
mod pool;
mod proximity;
pub mod query;
mod secured;
mod ts_rank;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::mem;
use std::slice;

use kb_rag_core::informative::most_informative;
use kb_rag_core::lexeme::{Coverage, Held, QueryWord};
use kb_rag_core::plural::counted;
use pgrx::{Uuid, pg_sys};

use super::Request;
use super::filter::Filter;
use super::visible::Visible;
use crate::base::{KnowledgeBase, Ranker};
use crate::error::{Error, Result};
use crate::keyword_index;
use crate::postgres::regconfig::RegConfig;
use crate::postgres::spi::{self, Access, Arg, Connection};
use index::Index;
pub use pool::Pool;
use query::Query;
use ts_rank::Function;

/// The ranker of a search: the call's; or that of the bases; or, if they differ, bm25, whose scores are comparable.
pub fn ranker_of(request: &Request, mut of_bases: impl Iterator<Item = Ranker>) -> Ranker {
    request
        .ranker
        .or(of_bases.next().filter(|first| of_bases.all(|ranker| ranker == *first)))
        .unwrap_or(Ranker::Bm25)
}

/// A query is ranked by at most this many lexemes: the time of a search grows with their number, and a query of 64 kB may
/// have ten thousand. Questions of some hundred words have fewer.
const MAX_LEXEMES: usize = 256;
/// So many chunks are looked up by one statement.
const BATCH: usize = 10_000;

/// The query made ready for each base in scope.
pub struct Keyword {
    ranker: Ranker,
    queries: Vec<Query>,
    /// What was read of the index of each base; None where that could not be read.
    indexes: Vec<Option<Index>>,
    pool: Pool,
    /// How much of the question chunks of each base hold, once it was asked for.
    coverages: Vec<OnceCell<Coverage>>,
    /// Whether the statistics of these bases are wanted; otherwise those of more bases take their place.
    is_counting: bool,
}

impl Keyword {
    /// Splits the query into lexemes as each base does, and reads the statistics and postings that the ranker needs: if row
    /// security applies, only statistics of the chunks that the caller may see. `visible` has an entry for each base.
    pub fn prepare(
        connection: &Connection,
        request: &Request,
        bases: &[KnowledgeBase],
        visible: &[Visible],
    ) -> Result<Keyword> {
        let ranker = ranker_of(request, bases.iter().map(|base| base.settings.ranker));
        let keyword = Keyword::read(connection, request, bases, visible, ranker, true)?;
        let (keyword, left_out) = keyword.shortened(bases)?;
        notify_of_left_out(left_out);
        Ok(keyword)
    }

    /// The same before words are left out of a query that is too long.
    fn read(
        connection: &Connection,
        request: &Request,
        bases: &[KnowledgeBase],
        visible: &[Visible],
        ranker: Ranker,
        is_counting: bool,
    ) -> Result<Keyword> {
        let coverages = bases.iter().map(|_| OnceCell::new()).collect();
        let (queries, indexes, pool) = (Vec::new(), Vec::new(), Pool::default());
        let mut keyword = Keyword { ranker, queries, indexes, pool, coverages, is_counting };
        for (base, visible) in bases.iter().zip(visible) {
            require_text_config(base, request)?;
            let own = base.settings.analyzer();
            let weight = base.settings.ranking.part_weight;
            let in_configs = |in_use: &[String]| Query::new(&own, in_use, weight, request);
            let prepared = match visible {
                Visible::All => base.read_as_owner(|| keyword.prepare_indexed(base, in_configs)),
                Visible::Listed(listed) => keyword.prepare_listed(connection, base, listed, &in_configs),
                Visible::Estimated(found) => keyword.prepare_estimated(connection, base, found, &in_configs),
                Visible::Unread => keyword.prepare_visible(connection, base, in_configs),
            };
            if let Err(error) = prepared {
                notify_of_index(error, base, request)?;
                keyword.queries.push(Query::default());
                keyword.indexes.push(None);
            }
        }
        Ok(keyword)
    }

    /// The same once words are left out, and how many those are.
    fn shortened(mut self, bases: &[KnowledgeBase]) -> Result<(Keyword, usize)> {
        let left_out = shorten(&mut self.queries, &self.pool);
        // Of a query that was too long only now.
        for ((base, query), index) in bases.iter().zip(&self.queries).zip(&mut self.indexes) {
            if let Some(index) = index.as_mut().filter(|index| index.lexemes.is_empty()) {
                base.read_as_owner(|| index.read(query))?;
            }
        }
        Ok((self, left_out))
    }

    /// The statistics of one base, which is a part of a search, and whether anything is left of the query there.
    pub fn statistics(
        connection: &Connection,
        request: &Request,
        base: &KnowledgeBase,
        visible: &Visible,
        ranker: Ranker,
    ) -> Result<(Pool, bool)> {
        let (bases, visible) = (slice::from_ref(base), slice::from_ref(visible));
        let keyword = Keyword::read(connection, request, bases, visible, ranker, true)?;
        let has_words = !keyword.is_empty();
        Ok((keyword.pool, has_words))
    }

    /// The query in bases that are a part of a search whose statistics are `pool`, and how many words are left out.
    pub fn of_part(
        connection: &Connection,
        request: &Request,
        bases: &[KnowledgeBase],
        visible: &[Visible],
        ranker: Ranker,
        pool: Pool,
    ) -> Result<(Keyword, usize)> {
        let keyword = Keyword::read(connection, request, bases, visible, ranker, false)?;
        Keyword { pool, ..keyword }.shortened(bases)
    }

    /// Whether the frequencies of the lexemes are needed.
    fn is_counted(&self, query: &Query) -> bool {
        self.is_counting && (self.ranker.is_bm25() || query.lexemes.len() > MAX_LEXEMES)
    }

    /// Without the index.
    fn prepare_visible(
        &mut self,
        connection: &Connection,
        base: &KnowledgeBase,
        in_configs: impl Fn(&[String]) -> Result<Query>,
    ) -> Result<()> {
        let schema = base.quoted_schema();
        let size = base.read(|| keyword_index::visible_size(connection, &schema))?;
        // The caller may have no privilege on the schema of a text search configuration.
        let query = base.read_as_owner(|| in_configs(&size.text_configs))?;
        if self.is_counted(&query) {
            let count = || keyword_index::visible_frequencies(connection, &schema, &query.lexemes);
            self.pool.add(&size, &query.lexemes, base.read(count)?);
        }
        self.queries.push(query);
        self.indexes.push(None);
        Ok(())
    }

    fn prepare_indexed(
        &mut self,
        base: &KnowledgeBase,
        in_configs: impl Fn(&[String]) -> Result<Query>,
    ) -> Result<()> {
        let mut index = Index::for_base(base)?;
        let query = in_configs(&index.segments.size.text_configs)?;
        let frequencies = if query.lexemes.len() > MAX_LEXEMES {
            index.segments.frequencies(&query.lexemes)?
        } else {
            index.read(&query)?;
            index.frequencies(&query)
        };
        self.pool.add(&index.segments.size, &query.lexemes, frequencies);
        self.queries.push(query);
        self.indexes.push(Some(index));
        Ok(())
    }

    /// Whether the query has no words in any base: it is empty, or of stop words only, even if those give a word together.
    pub fn is_empty(&self) -> bool {
        let is_joined = |word: &QueryWord| word.lexemes.is_empty() && word.parts.is_empty();
        self.queries.iter().all(|query| query.words.iter().all(is_joined) && query.conditions.is_none())
    }

    /// Whether rare words count more.
    pub fn is_by_frequency(&self) -> bool {
        self.ranker.is_bm25()
    }

    /// The query in the base at this place in the scope.
    pub fn in_base<'a>(
        &'a self,
        connection: &'a Connection,
        request: &'a Request,
        bases: &'a [KnowledgeBase],
        visible: &'a [Visible],
        place: usize,
    ) -> Option<InBase<'a>> {
        let index = self.indexes.get(place).and_then(Option::as_ref);
        let (query, base, visible) = (self.queries.get(place)?, bases.get(place)?, visible.get(place)?);
        let coverage = self.coverages.get(place)?;
        Some(InBase {
            connection,
            request,
            base,
            visible,
            query,
            index,
            pool: &self.pool,
            coverage,
            ranker: self.ranker,
        })
    }
}

/// The query in one of the bases in scope.
pub struct InBase<'a> {
    connection: &'a Connection,
    request: &'a Request<'a>,
    base: &'a KnowledgeBase,
    visible: &'a Visible,
    query: &'a Query,
    /// None where it could not be read.
    index: Option<&'a Index>,
    /// Statistics of all bases in scope.
    pool: &'a Pool,
    coverage: &'a OnceCell<Coverage>,
    ranker: Ranker,
}

impl InBase<'_> {
    /// The best `depth` chunks, of which the first `needed` decide about the results. Empty if the query has no lexeme, as one
    /// of stop words only.
    pub fn best(&self, depth: usize, needed: usize) -> Result<Vec<(Uuid, f64)>> {
        if self.query.lexemes.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.base.read(|| match self.ranker {
            Ranker::Bm25 => bm25::best(self, depth, needed),
            Ranker::Bm25Proximity => proximity::best(self, depth, needed),
            Ranker::TsRank => Function::ts_rank(self).best(self, depth),
            Ranker::TsRankCd => Function::ts_rank_cd(self).best(self, depth),
        });
        found.or_else(|error| notify_of_index(error, self.base, self.request).map(|()| Vec::new()))
    }

    /// The conditions of the search, with those of the query.
    fn filter(&self) -> Result<Filter<'_>> {
        Ok(Filter::new(self.request, self.base)?.with_query(self.query))
    }

    /// The same for another arm: phrases and excluded words of a hybrid search hold for all its results.
    pub fn filter_of_others(&self) -> Result<Filter<'_>> {
        Ok(self.filter()?.with_numbers(self.required_numbers()?))
    }

    /// The numbers of the chunks that have the words of the query's phrases. None if it has none that the index can look up.
    fn required_numbers(&self) -> Result<Option<Vec<i64>>> {
        let Some(index) = self.index else { return Ok(None) };
        let numbers = index.required_numbers(self.query);
        numbers.or_else(|error| notify_of_index(error, self.base, self.request).map(|()| None))
    }

    /// Whether a chunk that the query finds has no vector.
    pub fn finds_without_vector(&self) -> Result<bool> {
        if self.query.lexemes.is_empty() {
            return Ok(false);
        }
        let schema = self.base.quoted_schema();
        // As the owner: it only decides whether chunks that the caller may see are looked at.
        let any = spi::render(include_str!("any_without_vector.sql"), &[("schema", &schema)]);
        if !self.base.read_as_owner(|| is_true(self.connection, &any, &[]))? {
            return Ok(false);
        }
        let found = self.base.read(|| {
            let filter = self.filter()?;
            let finds = |matching: &str, arg: Arg| {
                let mut args = vec![arg];
                let conditions = filter.conditions(&schema, &mut args)?;
                let values =
                    [("schema", schema.as_str()), ("matching", matching), ("conditions", &conditions)];
                is_true(self.connection, &spi::render(include_str!("without_vector.sql"), &values), &args)
            };
            let Some(index) = self.index else {
                let any = query::any_of(self.query.lexemes.iter().map(String::as_str));
                return finds("c.tsv @@ $1::tsquery", Arg::new(any));
            };
            for numbers in index.matching_numbers(self.query)?.chunks(BATCH) {
                if finds("c.keyword_number = ANY ($1)", Arg::new(numbers.to_vec()))? {
                    return Ok(true);
                }
            }
            Ok(false)
        });
        found.or_else(|error| notify_of_index(error, self.base, self.request).map(|()| false))
    }

    /// The shares of the question that a chunk holds.
    pub fn held(&self, chunk: Uuid) -> Result<Held> {
        if !self.has_lexemes() {
            return Ok(Held::ALL);
        }
        let coverage = self.coverage();
        let held = self.base.read(|| bm25::of_chunks(self, vec![chunk], |vector, _| coverage.of(vector)))?;
        // It may be gone since it was found.
        Ok(held.first().map_or(Held::ALL, |(_, held)| *held))
    }

    /// The shares of the question that each of these chunks holds in whole words.
    pub fn wholes_held(&self, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, Held)>> {
        if !self.has_lexemes() {
            return Ok(Vec::new());
        }
        let coverage = self.coverage();
        self.base.read(|| bm25::of_chunks(self, chunks, |vector, _| coverage.of_wholes(vector)))
    }

    /// Whether the lexemes of chunks can be read: a search finds what the index has without them, and the owner may have altered
    /// the table.
    fn has_lexemes(&self) -> bool {
        self.base.has_own_columns(c"chunk", &[(c"tsv", pg_sys::TSVECTOROID), (c"length", pg_sys::INT4OID)])
    }

    fn coverage(&self) -> &Coverage {
        self.coverage.get_or_init(|| {
            Coverage::new(&self.query.words, self.pool.chunks, |lexeme| self.pool.frequency(lexeme))
        })
    }

    /// The scores of these chunks, which another arm found; 0 for those without a word of the query.
    pub fn scores(&self, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
        self.base.read(|| match self.ranker {
            Ranker::Bm25 => bm25::scores(self, chunks),
            Ranker::Bm25Proximity => proximity::scores(self, chunks),
            Ranker::TsRank => Function::ts_rank(self).scores(self, chunks),
            Ranker::TsRankCd => Function::ts_rank_cd(self).scores(self, chunks),
        })
    }
}

/// Whether a statement gives true.
fn is_true(connection: &Connection, sql: &str, args: &[Arg]) -> Result<bool> {
    Ok(connection.query_one(sql, Access::Read, args, |row| row.require(1))? == Some(true))
}

/// An error of a base whose keyword index its owner altered, or that is damaged: with the name of the base where the caller named
/// it, and otherwise a warning, as a search over all bases must not fail for one of them.
fn notify_of_index(error: Error, base: &KnowledgeBase, request: &Request) -> Result<()> {
    if !error.is_of_altered_tables() {
        return Err(error);
    }
    let error = error.preceded_by(&format!("knowledge base \"{}\" cannot be searched by keyword", base.name));
    if request.knowledge_base.is_some() {
        return Err(error);
    }
    error.warn("it is left out of keyword search");
    Ok(())
}

/// 42704: the text search configuration of a base was dropped.
pub fn no_text_config(base: &KnowledgeBase) -> Error {
    let (name, config) = (&base.name, &base.settings.text_config);
    let quoted = spi::quote_literal(name);
    Error::not_found(format!(
        "the text search configuration {config} of knowledge base \"{name}\" does not exist"
    ))
    .hint(format!("Create it, or set another one with kb_configure({quoted}, text_config => …)."))
}

/// 42704 where the caller named a base whose text search configuration was dropped; a warning in a search over all bases.
fn require_text_config(base: &KnowledgeBase, request: &Request) -> Result<()> {
    if RegConfig::find(&base.settings.text_config).is_some() {
        return Ok(());
    }
    let error = no_text_config(base);
    if request.knowledge_base.is_some() {
        return Err(error);
    }
    error.warn("keyword search in the base does not use it");
    Ok(())
}

/// Keeps in each query the lexemes that are in the fewest chunks: of its words, and then, as many as there is room for, of their
/// parts. Returns how many words are left out.
fn shorten(queries: &mut [Query], pool: &Pool) -> usize {
    let mut left_out = 0;
    for query in queries.iter_mut().filter(|query| query.lexemes.len() > MAX_LEXEMES) {
        let of_words: HashSet<&String> = query.words.iter().flat_map(|word| &word.lexemes).collect();
        let (words, parts): (Vec<String>, Vec<String>) =
            mem::take(&mut query.lexemes).into_iter().partition(|lexeme| of_words.contains(lexeme));
        let most_informative = |lexemes: Vec<String>, max| {
            let frequencies: Vec<f64> = lexemes.iter().map(|lexeme| pool.frequency(lexeme)).collect();
            let kept = most_informative(&frequencies, max);
            let places: HashSet<usize> = kept.places.into_iter().collect();
            let lexemes = lexemes.into_iter().enumerate().filter(|(place, _)| places.contains(place));
            (lexemes.map(|(_, lexeme)| lexeme).collect::<Vec<String>>(), kept.left_out)
        };
        let (mut lexemes, of_query) = most_informative(words, MAX_LEXEMES);
        let (parts, _) = most_informative(parts, MAX_LEXEMES - lexemes.len());
        lexemes.extend(parts);
        lexemes.sort_unstable();
        query.lexemes = lexemes;
        left_out = left_out.max(of_query);
    }
    left_out
}

/// A notice about words that are left out of a query.
pub fn notify_of_left_out(left_out: usize) {
    if left_out > 0 {
        pgrx::notice!(
            "keyword search leaves out {} of the query and keeps the {MAX_LEXEMES} that are in the fewest chunks",
            counted(left_out, "lexeme")
        );
    }
}
