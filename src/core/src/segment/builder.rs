//! Collecting chunks for a new segment.

use std::collections::HashMap;
use std::convert::Infallible;

use super::block::Posting;
use super::row::{Row, RowWriter};
use crate::tsvector::{Occurrences, TsVector};

/// Number, length and range of the chunks of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many chunks it has.
    pub chunks: u32,
    /// Their length, in occurrences of lexemes.
    pub length: u64,
    /// The least number; 0 without chunks.
    pub first: i64,
    /// The greatest number; 0 without chunks.
    pub last: i64,
}

/// Set in the compact form of occurrences that are kept in a list of their own.
const ELSEWHERE: u32 = 1 << 31;
/// Approximate memory of a lexeme besides its bytes and postings, and of a chunk.
const LEXEME_BYTES: usize = 96;
const CHUNK_BYTES: usize = 16;
/// A list has room for more postings than it has.
const POSTING_BYTES: usize = 12;

/// Collects the chunks of a new segment.
#[derive(Debug, Default)]
pub struct Builder {
    places: HashMap<Box<[u8]>, u32>,
    /// By place, the chunks that have a lexeme, in the order in which they were added, with its occurrences in compact form.
    lists: Vec<Vec<(u32, u32)>>,
    elsewhere: Vec<Occurrences>,
    numbers: Vec<i64>,
    lengths: Vec<u32>,
    bytes: usize,
}

impl Builder {
    /// An empty one.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds a chunk with its number, its length in occurrences of lexemes, and these. Of two with the same number the later one
    /// counts.
    pub fn add(&mut self, number: i64, length: u32, vector: &TsVector) {
        let chunk = self.numbers.len() as u32;
        self.numbers.push(number);
        self.lengths.push(length);
        self.bytes += CHUNK_BYTES;
        for (lexeme, occurrences) in vector.iter() {
            let compact = match occurrences {
                [text, 0, 0, 0] if text < ELSEWHERE => text,
                _ => {
                    self.elsewhere.push(occurrences);
                    self.bytes += size_of::<Occurrences>();
                    (self.elsewhere.len() - 1) as u32 | ELSEWHERE
                }
            };
            self.bytes += POSTING_BYTES;
            match self.places.get(lexeme) {
                Some(place) => self.lists[*place as usize].push((chunk, compact)),
                None => {
                    self.places.insert(lexeme.into(), self.lists.len() as u32);
                    self.lists.push(vec![(chunk, compact)]);
                    self.bytes += LEXEME_BYTES + lexeme.len();
                }
            }
        }
    }

    /// Whether it has no chunk.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// How many chunks were added.
    pub fn chunks(&self) -> usize {
        self.numbers.len()
    }

    /// About how many bytes of memory it uses.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The rows of the segment: one if it is small.
    pub fn finish(self) -> (Summary, Vec<Row>) {
        let mut order: Vec<u32> = (0..self.numbers.len() as u32).collect();
        // Of equal numbers the last one stays.
        order.sort_by_key(|chunk| self.numbers[*chunk as usize]);
        let is_last = |(place, chunk): (usize, &u32)| {
            let next = order.get(place + 1).map(|next| self.numbers[*next as usize]);
            (next != Some(self.numbers[*chunk as usize])).then_some(*chunk)
        };
        let kept: Vec<u32> = order.iter().enumerate().filter_map(is_last).collect();
        let mut ordinals = vec![u32::MAX; self.numbers.len()];
        kept.iter().zip(0..).for_each(|(chunk, ordinal)| ordinals[*chunk as usize] = ordinal);
        let numbers: Vec<i64> = kept.iter().map(|chunk| self.numbers[*chunk as usize]).collect();
        let lengths: Vec<u32> = kept.iter().map(|chunk| self.lengths[*chunk as usize]).collect();
        let mut lexemes: Vec<(Box<[u8]>, u32)> = self.places.into_iter().collect();
        lexemes.sort_unstable();
        let mut rows = Vec::new();
        let mut emit = |row| {
            rows.push(row);
            Ok::<(), Infallible>(())
        };
        let mut writer = RowWriter::default();
        let mut postings: Vec<Posting> = Vec::new();
        let Ok(()) = writer.numbers(&numbers, &lengths, &mut emit);
        for (lexeme, place) in lexemes {
            postings.clear();
            postings.extend(self.lists[place as usize].iter().filter_map(|(chunk, compact)| {
                let ordinal = ordinals[*chunk as usize];
                let occurrences = if compact & ELSEWHERE == 0 {
                    [*compact, 0, 0, 0]
                } else {
                    self.elsewhere[(compact & !ELSEWHERE) as usize]
                };
                (ordinal != u32::MAX).then_some(Posting { ordinal, occurrences })
            }));
            if postings.is_empty() {
                continue;
            }
            if !postings.is_sorted_by_key(|posting| posting.ordinal) {
                postings.sort_unstable_by_key(|posting| posting.ordinal);
            }
            let Ok(()) = writer.list(&lexeme, &postings, |ordinal| lengths[ordinal as usize], &mut emit);
        }
        let Ok(()) = writer.finish(&mut emit);
        (summary(&numbers, &lengths), rows)
    }
}

/// The summary of chunks with these numbers, which ascend, and lengths.
pub fn summary(numbers: &[i64], lengths: &[u32]) -> Summary {
    Summary {
        chunks: numbers.len() as u32,
        length: lengths.iter().map(|length| u64::from(*length)).sum(),
        first: numbers.first().copied().unwrap_or_default(),
        last: numbers.last().copied().unwrap_or_default(),
    }
}
