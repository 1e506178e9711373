//! Bases whose tables and triggers are there, but that the catalog does not know: a dump of the schema alone has no rows.

use kb_rag_core::slug;
use pgrx::Uuid;

use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// At most this many triggers are named.
const MAX_NAMED: i64 = 16;

/// The schemas that have the triggers of a base.
pub fn schemas_of(id: Uuid) -> Result<Vec<String>> {
    guc::with_settings(&[], || {
        spi::connect(|c| {
            let args = [Arg::new(id.to_string())];
            c.query(include_str!("schemas.sql"), Access::Write, Planning::Generic, &args, |row| {
                row.require(1)
            })
        })
    })
}

/// The schema of such a base that kb_create would have given this name.
fn schema_of(name: &str) -> Result<Option<String>> {
    let schema = format!("kb_{}", slug::slug(name));
    let is_lost = catalog::connect(|c| {
        let args = [Arg::new(schema.as_str())];
        c.query_one(include_str!("lost.sql"), Access::Read, &args, |row| row.require::<bool>(1))
    })?;
    Ok((is_lost == Some(true)).then_some(schema))
}

/// The hint for a name that no base has.
pub fn hint_for_name(name: &str) -> Option<String> {
    let schema = schema_of(name).ok().flatten()?;
    Some(format!("Its tables are in schema {schema}. {}", adopt(&schema)))
}

/// Warns of a base that has the name of a new one, but is not in the catalog.
pub fn warn(name: &str) -> Result<()> {
    if let Some(schema) = schema_of(name)? {
        Error::warning(format!(
            "schema {schema} has the tables of a knowledge base that is not in the catalog"
        ))
        .hint(format!("To use it, drop the new knowledge base with kb_drop. {}", adopt(&schema)))
        .notify();
    }
    Ok(())
}

/// The hint for the triggers of a base that the catalog does not know.
pub fn hint_for_id(id: Uuid) -> Result<String> {
    if let [schema] = schemas_of(id)?.as_slice() {
        return Ok(adopt(schema));
    }
    let statements: Vec<String> = guc::with_settings(&[], || {
        spi::connect(|c| {
            let args = [Arg::new(id.to_string()), Arg::new(MAX_NAMED)];
            c.query(include_str!("drop_triggers.sql"), Access::Write, Planning::Generic, &args, |row| {
                row.require(1)
            })
        })
    })?;
    Ok(format!("Drop these triggers: {}", statements.join(" ")))
}

fn adopt(schema: &str) -> String {
    format!("Run SELECT kb_adopt({}).", spi::quote_literal(schema))
}
