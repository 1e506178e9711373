//! Cuts a text into overlapping chunks at the best boundaries available.
//!
//! Each chunk has at most `size` characters (Unicode scalar values) and begins about `overlap` characters
//! before the end of the previous chunk. It ends at the last paragraph end that leaves it at least half full.
//! Without one, it ends at the last sentence end (UAX 29), or else line end, that leaves it a quarter full,
//! or else between words. A word (UAX 29) is divided, between grapheme clusters, only if it is longer than a
//! chunk. White space around chunks is trimmed; nothing else is lost. The work is linear in text plus output.
//!
//! In a program ([`Strategy::Code`]) no line that fits is divided. A chunk ends before the last definition or
//! blank line that leaves it a quarter full, and before a top-level definition however full it is.
//! [`Strategy::Semantic`] ends chunks where the topic changes, if that leaves them an eighth full.
//!
//! In records ([`Strategy::Csv`]) and in tables of Markdown, a chunk ends between rows.
//!
//! A page ends at each U+000C, as in the output of pdftotext. No chunk extends over the end of a page, nor repeats words of the
//! page before, and a page that fits is one chunk. [`Strategy::None`] takes no notice of pages.
//!
//! With a [`TokenLimit`], a chunk that would exceed the limit is cut smaller.

mod blocks;
mod boundary;
mod boxes;
mod code;
mod csv;
mod definition;
mod detect;
mod heading;
mod limit;
mod looks;
mod markdown;
mod outline;
mod overlap;
mod page;
mod place;
mod prose;
mod run;
mod sentence;
mod settings;
mod space;
mod table;
mod table_head;
mod topic;
mod window;
mod word;

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) use blocks::body_start;
use boundary::Position;
use code::CodeBoundaries;
use csv::CsvMarks;
pub use detect::{detect, detect_with};
use heading::{HeadingPath, Headings};
use limit::Limits;
pub use limit::{Before, TokenBudget, TokenLimit, TokenWindow, Tokenizer};
use markdown::BlockBoundaries;
use outline::Outline;
pub use page::{PAGE_END, Pages};
pub use place::located;
use prose::ProseBoundaries;
pub use settings::{Settings, SettingsError, Strategy};
use space::{skip_space, trim_space};
use table::{Syntax, TableContext, Tables};
use topic::TopicBoundaries;
use window::{Boundaries, Windows};

/// A chunk is a passage of a text: `&text[chunk.bytes]`. It is never blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte offsets, from 0, half-open, on character boundaries.
    pub bytes: Range<usize>,
    /// Offsets in Unicode scalar values, from 0, half-open.
    pub chars: Range<usize>,
    /// The Markdown headings in force where the chunk continues beyond the previous one, as
    /// "Title > Section > Sub", each without inline markup and cut at 200 characters. None if no heading precedes, or
    /// with another strategy.
    pub heading: Option<Arc<str>>,
    /// If the chunk begins among the rows of a table of Markdown or CSV, but not with the first one: its header rows, and on
    /// further lines the cells of earlier rows that reach into it, each cut at 200 characters. All of it has at most about 1,000 characters, and is
    /// written as the table is.
    pub context: Option<Arc<str>>,
}

impl Chunk {
    /// The texts that are embedded before its own, after the title of the document.
    pub fn before(&self) -> Before<'_> {
        Before { heading: self.heading.as_deref(), context: self.context.as_deref() }
    }
}

/// The chunks of `text` in order, found as the iterator is advanced. Starts and ends strictly increase.
///
/// Memory is bounded by the chunk size and, with [`Strategy::Markdown`], by what a parser needs for a
/// megabyte of text.
pub fn chunks<'a>(text: &'a str, settings: &Settings) -> impl Iterator<Item = Chunk> + use<'a> {
    Chunker::new(text, settings).chunks()
}

/// How to cut a text: [`Settings`] and more.
pub struct Chunker<'a> {
    limits: Limits<'a>,
    strategy: Strategy,
    topics: Vec<usize>,
    check_interrupts: fn(),
}

impl<'a> Chunker<'a> {
    /// Cuts a text by the settings alone.
    pub fn new(text: &'a str, settings: &Settings) -> Self {
        // A size beyond any text's length changes nothing; the cap keeps sums of sizes from overflowing.
        let max = isize::MAX as usize / 4;
        let (size, overlap) = (settings.size().min(max), settings.overlap().min(max - 1));
        Self {
            limits: Limits { text, size, overlap, limit: None },
            strategy: settings.strategy(),
            topics: Vec::new(),
            check_interrupts: || (),
        }
    }

    /// Sets a limit in tokens. [`Strategy::None`] ignores it.
    pub fn within(mut self, limit: TokenLimit<'a>) -> Self {
        self.limits.limit = Some(limit);
        self
    }

    /// Calls `check_interrupts` now and then where a chunk takes long to find. The call may unwind to stop
    /// the work.
    pub fn checking_interrupts(mut self, check_interrupts: fn()) -> Self {
        self.check_interrupts = check_interrupts;
        self
    }

    /// Finds where the topic changes, for [`Strategy::Semantic`] and a text of more than one chunk; otherwise
    /// does nothing. `embed` returns the vectors of sentences, all of one length. It is called at most once
    /// per 80 characters of text, plus once.
    ///
    /// # Errors
    /// Returns the error of `embed`.
    pub fn topics<E>(mut self, embed: impl FnMut(&str) -> Result<Vec<f32>, E>) -> Result<Self, E> {
        if self.strategy == Strategy::Semantic
            && let Some(all) = whole(self.limits.text)
            && !self.limits.fits(all.bytes, Before::default())
        {
            self.topics = topic::topic_breaks(self.limits.text, self.check_interrupts, embed)?;
        }
        Ok(self)
    }

    /// The chunks in order, found as the iterator is advanced.
    pub fn chunks(self) -> impl Iterator<Item = Chunk> + use<'a> {
        // A single chunk needs no boundaries. The other strategies have no such chunk.
        let (whole, text) = match self.strategy {
            Strategy::None => (whole(self.limits.text), ""),
            _ => (None, self.limits.text),
        };
        let limits = Rc::new(Limits { text, ..self.limits });
        let prose = ProseBoundaries::new(text, self.check_interrupts);
        let mut headings = Headings::default();
        let mut tables = TableContext::new(text, Syntax::Markdown, Tables::default());
        let boundaries = match self.strategy {
            Strategy::Text | Strategy::None => Boundaries::Prose(prose),
            Strategy::Semantic => Boundaries::Topic(TopicBoundaries::new(prose, self.topics)),
            Strategy::Code => Boundaries::Code(CodeBoundaries::new(prose, limits.clone())),
            Strategy::Markdown => {
                let outline = Outline::new(text, limits.size, self.check_interrupts);
                // Boundaries are found ahead of the chunks, so each side has its own headings and tables.
                let [ahead, behind] = outline.headings();
                let [ahead_tables, behind_tables] =
                    outline.tables().map(|queue| TableContext::new(text, Syntax::Markdown, queue));
                (headings, tables) = (behind, behind_tables);
                let path = HeadingPath::new(ahead);
                Boundaries::Markdown(BlockBoundaries::new(prose, limits.clone(), outline, path, ahead_tables))
            }
            Strategy::Csv => {
                let (marks, syntax, queues) = CsvMarks::new(text, self.check_interrupts);
                let [ahead, behind] = queues.map(|queue| TableContext::new(text, syntax, queue));
                tables = behind;
                let path = HeadingPath::new(Headings::default());
                Boundaries::Csv(BlockBoundaries::new(prose, limits.clone(), marks, path, ahead))
            }
        };
        let windows =
            Windows::new(limits, boundaries, HeadingPath::new(headings), tables).map(|window| Chunk {
                bytes: window.start.byte..window.end.byte,
                chars: window.start.char..window.end.char,
                heading: window.heading,
                context: window.context,
            });
        whole.into_iter().chain(windows)
    }
}

/// The text without the white space around it, as one chunk; None if nothing is left.
fn whole(text: &str) -> Option<Chunk> {
    let start = skip_space(text, Position { byte: 0, char: 0 });
    let length = text[start.byte..].chars().count();
    let last = Position { byte: text.len(), char: start.char + length };
    let end = trim_space(text, last, start.byte);
    (start.byte < end.byte).then_some(Chunk {
        bytes: start.byte..end.byte,
        chars: start.char..end.char,
        heading: None,
        context: None,
    })
}
