//! Places where a text may be cut, and how good each is.

/// A place in the text, counted both in bytes and in characters (Unicode scalar values), from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub byte: usize,
    pub char: usize,
}

/// How good a cut is, worst first. The first two are only looked up in windows that have nothing better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Inside a word (or grapheme cluster) longer than a chunk.
    HardBreak,
    Word,
    /// A cut here would separate a heading (or the header row of a table) from what follows it.
    Orphan,
    Line,
    Sentence,
    Paragraph,
    /// Before a heading or a top-level definition.
    Section,
    /// Where the topic changes.
    Topic,
    /// The end of a page (U+000C). No chunk extends beyond it.
    Page,
    /// The end of the text.
    End,
}

/// A gap between two pieces of content: the white space between them (possibly none) belongs to neither.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    /// End of the content before.
    pub end: Position,
    /// Start of the content after.
    pub start: Position,
    pub level: Level,
    /// The content up to the next boundary fits into a chunk and must not be divided (a fenced block, a table
    /// row, a line of a program).
    pub atomic: bool,
}

impl Boundary {
    /// The first character of the content: nothing lies before it.
    pub(crate) fn first(at: Position) -> Self {
        Self { end: at, start: at, level: Level::Orphan, atomic: false }
    }
}
