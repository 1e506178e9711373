//! What the trigger functions have in common.

use pgrx::prelude::*;
use pgrx::{AllocatedByPostgres, pg_sys, varlena};

use crate::error::Result;
use crate::lookup;
use crate::spi;

/// A row that a trigger returns.
pub type Row<'a> = PgHeapTuple<'a, AllocatedByPostgres>;

/// The result that pgrx expects of a trigger function; errors are raised before.
pub type Fired<'a> = std::result::Result<Option<Row<'a>>, PgTriggerError>;

/// The table the trigger is on, and its schema as an identifier.
pub fn schema_of(trigger: &PgTrigger) -> Result<(pg_sys::Oid, String)> {
    let data = trigger.trigger_data();
    // SAFETY: the relation of a trigger call is open for its duration.
    let (table, namespace) =
        unsafe { ((*data.tg_relation).rd_id, (*(*data.tg_relation).rd_rel).relnamespace) };
    Ok((table, spi::quote_identifier(&lookup::schema_name(namespace)?)))
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

/// Whether two values are the same: as stored, which for two equal toast pointers reads no text, or once detoasted.
///
/// # Safety
/// Both must be varlena datums.
pub unsafe fn same_varlena(a: pg_sys::Datum, b: pg_sys::Datum) -> bool {
    // SAFETY: each slice covers exactly the bytes of its value.
    unsafe {
        let bytes = |value: *mut pg_sys::varlena| {
            std::slice::from_raw_parts(value as *const u8, varlena::varsize_any(value))
        };
        bytes(a.cast_mut_ptr()) == bytes(b.cast_mut_ptr())
            || bytes(pg_sys::pg_detoast_datum(a.cast_mut_ptr()))
                == bytes(pg_sys::pg_detoast_datum(b.cast_mut_ptr()))
    }
}

/// Whether two values of a type hold the same bytes.
///
/// # Safety
/// Both must be datums of the type.
pub unsafe fn is_same_datum(a: pg_sys::Datum, b: pg_sys::Datum, kind: pg_sys::Oid) -> bool {
    let (mut length, mut by_value) = (0, false);
    // SAFETY: a look-up by OID; values that are not varlena have the length of their type, or end with NUL.
    unsafe {
        pg_sys::get_typlenbyval(kind, &mut length, &mut by_value);
        let bytes = |value: pg_sys::Datum| value.cast_mut_ptr::<u8>().cast_const();
        match length {
            _ if by_value => a == b,
            -1 => same_varlena(a, b),
            1.. => {
                std::slice::from_raw_parts(bytes(a), length as usize)
                    == std::slice::from_raw_parts(bytes(b), length as usize)
            }
            _ => std::ffi::CStr::from_ptr(bytes(a).cast()) == std::ffi::CStr::from_ptr(bytes(b).cast()),
        }
    }
}
