//! The outline of a Markdown page of any length, found piece by piece while walking down the page.
//!
//! A parser holds about a hundred bytes for each mark of a page and cannot be interrupted. So it is given one
//! piece of the text at a time, which ends where its last block begins: what comes later cannot change the
//! blocks before that one. A block longer than a piece is recognized by its first piece. A fence is searched
//! for its end, a table continues as long as its rows do, a list restarts at an item, and anything else
//! restarts at a line.

use std::collections::VecDeque;

use super::blocks::{Last, LastKind, Mark, Span, SpanKind, body_start, outline};
use super::boundary::Level;
use super::boxes::Boxes;
use super::csv::line;
use super::heading::Headings;
use super::markdown::Marks;
use super::table::Tables;

/// Bytes in a piece, unless a chunk may be longer.
const PIECE: usize = 1 << 20;

/// Lines skipped or read between two calls of `check_interrupts`.
const LINES_BETWEEN_CHECKS: usize = 4096;

/// Marks and headings of a page in ascending order.
pub(crate) struct Outline<'a> {
    text: &'a str,
    piece: usize,
    /// Everything before this byte is in `marks` and `headings`, or was taken from them.
    next: usize,
    /// Whether the last piece ended in a table.
    in_table: bool,
    marks: VecDeque<Mark>,
    /// Each queue receives all headings.
    headings: [Headings; 2],
    /// The same for tables.
    tables: [Tables; 2],
    boxes: Boxes,
    check_interrupts: fn(),
}

impl<'a> Outline<'a> {
    /// The outline for chunks of at most `size` characters: a block that fits into a chunk fits into a piece.
    pub(crate) fn new(text: &'a str, size: usize, check_interrupts: fn()) -> Self {
        Self::in_pieces(text, PIECE.max(size.saturating_add(1).saturating_mul(4)), check_interrupts)
    }

    fn in_pieces(text: &'a str, piece: usize, check_interrupts: fn()) -> Self {
        Self {
            text,
            piece,
            next: 0,
            in_table: false,
            marks: VecDeque::new(),
            headings: [Headings::default(), Headings::default()],
            tables: [Tables::default(), Tables::default()],
            boxes: Boxes::default(),
            check_interrupts,
        }
    }

    /// The two queues that receive its headings as they are found.
    pub(crate) fn headings(&self) -> [Headings; 2] {
        self.headings.clone()
    }

    /// The two queues that receive its tables as they are found.
    pub(crate) fn tables(&self) -> [Tables; 2] {
        self.tables.clone()
    }

    /// Reads one piece, or the rest of a longer block.
    fn read(&mut self) {
        if self.in_table {
            return self.read_rows();
        }
        let from = if self.next == 0 { body_start(self.text) } else { self.next };
        let to = self.piece_end(from);
        let found = outline(self.text, from..to, self.check_interrupts);
        let mut end = to;
        let mut keep = to;
        if to < self.text.len() {
            match &found.last {
                Some(last) if last.at > from => (end, keep) = (last.at, last.at),
                Some(Last { kind: LastKind::List { item }, .. }) if *item > from => {
                    (end, keep) = (*item, *item);
                }
                Some(Last { kind: LastKind::Fence { mark, count }, .. }) => {
                    end = self.fence_end(to, *mark, *count);
                }
                last => {
                    self.in_table = last.as_ref().is_some_and(|last| last.kind == LastKind::Table);
                    end = self.line_start_from(to);
                }
            }
        }
        self.marks.extend(found.marks.into_iter().filter(|mark| mark.at < keep));
        for tables in &self.tables {
            let found = found.tables.iter().filter(|table| table.head.iter().all(|row| row.start < keep));
            tables.borrow_mut().extend(found.cloned());
        }
        if self.in_table {
            self.extend_table(end);
        }
        if end > to
            && let Some(span) = self.marks.back_mut().and_then(|mark| mark.span.as_mut())
        {
            span.end = end;
        }
        let mut edges = found.edges.into_iter().filter(|edge| edge.at < keep).peekable();
        for heading in found.headings.into_iter().filter(|heading| heading.at < keep) {
            while let Some(edge) = edges.next_if(|edge| edge.at < heading.at) {
                self.boxes.pass(self.text, edge);
            }
            if self.boxes.are_open() {
                let mark = self.marks.binary_search_by_key(&heading.at, |mark| mark.at);
                if let Some(mark) = mark.ok().and_then(|at| self.marks.get_mut(at)) {
                    mark.level = mark.level.min(Level::Paragraph);
                }
                continue;
            }
            self.headings[1].borrow_mut().push_back(heading.clone());
            self.headings[0].borrow_mut().push_back(heading);
        }
        edges.for_each(|edge| self.boxes.pass(self.text, edge));
        self.next = end;
    }

    /// Where the piece that starts at `from` ends: after its last line, or inside its first line if that is
    /// too long.
    fn piece_end(&self, from: usize) -> usize {
        let max = self.text.floor_char_boundary(from.saturating_add(self.piece));
        if max >= self.text.len() {
            return self.text.len();
        }
        match self.text[from..max].rfind(is_line_end) {
            // A line feed belongs to the preceding carriage return.
            Some(last) if self.text[from + last..].starts_with("\r\n") => from + last + 2,
            Some(last) => from + last + 1,
            None => max,
        }
    }

    /// The first start of a line at or after `at`.
    fn line_start_from(&self, at: usize) -> usize {
        if self.text[..at].ends_with(is_line_end) { at } else { at + line(&self.text[at..]).len() }
    }

    /// Where a fence that is still open at `from` ends.
    fn fence_end(&self, from: usize, mark: char, count: usize) -> usize {
        let mut at = self.line_start_from(from);
        for number in 0.. {
            if number % LINES_BETWEEN_CHECKS == 0 {
                (self.check_interrupts)();
            }
            let line = line(&self.text[at..]);
            if line.is_empty() {
                break;
            }
            at += line.len();
            let content = line.trim_start_matches(' ');
            let rest = content.trim_start_matches(mark);
            let closes = line.len() - content.len() <= 3 && content.len() - rest.len() >= count;
            if closes && rest.trim().is_empty() {
                break;
            }
        }
        at
    }

    /// Continues with the rows of a table.
    fn read_rows(&mut self) {
        for _ in 0..LINES_BETWEEN_CHECKS {
            let row = line(&self.text[self.next..]);
            if !row.contains('|') {
                self.in_table = false;
                return;
            }
            let span = Some(Span { end: self.next + row.len(), kind: SpanKind::Row });
            self.marks.push_back(Mark { at: self.next, level: Level::Paragraph, span });
            self.next += row.len();
            self.extend_table(self.next);
        }
    }

    /// Notes that the last table goes on to byte `end`.
    fn extend_table(&mut self, end: usize) {
        for tables in &self.tables {
            if let Some(table) = tables.borrow_mut().back_mut() {
                table.end = table.end.max(end);
            }
        }
    }
}

impl Marks for Outline<'_> {
    fn next_to(&mut self, limit: usize) -> Option<Mark> {
        while self.next <= limit && self.next < self.text.len() {
            (self.check_interrupts)();
            self.read();
        }
        self.marks.pop_front_if(|mark| mark.at <= limit)
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Listed = (Vec<(usize, Level, Option<(usize, SpanKind)>)>, Vec<(usize, u8, String)>);

    fn listed(text: &str, piece: usize) -> Listed {
        let mut outline = Outline::in_pieces(text, piece, || ());
        let [headings, same] = outline.headings();
        let mut marks = Vec::new();
        // Queried as if walking down the page.
        for limit in (0..=text.len()).step_by(7).chain([text.len()]) {
            while let Some(mark) = outline.next_to(limit) {
                marks.push((mark.at, mark.level, mark.span.map(|span| (span.end, span.kind))));
            }
        }
        assert_eq!(headings.borrow().len(), same.borrow().len());
        let headings = headings.borrow().iter().map(|h| (h.at, h.depth, h.text.clone())).collect();
        (marks, headings)
    }

    const BLOCKS: [&str; 18] = [
        "# One\n",
        "Two\nlines\n===\n",
        "Some words.\nAnd more.\n\n",
        "> quoted\n> # not ours\n\n",
        "- item\n- other\n\n  of two\n\n",
        "1. a\n2. b\n   ```\n   code\n   ```\n\n",
        "```rs\n# no heading\n\n| a |\n```\n",
        "~~~~\n~~~\n```\n~~~~\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n",
        "    indented\n    code\n\n",
        "<div>\n# no\n</div>\n\n",
        "***\n",
        "## Two\r\n\r\ntext\r\n",
        "text [a] *b\n\n",
        ":::note\n### not ours\n:::\n\n",
        "<Note>\n\n### not ours\n\n</Note>\n\n",
        "\n\n",
        "Größe 漢字。\n",
    ];

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            blocks in prop::collection::vec(prop::sample::select(&BLOCKS[..]), 0..60), piece in 100..300_usize,
        ) {
            let text = blocks.concat();
            // Headings end lists and tables that would otherwise become longer than a piece.
            let text = text.replace("- item", "# Next\n\n- item").replace("1. a", "# Next\n\n1. a");
            let text = text.replace("    indented", "# Next\n\n    indented").replace("> quoted", "# Next\n\n> quoted");
            let longest = 90;
            prop_assume!(piece > longest);
            let expected = listed(&text, usize::MAX / 2);
            let biggest = expected.0.windows(2).map(|pair| pair[1].0 - pair[0].0).max().unwrap_or(0);
            prop_assume!(biggest <= longest);
            prop_assert_eq!(listed(&text, piece), expected);
        }
    }

    #[test]
    fn blocks_longer_than_a_piece() {
        let fence = format!("```\n{}```\n# After\n", "# inside\n".repeat(50));
        let (marks, headings) = listed(&fence, 64);
        assert_eq!(headings, [(fence.len() - 8, 1, "After".to_string())]);
        assert_eq!(marks[0], (0, Level::Paragraph, Some((fence.len() - 8, SpanKind::Code))));
        assert_eq!(marks.len(), 2);

        let table = format!("|a|b|\n|-|-|\n{}\n# After\n", "|1|2|\n".repeat(50));
        assert_eq!(listed(&table, 64), listed(&table, usize::MAX / 2));

        let list = format!("{}\n# After\n", "- item\n".repeat(50));
        assert_eq!(listed(&list, 64).1, listed(&list, usize::MAX / 2).1);
        assert_eq!(listed(&list, 64).0.len(), 51);

        let line = format!("# {}\n# After\n", "long ".repeat(50));
        assert_eq!(listed(&line, 64).1.len(), 2);
        let open = format!("text\n\n~~~\n{}", "# inside\n".repeat(50));
        assert_eq!(listed(&open, 64).1, []);
    }
}
