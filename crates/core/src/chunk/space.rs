//! White space, and moving over it.

use unicode_segmentation::UnicodeSegmentation;

use super::boundary::Position;

/// Whether `c`, the character at byte `at`, is white space that may be trimmed and separates words. White
/// space that carries a combining mark (and forms a grapheme cluster with it) is content. A narrow no-break
/// space joins Mongolian suffixes to their word.
pub(crate) fn is_space(text: &str, at: usize, c: char) -> bool {
    is_blank(text, at, c) && !(c == NARROW_NO_BREAK_SPACE && joins_words(text, at))
}

/// The same, where a word is divided: there, such a space is ordinary white space.
fn is_blank(text: &str, at: usize, c: char) -> bool {
    c.is_whitespace() && !joins_next(text, at, c)
}

pub(crate) const NARROW_NO_BREAK_SPACE: char = '\u{202f}';

/// Whether the narrow no-break space at byte `at` is inside a word (UAX 29 rules WB13a and WB13b). Only looks
/// back over a letter and a few marks.
fn joins_words(text: &str, at: usize) -> bool {
    let before: usize = text[..at].chars().rev().take(8).map(char::len_utf8).sum();
    let after: usize = text[at..].chars().take(2).map(char::len_utf8).sum();
    let mut words = text[at - before..at + after].split_word_bound_indices();
    words.all(|(start, _)| start != before && start != before + NARROW_NO_BREAK_SPACE.len_utf8())
        && before > 0
        && after > NARROW_NO_BREAK_SPACE.len_utf8()
}

/// Whether `c`, the character at byte `at`, forms one grapheme cluster with the next character, judged from
/// these two alone (exact for white space and punctuation).
pub(crate) fn joins_next(text: &str, at: usize, c: char) -> bool {
    let after = at + c.len_utf8();
    match text[after..].chars().next() {
        None => false,
        Some(next) if begins_cluster(next) => false,
        Some(next) => text[at..after + next.len_utf8()].graphemes(true).nth(1).is_none(),
    }
}

/// Letters, ideographs and punctuation known to start a cluster of their own after white space or
/// punctuation. Saves the table look-up for most texts. Not complete.
fn begins_cluster(c: char) -> bool {
    matches!(c, '\0'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{58f}' | '\u{5d0}'..='\u{5ea}'
        | '\u{620}'..='\u{64a}' | '\u{904}'..='\u{939}' | '\u{e01}'..='\u{e30}' | '\u{2010}'..='\u{2027}'
        | '\u{3000}'..='\u{3029}' | '\u{3041}'..='\u{3096}' | '\u{30a0}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff60}')
}

/// The first position at or after `from` that is not white space.
pub(crate) fn skip_space(text: &str, from: Position) -> Position {
    let mut at = from;
    for c in text[from.byte..].chars() {
        if !is_space(text, at.byte, c) {
            break;
        }
        at = after(at, c);
    }
    at
}

/// The first position at or after `from` that is not white space, inside a word divided there.
pub(crate) fn skip_blank(text: &str, from: Position) -> Position {
    let mut at = from;
    for c in text[from.byte..].chars() {
        if !is_blank(text, at.byte, c) {
            break;
        }
        at = after(at, c);
    }
    at
}

/// `from`, moved back over the white space before it, but not beyond byte `floor`.
pub(crate) fn trim_space(text: &str, from: Position, floor: usize) -> Position {
    let mut at = from;
    for c in text[floor..from.byte].chars().rev() {
        let before = Position { byte: at.byte - c.len_utf8(), char: at.char - 1 };
        if !is_space(text, before.byte, c) {
            break;
        }
        at = before;
    }
    at
}

/// The position after the character `c` at `at`.
pub(crate) fn after(at: Position, c: char) -> Position {
    Position { byte: at.byte + c.len_utf8(), char: at.char + 1 }
}

/// `from`, moved forward by at most `count` characters.
pub(crate) fn forward(text: &str, from: Position, count: usize) -> Position {
    let rest = &text[from.byte..];
    match rest.char_indices().nth(count) {
        Some((offset, _)) => Position { byte: from.byte + offset, char: from.char + count },
        None => Position { byte: text.len(), char: from.char + rest.chars().count() },
    }
}

/// `from`, moved back by at most `count` characters.
pub(crate) fn back(text: &str, from: Position, count: usize) -> Position {
    if count == 0 {
        return from;
    }
    match text[..from.byte].char_indices().nth_back(count - 1) {
        Some((byte, _)) => Position { byte, char: from.char - count },
        None => Position { byte: 0, char: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_cut_agrees_with_the_tables() {
        for c in (0..=0x2ffff).filter_map(char::from_u32).filter(|&c| begins_cluster(c)) {
            for base in [' ', '\u{a0}', '\u{3000}', '.', '\u{3002}', '\u{201d}'] {
                let pair = format!("{base}{c}");
                assert_eq!(pair.graphemes(true).count(), 2, "{base:?} {c:?}");
            }
        }
    }

    #[test]
    fn marked_space_is_content() {
        assert!(is_space(" a", 0, ' '));
        assert!(!is_space(" \u{301}", 0, ' '));
        assert!(is_space("\n\u{301}", 0, '\n'), "a mark never joins a line end");
    }
}
