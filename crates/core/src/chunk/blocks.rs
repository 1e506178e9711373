//! The block structure of a Markdown page, as far as chunking needs it.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::boundary::Level;
use super::boxes::{self, Edge};
use super::csv;
use super::heading::Heading;
use super::table::{self, Syntax, Table};
use super::table_head;

/// Blocks nested deeper than this slow the parser down (it matches each line against every open container)
/// and mean nothing to a reader. Such a page is treated as plain text.
const MAX_DEPTH: usize = 100;

/// The heading path keeps this many characters of a heading.
const HEADING_CHARS: usize = 200;

/// So many rows of a table tell how many of them belong to its header.
const FIRST_ROWS: usize = 6;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A line where a block begins.
pub(crate) struct Mark {
    /// Byte offset of the line's start.
    pub at: usize,
    pub level: Level,
    pub span: Option<Span>,
}

/// A block that is kept in one piece if it fits.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// Byte offset of the block's end. White space may precede it.
    pub end: usize,
    pub kind: SpanKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
    Code,
    Row,
    /// A heading or the header row of a table: belongs to what follows.
    Lead,
}

/// Events of the parser between two calls of `check_interrupts`: about a millisecond of work.
const EVENTS_BETWEEN_CHECKS: usize = 4096;

/// What the parser found in a part of a page.
pub(crate) struct Blocks {
    pub marks: Vec<Mark>,
    /// Headings outside any container.
    pub headings: Vec<Heading>,
    /// Where boxes begin and end.
    pub edges: Vec<Edge>,
    /// Tables, with a header row each.
    pub tables: Vec<Table>,
    pub last: Option<Last>,
}

/// The last top-level block.
pub(crate) struct Last {
    /// Byte offset of the start of its line.
    pub at: usize,
    pub kind: LastKind,
}

#[derive(PartialEq)]
pub(crate) enum LastKind {
    /// A fence of `count` times `mark`.
    Fence {
        mark: char,
        count: usize,
    },
    Table,
    /// Where its last item begins.
    List {
        item: usize,
    },
    Other,
}

/// Marks and headings of a part of `text`, in ascending order.
pub(crate) fn outline(text: &str, part: Range<usize>, check_interrupts: fn()) -> Blocks {
    let from = part.start;
    let blocks =
        Blocks { marks: Vec::new(), headings: Vec::new(), edges: Vec::new(), tables: Vec::new(), last: None };
    // The first line begins with the byte order mark before it.
    let line = if text[..from].chars().all(|c| c == BYTE_ORDER_MARK) { 0 } else { from };
    let mut outline = Outline { text, blocks, line, seen: from, table_end: from };
    if too_deep(&text[part.clone()]) {
        return outline.blocks;
    }
    let (mut containers, mut nested, mut title) = (0_usize, 0_usize, None::<Heading>);
    let parser = Parser::new_ext(&text[part], Options::ENABLE_TABLES).into_offset_iter();
    for (number, (event, range)) in parser.enumerate() {
        if number % EVENTS_BETWEEN_CHECKS == 0 {
            check_interrupts();
        }
        let range = from + range.start..from + range.end;
        match event {
            Event::Start(tag) => {
                if nested == 0 {
                    let kind = outline.kind(&tag, range.start);
                    outline.begin(range.start, kind);
                } else if nested == 1 && tag == Tag::Item {
                    let item = outline.line_start(range.start);
                    outline.blocks.last.iter_mut().for_each(|last| last.kind = LastKind::List { item });
                }
                nested += 1;
                if let Tag::Heading { level, .. } = &tag
                    && containers == 0
                {
                    let at = outline.line_start(range.start);
                    title = Some(Heading { at, depth: depth(*level), text: String::new() });
                }
                if tag == Tag::Paragraph && containers == 0 {
                    boxes::in_paragraph(&text[range.clone()], range.start, &mut outline.blocks.edges);
                }
                outline.block(&tag, range, containers == 0);
                containers += usize::from(is_container(&tag.to_end()));
            }
            Event::End(end) => {
                nested -= 1;
                containers -= usize::from(is_container(&end));
                if matches!(end, TagEnd::Heading(_)) {
                    outline.blocks.headings.extend(title.take());
                }
            }
            Event::Rule => {
                if nested == 0 {
                    outline.begin(range.start, LastKind::Other);
                }
                outline.mark(range.start, Level::Paragraph, None);
            }
            Event::Html(html) if containers == 0 => {
                boxes::in_html(&html, range.start, &mut outline.blocks.edges)
            }
            Event::Text(words) | Event::Code(words) => push_title(title.as_mut(), &words),
            Event::SoftBreak | Event::HardBreak => push_title(title.as_mut(), " "),
            _ => {}
        }
    }
    outline.blocks
}

struct Outline<'a> {
    text: &'a str,
    blocks: Blocks,
    /// Start of the line that holds byte `seen`.
    line: usize,
    seen: usize,
    /// Where the last table ends.
    table_end: usize,
}

impl Outline<'_> {
    /// Notes a top-level block.
    fn begin(&mut self, start: usize, kind: LastKind) {
        let at = self.line_start(start);
        self.blocks.last = Some(Last { at, kind });
    }

    fn kind(&self, tag: &Tag, start: usize) -> LastKind {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => {
                let fence = self.text[start..].trim_start_matches(' ');
                let mark = if fence.starts_with('~') { '~' } else { '`' };
                LastKind::Fence { mark, count: fence.len() - fence.trim_start_matches(mark).len() }
            }
            Tag::Table(_) => LastKind::Table,
            _ => LastKind::Other,
        }
    }

    fn block(&mut self, tag: &Tag, range: Range<usize>, top: bool) {
        let span = |kind| Some(Span { end: range.end, kind });
        match tag {
            Tag::Heading { .. } => {
                let level = if top { Level::Section } else { Level::Paragraph };
                self.mark(range.start, level, span(SpanKind::Lead));
            }
            Tag::CodeBlock(_) => self.mark(range.start, Level::Paragraph, span(SpanKind::Code)),
            Tag::TableHead => {
                // The delimiter row below the header row belongs to it and has no event of its own.
                let delimiter = line_end(self.text, line_end(self.text, range.start));
                let head = range.start..line_end(self.text, range.start).min(delimiter);
                self.table(head, delimiter);
                self.mark(range.start, Level::Paragraph, Some(Span { end: delimiter, kind: SpanKind::Lead }));
            }
            Tag::TableRow => self.mark(range.start, Level::Paragraph, span(SpanKind::Row)),
            Tag::Table(_) => {
                self.table_end = range.end;
                self.mark(range.start, Level::Paragraph, None);
            }
            Tag::Paragraph | Tag::HtmlBlock => self.mark(range.start, Level::Paragraph, None),
            _ if is_container(&tag.to_end()) => self.mark(range.start, Level::Paragraph, None),
            _ => {}
        }
    }

    /// Notes a table, whose rows begin after the line `delimiter` ends.
    fn table(&mut self, head: Range<usize>, rows: usize) {
        let end = self.table_end.max(rows);
        let mut first = Vec::new();
        let mut at = rows;
        while at < end && first.len() < FIRST_ROWS {
            let row = table::row_at(self.text, Syntax::Markdown, at, end);
            at = row.end;
            first.push(row);
        }
        let is_named = !table_head::is_row(self.text, Syntax::Markdown, &head, &first);
        let more = table_head::more_head_rows(self.text, Syntax::Markdown, &head, &first);
        let rows = first[..more].last().map_or(rows, |last| last.end);
        let head = std::iter::once(head).chain(first.into_iter().take(more)).collect();
        self.blocks.tables.push(Table { head, is_named, rows, end });
    }

    /// Several blocks may begin on one line (`- > # title`): they share a mark.
    fn mark(&mut self, start: usize, level: Level, span: Option<Span>) {
        let at = self.line_start(start);
        match self.blocks.marks.last_mut() {
            Some(last) if last.at == at => {
                last.level = last.level.max(level);
                last.span = last.span.or(span);
            }
            _ => self.blocks.marks.push(Mark { at, level, span }),
        }
    }

    /// Start of the line that contains byte `start`. Calls come in ascending order, so all of them together
    /// take linear time.
    fn line_start(&mut self, start: usize) -> usize {
        if start > self.seen {
            let passed = &self.text.as_bytes()[self.seen..start];
            if let Some(newline) = passed.iter().rposition(|&b| b == b'\n' || b == b'\r') {
                self.line = self.seen + newline + 1;
            }
            self.seen = start;
        }
        self.line
    }
}

fn is_container(end: &TagEnd) -> bool {
    matches!(end, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition)
}

fn depth(level: HeadingLevel) -> u8 {
    level as u8
}

fn push_title(title: Option<&mut Heading>, words: &str) {
    if let Some(heading) = title {
        let room = HEADING_CHARS.saturating_sub(heading.text.chars().count());
        heading.text.extend(words.chars().take(room));
    }
}

/// Byte offset after the line of byte `from`.
fn line_end(text: &str, from: usize) -> usize {
    from + csv::line(&text[from..]).len()
}

/// Where Markdown begins: after a byte order mark and YAML front matter. The closing line of the front matter
/// would otherwise turn its last line into a heading.
pub(crate) fn body_start(text: &str) -> usize {
    let bom = text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len();
    let mut lines = text[bom..].split_inclusive('\n');
    if lines.next().is_none_or(|first| first.trim_end() != "---") {
        return bom;
    }
    let mut at = line_end(text, bom);
    for line in lines {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return at;
        }
    }
    bom
}

/// Whether some line opens more than [`MAX_DEPTH`] containers, or may be inside that many by its indentation.
fn too_deep(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let (mut bytes, mut markers, mut columns) = (line.as_bytes(), 0, 0);
        while let Some((&first, rest)) = bytes.split_first() {
            let spaced = matches!(rest.first(), None | Some(b' ' | b'\t'));
            match first {
                b' ' => columns += 1,
                b'\t' => columns += 4,
                b'>' => markers += 1,
                b'-' | b'+' | b'*' | b'.' | b')' if spaced => markers += 1,
                b'0'..=b'9' => {}
                _ => break,
            }
            bytes = rest;
        }
        markers > MAX_DEPTH || (markers > 0 && columns / 2 > MAX_DEPTH)
    })
}
