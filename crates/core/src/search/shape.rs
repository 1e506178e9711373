//! The last steps from hits to rows, in this order: documents are capped, copies are merged, windows are opened. Each row depends on
//! those before it alone, so the first rows are the same however many are wanted.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Action, Candidate, Id, Search, Step};

/// A hash of the text of a chunk: chunks with the same one are copies.
pub type Digest = [u8; 32];

/// How much of a document a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Window {
    /// The chunk and so many chunks before and after it.
    Neighbors(u32),
    /// The document, or so many characters of it around the chunk.
    Document {
        /// Above 0.
        max_chars: u32,
    },
}

impl Window {
    /// The characters that a row shows of its document, unless other rows show them.
    fn of<I>(self, place: &Place<I>) -> Range<u32> {
        match self {
            Window::Neighbors(_) => cover(&place.chunk, &place.around),
            Window::Document { max_chars } => around(&place.chunk, &place.around, max_chars),
        }
    }
}

/// Where a chunk stands, in characters of its document from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<I> {
    /// The document.
    pub document: I,
    /// The chunk.
    pub chunk: Range<u32>,
    /// The chunk with its neighbors, or the document.
    pub around: Range<u32>,
}

/// Chunks with their places.
pub type Placed<I> = Vec<(Candidate<I>, Place<I>)>;

/// The texts of these chunks, to find copies.
#[derive(Debug)]
pub struct Texts<I> {
    /// The chunks, distinct.
    pub ids: Vec<Candidate<I>>,
}

/// Where these chunks stand in their documents.
#[derive(Debug)]
pub struct Places<I> {
    /// The chunks, distinct.
    pub ids: Vec<Candidate<I>>,
    /// What [`Place::around`] is of each.
    pub window: Window,
}

/// A result: the place of its hit in the list, and what it shows.
pub(super) struct Row {
    pub hit: usize,
    /// None for the chunk alone.
    pub window: Option<Range<u32>>,
}

impl<I: Id, E> Search<I, E> {
    /// The hits that remain once documents are capped and copies merged, by their place in the list.
    fn kept(&self) -> impl Iterator<Item = usize> {
        let mut counts: HashMap<I, usize> = HashMap::new();
        let mut texts: HashSet<&Digest> = HashSet::new();
        self.found.hits.iter().enumerate().filter_map(move |(place, hit)| {
            if let Some(max) = self.query.max_per_document {
                let count = counts.entry(*self.documents.get(&hit.id)?).or_default();
                *count += 1;
                if *count > max {
                    return None;
                }
            }
            let text = self.texts.get(&hit.id).and_then(Option::as_ref);
            text.is_none_or(|text| texts.insert(text)).then_some(place)
        })
    }

    /// The rows, those that are skipped included, and the chunks whose places must be known to tell.
    pub(super) fn rows(&self) -> (Vec<Row>, Vec<Candidate<I>>) {
        let mut shown: HashMap<(usize, I), Vec<Range<u32>>> = HashMap::new();
        let (mut rows, mut unknown) = (Vec::new(), Vec::new());
        for hit in self.kept() {
            if rows.len() == self.query.count {
                break;
            }
            let id = self.found.hits[hit].id;
            let place = match (self.query.window, self.places.get(&id)) {
                (Some(window), Some(Some(place))) => Some((window.of(place), place)),
                (Some(_), None) => {
                    unknown.push(id);
                    None
                }
                _ => None,
            };
            let mut left = None;
            if let Some((window, place)) = place {
                let shown = shown.entry((id.base, place.document)).or_default();
                let Some(part) = not_shown(&place.chunk, window, shown) else { continue };
                shown.push(part.clone());
                left = Some(part);
            }
            rows.push(Row { hit, window: left });
        }
        (rows, unknown)
    }

    /// The copies of a hit among those that were found when it was. What later rounds find is not among them, so they do not depend
    /// on how many results are wanted.
    pub(super) fn copies(&self, of: &[Row]) -> Vec<Vec<Candidate<I>>> {
        let mut by_text: HashMap<&Digest, Vec<usize>> = HashMap::new();
        for (place, hit) in self.found.hits.iter().enumerate() {
            if let Some(Some(text)) = self.texts.get(&hit.id) {
                by_text.entry(text).or_default().push(place);
            }
        }
        let copies = |row: &Row| {
            let text = self.texts.get(&self.found.hits[row.hit].id)?.as_ref()?;
            let end = self.found.end_of_round(row.hit);
            let others = by_text.get(text)?.iter().filter(|other| **other != row.hit && **other < end);
            Some(others.map(|other| self.found.hits[*other].id).collect())
        };
        of.iter().map(|row| copies(row).unwrap_or_default()).collect()
    }

    /// Asks for the texts of the hits that have come new, if copies are merged.
    pub(super) fn ask_texts(&self) -> Option<Action<I>> {
        if !self.query.merges_copies {
            return None;
        }
        let new = self.found.hits.iter().map(|hit| hit.id).filter(|id| !self.texts.contains_key(id));
        let ids: Vec<Candidate<I>> = new.collect();
        (!ids.is_empty()).then_some(Action::Texts(Texts { ids }))
    }

    /// Digests of the texts of chunks, as pairs of both. A chunk without one is a copy of none.
    pub fn texts(&mut self, action: Texts<I>, texts: Result<Vec<(Candidate<I>, Digest)>, E>) {
        let texts = self.or_nothing(texts);
        self.texts.extend(action.ids.into_iter().map(|id| (id, None)));
        self.texts.extend(texts.into_iter().map(|(id, text)| (id, Some(text))));
    }

    /// Asks for the places of rows. Those that others show entirely make room for more, whose places are asked for then.
    pub(super) fn ask_places(&self) -> (Vec<Action<I>>, Step) {
        let Some(window) = self.query.window else { return (Vec::new(), Step::Cap) };
        match self.rows().1 {
            ids if ids.is_empty() => (Vec::new(), Step::Cap),
            ids => (vec![Action::Places(Places { ids, window })], Step::Places),
        }
    }

    /// The places of chunks. One without a place is shown alone.
    pub fn places(&mut self, action: Places<I>, places: Result<Placed<I>, E>) {
        let places = self.or_nothing(places);
        self.places.extend(action.ids.into_iter().map(|id| (id, None)));
        self.places.extend(places.into_iter().map(|(id, place)| (id, Some(place))));
    }
}

impl Window {
    /// How many characters of the text of a window are left out at its beginning and its end, among the `before` that precede its chunk
    /// and the `after` that follow it: spaces, and the rest of a word where `range` may begin or end in one.
    pub fn margins(self, text: &str, range: &Range<u32>, before: usize, after: usize) -> (usize, usize) {
        let length = range.end.saturating_sub(range.start);
        let is_cut = matches!(self, Window::Document { max_chars } if length >= max_chars);
        let first: Vec<char> = text.chars().take(before).collect();
        let last: Vec<char> = text.chars().rev().take(after).collect();
        (margin(&first, is_cut && range.start > 0), margin(&last, is_cut))
    }
}

/// How many characters to leave out, given from the edge of a text inwards.
fn margin(edge: &[char], may_be_cut: bool) -> usize {
    let word = if may_be_cut { edge.iter().position(|c| c.is_whitespace()).unwrap_or(0) } else { 0 };
    word + edge[word..].iter().take_while(|c| c.is_whitespace()).count()
}

/// The least range that holds both.
fn cover(one: &Range<u32>, other: &Range<u32>) -> Range<u32> {
    one.start.min(other.start)..one.end.max(other.end)
}

/// At most `max` characters of a document, with the chunk in the middle where that is possible; the chunk at least.
fn around(chunk: &Range<u32>, document: &Range<u32>, max: u32) -> Range<u32> {
    let whole = cover(chunk, document);
    if whole.end - whole.start <= max {
        return whole;
    }
    let Some(spare) = max.checked_sub(chunk.end.saturating_sub(chunk.start)) else { return chunk.clone() };
    let last_start = whole.end - max;
    let start = chunk.start.saturating_sub(spare / 2).clamp(whole.start, last_start);
    start..start + max
}

/// The part of a window around the first part of the chunk that no range in `shown` has. None if they have all of the chunk.
fn not_shown(chunk: &Range<u32>, window: Range<u32>, shown: &[Range<u32>]) -> Option<Range<u32>> {
    let mut first = chunk.start;
    // As often as there are ranges, since each moves it at most once.
    for _ in shown {
        first =
            shown.iter().filter(|range| range.contains(&first)).map(|range| range.end).max().unwrap_or(first);
    }
    if first >= chunk.end && !(chunk.is_empty() && first == chunk.start) {
        return None;
    }
    let start = shown.iter().map(|range| range.end).filter(|end| *end <= first).fold(window.start, u32::max);
    let end = shown.iter().map(|range| range.start).filter(|start| *start > first).fold(window.end, u32::min);
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_document_is_shown_around_the_chunk() {
        for (chunk, max, expected) in [
            (40..50, 100, 0..100),
            (40..50, 30, 30..60),
            (0..10, 30, 0..30),
            (95..100, 30, 70..100),
            (40..80, 30, 40..80),
        ] {
            assert_eq!(around(&chunk, &(0..100), max), expected);
        }
    }

    #[test]
    fn a_window_is_cut_where_another_row_shows_the_text() {
        let left = |shown: &[(u32, u32)]| {
            let shown: Vec<Range<u32>> = shown.iter().map(|(start, end)| *start..*end).collect();
            not_shown(&(40..50), 0..100, &shown)
        };
        assert_eq!(left(&[]), Some(0..100));
        assert_eq!(left(&[(0, 30)]), Some(30..100));
        assert_eq!(left(&[(60, 100)]), Some(0..60));
        assert_eq!(left(&[(0, 45)]), Some(45..100));
        assert_eq!(left(&[(0, 42), (42, 46), (48, 90)]), Some(46..48));
        assert_eq!(left(&[(40, 50)]), None);
        assert_eq!(left(&[(30, 45), (45, 60)]), None);
    }

    #[test]
    fn margins_have_no_words() {
        let document = Window::Document { max_chars: 12 };
        assert_eq!(document.margins("pha beta gam", &(2..14), 4, 4), (4, 4));
        assert_eq!(document.margins("pha beta gam", &(0..12), 4, 0), (0, 0));
        assert_eq!(document.margins("beta gamma", &(2..12), 4, 4), (0, 0));
        assert_eq!(document.margins("知识库里的文档会被切分成", &(2..14), 4, 4), (0, 0));
        assert_eq!(Window::Neighbors(1).margins(" pha beta  ", &(2..12), 4, 4), (1, 2));
    }

    fn range() -> impl Strategy<Value = Range<u32>> {
        (0_u32..50, 1_u32..20).prop_map(|(start, length)| start..start + length)
    }

    proptest! {
        #[test]
        fn no_character_is_shown_twice(rows in prop::collection::vec((range(), range()), 1..8)) {
            let mut shown: Vec<Range<u32>> = Vec::new();
            for (chunk, around) in rows {
                let window = cover(&chunk, &around);
                match not_shown(&chunk, window.clone(), &shown) {
                    None => prop_assert!(chunk.clone().all(|at| shown.iter().any(|range| range.contains(&at)))),
                    Some(left) => {
                        prop_assert!(window.start <= left.start && left.end <= window.end && !left.is_empty());
                        prop_assert!(left.clone().any(|at| chunk.contains(&at)), "{left:?} {chunk:?}");
                        prop_assert!(shown.iter().all(|range| range.end <= left.start || left.end <= range.start));
                        shown.push(left);
                    }
                }
            }
        }

        #[test]
        fn a_window_of_a_document_has_the_chunk(chunk in range(), max in 1_u32..100) {
            let window = around(&chunk, &(0..70), max);
            prop_assert!(window.start <= chunk.start && chunk.end <= window.end && window.end <= 70);
            prop_assert!(window.end - window.start <= max.max(chunk.end - chunk.start));
        }
    }
}
