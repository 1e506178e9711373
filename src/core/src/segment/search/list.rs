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
pub struct List<'p> {
    /// The inverse document frequency times k1 + 1.
    pub factor: f64,
    pub blocks: Vec<Bounded<'p>>,
    /// The most that it can add.
    pub bound: f64,
    /// The first block that may reach into the current window.
    pub next: usize,
    /// Which of the decoded blocks is of this list.
    pub slot: usize,
    /// The block that is decoded.
    current: Option<usize>,
}

impl<'p> List<'p> {
    /// Bounds the blocks of a list in a segment of so many chunks; `blocks` is empty, its memory is used again.
    pub fn new(
        bytes: &'p [u8],
        mut blocks: Vec<Bounded<'p>>,
        idf: f64,
        ranking: &Ranking,
        chunks: u32,
        (slot, decoded): (usize, &mut Decoded),
    ) -> Result<List<'p>, Damaged> {
        let factor = ranking.parameters.bound(idf);
        let (constant, by_length) = ranking.parameters.norm(&ranking.corpus);
        let (mut greatest, mut current) = (0.0f64, None);
        let mut reader = Reader(bytes);
        while let Some(block) = Block::next(&mut reader)? {
            let (first, last, bound) = match &block.head {
                Some(head) => {
                    let frequency = ranking.weighted(&head.most);
                    let norm = constant + by_length * f64::from(head.least_length);
                    (head.first, head.last, ranking.score(factor, frequency, norm))
                }
                None => {
                    block.decode(decoded)?;
                    current = Some(blocks.len());
                    let ordinals = &decoded.ordinals[..block.count()];
                    (ordinals[0], ordinals[block.count() - 1], contribution(factor, 1.0, 0.0))
                }
            };
            if last >= chunks || blocks.last().is_some_and(|before| before.last >= first) {
                return Err(Damaged);
            }
            greatest = greatest.max(bound);
            blocks.push(Bounded { first, last, bound, block });
        }
        Ok(List { factor, blocks, bound: greatest, next: 0, slot, current })
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

    pub fn decode(&mut self, block: usize, decoded: &mut Decoded) -> Result<(), Damaged> {
        if self.current != Some(block) {
            self.current = None;
            self.blocks[block].block.decode(decoded)?;
            self.current = Some(block);
        }
        Ok(())
    }
}
