//! Properties of fusion.

use kb_rag_core::fusion::{Arm, Fused, rank_missed, reciprocal_rank_fusion, relative_score_fusion};
use proptest::prelude::*;

/// A list of distinct ids in any order.
fn ranking() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::btree_set(0..40_u16, 0..25)
        .prop_map(|ids| ids.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn rankings() -> impl Strategy<Value = Vec<(f64, Vec<u16>)>> {
    prop::collection::vec((prop_oneof![Just(1.0), Just(0.0), 0.0..4.0], ranking()), 0..5)
}

fn fuse(lists: &[(f64, Vec<u16>)], k: f64) -> Vec<Fused<u16>> {
    let scored: Vec<Vec<(u16, f64)>> = lists
        .iter()
        .map(|(_, ids)| (0..).zip(ids).map(|(place, &id)| (id, f64::from(-place))).collect())
        .collect();
    let arms: Vec<Arm<u16>> = lists
        .iter()
        .zip(&scored)
        .map(|((weight, _), hits)| Arm { weight: *weight, hits, found: hits.len(), incomparable: &[] })
        .collect();
    reciprocal_rank_fusion(&arms, k)
}

/// The definition, implemented literally.
fn oracle(lists: &[(f64, Vec<u16>)], k: f64) -> Vec<Fused<u16>> {
    let mut hits = Vec::new();
    for id in 0..40 {
        let place = |ids: &Vec<u16>| ids.iter().position(|&other| other == id).map(|at| at as u32 + 1);
        let ranks: Vec<_> = lists.iter().map(|(_, ids)| place(ids)).collect();
        if ranks.iter().any(Option::is_some) {
            let term = |(rank, (weight, _)): (&Option<u32>, &(f64, _))| {
                rank.map_or(0.0, |r| weight * (1.0 / (k + f64::from(r))))
            };
            let score = ranks.iter().zip(lists).map(term).fold(0.0, |sum, term| sum + term);
            hits.push(Fused { id, score, ranks });
        }
    }
    let ranks = |hit: &Fused<u16>| hit.ranks.iter().map(|rank| rank.unwrap_or(u32::MAX)).collect::<Vec<_>>();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(ranks(a).cmp(&ranks(b))).then(a.id.cmp(&b.id)));
    hits
}

/// Best first, ties by id.
fn sorted(mut hits: Vec<(u16, f64)>) -> Vec<(u16, f64)> {
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits
}

proptest! {
    /// An approximate search that finds `depth` of all hits, while another arm compared those that `compared` has: the ranks are
    /// those of an exact search over both.
    #[test]
    fn missed_hits_get_their_ranks(
        scores in prop::collection::vec(0..9_u8, 1..30),
        seen in prop::collection::vec(any::<bool>(), 30),
        compared in prop::collection::vec(any::<bool>(), 30),
        depth in 1..12_usize,
    ) {
        let all: Vec<(u16, f64)> = (0..).zip(&scores).map(|(id, score)| (id, f64::from(*score))).collect();
        let is_in = |marks: &[bool], id: u16| marks[usize::from(id)];
        let mut hits = sorted(all.iter().copied().filter(|hit| is_in(&seen, hit.0)).collect());
        prop_assume!(hits.len() >= depth);
        hits.truncate(depth);
        let found: Vec<u16> = hits.iter().map(|hit| hit.0).collect();
        let exact = sorted(
            all.iter().copied().filter(|hit| found.contains(&hit.0) || is_in(&compared, hit.0)).collect(),
        );
        // All others have a score, compared or not.
        hits.extend(all.iter().filter(|hit| !found.contains(&hit.0)));
        rank_missed(&mut hits, depth, false, |id| is_in(&compared, *id));
        prop_assert_eq!(&hits[..depth], &exact[..depth]);
        prop_assert_eq!(sorted(hits), sorted(all));
    }

    /// Whatever the order by id: equal hits are found together, with the rank of the first of them.
    #[test]
    fn equal_hits_share_a_rank(
        scores in prop::collection::vec(0..5_u8, 1..30),
        depth in 1..12_usize,
        k in 0.0..100.0,
    ) {
        let all: Vec<(u16, f64)> = sorted((0..).zip(&scores).map(|(id, score)| (id, f64::from(*score))).collect());
        prop_assume!(all.len() >= depth);
        let mut hits = all.clone();
        // The others were compared, and are in any order.
        hits[depth..].reverse();
        let found = rank_missed(&mut hits, depth, true, |_| true);
        let cut = all[depth - 1].1;
        prop_assert_eq!(found, all.iter().filter(|(_, score)| *score >= cut).count());
        let arm = Arm { weight: 1.0, hits: &hits, found, incomparable: &[] };
        let fused = reciprocal_rank_fusion(&[arm], k);
        prop_assert_eq!(fused.len(), found);
        for hit in fused {
            let (_, score) = all[all.iter().position(|(id, _)| *id == hit.id).unwrap()];
            let rank = 1 + all.iter().filter(|(_, other)| *other > score).count();
            prop_assert_eq!(&hit.ranks, &vec![Some(rank as u32)]);
            prop_assert_eq!(hit.score, 1.0 / (k + rank as f64));
        }
    }

    #[test]
    fn equals_the_definition(lists in rankings(), k in 0.0..100.0) {
        prop_assert_eq!(fuse(&lists, k), oracle(&lists, k));
    }

    #[test]
    fn one_arm_keeps_its_order(ids in ranking(), weight in 0.1..4.0, k in 0.0..100.0) {
        let fused = fuse(&[(weight, ids.clone())], k);
        prop_assert_eq!(fused.iter().map(|hit| hit.id).collect::<Vec<_>>(), ids);
    }

    #[test]
    fn a_further_hit_never_lowers_a_score(lists in rankings(), arm in any::<prop::sample::Index>(), id in 0..40_u16) {
        prop_assume!(!lists.is_empty());
        let arm = arm.index(lists.len());
        prop_assume!(!lists[arm].1.contains(&id));
        let score = |lists: &[_]| fuse(lists, 60.0).into_iter().find(|hit| hit.id == id).map_or(0.0, |hit| hit.score);
        let mut more = lists.clone();
        more[arm].1.push(id);
        prop_assert!(score(&more) >= score(&lists));
    }

    #[test]
    fn equal_scores_go_by_the_first_arm(ids in ranking()) {
        // Each id is alone at rank 1 of its own arm, so all scores are equal.
        let lists: Vec<_> = ids.iter().map(|&id| (1.0, vec![id])).collect();
        let fused: Vec<u16> = fuse(&lists, 60.0).into_iter().map(|hit| hit.id).collect();
        prop_assert_eq!(fused, ids);
    }

    #[test]
    fn equal_ranks_go_by_id(ids in ranking()) {
        // Nothing but the id tells them apart: all are found by no arm, and have the same score in one.
        let hits: Vec<(u16, f64)> = ids.iter().map(|&id| (id, 0.5)).collect();
        let fused = relative_score_fusion(&[Arm { weight: 1.0, hits: &hits, found: 0, incomparable: &[] }]);
        let mut sorted = ids;
        sorted.sort_unstable();
        prop_assert_eq!(fused.iter().map(|hit| hit.id).collect::<Vec<_>>(), sorted);
    }

    #[test]
    fn what_an_arm_cannot_compare_does_not_lose(ids in ranking(), weight in 0.1..4.0, k in 0.0..100.0) {
        // The semantic arm ranks as the keyword arm does, but lacks one: that keeps its place.
        prop_assume!(!ids.is_empty());
        for lacking in [0, ids.len() / 2, ids.len() - 1] {
            let hits: Vec<(u16, f64)> = ids.iter().zip((0..ids.len()).rev()).map(|(&id, score)| (id, score as f64)).collect();
            let others: Vec<(u16, f64)> = hits.iter().copied().filter(|(id, _)| *id != ids[lacking]).collect();
            let arms = [
                Arm { weight: 1.0, hits: &hits, found: hits.len(), incomparable: &[] },
                Arm { weight, hits: &others, found: others.len(), incomparable: &ids[lacking..=lacking] },
            ];
            for fused in [reciprocal_rank_fusion(&arms, k), relative_score_fusion(&arms)] {
                let place = fused.iter().position(|hit| hit.id == ids[lacking]).unwrap();
                prop_assert!(place <= lacking, "{place} of {lacking}");
            }
        }
    }
}

proptest! {
    #[test]
    fn relative_scores_do_not_depend_on_scale(
        first in prop::collection::vec(0.0f64..1.0, 1..20),
        second in prop::collection::vec(0.0f64..1.0, 1..20),
        scale in 0.5f64..50.0,
        offset in -5.0f64..5.0,
    ) {
        let arm = |scores: &[f64], scale: f64, offset: f64| {
            let mut hits: Vec<(usize, f64)> = scores.iter().map(|s| s * scale + offset).enumerate().collect();
            hits.sort_by(|a, b| b.1.total_cmp(&a.1));
            hits
        };
        let fused = |first: &[(usize, f64)], second: &[(usize, f64)]| {
            let arms = [first, second].map(|hits| Arm { weight: 1.0, hits, found: hits.len(), incomparable: &[] });
            let mut hits = relative_score_fusion(&arms);
            hits.sort_by_key(|hit| hit.id);
            hits
        };
        let second = arm(&second, 1.0, 0.0);
        let plain = fused(&arm(&first, 1.0, 0.0), &second);
        let scaled = fused(&arm(&first, scale, offset), &second);
        prop_assert_eq!(plain.len(), scaled.len());
        for (a, b) in plain.iter().zip(&scaled) {
            prop_assert_eq!(a.id, b.id);
            prop_assert!((a.score - b.score).abs() < 1e-6 && (0.0..=2.0).contains(&a.score));
        }
    }
}

#[test]
fn worked_example_by_score() {
    let keyword = [(7, 12.0), (3, 9.0), (8, 4.0)];
    let semantic = [(3, 0.9), (9, 0.5)];
    let fused = relative_score_fusion(&[
        Arm { weight: 1.0, hits: &keyword, found: 3, incomparable: &[] },
        Arm { weight: 2.0, hits: &semantic, found: 2, incomparable: &[] },
    ]);
    let scores: Vec<(i32, f64)> = fused.iter().map(|hit| (hit.id, hit.score)).collect();
    assert_eq!(scores, [(3, 0.625 + 2.0), (7, 1.0), (8, 0.0), (9, 0.0)]);
    assert_eq!(fused[0].ranks, [Some(2), Some(1)]);
    let completed = [(3, 0.9), (9, 0.5), (7, 0.6), (8, 0.4)];
    let fused = relative_score_fusion(&[
        Arm { weight: 1.0, hits: &keyword, found: 3, incomparable: &[] },
        Arm { weight: 2.0, hits: &completed, found: 2, incomparable: &[] },
    ]);
    assert_eq!(fused.iter().map(|hit| hit.id).collect::<Vec<_>>(), [3, 7, 9, 8]);
    assert_eq!(fused[1].ranks, [Some(1), None]);
    assert!((fused[1].score - 1.8).abs() < 1e-12);
    let alone = relative_score_fusion(&[Arm {
        weight: 0.5,
        hits: &[(1, 0.2), (2, 0.2)],
        found: 2,
        incomparable: &[],
    }]);
    assert_eq!(alone.iter().map(|hit| hit.score).collect::<Vec<_>>(), [0.5, 0.5]);
    assert_eq!(relative_score_fusion::<u16>(&[]), []);
}

#[test]
fn worked_example() {
    let lists = [(1.0, vec![7, 3]), (2.0, vec![3, 9])];
    let fused = fuse(&lists, 60.0);
    assert_eq!(fused.iter().map(|hit| hit.id).collect::<Vec<_>>(), [3, 9, 7]);
    assert_eq!(fused[0].ranks, [Some(2), Some(1)]);
    assert_eq!(fused[0].score, 1.0 / 62.0 + 2.0 * (1.0 / 61.0));
    assert_eq!(reciprocal_rank_fusion::<u16>(&[], 60.0), []);
    let twice = reciprocal_rank_fusion(
        &[Arm { weight: 1.0, hits: &[(5, 0.0), (5, 0.0)], found: 2, incomparable: &[] }],
        60.0,
    );
    assert_eq!(twice.len(), 1);
    assert_eq!(twice[0].ranks, [Some(1)]);
}

#[test]
fn ranks_are_those_of_what_an_arm_found() {
    // The keyword arm found 7 and 3 and looked up 9; no arm found 4.
    let keyword = [(7, 12.0), (3, 9.0), (9, 0.0), (4, 0.0)];
    let semantic = [(9, 0.9), (3, 0.8), (7, 0.7), (4, 0.1)];
    let arms = |found: [usize; 2], completed: usize| {
        [
            Arm { weight: 1.0, hits: &keyword[..completed], found: found[0], incomparable: &[] },
            Arm { weight: 1.0, hits: &semantic[..completed], found: found[1], incomparable: &[] },
        ]
    };
    let fused = reciprocal_rank_fusion(&arms([2, 1], 4), 10.0);
    assert_eq!(fused, reciprocal_rank_fusion(&[arms([2, 1], 2)[0], arms([2, 1], 1)[1]], 10.0));
    let ranks: Vec<_> = fused.iter().map(|hit| (hit.id, hit.ranks.clone())).collect();
    assert_eq!(
        ranks,
        [(7, vec![Some(1), None]), (9, vec![None, Some(1)]), (3, vec![Some(2), None])],
        "7 and 9 have equal scores: the first arm found 7"
    );
    assert_eq!(fused[1].score, 1.0 / 11.0);
    // By score, what was looked up counts, and has no rank.
    let fused = relative_score_fusion(&arms([2, 1], 4));
    assert_eq!(fused.iter().map(|hit| hit.id).collect::<Vec<_>>(), [7, 3, 9, 4]);
    assert_eq!(fused[2].ranks, [None, Some(1)]);
    assert_eq!(fused[3].ranks, [None, None]);
}

#[test]
fn what_arms_cannot_compare_counts_there_as_in_the_others() {
    let keyword = [(1, 5.0), (2, 3.0), (3, 1.0)];
    let semantic = [(2, 0.9), (3, 0.2)];
    let arms = |incomparable| {
        [
            Arm { weight: 0.5, hits: &keyword[..], found: 3, incomparable: &[] },
            Arm { weight: 2.0, hits: &semantic, found: 2, incomparable },
        ]
    };
    let score =
        |fused: &[Fused<i32>], id| fused.iter().find(|hit| hit.id == id).map_or(f64::NAN, |hit| hit.score);
    let lacking = reciprocal_rank_fusion(&arms(&[1]), 10.0);
    assert!((score(&lacking, 1) - 2.5 / 11.0).abs() < 1e-12);
    assert_eq!(lacking[0].ranks, [Some(1), None]);
    let by_score = relative_score_fusion(&arms(&[1]));
    assert!((score(&by_score, 1) - 2.5).abs() < 1e-12);
    assert_eq!(by_score[0].id, 1);
    // Nothing else changes, and what was not found stays away.
    let whole = reciprocal_rank_fusion(&arms(&[]), 10.0);
    for id in [2, 3] {
        assert_eq!(score(&lacking, id), score(&whole, id));
    }
    assert_eq!(reciprocal_rank_fusion(&arms(&[9]), 10.0), whole);
    // Two arms that lack it count as much as the one that does not.
    let [keyword_arm, lacking_arm] = arms(&[1]);
    let fused = reciprocal_rank_fusion(&[keyword_arm, lacking_arm, Arm { weight: 1.0, ..lacking_arm }], 10.0);
    assert!((score(&fused, 1) - 3.5 / 11.0).abs() < 1e-12, "{}", score(&fused, 1));
    // Arms of weight 0 tell nothing.
    let nothing = Arm { weight: 0.0, hits: &keyword[..1], found: 1, incomparable: &[] };
    assert_eq!(reciprocal_rank_fusion(&[nothing, lacking_arm], 10.0)[2].score, 0.0);
}
