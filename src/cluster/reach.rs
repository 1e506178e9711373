//! Nodes that go while a call is there.

use crate::error::{Error, Result};
use crate::postgres::error_context;

/// Citus names the node in the last line of the context.
const CONTEXT: &str = "while executing command on ";
/// Begins Citus's message about a node whose connection a transaction needs.
const ESSENTIAL: &str = "failure on connection marked as essential: ";

/// Begins each further line of libpq's message about a server that closed the connection, in every language.
const EXPLANATION: &str = "\n\t";

/// Runs a statement that Citus carries to other nodes. 08006 with its address where one of them goes meanwhile: Citus has other SQLSTATEs for
/// that, by what it was about to do, and names no node.
pub(super) fn reaching<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    error_context::translated(work, |error, context| {
        let message = error.to_string();
        let node = match message.strip_prefix(ESSENTIAL) {
            Some(node) if error.is_internal() => node,
            _ if error.is_end_of_session() || error.is_internal() && message.contains(EXPLANATION) => {
                context.lines().rev().find_map(|line| line.strip_prefix(CONTEXT))?
            }
            _ => return None,
        };
        Some(Error::lost(format!("node {node} ended the connection during the call")).detail(message.clone()))
    })
}
