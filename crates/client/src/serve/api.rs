//! `/api/v1`: the SQL functions, by their own names.

use std::ops::RangeInclusive;

use tokio_postgres::types::Type;

use super::answer::Mistake;
use super::edit;
use super::fields::{Fields, Path, flag, float, id, identified, number, texts};
use super::plan::{FILE_TIME, Plan};
use super::routes::Settings;
use crate::database::{Parameter, Statement, Then, text};

/// How many rows a search or list may be asked for, and from which on.
pub const ROW_COUNTS: RangeInclusive<i64> = 1..=10_000;
/// How many neighbors a result may have on each side.
const NEIGHBORS: RangeInclusive<i64> = 0..=100;
pub const OFFSETS: RangeInclusive<i64> = 0..=i64::MAX;

type Planned = Result<Plan, Mistake>;

fn document(path: &Path) -> Result<(Parameter, String), Mistake> {
    identified("document", id(path))
}

fn source(path: &Path) -> Result<(Parameter, String), Mistake> {
    identified("source", id(path))
}

pub fn session(settings: &Settings, _: &Path, fields: Fields) -> Planned {
    fields.end()?;
    let max = i64::try_from(settings.max_upload).unwrap_or(i64::MAX);
    let parameters = vec![number(Some(max)), flag(Some(settings.has_root)), flag(Some(settings.need_token))];
    Ok(Plan::read(include_str!("sql/session.sql"), parameters))
}

pub fn bases(_: &Settings, _: &Path, fields: Fields) -> Planned {
    fields.end()?;
    Ok(Plan::read(include_str!("sql/bases.sql"), Vec::new()))
}

pub fn stats(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let base = fields.text(&["knowledge_base"])?;
    fields.end()?;
    Ok(Plan::read(include_str!("sql/stats.sql"), vec![text(base)]))
}

pub fn browse(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(fields.text(&["knowledge_base"])?),
        text(fields.text(&["source_type"])?),
        number(fields.number_in(&["match_count"], ROW_COUNTS)?),
        number(fields.number_in(&["match_offset"], OFFSETS)?),
    ];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/browse.sql"), parameters))
}

pub fn add(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let base = text(Some(fields.needed(&["knowledge_base"])?));
    let content = text(Some(fields.needed(&["content"])?));
    added(include_str!("sql/add.sql"), vec![base, content], fields)
}

/// A file: its bytes are the body.
pub fn add_file(_: &Settings, mut fields: Fields, file: Vec<u8>) -> Planned {
    let base = text(Some(fields.needed(&["knowledge_base"])?));
    let name = text(Some(fields.needed(&["filename"])?));
    added(include_str!("sql/add_file.sql"), vec![base, (Box::new(file), Type::BYTEA), name], fields)
}

/// A document, with the arguments that texts and files have in common after the first ones.
fn added(sql: &'static str, mut parameters: Vec<Parameter>, mut fields: Fields) -> Planned {
    parameters.extend([
        text(fields.text(&["title"])?),
        text(fields.text(&["source_key"])?),
        text(fields.text(&["source_type"])?),
        text(fields.object(&["metadata"])?),
        text(fields.text(&["mime_type"])?),
        text(fields.text(&["language"])?),
    ]);
    fields.end()?;
    Ok(Plan::change(sql, parameters).created().with_notices().within(FILE_TIME))
}

/// A text that an agent has written. None is added, and the answer is 200, where the server keeps no outputs or it is short.
pub fn add_output(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(fields.needed(&["knowledge_base"])?)),
        text(Some(fields.needed(&["output"])?)),
        text(fields.text(&["agent_id"])?),
        text(fields.text(&["title"])?),
        text(fields.object(&["metadata"])?),
    ];
    fields.end()?;
    Ok(Plan::change(include_str!("sql/add_output.sql"), parameters)
        .with_status()
        .with_notices()
        .within(FILE_TIME))
}

pub fn read(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let (id, what) = document(path)?;
    let parameters = vec![id, text(fields.text(&["level"])?), text(fields.text(&["knowledge_base"])?)];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/read.sql"), parameters).naming(what))
}

pub fn delete(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let base = fields.text(&["knowledge_base"])?;
    edit::delete("document", id(path), base, fields)
}

pub fn refresh(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let (id, what) = document(path)?;
    let base = fields.text(&["knowledge_base"])?;
    fields.end()?;
    Ok(Plan::remove(include_str!("sql/refresh.sql"), vec![id, text(base)]).naming(what).within(FILE_TIME))
}

pub fn chunks(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let (id_of_base, what) = document(path)?;
    let (id, _) = document(path)?;
    let base = text(fields.text(&["knowledge_base"])?);
    let range = page(&mut fields, 50)?;
    fields.end()?;
    let parameters = std::iter::once(id).chain(range).collect();
    let chunks = Statement { sql: include_str!("sql/chunks.sql"), parameters };
    let plan = Plan::read(include_str!("sql/schema_of_document.sql"), vec![id_of_base, base]);
    Ok(plan.then(Then::InSchema(chunks)).naming(what))
}

/// Searches. Repeated where the connection is lost: then nothing is in the log, or the same once more.
pub fn search(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(fields.needed(&["query"])?)),
        text(fields.text(&["knowledge_base"])?),
        text(fields.text(&["mode"])?),
        number(fields.number_in(&["match_count"], ROW_COUNTS)?),
        text(fields.text(&["source_type"])?),
        text(fields.object(&["filter"])?),
        float(fields.float(&["match_threshold"])?),
        text(fields.text(&["agent_id"])?),
        number(fields.number_in(&["max_per_document"], ROW_COUNTS)?),
        text(fields.text(&["syntax"])?),
        number(Some(fields.number_in(&["match_offset"], 0..=*ROW_COUNTS.end())?.unwrap_or(0))),
        number(fields.number_in(&["neighbors"], NEIGHBORS)?),
        texts(fields.texts(&["knowledge_bases"])?),
        text(fields.text(&["duplicates"])?),
        text(fields.text(&["session_id"])?),
    ];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/search.sql"), parameters).with_notices())
}

/// How a search came to its results, and why a chunk or the chunks of a document stand where they do.
pub fn explain(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(fields.needed(&["query"])?)),
        text(Some(fields.needed(&["knowledge_base"])?)),
        text(fields.text(&["chunk_id"])?),
        text(fields.text(&["mode"])?),
        number(fields.number_in(&["match_count"], ROW_COUNTS)?),
        text(fields.text(&["source_type"])?),
        text(fields.object(&["filter"])?),
        float(fields.float(&["match_threshold"])?),
        text(fields.text(&["agent_id"])?),
        number(fields.number_in(&["max_per_document"], ROW_COUNTS)?),
        text(fields.text(&["syntax"])?),
        number(fields.number_in(&["match_offset"], 0..=*ROW_COUNTS.end())?),
        text(fields.text(&["duplicates"])?),
    ];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/explain.sql"), parameters))
}

pub fn sources(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![text(fields.text(&["knowledge_base"])?), text(fields.text(&["agent_id"])?)];
    fields.end()?;
    Ok(Plan::read(include_str!("sql/sources.sql"), parameters))
}

pub fn add_source(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let parameters = vec![
        text(Some(fields.needed(&["knowledge_base"])?)),
        text(Some(fields.needed(&["url"])?)),
        text(fields.text(&["title"])?),
        text(fields.text(&["content_type"])?),
        text(fields.object(&["metadata"])?),
        number(fields.number_in(&["crawl_depth"], 0..=10)?),
        number(fields.number_in(&["max_pages"], 1..=10_000)?),
        texts(fields.texts(&["exclude_patterns"])?),
        text(fields.text(&["scrape_method"])?),
        flag(fields.flag(&["auto_sync"])?),
        text(fields.text(&["sync_interval"])?),
        text(fields.text(&["agent_id"])?),
    ];
    fields.end()?;
    Ok(Plan::change(include_str!("sql/add_source.sql"), parameters)
        .then(Then::With(Statement::plain(include_str!("sql/source.sql"))))
        .created())
}

pub fn drop_source(_: &Settings, path: &Path, fields: Fields) -> Planned {
    let (id, what) = source(path)?;
    fields.end()?;
    Ok(Plan::remove(include_str!("sql/drop_source.sql"), vec![id]).naming(what))
}

pub fn sync(_: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let (id, what) = source(path)?;
    let force = fields.flag(&["force"])?;
    fields.end()?;
    Ok(Plan::change(include_str!("sql/sync.sql"), vec![id, flag(force)]).naming(what))
}

pub fn failed(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let base = fields.text(&["knowledge_base"])?;
    fields.end()?;
    Ok(Plan::read(include_str!("sql/failed.sql"), vec![text(base)]))
}

pub fn retry(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let base = fields.needed(&["knowledge_base"])?;
    fields.end()?;
    Ok(Plan::change(include_str!("sql/retry.sql"), vec![text(Some(base))]))
}

pub fn usage(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let days = fields.number_in(&["days"], 1..=3660)?.unwrap_or(30);
    fields.end()?;
    Ok(Plan::read(include_str!("sql/usage.sql"), vec![number(Some(days))]))
}

pub fn searches(_: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let [count, offset] = page(&mut fields, 50)?;
    fields.end()?;
    Ok(Plan::read(include_str!("sql/searches.sql"), vec![count, offset]))
}

/// `match_count` and `match_offset`, where no function checks them.
fn page(fields: &mut Fields, default: i64) -> Result<[Parameter; 2], Mistake> {
    let count = fields.number_in(&["match_count"], 1..=1000)?.unwrap_or(default);
    let offset = fields.number_in(&["match_offset"], OFFSETS)?.unwrap_or(0);
    Ok([number(Some(count)), number(Some(offset))])
}
