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
/// Approximate memory of a lexeme besides its bytes, and of a chunk.
const LEXEME_BYTES: usize = 48;
const CHUNK_BYTES: usize = 16;
/// A posting is copied when the rows are made.
const POSTING_BYTES: usize = 16;

/// Collects the chunks of a new segment.
#[derive(Debug, Default)]
pub struct Builder {
    lexemes: Lexemes,
    /// By place, how many postings a lexeme has.
    counts: Vec<u32>,
    /// The postings in the order in which they were added: the place of the lexeme, and its occurrences in compact form. If
    /// each lexeme had a list of its own, most of the time would be spent waiting for memory.
    postings: Vec<(u32, u32)>,
    elsewhere: Vec<Occurrences>,
    numbers: Vec<i64>,
    lengths: Vec<u32>,
    /// Where the postings of each chunk end.
    ends: Vec<u32>,
    bytes: usize,
}

/// Gives lexemes places, in the order in which they come.
#[derive(Debug, Default)]
struct Lexemes {
    short: HashMap<u128, u32>,
    long: HashMap<Box<[u8]>, u32>,
}

/// A lexeme with at most so many bytes is kept as a number: these, filled up with zeros, then their count. It sorts as the bytes.
const SHORT: usize = size_of::<u128>() - 1;

fn short(lexeme: &[u8]) -> Option<u128> {
    let mut bytes = [0; SHORT + 1];
    bytes.get_mut(..SHORT)?.get_mut(..lexeme.len())?.copy_from_slice(lexeme);
    bytes[SHORT] = lexeme.len() as u8;
    Some(u128::from_be_bytes(bytes))
}

impl Lexemes {
    fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// The place of a lexeme, a new one where it is not known.
    #[inline]
    fn place(&mut self, lexeme: &[u8]) -> u32 {
        let new = self.len() as u32;
        match short(lexeme) {
            Some(number) => *self.short.entry(number).or_insert(new),
            None => match self.long.get(lexeme) {
                Some(place) => *place,
                None => *self.long.entry(lexeme.into()).or_insert(new),
            },
        }
    }

    /// All lexemes, sorted, with their places.
    fn into_sorted(self) -> impl Iterator<Item = (Box<[u8]>, u32)> {
        let of_short = |(number, place): (u128, u32)| (number, None, place);
        // It comes after the short ones that it begins with; others with the same first bytes are compared as a whole.
        let of_long = |(lexeme, place): (Box<[u8]>, u32)| {
            let start = lexeme.get(..SHORT).and_then(short).unwrap_or_default();
            (start | u128::from(u8::MAX), Some(lexeme), place)
        };
        let mut all: Vec<_> =
            self.short.into_iter().map(of_short).chain(self.long.into_iter().map(of_long)).collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        all.into_iter().map(|(number, lexeme, place)| {
            let of_number = || {
                let bytes = number.to_be_bytes();
                bytes.get(..usize::from(bytes[SHORT])).unwrap_or_default().into()
            };
            (lexeme.unwrap_or_else(of_number), place)
        })
    }
}

impl Builder {
    /// An empty one.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds a chunk with its number, its length in occurrences of lexemes, and these. Of two with the same number the later one
    /// counts.
    pub fn add(&mut self, number: i64, length: u32, vector: &TsVector) {
        self.numbers.push(number);
        self.lengths.push(length);
        self.bytes += CHUNK_BYTES;
        let mut last = None;
        for (lexeme, occurrences) in vector.iter() {
            let place = self.lexemes.place(lexeme);
            // Whoever may write a tsvector in binary form can repeat a lexeme.
            if last.replace(place) == Some(place) {
                continue;
            }
            let compact = match occurrences {
                [text, 0, 0, 0] if text < ELSEWHERE => text,
                _ => {
                    self.elsewhere.push(occurrences);
                    self.bytes += size_of::<Occurrences>();
                    (self.elsewhere.len() - 1) as u32 | ELSEWHERE
                }
            };
            self.bytes += POSTING_BYTES;
            match self.counts.get_mut(place as usize) {
                Some(count) => *count += 1,
                None => {
                    self.counts.push(1);
                    self.bytes += LEXEME_BYTES + lexeme.len();
                }
            }
            self.postings.push((place, compact));
        }
        self.ends.push(self.postings.len() as u32);
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
        let numbers: Vec<i64> = kept.iter().map(|chunk| self.numbers[*chunk as usize]).collect();
        let lengths: Vec<u32> = kept.iter().map(|chunk| self.lengths[*chunk as usize]).collect();
        let lexemes: Vec<(Box<[u8]>, u32)> = self.lexemes.into_sorted().collect();
        // By place, where the next posting of a lexeme goes: the lists follow each other as the lexemes do.
        let mut next = vec![0u32; lexemes.len()];
        let mut end = 0;
        for (_, place) in &lexemes {
            next[*place as usize] = end;
            end += self.counts[*place as usize];
        }
        let mut lists = vec![(0u32, 0u32); self.postings.len()];
        for (chunk, ordinal) in kept.iter().map(|chunk| *chunk as usize).zip(0..) {
            let begin = chunk.checked_sub(1).map_or(0, |before| self.ends[before]);
            for (place, compact) in &self.postings[begin as usize..self.ends[chunk] as usize] {
                let at = &mut next[*place as usize];
                lists[*at as usize] = (ordinal, *compact);
                *at += 1;
            }
        }
        let mut rows = Vec::new();
        let mut emit = |row| {
            rows.push(row);
            Ok::<(), Infallible>(())
        };
        let mut writer = RowWriter::default();
        let mut postings: Vec<Posting> = Vec::new();
        let Ok(()) = writer.numbers(&numbers, &lengths, &mut emit);
        let mut start = 0;
        for (lexeme, place) in lexemes {
            let list = &lists[start..next[place as usize] as usize];
            start += self.counts[place as usize] as usize;
            postings.clear();
            postings.extend(list.iter().map(|(ordinal, compact)| {
                let occurrences = if compact & ELSEWHERE == 0 {
                    [*compact, 0, 0, 0]
                } else {
                    self.elsewhere[(compact & !ELSEWHERE) as usize]
                };
                Posting { ordinal: *ordinal, occurrences }
            }));
            if !postings.is_empty() {
                let Ok(()) = writer.list(&lexeme, &postings, |ordinal| lengths[ordinal as usize], &mut emit);
            }
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

#[cfg(test)]
mod tests {
    use super::super::{Key, Part};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_lexeme_that_a_chunk_repeats_has_one_posting() {
        // Two entries of one byte with positions, both at the beginning of the data.
        let entry = (1u32 | 1 << 1).to_ne_bytes();
        let data = [[b'a', 0], 1u16.to_ne_bytes(), 1u16.to_ne_bytes()].concat();
        let bytes = [2i32.to_ne_bytes().to_vec(), entry.to_vec(), entry.to_vec(), data].concat();
        let vector = TsVector::new(&bytes).unwrap();
        assert_eq!(vector.iter().count(), 2);
        let mut builder = Builder::new();
        (0..200).for_each(|number| builder.add(number, 2, &vector));
        let (summary, rows) = builder.finish();
        let mut part = Part::new(summary.chunks, 1);
        rows.iter().for_each(|row| part.take_all(&[Key::new(b"a")], &row.data).unwrap());
        assert_eq!(part.frequency(0), 200);
        assert_eq!(part.with_any(&[0]).unwrap().iter().count(), 200);
    }

    proptest! {
        #[test]
        fn lexemes_are_sorted_as_bytes(
            all in prop::collection::vec(prop_oneof![
                prop::collection::vec(prop_oneof![Just(0u8), Just(b'a'), Just(255u8)], 0..40),
                "a{13,18}".prop_map(String::into_bytes),
            ], 0..40),
        ) {
            let (mut lexemes, mut expected) = (Lexemes::default(), BTreeMap::new());
            for lexeme in all {
                let new = expected.len() as u32;
                let place = *expected.entry(lexeme.clone()).or_insert(new);
                prop_assert_eq!(lexemes.place(&lexeme), place);
            }
            prop_assert_eq!(lexemes.len(), expected.len());
            let sorted: Vec<_> = lexemes.into_sorted().map(|(lexeme, place)| (lexeme.to_vec(), place)).collect();
            prop_assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
