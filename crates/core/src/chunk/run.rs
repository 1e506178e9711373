//! Runs of content without white space, and the words (UAX 29) within them.

use unicode_segmentation::UnicodeSegmentation;

use super::boundary::Position;
use super::space::{NARROW_NO_BREAK_SPACE, after, forward, is_space};

/// A UAX 29 word boundary that is also a grapheme boundary. (SARA AM, for example, is a word of its own but
/// part of the preceding cluster.)
pub(crate) struct Piece {
    pub start: Position,
    /// No narrow no-break space is adjacent. No chunk begins or ends with one, and it is the only white space
    /// that a run of content may contain.
    pub bare: bool,
    pub previous: char,
    pub next: char,
}

/// Word boundaries of `slice`, which begins at `from`, including `from` itself.
pub(crate) fn pieces(slice: &str, from: Position) -> impl Iterator<Item = Piece> + '_ {
    let mut clusters = slice.grapheme_indices(true).map(|(at, _)| at).peekable();
    let (mut start, mut previous) = (from, ' ');
    slice.split_word_bounds().filter_map(move |word| {
        let offset = start.byte - from.byte;
        while clusters.next_if(|&at| at < offset).is_some() {}
        let next = word.chars().next().unwrap_or(' ');
        let bare = !previous.is_whitespace() && next != NARROW_NO_BREAK_SPACE;
        let piece = Piece { start, bare, previous, next };
        start = Position { byte: start.byte + word.len(), char: start.char + word.chars().count() };
        previous = word.chars().next_back().unwrap_or(' ');
        (clusters.peek() == Some(&offset)).then_some(piece)
    })
}

/// Whether the run without white space that begins at `run`, known to extend to `known`, is at most `size`
/// long.
pub(crate) fn run_fits(text: &str, run: Position, known: Position, size: usize) -> bool {
    run_end(text, known, forward(text, run, size + 1)).char - run.char <= size
}

/// End of the run without white space that extends to `from`; not after `ceiling`.
pub(crate) fn run_end(text: &str, from: Position, ceiling: Position) -> Position {
    let mut at = from;
    for c in text.get(from.byte..ceiling.byte).unwrap_or("").chars() {
        if is_space(text, at.byte, c) {
            break;
        }
        at = after(at, c);
    }
    at
}

/// Start of the run without white space that contains the character before `at`; not before `base`.
pub(crate) fn run_start(text: &str, at: Position, base: Position) -> Position {
    let mut start = at;
    for c in text[base.byte..at.byte].chars().rev() {
        let before = Position { byte: start.byte - c.len_utf8(), char: start.char - 1 };
        if is_space(text, before.byte, c) {
            break;
        }
        start = before;
    }
    start
}

/// Whether there is white space at `at`.
pub(crate) fn space_at(text: &str, at: Position) -> bool {
    text[at.byte..].chars().next().is_some_and(|c| is_space(text, at.byte, c))
}
