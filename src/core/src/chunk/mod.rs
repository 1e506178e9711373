//! Cutting a text into overlapping chunks at the best boundaries in reach.
//!
//! Each chunk is at most `size` characters (Unicode scalar values) long and begins about `overlap` characters
//! before the end of the chunk before it. It ends at the last paragraph end that leaves it at least half
//! full; else at the last sentence end (UAX 29), else line end, that leaves it a quarter full; else between
//! words; and only where a word (UAX 29) is longer than a chunk, inside it, between grapheme clusters. White
//! space around chunks is trimmed and nothing else is lost. The work is linear in text plus output.

mod blocks;
mod boundary;
mod heading;
mod markdown;
mod overlap;
mod prose;
mod run;
mod sentence;
mod settings;
mod space;
mod window;
mod word;

use std::ops::Range;
use std::sync::Arc;

use boundary::{Boundaries, Position};
use heading::HeadingPath;
use markdown::MarkdownBoundaries;
use prose::ProseBoundaries;
pub use settings::{Settings, SettingsError, Strategy};
use space::{skip_space, trim_space};
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
/// Memory is bounded by the chunk size, but for [`Strategy::Markdown`], which keeps a list of the blocks.
pub fn chunks<'a>(text: &'a str, settings: &Settings) -> impl Iterator<Item = Chunk> + 'a {
    // One chunk needs no boundary; for the other strategies there is none.
    let (whole, text) = match settings.strategy() {
        Strategy::None => (whole(text), ""),
        _ => (None, text),
    };
    // Beyond any text's length a size means the same; the cap keeps sums of sizes from overflowing.
    let most = isize::MAX as usize / 4;
    let (size, overlap) = (settings.size().min(most), settings.overlap().min(most - 1));
    let (boundaries, headings) = match settings.strategy() {
        Strategy::Text | Strategy::None => (Boundaries::Prose(ProseBoundaries::new(text)), Vec::new()),
        Strategy::Markdown => {
            let (marks, headings) = blocks::outline(text);
            (Boundaries::Markdown(MarkdownBoundaries::new(text, size, marks)), headings)
        }
    };
    let mut path = HeadingPath::new(headings);
    let windows = Windows::new(text, size, overlap, boundaries).map(move |window| Chunk {
        bytes: window.start.byte..window.end.byte,
        chars: window.start.char..window.end.char,
        heading: path.at(window.fresh.byte),
    });
    whole.into_iter().chain(windows)
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
