//! Merging segments, streamed by lexeme as in a log-structured merge tree (O'Neil and others, 1996).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Damaged;
use super::block::{Block, Decoded, Posting};
use super::builder::{Summary, summary};
use super::bytes::Reader;
use super::numbers::next_numbers;
use super::row::{Entry, Row, RowWriter};

/// Rows of one segment, in their order.
pub trait Source<E> {
    /// The data of the next row; None at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, E>;
}

/// A segment to be merged.
#[derive(Debug)]
pub struct Input<S> {
    /// Whether it lists deleted chunks.
    pub negative: bool,
    /// Its rows.
    pub source: S,
}

/// Where merged rows go.
pub trait Sink<E> {
    /// Takes the next row of the positive or the negative segment.
    fn row(&mut self, negative: bool, row: Row) -> Result<(), E>;
    /// Called for each lexeme, for interrupts.
    fn check(&mut self) -> Result<(), E>;
}

/// The segments that came out; None for one without chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Chunks that are there.
    pub positive: Option<Summary>,
    /// Deleted chunks whose counterparts are in other segments.
    pub negative: Option<Summary>,
}

/// Stands for the new ordinal of a chunk that disappears.
const GONE: u32 = u32::MAX;

/// Merges segments into at most two. A number in both a positive and a negative one disappears. Of a number that several have, the last one counts. Memory is bounded by the numbers of all
/// chunks, the postings of a lexeme and a row of each input.
pub fn merge<E: From<Damaged>, S: Source<E>>(
    inputs: Vec<Input<S>>,
    sink: &mut impl Sink<E>,
) -> Result<Merged, E> {
    let mut cursors: Vec<Cursor<S>> = Vec::with_capacity(inputs.len());
    for input in inputs {
        sink.check()?;
        cursors.push(Cursor::begin(input)?);
    }
    let outputs = renumber(&mut cursors);
    let mut writers = [RowWriter::default(), RowWriter::default()];
    for ((writer, output), negative) in writers.iter_mut().zip(&outputs).zip([false, true]) {
        writer.numbers(&output.numbers, &output.lengths, &mut |row| sink.row(negative, row))?;
    }
    let mut lexeme = Vec::new();
    let mut decoded = Decoded::default();
    let mut postings: [Vec<Posting>; 2] = Default::default();
    let mut heap: BinaryHeap<Next<S>> =
        cursors.into_iter().enumerate().map(|(age, cursor)| Next { age, cursor }).collect();
    loop {
        sink.check()?;
        let Some(least) = heap.peek().and_then(|next| next.cursor.lexeme()) else { break };
        lexeme.clear();
        lexeme.extend(least);
        postings.iter_mut().for_each(Vec::clear);
        while let Some(mut next) = heap.peek_mut().filter(|next| next.cursor.lexeme() == Some(&lexeme)) {
            next.cursor.take(&mut decoded, &mut postings[usize::from(next.cursor.negative)])?;
            next.cursor.advance()?;
        }
        for (index, negative) in [false, true].into_iter().enumerate() {
            let (postings, output) = (&mut postings[index], &outputs[index]);
            if !postings.is_sorted_by(|a, b| a.ordinal < b.ordinal) {
                postings.sort_by_key(|posting| posting.ordinal);
                postings.dedup_by_key(|posting| posting.ordinal);
            }
            if !postings.is_empty() {
                let length = |ordinal| output.lengths.get(ordinal as usize).copied().unwrap_or_default();
                writers[index].list(&lexeme, postings, length, &mut |row| sink.row(negative, row))?;
            }
        }
    }
    for (writer, negative) in writers.into_iter().zip([false, true]) {
        writer.finish(&mut |row| sink.row(negative, row))?;
    }
    let [positive, negative] =
        outputs.map(|output| (!output.numbers.is_empty()).then(|| summary(&output.numbers, &output.lengths)));
    Ok(Merged { positive, negative })
}

/// The chunks of a segment that comes out, by their new ordinal.
#[derive(Debug, Default)]
struct Output {
    numbers: Vec<i64>,
    lengths: Vec<u32>,
}

/// Decides which chunks stay, and gives them new ordinals in the order of their numbers.
fn renumber<S>(cursors: &mut [Cursor<S>]) -> [Output; 2] {
    let mut all: Vec<(i64, u32, u32)> = Vec::new();
    for (index, cursor) in (0..).zip(cursors.iter()) {
        all.extend((0..).zip(&cursor.numbers).map(|(ordinal, number)| (*number, index, ordinal)));
    }
    // Segments usually follow one another: then they are in order already.
    all.sort();
    let mut outputs = [Output::default(), Output::default()];
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let (negative, positive): (Vec<_>, Vec<_>) =
            same.iter().partition(|(_, index, _)| cursors[*index as usize].negative);
        let pairs = negative.len().min(positive.len());
        for (entries, output) in [(positive, 0), (negative, 1)] {
            let kept = entries.into_iter().skip(pairs).next_back();
            if let Some((number, index, ordinal)) = kept {
                let cursor = &mut cursors[index as usize];
                let output = &mut outputs[output];
                if let Some(new) = cursor.ordinals.get_mut(ordinal as usize) {
                    *new = output.numbers.len() as u32;
                    output.numbers.push(number);
                    output.lengths.push(cursor.lengths.get(ordinal as usize).copied().unwrap_or_default());
                }
            }
        }
    }
    outputs
}

/// A cursor by the order in which they are read: by lexeme, the oldest segment first; those at their end come last.
struct Next<S> {
    age: usize,
    cursor: Cursor<S>,
}

impl<S> Ord for Next<S> {
    /// The greatest is read first.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_lexeme = match (self.cursor.lexeme(), other.cursor.lexeme()) {
            (Some(own), Some(others)) => others.cmp(own),
            (own, others) => own.is_some().cmp(&others.is_some()),
        };
        by_lexeme.then(other.age.cmp(&self.age))
    }
}

impl<S> PartialOrd for Next<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> PartialEq for Next<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<S> Eq for Next<S> {}

/// The place in a segment.
struct Cursor<S> {
    negative: bool,
    source: S,
    row: Vec<u8>,
    /// Where the next entry begins.
    next: usize,
    /// The lexeme of the current entry, and where its blocks are; None at the end.
    current: Option<(Vec<u8>, std::ops::Range<usize>)>,
    numbers: Vec<i64>,
    lengths: Vec<u32>,
    /// The new ordinal of each chunk.
    ordinals: Vec<u32>,
}

impl<S> Cursor<S> {
    /// Reads the numbers, and moves to the first lexeme.
    fn begin<E: From<Damaged>>(input: Input<S>) -> Result<Cursor<S>, E>
    where
        S: Source<E>,
    {
        let mut cursor = Cursor {
            negative: input.negative,
            source: input.source,
            row: Vec::new(),
            next: 0,
            current: None,
            numbers: Vec::new(),
            lengths: Vec::new(),
            ordinals: Vec::new(),
        };
        cursor.advance()?;
        while cursor.lexeme().is_some_and(<[u8]>::is_empty) {
            if let Some((_, blocks)) = &cursor.current {
                let mut reader = Reader(&cursor.row[blocks.clone()]);
                while next_numbers(&mut reader, &mut cursor.numbers, &mut cursor.lengths)? {}
            }
            cursor.advance()?;
        }
        cursor.ordinals = vec![GONE; cursor.numbers.len()];
        Ok(cursor)
    }

    fn lexeme(&self) -> Option<&[u8]> {
        self.current.as_ref().map(|(lexeme, _)| lexeme.as_slice())
    }

    fn advance<E: From<Damaged>>(&mut self) -> Result<(), E>
    where
        S: Source<E>,
    {
        while self.next >= self.row.len() {
            let Some(row) = self.source.next()? else {
                self.current = None;
                return Ok(());
            };
            (self.row, self.next) = (row, 0);
        }
        let mut reader = Reader(&self.row[self.next..]);
        let entry = Entry::next(&mut reader)?.ok_or(Damaged)?;
        self.next = self.row.len() - reader.0.len();
        let blocks = self.next - entry.blocks.0.len()..self.next;
        let mut lexeme = self.current.take().map(|(lexeme, _)| lexeme).unwrap_or_default();
        if entry.lexeme < lexeme.as_slice() {
            return Err(Damaged.into());
        }
        lexeme.clear();
        lexeme.extend(entry.lexeme);
        self.current = Some((lexeme, blocks));
        Ok(())
    }

    /// Appends the postings of the current entry that stay, with their new ordinals.
    fn take(&self, decoded: &mut Decoded, to: &mut Vec<Posting>) -> Result<(), Damaged> {
        let Some((_, blocks)) = &self.current else { return Ok(()) };
        let mut reader = Reader(&self.row[blocks.clone()]);
        while let Some(block) = Block::next(&mut reader)? {
            block.decode(decoded)?;
            for place in 0..decoded.count {
                let posting = decoded.posting(place);
                let ordinal = *self.ordinals.get(posting.ordinal as usize).ok_or(Damaged)?;
                if ordinal != GONE {
                    to.push(Posting { ordinal, ..posting });
                }
            }
        }
        Ok(())
    }
}
