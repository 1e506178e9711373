//! Rows of a segment: entries sorted by lexeme, each with blocks of postings.
//!
//! An entry is a lexeme, the number of chunks in the segment that have it, and blocks. A list that is too long for its row goes
//! on in rows that begin with its lexeme again. Under the empty lexeme stand the numbers and lengths of all chunks.

use std::cmp::Ordering;

use super::Damaged;
use super::block::{Posting, put_block};
use super::bytes::{BLOCK, Reader, put};
use super::numbers::put_numbers;

/// The aim for the size of a row of a large segment: many rare lexemes share one, and a list of a common one has few.
pub const ROW_BYTES: usize = 4000;
/// No row has more bytes: it must fit a page.
pub const MAX_ROW_BYTES: usize = 8000;
/// A segment with at most this many bytes is one row.
pub const SMALL_BYTES: usize = 7900;

/// A row of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The lexeme of its first entry.
    pub lexeme: Vec<u8>,
    /// 0, or the first ordinal in the row where it continues the list of this lexeme.
    pub ordinal: u32,
    /// The entries.
    pub data: Vec<u8>,
}

/// One entry of a row.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub lexeme: &'a [u8],
    /// Its first bytes: [`prefix`].
    prefix: u64,
    /// In how many chunks of the segment the lexeme is.
    pub frequency: u32,
    pub blocks: Reader<'a>,
}

impl<'a> Entry<'a> {
    /// The next entry of a row; None at the end.
    #[inline(always)]
    pub fn next(row: &mut Reader<'a>) -> Result<Option<Entry<'a>>, Damaged> {
        // Most of a search among small segments passes over entries, and in most of these each number has one byte.
        if let Some((entry, rest)) = Entry::of_short_numbers(row.0) {
            row.0 = rest;
            return Ok(Some(entry));
        }
        Entry::next_of_any(row)
    }

    /// The first entry if each of its numbers has one byte, and what comes after it.
    #[inline(always)]
    fn of_short_numbers(row: &'a [u8]) -> Option<(Entry<'a>, &'a [u8])> {
        let (length @ 0..0x80, after) = row.split_first()? else { return None };
        let (lexeme, after_lexeme) = after.split_at_checked(usize::from(*length))?;
        let [frequency @ 0..0x80, bytes @ 0..0x80, after_numbers @ ..] = after_lexeme else { return None };
        let (blocks, rest) = after_numbers.split_at_checked(usize::from(*bytes))?;
        let prefix = prefix(after, lexeme.len());
        Some((Entry { lexeme, prefix, frequency: u32::from(*frequency), blocks: Reader(blocks) }, rest))
    }

    fn next_of_any(row: &mut Reader<'a>) -> Result<Option<Entry<'a>>, Damaged> {
        if row.is_empty() {
            return Ok(None);
        }
        let length = row.small()? as usize;
        let prefix = prefix(row.0, length);
        let lexeme = row.take(length)?;
        let frequency = row.small()?;
        let bytes = row.small()? as usize;
        Ok(Some(Entry { lexeme, prefix, frequency, blocks: Reader(row.take(bytes)?) }))
    }

    /// How its lexeme compares with `other`.
    #[inline]
    pub fn compare(&self, other: &Key) -> Ordering {
        // A row has hundreds of entries, and few lexemes are alike in their first bytes.
        self.prefix.cmp(&other.prefix).then_with(|| self.lexeme.cmp(other.lexeme))
    }
}

/// A lexeme that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    pub(super) lexeme: &'a [u8],
    prefix: u64,
}

impl<'a> Key<'a> {
    /// For this lexeme; the empty one stands for the numbers and lengths.
    pub fn new(lexeme: &'a [u8]) -> Key<'a> {
        Key { lexeme, prefix: prefix(lexeme, lexeme.len()) }
    }
}

/// The first eight of `length` bytes as a number, filled up with zeros: it sorts as the bytes do, but for those that are alike.
#[inline]
fn prefix(bytes: &[u8], length: usize) -> u64 {
    let number = match bytes.first_chunk::<8>() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => {
            let mut eight = [0; 8];
            eight.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
            u64::from_be_bytes(eight)
        }
    };
    match length {
        0 => 0,
        1..8 => number & u64::MAX << (64 - 8 * length),
        _ => number,
    }
}

fn put_entry(to: &mut Vec<u8>, lexeme: &[u8], frequency: u32, blocks: &[u8]) {
    put(to, lexeme.len() as u64);
    to.extend(lexeme);
    put(to, u64::from(frequency));
    put(to, blocks.len() as u64);
    to.extend(blocks);
}

/// The most bytes of an entry besides its lexeme and blocks.
const ENTRY_BYTES: usize = 12;

/// Splits the lists of a segment into rows.
#[derive(Debug, Default)]
pub struct RowWriter {
    /// Rows kept back while the segment may be small.
    first: Vec<Row>,
    bytes: usize,
    current: Option<Row>,
    /// The last entry of the current row.
    open: Option<Open>,
    blocks: Vec<u8>,
}

/// An entry to which blocks are added.
#[derive(Debug)]
struct Open {
    lexeme: Vec<u8>,
    frequency: u32,
    blocks: Vec<u8>,
}

impl RowWriter {
    /// Writes numbers and lengths: the first list of a segment. Numbers ascend.
    pub fn numbers<E>(
        &mut self,
        numbers: &[i64],
        lengths: &[u32],
        emit: &mut impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let count = numbers.len() as u32;
        let mut ordinal = 0;
        for (numbers, lengths) in numbers.chunks(BLOCK).zip(lengths.chunks(BLOCK)) {
            let mut block = std::mem::take(&mut self.blocks);
            block.clear();
            put_numbers(&mut block, numbers, lengths);
            self.piece(b"", count, ordinal, &block, emit)?;
            self.blocks = block;
            ordinal += BLOCK as u32;
        }
        Ok(())
    }

    /// Writes the postings of a lexeme, which comes after those before it. Ordinals ascend.
    pub fn list<E>(
        &mut self,
        lexeme: &[u8],
        postings: &[Posting],
        length: impl Fn(u32) -> u32,
        emit: &mut impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let frequency = postings.len() as u32;
        let mut blocks = std::mem::take(&mut self.blocks);
        for (place, of_block) in postings.chunks(BLOCK).enumerate() {
            blocks.clear();
            put_block(&mut blocks, of_block, &length);
            let ordinal = if place == 0 { 0 } else { of_block[0].ordinal };
            self.piece(lexeme, frequency, ordinal, &blocks, emit)?;
        }
        self.blocks = blocks;
        Ok(())
    }

    /// Adds a block to the entry that the row ends with, or in an entry of its own.
    fn piece<E>(
        &mut self,
        lexeme: &[u8],
        frequency: u32,
        ordinal: u32,
        block: &[u8],
        emit: &mut impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(open) = &self.open
            && open.lexeme != lexeme
        {
            self.close_entry();
        }
        let needed = lexeme.len() + ENTRY_BYTES + block.len();
        let bytes = |row: &Row, open: Option<&Open>| {
            row.data.len() + open.map_or(0, |open| open.lexeme.len() + ENTRY_BYTES + open.blocks.len())
        };
        if self.current.as_ref().is_some_and(|row| bytes(row, self.open.as_ref()) + needed > ROW_BYTES) {
            self.close_entry();
            self.end_row(emit)?;
        }
        self.current.get_or_insert_with(|| Row { lexeme: lexeme.to_vec(), ordinal, data: Vec::new() });
        let open =
            self.open.get_or_insert_with(|| Open { lexeme: lexeme.to_vec(), frequency, blocks: Vec::new() });
        open.blocks.extend(block);
        Ok(())
    }

    fn close_entry(&mut self) {
        if let (Some(open), Some(row)) = (self.open.take(), &mut self.current) {
            put_entry(&mut row.data, &open.lexeme, open.frequency, &open.blocks);
        }
    }

    fn end_row<E>(&mut self, emit: &mut impl FnMut(Row) -> Result<(), E>) -> Result<(), E> {
        let Some(row) = self.current.take() else { return Ok(()) };
        self.bytes += row.data.len();
        self.first.push(row);
        if self.bytes > SMALL_BYTES {
            self.first.drain(..).try_for_each(emit)?;
        }
        Ok(())
    }

    /// Writes what is left.
    pub fn finish<E>(mut self, emit: &mut impl FnMut(Row) -> Result<(), E>) -> Result<(), E> {
        self.close_entry();
        self.end_row(emit)?;
        let mut rest = self.first.into_iter();
        if self.bytes > SMALL_BYTES {
            return rest.try_for_each(emit);
        }
        let Some(mut row) = rest.next() else { return Ok(()) };
        rest.for_each(|other| row.data.extend(other.data));
        emit(row)
    }
}
