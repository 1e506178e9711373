//! Words and graphemes (UAX 29), only looked up in windows that have no better boundary.
//!
//! No look-up reads more than about two chunk sizes, however long a word or a grapheme cluster is: beyond
//! that, it is longer than a chunk anyway. This keeps chunking linear.

use unicode_segmentation::UnicodeSegmentation;

use super::boundary::Position;
use super::run::{pieces, run_end, run_fits, run_start, space_at};
use super::space::{after, back, forward, is_space, skip_space, trim_space};

/// Where a window may end, below the level of lines.
pub(crate) enum WordEnd {
    /// End of the chunk and start of the content after it.
    At(Position, Position),
    /// The word that crosses the limit fits into a chunk: it must not be divided.
    Fits,
    /// There is no usable end before a word that fits into no chunk and begins here.
    Overlong(Position),
}

/// The last word boundary in `(base, limit]` beyond character `lower`. `base` is the start of some content.
///
/// White space is best. A run without white space is divided (at UAX 29 words) only if it is longer than
/// `size` itself. Then a place after punctuation is preferred from character `half` on, or else one that does
/// not separate a word from the punctuation after it.
pub(crate) fn last_word_end(
    text: &str,
    base: Position,
    limit: Position,
    lower: usize,
    half: usize,
    size: usize,
) -> WordEnd {
    let run = if space_at(text, limit) { limit } else { run_start(text, limit, base) };
    let gap = trim_space(text, run, base.byte);
    let usable = gap.char > lower.max(base.char);
    let gap_end = || WordEnd::At(gap, skip_space(text, gap));
    if run_fits(text, run, limit, size) {
        return if usable { gap_end() } else { WordEnd::Fits };
    }
    let run_end = run_end(text, limit, forward(text, run, 2 * size + 1));
    let slice = &text[run.byte..run_end.byte];
    let (mut clause, mut tidy, mut any) = (None, None, None);
    let (mut straddler, mut straddler_end) = (run, run_end.char);
    for piece in pieces(slice, run) {
        let at = piece.start;
        if at.char > limit.char {
            straddler_end = at.char;
            break;
        }
        straddler = at;
        if at.char > lower.max(run.char) && piece.bare {
            any = Some(at);
            let starts_word = piece.next.is_alphanumeric();
            if starts_word {
                tidy = Some(at);
            }
            if starts_word && at.char >= half && !piece.previous.is_alphanumeric() {
                clause = Some(at);
            }
        }
    }
    match clause.or(tidy).or(any) {
        Some(at) => WordEnd::At(at, at),
        None if usable => gap_end(),
        None if straddler_end - straddler.char <= size => WordEnd::Fits,
        None => WordEnd::Overlong(straddler),
    }
}

/// The last grapheme boundary in `(lower, limit]` of an overlong word that begins at `word`, or `limit` if a
/// single cluster is longer than `size` (or with `force`). None: the cluster fits into a chunk.
pub(crate) fn last_grapheme_end(
    text: &str,
    word: Position,
    limit: Position,
    lower: usize,
    size: usize,
    force: bool,
) -> Option<Position> {
    let slice = &text[word.byte..forward(text, word, 2 * size + 1).byte];
    let (mut at, mut best) = (word, None);
    for cluster in slice.graphemes(true) {
        let length = cluster.chars().count();
        let end = Position { byte: at.byte + cluster.len(), char: at.char + length };
        if end.char > limit.char {
            let divisible = force || length > size;
            let early = before_flag(text, limit);
            let place = if early.char > lower || !(force || size == 1) { early } else { limit };
            // A cut before the word would leave white space at the end of the chunk.
            let begun = force || place.char > word.char;
            return best.or((divisible && begun && place.char > lower).then_some(place));
        }
        if end.char > lower && !cluster.chars().all(char::is_whitespace) {
            best = Some(end);
        }
        at = end;
    }
    best
}

/// `at`, or the character before it if `at` would divide a flag (two regional indicators). Such a cut would
/// pair the remaining flags in a row wrongly.
fn before_flag(text: &str, at: Position) -> Position {
    let indicator = |c: Option<char>| c.is_some_and(|c| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c));
    let divides = indicator(text[..at.byte].chars().next_back()) && indicator(text[at.byte..].chars().next());
    if divides { back(text, at, 1) } else { at }
}

/// The character where the first unit that begins at `from` ends: what a chunk must contain to extend beyond
/// `from`. 0 if that is within `easy` characters; None if not even a grapheme cluster fits into `size`.
/// `divided`: a word was cut at `from`, so a cluster is enough.
pub(crate) fn first_unit_end(
    text: &str,
    from: Position,
    easy: usize,
    size: usize,
    divided: bool,
) -> Option<usize> {
    let fitting = |unit: Option<&str>| unit.map(|u| u.chars().count()).filter(|&length| length <= size);
    if divided {
        let slice = &text[from.byte..forward(text, from, size + 1).byte];
        return fitting(slice.graphemes(true).next()).map(|length| from.char + length);
    }
    let mut at = from;
    for c in text[from.byte..].chars().take(size + 1) {
        if is_space(text, at.byte, c) {
            return Some(if at.char - from.char <= easy { 0 } else { at.char });
        }
        at = after(at, c);
    }
    if at.char - from.char <= size {
        return Some(at.char);
    }
    let slice = &text[from.byte..at.byte];
    let word = pieces(slice, from).nth(1).map(|next| next.start.char - from.char);
    word.or_else(|| fitting(slice.graphemes(true).next())).map(|length| from.char + length)
}

/// Where in `[low, cut)`, a stretch without white space, a chunk may start. In a run that fits into `size`,
/// only between two letters, which UAX 29 separates only in scripts written without spaces. `base` is the
/// start of the chunk that ends at `cut`.
pub(crate) fn first_word_start(
    text: &str,
    base: Position,
    low: Position,
    cut: Position,
    size: usize,
) -> Option<Position> {
    let run = run_start(text, low, base);
    let overlong = !run_fits(text, run, cut, size);
    let slice = &text[run.byte..run_end(text, cut, forward(text, cut, size)).byte];
    let mut word = run;
    for piece in pieces(slice, run) {
        let at = piece.start;
        if at.char > cut.char {
            // The cut is inside a word, so the word is overlong: start at any of its clusters.
            return pieces_of_word(text, word, low, cut);
        }
        if at.char == cut.char {
            return None;
        }
        word = at;
        let between_letters = piece.previous.is_alphabetic() && piece.next.is_alphabetic();
        let fair = between_letters || (overlong && piece.next.is_alphanumeric());
        if at.char >= low.char && at.char > base.char && piece.bare && fair {
            return Some(at);
        }
    }
    // Either the run ends at the cut, or the rest of it is one overlong word.
    if space_at(text, cut) { None } else { pieces_of_word(text, word, low, cut) }
}

fn pieces_of_word(text: &str, word: Position, low: Position, cut: Position) -> Option<Position> {
    let mut at = word;
    for cluster in text[word.byte..cut.byte].graphemes(true) {
        if at.char >= low.char && at.char > word.char && !cluster.chars().all(char::is_whitespace) {
            return Some(at);
        }
        at = Position { byte: at.byte + cluster.len(), char: at.char + cluster.chars().count() };
    }
    None
}
