//! What holds for the results of every search.

use kb_rag_core::lexeme::Held;
use kb_rag_core::search::{Arguments, Base, Candidate, Fusion, Hit, Mode, Query, Remark, Window};
use proptest::prelude::*;

use crate::arbitrary::{Form, asked, world};
use crate::world::{Chunk, Id, Model, World};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_first_results_do_not_depend_on_how_many_are_wanted(world in world(60), asked in asked(), more in 1_usize..60) {
        let few = world.search(asked.query());
        let many = world.search(asked.with_count(asked.arguments.count + more).query());
        if let (Ok(few), Ok(many)) = (few.result, many.result) {
            let scores = |hits: &[Hit<u32>]| {
                let shown = |hit: &Hit<u32>| (hit.id, hit.score, hit.keyword_rank, hit.window.clone(), hit.copies.clone());
                hits.iter().map(shown).collect::<Vec<_>>()
            };
            prop_assert!(many.len() >= few.len());
            prop_assert_eq!(scores(&few), scores(&many[..few.len()]));
        }
    }

    /// Pages follow each other without a gap, whatever their lengths.
    #[test]
    fn a_page_is_a_part_of_the_list(world in world(60), mut asked in asked(), offset in 0_usize..50) {
        let whole = world.search(asked.with_count(asked.arguments.count + offset).query());
        asked.arguments.offset = offset;
        let page = world.search(asked.query());
        if let (Ok(whole), Ok(page)) = (whole.result, page.result) {
            prop_assert_eq!(&page[..], whole.get(offset..).unwrap_or_default());
        }
    }

    #[test]
    fn scores_do_not_rise_and_nothing_comes_twice(world in world(60), asked in asked()) {
        if let Ok(hits) = world.search(asked.query()).result {
            prop_assert!(hits.len() <= asked.arguments.count);
            prop_assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "{hits:?}");
            let mut ids: Vec<Id> = hits.iter().map(|hit| hit.id).collect();
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), hits.len());
        }
    }

    /// A row shows a part of its chunk at least, and nothing that another one shows.
    #[test]
    fn windows_share_no_text(world in world(60), mut asked in asked(), neighbors in 0_u32..4) {
        asked.arguments.window = Some(Window::Neighbors(neighbors));
        let Ok(hits) = world.search(asked.query()).result else { return Ok(()) };
        let place = |hit: &Hit<u32>| {
            let chunk = world.chunk(hit.id.base, hit.id.chunk);
            (chunk.document, chunk.place.clone())
        };
        for (at, hit) in hits.iter().enumerate() {
            let (document, chunk) = place(hit);
            prop_assert_eq!(hit.window.is_some(), chunk.is_some());
            let Some((window, chunk)) = hit.window.clone().zip(chunk) else { continue };
            prop_assert!(chunk.clone().any(|at| window.contains(&at)), "{window:?} of {chunk:?}");
            for other in hits[..at].iter().filter(|other| place(other).0 == document) {
                let other = other.window.clone().unwrap_or_default();
                prop_assert!(other.end <= window.start || window.end <= other.start || other.is_empty());
            }
        }
    }

    /// Of equal texts one comes, with the others beside it.
    #[test]
    fn copies_are_merged(world in world(60), mut asked in asked()) {
        asked.arguments.merges_copies = true;
        let Ok(hits) = world.search(asked.query()).result else { return Ok(()) };
        let text = |id: &Id| world.chunk(id.base, id.chunk).text;
        let mut texts: Vec<u8> = hits.iter().filter_map(|hit| text(&hit.id)).collect();
        let all = texts.len();
        texts.sort_unstable();
        texts.dedup();
        prop_assert_eq!(texts.len(), all);
        for hit in &hits {
            prop_assert!(hit.copies.iter().all(|copy| *copy != hit.id && text(copy) == text(&hit.id)));
            prop_assert!(hit.copies.is_empty() || text(&hit.id).is_some());
        }
        asked.arguments.merges_copies = false;
        prop_assert!(world.search(asked.query()).hits().iter().all(|hit| hit.copies.is_empty()));
    }

    /// Where at least as many chunks pass as are wanted, so many come.
    #[test]
    fn it_is_complete(mut world in world(60), mut asked in asked()) {
        asked.keep_all();
        world.models.iter_mut().for_each(|model| *model = Model::Reads(1.0));
        world.bases.iter_mut().for_each(|base| (base.threshold, base.gate) = (None, None));
        let (keyword_weight, semantic_weight) = asked.weights();
        let is_found = |chunk: &&Chunk| {
            keyword_weight != 0.0 && chunk.keyword > 0.0 || semantic_weight != 0.0 && chunk.similarity.is_some()
        };
        let all = world.chunks.iter().filter(is_found).count();
        prop_assert_eq!(world.search(asked.query()).hits().len(), all.min(asked.arguments.count));
    }

    /// Also under a threshold and a gate, with an exact index: all that are above it or have no similarity.
    #[test]
    fn it_is_complete_above_a_threshold(world in world(60), mut asked in asked(), least in 0.0_f64..1.0, gate in prop::option::of(0.0_f64..1.0)) {
        let mut world = world.exact();
        asked.keep_all();
        world.models.iter_mut().for_each(|model| *model = Model::Reads(1.0));
        world.bases.iter_mut().for_each(|base| (base.threshold, base.gate, base.exact) = (Some(least), gate, None));
        let is_open = |base: usize| gate.is_none() || world.has_answer(world.bases[base].space);
        let (keyword_weight, semantic_weight) = asked.weights();
        let compares = semantic_weight != 0.0 || asked.form == Form::KeywordWithSimilarities;
        // Vectors that nobody has tell nothing apart.
        let compares = compares && world.chunks.iter().any(|chunk| chunk.similarity.is_some());
        let is_found = |chunk: &&Chunk| {
            let is_above = !compares || chunk.similarity.is_none_or(|similarity| similarity > least && is_open(chunk.base));
            is_above && (keyword_weight != 0.0 && chunk.keyword > 0.0 || semantic_weight != 0.0 && chunk.similarity.is_some())
        };
        let all = world.chunks.iter().filter(is_found).count();
        prop_assert_eq!(world.search(asked.query()).hits().len(), all.min(asked.arguments.count));
    }

    /// Above the threshold, or among the first 20 by keyword that pass.
    #[test]
    fn no_similarity_that_tells_something_is_at_or_below_the_threshold(world in world(60), asked in asked()) {
        if let Ok(hits) = world.search(asked.query()).result {
            for hit in hits {
                let least = world.bases[hit.id.base].threshold;
                let is_above = hit.similarity.zip(least).is_none_or(|(similarity, least)| similarity > least);
                prop_assert!(is_above || !hit.is_reliable || asked.passes_exact() && world.passes(hit.id), "{hit:?}");
            }
        }
    }

    #[test]
    fn a_document_has_at_most_so_many_results(world in world(60), asked in asked()) {
        if let (Ok(hits), Some(max)) = (world.search(asked.query()).result, asked.arguments.max_per_document) {
            prop_assert!(world.per_document(&hits).values().all(|count| *count <= max));
        }
    }

    #[test]
    fn what_is_said_of_a_result_is_true(world in world(60), asked in asked()) {
        if let Ok(hits) = world.search(asked.query()).result {
            for hit in hits {
                let chunk = world.chunk(hit.id.base, hit.id.chunk);
                prop_assert!(hit.similarity.is_none() || hit.similarity == chunk.similarity);
                prop_assert!(hit.keyword_score.is_none_or(|score| score == chunk.keyword && score > 0.0));
                prop_assert!(hit.keyword_rank.is_none() || hit.keyword_score.is_some());
                prop_assert!(hit.semantic_rank.is_none() || hit.similarity.is_some());
                // One that was found last may have lost its rank to one that the index missed.
                prop_assert!(hit.keyword_rank.is_some() || hit.similarity.is_some());
                let model = world.models[world.bases[hit.id.base].space];
                prop_assert!(!hit.is_reliable || !matches!(model, Model::Reads(weight) if weight < 0.5));
            }
        }
    }

    /// Whatever cannot be found out: the search ends, and says so.
    #[test]
    fn a_search_whose_answers_fail_ends(mut world in world(60), asked in asked()) {
        world.is_broken = true;
        let ended = world.search(asked.query());
        let uses_keywords = asked.weights().0 != 0.0;
        if uses_keywords {
            prop_assert!(ended.result.is_ok());
            let is_said = ended.remarks.iter().any(|remark| matches!(remark, Remark::Without { .. }));
            prop_assert!(is_said);
        }
    }

    /// Keywords find without a model what they find with one that finds nothing.
    #[test]
    fn without_models_keywords_are_enough(mut world in world(60), asked in asked(), silent in any::<bool>()) {
        let failing = if silent { Model::Silent } else { Model::Missing };
        world.models.iter_mut().for_each(|model| *model = failing);
        let ended = world.search(asked.query());
        let (keyword_weight, semantic_weight) = asked.weights();
        let uses_vectors = semantic_weight != 0.0 || asked.form == Form::KeywordWithSimilarities;
        let used = world.bases.iter().map(|base| base.space).collect::<std::collections::BTreeSet<_>>();
        if keyword_weight != 0.0 {
            let expected = world.list(None).len().min(asked.arguments.count);
            if asked.keeps_all() {
                prop_assert_eq!(ended.hits().len(), expected);
            }
            let without = ended.remarks.iter().filter(|remark| matches!(remark, Remark::WithoutSpace { .. }));
            prop_assert_eq!(without.count(), if uses_vectors { used.len() } else { 0 });
        } else if uses_vectors {
            prop_assert_eq!(ended.result, Err(if silent { "silent" } else { "missing" }));
        }
    }
}

/// A world of one base and one model that reads everything.
pub fn simple(chunks: Vec<(f64, Option<f64>)>, threshold: Option<f64>) -> World {
    let chunk = |(id, (keyword, similarity)): (usize, (f64, Option<f64>))| Chunk {
        held: Held::ALL,
        id: id as u32,
        base: 0,
        document: id as u32,
        keyword,
        similarity,
        is_missed: false,
        is_queued: similarity.is_none(),
        text: None,
        place: None,
    };
    World {
        bases: vec![Base { space: 0, threshold, gate: None, exact: None, makes_vectors: true }],
        models: vec![Model::Reads(1.0)],
        chunks: chunks.into_iter().enumerate().map(chunk).collect(),
        depth: 8,
        is_broken: false,
    }
}

pub fn arguments(mode: Mode, fusion: Fusion, count: usize) -> Arguments {
    Arguments {
        mode,
        fusion,
        rrf_k: 10.0,
        keyword_weight: 1.0,
        semantic_weight: 1.0,
        count,
        offset: 0,
        max_per_document: None,
        merges_copies: false,
        window: None,
        threshold: None,
    }
}

pub fn chunks_of(ids: &[Id]) -> Vec<u32> {
    ids.iter().map(|id: &Candidate<u32>| id.chunk).collect()
}

/// Without a vector, a chunk counts in the semantic arm as much as by keyword.
#[test]
fn a_chunk_without_a_vector_is_not_far_away() {
    let world = simple(vec![(0.9, None), (0.8, Some(0.9)), (0.7, Some(0.8))], None);
    for fusion in [Fusion::ReciprocalRank, Fusion::RelativeScore] {
        let ended = world.search(Query::plain(arguments(Mode::Hybrid, fusion, 3)));
        assert_eq!(ended.ids()[0].chunk, 0, "{fusion:?}");
    }
}

/// One that the index misses has the rank that it deserves, if keywords find it.
#[test]
fn what_the_index_misses_is_ranked() {
    let mut chunks: Vec<(f64, Option<f64>)> =
        (0..20).map(|n| (0.0, Some(0.5 - f64::from(n) / 100.0))).collect();
    chunks.push((0.5, Some(0.9)));
    chunks.push((0.6, Some(0.1)));
    let mut world = simple(chunks, None);
    world.chunks[20].is_missed = true;
    let ended = world.search(Query::plain(arguments(Mode::Hybrid, Fusion::ReciprocalRank, 2)));
    let first = &ended.hits()[0];
    assert_eq!((first.id.chunk, first.semantic_rank), (20, Some(1)));
}

/// Only those at the best places by keyword are compared whatever the index found: the rest would need a good rank in both.
#[test]
fn by_rank_few_are_compared() {
    let mut world = simple((0..200).map(|n| (1.0 - f64::from(n) / 300.0, Some(0.5))).collect(), None);
    world.depth = 80;
    let ended = world.search(Query::plain(arguments(Mode::Hybrid, Fusion::ReciprocalRank, 1)));
    let compared = ended.batches.iter().flatten().find(|action| action.starts_with("Similarities"));
    let ids = compared.map_or(0, |action| action.matches(',').count());
    assert!(ids < 30, "{compared:?}");
    // Ranks need no scores.
    assert_eq!(ended.asked("KeywordScores"), 0);
    assert_eq!(chunks_of(&ended.ids()), [0]);
}

/// As soon as the vectors have come down to the threshold, only chunks without one are looked for.
#[test]
fn a_search_ends_at_the_threshold() {
    let mut chunks: Vec<(f64, Option<f64>)> = vec![(0.5, Some(0.9))];
    chunks.extend((0..500).map(|n| (0.4, Some(0.3 - f64::from(n) / 10_000.0))));
    let world = simple(chunks.clone(), Some(0.5));
    let query = Query::plain(arguments(Mode::Hybrid, Fusion::RelativeScore, 5));
    let ended = world.search(query);
    assert_eq!(chunks_of(&ended.ids()), [0]);
    assert_eq!((ended.asked("Keyword("), ended.asked("Queue"), ended.asked("Lacking")), (1, 1, 0));
    // The last one has no vector, and is behind all others by keyword.
    chunks.push((0.1, None));
    let ended = simple(chunks, Some(0.5)).search(query);
    assert_eq!(chunks_of(&ended.ids()), [0, 501]);
    assert!(ended.asked("Lacking") >= 1);
}

/// A list that is shorter than asked for is complete.
#[test]
fn a_search_ends_with_the_lists() {
    let world = simple((0..7).map(|n| (f64::from(n), Some(0.5))).collect(), None);
    for fusion in [Fusion::ReciprocalRank, Fusion::RelativeScore] {
        let query = Query::plain(Arguments { keyword_weight: 1.0, ..arguments(Mode::Keyword, fusion, 20) });
        assert_eq!(world.search(query).asked("Keyword("), 1);
        assert_eq!(world.search(Query::plain(arguments(Mode::Semantic, fusion, 20))).asked("Nearest"), 1);
    }
}

/// Of texts that the keywords cannot tell apart, the one that fits best by meaning comes first, however many there are.
#[test]
fn equal_scores_share_a_rank() {
    for (texts, best) in [(20, 18), (191, 3), (191, 188)] {
        let chunks =
            (0..texts).map(|n| (0.5, Some(if n == best { 0.9 } else { 0.2 + f64::from(n % 7) / 100.0 })));
        let mut world = simple(chunks.collect(), None);
        world.depth = 80;
        let ended = world.search(Query::plain(arguments(Mode::Hybrid, Fusion::ReciprocalRank, 4)));
        let first = &ended.hits()[0];
        assert_eq!(
            (first.id.chunk, first.keyword_rank, first.semantic_rank),
            (best as u32, Some(1), Some(1))
        );
        assert!(ended.hits().iter().all(|hit| hit.keyword_rank == Some(1)), "{:?}", ended.hits());
    }
}

/// Scores are looked up only if the list ends among equal ones.
#[test]
fn a_list_that_ends_between_two_scores_needs_no_others() {
    let mut world =
        simple((0..200).map(|n| (1.0 - f64::from(n) / 300.0, Some(f64::from(n) / 300.0))).collect(), None);
    world.depth = 80;
    let query = Query::plain(arguments(Mode::Hybrid, Fusion::ReciprocalRank, 4));
    assert_eq!(world.search(query).asked("KeywordScores"), 0);
    world.chunks[80].keyword = world.chunks[79].keyword;
    assert_eq!(world.search(query).asked("KeywordScores"), 1);
}

/// By keyword with similarities, what is above the threshold may be far behind by keyword.
#[test]
fn keywords_find_deeper_what_is_above_the_threshold() {
    let mut chunks: Vec<(f64, Option<f64>)> =
        (0..200).map(|n| (1.0 - f64::from(n) / 300.0, Some(0.2))).collect();
    chunks.extend([(0.1, Some(0.9)), (0.09, Some(0.8))]);
    let world = simple(chunks, Some(0.5));
    let query = Query::by_keyword_with_similarities(arguments(Mode::Keyword, Fusion::RelativeScore, 5));
    assert_eq!(chunks_of(&world.search(query).ids()), [200, 201]);
}

/// A candidate that lacks a vector shows that there are such: nobody needs to be asked.
#[test]
fn the_queue_is_not_asked_for_what_is_known() {
    let mut chunks: Vec<(f64, Option<f64>)> = vec![(0.9, Some(0.9)), (0.8, None)];
    chunks.extend((0..100).map(|n| (0.7 - f64::from(n) / 300.0, Some(0.3 - f64::from(n) / 1000.0))));
    let world = simple(chunks, Some(0.5));
    let ended = world.search(Query::plain(arguments(Mode::Hybrid, Fusion::RelativeScore, 5)));
    assert_eq!(chunks_of(&ended.ids()), [0, 1]);
    assert_eq!(ended.asked("Queue"), 0);
}

/// With a cap, results come from behind the best ones: whether they lack a vector matters there, too.
#[test]
fn a_capped_search_compares_all_candidates() {
    let chunk = |n: u32| (1.0 - f64::from(n) / 100.0, (n != 30).then(|| 1.0 - f64::from(n) / 100.0));
    let mut world = simple((0..60).map(chunk).collect(), None);
    world.depth = 80;
    world.chunks.iter_mut().for_each(|chunk| chunk.document = u32::from(chunk.id == 30));
    let capped =
        Arguments { max_per_document: Some(1), ..arguments(Mode::Hybrid, Fusion::ReciprocalRank, 2) };
    let ended = world.search(Query::plain(capped));
    assert_eq!(chunks_of(&ended.ids()), [0, 30]);
    assert_eq!(ended.hits()[1].score, 2.0 / (10.0 + 31.0));
}
