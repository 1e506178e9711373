//! `/api/v1/tools`: the tools of an agent, and calls of them.

use super::answer::Mistake;
use super::fields::{Fields, Path, name};
use super::plan::Plan;
use super::routes::Settings;
use crate::database::text;

type Planned = Result<Plan, Mistake>;

pub fn list(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![text(fields.text(&["agent_id"])?), text(fields.text(&["format"])?)];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/tools.sql"), parameters))
}

/// Calls a tool. Not repeated, since the call may be in the log.
pub fn call(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(name(path, "name")?)),
        text(fields.object_or_string(&["arguments"])?),
        text(fields.text(&["agent_id"])?),
        text(fields.text(&["session_id"])?),
    ];
    fields.end()?;
    Ok(Plan::change(include_str!("sql/tool_call.sql"), parameters))
}
