//! `/api/agents/…/knowledge`: URLs that agents know, all in the base of `--agents-base`, in snake_case; and the
//! search slot of a manifest.

use http::StatusCode;

use super::answer::Mistake;
use super::api;
use super::fields::{Fields, Path, flag, identified, name, number, texts};
use super::plan::{FILE_TIME, Plan};
use super::routes::Settings;
use crate::database::{Parameter, Statement, Then, text};

type Planned = Result<Plan, Mistake>;

/// The URLs of an agent, and one of them.
const LIST: &str = concat!(
    "SELECT coalesce(pg_catalog.json_agg(",
    include_str!("sql/agent_row.sql"),
    " ORDER BY s.created_at, s.source_id), '[]')::pg_catalog.text
    FROM {extension}.kb_source_list($1, {extension}.kb_agent($2)) s
    WHERE s.kind = 'url'"
);
const ITEM: &str = concat!(
    "SELECT (",
    include_str!("sql/agent_row.sql"),
    ")::pg_catalog.text FROM {extension}.kb_source_list() s WHERE s.source_id = $1::pg_catalog.uuid"
);

/// The same of one that was added just now, or was there before, with the status. The second parameter says whether it must be new.
const ADDED: &str = concat!(
    "SELECT CASE WHEN $2 AND s.created_at <> pg_catalog.now()
        THEN pg_catalog.json_build_object(
            'error', pg_catalog.format('URL \"%s\" of this agent exists already', s.location),
            'hint', 'Leave out If-None-Match to give it these settings.')
        ELSE ",
    include_str!("sql/agent_row.sql"),
    " END::pg_catalog.text,
        CASE WHEN s.created_at = pg_catalog.now() THEN 201 WHEN $2 THEN 409 ELSE 200 END
    FROM {extension}.kb_source_list() s
    WHERE s.source_id = $1::pg_catalog.uuid"
);

/// The base and the agent.
fn agent(settings: &Settings, path: &Path) -> Result<[Parameter; 2], Mistake> {
    let Some(base) = settings.agents_base.clone() else {
        return Err(Mistake::new(StatusCode::NOT_FOUND, "there is no base for agents")
            .hint("Start kb-rag serve with --agents-base NAME."));
    };
    Ok([text(Some(base)), text(Some(name(path, "id")?))])
}

fn knowledge(given: &str) -> Result<(Parameter, String), Mistake> {
    let (id, what) = identified("knowledge", given)?;
    Ok((id, format!("{what} of this agent")))
}

pub fn list(settings: &Settings, path: &Path, fields: Fields) -> Planned {
    let of = agent(settings, path)?;
    fields.end()?;
    Ok(Plan::read(LIST, of.into()))
}

/// Adds a URL, or gives the one that is there the new settings, unless the request forbids it.
pub fn add(settings: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let [base, agent] = agent(settings, path)?;
    let must_be_new = fields.if_none_match()?;
    let parameters = vec![
        base,
        agent,
        text(Some(fields.needed(&["url"])?)),
        text(fields.text(&["title"])?),
        text(fields.text(&["content_type", "contentType"])?),
        number(fields.number_in(&["crawl_depth", "crawlDepth"], 0..=10)?),
        texts(fields.texts(&["exclude_patterns", "excludePatterns"])?),
        text(fields.text(&["scrape_method", "scrapeMethod"])?),
        flag(fields.flag(&["auto_sync", "autoSync"])?),
        number(fields.number_in(&["sync_interval_hours", "syncIntervalHours"], 1..=87_600)?),
        number(fields.number_in(&["max_pages", "maxPages"], 1..=10_000)?),
        text(fields.object(&["metadata"])?),
    ];
    fields.end()?;
    Ok(Plan::change(include_str!("sql/agent_add.sql"), parameters)
        .then(Then::With(Statement { sql: ADDED, parameters: vec![flag(Some(must_be_new))] }))
        .with_status())
}

pub fn index(settings: &Settings, path: &Path, mut fields: Fields) -> Planned {
    let [base, agent] = agent(settings, path)?;
    let (id, what) = knowledge(&fields.needed(&["knowledge_id", "knowledgeId"])?)?;
    fields.end()?;
    Ok(Plan::change(include_str!("sql/agent_index.sql"), vec![base, agent, id])
        .then(Then::With(Statement::plain(ITEM)))
        .naming(what))
}

pub fn delete(settings: &Settings, path: &Path, fields: Fields) -> Planned {
    let [base, agent] = agent(settings, path)?;
    let (id, what) = knowledge(path.get("knowledge").map(String::as_str).unwrap_or_default())?;
    fields.end()?;
    Ok(Plan::remove(include_str!("sql/agent_delete.sql"), vec![base, agent, id]).naming(what))
}

/// Removes an agent with its documents and URLs, in all bases that the role may write.
pub fn drop(settings: &Settings, path: &Path, fields: Fields) -> Planned {
    let [_, agent] = agent(settings, path)?;
    fields.end()?;
    Ok(Plan::remove(include_str!("sql/agent_drop.sql"), vec![agent]).within(FILE_TIME))
}

/// Queues the sources that are due. A scheduler calls it with a token of its own.
pub fn cron(_: &Settings, _: &Path, fields: Fields) -> Planned {
    fields.end()?;
    Ok(Plan::change(include_str!("sql/cron.sql"), Vec::new()))
}

/// Answers the search slot of a manifest, of type `external`. Unknown members are ignored, since later versions of the manifest
/// may have more.
pub fn snippets(settings: &Settings, _: &Path, mut fields: Fields) -> Planned {
    let Some(messages) = fields.array(&["messages"])? else {
        return Err(Mistake::wrong("argument \"messages\" is required"));
    };
    let mut parameters = vec![
        text(Some(messages)),
        number(fields.number_in(&["top_k"], api::ROW_COUNTS)?),
        text(fields.text(&["agent_id"])?),
        text(fields.text(&["session_id"])?),
    ];
    let sql = match &settings.snippets_base {
        // kb_rag 0.3 does not have the argument.
        None => include_str!("sql/snippets.sql"),
        Some(base) => {
            parameters.push(text(Some(base.clone())));
            include_str!("sql/snippets_of_base.sql")
        }
    };
    Ok(Plan::change(sql, parameters).with_notice_header())
}
