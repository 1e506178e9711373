//! Where the next chunk starts, that is, how much of the previous chunk it repeats.

use std::collections::VecDeque;

use super::boundary::{Boundary, Level, Position};
use super::space::{after, back, is_space, skip_space};
use super::word::{first_unit_end, first_word_start};

/// The start of the chunk after the one from `start` to `cut`. It is at most `overlap` characters before the
/// cut's end and later than `start`, and a chunk of `size` characters from there can extend beyond the cut.
pub(crate) fn overlap_start(
    text: &str,
    pending: &VecDeque<Boundary>,
    start: Position,
    cut: &Boundary,
    size: usize,
    overlap: usize,
) -> Position {
    let end = cut.end.char;
    if overlap == 0 || cut.level >= Level::Section {
        return cut.start;
    }
    let unit_end = if cut.atomic {
        pending.iter().find(|boundary| boundary.start.char > cut.start.char).map(|boundary| boundary.end.char)
    } else {
        // White space between the two also lies inside the chunk.
        let easy = (size - overlap).saturating_sub(cut.start.char - end);
        first_unit_end(text, cut.start, easy, size, cut.level == Level::HardBreak)
    };
    let Some(unit_end) = unit_end else {
        return cut.start;
    };
    let low = end.saturating_sub(overlap).max(start.char + 1).max(unit_end.saturating_sub(size));
    if low >= end {
        return cut.start;
    }
    let shared = pending.iter().filter(|boundary| boundary.start.char >= low && boundary.start.char < end);
    if let Some(section) = shared.clone().rfind(|boundary| boundary.level >= Level::Section) {
        return section.start;
    }
    let early = shared.clone().filter(|boundary| boundary.start.char <= end.saturating_sub(overlap / 2));
    let best = early.clone().find(|boundary| boundary.level >= Level::Sentence);
    if let Some(boundary) = best.or_else(|| early.clone().find(|boundary| boundary.level == Level::Line)) {
        return boundary.start;
    }
    let next = shared.clone().next().map(|boundary| boundary.start);
    let around = pending.iter().take_while(|boundary| boundary.start.char < low).last();
    if around.is_some_and(|boundary| boundary.atomic) {
        return next.unwrap_or(cut.start);
    }
    let low = back(text, cut.end, end - low);
    let spaced = word_start(text, low, cut.end);
    match (spaced, next) {
        (Some(word), Some(next)) if next.char < word.char => next,
        (Some(word), _) => word,
        (None, Some(next)) => next,
        (None, None) => first_word_start(text, start, low, cut.end, size).unwrap_or(cut.start),
    }
}

/// The first content after white space in `[low, end)`.
fn word_start(text: &str, low: Position, end: Position) -> Option<Position> {
    let previous = text[..low.byte].chars().next_back()?;
    let mut at = low;
    if !is_space(text, low.byte - previous.len_utf8(), previous) {
        for c in text[low.byte..end.byte].chars() {
            if is_space(text, at.byte, c) {
                break;
            }
            at = after(at, c);
        }
    }
    let word = skip_space(text, at);
    (word.char < end.char).then_some(word)
}
