//! The sums of the chunks in a window.

use super::super::block::Decoded;
use super::super::bytes::BLOCK;
use super::super::numbers::Numbers;
use super::super::{Bitmap, Damaged};
use super::list::List;
use super::{Ranking, WINDOW};
use crate::bm25::{contribution, converted};

/// So many postings of a window are few: their chunks are listed, and neither the sums nor the lengths of the others are looked
/// at.
const MAX_TOUCHED: usize = WINDOW as usize / 8;
/// Sums that are compared together.
const GROUP: usize = 32;
/// Sums whose comparisons do not wait for each other.
const LANES: usize = 8;

pub struct Window {
    pub from: u32,
    until: u32,
    /// By place, which is the ordinal less `from`.
    pub sums: Vec<f64>,
    /// How many postings were added.
    added: usize,
    /// The places with a sum, while they are few.
    touched: Bitmap,
    /// By place, the part of BM25's denominator that depends on the length of the chunk.
    norms: Vec<f64>,
    /// Whether the norms of 128 chunks are there.
    has_norms: [bool; WINDOW as usize / BLOCK],
    /// The lengths that were read last, and what postings add.
    lengths: [u32; BLOCK],
    added_norms: [f64; BLOCK],
    contributions: [f64; BLOCK],
}

impl Default for Window {
    fn default() -> Window {
        Window {
            from: 0,
            until: 0,
            sums: Vec::new(),
            added: 0,
            touched: Bitmap::new(WINDOW),
            norms: Vec::new(),
            has_norms: [false; WINDOW as usize / BLOCK],
            lengths: [0; BLOCK],
            added_norms: [0.0; BLOCK],
            contributions: [0.0; BLOCK],
        }
    }
}

impl Window {
    /// Goes on to these ordinals.
    pub fn move_to(&mut self, from: u32, until: u32) {
        if self.has_few() {
            for place in self.touched.range(0, self.sums.len() as u32) {
                self.sums[place as usize] = 0.0;
            }
        } else {
            self.sums.fill(0.0);
        }
        self.touched.clear();
        self.sums.resize((until - from) as usize, 0.0);
        (self.from, self.until, self.added) = (from, until, 0);
        self.has_norms = Default::default();
    }

    /// Whether `touched` has all chunks with a sum.
    fn has_few(&self) -> bool {
        self.added <= MAX_TOUCHED
    }

    /// Notes that these chunks get a sum.
    pub fn touch(&mut self, ordinals: &[u32]) {
        self.added += ordinals.len();
        if self.has_few() {
            ordinals.iter().for_each(|ordinal| self.touched.set(ordinal - self.from));
        }
    }

    /// Adds what a list gives to all chunks.
    pub fn add_all(
        &mut self,
        list: &mut List,
        numbers: &mut Numbers,
        ranking: &Ranking,
    ) -> Result<(), Damaged> {
        let [text, ..] = ranking.parameters.weights;
        for block in list.next..list.blocks.len() {
            let (first, last) = (list.blocks[block].first, list.blocks[block].last);
            if first >= self.until {
                break;
            }
            list.decode(block)?;
            let decoded = &list.decoded;
            let all = &decoded.ordinals[..decoded.count];
            let begin =
                if first >= self.from { 0 } else { all.partition_point(|ordinal| *ordinal < self.from) };
            let end = match last < self.until {
                true => all.len(),
                false => all.partition_point(|ordinal| *ordinal < self.until),
            };
            let ordinals = &all[begin..end];
            // Occurrences in the text alone: the usual case, and most of the time of a search.
            let in_text = decoded.classes == 1;
            if ordinals.is_empty() || in_text && text <= 0.0 {
                continue;
            }
            self.touch(ordinals);
            self.read_norms(ordinals, numbers, ranking)?;
            let parts = self.contributions.iter_mut().zip(&self.added_norms);
            if in_text {
                for ((to, norm), count) in parts.zip(&decoded.occurrences[0][begin..end]) {
                    *to = contribution(list.factor, converted(*count) * text, *norm);
                }
            } else {
                for ((to, norm), at) in parts.zip(begin..end) {
                    let frequency = ranking.weighted(&decoded.posting(at).occurrences);
                    *to = ranking.score(list.factor, frequency, *norm);
                }
            }
            for (ordinal, part) in ordinals.iter().zip(&self.contributions) {
                self.sums[(ordinal - self.from) as usize] += part;
            }
        }
        Ok(())
    }

    /// Fills `added_norms` for at most 128 ascending chunks.
    fn read_norms(
        &mut self,
        ordinals: &[u32],
        numbers: &mut Numbers,
        ranking: &Ranking,
    ) -> Result<(), Damaged> {
        let norm = ranking.parameters.norm(&ranking.corpus);
        if self.has_few() {
            for (to, ordinal) in self.added_norms.iter_mut().zip(ordinals) {
                *to = norm.for_length(numbers.length(*ordinal)?);
            }
            return Ok(());
        }
        let mut rest = ordinals;
        while let Some(first) = rest.first() {
            let block = (first - self.from) as usize / BLOCK;
            if !self.has_norms[block] {
                numbers.lengths(self.from as usize / BLOCK + block, &mut self.lengths)?;
                if self.norms.len() < (block + 1) * BLOCK {
                    self.norms.resize((block + 1) * BLOCK, 0.0);
                }
                let norms = &mut self.norms[block * BLOCK..(block + 1) * BLOCK];
                for (to, length) in norms.iter_mut().zip(&self.lengths) {
                    *to = norm.for_length(*length);
                }
                self.has_norms[block] = true;
            }
            let until = self.from + ((block + 1) * BLOCK) as u32;
            let within = rest.iter().take_while(|ordinal| **ordinal < until).count();
            rest = &rest[within..];
        }
        for (to, ordinal) in self.added_norms.iter_mut().zip(ordinals) {
            *to = self.norms[(ordinal - self.from) as usize];
        }
        Ok(())
    }

    /// Whether at least so many chunks have a sum of `floor` or more.
    pub fn can_reach(&self, min: usize, floor: f64) -> bool {
        self.added >= min && self.sums.iter().map(|sum| usize::from(*sum >= floor)).sum::<usize>() >= min
    }

    /// The chunks that have a sum, of `floor` at least.
    pub fn collect(&self, floor: f64, candidates: &mut Vec<u32>) {
        let floor = floor.max(f64::MIN_POSITIVE);
        candidates.resize(self.added.min(self.sums.len()) + 1, 0);
        let mut found = 0;
        // Whether a chunk is kept cannot be predicted: it is written, and where it is not kept the next one over it.
        let mut add = |place: usize, sum: f64| {
            candidates[found] = self.from + place as u32;
            found += usize::from(sum >= floor);
        };
        if self.has_few() {
            let places = self.touched.range(0, self.sums.len() as u32).map(|place| place as usize);
            places.for_each(|place| add(place, self.sums[place]));
        } else {
            for (group, first) in self.sums.chunks(GROUP).zip((0..).step_by(GROUP)) {
                // Most groups have none: several sums are compared at a time.
                let mut max = [0.0; LANES];
                for sums in group.chunks_exact(LANES) {
                    max.iter_mut()
                        .zip(sums)
                        .for_each(|(max, sum)| *max = if *sum > *max { *sum } else { *max });
                }
                let rest = group.chunks_exact(LANES).remainder();
                let max = max.iter().chain(rest).fold(0.0, |max, sum| if *sum > max { *sum } else { max });
                if max >= floor {
                    group.iter().zip(first..).for_each(|(sum, place)| add(place, *sum));
                }
            }
        }
        candidates.truncate(found);
    }

    /// Adds what a list gives to the candidates, and drops those that do not get to `floor`.
    pub fn add_to(
        &mut self,
        candidates: &mut Vec<u32>,
        list: &mut List,
        numbers: &mut Numbers,
        ranking: &Ranking,
        floor: f64,
    ) -> Result<(), Damaged> {
        let norm = ranking.parameters.norm(&ranking.corpus);
        let (mut block, mut at, mut kept) = (list.next, 0, 0);
        for index in 0..candidates.len() {
            let ordinal = candidates[index];
            let place = (ordinal - self.from) as usize;
            let mut sum = self.sums[place];
            while list.blocks.get(block).is_some_and(|block| block.last < ordinal) {
                block += 1;
                at = 0;
            }
            if let Some(found) = list.blocks.get(block).filter(|found| found.first <= ordinal) {
                if sum + found.bound < floor {
                    continue;
                }
                list.decode(block)?;
                let Decoded { count, ordinals, .. } = &*list.decoded;
                let ordinals = &ordinals[..*count];
                at += ordinals[at..].iter().take_while(|own| **own < ordinal).count();
                if ordinals.get(at) == Some(&ordinal) {
                    let frequency = ranking.weighted(&list.decoded.posting(at).occurrences);
                    sum += ranking.score(list.factor, frequency, norm.for_length(numbers.length(ordinal)?));
                    self.sums[place] = sum;
                }
            }
            candidates[kept] = ordinal;
            kept += usize::from(sum >= floor);
        }
        candidates.truncate(kept);
        Ok(())
    }
}
