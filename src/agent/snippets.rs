//! kb_snippets: what a search endpoint returns for a conversation.

use pgrx::Uuid;

use super::log::{Entry, Outcome};
use super::{rewrite, scope};
use crate::base;
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::Access;
use crate::postgres::subtransaction;
use crate::queue;
use crate::search::{self, Covered, Duplicates, Form, FoundChunk, Request, Results};

/// The name in the log.
const TOOL: &str = "kb_snippets";

/// The passages for the query of a conversation, as an array of strings. A failure is a warning, and the array empty:
/// an agent answers without them. An agent to which no base is attached gets passages of the base `fallback`, if it is given.
pub fn snippets(
    messages: Option<Jsonb>,
    count: i64,
    agent: Option<&str>,
    session: Option<&str>,
    fallback: Option<&str>,
) -> Result<Jsonb> {
    let entry = Entry::begin(TOOL, agent.map(str::to_string), session);
    let mut outcome = Outcome::default();
    let mut stood_in = None;
    let found = subtransaction::attempt(|| {
        let scope = scope(agent, fallback)?;
        let found = find(messages.as_ref(), count, &scope, &mut outcome)?;
        if let Scope::Fallback(base) = scope {
            stood_in = agent.map(|agent| (base.to_string(), agent.to_string()));
        }
        Ok(found)
    });
    let chunks = match found {
        Ok(chunks) => chunks,
        // Another node answers for its bases.
        Err(error) if error.ends_work() || error.group().is_some() => return Err(error),
        Err(error) => {
            outcome.error = Some(error.with_hint());
            error.warn("there are no snippets");
            Vec::new()
        }
    };
    if let Some((base, agent)) = stood_in.take() {
        note(&base, &agent)?;
    }
    entry.write(outcome)?;
    let texts = chunks.iter().filter(|chunk| !chunk.content.trim().is_empty()).map(FoundChunk::passage);
    Jsonb::from_value(&texts.collect::<Vec<_>>())
}

/// Notes an agent that was answered from a base that stands in. It is answered even if that fails.
fn note(base: &str, agent: &str) -> Result<()> {
    let noted = subtransaction::attempt(|| {
        let base = base::by_name(base, Access::Read)?;
        base::note_unattached(&base, base::agent_id(agent)?, agent)
    });
    match noted {
        Err(error) if error.ends_work() => Err(error),
        Err(error) => {
            error.warn("kb_agent_list does not show the agent");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// What is searched.
enum Scope<'a> {
    /// What is attached to the agent; without one, what the caller may read.
    Listed(Option<Uuid>),
    /// The base of this name.
    Fallback(&'a str),
}

fn scope<'a>(agent: Option<&str>, fallback: Option<&'a str>) -> Result<Scope<'a>> {
    let Some(name) = agent else { return Ok(Scope::Listed(None)) };
    let agent = base::agent_id(name)?;
    let has_bases = base::has_bases(agent)?;
    cluster::require_agent_here(agent, has_bases)?;
    match fallback {
        // Bases that the caller may not read are attached too: they are an error, as without the argument.
        Some(fallback) if !has_bases => {
            if cluster::is_joined() {
                base::by_name(fallback, Access::Read)?;
            }
            Error::remark(format!(
                "agent \"{name}\" has no knowledge base; knowledge base \"{fallback}\" is searched"
            ))
            .hint("Attach one with kb_attach_agent.")
            .notify();
            Ok(Scope::Fallback(fallback))
        }
        _ => Ok(Scope::Listed(Some(agent))),
    }
}

fn find(
    messages: Option<&Jsonb>,
    count: i64,
    scope: &Scope<'_>,
    outcome: &mut Outcome,
) -> Result<Vec<FoundChunk>> {
    queue::wake_if_idle();
    let (agent, knowledge_base) = match scope {
        Scope::Listed(agent) => (*agent, None),
        Scope::Fallback(name) => (None, Some(*name)),
    };
    let bases = || match knowledge_base {
        Some(name) => Ok(vec![base::by_name(name, Access::Read)?]),
        None => scope::listed(agent),
    };
    // Bases on another node are to be found before a chat model is asked, which that node does.
    if cluster::is_joined() {
        bases()?;
    }
    outcome.covers(|| Ok(bases()?.iter().map(Covered::from).collect()))?;
    search::check_count("top_k", count)?;
    let messages = rewrite::messages_of(messages)?;
    let query = outcome.rewritten(rewrite::query_of(&messages, None, || Ok(None))?);
    let request = Request {
        agent,
        knowledge_base,
        match_count: count,
        duplicates: Duplicates::OF_TEXTS,
        form: Form::Answer,
        ..Request::new(&query)
    };
    request.check()?;
    let Results { chunks, embedding_time, covered } = search::search(&request)?;
    outcome.covered(&covered);
    outcome.embedding = embedding_time;
    outcome.found(&chunks);
    Ok(chunks)
}
