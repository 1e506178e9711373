//! Words of a text with their positions, as PostgreSQL's parser and dictionaries give them, for building a tsvector.

use std::slice;

use pgrx::pg_sys;

use crate::postgres::regconfig::RegConfig;

/// Words collected in the current memory context.
pub struct Parsed(pg_sys::ParsedText);

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    pub lexeme: &'a [u8],
    /// From 1. Stop words count.
    pub position: u32,
    /// Words of the same position and variant belong together; other variants are read instead of it.
    pub variant: u16,
}

/// The most bytes of the lexemes and positions of a tsvector (MAXSTRPOS).
const MAX_BYTES: usize = (1 << 20) - 1;
/// The largest position that a tsvector stores (MAXENTRYPOS - 1).
const MAX_POSITION: u32 = (1 << 14) - 1;
/// What positions of a word take at most, beside its lexeme: alignment, their number, and one position.
const BYTES_PER_WORD: usize = 1 + 2 + 2;
/// At least so many words have room at first.
const MIN_ROOM: i32 = 16;

impl Parsed {
    /// No words yet; the next has the position after `position`. `bytes` is the length of the text.
    pub fn new(position: u32, bytes: usize) -> Parsed {
        let room = i32::try_from(bytes / 6).unwrap_or(i32::MAX / 64).clamp(MIN_ROOM, 1 << 20);
        let mut parsed = pg_sys::ParsedText { lenwords: room, pos: position as i32, ..Default::default() };
        // SAFETY: room for so many words, each of which is written before it is counted.
        parsed.words = unsafe { pg_sys::palloc(size_of::<pg_sys::ParsedWord>() * room as usize) }.cast();
        Parsed(parsed)
    }

    /// Adds the words of a text.
    pub fn parse(&mut self, config: &RegConfig, text: &str) {
        // No chunk or query is longer.
        let Ok(length) = i32::try_from(text.len()) else { return };
        // SAFETY: the parser reads `length` bytes, and grows the array of words.
        unsafe { pg_sys::parsetext(config.0, &mut self.0, text.as_ptr().cast_mut().cast(), length) };
    }

    /// The position of the last word.
    pub fn position(&self) -> u32 {
        self.0.pos.max(0) as u32
    }

    /// Leaves positions free.
    pub fn skip(&mut self, positions: u32) {
        self.0.pos = self.0.pos.saturating_add_unsigned(positions);
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.0.curwords.max(0) as usize
    }

    /// Adds a word at a position.
    pub fn push(&mut self, lexeme: &[u8], position: u32) {
        let Ok(length) = u16::try_from(lexeme.len()) else { return };
        // SAFETY: the array grows before it is full, and the lexeme is copied, as `parsetext` does.
        unsafe {
            if self.0.curwords >= self.0.lenwords {
                self.0.lenwords *= 2;
                let bytes = size_of::<pg_sys::ParsedWord>() * self.0.lenwords as usize;
                self.0.words = pg_sys::repalloc(self.0.words.cast(), bytes).cast();
            }
            let copy: *mut u8 = pg_sys::palloc(lexeme.len().max(1)).cast();
            copy.copy_from_nonoverlapping(lexeme.as_ptr(), lexeme.len());
            let mut word = pg_sys::ParsedWord { len: length, word: copy.cast(), ..Default::default() };
            word.pos.pos = position.min(MAX_POSITION) as u16;
            self.0.words.add(self.len()).write(word);
        }
        self.0.curwords += 1;
    }

    /// The words from the one at this place on, in the order in which they were added.
    pub fn words(&self, from: usize) -> impl Iterator<Item = Word<'_>> {
        // SAFETY: so many words were written.
        let all = unsafe { slice::from_raw_parts(self.0.words, self.len()) };
        // SAFETY: each has a lexeme of its length, and its position before a tsvector is made.
        let word = |word: &pg_sys::ParsedWord| unsafe {
            Word {
                lexeme: slice::from_raw_parts(word.word.cast(), usize::from(word.len)),
                position: u32::from(word.pos.pos),
                variant: word.nvariant,
            }
        };
        all.iter().skip(from).map(word)
    }

    /// How many bytes further lexemes may have, each with its [`BYTES_PER_WORD`].
    pub fn bytes_left(&self) -> usize {
        let used: usize = self.words(0).map(|word| Self::bytes_of(word.lexeme)).sum();
        MAX_BYTES.saturating_sub(used)
    }

    /// The most bytes of a tsvector that a lexeme takes.
    pub fn bytes_of(lexeme: &[u8]) -> usize {
        lexeme.len() + BYTES_PER_WORD
    }

    /// The tsvector of the words. 54000 for more than fit.
    pub fn into_tsvector(mut self) -> pg_sys::Datum {
        // SAFETY: takes the array of words.
        unsafe { pg_sys::Datum::from(pg_sys::make_tsvector(&mut self.0)) }
    }
}
