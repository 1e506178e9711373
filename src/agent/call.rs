//! kb_call_tool: what a tool returns to the model that called it.

use std::slice;

use kb_rag_core::agent::as_uuid;
use kb_rag_core::part;
use kb_rag_core::tool::{self, Named};
use pgrx::Uuid;

use super::log::{Entry, Outcome};
use super::result::{CallResult, Detail};
use super::scope::{self, Base, Scope};
use crate::choice::Choice;
use crate::document::{self, Level};
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::subtransaction;
use crate::queue;
use crate::search::{self, Covered, Duplicates, Form, Mode, Request, Results};

/// Larger arguments are not read, which could not be interrupted. A query, the longest of them, has at most 64 kB.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;

/// Calls a tool. Mistakes in its arguments and failing models are results, so that the model can try again. 42704 if there
/// is no such tool.
pub fn call(
    name: &str,
    arguments: Option<Jsonb>,
    agent: Option<Uuid>,
    session: Option<&str>,
) -> Result<Jsonb> {
    queue::wake_if_idle();
    let scope = Scope::of_call(agent)?;
    let tool = tool::find(name, &scope::named(&scope.nameable));
    if let Named::Unknown(name) = tool {
        return Err(unknown(name, agent, scope.bases()?));
    }
    let entry = Entry::begin(name, agent.map(|agent| agent.to_string()), session);
    let mut outcome = Outcome::default();
    let arguments = arguments.unwrap_or_default();
    let result = subtransaction::attempt(|| run(tool, &arguments, agent, &scope, &mut outcome));
    let result = match result {
        Ok(result) => result,
        Err(error) if error.is_of_call() && !error.ends_work() => outcome.failed(error.with_hint()),
        Err(error) => return Err(error),
    };
    entry.write(outcome)?;
    Jsonb::from_value(&result)
}

/// The error for a name that is no tool.
fn unknown(name: &str, agent: Option<Uuid>, bases: Vec<&Base>) -> Error {
    let whose = agent.map_or_else(String::new, |agent| format!(" of agent {agent}"));
    let error = Error::not_found(format!("tool \"{name}\"{whose} does not exist"));
    let tools = tool::list(&scope::named(bases));
    if tools.is_empty() {
        return error.hint("No knowledge base is attached to the agent, or none may be read; see kb_attach_agent and kb_grant.");
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    error.hint(format!("The tools are {}; kb_tools describes them.", names.join(", ")))
}

fn run(
    tool: Named,
    arguments: &Jsonb,
    agent: Option<Uuid>,
    scope: &Scope,
    outcome: &mut Outcome,
) -> Result<CallResult> {
    let own = match tool {
        Named::One(place) => scope.nameable.get(place),
        _ => None,
    };
    let covered = |bases: Vec<&Base>| bases.into_iter().map(Covered::from).collect();
    outcome.covers(|| Ok(covered(own.map_or_else(|| scope.bases(), |base| Ok(vec![base]))?)))?;
    if arguments.size() > MAX_ARGUMENT_BYTES {
        return Ok(outcome.failed(format!(
            "the arguments have {} bytes, and {MAX_ARGUMENT_BYTES} are allowed",
            arguments.size()
        )));
    }
    let text = arguments.to_text();
    let given = serde_json::from_str(&text);
    // In the log until there is a question.
    outcome.query = Some(text);
    let Ok(given) = given else {
        return Ok(outcome.failed("the arguments are nested too deeply, or hold a number that is too large"));
    };
    let arguments = match tool::arguments(&given) {
        Ok(arguments) => arguments,
        Err(mistake) => return Ok(outcome.failed(mistake)),
    };
    let search = match tool {
        Named::Read => return read_document(&arguments, scope, outcome),
        Named::One(_) => tool::own_search(&arguments),
        _ => tool::search(&arguments),
    };
    match search {
        Ok(search) => find(&search, own, scope, agent, outcome),
        Err(mistake) => Ok(outcome.failed(mistake)),
    }
}

fn read_document(arguments: &serde_json::Value, scope: &Scope, outcome: &mut Outcome) -> Result<CallResult> {
    let (id, range) = match tool::read(arguments) {
        Ok(read) => read,
        Err(mistake) => return Ok(outcome.failed(mistake)),
    };
    outcome.query = Some(id.clone());
    let found = match as_uuid(&id) {
        Some(id) => scope.read(Uuid::from_bytes(id))?,
        None => return Ok(outcome.failed(format!("\"{id}\" is not the id of a document"))),
    };
    let Some(mut document) = found else {
        return Ok(outcome.failed(format!("document \"{id}\" was not found")));
    };
    let text = document.content.take().unwrap_or_default();
    match part::part(&text, range) {
        Ok(part) => {
            document.content = Some(part.text.to_string());
            outcome.found(slice::from_ref(&document));
            CallResult::of_document(document, &part)
        }
        Err(mistake) => Ok(outcome.failed(mistake)),
    }
}

/// Searches one base, that of the arguments, or all of them.
fn find(
    arguments: &tool::Search,
    own: Option<&Base>,
    scope: &Scope,
    agent: Option<Uuid>,
    outcome: &mut Outcome,
) -> Result<CallResult> {
    outcome.query = Some(arguments.query.clone());
    let named = match &arguments.knowledge_base {
        Some(name) => match scope.nameable.iter().find(|base| base.name == *name) {
            Some(base) => Some(base),
            None => return Ok(outcome.failed(no_such_base(name, &scope.bases()?))),
        },
        None => own,
    };
    if let Some(base) = named {
        outcome.covers(|| Ok(vec![Covered::from(base)]))?;
    }
    let request = Request {
        knowledge_base: named.map(|base| base.name.as_str()),
        agent,
        mode: arguments.mode.map_or(Ok(search::DEFAULT_MODE), Mode::from_name)?,
        match_count: arguments.limit,
        match_offset: arguments.offset,
        source_type: arguments.source_type.as_deref(),
        duplicates: Duplicates::OF_TEXTS,
        window: search::window_of(arguments.neighbors)?,
        form: Form::Answer,
        ..Request::new(&arguments.query)
    };
    request.check()?;
    let elsewhere = named.and_then(|base| scope.group_elsewhere(base));
    let detail = if own.is_none() {
        Detail::WithIds { source_type: arguments.source_type.as_deref() }
    } else {
        Detail::Short
    };
    let level = match arguments.detail {
        tool::Detail::Passages => None,
        tool::Detail::Overview => Some(Level::Overview),
        tool::Detail::Abstract => Some(Level::Abstract),
    };
    if let Some(level) = level {
        let request = Request { max_per_document: Some(1), ..request };
        let found = match elsewhere {
            Some(group) => document::search_on(&request, level, &[group])?,
            None => document::search(&request, level)?,
        };
        outcome.found(&found);
        return CallResult::of_summaries(&found, level, detail);
    }
    let Results { chunks, embedding_time, .. } = match elsewhere {
        Some(group) => search::search_on(&request, &[group])?,
        None => search::search(&request)?,
    };
    outcome.embedding = embedding_time;
    outcome.found(&chunks);
    CallResult::of_search(&chunks, detail)
}

fn no_such_base(name: &str, bases: &[&Base]) -> String {
    let names: Vec<&str> = bases.iter().map(|base| base.name.as_str()).collect();
    match names.join(", ") {
        names if names.is_empty() => {
            format!("knowledge_base \"{name}\" does not exist, and there is no other")
        }
        names => format!("knowledge_base \"{name}\" is not one of {names}"),
    }
}
