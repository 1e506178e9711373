//! Windows over a stream of boundaries: where each chunk ends.

use std::collections::VecDeque;

use super::boundary::{Boundaries, Boundary, Level, Position};
use super::overlap::overlap_start;
use super::space::{forward, skip_blank};
use super::word::{WordEnd, last_grapheme_end, last_word_end};

/// A chunk's place, and where its content goes beyond the chunk before.
pub(crate) struct Window {
    pub start: Position,
    pub end: Position,
    pub fresh: Position,
}

pub(crate) struct Windows<'a> {
    text: &'a str,
    size: usize,
    overlap: usize,
    boundaries: Boundaries<'a>,
    /// Boundaries from the current chunk's start to the first one out of its reach.
    pending: VecDeque<Boundary>,
    next: Next,
}

enum Next {
    Begin,
    /// Start of the chunk, and the cut that ended the one before.
    From(Position, Boundary),
    Done,
}

impl<'a> Windows<'a> {
    pub(crate) fn new(text: &'a str, size: usize, overlap: usize, boundaries: Boundaries<'a>) -> Self {
        Self { text, size, overlap, boundaries, pending: VecDeque::new(), next: Next::Begin }
    }

    /// Reads ahead to the first boundary out of reach of a chunk that starts at `start`.
    fn read(&mut self, start: Position) {
        while self.pending.front().is_some_and(|boundary| boundary.start.char < start.char) {
            self.pending.pop_front();
        }
        let limit = start.char + self.size;
        while self.pending.back().is_none_or(|last| last.end.char <= limit && last.level != Level::End) {
            match self.boundaries.next() {
                Some(boundary) if boundary.start.char >= start.char => self.pending.push_back(boundary),
                Some(_) => {}
                None => break,
            }
        }
    }

    /// The best cut for a chunk that starts at `start` and must end beyond character `lower`. None: nothing
    /// may be cut there unless the chunk starts later; `force` cuts a word or cluster rather than that.
    fn cut(&self, start: Position, lower: usize, force: bool) -> Option<Boundary> {
        let limit = start.char + self.size;
        let lower = lower.max(start.char);
        let (mut section, mut paragraph, mut sentence, mut line) = (None, None, None, None);
        let reach = self.pending.iter().rev().skip_while(|boundary| boundary.end.char > limit);
        for boundary in reach.clone().take_while(|boundary| boundary.end.char > lower) {
            let filled = boundary.end.char - start.char;
            match boundary.level {
                Level::End => return Some(*boundary),
                _ if filled * 4 < self.size => break,
                Level::Division | Level::Word | Level::Strand => {}
                level => {
                    line = line.or(Some(boundary));
                    if level >= Level::Sentence {
                        sentence = sentence.or(Some(boundary));
                    }
                    if level >= Level::Paragraph && filled * 2 >= self.size {
                        paragraph = paragraph.or(Some(boundary));
                    }
                    if level == Level::Section {
                        section = Some(boundary);
                        break;
                    }
                }
            }
        }
        if let Some(boundary) = section.or(paragraph).or(sentence).or(line) {
            return Some(*boundary);
        }
        let last = reach.clone().next();
        let whole = last
            .filter(|boundary| boundary.end.char > lower)
            .map(|boundary| self.unstranded(boundary, lower));
        if let Some(boundary) = last
            && (boundary.atomic || boundary.start.char >= limit)
            && (whole.is_some() || !force)
        {
            return whole;
        }
        let base = last.map_or(start, |boundary| boundary.start);
        let end = forward(self.text, base, limit.saturating_sub(base.char));
        let divided =
            |end| Boundary { end, start: skip_blank(self.text, end), level: Level::Division, atomic: false };
        match last_word_end(self.text, base, end, lower, start.char + self.size / 2, self.size) {
            WordEnd::At(end, start) => Some(Boundary { end, start, level: Level::Word, atomic: false }),
            _ if whole.is_some() => whole,
            WordEnd::Overlong(word) => {
                last_grapheme_end(self.text, word, end, lower, self.size, force).map(divided)
            }
            WordEnd::Fits if force => {
                last_grapheme_end(self.text, base, end, lower, self.size, force).map(divided)
            }
            WordEnd::Fits => None,
        }
    }

    /// A heading that would be the last thing in a chunk goes to the next one, if that leaves anything.
    fn unstranded(&self, cut: &Boundary, lower: usize) -> Boundary {
        let earlier = self.pending.iter().rev().skip_while(|boundary| boundary.end.char > cut.end.char);
        let above = earlier.clone().find(|boundary| boundary.level > Level::Strand);
        *above.filter(|boundary| boundary.end.char > lower).unwrap_or(cut)
    }
}

impl Iterator for Windows<'_> {
    type Item = Window;

    fn next(&mut self) -> Option<Window> {
        let (mut start, before) = match std::mem::replace(&mut self.next, Next::Done) {
            Next::Begin => {
                let first = self.boundaries.next()?;
                self.pending.push_back(first);
                (first.start, first)
            }
            Next::From(start, cut) => (start, cut),
            Next::Done => return None,
        };
        let (fresh, lower) = (before.start, before.end.char);
        self.read(start);
        let mut cut = self.cut(start, lower, false);
        if cut.is_none() {
            start = fresh;
            self.read(start);
            cut = self.cut(start, lower, true);
        }
        let cut = cut?;
        if cut.end.char == start.char + 1 && self.text[start.byte..cut.end.byte].trim().is_empty() {
            // With size 1 even a space and its combining mark are divided; a blank chunk is none.
            self.next = Next::From(cut.end, cut);
            return self.next();
        }
        if cut.level != Level::End && cut.start.byte < self.text.len() {
            let next = overlap_start(self.text, &self.pending, start, &cut, self.size, self.overlap);
            self.next = Next::From(next, cut);
        }
        Some(Window { start, end: cut.end, fresh })
    }
}
