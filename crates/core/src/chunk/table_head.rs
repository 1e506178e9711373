//! Tells the rows that name the columns of a table from those below them.

use std::ops::Range;

use super::csv;
use super::table::{Syntax, cells_of};

/// A sentence has at least this many characters: a name may end as one does.
const MIN_SENTENCE: usize = 20;

/// The cells of rows.
type Cells<'a> = Vec<Vec<&'a str>>;

fn texts<'a>(text: &'a str, syntax: Syntax, row: &Range<usize>) -> Vec<&'a str> {
    cells_of(text, syntax, row).into_iter().map(|cell| &text[cell]).collect()
}

fn texts_of<'a>(text: &'a str, syntax: Syntax, rows: &[Range<usize>]) -> Cells<'a> {
    rows.iter().map(|row| texts(text, syntax, row)).collect()
}

/// The number of first rows after a header row that belong to it: at most 2. Either cells of the header, or of such a row, are empty
/// because others reach over them, and in some column such a row has a word or a year above numbers. Or the first cell of the
/// header reaches down to it, and it names a column that the header leaves empty.
pub(super) fn more_head_rows(
    text: &str,
    syntax: Syntax,
    head: &Range<usize>,
    rows: &[Range<usize>],
) -> usize {
    let rows = texts_of(text, syntax, rows);
    let head = texts(text, syntax, head);
    let are_head = |more: &usize| {
        let Some((row, above)) = rows.get(..*more).and_then(<[_]>::split_last) else { return false };
        let is_spanned = is_empty(row, 0) || above.iter().chain([&head]).any(|row| row.contains(&""));
        !above.iter().any(|row| row.iter().any(|cell| Kind::of(cell) == Kind::Number))
            && (is_spanned && names_numbers(row, &rows[*more..]) || names_rest(&head, above, row))
    };
    [2, 1].into_iter().find(are_head).unwrap_or_default()
}

fn is_empty(row: &[&str], column: usize) -> bool {
    row.get(column).is_none_or(|cell| cell.is_empty())
}

/// Whether a row names columns of numbers, and has no other number than years.
fn names_numbers(row: &[&str], below: &[Vec<&str>]) -> bool {
    let mut names = false;
    for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
        let kind = Kind::of(cell);
        if matches!(kind, Kind::Number | Kind::Missing) {
            return false;
        }
        let kinds = || cells_below(below, column).map(Kind::of).filter(|kind| *kind != Kind::Missing);
        let is_number = |below: Kind| below == Kind::Number || below == Kind::Year && kind == Kind::Word;
        names |= kinds().count() > 1 && kinds().all(is_number);
    }
    names
}

/// Whether a row names a column that those above leave empty, while the first cell of the header reaches down to it.
fn names_rest(head: &[&str], above: &[Vec<&str>], row: &[&str]) -> bool {
    let rows = || above.iter().map(Vec::as_slice).chain([row]);
    let is_named = |column| rows().chain([head]).filter(|row| !is_empty(row, column)).count() == 1;
    !is_empty(head, 0)
        && rows().all(|row| is_empty(row, 0))
        && !row.iter().any(|cell| matches!(Kind::of(cell), Kind::Number | Kind::Missing))
        && (1..head.len()).any(|column| is_named(column) && !is_empty(row, column))
}

/// The filled cells of a column.
fn cells_below<'a>(rows: &'a [Vec<&'a str>], column: usize) -> impl Iterator<Item = &'a str> {
    rows.iter().filter_map(move |row| row.get(column).copied()).filter(|cell| !cell.is_empty())
}

/// Whether a row names the columns of those below: none of its cells is a number, lacks a value, or is like the cells below it. A
/// year or a date names a column of other cells.
pub(super) fn is_head(text: &str, syntax: Syntax, row: &Range<usize>, below: &[Range<usize>]) -> bool {
    let row = texts(text, syntax, row);
    let mut below = texts_of(text, syntax, below);
    // Some tables repeat their header.
    below.retain(|other| *other != row);
    row.iter().enumerate().all(|(column, cell)| match Kind::of(cell) {
        Kind::Word => cell.is_empty() || !is_like(cell, cells_below(&below, column)),
        Kind::Number | Kind::Missing => false,
        Kind::Year => !cells_below(&below, column).all(|below| Kind::of(below) == Kind::Year),
    })
}

/// Whether a row names nothing: each of its cells is like those below it, and those above filled cells are filled.
pub(super) fn is_row(text: &str, syntax: Syntax, row: &Range<usize>, below: &[Range<usize>]) -> bool {
    let row = texts(text, syntax, row);
    let below = texts_of(text, syntax, below);
    let is_like_below = |(column, cell): (usize, &&str)| {
        let mut cells = cells_below(&below, column);
        match Kind::of(cell) {
            _ if cell.is_empty() => cells.next().is_none(),
            Kind::Year => cells.all(|below| Kind::of(below) == Kind::Year),
            _ => is_like(cell, cells),
        }
    };
    !below.is_empty() && row.iter().enumerate().all(is_like_below)
}

/// Whether a cell is written like some of those below it, apart from its digits, or is a sentence as most of them are.
fn is_like<'a>(cell: &str, below: impl Iterator<Item = &'a str>) -> bool {
    let (mut count, mut sentences) = (0, 0);
    let end = end_of_sentence(cell);
    for below in below {
        if is_same_without_digits(cell, below) {
            return true;
        }
        count += 1;
        sentences += usize::from(end.is_some() && end_of_sentence(below) == end);
    }
    sentences * 2 > count
}

/// Whether two cells name things of one kind: they are identifiers, or the same apart from digits.
pub(super) fn are_of_one_kind(a: &str, b: &str) -> bool {
    a.starts_with('`') && b.starts_with('`') || is_same_without_digits(a, b)
}

/// Whether two cells have the same characters, if any number of digits counts as one.
fn is_same_without_digits(a: &str, b: &str) -> bool {
    fn parts(cell: &str) -> impl Iterator<Item = &str> {
        cell.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty())
    }
    let begin = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit());
    let end = |cell: &str| cell.ends_with(|c: char| c.is_ascii_digit());
    begin(a) == begin(b) && end(a) == end(b) && parts(a).eq(parts(b))
}

fn end_of_sentence(cell: &str) -> Option<char> {
    cell.chars().nth(MIN_SENTENCE)?;
    cell.chars().next_back().filter(|c| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// A year or a date.
    Year,
    /// Says that there is no value.
    Missing,
    Word,
}

impl Kind {
    fn of(cell: &str) -> Kind {
        if is_missing(cell) {
            Kind::Missing
        } else if is_year(cell) || is_date(cell) {
            Kind::Year
        } else if is_number(cell) {
            Kind::Number
        } else {
            Kind::Word
        }
    }
}

fn is_missing(cell: &str) -> bool {
    const WORDS: [&str; 6] = ["n/a", "n.a.", "nan", "none", "null", "tbd"];
    let is_mark = |c: char| matches!(c, '-' | '–' | '—' | '.' | '…' | '?');
    !cell.is_empty()
        && (cell.chars().all(is_mark) || WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word)))
}

fn is_year(cell: &str) -> bool {
    cell.len() == 4 && matches!(cell.parse(), Ok(1900..=2100))
}

/// Whether a cell is a day, a month or another part of a year, such as 2026-11-27, 1/22/20, 27.11.2026, 11/2026 or 2026-Q4.
fn is_date(cell: &str) -> bool {
    let parts: Vec<&str> = cell.split(['-', '/', '.']).collect();
    let is_part = |part: &str| {
        let digits = part.strip_prefix(['Q', 'H', 'W']).unwrap_or(part);
        matches!(digits.len(), 1 | 2) && digits.bytes().all(|c| c.is_ascii_digit())
    };
    match parts[..] {
        [a, b] => !cell.contains('.') && (is_year(a) && is_part(b) || is_part(a) && is_year(b)),
        [a, b, c] => {
            is_part(b)
                && (is_year(a) && is_part(c) || is_part(a) && (is_year(c) || c.len() == 2 && is_part(c)))
        }
        _ => false,
    }
}

/// Whether a cell is a number as people write them: digits, with at most 3 letters or signs of currency around.
fn is_number(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    digits > 0 && letters <= 3 && !cell.starts_with(char::is_alphabetic) && !cell.contains('_')
}

/// The header rows among the first records: the first record with as many fields as most have, or one less or more, if it
/// is a header, and further ones as in [`more_head_rows`]. A record whose first field alone is filled is a title.
pub(super) fn head_records(text: &str, syntax: Syntax, first: &[Range<usize>]) -> Vec<Range<usize>> {
    let cells = texts_of(text, syntax, first);
    let counts: Vec<usize> = cells.iter().map(Vec::len).collect();
    let Some((columns, _)) = csv::most_common(&counts) else { return Vec::new() };
    let is_title = |row: &[&str]| row.iter().skip(1).all(|cell| cell.is_empty());
    let is_head_at =
        |at: &usize| at + 1 < first.len() && is_head(text, syntax, &first[*at], &first[at + 1..]);
    let find = |difference: usize| {
        cells.iter().position(|row| row.len().abs_diff(columns) <= difference && !is_title(row))
    };
    let Some(at) = find(0).filter(is_head_at).or_else(|| find(1).filter(is_head_at)) else {
        return Vec::new();
    };
    let more = more_head_rows(text, syntax, &first[at], &first[at + 1..]);
    first[at..=at + more].to_vec()
}
