//! The settings of a base that are one of a few names.

use kb_rag_core::model_name::ModelName;

use crate::choice::Choice;

/// How the matches of the keyword arm are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranker {
    /// BM25 with the statistics of the bases searched.
    Bm25,
    /// The same; in hybrid searches the best chunks count more if neighboring words of the question are near to each other.
    Bm25Proximity,
    /// PostgreSQL's ts_rank with normalization 1.
    TsRank,
    /// PostgreSQL's ts_rank_cd with normalization 1.
    TsRankCd,
}

impl Ranker {
    /// Whether rare words count more.
    pub fn is_bm25(self) -> bool {
        matches!(self, Ranker::Bm25 | Ranker::Bm25Proximity)
    }
}

impl Choice for Ranker {
    const WHAT: &'static str = "ranker";
    const ALL: &'static [Ranker] = &[Ranker::Bm25, Ranker::Bm25Proximity, Ranker::TsRank, Ranker::TsRankCd];

    fn name(self) -> &'static str {
        match self {
            Ranker::Bm25 => "bm25",
            Ranker::Bm25Proximity => "bm25_proximity",
            Ranker::TsRank => "ts_rank",
            Ranker::TsRankCd => "ts_rank_cd",
        }
    }
}

/// The index over the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexMethod {
    /// HNSW, as far as pgvector can index the dimensions.
    Auto,
    /// HNSW; an error if pgvector cannot index the dimensions.
    Hnsw,
    /// IVFFlat, once there are vectors enough; an error if pgvector cannot index the dimensions.
    IvfFlat,
    /// No index: searches are exact.
    None,
}

impl Choice for IndexMethod {
    const WHAT: &'static str = "index_method setting";
    const ALL: &'static [IndexMethod] =
        &[IndexMethod::Auto, IndexMethod::Hnsw, IndexMethod::IvfFlat, IndexMethod::None];

    fn name(self) -> &'static str {
        match self {
            IndexMethod::Auto => "auto",
            IndexMethod::Hnsw => "hnsw",
            IndexMethod::IvfFlat => "ivfflat",
            IndexMethod::None => "none",
        }
    }
}

/// Where vectors of new chunks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embed {
    /// By the writer if the model is local and the chunks are few, otherwise by the workers.
    Auto,
    /// By the writer.
    Inline,
    /// By the workers.
    Queued,
    /// Nowhere: the base is searched by keyword only.
    Off,
}

impl Embed {
    /// Whether all vectors of the model are left to the workers: writers never wait for the network.
    pub fn is_by_workers(self, model: &ModelName) -> bool {
        match self {
            Embed::Queued => true,
            Embed::Auto | Embed::Inline => model.is_remote(),
            Embed::Off => false,
        }
    }
}

impl Choice for Embed {
    const WHAT: &'static str = "embed setting";
    const ALL: &'static [Embed] = &[Embed::Auto, Embed::Inline, Embed::Queued, Embed::Off];

    fn name(self) -> &'static str {
        match self {
            Embed::Auto => "auto",
            Embed::Inline => "inline",
            Embed::Queued => "queued",
            Embed::Off => "off",
        }
    }
}
