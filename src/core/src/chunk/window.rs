//! Windows over a stream of boundaries: where each chunk ends.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::boundary::{Boundaries, Boundary, Level, Position};
use super::heading::HeadingPath;
use super::limit::{Reach, parts_words};
use super::overlap::overlap_start;
use super::space::{forward, skip_blank};
use super::word::{WordEnd, last_grapheme_end, last_word_end};

/// A chunk's place, and the headings in force where its content goes beyond the chunk before.
pub(crate) struct Window {
    pub start: Position,
    pub end: Position,
    pub heading: Option<Arc<str>>,
}

pub(crate) struct Windows<'a> {
    reach: Rc<Reach<'a>>,
    boundaries: Boundaries<'a>,
    is_code: bool,
    path: HeadingPath,
    /// Boundaries from the current chunk's start to the first one out of its reach.
    pending: VecDeque<Boundary>,
    next: Next,
}

/// Where a chunk may lie, and the most characters it could have had.
struct Place {
    start: Position,
    cut: Boundary,
    size: usize,
}

enum Next {
    Begin,
    /// Start of the chunk, and the cut that ended the one before.
    From(Position, Boundary),
    Done,
}

impl<'a> Windows<'a> {
    pub(crate) fn new(reach: Rc<Reach<'a>>, boundaries: Boundaries<'a>, path: HeadingPath) -> Self {
        let is_code = matches!(boundaries, Boundaries::Code(_));
        Self { reach, boundaries, is_code, path, pending: VecDeque::new(), next: Next::Begin }
    }

    /// Where the chunk after `before` lies that starts at `start`, or later if nothing may be cut there.
    fn place(&mut self, start: Position, before: &Boundary, room: usize, divisible: bool) -> Option<Place> {
        let lower = before.end.char;
        for (start, force) in [(start, false), (before.start, true)] {
            let size = self.reach.size_at(start, room, divisible);
            self.read(start, size);
            if let Some(cut) = self.cut(start, lower, size, force) {
                return Some(Place { start, cut, size });
            }
        }
        None
    }

    /// Reads ahead to the first boundary out of reach of a chunk of `size` characters that starts at `start`.
    fn read(&mut self, start: Position, size: usize) {
        while self.pending.front().is_some_and(|boundary| boundary.start.char < start.char) {
            self.pending.pop_front();
        }
        let limit = start.char + size;
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
    fn cut(&self, start: Position, lower: usize, size: usize, force: bool) -> Option<Boundary> {
        let text = self.reach.text;
        let limit = start.char + size;
        let lower = lower.max(start.char);
        let (mut section, mut paragraph, mut sentence, mut line) = (None, None, None, None);
        // A definition that would be divided begins its own chunk, however little is before it.
        let mut small = None;
        if let Some(topic) = self.topic(start, lower, size) {
            return Some(topic);
        }
        let reach = self.pending.iter().rev().skip_while(|boundary| boundary.end.char > limit);
        for boundary in reach.clone().take_while(|boundary| boundary.end.char > lower) {
            let filled = boundary.end.char - start.char;
            match boundary.level {
                Level::End => return Some(*boundary),
                Level::Section if filled * 4 < size && self.is_code => {
                    small = Some(boundary);
                    break;
                }
                _ if filled * 4 < size && !self.is_code => break,
                _ if filled * 4 < size => {}
                Level::Division | Level::Word | Level::Strand => {}
                level => {
                    line = line.or(Some(boundary));
                    if level >= Level::Sentence {
                        sentence = sentence.or(Some(boundary));
                    }
                    if level >= Level::Paragraph && (self.is_code || filled * 2 >= size) {
                        paragraph = paragraph.or(Some(boundary));
                    }
                    if level == Level::Section {
                        section = Some(boundary);
                        break;
                    }
                }
            }
        }
        if let Some(boundary) = section.or(paragraph).or(small).or(sentence).or(line) {
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
        let end = forward(text, base, limit.saturating_sub(base.char));
        let divided =
            |end| Boundary { end, start: skip_blank(text, end), level: Level::Division, atomic: false };
        match last_word_end(text, base, end, lower, start.char + size / 2, size) {
            WordEnd::At(end, start) => Some(Boundary { end, start, level: Level::Word, atomic: false }),
            _ if whole.is_some() => whole,
            WordEnd::Overlong(word) => last_grapheme_end(text, word, end, lower, size, force).map(divided),
            WordEnd::Fits if force => last_grapheme_end(text, base, end, lower, size, force).map(divided),
            WordEnd::Fits => None,
        }
    }

    /// The first change of topic that leaves a chunk an eighth full.
    fn topic(&self, start: Position, lower: usize, size: usize) -> Option<Boundary> {
        let reach = self.pending.iter().take_while(|boundary| boundary.end.char <= start.char + size);
        let mut topics = reach.filter(|boundary| boundary.level == Level::Topic && boundary.end.char > lower);
        topics.find(|boundary| (boundary.end.char - start.char) * 8 >= size).copied()
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
        let (start, before) = match std::mem::replace(&mut self.next, Next::Done) {
            Next::Begin => {
                let first = self.boundaries.next()?;
                self.pending.push_back(first);
                (first.start, first)
            }
            Next::From(start, cut) => (start, cut),
            Next::Done => return None,
        };
        let heading = self.path.at(before.start.byte);
        let room = self.reach.room(heading.as_deref());
        let mut place = self.place(start, &before, room, false)?;
        let text = self.reach.text;
        // Between words the count is known.
        let divides = place.cut.level != Level::End && !text[place.cut.end.byte..].starts_with(parts_words);
        if divides && !self.reach.holds(&text[place.start.byte..place.cut.end.byte], room) {
            place = self.place(place.start, &before, room, true)?;
        }
        let Place { start, cut, size } = place;
        let passage = &text[start.byte..cut.end.byte];
        if text[start.byte.max(before.end.byte)..cut.end.byte].trim_start().is_empty() {
            // Where not even a space and its combining mark fit they are divided; the space alone is no chunk.
            self.next = Next::From(cut.end, cut);
            return self.next();
        }
        if cut.level != Level::End && cut.start.byte < text.len() {
            let overlap = self.reach.overlap_of(passage, size, room);
            let mut next = overlap_start(text, &self.pending, start, &cut, size, overlap);
            if next.byte < cut.end.byte
                && !self.reach.may_share(&text[..next.byte], &text[next.byte..cut.end.byte], room)
            {
                next = cut.start;
            }
            // A chunk that ends within a line or sentence adds nothing to the next one if that has it from its beginning.
            if cut.level < before.level && next.char <= before.start.char {
                self.next = Next::From(next, before);
                return self.next();
            }
            self.next = Next::From(next, cut);
        }
        Some(Window { start, end: cut.end, heading })
    }
}
