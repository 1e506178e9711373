//! What a search is asked for, in the form that its steps need.

/// Which ways of searching are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Whether the keyword arm weighs as much as it holds of the question.
    covers: bool,
    threshold: Option<f64>,
    /// The threshold of bases that have none, and whose models have none.
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

    /// A search in which bases without a threshold have that of their model, or `otherwise`.
    pub fn with_threshold_otherwise(arguments: Arguments, otherwise: f64) -> Query {
        Query { otherwise: Some(otherwise), ..Query::plain(arguments) }
    }

    /// The threshold in a base: that of the call; or its own; or, for a search that has one otherwise, that of its model,
    /// `of_model`, or the search's. `no_threshold` stands for none.
    pub fn threshold(
        &self,
        own: Option<f64>,
        of_model: impl FnOnce() -> Option<f64>,
        no_threshold: f64,
    ) -> Option<f64> {
        let otherwise = || self.otherwise.map(|otherwise| of_model().unwrap_or(otherwise));
        self.threshold.or(own).or_else(otherwise).filter(|threshold| *threshold != no_threshold)
    }

    /// The same with the full weight of the keyword arm, whatever it holds of the question.
    pub fn without_coverage(self) -> Query {
        Query { covers: false, ..self }
    }

    /// Whether the weight of the keyword arm depends on what it holds of the question. Beside no other weight it would say nothing.
    pub(super) fn weighs_coverage(&self) -> bool {
        self.covers && self.uses_keywords() && self.adds_by_vectors()
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

    /// Whether vectors may add results.
    pub(super) fn adds_by_vectors(&self) -> bool {
        self.semantic.is_some_and(|weight| weight != 0.0)
    }
}
