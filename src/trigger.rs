//! What all trigger functions share.

use pgrx::prelude::*;
use pgrx::{AllocatedByPostgres, pg_sys};

use crate::error::Result;
use crate::role;
use crate::spi;

/// A row that a trigger returns.
pub type Row<'a> = PgHeapTuple<'a, AllocatedByPostgres>;

/// What pgrx wants of a trigger function; errors are raised before.
pub type Fired<'a> = std::result::Result<Option<Row<'a>>, PgTriggerError>;

/// The table the trigger is on, and its schema as an identifier.
pub fn schema_of(trigger: &PgTrigger) -> Result<(pg_sys::Oid, String)> {
    let data = trigger.trigger_data();
    // SAFETY: the relation of a trigger call is open for its duration.
    let (table, namespace) =
        unsafe { ((*data.tg_relation).rd_id, (*(*data.tg_relation).rd_rel).relnamespace) };
    Ok((table, spi::quote_identifier(&role::schema_name(namespace)?)))
}
