//! kb_snippets: what a search endpoint returns for a conversation.

use super::log::{Entry, Outcome};
use super::{rewrite, scope};
use crate::base;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::subtransaction;
use crate::queue;
use crate::search::{self, Duplicates, Form, FoundChunk, Request, Results};

/// The name in the log.
const TOOL: &str = "kb_snippets";

/// The passages for the query of a conversation, as an array of strings. A failure is a warning, and the array empty:
/// an agent answers without them.
pub fn snippets(
    messages: Option<Jsonb>,
    count: i64,
    agent: Option<&str>,
    session: Option<&str>,
) -> Result<Jsonb> {
    let entry = Entry::begin(TOOL, agent.map(str::to_string), session);
    let mut outcome = Outcome::default();
    let found = subtransaction::attempt(|| find(messages.as_ref(), count, agent, &mut outcome));
    let chunks = match found {
        Ok(chunks) => chunks,
        Err(error) if error.ends_work() => return Err(error),
        Err(error) => {
            outcome.error = Some(error.with_hint());
            error.warn("there are no snippets");
            Vec::new()
        }
    };
    entry.write(outcome)?;
    let texts = chunks.iter().filter(|chunk| !chunk.content.trim().is_empty()).map(FoundChunk::passage);
    Jsonb::from_value(&texts.collect::<Vec<_>>())
}

fn find(
    messages: Option<&Jsonb>,
    count: i64,
    agent: Option<&str>,
    outcome: &mut Outcome,
) -> Result<Vec<FoundChunk>> {
    queue::wake_if_idle();
    let agent = agent.map(base::agent_id).transpose()?;
    outcome.covers(|| scope::listed(agent))?;
    search::check_count("top_k", count)?;
    let messages = rewrite::messages_of(messages)?;
    let query = outcome.rewritten(rewrite::query_of(&messages, None, || Ok(None))?);
    let request = Request {
        agent,
        match_count: count,
        duplicates: Duplicates::OF_TEXTS,
        form: Form::Answer,
        ..Request::new(&query)
    };
    request.check()?;
    let Results { chunks, embedding_time } = search::search(&request)?;
    outcome.embedding = embedding_time;
    outcome.found(&chunks);
    Ok(chunks)
}
