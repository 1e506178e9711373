//! The triggers on attached tables.
//!
//! A writer needs no privileges on kb_rag's objects. A fault of the base or of the attachment does not make its write fail:
//! the writer gets a warning, and the source records the fault.

use std::ffi::CString;

use pgrx::prelude::*;
use pgrx::{AnyElement, Uuid, pg_sys};

use super::attachment::Attachment;
use super::change::{self, Event, Part};
use super::compare;
use super::overview::{self, Status};
use super::select::Select;
use crate::base::{self, KnowledgeBase};
use crate::catalog::{self, format, missed};
use crate::error::{Error, Result, raise};
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::trigger::{self, Fired, qualified_name, touched_nothing};
use crate::postgres::tuple::{self, Tuple, Value};
use crate::postgres::uuid;
use crate::queue;

#[pg_trigger(sql = false)]
fn attached_changed<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    raise(follow(trigger));
    Ok(None)
}

/// Whether two values are stored as the same bytes.
#[pg_extern(sql = false, immutable, parallel_safe)]
fn is_same(a: Option<AnyElement>, b: Option<AnyElement>) -> bool {
    tuple::are_same(a.as_ref().map(Value::from_any), b.as_ref().map(Value::from_any))
}

fn follow(trigger: &PgTrigger) -> Result<()> {
    queue::wake_if_idle();
    let data = trigger.trigger_data();
    if touched_nothing(data) {
        return Ok(());
    }
    let written = trigger::table(trigger);
    let args = trigger.extra_args().unwrap_or_default();
    let ids: Vec<Uuid> = args.iter().filter_map(|id| uuid::parse(id)).collect();
    if let Some(difference) = format::difference()? {
        let missed = if let [base, source] = ids[..] { Some((base, Some(source))) } else { None };
        return missed::note(missed, difference);
    }
    if trigger::row_of_table(trigger).relrowsecurity {
        base::note_row_security(ids.first().copied())?;
    }
    let [base_id, source_id] = ids[..] else {
        return Err(Error::internal("attached_changed needs the ids of a base and a source"));
    };
    let base = match base::by_id(base_id)? {
        Some(base) if base.has_schema() => base,
        found => {
            let hint = match found {
                Some(base) => format!(
                    "Run SELECT kb_drop({}) to remove the rest of the knowledge base with these triggers.",
                    spi::quote_literal(&base.name)
                ),
                None => base::hint_for_lost(base_id)?,
            };
            let table = qualified_name(written);
            Error::not_found(format!(
                "the knowledge base that table {table} is attached to no longer exists, or is not in the catalog"
            ))
            .hint(hint)
            .warn(IGNORED);
            return Ok(());
        }
    };
    let Some(table) = root_of(written, trigger)? else { return Ok(()) };
    let is_there = source_is_there(&base, source_id)?;
    let attachment = Attachment::read(&base, source_id, table)?;
    let Some(attachment) = attachment.filter(|_| is_there) else { return not_attached(&base, written) };
    if let Some(fault) = attachment.fault() {
        overview::set_status(&base, source_id, &Status::Failed(fault.clone()))?;
        Error::missing_column(fault)
            .hint("Attach the table again with kb_attach, or detach it with kb_detach.")
            .warn(IGNORED);
        return Ok(());
    }
    let event = data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK;
    if event == pg_sys::TRIGGER_EVENT_TRUNCATE {
        return compare::truncated(&base, &attachment);
    }
    if data.tg_event & pg_sys::TRIGGER_EVENT_ROW != 0 {
        return follow_row(trigger, &base, &attachment);
    }
    let event = match event {
        pg_sys::TRIGGER_EVENT_INSERT => Event::Insert,
        pg_sys::TRIGGER_EVENT_DELETE => Event::Delete,
        _ => Event::Update { moves: writes_key(trigger, &attachment)? },
    };
    change::follow_statement(&base, &attachment, event, |c| c.register_trigger(trigger))
}

/// The consequence that a warning states.
const IGNORED: &str = "no document is updated";

fn not_attached(base: &KnowledgeBase, table: pg_sys::Oid) -> Result<()> {
    let name = qualified_name(table);
    Error::not_found(format!("table {name} is no longer a source of knowledge base \"{}\"", base.name))
        .hint("Attach the table again with kb_attach, or remove these triggers with kb_reconcile or DROP TRIGGER.")
        .warn(IGNORED);
    Ok(())
}

/// The attached table: the one that was written, or the one of which it is a partition. None for a partition that was
/// detached from it.
fn root_of(written: pg_sys::Oid, trigger: &PgTrigger) -> Result<Option<pg_sys::Oid>> {
    if !trigger::row_of_table(trigger).relispartition {
        return Ok(Some(written));
    }
    let args = trigger.extra_args().unwrap_or_default();
    let [base_id, source_id] = &args[..] else { return Ok(None) };
    catalog::connect(|c| {
        let args = [Arg::new(written), Arg::new(base_id.as_str()), Arg::new(source_id.as_str())];
        c.query_one(include_str!("root.sql"), Access::Write, &args, |row| row.require(1))
    })
}

/// Whether the base still has the source, which is then locked against deletion. 40001 if it is newer than the snapshot that
/// the transaction keeps: its documents could not be written.
fn source_is_there(base: &KnowledgeBase, source_id: Uuid) -> Result<bool> {
    let schema = base.quoted_schema();
    let is_there = |template: &str, access: Access| -> Result<bool> {
        let sql = spi::render(template, &[("schema", &schema)]);
        base.connect(|c| {
            let found = c.query_one(&sql, access, &[Arg::new(source_id)], |row| row.require::<Uuid>(1))?;
            Ok(found.is_some())
        })
    };
    if is_there(include_str!("lock_source.sql"), Access::Write)? {
        return Ok(true);
    }
    if snapshot::is_kept() && is_there(include_str!("source_exists.sql"), Access::Latest)? {
        return Err(Error::serialization(format!(
            "could not serialize access due to concurrent kb_attach to knowledge base \"{}\"",
            base.name
        ))
        .hint("Run the transaction again."));
    }
    Ok(false)
}

/// Whether an UPDATE names a column of the key.
fn writes_key(trigger: &PgTrigger, attachment: &Attachment) -> Result<bool> {
    let select = Select::new(&attachment.table)?;
    Ok(select.key().iter().any(|column| trigger::sets_column(trigger, column.number)))
}

/// A row of a partition, whose columns may stand in another order than in the attached table.
struct Written<'a>(Tuple<'a>);

impl<'a> Written<'a> {
    /// The value of a column; None for NULL.
    fn value(&self, name: &str) -> Result<Option<Value<'a>>> {
        let c_name =
            CString::new(name).map_err(|_| Error::internal("the name of a column contains a NUL byte"))?;
        let (kind, value) = self.0.get(&c_name);
        if kind == pg_sys::InvalidOid {
            return Err(Error::missing_column(format!("a partition has no column \"{name}\"")));
        }
        Ok(value)
    }

    /// The parts of the key. None where one is NULL.
    fn key(&self, select: &Select) -> Result<Option<Vec<Part>>> {
        let parts = select
            .key()
            .iter()
            .map(|column| Ok(self.value(&column.name)?.map(|value| (value.oid(), value.datum()))));
        parts.collect()
    }

    /// Whether all columns that matter are equal. A virtual generated column is assumed to differ.
    fn is_like(&self, other: &Written, select: &Select) -> Result<bool> {
        for column in select.used() {
            let same = tuple::are_same(self.value(&column.name)?, other.value(&column.name)?);
            if column.is_virtual || !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn follow_row(trigger: &PgTrigger, base: &KnowledgeBase, attachment: &Attachment) -> Result<()> {
    let select = Select::new(&attachment.table)?;
    let (old, new) = trigger::rows(trigger);
    let (old, new) = (old.map(Written), new.map(Written));
    if let (Some(old), Some(new)) = (&old, &new)
        && old.is_like(new, &select)?
    {
        return Ok(());
    }
    let key = |row: Option<Written>| -> Result<Option<Vec<Part>>> {
        row.map(|row| row.key(&select)).transpose().map(Option::flatten)
    };
    change::follow_row(base, attachment, key(old)?, key(new)?)
}
