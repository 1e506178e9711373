//! The calls of trigger functions: their table, the rows, and what the statement touched.

use std::ffi::CStr;
use std::marker::PhantomData;

use pgrx::prelude::*;
use pgrx::{AllocatedByPostgres, pg_sys};

use crate::error::Result;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Slot};
use crate::postgres::tuple::Tuple;

/// A row that a trigger returns.
pub type Row<'a> = PgHeapTuple<'a, AllocatedByPostgres>;

/// The result that pgrx expects of a trigger function; errors are raised before.
pub type Fired<'a> = std::result::Result<Option<Row<'a>>, PgTriggerError>;

/// The table the trigger is on, and its schema as an identifier.
pub fn schema_of(trigger: &PgTrigger) -> Result<(pg_sys::Oid, String)> {
    let schema = lookup::schema_name(row_of_table(trigger).relnamespace)?;
    Ok((table(trigger), spi::quote_identifier(&schema)))
}

/// The table the trigger is on.
pub fn table(trigger: &PgTrigger) -> pg_sys::Oid {
    // SAFETY: the relation of a trigger call is open for its duration.
    unsafe { (*trigger.trigger_data().tg_relation).rd_id }
}

/// How many triggers are running, each for a statement of the one before.
pub fn depth() -> i32 {
    // SAFETY: the function takes no argument, reads a variable of this process and returns an int4.
    unsafe { pgrx::direct_function_call::<i32>(pg_sys::pg_trigger_depth, &[]) }.unwrap_or_default()
}

/// Whether the row arrives by replication, or the session writes as if it did.
pub fn is_replica() -> bool {
    // SAFETY: reads a variable of this process.
    unsafe { pg_sys::SessionReplicationRole == pg_sys::SESSION_REPLICATION_ROLE_REPLICA as i32 }
}

/// The row of that table in pg_class.
pub fn row_of_table<'a>(trigger: &'a PgTrigger) -> &'a pg_sys::FormData_pg_class {
    // SAFETY: as above.
    unsafe { &*(*trigger.trigger_data().tg_relation).rd_rel }
}

fn descriptor(trigger: &PgTrigger) -> pg_sys::TupleDesc {
    // SAFETY: as above.
    unsafe { (*trigger.trigger_data().tg_relation).rd_att }
}

/// Number and type of a column of the table; InvalidOid where there is none.
pub fn column(trigger: &PgTrigger, name: &CStr) -> (i32, pg_sys::Oid) {
    let descriptor = descriptor(trigger);
    // SAFETY: look-ups in the descriptor; a column that does not exist has type InvalidOid.
    unsafe {
        let number = pg_sys::SPI_fnumber(descriptor, name.as_ptr());
        (number, pg_sys::SPI_gettypeid(descriptor, number))
    }
}

/// Whether the UPDATE names a column, given by its number.
pub fn sets_column(trigger: &PgTrigger, number: i32) -> bool {
    let number = number - pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: a set of columns, or null for none.
    unsafe { pg_sys::bms_is_member(number, trigger.trigger_data().tg_updatedcols) }
}

/// The row before and after it is written, in a row-level trigger: only the one after INSERT, only the one before DELETE. None in a
/// statement-level trigger.
pub fn rows<'a>(trigger: &'a PgTrigger) -> (Option<Tuple<'a>>, Option<Tuple<'a>>) {
    let data = trigger.trigger_data();
    let row = |tuple: pg_sys::HeapTuple| {
        // SAFETY: a row of the call in progress, and the columns of its table.
        (!tuple.is_null()).then(|| unsafe { Tuple::new(tuple, descriptor(trigger)) })
    };
    match data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK {
        pg_sys::TRIGGER_EVENT_INSERT => (None, row(data.tg_trigtuple)),
        pg_sys::TRIGGER_EVENT_DELETE => (row(data.tg_trigtuple), None),
        _ => (row(data.tg_trigtuple), row(data.tg_newtuple)),
    }
}

/// Whether a statement touched no row. INSERT with ON CONFLICT DO UPDATE fires the triggers of UPDATE too, MERGE those
/// of all three.
pub fn touched_nothing(data: &pg_sys::TriggerData) -> bool {
    let tables = [data.tg_oldtable, data.tg_newtable];
    // SAFETY: transition tables of the call in progress, or null for those that the trigger does not ask for.
    let is_empty =
        |table: &*mut pg_sys::Tuplestorestate| unsafe { pg_sys::tuplestore_tuple_count(*table) == 0 };
    let mut given = tables.iter().filter(|table| !table.is_null()).peekable();
    given.peek().is_some() && given.all(is_empty)
}

/// The name of a table, qualified and quoted; its OID when the table is gone.
pub fn qualified_name(table: pg_sys::Oid) -> String {
    // SAFETY: look-ups by OID; null for a table that does not exist.
    let (namespace, name) = unsafe { (pg_sys::get_rel_namespace(table), pg_sys::get_rel_name(table)) };
    match lookup::schema_name(namespace) {
        // SAFETY: as the function gave it, and not null.
        Ok(schema) if !name.is_null() => unsafe {
            let name = std::ffi::CStr::from_ptr(name).to_string_lossy();
            format!("{}.{}", spi::quote_identifier(&schema), spi::quote_identifier(&name))
        },
        _ => table.to_u32().to_string(),
    }
}

/// A transition table of a statement-level trigger: rows that the statement touched.
pub struct TransitionTable<'a> {
    store: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
    call: PhantomData<&'a ()>,
}

/// The rows as they were before and after a statement; None where the event, or the trigger, has none.
pub fn transition_tables<'a>(trigger: &'a PgTrigger) -> [Option<TransitionTable<'a>>; 2] {
    let data = trigger.trigger_data();
    let descriptor = descriptor(trigger);
    [data.tg_oldtable, data.tg_newtable]
        .map(|store| (!store.is_null()).then_some(TransitionTable { store, descriptor, call: PhantomData }))
}

impl TransitionTable<'_> {
    /// Passes the rows to `read` without a query, which costs more than the rest of the work for a single row. `read` may
    /// run statements, but none that reads this table.
    pub fn each(&self, mut read: impl FnMut(&Slot) -> Result<()>) -> Result<()> {
        // SAFETY: the store lives as long as the trigger call. A read pointer of its own begins at the first row; the slot
        // is dropped below, or with the memory of the statement after an error.
        unsafe {
            let pointer = pg_sys::tuplestore_alloc_read_pointer(self.store, pg_sys::EXEC_FLAG_REWIND as i32);
            pg_sys::tuplestore_select_read_pointer(self.store, pointer);
            pg_sys::tuplestore_rescan(self.store);
            let slot =
                pg_sys::MakeSingleTupleTableSlot(self.descriptor, &raw const pg_sys::TTSOpsMinimalTuple);
            let row = Slot::from_raw(slot);
            let mut result = Ok(());
            while result.is_ok() && pg_sys::tuplestore_gettupleslot(self.store, true, false, slot) {
                result = read(&row);
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
            result
        }
    }
}
