//! Objects that keep a base from being dropped.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// At most this many of them are named in the hint.
const MAX_NAMES: usize = 3;

/// 2BP01 if other objects depend on the `parts`, which are tables and views, or are in the schema: views, foreign keys, functions, tables of users.
/// PostgreSQL would refuse to drop them, too, but its hint is DROP … CASCADE.
pub fn require_none(base: &str, parts: Vec<pg_sys::Oid>, namespace: pg_sys::Oid) -> Result<()> {
    let found: Vec<(String, String)> = guc::with_settings(&[], || {
        spi::connect(|c| {
            let args = [Arg::new(parts), Arg::new(namespace)];
            c.query(include_str!("dependents.sql"), Access::Write, Planning::Auto, &args, |row| {
                Ok((row.require(1)?, row.require(2)?))
            })
        })
    })?;
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> =
        found.iter().map(|(name, referenced)| format!("{name} depends on {referenced}")).collect();
    let names: Vec<&str> = found.iter().take(MAX_NAMES).map(|(name, _)| name.as_str()).collect();
    let more = match found.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(Error::depended_on(format!(
        "cannot drop knowledge base \"{base}\" because other objects depend on it"
    ))
    .detail(lines.join("\n"))
    .hint(format!("Drop {}{more} first.", names.join(", "))))
}
