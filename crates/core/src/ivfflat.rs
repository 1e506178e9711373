//! The arithmetic of pgvector's IVFFlat index: how many lists it gets for how many vectors, when it has to be built again,
//! and how many of its lists a search compares.

/// Below this many vectors no index is built: one would have a single list, or none.
pub const MIN_ROWS: i64 = 1_000;
/// Below this many vectors an exact scan is about as fast: kb_rag's searches compare all, and an index is for readers with SQL of
/// their own.
const SEARCH_ROWS: i64 = 10_000;
/// pgvector's advice: a list for this many vectors, as long as there are at most [`MANY_ROWS`].
const ROWS_PER_LIST: i64 = 1_000;
/// Above this many vectors the number of lists is their square root.
const MANY_ROWS: i64 = 1_000_000;
/// The fewest lists of an index that searches use.
const SEARCH_LISTS: i64 = SEARCH_ROWS / ROWS_PER_LIST;
/// pgvector's limit.
const MAX_LISTS: i64 = 32_768;
/// The factor by which the number of vectors may grow or shrink until the index is built again.
const GROWTH: i64 = 10;
/// pgvector clusters at least this many vectors, and this many for each list.
const MIN_SAMPLES: i64 = 10_000;
const SAMPLES_PER_LIST: i64 = 50;
/// Compared lists, relative to the square root of their number. With a filter, the results are farther away, in more lists.
/// With these numbers recall@10 was at least .95 (docs/benchmarks.md).
const PROBES: f64 = 1.8;
const FILTERED_PROBES: f64 = 2.7;
/// Vectors compared for each result.
const ROWS_PER_RESULT: i64 = 20;

/// The number of lists for this many vectors; None where no index is built.
pub fn lists(rows: i64) -> Option<i64> {
    match rows {
        ..MIN_ROWS => None,
        MIN_ROWS..=MANY_ROWS => Some(rows / ROWS_PER_LIST),
        _ => Some(rows.isqrt().min(MAX_LISTS)),
    }
}

/// The same, but no more lists than pgvector can cluster in `memory` bytes, of vectors with these dimensions and bytes.
/// Where even the fewest do not fit, they are the answer: pgvector's error says how much memory they need.
pub fn lists_within(rows: i64, vector: Vector, memory: i64) -> Option<i64> {
    let wanted = lists(rows)?;
    // Searches would never use fewer.
    let least = if wanted < SEARCH_LISTS { 1 } else { SEARCH_LISTS };
    let (mut fits, mut too_many) = (least, wanted + 1);
    while too_many - fits > 1 {
        let middle = fits + (too_many - fits) / 2;
        if vector.clustering_bytes(middle) <= memory { fits = middle } else { too_many = middle }
    }
    Some(fits)
}

/// For at least how many vectors an index of so many lists was built.
fn rows_of(lists: i64) -> i64 {
    if lists <= MANY_ROWS / ROWS_PER_LIST { lists * ROWS_PER_LIST } else { lists.saturating_mul(lists) }
}

/// Whether the number of vectors is ten times, or a tenth of, the one that an index of so many lists is for; or searches could use an
/// index, and not this one.
pub fn is_outdated(lists: i64, rows: i64) -> bool {
    let built_for = rows_of(lists);
    let is_too_small = lists < SEARCH_LISTS && rows >= SEARCH_ROWS;
    is_too_small || rows >= built_for.saturating_mul(GROWTH) || rows.saturating_mul(GROWTH) <= built_for
}

/// How many lists of an index over `rows` vectors a search for `depth` results compares; None where comparing all vectors
/// is about as fast.
pub fn probes(lists: i64, rows: i64, depth: i64, is_filtered: bool) -> Option<i64> {
    if lists < SEARCH_LISTS {
        return None;
    }
    let factor = if is_filtered { FILTERED_PROBES } else { PROBES };
    let for_recall = (factor * (lists as f64).sqrt()).ceil() as i64;
    let for_depth = depth.saturating_mul(ROWS_PER_RESULT).saturating_mul(lists) / rows.max(1);
    let probes = for_recall.max(for_depth).max(1);
    (probes.saturating_mul(4) <= lists.saturating_mul(3)).then_some(probes)
}

/// The vectors of an index.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// How many numbers one vector has.
    pub dimensions: i64,
    /// Of one vector, without its header.
    pub bytes: i64,
}

impl Vector {
    /// The memory that pgvector needs to cluster the vectors into so many lists, and a twentieth more. It must be at most
    /// maintenance_work_mem.
    fn clustering_bytes(self, lists: i64) -> i64 {
        let samples = (lists * SAMPLES_PER_LIST).max(MIN_SAMPLES);
        let vectors = (samples + 2 * lists) * (self.bytes + 16);
        let sums = lists * self.dimensions * 4;
        let bounds = (samples + lists) * (lists + 3) * 4;
        (vectors + sums + bounds) / 20 * 21
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINILM: Vector = Vector { dimensions: 384, bytes: 4 * 384 };
    const MB: i64 = 1 << 20;

    #[test]
    fn lists_follow_the_advice_of_pgvector() {
        for (rows, expected) in [
            (0, None),
            (999, None),
            (1_000, Some(1)),
            (9_999, Some(9)),
            (10_000, Some(10)),
            (20_000, Some(20)),
            (100_999, Some(100)),
            (1_000_000, Some(1_000)),
            (1_000_001, Some(1_000)),
            (4_000_000, Some(2_000)),
            (2_000_000_000, Some(32_768)),
            (i64::MAX, Some(32_768)),
        ] {
            assert_eq!(lists(rows), expected, "{rows} rows");
        }
    }

    #[test]
    fn an_index_is_outdated_at_ten_times_its_rows() {
        for (lists, rows, expected) in [
            (10, 99_999, false),
            (10, 100_000, true),
            (10, 1_001, false),
            (10, 1_000, true),
            (1, 9_999, false),
            (1, 10_000, true),
            (9, 10_000, true),
            (9, 901, false),
            (1, 100, true),
            (10, 0, true),
            (1_000, 9_999_999, false),
            (1_000, 10_000_000, true),
            (2_000, 39_999_999, false),
            (2_000, 40_000_000, true),
        ] {
            assert_eq!(is_outdated(lists, rows), expected, "{lists} lists, {rows} rows");
        }
    }

    #[test]
    fn lists_fit_into_the_memory() {
        // What the error of pgvector 0.8.5 says, rounded up, for vectors of 384 dimensions.
        for (lists, required) in [(100, 20), (500, 88), (1_000, 273)] {
            let bytes = MINILM.clustering_bytes(lists);
            assert!((required * MB..required * MB * 11 / 10).contains(&bytes), "{lists} lists: {bytes}");
        }
        assert_eq!(lists_within(1_000_000, MINILM, 300 * MB), Some(1_000));
        assert_eq!(lists_within(100_000, MINILM, 64 * MB), Some(100));
        assert!(lists_within(1_000_000, MINILM, 64 * MB).is_some_and(|lists| (300..400).contains(&lists)));
        assert_eq!(lists_within(1_000_000, MINILM, MB), Some(10));
        assert_eq!(lists_within(9_999, MINILM, 64 * MB), Some(9));
        assert_eq!(lists_within(9_999, MINILM, MB), Some(1));
        assert_eq!(lists_within(999, MINILM, 64 * MB), None);
    }

    #[test]
    fn probes_grow_with_lists_and_results() {
        for (lists, rows, depth, expected) in [
            (10, 10_000, 100, Some(6)),
            (20, 20_000, 100, Some(9)),
            (100, 100_000, 100, Some(18)),
            (1_000, 1_000_000, 100, Some(57)),
            (100, 100_000, 1_000, Some(20)),
            (100, 100_000, 3_750, Some(75)),
            (100, 100_000, 3_800, None),
            (1, 10_000, 5, None),
            (9, 9_999, 5, None),
            (9, 90_000, 5, None),
        ] {
            assert_eq!(
                probes(lists, rows, depth, false),
                expected,
                "{lists} lists, {rows} rows, {depth} results"
            );
        }
        assert_eq!(
            [10, 20, 100].map(|lists| probes(lists, lists * 1_000, 100, true)),
            [None, Some(13), Some(27)]
        );
    }

    proptest! {
        #[test]
        fn a_new_index_is_not_outdated(rows in 0..20_000_000_000i64) {
            if let Some(lists) = lists(rows) {
                prop_assert!((1..=MAX_LISTS).contains(&lists));
                prop_assert!(lists == MAX_LISTS || !is_outdated(lists, rows));
            }
        }

        #[test]
        fn no_more_lists_than_fit(rows in MIN_ROWS..20_000_000_000i64, dimensions in 1..4_000i64, memory in 1..1i64 << 40) {
            let vector = Vector { dimensions, bytes: 4 * dimensions };
            let found = lists_within(rows, vector, memory).unwrap();
            let least = if rows < SEARCH_ROWS { 1 } else { SEARCH_LISTS };
            prop_assert!(found == least || vector.clustering_bytes(found) <= memory);
            prop_assert!(Some(found) == lists(rows) || vector.clustering_bytes(found + 1) > memory);
        }

        #[test]
        fn fewer_lists_are_compared_than_there_are(lists in 1..=MAX_LISTS, rows in 0..i64::MAX, depth in 1..100_000i64, is_filtered: bool) {
            let found = probes(lists, rows, depth, is_filtered);
            prop_assert!(found.is_none_or(|found| found >= 1 && found < lists));
        }
    }
}
