//! Objects that keep a base, or a part of it, from being dropped.

use pgrx::pg_sys;

use super::expose::Layout;
use super::{KnowledgeBase, shape};
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::lock::Lockable;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// At most this many of them are named in the hint.
const MAX_NAMES: usize = 3;

/// The change that dependent objects prevent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are dropped with their base.
    Dropped,
    /// The vectors are replaced, and the views of kb_expose with them.
    Replaced,
    /// A view of kb_expose is replaced alone.
    ViewReplaced,
}

/// An object that depends on a part.
struct Dependent {
    name: String,
    referenced: String,
    /// The names of its columns, if it is a view of chunks or their vectors.
    columns: Option<Vec<String>>,
}

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
        require_none(message, parts.collect(), Vec::new(), pg_sys::InvalidOid, Fate::Replaced)
    }
}

/// 2BP01 if other objects depend on the `parts`, which are tables and views, or on the `own_functions`, or are in the schema: views, foreign keys,
/// functions, tables of users. PostgreSQL would refuse to drop them, too, but its hint is DROP … CASCADE. `message` is
/// given their names and whether they are many.
pub fn require_none(
    message: impl FnOnce(&str, bool) -> String,
    parts: Vec<pg_sys::Oid>,
    own_functions: Vec<pg_sys::Oid>,
    namespace: pg_sys::Oid,
    fate: Fate,
) -> Result<()> {
    let found: Vec<Dependent> = guc::with_settings(&[], || {
        spi::connect(|c| {
            let args = [Arg::new(parts), Arg::new(namespace), Arg::new(own_functions)];
            c.query(include_str!("dependents.sql"), Access::Write, Planning::Auto, &args, |row| {
                Ok(Dependent { name: row.require(1)?, referenced: row.require(2)?, columns: row.get(3)? })
            })
        })
    })?;
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = found
        .iter()
        .map(|Dependent { name, referenced, .. }| format!("{name} depends on {referenced}"))
        .collect();
    let names: Vec<&str> = found.iter().take(MAX_NAMES).map(|object| object.name.as_str()).collect();
    let more = match found.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = format!("{}{more}", names.join(", "));
    Err(Error::depended_on(message(&names, found.len() > 1))
        .detail(lines.join("\n"))
        .hint(fate.hint(&names, &found)))
}

impl Fate {
    /// Names the objects to drop, and the layouts of kb_expose that do without them.
    fn hint(self, names: &str, found: &[Dependent]) -> String {
        let again = if self == Fate::Dropped { "" } else { ", and create it again afterwards" };
        let mut layouts: Vec<String> = Vec::new();
        for columns in found.iter().filter_map(|object| object.columns.as_ref()) {
            let layout = format!("layout => '{}'", Layout::in_place_of(columns).name());
            if !layouts.contains(&layout) {
                layouts.push(layout);
            }
        }
        let is_kept = match self {
            Fate::Dropped => "is dropped with the knowledge base",
            Fate::Replaced => "is created again with the vectors",
            Fate::ViewReplaced => "does not depend on another view",
        };
        let instead = match layouts.as_slice() {
            [] => String::new(),
            layouts => format!(" A view made by kb_expose with {} {is_kept}.", layouts.join(" or ")),
        };
        format!("Drop {names} first{again}.{instead}")
    }
}
