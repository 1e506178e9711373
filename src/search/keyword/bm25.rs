//! BM25 over the keyword index, exact: see `kb_rag_core::segment`.

use std::collections::{HashMap, HashSet};

use kb_rag_core::bm25::{Corpus, Parameters, Scorer, Term};
use kb_rag_core::fusion::by_score;
use kb_rag_core::lexeme;
use kb_rag_core::segment::{Bitmap, Ranking, Searcher};
use kb_rag_core::top::Top;
use kb_rag_core::tsvector::TsVector;
use pgrx::Uuid;

use super::index::Index;
use super::{InBase, query};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::spi::{self, Access, Arg, Planning, Slot};
use crate::postgres::test_point::test_limit;
use crate::search::filter::Filter;
use crate::search::visible::Visible;

/// To check a candidate takes about ten times as long as to list a chunk that passes the filter: 20 µs to 2 at 200,000 chunks.
const CHECK_COST: f64 = 10.0;
/// Under row security, where each chunk that is listed is asked about: up to this share of the chunks is listed.
const LISTED_SHARE: f64 = 0.01;
/// Otherwise the best candidates are checked one after the other, at least this many. Where more had to be checked than chunks
/// pass, the filter is evaluated for all chunks after all: the time is at most twice that of the better way.
const MIN_CHECKED: usize = 500;
/// So many times the candidates that should suffice are checked first under row security, and up to this share of all chunks: to
/// read the visible ones may take as long, as all documents may have to be looked at.
const WANTED: f64 = 1.25;
const CHECKED_SHARE: f64 = 0.1;
/// Each further list of candidates is so many times longer.
const LONGER: usize = 4;

/// What the ranking of a query needs to know.
fn statistics(of: &InBase) -> (Corpus, Parameters) {
    let ranking = of.base.settings.ranking;
    let parameters = Parameters {
        k1: ranking.bm25_k1,
        b: ranking.bm25_b,
        weights: [1.0, 1.0, ranking.heading_weight, ranking.title_weight],
    };
    (Corpus { chunks: of.pool.chunks, mean_length: of.pool.mean_length() }, parameters)
}

/// The weight of each lexeme of the query.
fn weights(of: &InBase) -> HashMap<String, f64> {
    let part_weight = of.base.settings.ranking.part_weight;
    lexeme::weights(&of.query.words, of.pool.chunks, |lexeme| of.pool.frequency(lexeme), part_weight)
}

/// Scores single chunks.
pub fn scorer(of: &InBase) -> Scorer {
    let (corpus, parameters) = statistics(of);
    let weights = weights(of);
    let term =
        |lexeme: &String| Some(Term { idf: *weights.get(lexeme)?, lexeme: lexeme.as_bytes().to_vec() });
    Scorer::new(of.query.lexemes.iter().filter_map(term).collect(), corpus, parameters)
}

/// The best `depth` chunks of a base by BM25, of which the first `needed` decide about the results.
pub fn best(of: &InBase, depth: usize, needed: usize) -> Result<Vec<(Uuid, f64)>> {
    let filter = of.filter()?;
    let Some(index) = of.index else {
        let scorer = scorer(of);
        let score =
            |vector: &TsVector, length| Some(scorer.score(vector, length)).filter(|score| *score > 0.0);
        let mut top = Top::new(depth);
        score_visible(of, &filter, score, &mut top)?;
        return Ok(sorted(top));
    };
    let (corpus, parameters) = statistics(of);
    let weights = weights(of);
    let idf = index.lexemes.iter().map(|lexeme| {
        // Words of phrases, and words that were left out of the ranking, are only looked up.
        let ranked = of.query.lexemes.binary_search_by(|ranked| ranked.as_bytes().cmp(lexeme)).ok();
        let lexeme = ranked.and_then(|place| of.query.lexemes.get(place));
        lexeme.and_then(|lexeme| weights.get(lexeme)).copied().unwrap_or_default()
    });
    let ranking = Ranking { idf: idf.collect(), corpus, parameters };
    let ranked = Ranked { of, index, ranking };
    let required = index.required(of.query)?;
    let numbers = if filter.is_empty() {
        ranked.best(needed, depth, required.as_deref())?
    } else {
        ranked.filtered(&filter, depth, needed, required)?
    };
    of.base.as_owner(|| ranked.ids(numbers))
}

/// The limits of checking candidates.
struct Limits {
    /// The most chunks that are found.
    depth: usize,
    /// So many decide, with those of the same score as the last of them.
    needed: usize,
    /// So many candidates are checked first.
    first: usize,
    /// So many at most.
    max: usize,
}

impl Limits {
    /// Whether candidates behind the last one cannot matter.
    fn is_enough(&self, found: &[(i64, f64)], last: Option<&(i64, f64)>) -> bool {
        let decides = self.needed.checked_sub(1).and_then(|place| found.get(place));
        found.len() >= self.depth || decides.zip(last).is_some_and(|((_, needed), (_, last))| last < needed)
    }
}

/// A base with the ranking of a query.
struct Ranked<'a> {
    of: &'a InBase<'a>,
    index: &'a Index,
    ranking: Ranking,
}

impl Ranked<'_> {
    /// The numbers of the best `needed` chunks with their scores, best first, and of those with the same score as the last of
    /// them, `depth` at most; only those in `allowed`, a set for each part.
    fn best(&self, needed: usize, depth: usize, allowed: Option<&[Bitmap]>) -> Result<Vec<(i64, f64)>> {
        let mut top = Top::with_ties(needed, depth);
        let postings = &self.index.postings;
        let mut searcher = Searcher::new(&self.ranking, &postings.gone);
        for (place, part) in postings.parts.iter().enumerate() {
            let allowed = allowed.and_then(|allowed| allowed.get(place));
            searcher.search(part, allowed, &mut top, &mut || {
                check_for_interrupts();
                Ok::<(), Error>(())
            })?;
        }
        Ok(top.into_sorted().into_iter().map(|scored| (scored.id, scored.score)).collect())
    }

    /// The same for chunks that pass the filter.
    fn filtered(
        &self,
        filter: &Filter,
        depth: usize,
        needed: usize,
        required: Option<Vec<Bitmap>>,
    ) -> Result<Vec<(i64, f64)>> {
        let chunks = self.index.segments.size.chunks as f64;
        if !matches!(self.of.visible, Visible::Listed(_)) {
            let expected = self.expected(filter)?;
            if !self.is_selective(expected, needed, chunks) {
                let limits = self.limits(depth, needed, expected, chunks);
                if let Some(found) = self.checked(filter, required.as_deref(), &limits)? {
                    return Ok(found);
                }
            }
        }
        let passing = self.index.sets_of(&self.passing(filter)?)?;
        let allowed = match required {
            Some(required) => {
                let mut both = passing;
                both.iter_mut().zip(&required).for_each(|(passing, required)| passing.and_with(required));
                both
            }
            None => passing,
        };
        self.best(needed, depth, Some(&allowed))
    }

    /// Whether the filter is evaluated first, as so few of all chunks are expected to pass: fewer than the candidates that would
    /// have to be checked until `needed` of them pass, by the cost of each.
    fn is_selective(&self, expected: f64, needed: usize, chunks: f64) -> bool {
        match self.of.visible {
            Visible::Estimated(_) => expected < LISTED_SHARE * chunks,
            _ => expected * expected < CHECK_COST * needed as f64 * chunks,
        }
    }

    /// The limits if so many of all chunks are expected to pass.
    fn limits(&self, depth: usize, needed: usize, expected: f64, chunks: f64) -> Limits {
        let (first, max) = match self.of.visible {
            // The share is known better than what PostgreSQL expects of a filter.
            Visible::Estimated(_) => {
                let first = WANTED * needed as f64 * chunks / expected;
                (first as usize + needed, expected.max(CHECKED_SHARE * chunks))
            }
            _ => (depth.saturating_mul(2), expected),
        };
        let max = test_limit("min_checked", MIN_CHECKED.max(max as usize));
        Limits { depth, needed, first, max }
    }

    /// Checks candidates in the order of their scores. None if so many checks as are allowed were too few.
    fn checked(
        &self,
        filter: &Filter,
        required: Option<&[Bitmap]>,
        limits: &Limits,
    ) -> Result<Option<Vec<(i64, f64)>>> {
        let (mut found, mut checked, mut wanted) = (Vec::new(), 0, limits.first);
        loop {
            let candidates = self.best(wanted, wanted, required)?;
            let fresh = candidates.get(checked..).unwrap_or_default();
            let passing = self.passing_of(filter, fresh.iter().map(|(number, _)| *number).collect())?;
            found.extend(fresh.iter().filter(|(number, _)| passing.contains(number)));
            if candidates.len() < wanted || limits.is_enough(&found, candidates.last()) {
                found.truncate(limits.depth);
                return Ok(Some(found));
            }
            checked = candidates.len();
            if checked >= limits.max {
                return Ok(None);
            }
            wanted = wanted.saturating_mul(LONGER).min(limits.max.max(wanted.saturating_add(1)));
        }
    }

    /// The number of chunks that are expected to pass the filter.
    fn expected(&self, filter: &Filter) -> Result<f64> {
        let expected = |filter: &Filter| {
            let (sql, args) = self.filter_sql(filter, include_str!("passing.sql"), Vec::new())?;
            self.of.connection.expected_rows(&sql, &args)
        };
        match self.of.visible {
            Visible::Estimated(estimated) => {
                let open = filter.open();
                if open.is_empty() {
                    return Ok(estimated.size.chunks as f64);
                }
                let passing = self.of.base.as_owner(|| expected(&open))?;
                Ok(passing * estimated.of_all.share())
            }
            _ => expected(filter),
        }
    }

    /// The numbers of all chunks that pass the filter, sorted.
    fn passing(&self, filter: &Filter) -> Result<Vec<i64>> {
        if let Visible::Listed(listed) = self.of.visible {
            if filter.open().is_empty() {
                return Ok(listed.numbers.clone());
            }
            let mut numbers: Vec<i64> =
                self.passing_of(filter, listed.numbers.clone())?.into_iter().collect();
            numbers.sort_unstable();
            return Ok(numbers);
        }
        let (sql, args) = self.filter_sql(filter, include_str!("passing.sql"), Vec::new())?;
        let mut numbers = Vec::new();
        self.of.connection.stream(&sql, Access::Read, Planning::Custom, &args, |row| {
            check_for_interrupts();
            numbers.push(row.require::<i64>(1)?);
            Ok(())
        })?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Which of these chunks pass.
    fn passing_of(&self, filter: &Filter, numbers: Vec<i64>) -> Result<HashSet<i64>> {
        let (of, open) = (self.of, filter.open());
        match of.visible {
            Visible::All | Visible::Unread => self.conditions_hold(filter, numbers),
            // Those that are visible.
            Visible::Listed(_) => of.base.as_owner(|| self.conditions_hold(&open, numbers)),
            Visible::Estimated(estimated) => {
                let numbers = match open.is_empty() {
                    true => numbers,
                    false => of.base.as_owner(|| self.conditions_hold(&open, numbers))?.into_iter().collect(),
                };
                estimated.visible_of(of.connection, of.base, &numbers)
            }
        }
    }

    fn conditions_hold(&self, filter: &Filter, numbers: Vec<i64>) -> Result<HashSet<i64>> {
        let (sql, args) = self.filter_sql(filter, include_str!("passing_of.sql"), vec![Arg::new(numbers)])?;
        let found = guc::with_index(|| {
            self.of
                .connection
                .query(&sql, Access::Read, Planning::Generic, &args, |row| row.require::<i64>(1))
        })?;
        Ok(found.into_iter().collect())
    }

    fn filter_sql(&self, filter: &Filter, template: &str, mut args: Vec<Arg>) -> Result<(String, Vec<Arg>)> {
        let schema = self.of.base.quoted_schema();
        let conditions = filter.conditions(&schema, &mut args)?;
        Ok((spi::render(template, &[("schema", &schema), ("conditions", &conditions)]), args))
    }

    /// The ids of chunks, in the same order.
    fn ids(&self, numbers: Vec<(i64, f64)>) -> Result<Vec<(Uuid, f64)>> {
        let found = self.index.segments.chunk_ids(numbers.iter().map(|(number, _)| *number))?;
        let ids: HashMap<i64, Uuid> = found.into_iter().collect();
        let mut found: Vec<(Uuid, f64)> =
            numbers.into_iter().filter_map(|(number, score)| Some((*ids.get(&number)?, score))).collect();
        found.sort_by(by_score);
        Ok(found)
    }
}

/// The chunks that were kept, best first.
pub fn sorted(top: Top<Uuid>) -> Vec<(Uuid, f64)> {
    top.into_sorted().into_iter().map(|scored| (scored.id, scored.score)).collect()
}

/// The scores of these chunks of a base; 0 for those without a word of the query.
pub fn scores(of: &InBase, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
    let scorer = scorer(of);
    scores_of(of, chunks, |vector, length| Some(scorer.score(vector, length)))
}

/// The result of `score` for these chunks of a base; 0 for None.
pub fn scores_of(
    of: &InBase,
    chunks: Vec<Uuid>,
    score: impl Fn(&TsVector, u32) -> Option<f64>,
) -> Result<Vec<(Uuid, f64)>> {
    of_chunks(of, chunks, |vector, length| score(vector, length).unwrap_or_default())
}

/// The result of `work` for the lexemes and the length of each of these chunks of a base.
pub fn of_chunks<T>(
    of: &InBase,
    chunks: Vec<Uuid>,
    work: impl Fn(&TsVector, u32) -> T,
) -> Result<Vec<(Uuid, T)>> {
    let sql = spi::render(include_str!("bm25_of.sql"), &[("schema", &of.base.quoted_schema())]);
    let mut found = Vec::with_capacity(chunks.len());
    of.connection.stream(&sql, Access::Read, Planning::Generic, &[Arg::new(chunks)], |row| {
        with_row(row, &work, |id, result| found.push((id, result)))
    })?;
    Ok(found)
}

/// Scores the chunks that the caller may see and that have a lexeme of the query, without the index.
pub fn score_visible(
    of: &InBase,
    filter: &Filter,
    score: impl Fn(&TsVector, u32) -> Option<f64>,
    top: &mut Top<Uuid>,
) -> Result<()> {
    let schema = of.base.quoted_schema();
    let mut args = vec![Arg::new(query::any_of(of.query.lexemes.iter().map(String::as_str)))];
    let conditions = filter.conditions(&schema, &mut args)?;
    let sql = spi::render(include_str!("visible.sql"), &[("schema", &schema), ("conditions", &conditions)]);
    of.connection.stream(&sql, Access::Read, Planning::Custom, &args, |row| {
        check_for_interrupts();
        with_row(row, &score, |id, score| {
            if let Some(score) = score {
                top.push(score, id);
            }
        })
    })
}

/// Scores chunks with these numbers that pass the filter.
pub fn score_numbers(
    of: &InBase,
    filter: &Filter,
    numbers: Vec<i64>,
    score: impl Fn(&TsVector, u32) -> Option<f64>,
    top: &mut Top<Uuid>,
) -> Result<()> {
    let schema = of.base.quoted_schema();
    let mut args = vec![Arg::new(numbers)];
    let conditions = filter.conditions(&schema, &mut args)?;
    let sql = spi::render(include_str!("numbered.sql"), &[("schema", &schema), ("conditions", &conditions)]);
    guc::with_index(|| {
        of.connection.stream(&sql, Access::Read, Planning::Generic, &args, |row| {
            check_for_interrupts();
            with_row(row, &score, |id, score| {
                if let Some(score) = score {
                    top.push(score, id);
                }
            })
        })
    })
}

/// Passes a chunk, given as id, tsv and length, to `work`, and the result to `take`.
fn with_row<T>(row: &Slot, work: impl Fn(&TsVector, u32) -> T, take: impl FnOnce(Uuid, T)) -> Result<()> {
    let (id, length) = (row.require(1)?, row.require::<i32>(3)?);
    row.with_tsvector(2, |vector| take(id, work(vector, length.max(0) as u32)))
}
