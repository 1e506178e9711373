//! Rows as SPI returns them, and their values.

use std::ffi::CStr;
use std::ops::Range;

use kb_rag_core::characters;
use pgrx::prelude::*;
use pgrx::{PgMemoryContexts, pg_sys, varlena};

use super::c_string;
use crate::error::{Error, Result};

/// One row of a result. Columns count from 1.
pub struct Row<'a> {
    tuple: pg_sys::HeapTuple,
    table: &'a pg_sys::SPITupleTable,
}

impl Row<'_> {
    /// The value of a column, None for NULL. 42804 when the column has another type: owners may alter their tables.
    pub fn get<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<Option<T>> {
        let (oid, datum, is_null) = self.datum::<T>(column)?;
        // SAFETY: a value of this type.
        unsafe {
            if !is_null && ARRAYS.contains(&oid) && has_null_element(datum) {
                return Err(null_in(self.table.tupdesc, column, "has an element that is null"));
            }
            Ok(T::from_datum(datum, is_null))
        }
    }

    /// The type and the value of a column, as stored, and whether it is NULL.
    fn datum<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<(pg_sys::Oid, pg_sys::Datum, bool)> {
        let mut is_null = false;
        // SAFETY: tuple and descriptor belong together; a column that does not exist has type InvalidOid.
        unsafe {
            let oid = pg_sys::SPI_gettypeid(self.table.tupdesc, column);
            if !T::is_compatible_with(oid) {
                return Err(wrong_type(self.table.tupdesc, column, T::type_oid()));
            }
            let datum = pg_sys::SPI_getbinval(self.tuple, self.table.tupdesc, column, &mut is_null);
            Ok((oid, datum, is_null))
        }
    }

    /// These characters of a text, counted from 0, or those of them that it has; None for NULL. Of a compressed text it reads no more
    /// than the bytes up to there. substr() does the same, but counts one character after the other.
    pub fn characters(&self, column: i32, range: &Range<u32>) -> Result<Option<String>> {
        let (_, datum, is_null) = self.datum::<&str>(column)?;
        if is_null {
            return Ok(None);
        }
        let end = range.end as usize;
        // Most texts have one byte for most characters.
        for bytes in [end + 1, end * characters::MAX_BYTES + 1] {
            let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
            // SAFETY: a text, in UTF-8 as every database with kb_rag is; the slice is a copy, which is freed once, after its last use.
            unsafe {
                let slice = pg_sys::pg_detoast_datum_slice(datum.cast_mut_ptr(), 0, bytes);
                let text = std::slice::from_raw_parts(
                    varlena::vardata_any(slice).cast::<u8>(),
                    varlena::varsize_any_exhdr(slice),
                );
                let is_enough = text.len() < bytes as usize || characters::count(text) > end;
                let part =
                    is_enough.then(|| String::from_utf8_lossy(characters::part(text, range)).into_owned());
                pg_sys::pfree(slice.cast());
                if part.is_some() {
                    return Ok(part);
                }
            }
        }
        Err(Error::internal("a text has more bytes than characters can have"))
    }

    /// The value of a column that kb_create or CREATE EXTENSION made NOT NULL. 22004 if it is NULL: an owner may have
    /// dropped the constraint.
    pub fn require<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<T> {
        self.get(column)?.ok_or_else(|| null_in(self.table.tupdesc, column, "is null"))
    }

    /// The value of the column of this name, None for NULL; otherwise as [`get`](Row::get).
    pub fn named<T: FromDatum + IntoDatum>(&self, name: &str) -> Result<Option<T>> {
        self.get(self.number(name)?)
    }

    /// The value of the column of this name; otherwise as [`require`](Row::require).
    pub fn require_named<T: FromDatum + IntoDatum>(&self, name: &str) -> Result<T> {
        self.require(self.number(name)?)
    }

    fn number(&self, name: &str) -> Result<i32> {
        let c_name = c_string(name)?;
        // SAFETY: the descriptor of the result, and a NUL-terminated string.
        let number = unsafe { pg_sys::SPI_fnumber(self.table.tupdesc, c_name.as_ptr()) };
        if number > 0 {
            Ok(number)
        } else {
            Err(Error::internal(format!("a result has no column \"{name}\"")))
        }
    }
}

/// The array types that are read. pgrx panics at a NULL element; kb_rag writes none.
const ARRAYS: [pg_sys::Oid; 4] =
    [pg_sys::TEXTARRAYOID, pg_sys::UUIDARRAYOID, pg_sys::INT4ARRAYOID, pg_sys::FLOAT4ARRAYOID];

/// # Safety
/// The datum must be an array.
unsafe fn has_null_element(datum: pg_sys::Datum) -> bool {
    // SAFETY: promised by the caller; the copy, if one was made, lives in the memory of the row.
    unsafe { pg_sys::array_contains_nulls(pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast()) }
}

/// 22004: a value that kb_rag wrote is missing.
pub(super) fn null_in(descriptor: pg_sys::TupleDesc, column: i32, what: &str) -> Error {
    // SAFETY: a palloc'd string or null.
    let name = unsafe { text_of(pg_sys::SPI_fname(descriptor, column)) };
    Error::null_value(format!("column \"{name}\" {what}"))
        .hint("Restore the rows and the NOT NULL constraints that kb_rag made.")
}

/// 42804: a column of another type than kb_create gave it.
pub(super) fn wrong_type(descriptor: pg_sys::TupleDesc, column: i32, expected: pg_sys::Oid) -> Error {
    // SAFETY: both return palloc'd strings or null.
    let (name, expected) = unsafe {
        (text_of(pg_sys::SPI_fname(descriptor, column)), text_of(pg_sys::format_type_be(expected)))
    };
    Error::wrong_type(format!("column \"{name}\" is not of type {expected}"))
        .hint("Restore the columns that kb_create made.")
}

/// A C string as a String; empty for null.
///
/// # Safety
/// Must be null or NUL-terminated.
unsafe fn text_of(text: *const std::ffi::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Hands the rows of the statement just run to `read`, up to an error of it.
pub(super) fn read_rows(read: &mut dyn FnMut(&Row) -> Result<()>) -> Result<()> {
    // SAFETY: SPI_tuptable is null or the table of the statement just run; it is freed once, after the last use. The
    // rows are read in a context of their own, because reading a datum may allocate (detoasting).
    unsafe {
        let Some(table) = pg_sys::SPI_tuptable.as_ref() else {
            return Ok(());
        };
        let mut scratch = PgMemoryContexts::new("kb_rag row");
        let result = scratch.switch_to(|_| {
            (0..table.numvals as usize)
                .try_for_each(|index| read(&Row { tuple: *table.vals.add(index), table }))
        });
        pg_sys::SPI_freetuptable(pg_sys::SPI_tuptable);
        result
    }
}
