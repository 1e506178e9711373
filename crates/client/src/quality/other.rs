//! The run of `--against`: a file of `--save`, or a run that kb_evaluate kept.

use std::path::Path;

use serde_json::{Map, Value};

use super::base::Base;
use super::compare::Other;
use super::run::{Answer, FORMAT};
use crate::connect::Session;
use crate::error::{Failure, Result};
use crate::{input, output};

/// The largest file of a run.
const MAX_BYTES: u64 = 1 << 30;

/// The run of a file; None if there is none of this name.
///
/// # Errors
/// Status 2 if it cannot be read, or is not one of `--save`.
pub fn from_file(name: &str) -> Result<Option<Other>> {
    let path = Path::new(name);
    if !path.exists() {
        return Ok(None);
    }
    let text = input::text(path, "run", MAX_BYTES)?;
    parse(name, &text).map(Some).ok_or_else(|| {
        Failure::usage(format!("{} is not a run of kb-rag evaluate", input::shown(path)))
            .hint("Give a file that --save wrote.")
    })
}

fn parse(name: &str, text: &str) -> Option<Other> {
    let mut document: Map<String, Value> = serde_json::from_str(text).ok()?;
    if document.get("format")? != FORMAT {
        return None;
    }
    let Value::Object(arguments) = document.remove("arguments")? else { return None };
    let answers = serde_json::from_value(document.remove("each")?).ok()?;
    Some(Other { name: name.to_string(), arguments, answers })
}

/// The run that kb_evaluate kept under a name.
///
/// # Errors
/// Status 2 if there is none.
pub async fn kept(session: &Session, base: &Base, name: &str) -> Result<Other> {
    let none = || {
        Failure::usage(format!("\"{name}\" is neither a file nor a run of knowledge base \"{}\"", base.name))
            .hint("Give a file that --save wrote, or the name that kb_evaluate had as save_as.")
    };
    if !base.has_questions {
        return Err(none());
    }
    let row = session.client.query_opt(&base.sql(include_str!("sql/kept.sql")), &[&name]).await?;
    let row = row.ok_or_else(none)?;
    let damaged = || Failure::new(format!("evaluation \"{name}\" is not a run of kb_evaluate"));
    let count: Option<i32> = row.try_get(0)?;
    let first: Option<Value> = row.try_get(1)?;
    let Some(Value::Object(mut first)) = first else { return Err(damaged()) };
    let Some(Value::Object(arguments)) = first.remove("arguments") else { return Err(damaged()) };
    let answers: Vec<Answer> =
        serde_json::from_value(first.remove("questions").unwrap_or_default()).map_err(|_| damaged())?;
    if count.is_some_and(|count| count > 1) {
        output::error(&format!(
            "warning: evaluation \"{name}\" has several sets of arguments; the first is compared"
        ));
    }
    Ok(Other { name: name.to_string(), arguments, answers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_are_read() {
        let good = r#"{"format": "kb-rag evaluate 1", "arguments": {}, "each": [
            {"id": "1", "weight": 1, "rank": null, "ndcg_10": 0.25, "missing": false, "answered": true}]}"#;
        let other = parse("a.json", good).unwrap();
        assert_eq!((other.answers[0].ndcg_10, other.answers[0].question.as_deref()), (Some(0.25), None));
        for (from, to) in
            [("evaluate 1", "evaluate 2"), ("\"each\"", "\"all\""), ("0.25", "\"0.25\""), ("]}", "]")]
        {
            assert!(parse("a.json", &good.replace(from, to)).is_none(), "{to}");
        }
    }
}
