//! Boundaries of a program: its lines, ranked by what begins on each.
//!
//! No language's grammar is used. Three signs that common languages share decide which lines belong together:
//! indentation, blank lines, and words or shapes that begin a definition (see `definition`).

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::boundary::{Boundary, Level};
use super::definition::{Line, classify};
use super::limit::{Before, Limits};
use super::prose::ProseBoundaries;

/// At most this many characters of comments and attributes are held back to see whether a definition follows
/// them.
const MAX_LEAD_CHARACTERS: usize = 10_000;

/// Every boundary is at the start of a line. A line that fits into a chunk is not divided.
pub(crate) struct CodeBoundaries<'a> {
    limits: Rc<Limits<'a>>,
    prose: ProseBoundaries<'a>,
    /// Lines of comments and attributes, and the line after them.
    ready: VecDeque<Boundary>,
    /// The boundary before the next line.
    next: Option<Boundary>,
}

impl<'a> CodeBoundaries<'a> {
    pub(crate) fn new(mut prose: ProseBoundaries<'a>, limits: Rc<Limits<'a>>) -> Self {
        let next = prose.next();
        Self { limits, prose, ready: VecDeque::new(), next }
    }

    /// The next place where a line begins, or the end.
    fn line_start(&mut self) -> Option<Boundary> {
        let text = self.limits.text;
        self.prose.find(|boundary| {
            boundary.level == Level::End || text[boundary.end.byte..boundary.start.byte].contains(is_line_end)
        })
    }

    /// Reads lines up to one that is neither comment nor attribute, and ranks the boundaries before them.
    fn fill(&mut self) {
        let mut kind = Line::Lead;
        while kind == Line::Lead
            && let Some(mut boundary) = self.next.take()
        {
            if boundary.level == Level::End {
                self.ready.push_back(boundary);
                break;
            }
            self.next = self.line_start();
            let end = self.next.map_or(self.limits.text.len(), |next| next.end.byte);
            let line = boundary.start.byte..end;
            let gap = boundary.end.byte..boundary.start.byte;
            let indent = self.indent(gap.end);
            kind = classify(&self.limits.text[line.clone()], indent, || self.below(end));
            boundary.atomic = self.limits.fits(line, Before::default());
            let is_first = boundary.level == Level::Orphan && boundary.end == boundary.start;
            if !is_first && boundary.level != Level::Page {
                boundary.level = self.level(gap, indent, kind);
            }
            self.ready.push_back(boundary);
            let lead = self.ready.front().map_or(0, |first| boundary.start.char - first.start.char);
            if lead > MAX_LEAD_CHARACTERS {
                return;
            }
        }
        self.attach(kind);
    }

    /// The rank of a line start, ignoring the lines before it.
    fn level(&self, gap: Range<usize>, indent: usize, kind: Line) -> Level {
        let is_blank = self.limits.text[gap].matches(is_line_end).count() > 1;
        match kind {
            Line::Closer => Level::Orphan,
            Line::Definition if indent == 0 => Level::Section,
            Line::Definition => Level::Paragraph,
            _ if is_blank && indent == 0 => Level::Paragraph,
            _ if is_blank => Level::Sentence,
            _ => Level::Line,
        }
    }

    /// Moves the rank of a definition to the comments and attributes right above it.
    fn attach(&mut self, kind: Line) {
        let Some(rank) = self.ready.back().map(|last| last.level).filter(|_| kind == Line::Definition) else {
            return;
        };
        // A blank line above the definition, or among its comments, separates it from the comments before
        // that line.
        let blank = |boundary: &Boundary| {
            let gap = &self.limits.text[boundary.end.byte..boundary.start.byte];
            gap.matches('\n').count() > 1 || boundary.level == Level::Page
        };
        let mut first = self.ready.len() - 1;
        while first > 0 && !blank(&self.ready[first]) {
            first -= 1;
        }
        for boundary in self.ready.range_mut(first + 1..).filter(|boundary| boundary.level != Level::Page) {
            boundary.level = Level::Orphan;
        }
        let is_first = self.ready[first].end.byte == 0 || self.ready[first].end == self.ready[first].start;
        if !is_first {
            self.ready[first].level = self.ready[first].level.max(rank);
        }
    }

    /// Columns of white space before the line whose content begins at byte `at`.
    fn indent(&self, at: usize) -> usize {
        let before = self.limits.text[..at].bytes().rev().take(64);
        before
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .map(|byte| if byte == b'\t' { 4 } else { 1 })
            .sum()
    }

    /// The line after the one that ends at byte `end`.
    fn below(&self, end: usize) -> &'a str {
        let rest = self.limits.text[end..].trim_start();
        let line = rest.bytes().take(80).position(|byte| byte == b'\n').unwrap_or(80.min(rest.len()));
        rest.get(..line).unwrap_or("")
    }
}

impl Iterator for CodeBoundaries<'_> {
    type Item = Boundary;

    fn next(&mut self) -> Option<Boundary> {
        if self.ready.is_empty() {
            self.fill();
        }
        self.ready.pop_front()
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
