//! Searches give what a naive model of the same definition gives: every arm's complete list, cut at its depth, every candidate
//! with its score in every arm, fused; further rounds four times deeper, appended with scores that do not rise, until nothing
//! is left.

use std::collections::{BTreeMap, BTreeSet};

use kb_rag_core::fusion::{self, Fused};
use kb_rag_core::search::{Fusion, Mode, Window, weight_of};
use proptest::prelude::*;

use crate::arbitrary::{Asked, Form, asked, world};
use crate::world::{DOCUMENT, Id, Model, World, around};

struct Arm {
    /// None for keywords.
    space: Option<usize>,
    weight: f64,
    depth: usize,
    /// The complete list; empty if the model cannot be used.
    list: Vec<(Id, f64)>,
    is_usable: bool,
}

/// The hits of an arm with those of the others, how many it found itself, and those that it cannot compare.
type Completed = (Vec<(Id, f64)>, usize, Vec<Id>);

/// The ids and scores of all results.
fn naive(world: &World, asked: &Asked) -> Vec<(Id, f64)> {
    let (keyword_weight, semantic_weight) = asked.weights();
    let is_hybrid = asked.form == Form::KeywordWithSimilarities || asked.arguments.mode == Mode::Hybrid;
    let is_fused_by_rank =
        is_hybrid && asked.form == Form::Plain && asked.arguments.fusion == Fusion::ReciprocalRank;
    let uses_vectors = semantic_weight != 0.0 || asked.form == Form::KeywordWithSimilarities;
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    let mut depth = world.depth;
    loop {
        let mut arms = Vec::new();
        if keyword_weight != 0.0 {
            arms.push(Arm {
                space: None,
                weight: keyword_weight,
                depth,
                list: world.list(None),
                is_usable: true,
            });
        }
        let semantic_depth = if is_fused_by_rank && keyword_weight != 0.0 { depth * 50 / 80 } else { depth };
        let usable = world.usable(keyword_weight != 0.0);
        let mut semantic: Vec<Arm> = Vec::new();
        for space in
            (0..world.models.len()).filter(|space| world.bases.iter().any(|base| base.space == *space))
        {
            let reading = match world.models[space] {
                Model::Reads(weight) if keyword_weight != 0.0 && !world.list(Some(space)).is_empty() => {
                    weight
                }
                _ => 1.0,
            };
            // What cannot be read is not known before something is found.
            let is_usable =
                usable.contains(&space) || world.models[space] == Model::Reads(0.0) && reading == 1.0;
            let weight = if is_usable { reading * semantic_weight } else { semantic_weight };
            let list = if is_usable { world.list(Some(space)) } else { Vec::new() };
            if is_usable || keyword_weight != 0.0 {
                semantic.push(Arm { space: Some(space), weight, depth: semantic_depth, list, is_usable });
            }
        }
        if uses_vectors && semantic_depth > 0 && semantic.iter().any(|arm| !arm.list.is_empty()) {
            arms.iter_mut().for_each(|arm| arm.weight *= covered(world, asked));
            arms.append(&mut semantic);
        }
        let hits = fuse(world, asked, &arms, is_hybrid, is_fused_by_rank);
        let max = all.last().map_or(f64::INFINITY, |(_, score)| *score);
        for hit in hits {
            let by_keyword = arms.first().is_some_and(|arm| {
                arm.space.is_none() && arm.list.iter().take(arm.depth).any(|(id, _)| *id == hit.id)
            });
            let is_wanted = semantic_weight != 0.0 || by_keyword;
            let has_word = || match is_fused_by_rank {
                true => hit.ranks.first().is_some_and(Option::is_some),
                false => arms[0].list.iter().any(|(id, _)| *id == hit.id),
            };
            if is_wanted
                && (!needs_word(world, &arms, hit.id) || has_word())
                && (!is_out(world, &arms, hit.id) || passes(world, asked, hit.id))
                && known.insert(hit.id)
            {
                all.push((hit.id, f64::min(hit.score, max)));
            }
        }
        if arms.iter().all(|arm| arm.list.len() < arm.depth || arm.weight == 0.0) {
            break;
        }
        depth *= 4;
    }
    show(world, asked, merge(world, asked, cap(world, asked, all)))
}

/// The factor of the weight of the keyword arm.
fn covered(world: &World, asked: &Asked) -> f64 {
    let weighs = asked.form == Form::Plain
        && asked.arguments.mode == Mode::Hybrid
        && asked.arguments.semantic_weight != 0.0;
    let list = world.list(None);
    let best = list.first().filter(|_| weighs && asked.weighs_coverage);
    let is_by_rank = asked.arguments.fusion == Fusion::ReciprocalRank;
    best.map_or(1.0, |(id, _)| weight_of(world.chunk(id.base, id.chunk).held, is_by_rank))
}

/// Whether a chunk is among the first by keyword, and holds enough of the question.
fn passes(world: &World, asked: &Asked, id: Id) -> bool {
    asked.passes_exact() && world.passes(id)
}

/// Whether a usable similarity is behind a closed gate, or not above the threshold.
fn is_out(world: &World, arms: &[Arm], id: Id) -> bool {
    let space = world.bases[id.base].space;
    let arm = arms.iter().find(|arm| arm.space == Some(space) && arm.is_usable);
    let reads = matches!(world.models[space], Model::Reads(weight) if weight >= 0.5)
        || world.models[space] == Model::Illiterate;
    let similarity = world.chunk(id.base, id.chunk).similarity;
    let base = &world.bases[id.base];
    let is_closed = base.gate.is_some() && !world.has_answer(space);
    let is_below = |similarity| base.threshold.is_some_and(|least| similarity <= least);
    arm.is_some() && reads && similarity.is_some_and(|similarity| is_closed || is_below(similarity))
}

/// Whether a chunk is an answer only with a word of the question: its model hardly reads the texts.
fn needs_word(world: &World, arms: &[Arm], id: Id) -> bool {
    let space = world.bases[id.base].space;
    let arm = arms.iter().find(|arm| arm.space == Some(space) && arm.is_usable);
    arms.first().is_some_and(|arm| arm.space.is_none())
        && matches!(world.models[space], Model::Reads(weight) if weight < 0.5)
        && arm.is_some()
        && world.bases[id.base].exact.is_some()
}

fn fuse(world: &World, asked: &Asked, arms: &[Arm], is_hybrid: bool, is_by_rank: bool) -> Vec<Fused<Id>> {
    let candidates: BTreeSet<Id> =
        arms.iter().flat_map(|arm| arm.list.iter().take(arm.depth)).map(|(id, _)| *id).collect();
    let completed: Vec<Completed> = arms
        .iter()
        .map(|arm| {
            let mut hits: Vec<(Id, f64)> = arm.list.iter().take(arm.depth).copied().collect();
            if is_by_rank {
                hits.extend(equal_to_the_last(arm, &hits, arms, &candidates));
            }
            let found = hits.len();
            let mut incomparable = Vec::new();
            let own: BTreeSet<Id> = hits.iter().map(|(id, _)| *id).collect();
            for id in candidates.difference(&own) {
                let chunk = world.chunk(id.base, id.chunk);
                match arm.space {
                    None if !is_by_rank && found > 0 => hits.push((*id, chunk.keyword)),
                    None => {}
                    Some(space) if space != world.bases[id.base].space => {}
                    Some(_) => match chunk.similarity.filter(|_| arm.is_usable) {
                        Some(similarity) => hits.push((*id, similarity)),
                        None => incomparable.push(*id),
                    },
                }
            }
            (hits, found, incomparable)
        })
        .collect();
    let fused: Vec<fusion::Arm<Id>> = arms
        .iter()
        .zip(&completed)
        .map(|(arm, (hits, found, incomparable))| fusion::Arm {
            weight: arm.weight,
            hits,
            found: *found,
            incomparable,
        })
        .collect();
    if is_hybrid && !is_by_rank {
        return fusion::relative_score_fusion(&fused);
    }
    if let (false, [arm]) = (is_hybrid, arms) {
        let listed = arm.list.iter().take(arm.depth);
        return listed.map(|(id, score)| Fused { id: *id, score: *score, ranks: Vec::new() }).collect();
    }
    fusion::reciprocal_rank_fusion(&fused, asked.arguments.rrf_k)
}

/// Candidates of the other arms that an arm did not list because others with the same score come first by id. By vectors only
/// the first 20 by keyword are compared, whatever is listed.
fn equal_to_the_last(
    arm: &Arm,
    listed: &[(Id, f64)],
    arms: &[Arm],
    candidates: &BTreeSet<Id>,
) -> Vec<(Id, f64)> {
    let Some((_, cut)) = listed.last().filter(|_| listed.len() == arm.depth) else { return Vec::new() };
    let is_candidate = |id: &Id| match arm.space {
        None => candidates.contains(id),
        Some(_) => {
            let by_keyword = arms.iter().filter(|arm| arm.space.is_none());
            by_keyword.flat_map(|arm| arm.list.iter().take(arm.depth.min(20))).any(|(first, _)| first == id)
        }
    };
    let rest = arm.list.iter().skip(arm.depth).filter(|(id, score)| score == cut && is_candidate(id));
    rest.copied().collect()
}

fn merge(world: &World, asked: &Asked, hits: Vec<(Id, f64)>) -> Vec<(Id, f64)> {
    let mut texts = BTreeSet::new();
    let is_new =
        |(id, _): &(Id, f64)| world.chunk(id.base, id.chunk).text.is_none_or(|text| texts.insert(text));
    if asked.arguments.merges_copies { hits.into_iter().filter(is_new).collect() } else { hits }
}

/// Leaves out what other rows show. Character by character.
fn show(world: &World, asked: &Asked, hits: Vec<(Id, f64)>) -> Vec<(Id, f64)> {
    let Some(window) = asked.arguments.window else { return hits };
    let mut shown: BTreeSet<(u32, u32)> = BTreeSet::new();
    let is_shown = |(id, _): &(Id, f64)| {
        let chunk = world.chunk(id.base, id.chunk);
        let Some(place) = chunk.place.clone() else { return true };
        let is_new = |at: &u32| !shown.contains(&(chunk.document, *at));
        let Some(first) = place.clone().find(is_new) else { return false };
        let mut around = around(window, &place);
        if let Window::Document { max_chars } = window {
            let spare = max_chars.saturating_sub(place.end - place.start);
            let longest = max_chars.max(place.end - place.start).min(DOCUMENT);
            let starts = (0..=DOCUMENT - longest)
                .filter(|start| *start <= place.start && place.end <= start + longest);
            let start = starts.min_by_key(|start| (place.start - start).abs_diff(spare / 2)).unwrap();
            around = start..start + longest;
        }
        let after: Vec<u32> = (first..around.end).take_while(is_new).collect();
        let before: Vec<u32> = (around.start..first).rev().take_while(is_new).collect();
        shown.extend(before.into_iter().chain(after).map(|at| (chunk.document, at)));
        true
    };
    hits.into_iter().filter(is_shown).collect()
}

fn cap(world: &World, asked: &Asked, hits: Vec<(Id, f64)>) -> Vec<(Id, f64)> {
    let max = asked.arguments.max_per_document;
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let is_kept = |(id, _): &(Id, f64)| {
        let count = counts.entry(world.chunk(id.base, id.chunk).document).or_default();
        *count += 1;
        max.is_none_or(|max| *count <= max)
    };
    hits.into_iter().filter(is_kept).collect()
}

/// Whether neither keywords nor a model can be used, so that the search fails.
fn fails(world: &World, asked: &Asked) -> bool {
    let (keyword_weight, semantic_weight) = asked.weights();
    let is_failing =
        |base: &kb_rag_core::search::Base| matches!(world.models[base.space], Model::Missing | Model::Silent);
    keyword_weight == 0.0 && semantic_weight != 0.0 && world.bases.iter().all(is_failing)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn with_an_exact_index_it_gives_what_the_model_gives(world in world(120), asked in asked()) {
        let world = world.exact();
        let ended = world.search(asked.query());
        if fails(&world, &asked) {
            prop_assert!(ended.result.is_err());
            return Ok(());
        }
        let expected: Vec<(Id, f64)> = naive(&world, &asked).into_iter().take(asked.arguments.count).collect();
        let found: Vec<(Id, f64)> = ended.hits().iter().map(|hit| (hit.id, hit.score)).collect();
        prop_assert_eq!(found, expected, "{:?}", ended.batches);
    }

    /// What the index misses is at most missing: the others come in the same order, if nothing else depends on ranks.
    #[test]
    fn with_an_approximate_index_it_differs_in_what_is_missed(mut world in world(60), mut asked in asked()) {
        // What is missed could open a gate.
        world.bases.iter_mut().for_each(|base| base.gate = None);
        asked.arguments.mode = Mode::Semantic;
        asked.form = Form::Plain;
        if world.models.len() > 1 {
            return Ok(());
        }
        let (found, exact) = (world.search(asked.query()), world.exact().search(asked.query()));
        if let (Ok(_), Ok(_)) = (&found.result, &exact.result) {
            // Those above a threshold may all be missed.
            if asked.keeps_all() && world.bases.iter().all(|base| base.threshold.is_none()) {
                prop_assert_eq!(found.hits().len(), exact.hits().len());
            }
            let is_missed = |id: &Id| world.chunk(id.base, id.chunk).is_missed;
            if asked.keeps_all() {
                let kept: Vec<Id> = exact.ids().into_iter().filter(|id| !is_missed(id)).collect();
                let common: Vec<Id> = found.ids().into_iter().filter(|id| kept.contains(id)).collect();
                prop_assert_eq!(common, kept);
            }
        }
    }
}
