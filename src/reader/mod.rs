//! The agent's side of a manifest's `search` block: what the agent is given before it answers.

mod check;
mod columns;
mod endpoint;
mod table;

use std::time::Duration;

use kb_rag_core::context::SEPARATOR;
use kb_rag_core::manifest::{self, Mistake, Search};
use serde_json::Value;

use crate::agent::{Entry, Outcome, Passage};
use crate::error::{Error, Result};
use crate::postgres::deadline;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::subtransaction;
use crate::postgres::test_point::test_time;

pub use check::check;

/// The name in the log.
const TOOL: &str = "kb_retrieve";
/// The time for a retrieval from a table, with the models.
const MAX_TIME: Duration = Duration::from_secs(30);
/// The most bytes of all texts together.
const MAX_BYTES: usize = 16 << 20;
/// The most texts that are logged, and the most bytes of them.
const MAX_LOGGED: usize = 1_000;
const MAX_LOGGED_BYTES: usize = 1 << 20;

/// The texts for a conversation, joined. None if nothing is found, and where there is no block. A failure is a warning and None:
/// the agent answers without them.
pub fn retrieve(
    search: Option<Jsonb>,
    messages: Option<Jsonb>,
    session: Option<&str>,
    agent: Option<&str>,
) -> Result<Option<String>> {
    let Some(search) = search else { return Ok(None) };
    let entry = Entry::begin(TOOL, agent.map(str::to_string), session);
    let mut outcome = Outcome::default();
    let found = block(&search).and_then(|block| match block {
        None => Ok(None),
        Some(Search::Pgvector(block)) => {
            let work = || table::retrieve(&block, messages.as_ref(), &mut outcome).map(Some);
            deadline::attempt_within(max_time(), late, work)
        }
        Some(Search::External(block)) => {
            let work =
                || endpoint::retrieve(&block, messages.as_ref(), session, agent, &mut outcome).map(Some);
            subtransaction::attempt(work)
        }
    });
    let text = match found {
        Ok(None) => return Ok(None),
        Ok(Some(passages)) => {
            outcome.found(logged(&passages));
            joined(&passages)
        }
        Err(error) if error.ends_work() => return Err(error),
        Err(error) => {
            outcome.error = Some(error.with_hint());
            error.warn("nothing was retrieved");
            None
        }
    };
    match subtransaction::attempt(|| entry.write(outcome)) {
        Err(error) if error.ends_work() => return Err(error),
        Err(error) => error.warn("the retrieval is not logged"),
        Ok(()) => {}
    }
    Ok(text)
}

/// The first passages, as far as they are logged.
fn logged(passages: &[Passage]) -> &[Passage] {
    let mut bytes = 0;
    let fits = |passage: &&Passage| {
        bytes += passage.text.len();
        bytes <= MAX_LOGGED_BYTES
    };
    &passages[..passages.iter().take(MAX_LOGGED).take_while(fits).count()]
}

fn max_time() -> Duration {
    test_time("retrieval_max_time", MAX_TIME)
}

fn late() -> Error {
    Error::late(format!("the retrieval took longer than {} s", max_time().as_secs())).hint(
        "Create an HNSW index for the cosine distance on the vectors, and check how long the models take.",
    )
}

fn joined(passages: &[Passage]) -> Option<String> {
    let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join(SEPARATOR))
}

fn value_of(search: &Jsonb) -> Result<Value> {
    search.check_size("search")?;
    search
        .value()
        .ok_or_else(|| Error::invalid("search is nested too deeply, or holds a number that is too large"))
}

/// The block, if there is one. 22023 with all its mistakes.
fn block(search: &Jsonb) -> Result<Option<Search>> {
    let value = value_of(search)?;
    let Some(block) = manifest::block_of(&value) else { return Ok(None) };
    let parsed = manifest::parse(block);
    match Error::of_several(parsed.mistakes.iter().map(mistake).collect()) {
        Some(error) => Err(error),
        None => Ok(parsed.search),
    }
}

fn mistake(mistake: &Mistake) -> Error {
    Error::invalid(&mistake.message).hint(&mistake.hint)
}
