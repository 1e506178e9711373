//! Names of bases that the caller may have meant. Only bases that it may see are mentioned.

use kb_rag_core::near::near;

use crate::base::create::MAX_NAME_CHARACTERS;
use crate::base::find::lost;
use crate::base::{KnowledgeBase, select, visible};
use crate::catalog;
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg, Planning};

/// At most this many near names are looked up.
const MAX_LOOKED_UP: usize = 100;

/// 42704 for a name that no base has; 55000 if another node of a cluster has it.
pub fn unknown(name: &str) -> Error {
    match cluster::unknown(name) {
        Ok(None) => {}
        Ok(Some(error)) | Err(error) => return error,
    }
    let error = Error::not_found(format!("knowledge base \"{name}\" does not exist"));
    if let Ok(Some(names)) = several(name) {
        let names: Vec<String> = names.iter().map(|name| spi::quote_literal(name)).collect();
        let names = names.join(", ");
        return error.hint(format!("Searches take several by name: knowledge_bases => ARRAY[{names}]."));
    }
    if let Some(hint) = lost::hint_for_name(name) {
        return error.hint(hint);
    }
    match meant(name) {
        Ok(Some(base)) => error.hint(format!("Did you mean \"{}\"?", base.name)),
        _ => error.hint(
            "SELECT name FROM kb_list() shows the knowledge bases you may read; kb_create makes a new one.",
        ),
    }
}

/// The names of bases in a list with commas, if each is one that the caller may see.
fn several(name: &str) -> Result<Option<Vec<&str>>> {
    // The text may be very long.
    if !name.contains(',') || name.chars().nth(MAX_LOOKED_UP * MAX_NAME_CHARACTERS).is_some() {
        return Ok(None);
    }
    let names: Vec<&str> = name.split(',').map(str::trim).collect();
    let found = visible(select("k.name = ANY ($1)", Access::Read, || vec![Arg::new(names.clone())])?)?;
    let is_base = |name: &&str| found.iter().any(|base| base.name == **name);
    Ok(names.iter().all(is_base).then_some(names))
}

/// The same error with a hint where `name` is no base, but `other`, an argument for something else, is one that the caller may see.
pub fn in_order(error: Error, name: &str, other: &str, hint: &str) -> Error {
    // A text may be very long.
    let may_be_name = other.chars().nth(MAX_NAME_CHARACTERS).is_none();
    let is_other = || -> Result<bool> {
        let found = select("k.name = ANY ($1)", Access::Read, || {
            vec![Arg::new(vec![name.to_string(), other.to_string()])]
        })?;
        Ok(found.iter().all(|base| base.name != name) && !visible(found)?.is_empty())
    };
    if error.is_not_found() && may_be_name && matches!(is_other(), Ok(true)) {
        error.hint(hint)
    } else {
        error
    }
}

fn meant(name: &str) -> Result<Option<KnowledgeBase>> {
    let names: Vec<String> = catalog::connect(|c| {
        c.query(include_str!("names.sql"), Access::Read, Planning::Generic, &[], |row| row.require(1))
    })?;
    let mut near = near(without_prefix(name), names.iter().map(|name| without_prefix(name)));
    near.truncate(MAX_LOOKED_UP);
    let found = select("k.name = ANY ($1)", Access::Read, || {
        let named = |name: &&String| near.contains(&without_prefix(name));
        vec![Arg::new(names.iter().filter(named).cloned().collect::<Vec<_>>())]
    })?;
    let place = |base: &KnowledgeBase| near.iter().position(|name| *name == without_prefix(&base.name));
    Ok(visible(found)?.into_iter().min_by_key(place))
}

/// The name without the beginning of a schema.
fn without_prefix(name: &str) -> &str {
    match name.get(..3) {
        Some(prefix) if prefix.eq_ignore_ascii_case("kb_") => &name[3..],
        _ => name,
    }
}

/// Warns of a base whose name differs from `name` in case only: both are found under their own name alone.
pub fn warn_of_case(name: &str) -> Result<()> {
    let condition = "pg_catalog.lower(k.name) = pg_catalog.lower($1) AND k.name <> $1";
    for base in visible(select(condition, Access::Write, || vec![Arg::new(name)])?)? {
        pgrx::warning!("a knowledge base \"{}\" exists: names are case-sensitive", base.name);
    }
    Ok(())
}
