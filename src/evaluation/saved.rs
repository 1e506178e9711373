//! Runs that are kept, one value of jsonb each.

use kb_rag_core::evaluation::Figures;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::arguments::Configuration;
use super::run::{Asked, Judgment};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg};

/// A run as it is stored.
#[derive(Serialize, Deserialize)]
pub struct Run {
    model: String,
    tag: Option<String>,
    pub configurations: Vec<Saved>,
}

/// One of its configurations.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    pub arguments: Map<String, Value>,
    pub questions: Vec<SavedQuestion>,
}

/// One of its questions.
#[derive(Serialize, Deserialize)]
pub struct SavedQuestion {
    pub id: String,
    /// The same for copies of it.
    #[serde(default)]
    copy_key: Option<String>,
    pub weight: f64,
    /// None if what it expects is missing, or it is to find nothing.
    pub ndcg_10: Option<f64>,
    pub rank: Option<usize>,
    missing: bool,
    answered: bool,
}

impl SavedQuestion {
    /// That of a question just asked.
    pub fn of(asked: &Asked) -> SavedQuestion {
        SavedQuestion {
            id: asked.question.to_string(),
            copy_key: Some(asked.copy_key.clone()),
            weight: asked.weight,
            ndcg_10: asked.figures().map(|figures| figures.ndcg_10),
            rank: asked.figures().and_then(|figures| figures.rank),
            missing: matches!(asked.judgment, Judgment::Missing),
            answered: asked.is_answered,
        }
    }

    /// The same for copies of it: its identifier in a run that does not say so.
    pub fn copy_key(&self) -> &str {
        self.copy_key.as_ref().unwrap_or(&self.id)
    }

    /// Its figures; None if it has none.
    pub fn figures(&self) -> Option<Figures> {
        Some(Figures { rank: self.rank, ndcg_10: self.ndcg_10? })
    }
}

/// 42710 if a run of this name is kept, 22023 for an empty name.
pub fn require_free(base: &KnowledgeBase, name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Error::invalid("save_as is empty").hint("Give the run a name, such as before."));
    }
    if read(base, name)?.is_some() { Err(taken(base, name)) } else { Ok(()) }
}

fn taken(base: &KnowledgeBase, name: &str) -> Error {
    Error::exists(format!("evaluation \"{name}\" already exists")).hint(format!(
        "Choose another name, or delete it: DELETE FROM {}.evaluation WHERE name = {}.",
        base.quoted_schema(),
        spi::quote_literal(name)
    ))
}

/// Keeps a run.
pub fn save(
    base: &KnowledgeBase,
    name: &str,
    tag: Option<&str>,
    configurations: &[Configuration],
    runs: &[Vec<Asked>],
) -> Result<()> {
    let saved = configurations.iter().zip(runs).map(|(configuration, asked)| Saved {
        arguments: configuration.object.clone(),
        questions: asked.iter().map(SavedQuestion::of).collect(),
    });
    let run = Run {
        model: base.settings.space.model.to_string(),
        tag: tag.map(str::to_string),
        configurations: saved.collect(),
    };
    let run = Jsonb::from_value(&run)?;
    let sql = spi::render(include_str!("save.sql"), &[("schema", &base.quoted_schema())]);
    let written = base.connect(|c| c.execute(&sql, &[Arg::new(name), Arg::new(run)]))?;
    if written == 0 { Err(taken(base, name)) } else { Ok(()) }
}

/// The run of this name.
fn read(base: &KnowledgeBase, name: &str) -> Result<Option<Jsonb>> {
    if !base.has_evaluations() {
        return Ok(None);
    }
    let sql = spi::render(include_str!("saved.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.query_one(&sql, Access::Read, &[Arg::new(name)], |row| row.require(1)))
}

/// The configurations of the run of this name. 42704 if there is none, 22000 if it is not as kb_evaluate kept it.
pub fn find(base: &KnowledgeBase, name: &str) -> Result<Vec<Saved>> {
    let run = read(base, name)?.ok_or_else(|| {
        let hint = match base.has_evaluations() {
            true => format!(
                "{}.evaluation has the runs that kb_evaluate kept with save_as.",
                base.quoted_schema()
            ),
            false => "kb_evaluate keeps a run with save_as.".to_string(),
        };
        Error::not_found(format!("evaluation \"{name}\" does not exist")).hint(hint)
    })?;
    let run: Run = serde_json::from_str(&run.to_text()).map_err(|error| {
        Error::damaged(format!("evaluation \"{name}\" is not a run of kb_evaluate: {error}"))
    })?;
    Ok(run.configurations)
}
