//! What thresholds and gates leave out.

use kb_rag_core::lexeme::Held;
use kb_rag_core::search::{Arguments, Base, Fusion, Mode, Query, Thresholds, is_exact};
use proptest::prelude::*;

use crate::arbitrary::{asked, world};
use crate::results::{arguments, chunks_of, simple};
use crate::world::{Model, World};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Each model has a gate of its own. What the index misses may open it.
    #[test]
    fn behind_a_closed_gate_nothing_has_a_similarity_that_tells_something(world in world(60), asked in asked()) {
        if let Ok(hits) = world.search(asked.query()).result {
            for hit in hits {
                let base = &world.bases[hit.id.base];
                let passes = asked.passes_exact() && world.passes(hit.id);
                prop_assert!(base.gate.is_none() || world.has_answer(base.space) || !hit.is_reliable || passes, "{hit:?}");
            }
        }
    }

    /// An open gate changes nothing.
    #[test]
    fn behind_an_open_gate_is_what_is_found_without_one(world in world(60), asked in asked()) {
        let world = world.exact();
        let mut without = world.clone();
        for base in without.bases.iter_mut().filter(|base| world.has_answer(base.space)) {
            base.gate = None;
        }
        let (found, expected) = (world.search(asked.query()), without.search(asked.query()));
        prop_assert_eq!(found.result.map_err(drop), expected.result.map_err(drop));
    }
}

fn pair(gate: impl Into<Option<f64>>, filter: impl Into<Option<f64>>) -> Thresholds {
    Thresholds { gate: gate.into(), filter: filter.into(), exact: None }
}

/// That of the call, without a gate; then those of the base; then, for an answer, those of the model.
#[test]
fn the_threshold_of_the_call_takes_precedence() {
    let of_model = pair(0.8, 0.7);
    let query = |threshold: Option<f64>| {
        Query::plain(Arguments { threshold, ..arguments(Mode::Hybrid, Fusion::RelativeScore, 5) })
    };
    let plain = |call: Option<f64>, own| query(call).thresholds(own, || Some(of_model), -1.0);
    assert_eq!(plain(None, pair(None, None)), pair(None, None));
    assert_eq!(plain(None, pair(0.4, 0.2)), pair(None, 0.2));
    assert_eq!(plain(None, pair(0.4, None)), pair(None, None));
    assert_eq!(plain(Some(0.5), pair(0.4, 0.2)), pair(None, 0.5));
    assert_eq!(plain(Some(-1.0), pair(0.4, 0.2)), pair(None, None));

    let answer = |call: Option<f64>, own, of_model| {
        let found = query(call).answering(0.3).thresholds(own, || of_model, -1.0);
        Thresholds { exact: None, ..found }
    };
    for of_model in [None, Some(of_model)] {
        assert_eq!(answer(Some(0.5), pair(0.4, 0.2), of_model), pair(None, 0.5));
        assert_eq!(answer(Some(-1.0), pair(0.4, 0.2), of_model), pair(None, None));
        assert_eq!(answer(None, pair(0.4, 0.2), of_model), pair(0.4, 0.2));
        assert_eq!(answer(None, pair(None, 0.2), of_model), pair(None, 0.2));
        assert_eq!(answer(None, pair(0.2, None), of_model), pair(0.2, 0.2));
    }
    assert_eq!(answer(None, pair(0.9, None), Some(of_model)), pair(0.9, 0.7));
    assert_eq!(answer(None, pair(0.9, None), None), pair(0.9, 0.3));
    assert_eq!(answer(None, pair(None, None), Some(of_model)), of_model);
    assert_eq!(answer(None, pair(None, None), None), pair(None, 0.3));
    // A model may have measured a gate alone.
    assert_eq!(answer(None, pair(0.9, None), Some(pair(0.8, None))), pair(0.9, None));
}

/// What the call or the base says leaves nothing through because of its words.
#[test]
fn words_pass_the_thresholds_of_models() {
    let query = |threshold: Option<f64>| {
        Query::plain(Arguments { threshold, ..arguments(Mode::Hybrid, Fusion::RelativeScore, 5) })
    };
    let of_model = Thresholds { exact: Some(0.1), ..pair(0.8, 0.7) };
    let exact = |query: Query, own| query.thresholds(own, || Some(of_model), -1.0).exact;
    let answer = query(None).answering(0.3);
    for (own, expected) in [
        (pair(None, None), Some(0.1)),
        (pair(0.5, None), Some(0.1)),
        (pair(None, 0.5), None),
        (pair(0.5, 0.5), None),
    ] {
        assert_eq!(exact(answer, own), expected);
        assert_eq!(exact(query(Some(0.5)).answering(0.3), own), None);
        assert_eq!(exact(query(None), own), None);
    }
    // Of a model that was not measured, codes pass alone.
    assert_eq!(answer.thresholds(pair(None, None), || None, -1.0).exact, Some(0.3));
}

/// A code passes whatever its similarity, and nearly all words of the question with a lower one.
#[test]
fn what_holds_the_question_passes() {
    let held = |words: f64, codes: f64| Held { words, codes, ..Held::ALL };
    assert!(is_exact(held(0.5, 0.1), -1.0, 0.3));
    assert!(!is_exact(held(0.49, 0.49), 0.2, 0.1));
    assert!(is_exact(held(0.8, 0.0), 0.11, 0.1));
    assert!(!is_exact(held(0.8, 0.0), 0.1, 0.1));
    assert!(!is_exact(held(0.79, 0.0), 0.9, 0.1));
}

/// Only the first 20 by keyword, so that a search is no deeper; behind a closed gate, and below the threshold.
#[test]
fn the_first_by_keyword_pass_by_their_words() {
    let chunks = (0..100).map(|n| (1.0 - f64::from(n) / 300.0, Some(0.2 - f64::from(n) / 1000.0)));
    let mut world = simple(chunks.collect(), Some(0.25));
    world.depth = 80;
    world.chunks.iter_mut().for_each(|chunk| chunk.held = Held { words: 0.4, ..Held::ALL });
    for place in [3, 19, 20] {
        world.chunks[place].held = Held { words: 0.7, codes: 0.7, ..Held::ALL };
    }
    let plain = Query::plain(arguments(Mode::Hybrid, Fusion::RelativeScore, 5));
    for gate in [None, Some(0.1), Some(0.3)] {
        world.bases[0].gate = gate;
        for query in [
            plain,
            Query::plain(arguments(Mode::Hybrid, Fusion::ReciprocalRank, 5)),
            Query::by_keyword_with_similarities(arguments(Mode::Keyword, Fusion::RelativeScore, 5)),
        ] {
            world.bases[0].exact = None;
            let ended = world.search(query);
            assert_eq!((chunks_of(&ended.ids()), ended.asked("Held(")), (vec![], 0));
            world.bases[0].exact = Some(0.25);
            let ended = world.search(query);
            assert_eq!((chunks_of(&ended.ids()), ended.asked("Held(")), (vec![3, 19], 1), "{gate:?}");
            // Without the frequencies of words it is not known.
            assert_eq!(world.search(query.without_coverage()).asked("Held("), 0);
        }
    }
    // Words alone need some similarity.
    world.chunks[3].held = Held::ALL;
    assert_eq!(chunks_of(&world.search(plain).ids()), [19]);
    world.bases[0].exact = Some(0.1);
    assert_eq!(chunks_of(&world.search(plain).ids()), [3, 19]);
}

#[test]
fn both_thresholds_are_exceeded_not_reached() {
    let thresholds = pair(0.5, 0.25);
    assert!(thresholds.pass(0.26, 0.51) && thresholds.pass(0.51, 0.51));
    assert!(!thresholds.pass(0.25, 0.51) && !thresholds.pass(0.5, 0.5));
    assert!(pair(None, None).pass(-1.0, -1.0));
}

/// Similarities of a model that hardly reads the texts tell nothing: the search does not go through the base for more of them.
#[test]
fn answers_need_a_word_where_the_model_hardly_reads_the_texts() {
    let mut chunks: Vec<(f64, Option<f64>)> =
        (0..500).map(|n| (0.0, Some(0.9 - f64::from(n) / 1000.0))).collect();
    chunks[3].0 = 0.5;
    chunks[400].0 = 0.4;
    let mut world = simple(chunks, Some(0.25));
    for fusion in [Fusion::ReciprocalRank, Fusion::RelativeScore] {
        let query = Query::plain(arguments(Mode::Hybrid, fusion, 5));
        for (reading, exact, found) in [(0.3, Some(0.1), 2), (0.3, None, 5), (1.0, Some(0.1), 5)] {
            world.models[0] = Model::Reads(reading);
            world.bases[0].exact = exact;
            let ended = world.search(query);
            let mut words = chunks_of(&ended.ids());
            words.retain(|chunk| [3, 400].contains(chunk));
            assert_eq!((ended.ids().len(), words.contains(&3)), (found, true), "{fusion:?} {reading}");
            assert_eq!(ended.asked("Nearest("), 1, "{:?}", ended.batches);
        }
    }
}

/// The best decides about all, also where it is behind the results that are wanted, or another base has it.
#[test]
fn a_gate_is_opened_by_the_best() {
    let chunks = || vec![(0.9, Some(0.3)), (0.8, Some(0.4)), (0.0, Some(0.5))];
    let found = |world: &World, query: Query| chunks_of(&world.search(query).ids());
    let gated = |gate: f64| {
        let mut world = simple(chunks(), Some(0.3));
        world.bases[0].gate = Some(gate);
        world
    };
    for fusion in [Fusion::ReciprocalRank, Fusion::RelativeScore] {
        let arguments = arguments(Mode::Hybrid, fusion, 5);
        let mut open = found(&gated(0.49), Query::plain(arguments));
        open.sort_unstable();
        assert_eq!(open, [1, 2]);
        assert_eq!(found(&gated(0.5), Query::plain(arguments)), [0; 0]);
        let second = Arguments { count: 1, offset: 1, ..arguments };
        assert_eq!(found(&gated(0.49), Query::plain(second)).len(), 1);
        assert_eq!(found(&gated(0.5), Query::plain(second)), [0; 0]);
    }
    // In the order of the keywords, too, which do not find the best.
    let by_keyword = Query::by_keyword_with_similarities(arguments(Mode::Keyword, Fusion::RelativeScore, 5));
    assert_eq!(found(&gated(0.49), by_keyword), [1]);
    assert_eq!(found(&gated(0.5), by_keyword), [0; 0]);
    // A base of the same model that has no gate is open, and opens no other.
    let mut two = gated(0.5);
    two.bases.push(Base { gate: None, ..two.bases[0] });
    two.chunks[2].base = 1;
    assert_eq!(found(&two, by_keyword), [0; 0]);
    two.chunks[1].base = 1;
    assert_eq!(found(&two, by_keyword), [1]);
}

/// Many chunks of a base without a gate are nearer than the one that opens the gate of another base.
#[test]
fn a_gate_is_opened_by_what_the_list_leaves_out() {
    let mut chunks: Vec<(f64, Option<f64>)> =
        (0..20).map(|n| (0.0, Some(0.9 - f64::from(n) / 1000.0))).collect();
    chunks.extend([(0.0, Some(0.6)), (0.8, Some(0.55))]);
    let mut world = simple(chunks, None);
    world.bases.push(Base { gate: Some(0.58), threshold: Some(0.5), ..world.bases[0] });
    world.chunks[20].base = 1;
    world.chunks[21].base = 1;
    let query = Query::by_keyword_with_similarities(arguments(Mode::Keyword, Fusion::RelativeScore, 5));
    assert_eq!(chunks_of(&world.search(query).ids()), [21]);
}

/// Behind a closed gate nothing is looked for but chunks without a vector.
#[test]
fn a_search_ends_at_a_closed_gate() {
    let chunks: Vec<(f64, Option<f64>)> =
        (0..500).map(|n| (0.4, Some(0.3 - f64::from(n) / 10_000.0))).collect();
    let mut world = simple(chunks, None);
    world.bases[0].gate = Some(0.35);
    for query in [
        Query::plain(arguments(Mode::Hybrid, Fusion::RelativeScore, 5)),
        Query::plain(arguments(Mode::Hybrid, Fusion::ReciprocalRank, 5)),
        Query::plain(arguments(Mode::Semantic, Fusion::RelativeScore, 5)),
        Query::by_keyword_with_similarities(arguments(Mode::Keyword, Fusion::RelativeScore, 5)),
    ] {
        let ended = world.search(query);
        assert_eq!(chunks_of(&ended.ids()), [0; 0]);
        assert!(ended.asked("Nearest(") == 1 && ended.asked("Lacking") == 0, "{:?}", ended.batches);
    }
    world.chunks[400].similarity = None;
    world.chunks[400].is_queued = true;
    let ended = world.search(Query::plain(arguments(Mode::Hybrid, Fusion::RelativeScore, 5)));
    assert_eq!(chunks_of(&ended.ids()), [400]);
}
