//! Boundaries of plain text, found in one forward pass.

use unicode_segmentation::UnicodeSegmentation;

use super::PAGE_END;
use super::boundary::{Boundary, Level, Position};
use super::sentence::{ends_sentence, is_closer, is_terminal};
use super::space::{after, is_space, joins_next, skip_space};

/// Paragraph, sentence and line ends of a text.
pub(crate) struct ProseBoundaries<'a> {
    text: &'a str,
    at: Position,
    stage: Stage,
    check_interrupts: fn(),
    /// Steps until the next check for interrupts.
    steps: usize,
}

/// Words, spaces and characters beyond ASCII between two calls of `check_interrupts`.
const STEPS_BETWEEN_CHECKS: usize = 4096;

#[derive(PartialEq)]
enum Stage {
    Before,
    Within,
    Done,
}

impl<'a> ProseBoundaries<'a> {
    /// `check_interrupts` is called now and then while a boundary is far away.
    pub(crate) fn new(text: &'a str, check_interrupts: fn()) -> Self {
        Self { text, at: Position { byte: 0, char: 0 }, stage: Stage::Before, check_interrupts, steps: 0 }
    }

    /// The gap at `self.at`, all of it white space. None if it is not a boundary of any level.
    fn gap(&mut self) -> Option<Boundary> {
        let end = self.at;
        let (start, breaks, page_ends) = skip_gap(self.text, end);
        self.at = start;
        let level = if start.byte == self.text.len() {
            self.stage = Stage::Done;
            Level::End
        } else if page_ends {
            Level::Page
        } else if breaks >= 2 {
            Level::Paragraph
        } else if ends_sentence(&self.text[..end.byte], &self.text[start.byte..], breaks == 1) {
            Level::Sentence
        } else if breaks == 1 {
            Level::Line
        } else {
            return None;
        };
        Some(Boundary { end, start: if level == Level::End { end } else { start }, level, atomic: false })
    }

    /// A sentence end without white space after it, as Chinese and Japanese write it. Only full stops and
    /// closing marks that cannot stand inside a word (UAX 29) count, so no word is divided.
    fn unspaced_end(&self, at: Position, c: char) -> Option<Boundary> {
        let end = after(at, c);
        let next = self.text[end.byte..].chars().next()?;
        let goes_on = next.is_whitespace()
            || is_closer(next)
            || is_terminal(next)
            || matches!(next, '、' | '，' | '；' | '：' | ',' | ';' | ':')
            || joins_next(self.text, at.byte, c)
            || self.text[at.byte..end.byte + next.len_utf8()].split_word_bounds().nth(1).is_none();
        (!goes_on).then_some(Boundary { end, start: end, level: Level::Sentence, atomic: false })
    }
}

impl Iterator for ProseBoundaries<'_> {
    type Item = Boundary;

    fn next(&mut self) -> Option<Boundary> {
        if self.stage == Stage::Done {
            return None;
        }
        if self.stage == Stage::Before {
            self.stage = Stage::Within;
            self.at = skip_space(self.text, self.at);
            if self.at.byte == self.text.len() {
                self.stage = Stage::Done;
                return None;
            }
            return Some(Boundary::first(self.at));
        }
        // True after a full stop of a script written without spaces, and through closing marks.
        let mut sentence_over = false;
        loop {
            self.steps += 1;
            if self.steps == STEPS_BETWEEN_CHECKS {
                self.steps = 0;
                (self.check_interrupts)();
            }
            let plain = plain_ascii(&self.text.as_bytes()[self.at.byte..]);
            self.at = Position { byte: self.at.byte + plain, char: self.at.char + plain };
            sentence_over &= plain == 0;
            let Some(c) = self.text[self.at.byte..].chars().next() else {
                self.stage = Stage::Done;
                return Some(Boundary { end: self.at, start: self.at, level: Level::End, atomic: false });
            };
            if is_space(self.text, self.at.byte, c) {
                if let Some(gap) = self.gap() {
                    return Some(gap);
                }
                sentence_over = false;
                continue;
            }
            let at = self.at;
            self.at = after(at, c);
            sentence_over = is_unspaced_terminal(c) || (sentence_over && is_unspaced_closer(c));
            if sentence_over && let Some(end) = self.unspaced_end(at, c) {
                return Some(end);
            }
        }
    }
}

/// The number of ASCII characters at the start, up to the first white space.
fn plain_ascii(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|b| !(0x21..0x80).contains(b) && !matches!(b, 0..=8 | 14..=31))
        .unwrap_or(bytes.len())
}

/// Skips white space from `from` on, counts its line breaks, and says whether a page ends in it. A separator of
/// paragraphs counts as 2 breaks.
fn skip_gap(text: &str, from: Position) -> (Position, usize, bool) {
    let (mut at, mut breaks, mut page_ends, mut previous) = (from, 0, false, ' ');
    for c in text[from.byte..].chars() {
        if !is_space(text, at.byte, c) {
            break;
        }
        breaks += match c {
            '\n' if previous == '\r' => 0,
            '\n' | '\r' | '\u{b}' | '\u{85}' | '\u{2028}' => 1,
            '\u{2029}' => 2,
            _ => 0,
        };
        page_ends |= c == PAGE_END;
        previous = c;
        at = after(at, c);
    }
    (at, breaks, page_ends)
}

fn is_unspaced_terminal(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡')
}

fn is_unspaced_closer(c: char) -> bool {
    matches!(c, '」' | '』' | '）' | '】' | '》' | '〉' | '〕' | '”' | '’')
}
