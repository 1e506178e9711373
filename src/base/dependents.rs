//! Objects that keep a base, or a part of it, from being dropped.

use pgrx::pg_sys;

use super::{KnowledgeBase, shape};
use crate::error::{Error, Result};
use crate::lock::Lockable;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// At most this many of them are named in the hint.
const MAX_NAMES: usize = 3;

impl KnowledgeBase {
    /// 2BP01 if views of users read the vectors, or other objects depend on their table: it is replaced when the model or its
    /// dimensions change, with the views of kb_expose.
    pub fn require_replaceable_vectors(&self) -> Result<()> {
        let Some(namespace) = self.namespace else { return Ok(()) };
        let parts = shape::table_in(namespace, c"embedding").into_iter().chain(self.views()?);
        // The names are a part of it: workers report the message alone.
        let message = |names: &str, are_many: bool| {
            let depend = if are_many { "depend" } else { "depends" };
            format!(
                "cannot replace the vectors of knowledge base \"{}\" because {names} {depend} on them",
                self.name
            )
        };
        require_none(
            message,
            parts.collect(),
            Vec::new(),
            pg_sys::InvalidOid,
            ", and create it again afterwards",
        )
    }
}

/// 2BP01 if other objects depend on the `parts`, which are tables and views, or on the `own_functions`, or are in the schema: views, foreign keys,
/// functions, tables of users. PostgreSQL would refuse to drop them, too, but its hint is DROP … CASCADE. `message` is
/// given their names and whether they are many; `then` ends the hint.
pub fn require_none(
    message: impl FnOnce(&str, bool) -> String,
    parts: Vec<pg_sys::Oid>,
    own_functions: Vec<pg_sys::Oid>,
    namespace: pg_sys::Oid,
    then: &str,
) -> Result<()> {
    let found: Vec<(String, String)> = guc::with_settings(&[], || {
        spi::connect(|c| {
            let args = [Arg::new(parts), Arg::new(namespace), Arg::new(own_functions)];
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
    let names = format!("{}{more}", names.join(", "));
    Err(Error::depended_on(message(&names, found.len() > 1))
        .detail(lines.join("\n"))
        .hint(format!("Drop {names} first{then}.")))
}
