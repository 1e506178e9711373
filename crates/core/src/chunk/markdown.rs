//! Boundaries of a Markdown page, or of records: those of its prose, ranked by the blocks on either side.

use std::rc::Rc;

use super::blocks::{Mark, Span, SpanKind};
use super::boundary::{Boundary, Level};
use super::heading::HeadingPath;
use super::limit::{Before, Limits};
use super::prose::ProseBoundaries;
use super::table::TableContext;

/// The places where blocks begin.
pub(crate) trait Marks {
    /// The next mark, unless it is after byte `limit`. Afterwards all headings and tables up to there have been found.
    fn next_to(&mut self, limit: usize) -> Option<Mark>;
}

/// Every block begins on a line of its own, so every block start lies in a gap that the prose scan finds.
pub(crate) struct BlockBoundaries<'a, M> {
    text: &'a str,
    limits: Rc<Limits<'a>>,
    /// Path and tables run ahead of the windows, so they cannot be theirs.
    path: HeadingPath,
    tables: TableContext<'a>,
    prose: ProseBoundaries<'a>,
    marks: M,
    /// The code block, row or heading that we are in, without white space at its end, and whether it fits
    /// into a chunk.
    within: Option<(Span, bool)>,
}

impl<'a, M: Marks> BlockBoundaries<'a, M> {
    pub(crate) fn new(
        prose: ProseBoundaries<'a>,
        limits: Rc<Limits<'a>>,
        marks: M,
        path: HeadingPath,
        tables: TableContext<'a>,
    ) -> Self {
        Self { text: limits.text, limits, path, tables, prose, marks, within: None }
    }

    /// The boundary inside a span: none in a block that fits; only line ends in longer code.
    fn inside(&self, mut boundary: Boundary, kind: SpanKind, fits: bool) -> Option<Boundary> {
        if boundary.level == Level::Page {
            boundary.atomic = fits;
            return Some(boundary);
        }
        if fits {
            return None;
        }
        if kind == SpanKind::Code {
            let gap = &self.text[boundary.end.byte..boundary.start.byte];
            boundary.level = match boundary.level {
                Level::Paragraph => Level::Sentence,
                _ if gap.contains(['\n', '\r']) => Level::Line,
                _ => return None,
            };
        }
        Some(boundary)
    }

    /// Consumes the marks up to `boundary` and gives it the rank of the block that begins there.
    fn rank(&mut self, boundary: &mut Boundary, first: bool) {
        let mut span = None;
        while let Some(mark) = self.marks.next_to(boundary.start.byte) {
            if first || mark.at >= boundary.end.byte {
                boundary.level = boundary.level.max(mark.level);
                span = span.or(mark.span);
            }
        }
        let Some(span) = span else { return };
        let content = self.text[..span.end].trim_end().len();
        if content > boundary.start.byte {
            let heading = self.path.at(boundary.start.byte);
            let head = match span.kind {
                SpanKind::Row => self.tables.head_at(boundary.start.byte),
                _ => None,
            };
            let before = Before { heading: heading.as_deref(), context: head.as_deref() };
            let fits = self.limits.fits(boundary.start.byte..content, before);
            boundary.atomic = fits;
            self.within = Some((Span { end: content, ..span }, fits));
        }
    }
}

impl<M: Marks> Iterator for BlockBoundaries<'_, M> {
    type Item = Boundary;

    fn next(&mut self) -> Option<Boundary> {
        loop {
            let mut boundary = self.prose.next()?;
            if boundary.level == Level::End {
                return Some(boundary);
            }
            let first = boundary.level == Level::Orphan;
            let mut orphaned = false;
            if let Some((span, fits)) = self.within {
                if boundary.start.byte < span.end {
                    match self.inside(boundary, span.kind, fits) {
                        Some(inside) => return Some(inside),
                        None => continue,
                    }
                }
                self.within = None;
                orphaned = span.kind == SpanKind::Lead && boundary.end.byte <= span.end;
            }
            self.rank(&mut boundary, first);
            if orphaned && boundary.level != Level::Page {
                boundary.level = Level::Orphan;
            }
            return Some(boundary);
        }
    }
}
