//! Tables of records: CSV as RFC 4180 describes it, also with other delimiters.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::blocks::{Mark, Span, SpanKind};
use super::boundary::Level;
use super::markdown::Marks;
use super::table::{Syntax, Table, Tables};
use super::table_head::head_records;

/// A record has at most this many bytes: a quote that nothing closes does not swallow the rest of the text.
const MAX_RECORD: usize = 1 << 16;

/// So many records tell the delimiter and the header.
const FIRST_RECORDS: usize = 10;

/// The delimiter is looked for in so many bytes: this cannot be interrupted.
const FIRST_BYTES: usize = 1 << 16;

/// Records read between two calls of `check_interrupts`.
const RECORDS_BETWEEN_CHECKS: usize = 1024;

/// The character between the fields of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delimiter(u8);

impl Delimiter {
    pub(crate) fn as_char(self) -> char {
        char::from(self.0)
    }

    /// The one that divides the most of the first records of a text into the same number of fields, and into the most fields.
    /// Excel names it in a first line.
    fn of(text: &str) -> Delimiter {
        if let Some(named) = separator_line(text).and_then(|line| line.as_bytes().get(4).copied()) {
            return Delimiter(named);
        }
        let text = &text[..text.floor_char_boundary(FIRST_BYTES)];
        let columns = |delimiter: Delimiter| {
            let records = Records { text, at: 0, delimiter }.take(FIRST_RECORDS);
            let counts: Vec<usize> =
                records.map(|record| fields(text, &record, delimiter, usize::MAX).len()).collect();
            let (most, records) = most_common(&counts)?;
            (records * 2 > counts.len()).then_some((records, most))
        };
        let best = [b',', b';', b'\t', b'|'].map(Delimiter).into_iter().rev().max_by_key(|d| columns(*d));
        best.filter(|best| columns(*best).is_some()).unwrap_or(Delimiter(b','))
    }
}

/// The most common number of fields, if more than one, and how many records have it.
pub(super) fn most_common(counts: &[usize]) -> Option<(usize, usize)> {
    let records = |fields: usize| counts.iter().filter(|count| **count == fields).count();
    let common = counts.iter().copied().filter(|fields| *fields > 1).max_by_key(|f| (records(*f), *f))?;
    Some((common, records(common)))
}

/// The line `sep=;` of Excel.
fn separator_line(text: &str) -> Option<&str> {
    let line = line(text);
    let rest = line.strip_prefix("sep=").or_else(|| line.strip_prefix("SEP="))?;
    let named = rest.trim_end_matches(['\r', '\n']);
    let is_delimiter = |byte: &u8| *byte == b'\t' || byte.is_ascii_punctuation() && *byte != b'"';
    (named.len() == 1 && named.as_bytes().iter().all(is_delimiter)).then_some(line)
}

/// The records of a text, as marks where they begin.
pub(crate) struct CsvMarks<'a> {
    records: Records<'a>,
    head: Vec<Range<usize>>,
    /// The record that was read last, until it is handed out.
    next: Option<Range<usize>>,
    count: usize,
    check_interrupts: fn(),
}

impl<'a> CsvMarks<'a> {
    /// The marks, how cells are divided, and two queues with the table that all of it is.
    pub(crate) fn new(text: &'a str, check_interrupts: fn()) -> (Self, Syntax, [Tables; 2]) {
        let bom = text.len() - text.trim_start_matches('\u{feff}').len();
        let delimiter = Delimiter::of(&text[bom..]);
        let start = bom + separator_line(&text[bom..]).map_or(0, str::len);
        let syntax = Syntax::Csv(delimiter);
        let records = Records { text, at: start, delimiter };
        let first: Vec<_> = records.clone().take(FIRST_RECORDS).collect();
        let head = head_records(text, syntax, &first);
        let table = || {
            let rows = head.last().map(|last| last.end)?;
            Some(Table { head: head.clone(), is_named: true, rows, end: text.len() })
        };
        let queue = || Rc::new(RefCell::new(VecDeque::from_iter(table())));
        let tables = [queue(), queue()];
        (Self { records, head, next: None, count: 0, check_interrupts }, syntax, tables)
    }
}

impl Marks for CsvMarks<'_> {
    fn next_to(&mut self, limit: usize) -> Option<Mark> {
        if self.next.is_none() {
            self.count += 1;
            if self.count.is_multiple_of(RECORDS_BETWEEN_CHECKS) {
                (self.check_interrupts)();
            }
            self.next = self.records.next();
        }
        let record = self.next.take_if(|record| record.start <= limit)?;
        let kind = if self.head.contains(&record) { SpanKind::Lead } else { SpanKind::Row };
        let span = Some(Span { end: record.end, kind });
        Some(Mark { at: record.start, level: Level::Paragraph, span })
    }
}

#[derive(Clone)]
struct Records<'a> {
    text: &'a str,
    at: usize,
    delimiter: Delimiter,
}

/// Skips blank lines.
impl Iterator for Records<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let found = record(&self.text[self.at..], self.delimiter);
            if found.is_empty() {
                return None;
            }
            let start = self.at;
            self.at += found.len();
            if !found.trim().is_empty() {
                return Some(start..self.at);
            }
        }
    }
}

/// The first record of `text`, with its end of line. Line breaks between quotes belong to it.
pub(super) fn record(text: &str, delimiter: Delimiter) -> &str {
    let bytes = text.as_bytes();
    let mut quotes = Quotes::default();
    for (at, &byte) in bytes.iter().enumerate().take(MAX_RECORD) {
        if quotes.pass(byte, delimiter) {
            continue;
        }
        match byte {
            b'\n' => return &text[..=at],
            b'\r' => return &text[..at + 1 + usize::from(bytes.get(at + 1) == Some(&b'\n'))],
            _ => {}
        }
    }
    if bytes.len() > MAX_RECORD || quotes.are_open() { line(text) } else { text }
}

/// The place of a byte in its field. Quotes open at the start of a field only: the mark of an inch opens nothing.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Quotes {
    /// Only spaces of the field came before.
    #[default]
    Before,
    /// Not between quotes.
    Outside,
    Inside,
    /// After a quote that closes, unless another one follows.
    Closing,
}

impl Quotes {
    fn are_open(self) -> bool {
        self == Quotes::Inside
    }

    /// Passes a byte. Whether it lies between quotes.
    fn pass(&mut self, byte: u8, delimiter: Delimiter) -> bool {
        *self = match (*self, byte) {
            (Quotes::Inside, b'"') => Quotes::Closing,
            (Quotes::Inside, _) | (Quotes::Before | Quotes::Closing, b'"') => Quotes::Inside,
            (_, b'\n' | b'\r') => Quotes::Before,
            (_, byte) if byte == delimiter.0 => Quotes::Before,
            (Quotes::Before, b' ') => Quotes::Before,
            _ => Quotes::Outside,
        };
        self.are_open()
    }
}

/// The places of the first fields of a record, at most `max`, without quotes and white space around them.
pub(super) fn fields(
    text: &str,
    record: &Range<usize>,
    delimiter: Delimiter,
    max: usize,
) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    let mut quotes = Quotes::default();
    let mut from = record.start;
    for at in record.clone() {
        let byte = text.as_bytes()[at];
        if !quotes.pass(byte, delimiter) && byte == delimiter.0 {
            fields.push(unquoted(text, from..at));
            from = at + 1;
            if fields.len() == max {
                return fields;
            }
        }
    }
    fields.push(unquoted(text, from..record.end));
    fields
}

fn unquoted(text: &str, field: Range<usize>) -> Range<usize> {
    let field = trimmed(text, field);
    match text[field.clone()].strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => trimmed(text, field.start + 1..field.start + 1 + inner.len()),
        None => field,
    }
}

/// A part of a text without the white space around it.
pub(super) fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let start = part.end - text[part.clone()].trim_start().len();
    start..start + text[start..part.end].trim_end().len()
}

/// The first line of `text`, including its end.
pub(super) fn line(text: &str) -> &str {
    let end = match text.find(['\n', '\r']) {
        Some(end) if text[end..].starts_with("\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    };
    &text[..end]
}
