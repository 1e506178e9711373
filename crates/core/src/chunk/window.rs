//! Windows over a stream of boundaries: where each chunk ends.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::PAGE_END;
use super::boundary::{Boundary, Level, Position};
use super::code::CodeBoundaries;
use super::csv::CsvMarks;
use super::heading::HeadingPath;
use super::limit::{Before, Limits, parts_words};
use super::markdown::BlockBoundaries;
use super::outline::Outline;
use super::overlap::overlap_start;
use super::prose::ProseBoundaries;
use super::space::{forward, skip_blank};
use super::table::TableContext;
use super::topic::TopicBoundaries;
use super::word::{WordEnd, last_grapheme_end, last_word_end};

/// Boundaries of level [`Level::Orphan`] to [`Level::End`] in ascending order: first the start of the
/// content, last its end. A blank text has none.
pub(crate) enum Boundaries<'a> {
    Prose(ProseBoundaries<'a>),
    Markdown(BlockBoundaries<'a, Outline<'a>>),
    Csv(BlockBoundaries<'a, CsvMarks<'a>>),
    Code(CodeBoundaries<'a>),
    Topic(TopicBoundaries<'a>),
}

impl Iterator for Boundaries<'_> {
    type Item = Boundary;

    fn next(&mut self) -> Option<Boundary> {
        match self {
            Self::Prose(prose) => prose.next(),
            Self::Markdown(markdown) => markdown.next(),
            Self::Csv(records) => records.next(),
            Self::Code(code) => code.next(),
            Self::Topic(topic) => topic.next(),
        }
    }
}

/// A chunk's place, the headings in force where its content extends beyond the previous chunk, and the header of the table in
/// which it begins.
pub(crate) struct Window {
    pub start: Position,
    pub end: Position,
    pub heading: Option<Arc<str>>,
    pub context: Option<Arc<str>>,
}

pub(crate) struct Windows<'a> {
    limits: Rc<Limits<'a>>,
    boundaries: Boundaries<'a>,
    is_code: bool,
    has_pages: bool,
    path: HeadingPath,
    tables: TableContext<'a>,
    /// Boundaries from the current chunk's start to the first one beyond its limit.
    pending: VecDeque<Boundary>,
    next: Next,
}

/// A possible place of a chunk, the most characters and tokens it could have had, and the header of its table.
struct Place {
    start: Position,
    cut: Boundary,
    size: usize,
    budget: usize,
    context: Option<Arc<str>>,
}

enum Next {
    Begin,
    /// Start of the chunk, and the cut that ended the previous one.
    From(Position, Boundary),
    Done,
}

impl<'a> Windows<'a> {
    pub(crate) fn new(
        limits: Rc<Limits<'a>>,
        boundaries: Boundaries<'a>,
        path: HeadingPath,
        tables: TableContext<'a>,
    ) -> Self {
        let is_code = matches!(boundaries, Boundaries::Code(_));
        let has_pages = limits.text.contains(PAGE_END);
        let pending = VecDeque::new();
        Self { limits, boundaries, is_code, has_pages, path, tables, pending, next: Next::Begin }
    }

    /// The place of the chunk after `before` that starts at `start`, or later if no cut is allowed there.
    fn place(
        &mut self,
        start: Position,
        before: &Boundary,
        heading: Option<&str>,
        divisible: bool,
    ) -> Option<Place> {
        let lower = before.end.char;
        for (start, force) in [(start, false), (before.start, true)] {
            let context = self.tables.at(start.byte);
            let budget = self.limits.budget(Before { heading, context: context.as_deref() });
            let size = self.limits.size_at(start, budget, divisible);
            self.read(start, size);
            if let Some(cut) = self.cut(start, lower, size, force) {
                return Some(Place { start, cut, size, budget, context });
            }
        }
        None
    }

    /// Reads ahead to the first boundary beyond a chunk of `size` characters that starts at `start`.
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

    /// The best cut for a chunk that starts at `start` and must end beyond character `lower`. None: no cut is
    /// allowed unless the chunk starts later. With `force`, a word or cluster is cut instead.
    fn cut(&self, start: Position, lower: usize, size: usize, force: bool) -> Option<Boundary> {
        let lower = lower.max(start.char);
        if let Some(end) = self.page_end(start, lower, size) {
            return Some(end);
        }
        if let Some(best) = self.topic(start, lower, size).or_else(|| self.boundary(start, lower, size)) {
            return Some(best);
        }
        // The last boundary within the limit: the block that the limit divides begins after it.
        let last = self.in_reach(start, size).next();
        let whole = last
            .filter(|boundary| boundary.end.char > lower)
            .map(|boundary| self.without_orphan(boundary, lower));
        let is_indivisible =
            last.is_some_and(|boundary| boundary.atomic || boundary.start.char >= start.char + size);
        if is_indivisible && (whole.is_some() || !force) {
            return whole;
        }
        let from = last.map_or(start, |boundary| boundary.start);
        self.inside_block(start, from, lower, size, whole, force)
    }

    /// The end of the page, if a chunk of `size` characters reaches it. In a text with pages, its end is one too.
    fn page_end(&self, start: Position, lower: usize, size: usize) -> Option<Boundary> {
        let in_reach = self.pending.iter().take_while(|boundary| boundary.end.char <= start.char + size);
        in_reach
            .filter(|boundary| {
                boundary.level == Level::Page || self.has_pages && boundary.level == Level::End
            })
            .find(|boundary| boundary.end.char > lower)
            .copied()
    }

    /// The last boundary of the best kind there is, in this order: the end of the text, a section, a paragraph, a
    /// definition in a program, a sentence, a line. All but the end and the definition leave the chunk a quarter
    /// full; a paragraph of prose leaves it half full.
    fn boundary(&self, start: Position, lower: usize, size: usize) -> Option<Boundary> {
        let allowed = self.in_reach(start, size).take_while(|boundary| boundary.end.char > lower);
        let last = |parts: usize, is_wanted: fn(Level) -> bool| {
            allowed
                .clone()
                .take_while(|boundary| (boundary.end.char - start.char) * parts >= size)
                .find(|boundary| is_wanted(boundary.level))
        };
        // A definition that would be divided begins its own chunk, however little precedes it.
        let definition =
            || allowed.clone().find(|boundary| boundary.level == Level::Section).filter(|_| self.is_code);
        let end = allowed.clone().next().filter(|boundary| boundary.level == Level::End);
        end.or_else(|| last(4, |level| level == Level::Section))
            .or_else(|| last(if self.is_code { 4 } else { 2 }, |level| level >= Level::Paragraph))
            .or_else(definition)
            .or_else(|| last(4, |level| level >= Level::Sentence))
            .or_else(|| last(4, |level| level >= Level::Line))
            .copied()
    }

    /// A cut inside the block that begins at `from`: after its last word that fits, or else before the block, at
    /// `whole`, or else inside a word that is longer than a chunk.
    fn inside_block(
        &self,
        start: Position,
        from: Position,
        lower: usize,
        size: usize,
        whole: Option<Boundary>,
        force: bool,
    ) -> Option<Boundary> {
        let text = self.limits.text;
        let end = forward(text, from, (start.char + size).saturating_sub(from.char));
        let divided = |word: Position| {
            let end = last_grapheme_end(text, word, end, lower, size, force)?;
            Some(Boundary { end, start: skip_blank(text, end), level: Level::HardBreak, atomic: false })
        };
        match last_word_end(text, from, end, lower, start.char + size / 2, size) {
            WordEnd::At(end, start) => Some(Boundary { end, start, level: Level::Word, atomic: false }),
            _ if whole.is_some() => whole,
            WordEnd::Overlong(word) => divided(word),
            WordEnd::Fits if force => divided(from),
            WordEnd::Fits => None,
        }
    }

    /// The boundaries of a chunk of at most `size` characters, the last first.
    fn in_reach(&self, start: Position, size: usize) -> impl Iterator<Item = &Boundary> + Clone {
        let limit = start.char + size;
        self.pending.iter().rev().skip_while(move |boundary| boundary.end.char > limit)
    }

    /// The first change of topic that leaves a chunk at least an eighth full.
    fn topic(&self, start: Position, lower: usize, size: usize) -> Option<Boundary> {
        let in_reach = self.pending.iter().take_while(|boundary| boundary.end.char <= start.char + size);
        let mut topics =
            in_reach.filter(|boundary| boundary.level == Level::Topic && boundary.end.char > lower);
        topics.find(|boundary| (boundary.end.char - start.char) * 8 >= size).copied()
    }

    /// Moves a heading that would end a chunk to the next one, if that leaves anything.
    fn without_orphan(&self, cut: &Boundary, lower: usize) -> Boundary {
        let earlier = self.pending.iter().rev().skip_while(|boundary| boundary.end.char > cut.end.char);
        let above = earlier.clone().find(|boundary| boundary.level > Level::Orphan);
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
        let mut place = self.place(start, &before, heading.as_deref(), false)?;
        let text = self.limits.text;
        // A cut between words does not change the token count.
        let divides = place.cut.level != Level::End && !text[place.cut.end.byte..].starts_with(parts_words);
        if divides && !self.limits.holds(&text[place.start.byte..place.cut.end.byte], place.budget) {
            place = self.place(place.start, &before, heading.as_deref(), true)?;
        }
        let Place { start, cut, size, budget, context } = place;
        let chunk = &text[start.byte..cut.end.byte];
        if text[start.byte.max(before.end.byte)..cut.end.byte].trim_start().is_empty() {
            // Where not even a space and its combining mark fit, they are divided. The space alone is not a
            // chunk.
            self.next = Next::From(cut.end, cut);
            return self.next();
        }
        if cut.level != Level::End && cut.start.byte < text.len() {
            let overlap = self.limits.overlap_of(chunk, size, budget);
            let mut next = overlap_start(text, &self.pending, start, &cut, size, overlap);
            if next.byte < cut.end.byte
                && !self.limits.may_share(&text[..next.byte], &text[next.byte..cut.end.byte], budget)
            {
                next = cut.start;
            }
            self.next = Next::From(next, cut);
        }
        Some(Window { start, end: cut.end, heading, context })
    }
}
