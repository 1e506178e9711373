//! `/api/knowledge`: entries of all bases that the role may read, or of one, in camelCase. An entry is a document.

use super::answer::Mistake;
use super::api;
use super::edit;
use super::fields::{Fields, Path, id, identified, number};
use super::plan::Plan;
use super::routes::Settings;
use crate::database::{Parameter, text};

type Planned = Result<Plan, Mistake>;

/// The base that the request names, else that of `--base`, else none: all.
pub fn base(settings: &Settings, fields: &mut Fields) -> Result<Option<String>, Mistake> {
    Ok(fields.text(&["knowledgeBase", "knowledge_base"])?.or_else(|| settings.base.clone()))
}

fn entry(path: &Path) -> Result<(Parameter, String), Mistake> {
    identified("entry", id(path))
}

pub fn list(settings: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(base(settings, &mut fields)?),
        text(fields.text(&["sourceType", "source_type"])?),
        number(fields.number_in(&["limit"], api::ROW_COUNTS)?),
        number(fields.number_in(&["offset"], api::OFFSETS)?),
    ];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/knowledge_list.sql"), parameters))
}

pub fn stats(settings: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let base = base(settings, &mut fields)?;
    fields.end()?;
    Ok(Plan::read(include_str!("sql/knowledge_stats.sql"), vec![text(base)]))
}

pub fn read(settings: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let (id, what) = entry(path)?;
    let base = base(settings, &mut fields)?;
    fields.end()?;
    Ok(Plan::read(include_str!("sql/knowledge_read.sql"), vec![id, text(base)]).naming(what))
}

pub fn search(settings: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(fields.needed(&["query"])?)),
        text(base(settings, &mut fields)?),
        text(fields.text(&["mode"])?),
        number(fields.number_in(&["limit"], api::ROW_COUNTS)?),
        text(fields.text(&["sourceType", "source_type"])?),
    ];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/knowledge_search.sql"), parameters))
}

pub fn delete(settings: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let base = base(settings, &mut fields)?;
    edit::delete("entry", id(path), base, fields)
}
