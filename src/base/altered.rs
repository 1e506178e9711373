//! Errors about tables of a base that are not as kb_create made them.

use crate::error::{Error, Result};
use crate::postgres::subtransaction;

const HINT: &str = "Its tables, or objects that its owner added, were altered. Restore them, for example from a dump, or drop the knowledge \
                    base with kb_drop.";

/// Runs `work` on the base `name`. PostgreSQL's error about a missing column, table, function or operator gets the name of
/// the base and a hint. Checking all columns before would cost every call; the error is the same. `what` cannot be done.
pub fn naming_base<T>(name: &str, what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    subtransaction::translated(work, |error| {
        let named = |error: Error| {
            error.preceded_by(&format!("knowledge base \"{name}\" cannot be {what}")).hint(HINT)
        };
        error.is_of_missing_object().then(|| named(error))
    })
}
