//! kb_snippets: what a search endpoint returns for a conversation.

use kb_rag_core::conversation;

use super::log::{Entry, Outcome};
use super::{THRESHOLD, scope};
use crate::base;
use crate::error::{Error, Result};
use crate::jsonb::Jsonb;
use crate::queue;
use crate::search::{self, FoundChunk, Request};
use crate::subtransaction;

/// The name in the log.
const TOOL: &str = "kb_snippets";

/// The passages for the last message of the customer, as an array of strings. A failure is a warning, and the array empty:
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
    let texts = chunks.iter().map(|chunk| chunk.content.as_str());
    Jsonb::of(&texts.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>())
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
    let messages = messages.ok_or_else(|| Error::null("messages"))?;
    let messages = messages.value().ok_or_else(|| {
        Error::invalid("messages is nested too deeply, or holds a number that is too large")
    })?;
    let messages = conversation::parse(&messages).map_err(|mistake| {
        Error::invalid(mistake).hint(
            "Give an array of objects with role and content, as [{\"role\": \"user\", \"content\": \"…\"}].",
        )
    })?;
    let Some(query) = conversation::last_of_customer(&messages) else {
        return Err(Error::invalid("messages has no message of a customer")
            .hint("The query is the last message whose role is customer, user or human."));
    };
    outcome.query = Some(query.to_string());
    let request =
        Request { agent, match_count: count, otherwise_threshold: Some(THRESHOLD), ..Request::new(query) };
    search::check_count("top_k", count)?;
    request.check()?;
    let chunks = search::search(&request)?;
    outcome.embedding = request.embedding_time.get();
    outcome.found(&chunks);
    Ok(chunks)
}
