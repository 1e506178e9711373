//! The context of a chunk of rows: the header of its table, and cells above that reach into its rows.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::csv::{self, Delimiter};
use super::table_head;

/// The header keeps this many characters, and a cell above 200.
const MAX_HEAD_CHARS: usize = 1000;
const MAX_CELL_CHARS: usize = 200;

/// Cells of a row beyond this many are not looked at.
const MAX_COLUMNS: usize = 1000;

/// A table of the page.
#[derive(Clone)]
pub(crate) struct Table {
    /// Its header rows, without a line that only separates them from the others.
    pub head: Vec<Range<usize>>,
    /// Whether they name the columns. A table of Markdown must have a header row, which may be a row like the others.
    pub is_named: bool,
    /// Byte offset where the first of the other rows begins.
    pub rows: usize,
    /// Byte offset after the last row that was found so far.
    pub end: usize,
}

/// A queue of tables, filled by one part and read by others.
pub(crate) type Tables = Rc<RefCell<VecDeque<Table>>>;

/// The notation of rows and cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A row on each line, `|` between cells.
    Markdown,
    /// Records with a delimiter between their fields.
    Csv(Delimiter),
}

/// Tells the context of chunks while walking down a page.
pub(crate) struct TableContext<'a> {
    text: &'a str,
    syntax: Syntax,
    ahead: Tables,
    head: Option<Head>,
    walk: Walk,
}

/// The header of the first table.
struct Head {
    /// Where the rows below begin.
    rows: usize,
    written: Option<Arc<str>>,
    /// The cells of its rows.
    cells: Vec<Vec<Range<usize>>>,
}

/// The rows of a table up to a place.
#[derive(Default)]
struct Walk {
    /// The next row, if it is known: it may be longer than many chunks.
    row: Option<Row>,
    /// The last row of one cell that names the rows below it.
    section: Option<Range<usize>>,
    /// A row of one cell, until the next row tells whether it is such a row, or a row like the others that lacks values.
    lone: Option<Range<usize>>,
    /// The cells above the next row, by column. An empty cell shows the one above it, if nothing is to its left.
    above: Vec<Range<usize>>,
}

struct Row {
    bytes: Range<usize>,
    cells: Vec<Range<usize>>,
}

impl<'a> TableContext<'a> {
    pub(crate) fn new(text: &'a str, syntax: Syntax, ahead: Tables) -> Self {
        Self { text, syntax, ahead, head: None, walk: Walk::default() }
    }

    /// The header of the table in whose rows byte `at` lies. `at` must not decrease.
    pub(crate) fn head_at(&mut self, at: usize) -> Option<Arc<str>> {
        let mut ahead = self.ahead.borrow_mut();
        while ahead.pop_front_if(|table| table.end <= at).is_some() {
            self.head = None;
        }
        let table = ahead.front().filter(|table| table.rows <= at)?;
        let is_known = self.head.as_ref().is_some_and(|head| head.rows == table.rows);
        if !is_known {
            self.head = Some(self.head_of(table));
            self.walk = Walk::default();
        }
        self.head.as_ref().and_then(|head| head.written.clone())
    }

    /// The same with the cells above that reach into the row of byte `at`, and with the cell that names that row if the chunk
    /// begins inside of it. `at` must not decrease.
    pub(crate) fn at(&mut self, at: usize) -> Option<Arc<str>> {
        let mut head = self.head_at(at);
        let (first, end) = self
            .ahead
            .borrow()
            .front()
            .filter(|table| table.rows <= at)
            .map(|table| (table.rows, table.end))?;
        let mut row = self.walk.row.take().unwrap_or_else(|| self.row(first, end));
        while row.bytes.end <= at && row.bytes.end < end {
            self.walk.pass(self.text, row.cells);
            row = self.row(row.bytes.end, end);
        }
        let above = self.walk.above(&row.cells, at);
        let is_divided = row.bytes.start < at && !above.is_empty();
        let column = row.cells.iter().position(|cell| cell.end.max(cell.start + 1) > at);
        if let Some(column) = column.filter(|column| is_divided && *column > above.len()) {
            head = self.head.as_ref().and_then(|head| self.head_from(head, above.len(), column));
        }
        let section = self.walk.section_of(self.text, &row.cells).cloned();
        let section = section.filter(|_| filled(&row.cells).nth(1).is_some());
        self.walk.row = Some(row);
        let section = section.filter(|section| above.first() != Some(section));
        let lines: Vec<String> = [section.map(|section| vec![section]), (!above.is_empty()).then_some(above)]
            .into_iter()
            .flatten()
            .map(|cells| self.line(&cells))
            .collect();
        if lines.is_empty() {
            return head;
        }
        let head = head.as_deref().map(str::to_string);
        Some(head.into_iter().chain(lines).collect::<Vec<_>>().join("\n").into())
    }

    fn row(&self, at: usize, end: usize) -> Row {
        let bytes = row_at(self.text, self.syntax, at, end);
        Row { cells: cells_of(self.text, self.syntax, &bytes), bytes }
    }

    fn head_of(&self, table: &Table) -> Head {
        let rows = table.head.as_slice();
        let mut cells: Vec<_> = rows.iter().map(|row| cells_of(self.text, self.syntax, row)).collect();
        if !table.is_named || cells.iter().all(|row| filled(row).next().is_none()) {
            cells.clear();
        }
        let lines = rows.iter().take(cells.len()).map(|row| self.text[row.clone()].trim());
        Head { rows: table.rows, written: self.cut_head(lines.collect::<Vec<_>>().join("\n")), cells }
    }

    /// The cells of the header above a row of which a chunk has the part from `column`, and `first` cells before.
    fn head_from(&self, head: &Head, first: usize, column: usize) -> Option<Arc<str>> {
        let line = |row: &Vec<Range<usize>>| {
            let cells = row.iter().take(first).chain(row.iter().skip(column));
            self.line(&cells.take(MAX_HEAD_CHARS / 2).cloned().collect::<Vec<_>>())
        };
        self.cut_head(head.cells.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    fn cut_head(&self, head: String) -> Option<Arc<str>> {
        let Some((cut, _)) = head.char_indices().nth(MAX_HEAD_CHARS) else {
            return (!head.is_empty()).then(|| head.into());
        };
        let mark = match self.syntax {
            Syntax::Markdown => '|',
            Syntax::Csv(delimiter) => delimiter.as_char(),
        };
        let end = head[..cut].rfind(mark).map_or(cut, |at| at + usize::from(mark == '|'));
        Some(head[..end].into())
    }

    /// Cells as a row.
    fn line(&self, cells: &[Range<usize>]) -> String {
        let texts: Vec<&str> = cells.iter().map(|cell| first_characters(&self.text[cell.clone()])).collect();
        match self.syntax {
            Syntax::Markdown => format!("| {} |", texts.join(" | ")),
            Syntax::Csv(delimiter) => {
                let delimiter = delimiter.as_char();
                let needs_quotes = |text: &str| text.contains([delimiter, '\n', '\r']);
                let quoted = texts.into_iter().map(|text| match needs_quotes(text) {
                    true => Cow::Owned(format!("\"{text}\"")),
                    false => Cow::Borrowed(text),
                });
                quoted.collect::<Vec<_>>().join(&delimiter.to_string())
            }
        }
    }
}

impl Walk {
    /// Notes a row.
    fn pass(&mut self, text: &str, cells: Vec<Range<usize>>) {
        let Some(first) = cells.iter().position(|cell| !cell.is_empty()) else { return };
        if first == 0 && filled(&cells).nth(1).is_none() {
            self.lone = cells.into_iter().next();
            self.above.clear();
            return;
        }
        self.section = self.section_of(text, &cells).cloned();
        self.lone = None;
        self.above.truncate(first);
        self.above.resize(first, 0..0);
        self.above.extend(cells.into_iter().skip(first));
    }

    /// The row of one cell that names a row.
    fn section_of(&self, text: &str, cells: &[Range<usize>]) -> Option<&Range<usize>> {
        let is_of_kind = |lone: &&Range<usize>| {
            let first = cells.first().map(|first| &text[first.clone()]).unwrap_or_default();
            table_head::are_of_one_kind(&text[(*lone).clone()], first)
        };
        self.lone.as_ref().filter(|lone| !is_of_kind(lone)).or(self.section.as_ref())
    }

    /// The cells above the first ones of a row that are empty. If the row begins before byte `at`, also its own first one, unless that
    /// reaches beyond `at`.
    fn above(&self, cells: &[Range<usize>], at: usize) -> Vec<Range<usize>> {
        let first = cells.iter().position(|cell| !cell.is_empty()).unwrap_or_default();
        let mut above: Vec<Range<usize>> = self.above.iter().take(first).cloned().collect();
        if let Some(own) = cells.get(first).filter(|own| !own.is_empty() && own.end <= at) {
            above.resize(first, 0..0);
            above.push(own.clone());
        }
        if above.iter().all(|cell| cell.is_empty()) { Vec::new() } else { above }
    }
}

fn filled(cells: &[Range<usize>]) -> impl Iterator<Item = &Range<usize>> {
    cells.iter().filter(|cell| !cell.is_empty())
}

fn first_characters(text: &str) -> &str {
    text.char_indices().nth(MAX_CELL_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// The row that begins at byte `at`, with its end of line, of a table that ends at `end`.
pub(super) fn row_at(text: &str, syntax: Syntax, at: usize, end: usize) -> Range<usize> {
    let rest = &text[at..end];
    let length = match syntax {
        Syntax::Markdown => csv::line(rest).len(),
        Syntax::Csv(delimiter) => csv::record(rest, delimiter).len(),
    };
    at..at + length
}

/// The places of the first cells of a row, without the white space around them.
pub(super) fn cells_of(text: &str, syntax: Syntax, row: &Range<usize>) -> Vec<Range<usize>> {
    match syntax {
        Syntax::Markdown => markdown_cells(text, row),
        Syntax::Csv(delimiter) => csv::fields(text, row, delimiter, MAX_COLUMNS),
    }
}

fn markdown_cells(text: &str, row: &Range<usize>) -> Vec<Range<usize>> {
    let line = &text[row.clone()];
    // A table may be part of a quotation.
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let start = row.end - line.len();
    let line = line.trim_end();
    let (start, line) = line.strip_prefix('|').map_or((start, line), |rest| (start + 1, rest));
    let mut cells = Vec::new();
    let (mut from, mut is_escaped) = (0, false);
    for (at, c) in line.char_indices() {
        if cells.len() == MAX_COLUMNS {
            return cells;
        }
        if c == '|' && !is_escaped {
            cells.push(csv::trimmed(text, start + from..start + at));
            from = at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    if from < line.len() {
        cells.push(csv::trimmed(text, start + from..start + line.len()));
    }
    cells
}
