//! Dropping a knowledge base.

use std::ffi::CStr;

use pgrx::Uuid;

use super::{drop_attached_triggers, find, unknown};
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};

/// Drops the base's tables, schema and catalogue row, with the caller's rights. Foreign objects in the schema, or views
/// that depend on its tables, are not touched: PostgreSQL refuses with 2BP01 and names them.
pub fn drop_base(name: &str) -> Result<()> {
    // Waits for another kb_drop of the base, which leaves nothing to find.
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            c.query_one(include_str!("lock_row.sql"), Access::Write, &[Arg::new(name)], |row| {
                row.require::<Uuid>(1)
            })
        })
    })?;
    let base = find(name)?.ok_or_else(|| unknown(name))?;
    if base.namespace.is_some() {
        base.require_owner()?;
        // Before its tables are locked, for which who writes to an attached table would wait while he is waited for.
        drop_attached_triggers(base.id, None)?;
        let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
        let schema = base.quoted_schema();
        // The vectors of a model that is to come refer to the passages too.
        let next = base.next_table().map_or(String::new(), |table| format!(", {schema}.{table}"));
        let sql = spi::render(include_str!("drop_tables.sql"), &[("schema", &schema), ("next", &next)]);
        role::with_settings(quiet, || spi::connect(|c| c.run(&sql)))?;
    } else if base.owner != role::role_name(role::current_role())?
        && !role::is_superuser(role::current_role())
    {
        return Err(Error::denied(format!("must be owner of knowledge base \"{name}\"")));
    } else {
        drop_attached_triggers(base.id, None)?;
    }
    role::as_catalogue_owner(|| {
        spi::connect(|c| c.execute(include_str!("delete.sql"), &[Arg::new(base.id)]))
    })?;
    Ok(())
}
