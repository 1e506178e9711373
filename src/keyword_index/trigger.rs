//! The triggers on `chunk` that keep the keyword index in step with it.

use std::collections::HashSet;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::transition::Transition;
use super::{Place, collect, compact, fill, write};
use crate::base;
use crate::catalog::{format, missed};
use crate::error::{Error, Result, raise};
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::trigger::{self, Fired, Row, schema_of, touched_nothing};
use crate::postgres::tuple::Value;
use crate::postgres::uuid;

#[pg_trigger(sql = false)]
fn chunk_counted<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    raise(follow(trigger));
    Ok(None)
}

/// Adds what was inserted, changed or deleted to the index, or empties it after TRUNCATE.
fn follow(trigger: &PgTrigger) -> Result<()> {
    let data = trigger.trigger_data();
    if touched_nothing(data) {
        return Ok(());
    }
    let base = trigger.extra_args().ok().and_then(|args| uuid::parse(args.first()?));
    if let Some(difference) = format::difference()? {
        return missed::note(base.map(|base| (base, None)), difference);
    }
    let (table, schema) = schema_of(trigger)?;
    let namespace = trigger::row_of_table(trigger).relnamespace;
    let owner = lookup::table_owner(table)?;
    let place = Place { chunk: table, schema, base };
    if trigger.event().fired_by_truncate() {
        return role::run_as(owner, || {
            spi::connect(|c| {
                compact::after_delete(&place, fill::empty(c, &place.schema)?)?;
                base::drop_ivfflat_of_empty(c, namespace, &place.schema, owner)
            })
        });
    }
    let write = |changes| role::run_as(owner, || spi::connect(|c| write::write(c, &place, changes)));
    collect::noting(table, write, |notes| {
        let [old, new] = Transition::old_and_new(trigger)?;
        // An update that keeps the lexemes keeps the number.
        let numbers =
            |table: &Option<Transition>| table.as_ref().map_or(Ok(HashSet::new()), Transition::numbers);
        let (of_old, of_new) = if old.is_some() && new.is_some() {
            (numbers(&old)?, numbers(&new)?)
        } else {
            Default::default()
        };
        if let Some(old) = old {
            old.chunks(&of_new, |chunk| notes.remove(chunk))?;
        }
        if let Some(new) = new {
            new.chunks(&of_old, |chunk| notes.add(chunk))?;
        }
        Ok(())
    })
}

/// Gives a chunk whose lexemes change a new number: a number stands for the same lexemes for ever.
#[pg_trigger(sql = false)]
fn chunk_numbered<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    Ok(Some(raise(number(trigger))))
}

fn number<'a>(trigger: &'a PgTrigger<'a>) -> Result<Row<'a>> {
    let (Some(_), Some(new)) = trigger::rows(trigger) else {
        return Err(Error::internal("chunk_numbered must be a trigger for each row, before UPDATE"));
    };
    let column = c"keyword_number";
    let next = if new.type_of(column) == pg_sys::INT8OID { next_number(trigger)? } else { None };
    match next {
        Some(next) => new.with(&[(column, Value::new(next))]),
        // The table may have another shape: the update repairs the index.
        None if format::difference()?.is_some() => new.with(&[]),
        None => Err(Error::altered_column("chunk", "keyword_number")),
    }
}

/// The next value of the sequence of `keyword_number`; None if it has none.
fn next_number(trigger: &PgTrigger) -> Result<Option<i64>> {
    let (table, schema) = schema_of(trigger)?;
    let next = role::run_as(lookup::table_owner(table)?, || {
        spi::connect(|c| {
            let args = [Arg::new(format!("{schema}.chunk"))];
            c.query_one(include_str!("next_number.sql"), Access::Write, &args, |row| row.get::<i64>(1))
        })
    })?;
    Ok(next.flatten())
}
