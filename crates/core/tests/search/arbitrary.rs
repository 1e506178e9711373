//! Generated worlds and searches.

use kb_rag_core::lexeme::Held;
use kb_rag_core::search::{Arguments, Base, Fusion, Mode, Query, Window};
use proptest::prelude::*;

use crate::world::{Chunk, Model, World};

/// How a query is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Plain,
    KeywordWithSimilarities,
}

/// The arguments of a search, and how they are used.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub form: Form,
    /// Whether the weight of the keyword arm depends on what it holds of the question.
    pub weighs_coverage: bool,
    pub arguments: Arguments,
}

impl Asked {
    pub fn query(&self) -> Query {
        let query = match self.form {
            Form::Plain => Query::plain(self.arguments),
            Form::KeywordWithSimilarities => Query::by_keyword_with_similarities(self.arguments),
        };
        if self.weighs_coverage { query } else { query.without_coverage() }
    }

    /// Whether what holds enough of the question passes thresholds.
    pub fn passes_exact(&self) -> bool {
        let uses_vectors = self.form == Form::KeywordWithSimilarities || self.weights().1 != 0.0;
        self.weighs_coverage && self.weights().0 != 0.0 && uses_vectors
    }

    /// Without what makes rows of hits.
    pub fn keep_all(&mut self) {
        let arguments = &mut self.arguments;
        (arguments.max_per_document, arguments.merges_copies, arguments.window) = (None, false, None);
    }

    /// Whether every hit is a row.
    pub fn keeps_all(&self) -> bool {
        let Arguments { max_per_document, merges_copies, window, .. } = self.arguments;
        max_per_document.is_none() && !merges_copies && window.is_none()
    }

    pub fn with_count(mut self, count: usize) -> Asked {
        self.arguments.count = count;
        self
    }

    /// The arguments as a hybrid search has them.
    pub fn weights(&self) -> (f64, f64) {
        let Arguments { mode, keyword_weight, semantic_weight, .. } = self.arguments;
        match (self.form, mode) {
            (Form::KeywordWithSimilarities, _) | (Form::Plain, Mode::Keyword) => (keyword_weight, 0.0),
            (Form::Plain, Mode::Semantic) => (0.0, semantic_weight),
            (Form::Plain, Mode::Hybrid) => (keyword_weight, semantic_weight),
        }
    }
}

/// Few values, so that many are equal.
fn score() -> impl Strategy<Value = f64> {
    (1_u32..12).prop_map(|score| f64::from(score) / 12.0)
}

/// A chunk that lacks a vector in so many of 48 cases.
fn chunk(bases: usize, lacking: u32) -> impl Strategy<Value = Chunk> {
    let keyword = prop_oneof![2 => Just(0.0), 3 => score()];
    let similarity = (0_u32..48, score()).prop_map(move |(n, score)| (n >= lacking).then_some(score));
    let held = prop::sample::select(vec![(0.01, 0.0), (0.2, 0.2), (0.5, 0.0), (0.9, 0.0), (1.0, 0.02)]);
    let text = prop::option::weighted(0.9, 0_u8..40);
    let place =
        prop::option::weighted(0.9, (0_u32..80, 1_u32..20).prop_map(|(from, length)| from..from + length));
    let shape = (text, place);
    (0..bases, 0_u32..8, keyword, held, similarity, prop::bool::weighted(0.2), any::<bool>(), shape).prop_map(
        |(base, document, keyword, (words, codes), similarity, is_missed, is_queued, (text, place))| Chunk {
            id: 0,
            base,
            document: document + 8 * base as u32,
            text,
            place,
            keyword,
            held: Held { words, codes, rare_codes: if words < 0.5 { codes } else { 0.0 } },
            similarity,
            is_missed,
            // The queue knows of no chunk that has a vector.
            is_queued: is_queued && similarity.is_none(),
        },
    )
}

fn model() -> impl Strategy<Value = Model> {
    prop_oneof![
        6 => Just(Model::Reads(1.0)),
        1 => prop::sample::select(vec![0.0, 0.1, 0.49, 0.5, 0.55]).prop_map(Model::Reads),
        1 => Just(Model::Illiterate),
        1 => Just(Model::Missing),
        1 => Just(Model::Silent),
    ]
}

/// Small, so that there are several rounds, or such that more are found by keyword than are compared in any case.
fn depth() -> impl Strategy<Value = usize> {
    prop_oneof![2 => 2_usize..10, 1 => 40_usize..60]
}

/// A world of up to three bases in up to two spaces, of up to `max` chunks.
pub fn world(max: usize) -> impl Strategy<Value = World> {
    (1_usize..4, 1_usize..3, prop::sample::select(vec![0, 1, 8])).prop_flat_map(
        move |(bases, spaces, lacking)| {
            let least = || prop::option::weighted(0.4, score());
            let base = (0..spaces, least(), least(), least(), any::<bool>()).prop_map(
                |(space, threshold, gate, exact, makes_vectors)| Base {
                    space,
                    threshold,
                    gate,
                    exact,
                    makes_vectors,
                },
            );
            let chunks = prop::collection::vec(chunk(bases, lacking), 0..max);
            let parts =
                (prop::collection::vec(base, bases), prop::collection::vec(model(), spaces), chunks, depth());
            parts.prop_map(|(mut bases, mut models, mut chunks, depth)| {
                // Every space has a base.
                if let Some(first) = bases.first_mut() {
                    first.space = 0;
                }
                models.truncate(bases.iter().map(|base| base.space + 1).max().unwrap_or(0));
                // The queue of a base that makes vectors knows of every chunk without one.
                for (id, chunk) in chunks.iter_mut().enumerate() {
                    chunk.id = (id * 7919 % 10007) as u32;
                    chunk.is_queued |= bases[chunk.base].makes_vectors && chunk.similarity.is_none();
                }
                World { bases, models, chunks, depth, is_broken: false }
            })
        },
    )
}

pub fn asked() -> impl Strategy<Value = Asked> {
    let weight = || prop::sample::select(vec![0.0, 0.5, 1.0, 2.0]);
    let form = prop_oneof![5 => Just(Form::Plain), 1 => Just(Form::KeywordWithSimilarities)];
    let mode = prop_oneof![3 => Just(Mode::Hybrid), 1 => Just(Mode::Semantic), 1 => Just(Mode::Keyword)];
    let fusion = prop_oneof![Just(Fusion::ReciprocalRank), Just(Fusion::RelativeScore)];
    let cap = prop::option::weighted(0.3, 1_usize..4);
    let coverage = prop::bool::weighted(0.7);
    let window = prop_oneof![
        (0_u32..5).prop_map(Window::Neighbors),
        (1_u32..120).prop_map(|max_chars| Window::Document { max_chars }),
    ];
    let shape = (cap, prop::bool::weighted(0.3), prop::option::weighted(0.3, window));
    (form, coverage, mode, fusion, weight(), weight(), 1_usize..40, shape).prop_map(
        |(form, weighs_coverage, mode, fusion, keyword_weight, semantic_weight, count, shape)| {
            let (max_per_document, merges_copies, window) = shape;
            Asked {
                form,
                weighs_coverage,
                arguments: Arguments {
                    mode,
                    fusion,
                    rrf_k: 10.0,
                    // A search by keyword is by keyword.
                    keyword_weight: if form == Form::Plain {
                        keyword_weight
                    } else {
                        keyword_weight.max(0.5)
                    },
                    semantic_weight,
                    count,
                    offset: 0,
                    max_per_document,
                    merges_copies,
                    window,
                    threshold: None,
                },
            }
        },
    )
}
