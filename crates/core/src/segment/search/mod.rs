//! The best chunks of a segment by BM25, exact.
//!
//! Chunks are scored in windows whose sums stay in the processor's cache, one lexeme after the other. As in MaxScore (Turtle and
//! Flood, "Query Evaluation: Strategies and Optimizations", 1995) the lexemes come in the order of the most that they can add:
//! once those that are left cannot lift a chunk above the worst of the best so far, they are only looked up for the chunks that
//! still can get above it. What a lexeme can add is bounded for each block, as in Block-Max WAND (Ding and Suel, "Faster Top-k
//! Document Retrieval Using Block-Max Indexes", 2011).

mod list;
mod window;

use super::numbers::Numbers;
use super::part::Part;
use super::{Bitmap, Damaged};
use crate::bm25::{Corpus, Parameters, contribution};
use crate::top::Top;
use crate::tsvector::Occurrences;
use list::List;
use window::Window;

/// The chunks in a window.
const WINDOW: u32 = if cfg!(test) { 256 } else { 4_096 };
/// Large sums of floating-point numbers differ in their last digits by their order: bounds have a margin for that.
const MARGIN: f64 = 1e-9;
/// Looking a chunk up takes about as long as reading so many postings.
const LOOKUP_COST: usize = 4;
/// With fewer allowed chunks in a window than this share, each is looked up.
const FEW_ALLOWED: u32 = 32;

/// How lexemes are scored.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// The inverse document frequency by place; 0 for lexemes that are not ranked.
    pub idf: Vec<f64>,
    /// All chunks.
    pub corpus: Corpus,
    /// The free parameters.
    pub parameters: Parameters,
}

impl Ranking {
    fn weighted(&self, occurrences: &Occurrences) -> f64 {
        occurrences
            .iter()
            .zip(self.parameters.weights)
            .map(|(count, weight)| f64::from(*count) * weight)
            .sum()
    }

    fn score(&self, factor: f64, frequency: f64, norm: f64) -> f64 {
        if frequency > 0.0 { contribution(factor, frequency, norm) } else { 0.0 }
    }
}

/// Ranks the chunks of one part after the other, and uses its memory again: most segments are small.
pub struct Searcher<'p> {
    ranking: &'p Ranking,
    gone: &'p [i64],
    lists: Vec<List<'p>>,
    /// Those of earlier parts.
    spare: Vec<List<'p>>,
    numbers: Numbers<'p>,
    window: Window,
    candidates: Vec<u32>,
    /// The most that a list and those after it can add in a window.
    left: Vec<f64>,
}

/// The least score that may get among the best.
fn needed(top: &Top<i64>) -> f64 {
    top.threshold().map_or(0.0, |worst| worst * (1.0 - MARGIN))
}

impl<'p> Searcher<'p> {
    /// `gone` has the numbers of deleted chunks, sorted, which are not found.
    pub fn new(ranking: &'p Ranking, gone: &'p [i64]) -> Searcher<'p> {
        Searcher {
            ranking,
            gone,
            lists: Vec::new(),
            spare: Vec::new(),
            numbers: Numbers::default(),
            window: Window::default(),
            candidates: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Adds the best chunks of a part to `top`, by number. `allowed`: only these. `check` is called now and then, for interrupts.
    pub fn search<E: From<Damaged>>(
        &mut self,
        part: &'p Part,
        allowed: Option<&Bitmap>,
        top: &mut Top<i64>,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        // Without the rare lexemes of a query, as in most small segments, no chunk gets among the best.
        let max = self.bound_of(part);
        if max <= 0.0 || max < needed(top) {
            return Ok(());
        }
        self.take_lists(part)?;
        let mut has_numbers = false;
        for from in (0..part.chunks()).step_by(WINDOW as usize) {
            check()?;
            let until = part.chunks().min(from.saturating_add(WINDOW));
            self.left.clear();
            self.left.resize(self.lists.len() + 1, 0.0);
            for (place, list) in self.lists.iter_mut().enumerate().rev() {
                self.left[place] = self.left[place + 1] + list.bound_in(from, until);
            }
            let need = needed(top);
            if self.left[0] > 0.0 && self.left[0] >= need {
                if !has_numbers {
                    self.numbers.set(part.number_bytes())?;
                    has_numbers = true;
                }
                self.find_candidates(from, until, need, allowed, check)?;
                check()?;
                self.keep_best(top)?;
            }
        }
        Ok(())
    }

    /// The most that the lexemes of a part can add to a score.
    fn bound_of(&self, part: &Part) -> f64 {
        let lists = part.lists().iter().zip(&self.ranking.idf);
        let ranked = lists.filter(|(list, idf)| **idf > 0.0 && !list.blocks.is_empty());
        ranked.map(|(_, idf)| contribution(self.ranking.parameters.bound(*idf), 1.0, 0.0)).sum()
    }

    /// The lists of a part, in the order of the most that they can add.
    fn take_lists(&mut self, part: &'p Part) -> Result<(), Damaged> {
        self.spare.append(&mut self.lists);
        for (list, idf) in part.lists().iter().zip(&self.ranking.idf) {
            if *idf <= 0.0 || list.blocks.is_empty() {
                continue;
            }
            let mut ranked = self.spare.pop().unwrap_or_default();
            ranked.set(&list.blocks, *idf, self.ranking, part.chunks())?;
            self.lists.push(ranked);
        }
        self.lists.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        Ok(())
    }

    /// The chunks of a window with their whole sums, but for those that cannot get to `need`.
    fn find_candidates<E: From<Damaged>>(
        &mut self,
        from: u32,
        until: u32,
        need: f64,
        allowed: Option<&Bitmap>,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let Searcher { ranking, lists, numbers, window, candidates, left, .. } = self;
        candidates.clear();
        let few = allowed.filter(|allowed| allowed.count_range(from, until) <= (until - from) / FEW_ALLOWED);
        if let Some(few) = few {
            candidates.extend(few.range(from, until));
            if candidates.is_empty() {
                return Ok(());
            }
        }
        window.move_to(from, until);
        let mut place = 0;
        if few.is_some() {
            window.touch(candidates);
        } else {
            // While the remaining lists can lift a chunk above the threshold, chunks that no list has touched yet count too.
            // After that, the remaining lists are only looked up for the candidates, unless these are so many that reading the
            // whole list takes less time.
            while place < lists.len()
                && (left[place] >= need
                    || window
                        .can_reach(lists[place].postings_before(until) / LOOKUP_COST + 1, need - left[place]))
            {
                window.add_all(&mut lists[place], numbers, ranking)?;
                place += 1;
                check()?;
            }
            window.collect(need - left[place], candidates);
            if let Some(allowed) = allowed {
                candidates.retain(|ordinal| allowed.contains(*ordinal));
            }
        }
        for (list, left) in lists.iter_mut().zip(left.iter().skip(1)).skip(place) {
            window.add_to(candidates, list, numbers, ranking, need - left)?;
        }
        Ok(())
    }

    /// Adds the candidates to the best.
    fn keep_best(&mut self, top: &mut Top<i64>) -> Result<(), Damaged> {
        for ordinal in &self.candidates {
            let score = self.window.sums[(*ordinal - self.window.from) as usize];
            // Chunks with the same score are told apart by number.
            if score <= 0.0 || top.threshold().is_some_and(|worst| score < worst) {
                continue;
            }
            let number = self.numbers.number(*ordinal)?;
            if self.gone.binary_search(&number).is_err() {
                top.push(score, number);
            }
        }
        Ok(())
    }
}
