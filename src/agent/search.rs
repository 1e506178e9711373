//! Searches that are logged as those of agents are: for applications whose users ask, such as kb-rag serve.

use super::log::{Entry, Outcome};
use crate::error::Result;
use crate::search::{self, FoundChunk, Request};

/// The name in the log.
const TOOL: &str = "kb_search";

/// A search as that of kb_search, with a row of the log. One that fails leaves none.
pub fn search(request: &Request, session: Option<&str>) -> Result<Vec<FoundChunk>> {
    let entry = Entry::begin(TOOL, request.agent.map(|agent| agent.to_string()), session);
    let mut outcome = Outcome::default();
    outcome.query = Some(request.query.to_string());
    let found = search::search(request)?;
    outcome.covered(&found.covered);
    outcome.embedding = found.embedding_time;
    outcome.found(&found.chunks);
    entry.write(outcome)?;
    Ok(found.chunks)
}
