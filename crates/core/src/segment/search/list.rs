//! The list of one lexeme, of which blocks are decoded when they are needed.

use super::super::Damaged;
use super::super::block::{Block, Decoded};
use super::super::bytes::Reader;
use super::Ranking;
use crate::bm25::contribution;

/// A block of a list, with the most that it can add to a score.
pub struct Bounded<'p> {
    pub first: u32,
    pub last: u32,
    pub bound: f64,
    pub block: Block<'p>,
}

/// The list of a lexeme in a segment.
#[derive(Default)]
pub struct List<'p> {
    /// The inverse document frequency times k1 + 1.
    pub factor: f64,
    pub blocks: Vec<Bounded<'p>>,
    /// The most that it can add.
    pub bound: f64,
    /// The first block that may reach into the current window.
    pub next: usize,
    /// The postings of the block that is decoded. Lists are sorted: only the box moves.
    pub decoded: Box<Decoded>,
    /// Which block that is.
    current: Option<usize>,
}

impl<'p> List<'p> {
    /// Goes on with a list in a segment of so many chunks: bounds its blocks.
    pub fn set(&mut self, bytes: &'p [u8], idf: f64, ranking: &Ranking, chunks: u32) -> Result<(), Damaged> {
        self.factor = ranking.parameters.bound(idf);
        self.blocks.clear();
        (self.bound, self.next, self.current) = (0.0, 0, None);
        let norm = ranking.parameters.norm(&ranking.corpus);
        let mut reader = Reader(bytes);
        while let Some(block) = Block::next(&mut reader)? {
            let (first, last, bound) = match &block.head {
                Some(head) => {
                    let frequency = ranking.weighted(&head.max);
                    let max = ranking.score(self.factor, frequency, norm.for_length(head.min_length));
                    (head.first, head.last, max)
                }
                None => {
                    block.decode(&mut self.decoded)?;
                    self.current = Some(self.blocks.len());
                    let ordinals = &self.decoded.ordinals[..block.count()];
                    (ordinals[0], ordinals[block.count() - 1], contribution(self.factor, 1.0, 0.0))
                }
            };
            if last >= chunks || self.blocks.last().is_some_and(|before| before.last >= first) {
                return Err(Damaged);
            }
            self.bound = self.bound.max(bound);
            self.blocks.push(Bounded { first, last, bound, block });
        }
        Ok(())
    }

    /// The most that it can add in a window; moves on to it.
    pub fn bound_in(&mut self, from: u32, until: u32) -> f64 {
        while self.blocks.get(self.next).is_some_and(|block| block.last < from) {
            self.next += 1;
        }
        let within = self.blocks[self.next..].iter().take_while(|block| block.first < until);
        within.map(|block| block.bound).fold(0.0, f64::max)
    }

    /// About how many postings it has in the window that ends at `until`.
    pub fn postings_before(&self, until: u32) -> usize {
        let within = self.blocks[self.next..].iter().take_while(|block| block.first < until);
        within.map(|block| block.block.count()).sum()
    }

    pub fn decode(&mut self, block: usize) -> Result<(), Damaged> {
        if self.current != Some(block) {
            self.current = None;
            self.blocks[block].block.decode(&mut self.decoded)?;
            self.current = Some(block);
        }
        Ok(())
    }
}
