//! Settings by name, as the catalog and the copy among the tables store them: the one list of their names.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use kb_rag_core::model_name::{EmbeddingSpace, ModelName};
use pgrx::prelude::*;

use super::{Lexemes, NO_THRESHOLD, lexemes};
use crate::base::{Ranking, Settings};
use crate::choice::Choice;
use crate::chunking::ChunkSettings;
use crate::error::Error;
use crate::postgres::spi::Arg;

/// The value of a setting.
pub enum Value<'a> {
    Text(&'a str),
    Int(i32),
    Float(f64),
    Bool(bool),
    NullableFloat(Option<f64>),
    NullableText(Option<&'a str>),
}

impl Value<'_> {
    fn arg(&self) -> Arg {
        match self {
            Value::Text(text) => Arg::new(*text),
            Value::Int(number) => Arg::new(*number),
            Value::Float(number) => Arg::new(*number),
            Value::Bool(value) => Arg::new(*value),
            Value::NullableFloat(number) => Arg::new(*number),
            Value::NullableText(text) => Arg::new(*text),
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) | Value::NullableText(Some(text)) => f.write_str(text),
            Value::Int(number) => number.fmt(f),
            Value::Bool(value) => value.fmt(f),
            Value::Float(number) | Value::NullableFloat(Some(number)) => number.fmt(f),
            Value::NullableFloat(None) | Value::NullableText(None) => f.write_str("NULL"),
        }
    }
}

/// Where settings are stored.
pub trait Source {
    /// The value of this name. None if there is none, or it cannot be read.
    fn value<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T>;

    /// The value of a setting that may be NULL. None if it is, or if it cannot be read.
    fn nullable<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T>;

    /// The value of a setting that kb_rag 0.3.0 did not have. None also if it is not stored.
    fn since<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T>;

    /// The value of a setting that may be NULL, which kb_rag 0.3.0 did not have.
    fn nullable_since<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T>;

    /// Notes that a setting has a value that is not known.
    fn note(&mut self, error: Error);

    /// A value that is one of a few names. None if there is none, or it is not known.
    fn choice<T: Choice>(&mut self, name: &str) -> Option<T> {
        let value: String = self.value(name)?;
        T::from_name(&value).map_err(|error| self.note(error)).ok()
    }
}

/// How many of them kb_rag 0.3.0 had.
const OF_0_3: usize = 15;

/// The names of the columns, for a list in SQL.
static COLUMNS: LazyLock<String> =
    LazyLock::new(|| Settings::default().values().map(|(name, _)| name).join(", "));

/// Those of a catalog of kb_rag 0.3.0.
static COLUMNS_OF_0_3: LazyLock<String> =
    LazyLock::new(|| Settings::default().values().map(|(name, _)| name)[..OF_0_3].join(", "));

/// How many settings the catalog has.
fn count() -> usize {
    if lexemes::are_recorded() { usize::MAX } else { OF_0_3 }
}

impl Settings {
    /// Every setting, with the name of its column in the catalog, of its argument of kb_configure, and of its row in the table
    /// `setting`. New ones come last.
    pub fn values(&self) -> [(&'static str, Value<'_>); 21] {
        let Settings { space, chunks, ranking, lexemes, .. } = self;
        [
            ("model", Value::Text(space.model.as_str())),
            ("dimensions", Value::Int(space.dimensions)),
            ("chunk_size", Value::Int(chunks.size)),
            ("chunk_overlap", Value::Int(chunks.overlap)),
            ("chunk_unit", Value::Text(chunks.unit.name())),
            ("chunk_strategy", Value::Text(chunks.strategy.name())),
            ("text_config", Value::Text(&self.text_config)),
            ("ranker", Value::Text(self.ranker.name())),
            ("index_method", Value::Text(self.index_method.name())),
            ("embed", Value::Text(self.embed.name())),
            ("bm25_k1", Value::Float(ranking.bm25_k1)),
            ("bm25_b", Value::Float(ranking.bm25_b)),
            ("title_weight", Value::Float(ranking.title_weight)),
            ("heading_weight", Value::Float(ranking.heading_weight)),
            ("match_threshold", Value::NullableFloat(self.match_threshold)),
            ("fold_accents", Value::Bool(lexemes.fold_accents)),
            ("part_weight", Value::Float(ranking.part_weight)),
            ("lexeme_format", Value::Int(lexemes.format.number())),
            ("answer_threshold", Value::NullableFloat(self.answer_threshold)),
            ("log_searches", Value::Bool(self.log_searches)),
            ("summaries", Value::NullableText(self.summaries.as_deref())),
        ]
    }

    /// Reads every setting; `otherwise` has those that cannot be read.
    pub fn read(source: &mut impl Source, otherwise: Settings) -> Settings {
        let Settings {
            space,
            chunks,
            text_config,
            ranker,
            index_method,
            embed,
            ranking,
            match_threshold,
            answer_threshold,
            lexemes,
            log_searches,
            summaries,
        } = otherwise;
        Settings {
            space: EmbeddingSpace {
                model: source.value("model").map_or(space.model, |name: String| ModelName::new(name)),
                dimensions: source.value("dimensions").unwrap_or(space.dimensions),
            },
            chunks: ChunkSettings {
                size: source.value("chunk_size").unwrap_or(chunks.size),
                overlap: source.value("chunk_overlap").unwrap_or(chunks.overlap),
                unit: source.choice("chunk_unit").unwrap_or(chunks.unit),
                strategy: source.choice("chunk_strategy").unwrap_or(chunks.strategy),
            },
            text_config: source.value("text_config").unwrap_or(text_config),
            ranker: source.choice("ranker").unwrap_or(ranker),
            index_method: source.choice("index_method").unwrap_or(index_method),
            embed: source.choice("embed").unwrap_or(embed),
            ranking: Ranking {
                bm25_k1: source.value("bm25_k1").unwrap_or(ranking.bm25_k1),
                bm25_b: source.value("bm25_b").unwrap_or(ranking.bm25_b),
                title_weight: source.value("title_weight").unwrap_or(ranking.title_weight),
                heading_weight: source.value("heading_weight").unwrap_or(ranking.heading_weight),
                part_weight: source.since("part_weight").unwrap_or(ranking.part_weight),
            },
            match_threshold: source
                .nullable("match_threshold")
                .or(match_threshold)
                .filter(|threshold| *threshold != NO_THRESHOLD),
            answer_threshold: source
                .nullable_since("answer_threshold")
                .or(answer_threshold)
                .filter(|threshold| *threshold != NO_THRESHOLD),
            lexemes: Lexemes::read(source, lexemes),
            log_searches: source.since("log_searches").unwrap_or(log_searches),
            summaries: source
                .nullable_since("summaries")
                .or(summaries)
                .filter(|name: &String| !name.is_empty()),
        }
    }

    /// The columns of the settings in the catalog, for a statement.
    pub fn columns() -> &'static str {
        if lexemes::are_recorded() { &COLUMNS } else { &COLUMNS_OF_0_3 }
    }

    /// Placeholders for the values of [`columns`](Settings::columns), after `before` other arguments of a statement.
    pub fn placeholders(&self, before: usize) -> String {
        let places = 1..=self.values().len().min(count());
        places.map(|place| format!("${}", before + place)).collect::<Vec<_>>().join(", ")
    }

    /// The values for these placeholders.
    pub fn args(&self) -> impl Iterator<Item = Arg> {
        self.values().map(|(_, value)| value.arg()).into_iter().take(count())
    }
}
