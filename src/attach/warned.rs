//! Which rows a statement has been warned of: a row may be read several times.

use std::cell::RefCell;
use std::collections::HashSet;

use pgrx::pg_sys;

use crate::postgres::transaction;

thread_local! {
    /// The start of a statement of the client, and the rows that it has been warned of.
    static WARNED: RefCell<(pg_sys::TimestampTz, HashSet<String>)> = RefCell::default();
}

/// So many rows of a statement are named in warnings.
const MAX_WARNINGS: usize = 10;

/// Whether this statement of the client is to be warned of a row: of each once, and not of too many.
pub fn is_new(key: &str) -> bool {
    let now = transaction::statement_began_at();
    WARNED.with_borrow_mut(|(began, warned)| {
        if *began != now {
            (*began, *warned) = (now, HashSet::new());
        }
        warned.len() < MAX_WARNINGS && warned.insert(key.to_string())
    })
}
