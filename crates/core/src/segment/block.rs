//! Blocks of at most 128 postings.
//!
//! A full block is packed and has a head, which bounds what it can add to a score under any weights and parameters: the greatest
//! number of occurrences in each weight class, and the least length of a chunk. A smaller one is a list of numbers of variable
//! length, which takes less time to decode than to bound.

use super::Damaged;
use super::bytes::{BLOCK, Reader, pack, put};
use crate::tsvector::Occurrences;

/// A lexeme in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The place of the chunk in its segment.
    pub ordinal: u32,
    /// Occurrences by weight class; not all are 0.
    pub occurrences: Occurrences,
}

/// The head of a full block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The first ordinal.
    pub first: u32,
    /// The last ordinal.
    pub last: u32,
    /// The most occurrences by weight class.
    pub max: Occurrences,
    /// The least length of a chunk in the block.
    pub min_length: u32,
}

/// A block that is not decoded.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// None for a small block.
    pub head: Option<Head>,
    count: u32,
    body: Reader<'a>,
}

/// Decoded postings, one array for the ordinals and one for each weight class.
#[derive(Clone, Debug)]
pub struct Decoded {
    pub count: usize,
    pub ordinals: [u32; BLOCK],
    /// Classes without occurrences are not filled.
    pub occurrences: [[u32; BLOCK]; 4],
    /// Which classes have occurrences, one bit each.
    pub classes: u8,
}

impl Default for Decoded {
    fn default() -> Decoded {
        Decoded { count: 0, ordinals: [0; BLOCK], occurrences: [[0; BLOCK]; 4], classes: 0 }
    }
}

impl Decoded {
    pub fn posting(&self, place: usize) -> Posting {
        let mut occurrences = Occurrences::default();
        for (class, count) in occurrences.iter_mut().enumerate() {
            if self.classes & 1 << class != 0 {
                *count = self.occurrences[class][place];
            }
        }
        Posting { ordinal: self.ordinals[place], occurrences }
    }

    fn add_classes(&mut self, mask: u8) {
        for class in (0..4).filter(|class| mask & !self.classes & 1 << class != 0) {
            self.occurrences[class].fill(0);
        }
        self.classes |= mask;
    }
}

/// Appends at most 128 postings as a block; ordinals ascend. `length` gives the length of the chunk with an ordinal.
pub fn put_block(to: &mut Vec<u8>, postings: &[Posting], length: impl Fn(u32) -> u32) {
    match <&[Posting; BLOCK]>::try_from(postings) {
        Ok(full) => put_full(to, full, &length),
        Err(_) => put_small(to, postings),
    }
}

fn mask_of(occurrences: &Occurrences) -> u8 {
    occurrences.iter().enumerate().fold(0, |mask, (class, count)| mask | u8::from(*count > 0) << class)
}

fn put_small(to: &mut Vec<u8>, postings: &[Posting]) {
    put(to, postings.len() as u64);
    let mut before = 0;
    for posting in postings {
        put(to, u64::from(posting.ordinal - before));
        before = posting.ordinal;
        let [text, others @ ..] = posting.occurrences;
        if others == [0; 3] {
            // An occurrence in the text alone is the usual case: one byte.
            put(to, u64::from(text) << 1);
            continue;
        }
        put(to, u64::from(mask_of(&posting.occurrences)) << 1 | 1);
        posting.occurrences.iter().filter(|count| **count > 0).for_each(|count| put(to, u64::from(*count)));
    }
}

fn put_full(to: &mut Vec<u8>, postings: &[Posting; BLOCK], length: &impl Fn(u32) -> u32) {
    let mut body = Vec::with_capacity(2 * BLOCK);
    let (first, last) = (postings[0].ordinal, postings[BLOCK - 1].ordinal);
    put(&mut body, u64::from(first));
    put(&mut body, u64::from(last - first));
    let least = postings.iter().map(|posting| length(posting.ordinal)).min().unwrap_or_default();
    put(&mut body, u64::from(least));
    let mut max = Occurrences::default();
    for posting in postings {
        max.iter_mut().zip(posting.occurrences).for_each(|(max, count)| *max = count.max(*max));
    }
    let mask = mask_of(&max);
    body.push(mask);
    max.iter().filter(|max| **max > 0).for_each(|max| put(&mut body, u64::from(*max)));
    let mut numbers = [0; BLOCK];
    for (place, pair) in postings.windows(2).enumerate() {
        numbers[place + 1] = pair[1].ordinal - pair[0].ordinal - 1;
    }
    pack(&mut body, &numbers);
    for class in (0..4).filter(|class| mask & 1 << class != 0) {
        // Where every chunk has some, the least is taken off: a single occurrence each takes no bits.
        let least = postings.iter().map(|p| p.occurrences[class]).min().unwrap_or_default();
        put(&mut body, u64::from(least));
        numbers.iter_mut().zip(postings).for_each(|(number, p)| *number = p.occurrences[class] - least);
        pack(&mut body, &numbers);
    }
    put(to, 0);
    put(to, body.len() as u64);
    to.extend(body);
}

impl<'a> Block<'a> {
    /// The next block; None at the end.
    #[inline]
    pub fn next(from: &mut Reader<'a>) -> Result<Option<Block<'a>>, Damaged> {
        if from.is_empty() {
            return Ok(None);
        }
        let count = from.small()?;
        if count as usize >= BLOCK {
            return Err(Damaged);
        }
        if count > 0 {
            // A small block ends its entry.
            let body = std::mem::replace(from, Reader(&[]));
            return Ok(Some(Block { head: None, count, body }));
        }
        let bytes = from.small()? as usize;
        let mut body = Reader(from.take(bytes)?);
        let first = body.small()?;
        let last = first.checked_add(body.small()?).ok_or(Damaged)?;
        let min_length = body.small()?;
        let mask = body.byte()?;
        if mask == 0 || mask > 15 {
            return Err(Damaged);
        }
        let mut max = Occurrences::default();
        for (class, max) in max.iter_mut().enumerate() {
            if mask & 1 << class != 0 {
                *max = body.small()?.max(1);
            }
        }
        let head = Head { first, last, max, min_length };
        Ok(Some(Block { head: Some(head), count: BLOCK as u32, body }))
    }

    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Decodes the postings. Ordinals ascend strictly, or the block is damaged.
    pub fn decode(&self, into: &mut Decoded) -> Result<(), Damaged> {
        into.count = self.count as usize;
        into.classes = 0;
        match &self.head {
            Some(head) => self.decode_full(head, into),
            None => self.decode_small(into),
        }
    }

    fn decode_full(&self, head: &Head, into: &mut Decoded) -> Result<(), Damaged> {
        let mut body = self.body;
        body.unpack_ascending(head.first, &mut into.ordinals)?;
        if into.ordinals[0] != head.first || into.ordinals[BLOCK - 1] != head.last {
            return Err(Damaged);
        }
        for (class, max) in head.max.iter().enumerate() {
            if *max == 0 {
                continue;
            }
            let least = body.small()?;
            let counts = &mut into.occurrences[class];
            body.unpack(counts)?;
            if least > 0 {
                counts.iter_mut().for_each(|count| *count = count.saturating_add(least));
            }
            into.classes |= 1 << class;
        }
        Ok(())
    }

    fn decode_small(&self, into: &mut Decoded) -> Result<(), Damaged> {
        let mut body = self.body;
        let mut before = 0u32;
        for place in 0..into.count {
            let step = body.small()?;
            if place > 0 && step == 0 {
                return Err(Damaged);
            }
            before = before.checked_add(step).ok_or(Damaged)?;
            into.ordinals[place] = before;
            let word = body.number()?;
            let mask = if word & 1 == 0 { 1 } else { u8::try_from(word >> 1).map_err(|_| Damaged)? };
            if mask == 0 || mask > 15 {
                return Err(Damaged);
            }
            into.add_classes(mask);
            for class in 0..4 {
                if into.classes & 1 << class == 0 {
                    continue;
                }
                into.occurrences[class][place] = match mask & 1 << class {
                    0 => 0,
                    _ if word & 1 == 0 => u32::try_from(word >> 1).map_err(|_| Damaged)?,
                    _ => body.small()?,
                };
            }
        }
        Ok(())
    }
}
