//! Properties of reciprocal rank fusion.

use kb_rag_core::fusion::{Arm, Fused, reciprocal_rank_fusion};
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
    let arms: Vec<Arm<u16>> = lists.iter().map(|(weight, ids)| Arm { weight: *weight, ids }).collect();
    reciprocal_rank_fusion(&arms, k)
}

/// The definition, word by word.
fn oracle(lists: &[(f64, Vec<u16>)], k: f64) -> Vec<Fused<u16>> {
    let mut hits = Vec::new();
    for id in 0..40 {
        let place = |ids: &Vec<u16>| ids.iter().position(|&other| other == id).map(|at| at as u32 + 1);
        let ranks: Vec<_> = lists.iter().map(|(_, ids)| place(ids)).collect();
        if ranks.iter().any(Option::is_some) {
            let term = |(rank, (weight, _)): (&Option<u32>, &(f64, _))| {
                rank.map_or(0.0, |r| weight / (k + f64::from(r)))
            };
            let score = ranks.iter().zip(lists).map(term).fold(0.0, |sum, term| sum + term);
            hits.push(Fused { id, score, ranks });
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    hits
}

proptest! {
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
    fn equal_scores_go_by_id(ids in ranking()) {
        // Each id alone at rank 1 of its own arm: all scores are equal, whatever the order of the arms.
        let lists: Vec<_> = ids.iter().map(|&id| (1.0, vec![id])).collect();
        let fused: Vec<u16> = fuse(&lists, 60.0).into_iter().map(|hit| hit.id).collect();
        let mut sorted = ids;
        sorted.sort_unstable();
        prop_assert_eq!(fused, sorted);
    }
}

#[test]
fn worked_example() {
    let lists = [(1.0, vec![7, 3]), (2.0, vec![3, 9])];
    let fused = fuse(&lists, 60.0);
    assert_eq!(fused.iter().map(|hit| hit.id).collect::<Vec<_>>(), [3, 9, 7]);
    assert_eq!(fused[0].ranks, [Some(2), Some(1)]);
    assert_eq!(fused[0].score, 1.0 / 62.0 + 2.0 / 61.0);
    assert_eq!(reciprocal_rank_fusion::<u16>(&[], 60.0), []);
    let twice = reciprocal_rank_fusion(&[Arm { weight: 1.0, ids: &[5, 5] }], 60.0);
    assert_eq!(twice.len(), 1);
    assert_eq!(twice[0].ranks, [Some(1)]);
}
