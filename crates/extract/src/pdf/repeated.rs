//! Headers and footers: lines at the edges of pages that most pages have. They stay where they come first.
//!
//! What stands at an edge is told by its place: in the outer part of the page, and further from the text than its lines are
//! from each other. So a table head that is repeated stays, and so does the title of a slide, which is larger than its text.

use std::collections::HashMap;

use super::layout::{self, Paragraph};
use super::line::{Fragment, rows};

/// The part of the page's height that may have headers or footers.
const EDGE: f32 = 0.12;

/// The most lines of a header or a footer.
const MAX_ROWS: usize = 3;

/// Files with fewer pages have none that count.
const MIN_PAGES: usize = 3;

/// How many lines from the beginning or the end of a page's text it may be: rows of columns come later.
const MAX_LINES: usize = 60;

/// The parts of a row, which wide gaps divide.
type Row = Vec<String>;

/// The rows at the edges of a page.
#[derive(Debug, Default)]
pub struct Edges {
    rows: Vec<(bool, Row)>,
}

/// The rows at the edges of a page of this height.
pub fn edges(fragments: &[Fragment], height: f32) -> Edges {
    let mut lines: Vec<(f32, f32)> = fragments.iter().map(|fragment| (fragment.y, fragment.size)).collect();
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    lines.dedup_by(|b, a| b.0 - a.0 < 0.35 * a.1.min(b.1));
    let (Some(size), Some(usual)) = (median(lines.iter().map(|line| line.1)), usual_distance(&lines)) else {
        return Edges::default();
    };
    let mut found = Edges::default();
    for is_top in [true, false] {
        let inner: Vec<(f32, f32)> =
            if is_top { lines.clone() } else { lines.iter().rev().copied().collect() };
        let is_edge = |y: f32| if is_top { y < EDGE * height } else { y > (1.0 - EDGE) * height };
        let apart = |at: &usize| match (inner.get(*at), inner.get(at + 1)) {
            (Some(line), Some(next)) => {
                let distance = (next.0 - line.0).abs();
                is_edge(line.0) && distance > 1.5 * line.1 && distance > 1.3 * usual
            }
            _ => false,
        };
        let Some(last) = (0..MAX_ROWS).rev().find(apart).and_then(|at| inner.get(at)) else { continue };
        let is_outside = |y: f32| if is_top { y <= last.0 + 0.1 } else { y >= last.0 - 0.1 };
        let outside: Vec<Fragment> =
            fragments.iter().filter(|fragment| is_outside(fragment.y)).cloned().collect();
        if outside.iter().all(|fragment| fragment.size <= 1.1 * size) {
            found.rows.extend(rows(outside).into_iter().map(|row| (is_top, parts(row))));
        }
    }
    found
}

fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}

fn usual_distance(lines: &[(f32, f32)]) -> Option<f32> {
    median(lines.iter().zip(lines.iter().skip(1)).map(|(a, b)| b.0 - a.0))
}

/// The texts of a row, divided where a gap is wider than between words.
fn parts(mut row: Vec<Fragment>) -> Row {
    row.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    let mut parts: Vec<Vec<Fragment>> = Vec::new();
    for fragment in row {
        match parts.last_mut() {
            Some(part) if part.last().is_some_and(|last| fragment.x0 - last.x1 < 2.0 * last.size) => {
                part.push(fragment)
            }
            _ => parts.push(vec![fragment]),
        }
    }
    parts.into_iter().map(layout::row_text).filter(|text| !text.is_empty()).collect()
}

/// A text in which only numbers may differ.
fn pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_numeric() && pattern.ends_with('#') => {}
            c if c.is_numeric() => pattern.push('#'),
            c => pattern.extend(c.to_lowercase()),
        }
    }
    pattern
}

/// Whether a text is a page number and nothing else.
fn is_number(text: &str) -> bool {
    let is_roman = text.chars().all(|c| "ivxlc".contains(c.to_ascii_lowercase()));
    is_roman || !text.chars().any(char::is_alphabetic)
}

/// On which pages a text stands.
#[derive(Default)]
struct Pages {
    /// All, those with odd and those with even numbers.
    all: usize,
    odd: usize,
    /// How many different texts there are.
    texts: HashMap<String, usize>,
}

impl Pages {
    /// Whether most pages have it, or most of the odd or of the even ones.
    fn is_most(&self, count: usize, odd: usize) -> bool {
        let even = self.all - self.odd;
        let is_most = |own: usize, of: usize| own >= MIN_PAGES && own * 10 > of * 6;
        (self.all >= MIN_PAGES && self.all * 2 > count)
            || is_most(self.odd, odd)
            || is_most(even, count.saturating_sub(odd))
    }

    /// Whether a text comes for the first time, on this page. Of numbers that change on each page only the first counts.
    fn is_first(&self, text: &str, page: usize) -> bool {
        let first = self.texts.values().min().copied();
        let is_counter = self.texts.len() * 3 > self.all;
        let of_text = self.texts.get(text).copied();
        (if is_counter { first } else { of_text }) == Some(page)
    }
}

/// Takes headers and footers out of pages, except where they come first.
pub fn take_out(pages: &mut [(&mut Vec<Paragraph>, &Edges)]) {
    let is_odd = |page: usize| page.is_multiple_of(2);
    let with_text = |page: &(usize, &(&mut Vec<Paragraph>, &Edges))| !page.1.0.is_empty();
    let count = pages.iter().enumerate().filter(with_text).count();
    let odd = pages.iter().enumerate().filter(with_text).filter(|(page, _)| is_odd(*page)).count();
    let mut known: HashMap<(bool, String), Pages> = HashMap::new();
    for (page, (_, edges)) in pages.iter().enumerate() {
        for (is_top, text) in edges.texts() {
            let known = known.entry((is_top, pattern(text))).or_default();
            known.all += 1;
            known.odd += usize::from(is_odd(page));
            known.texts.entry(text.clone()).or_insert(page);
        }
    }
    known.retain(|_, known| known.is_most(count, odd));
    if known.is_empty() {
        return;
    }
    for (page, (paragraphs, edges)) in pages.iter_mut().enumerate() {
        for (is_top, row) in &edges.rows {
            let is_repeated = |text: &String| {
                let known = known.get(&(*is_top, pattern(text)));
                known.is_some_and(|known| !known.is_first(text, page))
            };
            let repeated: Vec<&String> = row.iter().filter(|text| is_repeated(text)).collect();
            // The number of the page alone is short, and says something.
            if repeated.iter().all(|text| is_number(text)) {
                continue;
            }
            if repeated.len() == row.len() && remove(paragraphs, *is_top, &row.join(" ")) {
                continue;
            }
            for text in repeated.into_iter().filter(|text| !is_number(text)) {
                remove(paragraphs, *is_top, text);
            }
        }
    }
}

impl Edges {
    fn texts(&self) -> impl Iterator<Item = (bool, &String)> {
        self.rows.iter().flat_map(|(is_top, row)| row.iter().map(move |text| (*is_top, text)))
    }
}

/// Removes a text from the line nearest to an edge that begins or ends with it. False if there is none.
fn remove(paragraphs: &mut Vec<Paragraph>, is_top: bool, text: &str) -> bool {
    let places = paragraphs.iter().enumerate();
    let mut places: Vec<(usize, usize)> =
        places.flat_map(|(at, lines)| (0..lines.len()).map(move |line| (at, line))).collect();
    if !is_top {
        places.reverse();
    }
    for (at, line) in places.into_iter().take(MAX_LINES) {
        let Some(lines) = paragraphs.get_mut(at) else { continue };
        let rest = lines.get(line).and_then(|line| without(line, text));
        let Some(rest) = rest else { continue };
        if rest.is_empty() {
            lines.remove(line);
        } else if let Some(line) = lines.get_mut(line) {
            *line = rest;
        }
        if lines.is_empty() {
            paragraphs.remove(at);
        }
        return true;
    }
    false
}

/// A line without the text that it is, begins or ends with.
fn without(line: &str, text: &str) -> Option<String> {
    let rest = |rest: &str, is_whole: bool| (rest.is_empty() || is_whole).then(|| rest.trim().to_owned());
    let after = line.strip_prefix(text).and_then(|after| rest(after, after.starts_with(' ')));
    after.or_else(|| line.strip_suffix(text).and_then(|before| rest(before, before.ends_with(' '))))
}
