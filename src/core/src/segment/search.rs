//! The best chunks of a segment by BM25, exact.
//!
//! Chunks are scored in windows whose sums stay in the processor's cache, one lexeme after the other. As in MaxScore (Turtle and
//! Flood, "Query Evaluation: Strategies and Optimizations", 1995) the lexemes come in the order of the most that they can add:
//! once those that are left cannot lift a chunk above the worst of the best so far, they are only looked up for the chunks that
//! still can get above it. What a lexeme can add is bounded for each block, as in Block-Max WAND (Ding and Suel, "Faster Top-k
//! Document Retrieval Using Block-Max Indexes", 2011).

use super::block::{Block, Decoded};
use super::bytes::{BLOCK, Reader};
use super::numbers::Numbers;
use super::part::Part;
use super::{Bitmap, Damaged};
use crate::bm25::{Corpus, Parameters, contribution};
use crate::top::Top;
use crate::tsvector::Occurrences;

/// The chunks in a window.
const WINDOW: u32 = if cfg!(test) { 256 } else { 4_096 };
/// Large sums of floating-point numbers differ in their last digits by their order: bounds have a margin for that.
const MARGIN: f64 = 1e-9;
/// Looking a chunk up takes about as long as reading so many postings.
const LOOKUP_COST: usize = 4;
/// So many postings of a window are few: their chunks are listed, and the others are not looked at.
const MOST_TOUCHED: usize = WINDOW as usize / 8;
/// Sums that are compared together.
const GROUP: usize = 32;
/// Sums whose comparisons do not wait for each other.
const LANES: usize = 8;
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

/// A block of a list, with the most that it can add to a score.
struct Bounded<'a> {
    first: u32,
    last: u32,
    bound: f64,
    block: Block<'a>,
}

/// The list of one lexeme.
struct List<'a> {
    /// The inverse document frequency times k1 + 1.
    factor: f64,
    blocks: Vec<Bounded<'a>>,
    bound: f64,
    /// The first block that may reach into the current window.
    next: usize,
    decoded: Decoded,
    /// The block that is decoded.
    current: Option<usize>,
}

impl<'a> List<'a> {
    fn new(blocks: &'a [u8], idf: f64, ranking: &Ranking, chunks: u32) -> Result<List<'a>, Damaged> {
        let factor = ranking.parameters.bound(idf);
        let (constant, by_length) = ranking.parameters.norm(&ranking.corpus);
        let mut list = List {
            factor,
            blocks: Vec::new(),
            bound: 0.0,
            next: 0,
            decoded: Decoded::default(),
            current: None,
        };
        let mut reader = Reader(blocks);
        while let Some(block) = Block::next(&mut reader)? {
            let (first, last, bound) = match &block.head {
                Some(head) => {
                    let frequency = ranking.weighted(&head.most);
                    let norm = constant + by_length * f64::from(head.least_length);
                    (head.first, head.last, ranking.score(factor, frequency, norm))
                }
                None => {
                    block.decode(&mut list.decoded)?;
                    list.current = Some(list.blocks.len());
                    let ordinals = &list.decoded.ordinals[..block.count()];
                    (ordinals[0], ordinals[block.count() - 1], contribution(factor, 1.0, 0.0))
                }
            };
            if last >= chunks || list.blocks.last().is_some_and(|before| before.last >= first) {
                return Err(Damaged);
            }
            list.bound = list.bound.max(bound);
            list.blocks.push(Bounded { first, last, bound, block });
        }
        Ok(list)
    }

    /// The most that it can add in a window; moves on to it.
    fn bound_in(&mut self, from: u32, until: u32) -> f64 {
        while self.blocks.get(self.next).is_some_and(|block| block.last < from) {
            self.next += 1;
        }
        let within = self.blocks[self.next..].iter().take_while(|block| block.first < until);
        within.map(|block| block.bound).fold(0.0, f64::max)
    }

    /// About how many postings it has in the window that ends at `until`.
    fn postings_before(&self, until: u32) -> usize {
        let within = self.blocks[self.next..].iter().take_while(|block| block.first < until);
        within.map(|block| block.block.count()).sum()
    }

    fn decode(&mut self, block: usize) -> Result<(), Damaged> {
        if self.current != Some(block) {
            self.current = None;
            self.blocks[block].block.decode(&mut self.decoded)?;
            self.current = Some(block);
        }
        Ok(())
    }
}

/// The sums of the chunks in a window.
struct Window<'a> {
    from: u32,
    until: u32,
    sums: Vec<f64>,
    /// How many postings were added.
    added: usize,
    /// The chunks with a sum, while they are few; unordered, some several times.
    touched: Vec<u32>,
    norms: Vec<f64>,
    /// Whether the norms of 128 chunks are there.
    has_norms: Vec<bool>,
    numbers: Numbers<'a>,
    /// Those of the block that was read last.
    lengths: [u32; BLOCK],
}

impl Window<'_> {
    fn move_to(&mut self, from: u32, until: u32) {
        let has_few = self.has_few();
        let before = self.from;
        (self.from, self.until, self.added) = (from, until, 0);
        if has_few && self.sums.len() == (until - from) as usize {
            self.touched.drain(..).for_each(|ordinal| self.sums[(ordinal - before) as usize] = 0.0);
        } else {
            self.touched.clear();
            self.sums.clear();
            self.sums.resize((until - from) as usize, 0.0);
        }
        // Most segments are far smaller than a window.
        let blocks = ((until - from) as usize).div_ceil(BLOCK);
        if self.norms.len() < blocks * BLOCK {
            self.norms.resize(blocks * BLOCK, 0.0);
        }
        self.has_norms.clear();
        self.has_norms.resize(blocks, false);
    }

    /// Makes sure that the norms of these chunks of the window are there.
    fn need_norms(&mut self, ordinals: &[u32], ranking: &Ranking) -> Result<(), Damaged> {
        let (constant, by_length) = ranking.parameters.norm(&ranking.corpus);
        let mut last = usize::MAX;
        for ordinal in ordinals {
            let block = (ordinal - self.from) as usize / BLOCK;
            if block == last {
                continue;
            }
            last = block;
            if !self.has_norms[block] {
                self.numbers.lengths(self.from as usize / BLOCK + block, &mut self.lengths)?;
                let norms = &mut self.norms[block * BLOCK..(block + 1) * BLOCK];
                for (norm, length) in norms.iter_mut().zip(&self.lengths) {
                    // Signed numbers are converted several at a time; no chunk is longer.
                    *norm = constant + by_length * f64::from(*length as i32);
                }
                self.has_norms[block] = true;
            }
        }
        Ok(())
    }

    /// Whether `touched` has all chunks with a sum.
    fn has_few(&self) -> bool {
        self.added <= MOST_TOUCHED
    }

    /// Notes that these chunks get a sum.
    fn touch(&mut self, ordinals: &[u32]) {
        self.added += ordinals.len();
        if self.has_few() {
            self.touched.extend(ordinals);
        }
    }

    /// Adds what a list gives to all chunks.
    fn add_all(&mut self, list: &mut List, ranking: &Ranking) -> Result<(), Damaged> {
        let [text, ..] = ranking.parameters.weights;
        for place in list.next..list.blocks.len() {
            if list.blocks[place].first >= self.until {
                break;
            }
            list.decode(place)?;
            let Decoded { count, ordinals, occurrences, classes } = &list.decoded;
            let ordinals = &ordinals[..*count];
            let begin = ordinals.partition_point(|ordinal| *ordinal < self.from);
            let end = ordinals.partition_point(|ordinal| *ordinal < self.until);
            self.need_norms(&ordinals[begin..end], ranking)?;
            self.touch(&ordinals[begin..end]);
            if *classes == 1 {
                // Occurrences in the text alone: the usual case, and most of the time of a search.
                if text > 0.0 {
                    for (ordinal, count) in ordinals[begin..end].iter().zip(&occurrences[0][begin..end]) {
                        let place = (ordinal - self.from) as usize;
                        let frequency = f64::from(*count) * text;
                        self.sums[place] += contribution(list.factor, frequency, self.norms[place]);
                    }
                }
                continue;
            }
            for (at, ordinal) in (begin..end).zip(&ordinals[begin..end]) {
                let frequency = ranking.weighted(&list.decoded.posting(at).occurrences);
                let place = (ordinal - self.from) as usize;
                self.sums[place] += ranking.score(list.factor, frequency, self.norms[place]);
            }
        }
        Ok(())
    }

    /// At least so many chunks can get to `need` with what is left.
    fn can_reach(&self, least: usize, left: f64, need: f64) -> bool {
        self.added >= least && self.sums.iter().filter(|sum| **sum + left >= need).count() >= least
    }

    /// Appends the chunks that have a sum and can get to `need` with what is left.
    fn collect(&mut self, left: f64, need: f64, candidates: &mut Vec<u32>) {
        if self.has_few() {
            self.touched.sort_unstable();
            self.touched.dedup();
            let (sums, from) = (&self.sums, self.from);
            candidates.extend(self.touched.iter().filter(|ordinal| {
                let sum = sums[(**ordinal - from) as usize];
                sum > 0.0 && sum + left >= need
            }));
            return;
        }
        for (group, first) in self.sums.chunks(GROUP).zip((self.from..).step_by(GROUP)) {
            // Most groups have none: several sums are compared at a time.
            let mut most = [0.0; LANES];
            for sums in group.chunks_exact(LANES) {
                most.iter_mut()
                    .zip(sums)
                    .for_each(|(most, sum)| *most = if *sum > *most { *sum } else { *most });
            }
            let rest = group.chunks_exact(LANES).remainder();
            let most = most.iter().chain(rest).fold(0.0, |most, sum| if *sum > most { *sum } else { most });
            if most > 0.0 && most + left >= need {
                let can = group.iter().zip(first..).filter(|(sum, _)| **sum > 0.0 && **sum + left >= need);
                candidates.extend(can.map(|(_, ordinal)| ordinal));
            }
        }
    }

    /// Adds what a list gives to the candidates, and drops those that cannot get to `need` with what is left after it.
    fn add_to(
        &mut self,
        candidates: &mut Vec<u32>,
        list: &mut List,
        ranking: &Ranking,
        left: f64,
        need: f64,
    ) -> Result<(), Damaged> {
        let (mut block, mut at, mut kept) = (list.next, 0, 0);
        for index in 0..candidates.len() {
            let ordinal = candidates[index];
            let place = (ordinal - self.from) as usize;
            while list.blocks.get(block).is_some_and(|block| block.last < ordinal) {
                block += 1;
                at = 0;
            }
            if let Some(found) = list.blocks.get(block).filter(|found| found.first <= ordinal) {
                if self.sums[place] + found.bound + left < need {
                    continue;
                }
                list.decode(block)?;
                let ordinals = &list.decoded.ordinals[..list.decoded.count];
                at += ordinals[at..].iter().take_while(|own| **own < ordinal).count();
                if ordinals.get(at) == Some(&ordinal) {
                    let frequency = ranking.weighted(&list.decoded.posting(at).occurrences);
                    self.need_norms(&[ordinal], ranking)?;
                    self.sums[place] += ranking.score(list.factor, frequency, self.norms[place]);
                }
            }
            if self.sums[place] + left >= need {
                candidates[kept] = ordinal;
                kept += 1;
            }
        }
        candidates.truncate(kept);
        Ok(())
    }
}

/// Adds the best chunks of a part to `top`, by number. `gone` has the numbers of deleted chunks, sorted, which do not enter.
/// `allowed`: only these. `check` is called now and then, for interrupts.
pub fn search<E: From<Damaged>>(
    part: &Part,
    ranking: &Ranking,
    gone: &[i64],
    allowed: Option<&Bitmap>,
    top: &mut Top<i64>,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<(), E> {
    let chunks = part.chunks();
    let mut lists = Vec::new();
    for (list, idf) in part.lists().iter().zip(&ranking.idf) {
        if *idf > 0.0 && !list.blocks.is_empty() {
            lists.push(List::new(&list.blocks, *idf, ranking, chunks)?);
        }
    }
    if lists.is_empty() {
        return Ok(());
    }
    lists.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    let mut window = Window {
        from: 0,
        until: 0,
        sums: Vec::new(),
        added: 0,
        touched: Vec::new(),
        norms: Vec::new(),
        has_norms: Vec::new(),
        numbers: Numbers::new(part.number_bytes())?,
        lengths: [0; BLOCK],
    };
    let mut candidates: Vec<u32> = Vec::new();
    let mut left = vec![0.0; lists.len() + 1];
    for from in (0..chunks).step_by(WINDOW as usize) {
        check()?;
        let until = chunks.min(from.saturating_add(WINDOW));
        for place in (0..lists.len()).rev() {
            left[place] = left[place + 1] + lists[place].bound_in(from, until);
        }
        let need = top.threshold().map_or(0.0, |worst| worst * (1.0 - MARGIN));
        if left[0] <= 0.0 || left[0] < need {
            continue;
        }
        candidates.clear();
        let allowed_here = allowed.map(|allowed| allowed.range(from, until));
        let few = match (allowed, allowed_here) {
            (Some(allowed), Some(here))
                if allowed.count_range(from, until) <= (until - from) / FEW_ALLOWED =>
            {
                candidates.extend(here);
                if candidates.is_empty() {
                    continue;
                }
                true
            }
            _ => false,
        };
        window.move_to(from, until);
        let mut place = 0;
        if !few {
            // While the remaining lists can lift a chunk above the threshold, chunks that no list has touched yet count too.
            // After that, the remaining lists are only looked up for the candidates, unless these are so many that reading the
            // whole list takes less time.
            while place < lists.len()
                && (left[place] >= need
                    || window.can_reach(
                        lists[place].postings_before(until) / LOOKUP_COST + 1,
                        left[place],
                        need,
                    ))
            {
                window.add_all(&mut lists[place], ranking)?;
                place += 1;
                check()?;
            }
            let rest = left[place];
            window.collect(rest, need, &mut candidates);
            if let Some(allowed) = allowed {
                candidates.retain(|ordinal| allowed.contains(*ordinal));
            }
        }
        if few {
            window.touch(&candidates);
        }
        for (list, left) in lists.iter_mut().zip(left.iter().skip(1)).skip(place) {
            window.add_to(&mut candidates, list, ranking, *left, need)?;
        }
        check()?;
        for ordinal in &candidates {
            let score = window.sums[(*ordinal - from) as usize];
            // Chunks with the same score are told apart by number.
            if score <= 0.0 || top.threshold().is_some_and(|worst| score < worst) {
                continue;
            }
            let number = window.numbers.number(*ordinal)?;
            if gone.binary_search(&number).is_err() {
                top.push(score, number);
            }
        }
    }
    Ok(())
}
