//! Which segments to merge next: tiers as in a log-structured merge tree (O'Neil and others, "The log-structured
//! merge-tree", 1996), where a merge takes many segments of one tier at once.

/// Size and sign of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Later segments have higher ids.
    pub id: i64,
    /// Whether it lists deleted chunks.
    pub negative: bool,
    /// How many chunks it has.
    pub chunks: u32,
    /// How many of its chunks are in segments of the other sign that are considered, if they were counted; otherwise 0.
    pub gone: u32,
}

/// No merge that is not a purge makes a segment with more chunks.
pub const MAX_CHUNKS: u32 = 262_144;
/// The most deletions that one purge merges, if it is more than one segment of them: what it keeps of them is written again.
const MAX_PURGED: u32 = 65_536;

/// When a merge is due, and how much it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The least segments of each tier.
    pub min: [usize; LAST_TIER as usize],
    /// The most segments.
    pub max: usize,
    /// The most chunks, if that are at least `few` segments.
    pub chunks: u32,
    /// So many segments are merged even if they have more chunks.
    pub few: usize,
}

impl Share {
    /// The same, due when a tier has this many segments, if that is earlier.
    pub fn due_from(self, min: usize) -> Share {
        Share { min: self.min.map(|own| own.min(min)), ..self }
    }
}

/// What a worker does, or a writer of a large segment: all that waits in a tier, in at most some seconds. A search looks each
/// lexeme up in each larger segment: there are fewer of these.
pub const OF_WORKER: Share = Share { min: [64, 16, 8, 8], max: 256, chunks: MAX_CHUNKS, few: 1 };
/// What a writer does where no worker does it: so little that its statement takes some milliseconds longer.
pub const OF_WRITER: Share = Share { min: [256, 64, 32, 32], max: 64, chunks: 1_024, few: 8 };
/// So many chunks in one segment make it large.
pub const BULK_CHUNKS: u32 = 4_096;

/// The tier whose segments are merged by purges only.
const LAST_TIER: i16 = 4;

/// The tier of a segment with this many chunks: 0 below 64, 1 below 1,024, 2 below 16,384, 3 below 262,144, otherwise 4. Only
/// segments of similar size are merged with each other, or the largest of them would be written again and again.
pub fn tier(chunks: u32) -> i16 {
    match chunks {
        0..64 => 0,
        64..1_024 => 1,
        1_024..16_384 => 2,
        16_384..MAX_CHUNKS => 3,
        _ => LAST_TIER,
    }
}

/// The segments to merge next, oldest first; None when nothing is due. They are the smallest of the lowest tier that has
/// enough segments. A segment that is more than half full is not merged: nothing of its size could join it, and
/// it would be written again for each of the small ones that fit.
pub fn next_merge(segments: &[Segment], share: &Share) -> Option<Vec<i64>> {
    (0..LAST_TIER).zip(share.min).find_map(|(wanted, min)| {
        let in_tier = |s: &&Segment| tier(s.chunks) == wanted && s.chunks <= MAX_CHUNKS / 2;
        let mut due: Vec<&Segment> = segments.iter().filter(in_tier).collect();
        if due.len() < min {
            return None;
        }
        due.sort_unstable_by_key(|segment| (segment.chunks, segment.id));
        // One of each sign could come out as they went in.
        let (negative, positive) = due.iter().partition(|segment| segment.negative);
        [due, positive, negative].into_iter().find_map(|due| smallest(&due, share))
    })
}

/// The first of these segments that are not too many; None unless there are two of one sign.
fn smallest(due: &[&Segment], share: &Share) -> Option<Vec<i64>> {
    let (mut total, mut place) = (0, 0);
    let fits = |segment: &&&Segment| {
        total += segment.chunks;
        place += 1;
        total <= if place <= share.few { MAX_CHUNKS } else { share.chunks }
    };
    let chosen: Vec<&&Segment> = due.iter().take(share.max).take_while(fits).collect();
    let negatives = chosen.iter().filter(|segment| segment.negative).count();
    let mut ids: Vec<i64> = chosen.iter().map(|segment| segment.id).collect();
    ids.sort_unstable();
    (negatives >= 2 || ids.len() - negatives >= 2).then_some(ids)
}

/// Whether deletions should be purged: the negative segments have more than an eighth of the chunks of the positive
/// ones.
pub fn is_purge_due(segments: &[Segment]) -> bool {
    let chunks = |negative| -> u64 {
        segments.iter().filter(|s| s.negative == negative).map(|s| u64::from(s.chunks)).sum()
    };
    chunks(true) * 8 > chunks(false)
}

/// The positive segment to purge: the one with the greatest share of chunks gone. None if no positive segment has any gone.
pub fn most_gone(segments: &[Segment]) -> Option<Segment> {
    let share = |s: &Segment| f64::from(s.gone) / f64::from(s.chunks.max(1));
    segments
        .iter()
        .filter(|segment| !segment.negative && segment.gone > 0)
        .max_by(|a, b| share(a).total_cmp(&share(b)).then(b.id.cmp(&a.id)))
        .copied()
}

/// The segments to merge in a purge of `purged`, oldest first: that segment, and those negative ones that list most of its
/// chunks. `negatives` have these counted in `gone`.
pub fn next_purge(purged: &Segment, negatives: &[Segment]) -> Vec<i64> {
    let mut listing: Vec<&Segment> = negatives.iter().filter(|s| s.negative && s.gone > 0).collect();
    listing.sort_unstable_by_key(|segment| (std::cmp::Reverse(segment.gone), segment.id));
    let mut total = 0_u32;
    let chosen = listing.into_iter().enumerate().take_while(|(place, segment)| {
        total = total.saturating_add(segment.chunks);
        *place == 0 || total <= MAX_PURGED
    });
    let mut ids: Vec<i64> = chosen.map(|(_, segment)| segment.id).collect();
    ids.push(purged.id);
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Merges what is due until nothing is; no number disappears. With how many merges there were, and how many chunks they wrote.
    fn settle(mut segments: Vec<Segment>, share: &Share) -> (Vec<Segment>, usize, u64) {
        let (mut merges, mut written) = (0, 0);
        loop {
            let Some(ids) = next_merge(&segments, share) else { return (segments, merges, written) };
            let of = |id: &i64| segments.iter().find(|segment| segment.id == *id).map_or(0, |s| s.chunks);
            let taken: u32 = ids.iter().map(of).sum();
            assert!(ids.len() <= share.max && (taken <= share.chunks || ids.len() <= share.few));
            assert!(ids.len() >= 2 && ids.is_sorted());
            let id = segments.iter().map(|segment| segment.id).max().unwrap_or(0) + 1;
            let (merged, rest): (Vec<Segment>, Vec<_>) =
                segments.into_iter().partition(|s| ids.contains(&s.id));
            assert_eq!(merged.len(), ids.len());
            segments = rest;
            for negative in [false, true] {
                let chunks = merged.iter().filter(|s| s.negative == negative).map(|s| s.chunks).sum();
                if chunks > 0 {
                    segments.push(Segment { id: id + i64::from(negative), negative, chunks, gone: 0 });
                }
            }
            written += u64::from(taken);
            merges += 1;
            assert!(segments.iter().all(|segment| segment.chunks <= MAX_CHUNKS));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn merging_ends_and_each_chunk_is_merged_a_few_times(
            which in 0usize..2,
            sizes in prop::collection::vec((prop_oneof![8 => 1u32..64, 4 => 64u32..4096, 2 => 4096u32..60_000, 1 => 60_000u32..300_000], prop::bool::weighted(0.1)), 0..600),
        ) {
            let share = [OF_WORKER, OF_WRITER][which];
            let mut segments: Vec<Segment> = Vec::new();
            let (mut merges, mut written) = (0, 0);
            for (id, (chunks, negative)) in (0..).zip(sizes.iter().copied()) {
                segments.push(Segment { id: id * 1000, negative, chunks: chunks.min(MAX_CHUNKS), gone: 0 });
                let (settled, more, more_written) = settle(segments, &share);
                segments = settled;
                merges += more;
                written += more_written;
            }
            let chunks: u64 = segments.iter().map(|segment| u64::from(segment.chunks)).sum();
            prop_assert!(written <= 5 * chunks, "{written} written for {chunks}");
            prop_assert!(merges <= sizes.len());
            for (wanted, min) in (0..LAST_TIER).zip(share.min) {
                let waiting = segments.iter().filter(|s| tier(s.chunks) == wanted && s.chunks <= MAX_CHUNKS / 2);
                prop_assert!(waiting.count() < min);
            }
        }
    }

    #[test]
    fn deletions_are_purged_where_they_are_most() {
        let segment = |id, negative, chunks, gone| Segment { id, negative, chunks, gone };
        assert!(!is_purge_due(&[segment(1, false, 80, 0), segment(2, true, 10, 0)]));
        assert!(is_purge_due(&[segment(1, false, 80, 0), segment(2, true, 11, 0)]));
        assert!(is_purge_due(&[segment(2, true, 1, 0)]));
        assert!(!is_purge_due(&[]));
        let all = [segment(1, false, 80, 9), segment(2, false, 20, 5), segment(3, true, 14, 0)];
        assert_eq!(most_gone(&all), Some(all[1]));
        assert_eq!(most_gone(&[segment(1, false, 80, 0), segment(3, true, 14, 0)]), None);
    }

    #[test]
    fn a_purge_takes_the_deletions_that_it_ends() {
        let segment = |id, negative, chunks, gone| Segment { id, negative, chunks, gone };
        let purged = segment(5, false, 100_000, 30);
        let of = |negatives: &[Segment]| next_purge(&purged, negatives);
        assert_eq!(
            of(&[segment(3, true, 14, 10), segment(4, true, 90, 0), segment(7, true, 20, 20)]),
            [3, 5, 7]
        );
        let many = [segment(6, true, 40_000, 5), segment(7, true, 40_000, 6), segment(8, true, 9, 4)];
        assert_eq!(of(&many), [5, 7]);
        assert_eq!(of(&[segment(6, true, 262_144, 30)]), [5, 6]);
    }
}
