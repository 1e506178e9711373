//! The part of a segment that a query needs.

use std::cmp::Ordering;

use super::block::{Block, Decoded};
use super::bytes::Reader;
use super::numbers::next_numbers;
use super::row::{Entry, Key};
use super::{Bitmap, Damaged};
use crate::visible::Sample;

/// The postings of the wanted lexemes in one segment, and the numbers and lengths of its chunks.
#[derive(Clone, Debug)]
pub struct Part {
    chunks: u32,
    lists: Vec<List>,
    numbers: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub frequency: u32,
    /// All blocks, from one row or several.
    pub blocks: Vec<u8>,
}

impl Part {
    /// For so many wanted lexemes of a segment with so many chunks.
    pub fn new(chunks: u32, lexemes: usize) -> Part {
        Part { chunks, lists: vec![List::default(); lexemes], numbers: Vec::new() }
    }

    /// Takes from a row all entries of the wanted lexemes, which are sorted and distinct, and those of the empty lexeme. Rows of a
    /// segment are given in their order, each once.
    pub fn take_all(&mut self, wanted: &[Key], row: &[u8]) -> Result<(), Damaged> {
        let (mut row, mut next) = (Reader(row), 0);
        while let Some(entry) = Entry::next(&mut row)? {
            if entry.lexeme.is_empty() {
                self.numbers.extend(entry.blocks.0);
                continue;
            }
            while let Some(key) = wanted.get(next) {
                match entry.compare(key) {
                    Ordering::Less => break,
                    // A small segment is several rows: the next entry may have more postings of the same lexeme.
                    Ordering::Equal => {
                        self.add(next, &entry);
                        break;
                    }
                    Ordering::Greater => next += 1,
                }
            }
            if next == wanted.len() {
                break;
            }
        }
        Ok(())
    }

    /// Takes from a row the entry of one lexeme, if it is there: of the one at `place`, or of the empty lexeme. Rows of a lexeme
    /// are given in their order, each once.
    pub fn take(&mut self, place: Option<usize>, lexeme: Key, row: &[u8]) -> Result<(), Damaged> {
        let mut row = Reader(row);
        while let Some(entry) = Entry::next(&mut row)? {
            match (entry.compare(&lexeme), place) {
                (Ordering::Less, _) => {}
                (Ordering::Equal, Some(place)) => self.add(place, &entry),
                (Ordering::Equal, None) => self.numbers.extend(entry.blocks.0),
                (Ordering::Greater, _) => break,
            }
        }
        Ok(())
    }

    fn add(&mut self, place: usize, entry: &Entry) {
        if let Some(list) = self.lists.get_mut(place) {
            list.frequency = entry.frequency;
            list.blocks.extend(entry.blocks.0);
        }
    }

    /// In how many chunks of the segment the lexeme at this place is.
    pub fn frequency(&self, place: usize) -> u32 {
        self.lists.get(place).map_or(0, |list| list.frequency)
    }

    /// Whether none of the lexemes is in the segment.
    pub fn is_empty(&self) -> bool {
        self.lists.iter().all(|list| list.frequency == 0)
    }

    /// How many chunks the segment has.
    pub fn chunks(&self) -> u32 {
        self.chunks
    }

    pub(super) fn lists(&self) -> &[List] {
        &self.lists
    }

    pub(super) fn number_bytes(&self) -> &[u8] {
        &self.numbers
    }

    /// The numbers of all chunks, ascending.
    pub fn numbers(&self) -> Result<Vec<i64>, Damaged> {
        let (mut numbers, mut lengths, mut reader) = (Vec::new(), Vec::new(), Reader(&self.numbers));
        while next_numbers(&mut reader, &mut numbers, &mut lengths)? {
            lengths.clear();
            if numbers.len() > self.chunks as usize {
                return Err(Damaged);
            }
        }
        let ascend = numbers.is_sorted_by(|a, b| a < b);
        if ascend && numbers.len() == self.chunks as usize { Ok(numbers) } else { Err(Damaged) }
    }

    /// The chunks with these numbers, which ascend; those of other segments are ignored, and all in a segment that has none of
    /// the lexemes, whose numbers need not be read.
    pub fn with_numbers(&self, numbers: &[i64]) -> Result<Bitmap, Damaged> {
        let mut found = Bitmap::new(self.chunks);
        if self.is_empty() {
            return Ok(found);
        }
        let mut wanted = numbers.iter().peekable();
        for (ordinal, own) in (0..).zip(self.numbers()?) {
            while wanted.next_if(|number| **number < own).is_some() {}
            match wanted.peek() {
                None => break,
                Some(number) if **number == own => found.set(ordinal),
                Some(_) => {}
            }
        }
        Ok(found)
    }

    /// The chunks that have any of the lexemes at these places.
    pub fn with_any(&self, places: &[usize]) -> Result<Bitmap, Damaged> {
        let mut found = Bitmap::new(self.chunks);
        for place in places {
            self.each_with(*place, |ordinal| found.set(ordinal))?;
        }
        Ok(found)
    }

    /// Passes the ordinals of the chunks that have the lexeme at this place to `take`.
    fn each_with(&self, place: usize, mut take: impl FnMut(u32)) -> Result<(), Damaged> {
        let Some(list) = self.lists.get(place) else { return Ok(()) };
        let (mut reader, mut decoded) = (Reader(&list.blocks), Decoded::default());
        while let Some(block) = Block::next(&mut reader)? {
            block.decode(&mut decoded)?;
            for ordinal in &decoded.ordinals[..decoded.count] {
                if *ordinal >= self.chunks {
                    return Err(Damaged);
                }
                take(*ordinal);
            }
        }
        Ok(())
    }

    /// Offers the numbers of the chunks that have each lexeme to the sample at its place; those in `gone`, which is sorted, are left
    /// out.
    pub fn offer_to(&self, samples: &mut [Sample], gone: &[i64]) -> Result<(), Damaged> {
        if self.is_empty() {
            return Ok(());
        }
        let numbers = self.numbers()?;
        for (place, sample) in samples.iter_mut().enumerate() {
            self.each_with(place, |ordinal| {
                if let Some(number) = numbers.get(ordinal as usize)
                    && sample.would_keep(*number)
                    && gone.binary_search(number).is_err()
                {
                    sample.offer(*number);
                }
            })?;
        }
        Ok(())
    }

    /// The chunks that satisfy all requirements, each a list of alternatives, each a list of places of lexemes that must all be
    /// there.
    pub fn with_required(&self, required: &[Vec<Vec<usize>>]) -> Result<Bitmap, Damaged> {
        let mut all = Bitmap::all(self.chunks);
        for alternatives in required {
            let mut any = Bitmap::new(self.chunks);
            for places in alternatives {
                let mut has_all = all.clone();
                for place in places {
                    has_all.and_with(&self.with_any(&[*place])?);
                }
                any.or_with(&has_all);
            }
            all = any;
        }
        Ok(all)
    }

    /// The numbers of the chunks in a set, ascending.
    pub fn numbers_in(&self, chunks: &Bitmap) -> Result<Vec<i64>, Damaged> {
        if chunks.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = self.numbers()?;
        chunks.iter().map(|ordinal| numbers.get(ordinal as usize).copied().ok_or(Damaged)).collect()
    }
}

/// In how many chunks of a segment a lexeme is, from the row that has its entry; None if the row lacks it.
pub fn frequency_in(lexeme: Key, row: &[u8]) -> Result<Option<u32>, Damaged> {
    let mut row = Reader(row);
    while let Some(entry) = Entry::next(&mut row)? {
        match entry.compare(&lexeme) {
            Ordering::Less => {}
            Ordering::Equal => return Ok(Some(entry.frequency)),
            Ordering::Greater => break,
        }
    }
    Ok(None)
}
