//! The settings of a knowledge base: what kb_create sets and kb_configure changes.

use pgrx::pg_sys;

use super::{MAX_INDEXED_DIMENSIONS, MAX_VECTOR_DIMENSIONS};
use crate::chunking;
use crate::error::{Error, Result};
use crate::guc;
use crate::model::{self, MAX_DIMENSIONS, Model};
use crate::search::Ranker;
use crate::spi::{self, Access, Arg};

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
}

/// Every setting of a base.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub model: String,
    pub dimensions: i32,
    pub chunk_size: i32,
    pub chunk_overlap: i32,
    pub chunk_unit: String,
    pub chunk_strategy: String,
    /// Qualified name of the text search configuration.
    pub text_config: String,
    pub ranker: String,
    pub index_method: String,
    pub embed: String,
    pub ranking: Ranking,
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
}

impl Settings {
    /// The default settings. The model's dimensions are still to be filled in.
    pub fn standard() -> Result<Settings> {
        Ok(Settings {
            model: model::DEFAULT.to_string(),
            dimensions: 0,
            chunk_size: 1000,
            chunk_overlap: 200,
            chunk_unit: "char".to_string(),
            chunk_strategy: "auto".to_string(),
            text_config: text_config(None)?,
            ranker: "bm25".to_string(),
            index_method: "auto".to_string(),
            embed: "auto".to_string(),
            ranking: Ranking { bm25_k1: 1.2, bm25_b: 0.75, title_weight: 2.0, heading_weight: 1.5 },
        })
    }

    /// The settings after the changes. If the model changes and no dimensions are given, the model's native ones are used.
    /// The model is looked up, and returned, only if the changes need it.
    pub fn with(&self, changes: &Changes) -> Result<(Settings, Option<Model>)> {
        let text = |new: Option<&str>, old: &str| new.unwrap_or(old).to_string();
        let mut new = Settings {
            model: text(changes.model, &self.model),
            dimensions: self.dimensions,
            chunk_size: changes.chunk_size.unwrap_or(self.chunk_size),
            chunk_overlap: changes.chunk_overlap.unwrap_or(self.chunk_overlap),
            chunk_unit: text(changes.chunk_unit, &self.chunk_unit),
            chunk_strategy: text(changes.chunk_strategy, &self.chunk_strategy),
            text_config: match changes.text_config {
                Some(oid) => text_config(Some(oid))?,
                None => self.text_config.clone(),
            },
            ranker: text(changes.ranker, &self.ranker),
            index_method: text(changes.index_method, &self.index_method),
            embed: text(changes.embed, &self.embed),
            ranking: Ranking {
                bm25_k1: changes.bm25_k1.unwrap_or(self.ranking.bm25_k1),
                bm25_b: changes.bm25_b.unwrap_or(self.ranking.bm25_b),
                title_weight: changes.title_weight.unwrap_or(self.ranking.title_weight),
                heading_weight: changes.heading_weight.unwrap_or(self.ranking.heading_weight),
            },
        };
        new.check()?;
        let another_model = new.model != self.model;
        let mut found = None;
        if self.dimensions == 0
            || another_model
            || changes.dimensions.is_some_and(|n| n != self.dimensions)
            || !new.chunks_like(self)
        {
            let model = model::resolve(&new.model)?;
            if let (Model::Remote(remote), true) = (&model, another_model) {
                remote.warn_of_model();
            }
            chunking::check(new.chunk_size, new.chunk_overlap, &new.chunk_unit, &new.chunk_strategy, &model)?;
            let kept = (self.dimensions != 0 && !another_model).then_some(self.dimensions);
            new.dimensions = model.dimensions(changes.dimensions.or(kept))?;
            found = Some(model);
        }
        new.check_index()?;
        new.check_embed()?;
        Ok((new, found))
    }

    /// Bound for the statements that write the catalogue: $1 to $14.
    pub fn args(&self) -> Vec<Arg> {
        vec![
            Arg::new(self.model.as_str()),
            Arg::new(self.dimensions),
            Arg::new(self.chunk_size),
            Arg::new(self.chunk_overlap),
            Arg::new(self.chunk_unit.as_str()),
            Arg::new(self.chunk_strategy.as_str()),
            Arg::new(self.text_config.as_str()),
            Arg::new(self.ranker.as_str()),
            Arg::new(self.index_method.as_str()),
            Arg::new(self.embed.as_str()),
            Arg::new(self.ranking.bm25_k1),
            Arg::new(self.ranking.bm25_b),
            Arg::new(self.ranking.title_weight),
            Arg::new(self.ranking.heading_weight),
        ]
    }

    /// Whether texts are chunked in the same way.
    pub fn chunks_like(&self, other: &Settings) -> bool {
        (self.chunk_size, self.chunk_overlap, &self.chunk_unit, &self.chunk_strategy)
            == (other.chunk_size, other.chunk_overlap, &other.chunk_unit, &other.chunk_strategy)
    }

    /// Whether texts have the same vectors.
    pub fn embeds_like(&self, other: &Settings) -> bool {
        (&self.model, self.dimensions) == (&other.model, other.dimensions)
    }

    /// pgvector's type of the vectors: a `vector` is indexed up to 2,000 dimensions, a `halfvec` up to 4,000.
    pub fn vector_type(&self) -> &'static str {
        if self.dimensions <= MAX_VECTOR_DIMENSIONS { "vector" } else { "halfvec" }
    }

    /// Bytes of one vector.
    pub fn vector_bytes(&self) -> i64 {
        i64::from(self.dimensions) * if self.vector_type() == "vector" { 4 } else { 2 }
    }

    /// Whether the vectors have an HNSW index.
    pub fn is_indexed(&self) -> bool {
        self.index_method != "none" && self.dimensions <= MAX_INDEXED_DIMENSIONS
    }

    /// 22023 for a value that is not known or out of range.
    fn check(&self) -> Result<()> {
        Ranker::from_name(&self.ranker)?;
        self.ranking.check()?;
        choose("index_method", &self.index_method, &["auto", "hnsw", "none"], &["ivfflat"])?;
        choose("embed", &self.embed, &["auto", "inline", "queued", "off"], &[])
    }

    /// 22023 for settings that kb_create and kb_configure do not store: a superuser may write anything into the catalogue, and
    /// the owner of a base into its table of settings. The text search configuration is not looked up: it may have been
    /// dropped.
    pub fn check_stored(&self) -> Result<()> {
        self.check()?;
        check_dimensions(self.dimensions)?;
        chunking::check_stored(self.chunk_size, self.chunk_overlap, &self.chunk_unit, &self.chunk_strategy)
    }

    /// 22023 for chunk settings that cannot be used with the model.
    pub fn check_chunks(&self, model: &Model) -> Result<()> {
        chunking::check(self.chunk_size, self.chunk_overlap, &self.chunk_unit, &self.chunk_strategy, model)
    }

    fn check_embed(&self) -> Result<()> {
        if self.embed == "inline" && model::is_remote(&self.model) {
            return Err(Error::invalid(format!("model \"{}\" cannot embed inline", self.model))
                .detail("A writer never waits for the network.")
                .hint("Use embed => 'auto' or 'queued'."));
        }
        Ok(())
    }

    fn check_index(&self) -> Result<()> {
        if self.index_method == "hnsw" && self.dimensions > MAX_INDEXED_DIMENSIONS {
            return Err(Error::limit(format!("an HNSW index cannot hold {} dimensions", self.dimensions)).hint(format!(
                "At most {MAX_INDEXED_DIMENSIONS} are indexed; use index_method => 'auto', which searches without an index above that."
            )));
        }
        Ok(())
    }
}

impl Ranking {
    /// 22023 for a number out of range.
    fn check(&self) -> Result<()> {
        for (name, value, most) in [
            ("bm25_k1", self.bm25_k1, 10),
            ("bm25_b", self.bm25_b, 1),
            ("title_weight", self.title_weight, 10),
            ("heading_weight", self.heading_weight, 10),
        ] {
            if !(0.0..=f64::from(most)).contains(&value) {
                return Err(Error::invalid(format!("{name} {value} is out of range"))
                    .hint(format!("Use 0 to {most}.")));
            }
        }
        Ok(())
    }
}

/// 22023 for dimensions out of range.
pub fn check_dimensions(dimensions: i32) -> Result<()> {
    if (1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Ok(());
    }
    Err(Error::invalid(format!("dimensions {dimensions} is out of range"))
        .hint(format!("Use 1 to {MAX_DIMENSIONS}.")))
}

/// Checks a setting against its values; `later` are documented values that this version does not have.
fn choose(setting: &str, value: &str, available: &[&str], later: &[&str]) -> Result<()> {
    if available.contains(&value) {
        return Ok(());
    }
    let message = match later.contains(&value) {
        true => format!("{setting} \"{value}\" is not available in this version"),
        false => format!("unrecognized {setting} setting \"{value}\""),
    };
    Err(Error::invalid(message).hint(format!("Valid values are {}.", available.join(", "))))
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
