//! `/api/v1/bases/{name}/evaluate` and `…/evaluations`: measuring a base on its questions, and the runs that were kept.

use super::answer::Mistake;
use super::fields::{Fields, Path, name};
use super::plan::{FILE_TIME, Plan};
use super::routes::Settings;
use crate::database::{Statement, Then, text};

/// Finds the schema of the base, for a role that may read its questions.
const SCHEMA: &str = include_str!("sql/schema_of_questions.sql");

/// Asks the questions, and keeps the run if it gets a name.
pub fn evaluate(_: &Settings, path: &Path, mut fields: Fields) -> Result<Plan, Mistake> {
    let base = name(path, "name")?;
    let parameters = vec![
        text(Some(base.clone())),
        text(Some(fields.object(&["arguments"])?.unwrap_or_else(|| "{}".to_string()))),
        text(fields.text(&["tag"])?),
        text(fields.text(&["save_as"])?),
    ];
    fields.end()?;
    let evaluate = Statement { sql: include_str!("sql/evaluate.sql"), parameters };
    Ok(Plan::change(SCHEMA, vec![text(Some(base.clone()))])
        .then(Then::InSchema(evaluate))
        .with_notices()
        .naming(format!("knowledge base \"{base}\""))
        .within(FILE_TIME))
}

/// The runs that were kept.
pub fn list(_: &Settings, path: &Path, fields: Fields) -> Result<Plan, Mistake> {
    let base = name(path, "name")?;
    fields.end()?;
    let list = Statement { sql: include_str!("sql/evaluations.sql"), parameters: Vec::new() };
    Ok(Plan::read(SCHEMA, vec![text(Some(base.clone()))])
        .then(Then::InSchema(list))
        .naming(format!("knowledge base \"{base}\"")))
}
