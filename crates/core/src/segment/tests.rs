//! Segments against an index that scores every chunk.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::bm25::{Corpus, Parameters, Scorer, Term, inverse_document_frequency};
use crate::top::Top;
use crate::tsvector::TsVector;
use crate::tsvector::tests::build;

type Lexemes = BTreeMap<Vec<u8>, Vec<(u16, u16)>>;
type Chunks = BTreeMap<i64, Vec<u8>>;

fn lexemes() -> impl Strategy<Value = Lexemes> {
    // Few lexemes, so that lists are long, with some rare ones.
    let lexeme = prop_oneof![6 => 0u32..6, 1 => 6u32..400].prop_map(|n| format!("w{n}").into_bytes());
    prop::collection::btree_map(
        lexeme,
        prop::collection::vec((prop_oneof![5 => Just(0u16), 1 => 0u16..4], 1u16..1000), 1..4),
        1..6,
    )
}

fn chunks(max: usize) -> impl Strategy<Value = Chunks> {
    prop::collection::btree_map(-50i64..100_000, lexemes().prop_map(|l| build(&l)), 1..max)
}

fn length(bytes: &[u8]) -> u32 {
    TsVector::new(bytes).unwrap().length() as u32
}

fn segment<'a>(chunks: impl IntoIterator<Item = (&'a i64, &'a Vec<u8>)>) -> (Summary, Vec<Row>) {
    let mut builder = Builder::new();
    for (number, bytes) in chunks {
        builder.add(*number, length(bytes), &TsVector::new(bytes).unwrap());
    }
    builder.finish()
}

fn check_rows(rows: &[Row]) {
    let keys: Vec<_> = rows.iter().map(|row| (row.lexeme.clone(), row.ordinal)).collect();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    assert!(rows.iter().all(|row| row.data.len() <= MAX_ROW_BYTES && !row.data.is_empty()));
    assert!(rows.len() <= 1 || rows.iter().map(|row| row.data.len()).sum::<usize>() > SMALL_BYTES);
}

fn wanted() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [0, 1, 2, 5, 17, 200].map(|n| format!("w{n}").into_bytes()).into();
    all.push(b"absent".to_vec());
    all.sort();
    all
}

/// The part that a query needs, read as the tables are read: as a whole, or by key.
fn part(summary: &Summary, rows: &[Row], by_key: bool) -> Part {
    let wanted = wanted();
    let mut part = Part::new(summary.chunks, wanted.len());
    if !by_key {
        let wanted: Vec<Key> = wanted.iter().map(|lexeme| Key::new(lexeme)).collect();
        rows.iter().for_each(|row| part.take_all(&wanted, &row.data).unwrap());
        return part;
    }
    let keys = [Vec::new()].into_iter().chain(wanted);
    for (place, lexeme) in keys.enumerate() {
        let begins = rows.iter().rfind(|row| (row.lexeme.as_slice(), row.ordinal) <= (lexeme.as_slice(), 0));
        let goes_on = rows.iter().filter(|row| row.lexeme == lexeme && row.ordinal > 0);
        for row in begins.into_iter().chain(goes_on) {
            part.take(place.checked_sub(1), Key::new(&lexeme), &row.data).unwrap();
        }
    }
    part
}

fn frequency(chunks: &Chunks, lexeme: &[u8]) -> f64 {
    chunks.values().filter(|bytes| TsVector::new(bytes).unwrap().find(lexeme).is_some()).count() as f64
}

fn ranking(chunks: &Chunks, parameters: Parameters) -> Ranking {
    let n = chunks.len() as f64;
    let total: u32 = chunks.values().map(|bytes| length(bytes)).sum();
    Ranking {
        idf: wanted().iter().map(|l| inverse_document_frequency(n, frequency(chunks, l))).collect(),
        corpus: Corpus { chunks: n, mean_length: if n > 0.0 { f64::from(total) / n } else { 0.0 } },
        parameters,
    }
}

/// Every chunk scored.
fn oracle(
    chunks: &Chunks,
    ranking: &Ranking,
    depth: usize,
    allowed: impl Fn(i64) -> bool,
) -> Vec<(i64, f64)> {
    let terms =
        wanted().into_iter().zip(&ranking.idf).map(|(lexeme, idf)| Term { lexeme, idf: *idf }).collect();
    let scorer = Scorer::new(terms, ranking.corpus, ranking.parameters);
    let mut top = Top::new(depth);
    for (number, bytes) in chunks.iter().filter(|(number, _)| allowed(**number)) {
        let score = scorer.score(&TsVector::new(bytes).unwrap(), length(bytes));
        if score > 0.0 {
            top.push(score, *number);
        }
    }
    top.into_sorted().into_iter().map(|s| (s.id, s.score)).collect()
}

fn found(
    parts: &[Part],
    ranking: &Ranking,
    gone: &[i64],
    allowed: Option<&[Bitmap]>,
    depth: usize,
) -> Vec<(i64, f64)> {
    let (mut top, mut searcher) = (Top::new(depth), Searcher::new(ranking, gone));
    for (place, part) in parts.iter().enumerate() {
        let allowed = allowed.map(|allowed| &allowed[place]);
        searcher.search(part, allowed, &mut top, &mut || Ok::<(), Damaged>(())).unwrap();
    }
    top.into_sorted().into_iter().map(|s| (s.id, s.score)).collect()
}

/// The same scores; ids may differ only among equal scores.
fn assert_same(found: &[(i64, f64)], expected: &[(i64, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (f, e) in found.iter().zip(expected) {
        assert_eq!(f.1.to_bits(), e.1.to_bits(), "{found:?} {expected:?}");
    }
}

struct Rows(VecDeque<Row>);

impl Source<Damaged> for Rows {
    fn next(&mut self) -> Result<Option<Vec<u8>>, Damaged> {
        Ok(self.0.pop_front().map(|row| row.data))
    }
}

#[derive(Default)]
struct Out([Vec<Row>; 2]);

impl Sink<Damaged> for Out {
    fn row(&mut self, negative: bool, row: Row) -> Result<(), Damaged> {
        self.0[usize::from(negative)].push(row);
        Ok(())
    }

    fn check(&mut self) -> Result<(), Damaged> {
        Ok(())
    }
}

fn merged(inputs: Vec<(bool, Vec<Row>)>) -> (Merged, [Vec<Row>; 2]) {
    let inputs = inputs.into_iter().map(|(negative, rows)| Input { negative, source: Rows(rows.into()) });
    let mut out = Out::default();
    let merged = merge(inputs.collect(), &mut out).unwrap();
    (merged, out.0)
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let weight = || prop_oneof![1 => Just(0.0), 4 => 0.1f64..5.0];
    (prop_oneof![1 => Just(0.0), 5 => 0.0f64..3.0], 0.0f64..=1.0, weight(), weight(), weight())
        .prop_map(|(k1, b, text, heading, title)| Parameters { k1, b, weights: [text, 1.0, heading, title] })
}

proptest! {
    // Miri takes some hundred times longer: dev/nightly.
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    #[test]
    fn finds_what_scoring_every_chunk_finds(
        chunks in chunks(1500),
        parts in 1usize..5,
        parameters in parameters(),
        depth in 1usize..40,
        by_key in any::<bool>(),
        (some_gone, some_allowed) in (2i64..9, prop_oneof![Just(None), (1i64..60).prop_map(Some)]),
    ) {
        let mut gone: Vec<i64> = chunks.keys().copied().filter(|n| n % some_gone == 0).collect();
        gone.push(1_000_000);
        let stays: Chunks = chunks.iter().filter(|(n, _)| n.rem_euclid(some_gone) != 0).map(|(n, b)| (*n, b.clone())).collect();
        let ranking = ranking(&stays, parameters);
        let segments: Vec<(Summary, Vec<Row>)> = (0..parts)
            .map(|part| segment(chunks.iter().filter(|(n, _)| n.rem_euclid(parts as i64) as usize == part)))
            .collect();
        segments.iter().for_each(|(_, rows)| check_rows(rows));
        let parts: Vec<Part> = segments.iter().map(|(summary, rows)| part(summary, rows, by_key)).collect();
        let is_allowed = |n: i64| some_allowed.is_none_or(|by| n.rem_euclid(by) == 0);
        let numbers: Vec<i64> = chunks.keys().copied().filter(|n| is_allowed(*n)).collect();
        let allowed: Vec<Bitmap> = parts.iter().map(|part| part.with_numbers(&numbers).unwrap()).collect();
        let found = found(&parts, &ranking, &gone, some_allowed.map(|_| allowed.as_slice()), depth);
        assert_same(&found, &oracle(&stays, &ranking, depth, is_allowed));
    }

    #[test]
    fn a_merge_has_what_remains(
        chunks in chunks(900),
        split in 1usize..6,
        (removed_by, elsewhere) in (2i64..9, 0i64..5),
    ) {
        let of = |n: i64| n.rem_euclid(split as i64) as usize;
        let mut inputs: Vec<(bool, Vec<Row>)> =
            (0..split).map(|part| (false, segment(chunks.iter().filter(|(n, _)| of(**n) == part)).1)).collect();
        let is_removed = |n: i64| n.rem_euclid(removed_by) == 0;
        let removed: Chunks = chunks.iter().filter(|(n, _)| is_removed(**n)).map(|(n, b)| (*n, b.clone())).collect();
        // Deletions of chunks that are in other segments stay.
        let others: Chunks = (0..elsewhere).map(|n| (2_000_000 + n, build(&BTreeMap::from([(b"w1".to_vec(), vec![(0, 1)])])))).collect();
        if !removed.is_empty() || !others.is_empty() {
            inputs.insert(inputs.len() / 2, (true, segment(removed.iter().chain(&others)).1));
        }
        let remains: Chunks = chunks.iter().filter(|(n, _)| !is_removed(**n)).map(|(n, b)| (*n, b.clone())).collect();
        // Merged in two steps as well as at once.
        let later = inputs.split_off(inputs.len() / 2);
        let (_, [first, first_negative]) = merged(inputs);
        let steps = [(false, first), (true, first_negative)].into_iter().filter(|(_, rows)| !rows.is_empty());
        let (merged, [rows, negative_rows]) = merged(steps.chain(later).collect());
        prop_assert_eq!(merged.positive.is_some(), !remains.is_empty());
        if let Some(summary) = merged.positive {
            let (expected, expected_rows) = segment(&remains);
            prop_assert_eq!(summary, expected);
            prop_assert_eq!(&rows, &expected_rows);
        }
        prop_assert_eq!(merged.negative.is_some(), !others.is_empty());
        if let Some(summary) = merged.negative {
            let (expected, expected_rows) = segment(&others);
            prop_assert_eq!((summary, &negative_rows), (expected, &expected_rows));
        }
    }

    #[test]
    fn sets_are_those_of_every_chunk(chunks in chunks(700), by_key in any::<bool>()) {
        let (summary, rows) = segment(&chunks);
        let part = part(&summary, &rows, by_key);
        let numbers: Vec<i64> = chunks.keys().copied().collect();
        prop_assert_eq!(&part.numbers().unwrap(), &numbers);
        let wanted = wanted();
        let has = |bytes: &Vec<u8>, place: usize| TsVector::new(bytes).unwrap().find(&wanted[place]).is_some();
        for (place, lexeme) in wanted.iter().enumerate() {
            prop_assert_eq!(f64::from(part.frequency(place)), frequency(&chunks, lexeme));
            let begins = rows.iter().rfind(|row| (row.lexeme.as_slice(), row.ordinal) <= (lexeme.as_slice(), 0));
            let counted = begins.and_then(|row| frequency_in(Key::new(lexeme), &row.data).unwrap()).unwrap_or(0);
            prop_assert_eq!(counted, part.frequency(place));
        }
        let numbers_of = |set: &Bitmap| part.numbers_in(set).unwrap();
        let expected = |is: &dyn Fn(&Vec<u8>) -> bool| -> Vec<i64> {
            chunks.iter().filter(|(_, bytes)| is(bytes)).map(|(n, _)| *n).collect()
        };
        prop_assert_eq!(numbers_of(&part.with_any(&[1, 4]).unwrap()), expected(&|b| has(b, 1) || has(b, 4)));
        let required = [vec![vec![1, 2], vec![5]], vec![vec![3]]];
        let is = |b: &Vec<u8>| (has(b, 1) && has(b, 2) || has(b, 5)) && has(b, 3);
        prop_assert_eq!(numbers_of(&part.with_required(&required).unwrap()), expected(&is));
    }

    #[test]
    fn damaged_rows_are_an_error_or_something_else(
        chunks in chunks(400),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
        by_key in any::<bool>(),
    ) {
        let (summary, mut rows) = segment(&chunks);
        for (row, at, byte) in flips {
            let row = row.index(rows.len());
            let at = at.index(rows[row].data.len());
            rows[row].data[at] ^= byte;
        }
        let wanted = wanted();
        let wanted: Vec<Key> = wanted.iter().map(|lexeme| Key::new(lexeme)).collect();
        let mut part = Part::new(summary.chunks, wanted.len());
        for row in &rows {
            let _ = if by_key { part.take(Some(1), wanted[1], &row.data) } else { part.take_all(&wanted, &row.data) };
        }
        let _ = part.numbers();
        let _ = part.with_any(&[0, 1, 2]);
        let ranking = ranking(&chunks, Parameters::default());
        let mut searcher = Searcher::new(&ranking, &[]);
        let _ = searcher.search(&part, None, &mut Top::new(5), &mut || Ok::<(), Damaged>(()));
        let inputs = vec![Input { negative: false, source: Rows(rows.into()) }];
        let _ = merge(inputs, &mut Out::default());
    }
}

#[test]
fn of_a_number_that_was_added_twice_the_later_one_counts() {
    let bytes = |word: &str| build(&BTreeMap::from([(word.as_bytes().to_vec(), vec![(0, 1)])]));
    let (first, second) = (bytes("w0"), bytes("w1"));
    let (summary, rows) = segment([(&5, &first), (&5, &second)]);
    assert_eq!(summary.chunks, 1);
    let part = part(&summary, &rows, false);
    assert_eq!((part.frequency(1), part.frequency(2)), (0, 1));
}

/// The second row of a small segment may begin with the rest of a list.
#[test]
fn lists_that_span_the_rows_of_a_small_segment_are_read_whole() {
    let wanted = wanted();
    let mut spanned = 0;
    for count in (100..2_000).step_by(20) {
        let chunks: Chunks = (0..count)
            .map(|n| {
                let lexemes = wanted.iter().filter(|lexeme| *lexeme != b"absent");
                let positions = |place| vec![(0, 1); 1 + (n as usize + place) % 3];
                (n, build(&lexemes.enumerate().map(|(place, l)| (l.clone(), positions(place))).collect()))
            })
            .collect();
        let (summary, rows) = segment(&chunks);
        spanned += usize::from(rows.len() == 1 && rows[0].data.len() > ROW_BYTES);
        let part = part(&summary, &rows, false);
        for (place, lexeme) in wanted.iter().enumerate() {
            let expected = if lexeme == b"absent" { 0 } else { count as usize };
            assert_eq!(part.with_any(&[place]).unwrap().iter().count(), expected, "{count} chunks");
        }
    }
    assert!(spanned > 3, "{spanned} segments have two rows in one");
}
