//! Counting what a statement did to `chunk`.

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::terms;
use crate::base;
use crate::catalogue::version;
use crate::error::{Result, raise};
use crate::lookup;
use crate::role;
use crate::snapshot;
use crate::spi::{self, Access, Connection, Planning};
use crate::trigger::{Fired, schema_of, touched_nothing};

/// The rows of `corpus` are merged when there are more than this many.
const MOST_ROWS: i64 = 200;

#[pg_trigger(sql = false)]
fn chunk_counted<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    raise(count(trigger));
    Ok(None)
}

/// Adds rows to `corpus` for what was inserted, changed or deleted, or empties the statistics after TRUNCATE.
fn count(trigger: &PgTrigger) -> Result<()> {
    version::check()?;
    if touched_nothing(trigger.trigger_data()) {
        return Ok(());
    }
    let (table, schema) = schema_of(trigger)?;
    // SAFETY: a look-up by OID.
    let namespace = unsafe { pg_sys::get_rel_namespace(table) };
    base::require_present_tables(namespace)?;
    let event = trigger.event();
    let owner = lookup::table_owner(table)?;
    role::run_as(owner, || {
        spi::connect(|c| {
            if event.fired_by_truncate() {
                // TRUNCATE removes even rows that the snapshot does not see, so all counts must go. No other transaction
                // writes these tables now: it would have written to `chunk` before.
                for empty in [include_str!("empty.sql"), include_str!("empty_terms.sql")] {
                    let sql = spi::render(empty, &[("schema", &schema)]);
                    c.query(&sql, Access::Latest, Planning::Auto, &[], |_| Ok(()))?;
                }
                return base::drop_ivfflat_of_empty(c, namespace, &schema, owner);
            }
            // SAFETY: the data of the call in progress.
            unsafe { c.register_trigger(std::ptr::from_ref(trigger.trigger_data()).cast_mut())? };
            let count = if event.fired_by_insert() {
                include_str!("count_insert.sql")
            } else if event.fired_by_delete() {
                include_str!("count_delete.sql")
            } else {
                include_str!("count_update.sql")
            };
            // With a kept snapshot, rows that other transactions write as well are neither read nor changed: rows merged or
            // counted meanwhile would be a serialization failure.
            if c.execute_once(&spi::render(count, &[("schema", &schema)]))? > 0 && !snapshot::is_kept() {
                merge(c, &schema)?;
                terms::refresh_when_due(c, &schema)?;
            }
            Ok(())
        })
    })
}

/// Merges the rows of `corpus` that no other transaction holds.
fn merge(connection: &Connection, schema: &str) -> Result<()> {
    let rows = spi::render(include_str!("rows.sql"), &[("schema", schema)]);
    let count = connection.query_one(&rows, Access::Write, &[], |row| row.require::<i64>(1))?;
    if count.unwrap_or(0) > MOST_ROWS {
        connection.execute(&spi::render(include_str!("merge.sql"), &[("schema", schema)]), &[])?;
    }
    Ok(())
}
