//! Cutting a text into overlapping chunks at the best boundaries in reach.
//!
//! Each chunk is at most `size` characters (Unicode scalar values) long and begins about `overlap` characters
//! before the end of the chunk before it. It ends at the last paragraph end that leaves it at least half
//! full; else at the last sentence end (UAX 29), else line end, that leaves it a quarter full; else between
//! words; and only where a word (UAX 29) is longer than a chunk, inside it, between grapheme clusters. White
//! space around chunks is trimmed and nothing else is lost. The work is linear in text plus output.
//!
//! In a program ([`Strategy::Code`]) no line that fits is divided, and a chunk ends before the last definition or
//! blank line that leaves it a quarter full, and before one that stands in no other whatever that leaves.
//! [`Strategy::Semantic`] ends chunks where the topic changes, if that leaves them an eighth full.
//!
//! With a [`TokenLimit`] a chunk is cut smaller where it would have more tokens than that allows.

mod blocks;
mod boundary;
mod code;
mod definition;
mod detect;
mod heading;
mod limit;
mod markdown;
mod outline;
mod overlap;
mod prose;
mod run;
mod sentence;
mod settings;
mod space;
mod topic;
mod window;
mod word;

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use boundary::{Boundaries, Position};
use code::CodeBoundaries;
pub use detect::detect;
use heading::HeadingPath;
use limit::Limits;
pub use limit::{TokenBudget, TokenLimit, TokenWindow, Tokenizer};
use markdown::MarkdownBoundaries;
use outline::{Headings, Outline};
use prose::ProseBoundaries;
pub use settings::{Settings, SettingsError, Strategy};
use space::{skip_space, trim_space};
use topic::TopicBoundaries;
use window::Windows;

/// A passage of a text: `&text[chunk.bytes]`. Never blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte offsets, from 0, half open, on character boundaries.
    pub bytes: Range<usize>,
    /// Offsets in Unicode scalar values, from 0, half open.
    pub chars: Range<usize>,
    /// The Markdown headings in force where the chunk goes beyond the one before it, as
    /// "Title > Section > Sub", each without inline markup and cut at 200 characters. None where no heading
    /// precedes or the strategy is another.
    pub heading: Option<Arc<str>>,
}

/// The chunks of `text` in order, found as the iterator is advanced. Starts and ends strictly increase.
///
/// Memory is bounded by the chunk size and, with [`Strategy::Markdown`], what a parser needs for a megabyte of text.
pub fn chunks<'a>(text: &'a str, settings: &Settings) -> impl Iterator<Item = Chunk> + use<'a> {
    Chunker::new(text, settings).chunks()
}

/// How a text is to be cut, beyond [`Settings`].
pub struct Chunker<'a> {
    limits: Limits<'a>,
    strategy: Strategy,
    topics: Vec<usize>,
    check_interrupts: fn(),
}

impl<'a> Chunker<'a> {
    /// A text to be cut by the settings alone.
    pub fn new(text: &'a str, settings: &Settings) -> Self {
        // Beyond any text's length a size means the same; the cap keeps sums of sizes from overflowing.
        let most = isize::MAX as usize / 4;
        let (size, overlap) = (settings.size().min(most), settings.overlap().min(most - 1));
        Self {
            limits: Limits { text, size, overlap, limit: None },
            strategy: settings.strategy(),
            topics: Vec::new(),
            check_interrupts: || (),
        }
    }

    /// Sets a limit in tokens. [`Strategy::None`] knows none.
    pub fn within(mut self, limit: TokenLimit<'a>) -> Self {
        self.limits.limit = Some(limit);
        self
    }

    /// Calls `check_interrupts` now and then where a chunk takes long to find: it may unwind to give up.
    pub fn checking_interrupts(mut self, check_interrupts: fn()) -> Self {
        self.check_interrupts = check_interrupts;
        self
    }

    /// Finds where the topic changes, for [`Strategy::Semantic`] and a text of more than one chunk; else does
    /// nothing. `embed` gives the vectors of sentences, all of one length: it is called at most once for 80
    /// characters of text, and once more.
    ///
    /// # Errors
    /// That of `embed`.
    pub fn topics<E>(mut self, embed: impl FnMut(&str) -> Result<Vec<f32>, E>) -> Result<Self, E> {
        if self.strategy == Strategy::Semantic
            && let Some(all) = whole(self.limits.text)
            && !self.limits.fits(all.bytes, None)
        {
            self.topics = topic::topic_breaks(self.limits.text, self.check_interrupts, embed)?;
        }
        Ok(self)
    }

    /// The chunks in order, found as the iterator is advanced.
    pub fn chunks(self) -> impl Iterator<Item = Chunk> + use<'a> {
        // One chunk needs no boundary; for the other strategies there is none.
        let (whole, text) = match self.strategy {
            Strategy::None => (whole(self.limits.text), ""),
            _ => (None, self.limits.text),
        };
        let limits = Rc::new(Limits { text, ..self.limits });
        let prose = ProseBoundaries::new(text, self.check_interrupts);
        let mut headings = Headings::default();
        let boundaries = match self.strategy {
            Strategy::Text | Strategy::None => Boundaries::Prose(prose),
            Strategy::Semantic => Boundaries::Topic(TopicBoundaries::new(prose, self.topics)),
            Strategy::Code => Boundaries::Code(CodeBoundaries::new(prose, limits.clone())),
            Strategy::Markdown => {
                let outline = Outline::new(text, limits.size, self.check_interrupts);
                // Boundaries are found ahead of the chunks, so each has headings of its own.
                let [ahead, behind] = outline.headings();
                headings = behind;
                let path = HeadingPath::new(ahead);
                Boundaries::Markdown(MarkdownBoundaries::new(prose, limits.clone(), outline, path))
            }
        };
        let windows = Windows::new(limits, boundaries, HeadingPath::new(headings)).map(|window| Chunk {
            bytes: window.start.byte..window.end.byte,
            chars: window.start.char..window.end.char,
            heading: window.heading,
        });
        whole.into_iter().chain(windows)
    }
}

/// The text without the white space around it, as one chunk; None when nothing is left.
fn whole(text: &str) -> Option<Chunk> {
    let start = skip_space(text, Position { byte: 0, char: 0 });
    let length = text[start.byte..].chars().count();
    let last = Position { byte: text.len(), char: start.char + length };
    let end = trim_space(text, last, start.byte);
    (start.byte < end.byte).then_some(Chunk {
        bytes: start.byte..end.byte,
        chars: start.char..end.char,
        heading: None,
    })
}
