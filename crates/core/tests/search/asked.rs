//! What a search asks for, and in which order.

use std::collections::BTreeSet;

use kb_rag_core::search::{Mode, Remark};
use proptest::prelude::*;

use crate::arbitrary::{Form, asked, world};
use crate::world::{Ended, Model};

/// The number after a name in a printed action.
fn number(action: &str, name: &str) -> usize {
    let (_, rest) = action.split_once(&format!("{name}: ")).expect("a field of the action");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

fn spaces(batch: &[String], kind: &str) -> BTreeSet<usize> {
    batch.iter().filter(|action| action.starts_with(kind)).map(|action| number(action, "space")).collect()
}

fn place(ended: &Ended, kind: &str) -> Option<usize> {
    ended.batches.iter().position(|batch| batch.iter().any(|action| action.starts_with(kind)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_is_asked_twice(world in world(60), asked in asked()) {
        let ended = world.search(asked.query());
        let mut known = BTreeSet::new();
        for action in ended.batches.iter().flatten() {
            // Whether the queue has work, and whether the keywords find chunks without vectors, are asked in each round.
            if !action.starts_with("Queue") && !action.starts_with("Lacking") {
                prop_assert!(known.insert(action.clone()), "{action}");
            }
        }
        let mut compared = BTreeSet::new();
        for action in ended.batches.iter().flatten() {
            let kind = ["Similarities", "KeywordScores", "Documents"].into_iter().find(|kind| action.starts_with(kind));
            if let (Some(kind), Some((_, ids))) = (kind, action.split_once("ids: ")) {
                let base = if kind == "Documents" { 0 } else { number(action, "base") };
                let separator = if kind == "Documents" { "Candidate" } else { ", " };
                for id in ids.split(separator).filter(|id| id.chars().any(|c| c.is_ascii_digit())) {
                    let id: String = id.chars().filter(|c| c.is_ascii_digit() || *c == ',').collect();
                    prop_assert!(compared.insert((kind, base, id.clone())), "{kind} {base} {id}");
                }
            }
        }
    }

    /// Each round is four times deeper than the one before, and no deeper than it takes to see every chunk.
    #[test]
    fn rounds_are_bounded(world in world(60), asked in asked()) {
        let ended = world.search(asked.query());
        let mut rounds: BTreeSet<usize> = BTreeSet::new();
        for action in ended.batches.iter().flatten().filter(|action| action.starts_with("Keyword(") || action.starts_with("Nearest")) {
            rounds.insert(number(action, "depth"));
        }
        let deepest = rounds.last().copied().unwrap_or(0);
        prop_assert!(deepest <= 4 * (world.chunks.len() + world.depth) * 2, "{rounds:?}");
    }

    /// The right to read the bases of a space, and whether its model reads the question, come before the question is sent.
    #[test]
    fn nothing_is_embedded_that_was_not_opened_or_is_not_used(world in world(60), asked in asked()) {
        let ended = world.search(asked.query());
        let (keyword_weight, semantic_weight) = asked.weights();
        let uses_vectors = semantic_weight != 0.0 || asked.form == Form::KeywordWithSimilarities;
        let mut opened = BTreeSet::new();
        for batch in &ended.batches {
            let embedded = spaces(batch, "Embed");
            prop_assert!(embedded.is_subset(&opened), "embedded before it was opened: {:?}", ended.batches);
            opened.extend(spaces(batch, "Open"));
            for space in embedded {
                let model = world.models[space];
                let is_legible = keyword_weight == 0.0 || model != Model::Illiterate;
                prop_assert!(model != Model::Missing && is_legible);
            }
        }
        if uses_vectors {
            let all: BTreeSet<usize> = world.bases.iter().map(|base| base.space).collect();
            prop_assert_eq!(spaces(&ended.batches[0], "Open"), all, "all in the first batch");
        } else {
            for kind in ["Open", "Embed", "Nearest", "Read", "Similarities"] {
                prop_assert_eq!(ended.asked(kind), 0, "{}", kind);
            }
        }
        if keyword_weight == 0.0 {
            prop_assert_eq!(ended.asked("Keyword"), 0);
        }
        prop_assert_eq!(ended.embedding_time.as_millis() as usize, 5 * embedded_with_success(&world.models, &ended));
    }

    /// Looking for chunks without vectors takes long: the queue comes first, where it knows of them.
    #[test]
    fn the_queue_is_asked_before_the_chunks(world in world(60), asked in asked()) {
        let ended = world.search(asked.query());
        for (place, batch) in ended.batches.iter().enumerate() {
            for action in batch.iter().filter(|action| action.starts_with("Lacking")) {
                let base = number(action, "base");
                let queue = format!("Queue(Queue {{ base: {base} }})");
                let was_asked = ended.batches[..place].iter().flatten().any(|earlier| *earlier == queue);
                prop_assert!(was_asked || !world.bases[base].makes_vectors);
                let has_queued = world.chunks.iter().any(|chunk| chunk.base == base && chunk.is_queued);
                prop_assert!(has_queued || !world.bases[base].makes_vectors);
                prop_assert_eq!(batch.len(), 1, "one after the other");
            }
        }
    }

    /// A model that does not read the texts found, or the question, is remarked on once.
    #[test]
    fn illegible_texts_are_remarked_on_once(world in world(60), asked in asked()) {
        let ended = world.search(asked.query());
        for (space, model) in world.models.iter().enumerate() {
            let texts = ended.remarks.iter().filter(|remark| matches!(remark, Remark::TextsUnread { space: of, .. } if *of == space));
            let question = ended.remarks.iter().filter(|remark| matches!(remark, Remark::QuestionUnread { space: of } if *of == space));
            let (texts, question) = (texts.count(), question.count());
            prop_assert!(texts <= 1 && question <= 1);
            prop_assert!(texts == 0 || matches!(model, Model::Reads(weight) if *weight < 0.5));
            prop_assert!(question == 0 || *model == Model::Illiterate && asked.weights().0 != 0.0);
        }
        if asked.arguments.mode == Mode::Semantic && asked.form == Form::Plain {
            prop_assert!(place(&ended, "Read").is_none_or(|read| Some(read) > place(&ended, "Nearest")));
        }
    }
}

fn embedded_with_success(models: &[Model], ended: &Ended) -> usize {
    let embedded: BTreeSet<usize> = ended.batches.iter().flat_map(|batch| spaces(batch, "Embed")).collect();
    embedded.iter().filter(|space| models[**space] != Model::Silent).count()
}
