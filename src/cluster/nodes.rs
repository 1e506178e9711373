//! The view kb_rag.cluster: what each node answers.

use serde::Deserialize;

use super::is_joined;
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// The state that a node reports. Only bases that the caller may read are counted.
#[derive(Deserialize, Default)]
struct Answer {
    version: Option<String>,
    bases: Option<i64>,
    chunks: Option<i64>,
    bytes: Option<i64>,
}

/// The state of a node.
pub struct State {
    /// As HOST:PORT.
    pub node: String,
    pub version: Option<String>,
    pub bases: Option<i64>,
    pub chunks: Option<i64>,
    pub bytes: Option<i64>,
    pub is_reachable: bool,
    pub error: Option<String>,
}

/// The state of each node; none where the server stands alone.
pub fn states() -> Result<Vec<State>> {
    if !is_joined() {
        return Ok(Vec::new());
    }
    let command = Arg::new(include_str!("state_as_json.sql"));
    spi::connect(|c| {
        c.query(include_str!("states.sql"), Access::Read, Planning::Custom, &[command], |row| {
            let answer = row.get::<String>(3)?.unwrap_or_default();
            Ok(state(row.require(1)?, row.require(2)?, answer))
        })
    })
}

fn state(node: String, is_answered: bool, answer: String) -> State {
    let parsed = serde_json::from_str::<Answer>(&answer).ok().filter(|_| is_answered);
    let is_reachable = parsed.is_some();
    let Answer { version, bases, chunks, bytes } = parsed.unwrap_or_default();
    State { node, version, bases, chunks, bytes, is_reachable, error: (!is_reachable).then_some(answer) }
}
