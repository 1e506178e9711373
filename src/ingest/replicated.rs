//! Documents that arrive by logical replication. Triggers do not fire for them, but this one; statement triggers cannot. Where neither
//! chunks nor vectors are replicated to here, the documents are marked as not indexed, and workers index them.

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::status;
use super::trigger::{DocumentRow, kept_columns};
use crate::base;
use crate::catalog::{self, format, missed};
use crate::error::{Result, raise};
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::trigger::{self, Fired, Row};
use crate::postgres::tuple::Value;
use crate::postgres::uuid;
use crate::queue::{self, Kind};

#[pg_trigger(sql = false)]
fn document_replicated<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    Ok(raise(mark(trigger)))
}

/// The row about to be written, or the one about to be deleted.
fn mark<'a>(trigger: &'a PgTrigger<'a>) -> Result<Option<Row<'a>>> {
    let (before, after) = trigger::rows(trigger);
    let Some(row) = after.or(before) else { return Ok(None) };
    let id = trigger.extra_args().ok().and_then(|args| args.first().and_then(|id| uuid::parse(id)));
    let Some(id) = id else { return row.with(&[]).map(Some) };
    if !trigger::is_replica() || !is_alone(trigger)? {
        return row.with(&[]).map(Some);
    }
    if let Some(source) = after.and_then(|new| new.value(c"source_id")) {
        stand_in(trigger, source)?;
    }
    if let (Some(old), Some(new)) = (before.map(DocumentRow), after.map(DocumentRow))
        && new.has_text_of(&old)
    {
        // The publisher's status says nothing of the chunks that are here.
        let mut kept = kept_columns(&old, &new).to_vec();
        kept.push((c"imported", old.value(c"imported")));
        return row.with(&kept).map(Some);
    }
    if let Some(difference) = format::difference()? {
        missed::note(Some((id, None)), difference)?;
    } else if missed::is_first(id) {
        queue::enqueue(id, Kind::Repair, &[id])?;
    }
    if after.is_none() {
        // Its chunks stay for a moment: foreign keys are not followed either.
        return row.with(&[]).map(Some);
    }
    let values = [
        (c"content_hash", None),
        (c"status", Value::new(status::PENDING)),
        (c"error_message", None),
        (c"indexed_at", None),
        // Imported chunks did not come along.
        (c"imported", Value::new(false)),
    ];
    row.with(&values).map(Some)
}

/// Enters the source of a document, which is on the publisher, as the owner of the base: any write of the document here would fail
/// without.
fn stand_in(trigger: &PgTrigger, source: Value) -> Result<()> {
    let (table, schema) = trigger::schema_of(trigger)?;
    let name = spi::quote_literal(&format!("{schema}.source"));
    let values = [("schema", schema.as_str()), ("source", &name)];
    let sql = spi::render(include_str!("replicated_source.sql"), &values);
    role::run_as(lookup::table_owner(table)?, || {
        spi::connect(|c| c.execute(&sql, &[Arg::from_datum(source.oid(), source.datum())]))
    })?;
    Ok(())
}

/// Whether a subscription writes documents, but neither chunks nor vectors.
fn is_alone(trigger: &PgTrigger) -> Result<bool> {
    let namespace = trigger::row_of_table(trigger).relnamespace;
    let of_chunks = |name| base::table_in(namespace, name).unwrap_or(pg_sys::InvalidOid);
    let args =
        [Arg::new(trigger::table(trigger)), Arg::new(of_chunks(c"chunk")), Arg::new(of_chunks(c"embedding"))];
    let found = catalog::connect(|c| {
        c.query_one(include_str!("replicated_alone.sql"), Access::Latest, &args, |row| row.require::<bool>(1))
    })?;
    Ok(found == Some(true))
}
