//! `/api/v1/bases`: creating, configuring and dropping knowledge bases, and attaching them to agents.

use super::answer::Mistake;
use super::fields::{Fields, Path, flag, float, name, number};
use super::plan::{FILE_TIME, Plan};
use super::routes::Settings;
use crate::database::{Parameter, Statement, Then, text};

type Planned = Result<Plan, Mistake>;

/// Of who may not create bases, where PostgreSQL says no more than that.
const MAY_NOT_CREATE: &str = "A superuser grants this with kb_grant_admin.";

const ROW: &str = include_str!("sql/base_row.sql");

/// The arguments that kb_create and kb_configure have in common, in the order of their parameters.
fn settings(fields: &mut Fields) -> Result<Vec<Parameter>, Mistake> {
    Ok(vec![
        text(fields.text(&["description"])?),
        text(fields.text(&["model"])?),
        number(fields.number(&["dimensions"])?),
        number(fields.number(&["chunk_size"])?),
        number(fields.number(&["chunk_overlap"])?),
        text(fields.text(&["chunk_unit"])?),
        text(fields.text(&["chunk_strategy"])?),
        text(fields.text(&["text_config"])?),
        text(fields.text(&["ranker"])?),
        text(fields.text(&["index_method"])?),
        text(fields.text(&["embed"])?),
        float(fields.float(&["bm25_k1"])?),
        float(fields.float(&["bm25_b"])?),
        float(fields.float(&["title_weight"])?),
        float(fields.float(&["heading_weight"])?),
        float(fields.float(&["match_threshold"])?),
        flag(fields.flag(&["fold_accents"])?),
        float(fields.float(&["part_weight"])?),
        float(fields.float(&["answer_threshold"])?),
        flag(fields.flag(&["log_searches"])?),
    ])
}

pub fn create(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let mut parameters = vec![text(Some(fields.needed(&["name"])?))];
    parameters.extend(settings(&mut fields)?);
    parameters.push(flag(fields.flag(&["if_not_exists"])?));
    fields.end()?;
    Ok(Plan::change(include_str!("sql/base_create.sql"), parameters)
        .then(Then::With(Statement::plain(ROW)))
        .with_status()
        .with_notices()
        .denied_hint(MAY_NOT_CREATE)
        .within(FILE_TIME))
}

pub fn read(_: &Settings, path: &Path, fields: Fields) -> Planned {
    let name = name(path, "name")?;
    fields.end()?;
    let what = format!("knowledge base \"{name}\"");
    Ok(Plan::read(ROW, vec![text(Some(name))]).naming(what))
}

pub fn configure(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let mut parameters = vec![text(Some(name(path, "name")?))];
    parameters.extend(settings(&mut fields)?);
    parameters.push(number(fields.number(&["lexeme_format"])?));
    parameters.push(text(fields.text(&["summaries"])?));
    fields.end()?;
    Ok(Plan::change(include_str!("sql/base_configure.sql"), parameters)
        .then(Then::With(Statement::plain(ROW)))
        .with_notices()
        .within(FILE_TIME))
}

/// Drops a base whose name is given twice: nobody does it by a slip in a path.
pub fn drop(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let name = name(path, "name")?;
    let confirm = fields.text(&["confirm"])?;
    fields.end()?;
    if confirm.as_deref() != Some(name.as_str()) {
        return Err(Mistake::wrong(format!("dropping knowledge base \"{name}\" has to be confirmed")).hint(
            "Add the argument confirm with the name of the knowledge base: all its documents are deleted.",
        ));
    }
    Ok(Plan::remove(include_str!("sql/base_drop.sql"), vec![text(Some(name))]).within(FILE_TIME))
}

pub fn agents(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let base = fields.text(&["knowledge_base"])?;
    let unattached = fields.flag(&["unattached"])?.unwrap_or_default();
    fields.end()?;
    let sql = if unattached { include_str!("sql/unattached.sql") } else { include_str!("sql/agents.sql") };
    Ok(Plan::read(sql, vec![text(base)]))
}

/// Says whether an agent uses its bases.
pub fn configure_agent(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![text(Some(name(path, "agent_id")?)), flag(fields.flag(&["use_knowledge_base"])?)];
    fields.end()?;
    Ok(Plan::change(include_str!("sql/agent_configure.sql"), parameters)
        .then(Then::With(Statement::plain(include_str!("sql/agent_bases.sql")))))
}

pub fn attach(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(name(path, "name")?)),
        text(Some(fields.needed(&["agent_id"])?)),
        text(fields.object(&["filter"])?),
    ];
    fields.end()?;
    Ok(Plan::change(include_str!("sql/base_attach.sql"), parameters).with_status())
}

pub fn detach(_: &Settings, path: &Path, fields: Fields) -> Planned {
    fields.end()?;
    let parameters = vec![text(Some(name(path, "name")?)), text(Some(name(path, "agent_id")?))];
    Ok(Plan::remove(include_str!("sql/base_detach.sql"), parameters))
}
