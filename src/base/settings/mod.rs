//! The settings of a knowledge base: what kb_create sets and kb_configure changes.

pub mod choices;
mod fields;
mod lexemes;
mod row;
pub mod stored;

use kb_rag_core::analyzer::Analyzer;
use kb_rag_core::bm25::Parameters;
use kb_rag_core::model_name::{EmbeddingSpace, ModelName};
use pgrx::pg_sys;

use super::{Embed, IndexKind, IndexMethod, MAX_INDEXED_DIMENSIONS, MAX_VECTOR_DIMENSIONS, Ranker};
use crate::choice::chosen;
use crate::chunking::ChunkSettings;
use crate::error::{Error, Result};
use crate::model::{self, MAX_DIMENSIONS, Model};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg};

pub use lexemes::{Lexemes, are_recorded as are_lexemes_recorded};

/// The threshold that stands for none: as an argument, NULL leaves a setting as it is.
pub const NO_THRESHOLD: f64 = -1.0;

/// The default of part_weight.
pub const DEFAULT_PART_WEIGHT: f64 = 0.25;

/// The parameters of a base's ranker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranking {
    /// BM25's k1, 0 to 10.
    pub bm25_k1: f64,
    /// BM25's b, 0 to 1.
    pub bm25_b: f64,
    /// The weight of a word in the title relative to one in the text, 0 to 10.
    pub title_weight: f64,
    /// The weight of a word in the heading relative to one in the text, 0 to 10.
    pub heading_weight: f64,
    /// The weight of a part of a word relative to a word, 0 to 1; 0 ranks no parts.
    pub part_weight: f64,
}

/// Every setting of a base.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model, and the dimensions of its vectors.
    pub space: EmbeddingSpace,
    pub chunks: ChunkSettings,
    /// Qualified name of the text search configuration.
    pub text_config: String,
    pub ranker: Ranker,
    pub index_method: IndexMethod,
    pub embed: Embed,
    pub ranking: Ranking,
    /// The similarity above which results must be in searches that give no threshold; above -1 and below 1.
    pub match_threshold: Option<f64>,
    /// The similarity above which the best result must be for an answer; above -1 and below 1.
    pub answer_threshold: Option<f64>,
    pub lexemes: Lexemes,
    /// Whether searches that cover only bases with this setting are logged, whatever kb_rag.log_searches says.
    pub log_searches: bool,
    /// The chat model that makes abstract and overview of documents, as provider/model.
    pub summaries: Option<String>,
}

/// The settings that a call changes; None leaves a setting as it is.
#[derive(Debug, Default)]
pub struct Changes<'a> {
    pub model: Option<&'a str>,
    pub dimensions: Option<i32>,
    pub chunk_size: Option<i32>,
    pub chunk_overlap: Option<i32>,
    pub chunk_unit: Option<&'a str>,
    pub chunk_strategy: Option<&'a str>,
    pub text_config: Option<pg_sys::Oid>,
    pub ranker: Option<&'a str>,
    pub index_method: Option<&'a str>,
    pub embed: Option<&'a str>,
    pub bm25_k1: Option<f64>,
    pub bm25_b: Option<f64>,
    pub title_weight: Option<f64>,
    pub heading_weight: Option<f64>,
    /// -1 removes it.
    pub match_threshold: Option<f64>,
    pub fold_accents: Option<bool>,
    pub part_weight: Option<f64>,
    pub lexeme_format: Option<i32>,
    /// -1 removes it.
    pub answer_threshold: Option<f64>,
    pub log_searches: Option<bool>,
    /// An empty one removes it.
    pub summaries: Option<&'a str>,
}

impl Default for Settings {
    /// The default settings. The model's dimensions and the text search configuration are still to be filled in.
    fn default() -> Settings {
        let Parameters { k1, b, .. } = Parameters::default();
        Settings {
            space: EmbeddingSpace { model: ModelName::new(model::DEFAULT), dimensions: 0 },
            chunks: ChunkSettings::default(),
            text_config: String::new(),
            ranker: Ranker::Bm25,
            index_method: IndexMethod::Auto,
            embed: Embed::Auto,
            ranking: Ranking {
                bm25_k1: k1,
                bm25_b: b,
                title_weight: 2.0,
                heading_weight: 1.5,
                part_weight: DEFAULT_PART_WEIGHT,
            },
            match_threshold: None,
            answer_threshold: None,
            lexemes: Lexemes::default(),
            log_searches: false,
            summaries: None,
        }
    }
}

impl Settings {
    /// The default settings, with the session's text search configuration. The model's dimensions are still to be filled in.
    pub fn session_defaults() -> Result<Settings> {
        Ok(Settings {
            text_config: text_config(None)?,
            lexemes: Lexemes::of_new_base(),
            ..Settings::default()
        })
    }

    /// The settings after the changes. If the model changes and no dimensions are given, the model's native ones are used.
    /// The model is looked up, and returned, only if the changes need it.
    pub fn with(&self, changes: &Changes) -> Result<(Settings, Option<Model>)> {
        let EmbeddingSpace { model, dimensions } = &self.space;
        let new_model = changes.model.map_or_else(|| model.clone(), ModelName::new);
        let mut new = Settings {
            text_config: match changes.text_config {
                Some(oid) => text_config(Some(oid))?,
                None => self.text_config.clone(),
            },
            ranker: chosen(changes.ranker, self.ranker)?,
            ranking: self.ranking.with(changes)?,
            match_threshold: changes.match_threshold.map_or(Ok(self.match_threshold), check_threshold)?,
            answer_threshold: changes
                .answer_threshold
                .map_or(Ok(self.answer_threshold), |given| check_similarity("answer_threshold", given))?,
            lexemes: self.lexemes.with(changes)?,
            log_searches: changes.log_searches.unwrap_or(self.log_searches),
            summaries: match changes.summaries {
                Some(model) => Some(model.to_string()).filter(|model| !model.is_empty()),
                None => self.summaries.clone(),
            },
            index_method: chosen(changes.index_method, self.index_method)?,
            embed: chosen(changes.embed, self.embed)?,
            chunks: ChunkSettings {
                size: changes.chunk_size.unwrap_or(self.chunks.size),
                overlap: changes.chunk_overlap.unwrap_or(self.chunks.overlap),
                unit: chosen(changes.chunk_unit, self.chunks.unit)?,
                strategy: chosen(changes.chunk_strategy, self.chunks.strategy)?,
            },
            space: EmbeddingSpace { model: new_model, dimensions: *dimensions },
        };
        let another_model = new.space.model != *model;
        let mut found = None;
        if *dimensions == 0
            || another_model
            || changes.dimensions.is_some_and(|n| n != *dimensions)
            || new.chunks != self.chunks
        {
            let model = model::resolve(&new.space.model)?;
            if let (Model::Remote(remote), true) = (&model, another_model) {
                remote.warn_of_model();
            }
            new.chunks.check(&model)?;
            if new.chunks.are_estimated_for(&new.space.model) {
                Error::remark(format!("the tokens of model \"{}\" are estimated", new.space.model))
                    .hint("A chunk may have about a tenth more of them than chunk_size says.")
                    .notify();
            }
            let kept = (*dimensions != 0 && !another_model).then_some(*dimensions);
            new.space.dimensions = model.dimensions(changes.dimensions.or(kept))?;
            found = Some(model);
        }
        new.check_index()?;
        new.check_embed()?;
        Ok((new, found))
    }

    /// What makes the lexemes of a document without a language, and of queries.
    pub fn analyzer(&self) -> Analyzer<'_> {
        self.lexemes.analyzer(&self.text_config)
    }

    /// pgvector's type of the vectors: a `vector` is indexed up to 2,000 dimensions, a `halfvec` up to 4,000.
    pub fn vector_type(&self) -> &'static str {
        if self.space.dimensions <= MAX_VECTOR_DIMENSIONS { "vector" } else { "halfvec" }
    }

    /// Bytes of one vector.
    pub fn vector_bytes(&self) -> i64 {
        i64::from(self.space.dimensions) * if self.vector_type() == "vector" { 4 } else { 2 }
    }

    /// The kind of the index over the vectors; None where they have none.
    pub fn index_kind(&self) -> Option<IndexKind> {
        match self.index_method {
            IndexMethod::Auto | IndexMethod::Hnsw => Some(IndexKind::Hnsw),
            IndexMethod::IvfFlat => Some(IndexKind::IvfFlat),
            IndexMethod::None => None,
        }
        .filter(|_| self.space.dimensions <= MAX_INDEXED_DIMENSIONS)
    }

    /// 22023 for settings that kb_create and kb_configure do not store: a superuser may write anything into the catalog, and
    /// the owner of a base into its table of settings. The text search configuration is not looked up: it may have been
    /// dropped.
    pub fn check_stored(&self) -> Result<()> {
        self.ranking.check()?;
        self.match_threshold.map_or(Ok(None), check_threshold)?;
        self.answer_threshold.map_or(Ok(None), |stored| check_similarity("answer_threshold", stored))?;
        check_dimensions(self.space.dimensions)?;
        self.chunks.check_stored()
    }

    fn check_embed(&self) -> Result<()> {
        if self.embed == Embed::Inline && self.space.model.is_remote() {
            return Err(Error::invalid(format!("model \"{}\" cannot embed inline", self.space.model))
                .detail("A writer never waits for the network.")
                .hint("Use embed => 'auto' or 'queued'."));
        }
        Ok(())
    }

    fn check_index(&self) -> Result<()> {
        let index = match self.index_method {
            IndexMethod::Hnsw => "HNSW",
            IndexMethod::IvfFlat => "IVFFlat",
            IndexMethod::Auto | IndexMethod::None => return Ok(()),
        };
        if self.space.dimensions > MAX_INDEXED_DIMENSIONS {
            return Err(Error::limit(format!("an {index} index cannot hold {} dimensions", self.space.dimensions)).hint(format!(
                "At most {MAX_INDEXED_DIMENSIONS} are indexed; use index_method => 'auto', which searches without an index above that."
            )));
        }
        Ok(())
    }
}

impl Ranking {
    fn with(&self, changes: &Changes) -> Result<Ranking> {
        let new = Ranking {
            bm25_k1: changes.bm25_k1.unwrap_or(self.bm25_k1),
            bm25_b: changes.bm25_b.unwrap_or(self.bm25_b),
            title_weight: changes.title_weight.unwrap_or(self.title_weight),
            heading_weight: changes.heading_weight.unwrap_or(self.heading_weight),
            part_weight: changes.part_weight.unwrap_or(self.part_weight),
        };
        new.check().map(|()| new)
    }

    /// 22023 for a number out of range.
    fn check(&self) -> Result<()> {
        for (name, value, max) in [
            ("bm25_k1", self.bm25_k1, 10),
            ("bm25_b", self.bm25_b, 1),
            ("title_weight", self.title_weight, 10),
            ("heading_weight", self.heading_weight, 10),
            ("part_weight", self.part_weight, 1),
        ] {
            if !(0.0..=f64::from(max)).contains(&value) {
                return Err(Error::invalid(format!("{name} {value} is out of range"))
                    .hint(format!("Use 0 to {max}.")));
            }
        }
        Ok(())
    }
}

/// The match_threshold of this argument; None for -1. 22023 for a number out of range.
pub fn check_threshold(given: f64) -> Result<Option<f64>> {
    check_similarity("match_threshold", given)
}

/// The threshold of the argument of this name; None for -1. 22023 for a number out of range: a similarity is at most 1, so none
/// would be above a threshold of 1.
fn check_similarity(name: &str, given: f64) -> Result<Option<f64>> {
    if !(NO_THRESHOLD..1.0).contains(&given) {
        return Err(Error::invalid(format!("{name} {given} is out of range"))
            .hint("Use a similarity below 1, such as 0.3, or -1 for no threshold."));
    }
    Ok(Some(given).filter(|threshold| *threshold != NO_THRESHOLD))
}

/// 22023 for dimensions out of range.
pub fn check_dimensions(dimensions: i32) -> Result<()> {
    if (1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Ok(());
    }
    Err(Error::invalid(format!("dimensions {dimensions} is out of range"))
        .hint(format!("Use 1 to {MAX_DIMENSIONS}.")))
}

/// The qualified name of a text search configuration; None stands for the session's.
fn text_config(oid: Option<pg_sys::Oid>) -> Result<String> {
    guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query_one(include_str!("text_config.sql"), Access::Read, &[Arg::new(oid)], |row| row.require(1))
        })
    })?
    .ok_or_else(|| Error::not_found("the text search configuration does not exist"))
}
