//! What a search is asked for, in the form that its steps need.

use serde::{Deserialize, Serialize};

use super::{Thresholds, Window};

/// Which ways of searching are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Both, fused.
    Hybrid,
    /// By vectors alone.
    Semantic,
    /// By keyword alone.
    Keyword,
}

/// How two ways of searching become one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    /// Reciprocal rank fusion.
    ReciprocalRank,
    /// The sum of min-max normalized scores.
    RelativeScore,
}

/// The arguments of a search that decide which chunks it finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arguments {
    /// Which ways of searching are used.
    pub mode: Mode,
    /// How they are fused in the mode hybrid.
    pub fusion: Fusion,
    /// The k of reciprocal rank fusion: finite, at least 0.
    pub rrf_k: f64,
    /// The weight of keyword search: finite, at least 0; 0 turns it off.
    pub keyword_weight: f64,
    /// The weight of vector search: finite, at least 0; 0 turns it off.
    pub semantic_weight: f64,
    /// How many results are wanted, at least 1.
    pub count: usize,
    /// How many of the best results are skipped.
    pub offset: usize,
    /// At most this many results of one document, at least 1; None for any number.
    pub max_per_document: Option<usize>,
    /// Whether results of equal text become one, the best.
    pub merges_copies: bool,
    /// The part of the document that each result shows; None for its chunk alone.
    pub window: Option<Window>,
    /// The similarity that results must exceed in all knowledge bases; None for that of each.
    pub threshold: Option<f64>,
}

/// How the arms become one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    /// One arm's list with its own scores. The lists of several models, whose similarities cannot be compared, are fused by
    /// rank.
    Own,
    /// Fused.
    Fused(Fusion),
}

/// A search. Its parts say what is to be done, so that no step asks for a mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// The weight of the keyword arm; None without one.
    pub(super) keyword: Option<f64>,
    /// The weight of the semantic arms; None without them. With 0 they only compare what the keyword arm finds.
    pub(super) semantic: Option<f64>,
    pub(super) combination: Combination,
    pub(super) rrf_k: f64,
    /// How many results have to be found: those that are wanted, and those that are skipped.
    pub(super) count: usize,
    pub(super) offset: usize,
    pub(super) max_per_document: Option<usize>,
    pub(super) merges_copies: bool,
    pub(super) window: Option<Window>,
    /// Whether the keyword arm weighs as much as it holds of the question.
    covers: bool,
    threshold: Option<f64>,
    /// The threshold of bases without thresholds, whose models have none either. None for a search that applies those of bases alone.
    otherwise: Option<f64>,
}

impl Query {
    /// The search that the arguments describe.
    pub fn plain(arguments: Arguments) -> Query {
        let weight = |weight: f64, is_used: bool| (is_used && weight != 0.0).then_some(weight);
        Query {
            keyword: weight(arguments.keyword_weight, arguments.mode != Mode::Semantic),
            semantic: weight(arguments.semantic_weight, arguments.mode != Mode::Keyword),
            combination: match arguments.mode {
                Mode::Hybrid => Combination::Fused(arguments.fusion),
                Mode::Semantic | Mode::Keyword => Combination::Own,
            },
            rrf_k: arguments.rrf_k,
            count: arguments.count.saturating_add(arguments.offset),
            offset: arguments.offset,
            max_per_document: arguments.max_per_document,
            merges_copies: arguments.merges_copies,
            window: arguments.window,
            covers: true,
            threshold: arguments.threshold,
            otherwise: None,
        }
    }

    /// A search by keyword whose results are also compared by their vectors: similarities do not change the order, but the
    /// threshold applies to them.
    pub fn by_keyword_with_similarities(arguments: Arguments) -> Query {
        Query {
            semantic: Some(0.0),
            combination: Combination::Fused(Fusion::RelativeScore),
            ..Query::plain(Arguments { mode: Mode::Keyword, ..arguments })
        }
    }

    /// The same for an answer, which has a gate. Bases without thresholds have those of their model, or `otherwise`.
    pub fn answering(self, otherwise: f64) -> Query {
        Query { otherwise: Some(otherwise), ..self }
    }

    /// The thresholds in a base. That of the call, which switches the gate off, precedes `own`, those of the base; for an answer,
    /// these precede `of_model`. `no_threshold` stands for none.
    pub fn thresholds(
        &self,
        own: Thresholds,
        of_model: impl FnOnce() -> Option<Thresholds>,
        no_threshold: f64,
    ) -> Thresholds {
        match (self.threshold, self.otherwise) {
            (Some(threshold), _) => {
                Thresholds::of_filter(Some(threshold).filter(|given| *given != no_threshold))
            }
            (None, None) => Thresholds::of_filter(own.filter),
            (None, Some(otherwise)) => {
                let unmeasured = Thresholds { gate: None, filter: Some(otherwise), exact: Some(otherwise) };
                own.or(of_model().unwrap_or(unmeasured))
            }
        }
    }

    /// The same with the full weight of the keyword arm, whatever it holds of the question.
    pub fn without_coverage(self) -> Query {
        Query { covers: false, ..self }
    }

    /// Whether the weight of the keyword arm depends on what it holds of the question. Beside no other weight it would say nothing.
    pub(super) fn weighs_coverage(&self) -> bool {
        self.covers && self.uses_keywords() && self.adds_by_vectors()
    }

    /// Whether hits that hold enough of the question may pass thresholds.
    pub(super) fn lets_exact_pass(&self) -> bool {
        self.covers && self.uses_keywords() && self.uses_vectors()
    }

    /// Whether the question is compared by its vector, which it needs.
    pub fn uses_vectors(&self) -> bool {
        self.semantic.is_some()
    }

    /// Whether it has a keyword arm.
    pub fn uses_keywords(&self) -> bool {
        self.keyword.is_some()
    }

    /// Whether ranks are fused.
    pub(super) fn fuses_ranks(&self) -> bool {
        self.combination == Combination::Fused(Fusion::ReciprocalRank)
    }

    /// Whether ranks are fused, and the keyword arm is one of the arms.
    pub(super) fn is_by_rank(&self) -> bool {
        self.keyword.is_some() && self.fuses_ranks()
    }

    /// Whether each of the best hits is a result.
    pub(super) fn keeps_all(&self) -> bool {
        self.max_per_document.is_none() && !self.merges_copies && self.window.is_none()
    }

    /// Whether vectors may add results.
    pub(super) fn adds_by_vectors(&self) -> bool {
        self.semantic.is_some_and(|weight| weight != 0.0)
    }
}
