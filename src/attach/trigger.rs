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
use crate::catalogue::{self, format, missed};
use crate::error::{Error, Result, raise};
use crate::queue;
use crate::snapshot;
use crate::spi::{self, Access, Arg};
use crate::trigger::{Fired, is_same_datum, qualified_name, touched_nothing};
use crate::uuid;

#[pg_trigger(sql = false)]
fn attached_changed<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    raise(follow(trigger));
    Ok(None)
}

/// Whether two values are stored as the same bytes.
#[pg_extern(sql = false, immutable, parallel_safe)]
fn is_same(a: Option<AnyElement>, b: Option<AnyElement>) -> bool {
    match (a, b) {
        (None, None) => true,
        // SAFETY: both are of one type, as the function is declared.
        (Some(a), Some(b)) => unsafe { is_same_datum(a.datum(), b.datum(), a.oid()) },
        _ => false,
    }
}

fn follow(trigger: &PgTrigger) -> Result<()> {
    queue::wake_if_idle();
    let data = trigger.trigger_data();
    if touched_nothing(data) {
        return Ok(());
    }
    // SAFETY: the relation of a trigger call is open for its duration.
    let written = unsafe { (*data.tg_relation).rd_id };
    let args = trigger.extra_args().unwrap_or_default();
    let ids: Vec<Uuid> = args.iter().filter_map(|id| uuid::parse(id)).collect();
    if let Some(difference) = format::difference()? {
        let missed = if let [base, source] = ids[..] { Some((base, Some(source))) } else { None };
        return missed::note(missed, difference);
    }
    // SAFETY: as above.
    if unsafe { (*(*data.tg_relation).rd_rel).relrowsecurity } {
        base::note_row_security(ids.first().copied())?;
    }
    let [base_id, source_id] = ids[..] else {
        return Err(Error::internal("attached_changed needs the ids of a base and a source"));
    };
    let Some(base) = base::by_id(base_id)?.filter(KnowledgeBase::has_schema) else {
        let table = qualified_name(written);
        Error::not_found(format!("the knowledge base that table {table} is attached to no longer exists"))
            .hint("Run kb_drop to remove the rest of the knowledge base with these triggers, or drop them with DROP TRIGGER.")
            .warn(IGNORED);
        return Ok(());
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
        _ => Event::Update { moves: writes_key(data, &attachment)? },
    };
    change::follow_statement(&base, &attachment, event, |c| {
        // SAFETY: the data of the call in progress.
        unsafe { c.register_trigger(std::ptr::from_ref(data).cast_mut()) }
    })
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
    // SAFETY: the relation of a trigger call is open for its duration.
    if unsafe { !(*(*trigger.trigger_data().tg_relation).rd_rel).relispartition } {
        return Ok(Some(written));
    }
    let args = trigger.extra_args().unwrap_or_default();
    let [base_id, source_id] = &args[..] else { return Ok(None) };
    catalogue::connect(|c| {
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
fn writes_key(data: &pg_sys::TriggerData, attachment: &Attachment) -> Result<bool> {
    Ok(Select::new(&attachment.table)?.key().iter().any(|column| {
        let number = column.number - pg_sys::FirstLowInvalidHeapAttributeNumber;
        // SAFETY: a set of columns, or null for none.
        unsafe { pg_sys::bms_is_member(number, data.tg_updatedcols) }
    }))
}

/// A row of a partition, whose columns may stand in another order than in the attached table.
struct Written {
    tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
}

impl Written {
    /// Type and value of a column; no value for NULL.
    fn value(&self, name: &str) -> Result<(pg_sys::Oid, Option<pg_sys::Datum>)> {
        let c_name =
            CString::new(name).map_err(|_| Error::internal("the name of a column contains a NUL byte"))?;
        let mut is_null = false;
        // SAFETY: tuple and descriptor belong together; a column that does not exist has type InvalidOid.
        let (kind, datum) = unsafe {
            let number = pg_sys::SPI_fnumber(self.descriptor, c_name.as_ptr());
            let kind = pg_sys::SPI_gettypeid(self.descriptor, number);
            (kind, pg_sys::SPI_getbinval(self.tuple, self.descriptor, number, &mut is_null))
        };
        if kind == pg_sys::InvalidOid {
            return Err(Error::missing_column(format!("a partition has no column \"{name}\"")));
        }
        Ok((kind, (!is_null).then_some(datum)))
    }

    /// The parts of the key. None where one is NULL.
    fn key(&self, select: &Select) -> Result<Option<Vec<Part>>> {
        let parts = select.key().iter().map(|column| {
            let (kind, datum) = self.value(&column.name)?;
            Ok(datum.map(|datum| (kind, datum)))
        });
        parts.collect()
    }

    /// Whether all columns that matter are equal. A virtual generated column is assumed to differ.
    fn is_like(&self, other: &Written, select: &Select) -> Result<bool> {
        for column in select.used() {
            let ((kind, a), (_, b)) = (self.value(&column.name)?, other.value(&column.name)?);
            let same = match (a, b) {
                (None, None) => true,
                // SAFETY: of one type.
                (Some(a), Some(b)) => unsafe { is_same_datum(a, b, kind) },
                _ => false,
            };
            if column.is_virtual || !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn follow_row(trigger: &PgTrigger, base: &KnowledgeBase, attachment: &Attachment) -> Result<()> {
    let data = trigger.trigger_data();
    let select = Select::new(&attachment.table)?;
    // SAFETY: the relation of a trigger call is open for its duration.
    let descriptor = unsafe { (*data.tg_relation).rd_att };
    let row = |tuple: pg_sys::HeapTuple| (!tuple.is_null()).then_some(Written { tuple, descriptor });
    let (old, new) = match data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK {
        pg_sys::TRIGGER_EVENT_INSERT => (None, row(data.tg_trigtuple)),
        pg_sys::TRIGGER_EVENT_DELETE => (row(data.tg_trigtuple), None),
        _ => (row(data.tg_trigtuple), row(data.tg_newtuple)),
    };
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
