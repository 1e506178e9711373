//! Rows as PostgreSQL stores them, and their values.

use std::ffi::CStr;
use std::marker::PhantomData;

use pgrx::prelude::*;
use pgrx::{AllocatedByPostgres, AnyElement, pg_sys, varlena};

use crate::error::{Error, Result};

/// A value with its type; NULL is none. It lives as long as the memory that it is in: that of its row or, for a new one, the memory
/// context in which it was made.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    oid: pg_sys::Oid,
    datum: pg_sys::Datum,
    memory: PhantomData<&'a ()>,
}

impl<'a> Value<'a> {
    /// A new value in the current memory context; None for NULL.
    pub fn new<T: IntoDatum>(value: T) -> Option<Value<'a>> {
        Some(Value { oid: T::type_oid(), datum: value.into_datum()?, memory: PhantomData })
    }

    /// The value of SQL's now().
    pub fn now() -> Value<'a> {
        // SAFETY: reads a variable of this process.
        let now = unsafe { pg_sys::GetCurrentTransactionStartTimestamp() };
        Value { oid: pg_sys::TIMESTAMPTZOID, datum: pg_sys::Datum::from(now), memory: PhantomData }
    }

    /// An argument of a function that takes any type.
    pub fn from_any(value: &'a AnyElement) -> Value<'a> {
        Value { oid: value.oid(), datum: value.datum(), memory: PhantomData }
    }

    /// Its type.
    pub fn oid(self) -> pg_sys::Oid {
        self.oid
    }

    /// The value as PostgreSQL passes it.
    pub fn datum(self) -> pg_sys::Datum {
        self.datum
    }

    /// A text, decompressed where it is stored compressed. None for a value of another type.
    pub fn text(self) -> Option<&'a str> {
        // SAFETY: the type was checked.
        if self.oid == pg_sys::TEXTOID { unsafe { <&str>::from_datum(self.datum, false) } } else { None }
    }

    /// A number of type integer. None for a value of another type.
    pub fn integer(self) -> Option<i32> {
        // SAFETY: the type was checked.
        if self.oid == pg_sys::INT4OID { unsafe { i32::from_datum(self.datum, false) } } else { None }
    }

    /// A boolean. None for a value of another type.
    pub fn boolean(self) -> Option<bool> {
        // SAFETY: the type was checked.
        if self.oid == pg_sys::BOOLOID { unsafe { bool::from_datum(self.datum, false) } } else { None }
    }
}

/// Whether two values are of one type and hold the same bytes, or are both NULL.
pub fn are_same(a: Option<Value>, b: Option<Value>) -> bool {
    match (a, b) {
        (None, None) => true,
        // SAFETY: both are of the type.
        (Some(a), Some(b)) => a.oid == b.oid && unsafe { is_same_datum(a.datum, b.datum, a.oid) },
        _ => false,
    }
}

/// Types of variable length, for which no catalog is asked.
const VARIABLE_LENGTH: [pg_sys::Oid; 3] = [pg_sys::TEXTOID, pg_sys::BYTEAOID, pg_sys::JSONBOID];

/// # Safety
/// Both must be datums of the type.
unsafe fn is_same_datum(a: pg_sys::Datum, b: pg_sys::Datum, kind: pg_sys::Oid) -> bool {
    let (mut length, mut by_value) = (-1, false);
    // SAFETY: a look-up by OID; values that are not varlena have the length of their type, or end with NUL.
    unsafe {
        if !VARIABLE_LENGTH.contains(&kind) {
            pg_sys::get_typlenbyval(kind, &mut length, &mut by_value);
        }
        let bytes = |value: pg_sys::Datum| value.cast_mut_ptr::<u8>().cast_const();
        match length {
            _ if by_value => a == b,
            -1 => same_varlena(a, b),
            1.. => {
                std::slice::from_raw_parts(bytes(a), length as usize)
                    == std::slice::from_raw_parts(bytes(b), length as usize)
            }
            _ => CStr::from_ptr(bytes(a).cast()) == CStr::from_ptr(bytes(b).cast()),
        }
    }
}

/// Whether two values are the same: as stored, which for two equal toast pointers reads no text, or once detoasted.
///
/// # Safety
/// Both must be varlena datums.
unsafe fn same_varlena(a: pg_sys::Datum, b: pg_sys::Datum) -> bool {
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

/// A row with the description of its columns.
#[derive(Clone, Copy)]
pub struct Tuple<'a> {
    tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
    memory: PhantomData<&'a ()>,
}

impl<'a> Tuple<'a> {
    /// # Safety
    /// Tuple and descriptor must belong together, and live as long as this.
    pub unsafe fn new(tuple: pg_sys::HeapTuple, descriptor: pg_sys::TupleDesc) -> Tuple<'a> {
        Tuple { tuple, descriptor, memory: PhantomData }
    }

    /// Type and value of the column of this name: InvalidOid where there is none, no value for NULL.
    pub fn get(&self, name: &CStr) -> (pg_sys::Oid, Option<Value<'a>>) {
        let mut is_null = false;
        // SAFETY: tuple and descriptor belong together; a column that does not exist is NULL, of type InvalidOid.
        let (oid, datum) = unsafe {
            let column = pg_sys::SPI_fnumber(self.descriptor, name.as_ptr());
            let oid = pg_sys::SPI_gettypeid(self.descriptor, column);
            (oid, pg_sys::SPI_getbinval(self.tuple, self.descriptor, column, &mut is_null))
        };
        (oid, (!is_null).then_some(Value { oid, datum, memory: PhantomData }))
    }

    /// The value of a column; None for NULL, and where there is no such column.
    pub fn value(&self, name: &CStr) -> Option<Value<'a>> {
        self.get(name).1
    }

    /// The type of a column; InvalidOid where there is none.
    pub fn type_of(&self, name: &CStr) -> pg_sys::Oid {
        // SAFETY: look-ups in the descriptor.
        unsafe { pg_sys::SPI_gettypeid(self.descriptor, self.number(name)) }
    }

    fn number(&self, name: &CStr) -> i32 {
        // SAFETY: a look-up in the descriptor; negative for a name that does not exist.
        unsafe { pg_sys::SPI_fnumber(self.descriptor, name.as_ptr()) }
    }

    /// A copy of the row with other values in some columns, in the current memory context. 42804 where a value has another type
    /// than its column.
    pub fn with(&self, values: &[(&CStr, Option<Value>)]) -> Result<PgHeapTuple<'a, AllocatedByPostgres>> {
        let mut columns: Vec<i32> = values.iter().map(|(name, _)| self.number(name)).collect();
        let mut datums: Vec<pg_sys::Datum> =
            values.iter().map(|(_, value)| value.map_or(pg_sys::Datum::from(0usize), |v| v.datum)).collect();
        let mut nulls: Vec<bool> = values.iter().map(|(_, value)| value.is_none()).collect();
        for ((name, value), column) in values.iter().zip(&columns) {
            // SAFETY: a look-up in the descriptor.
            let oid = unsafe { pg_sys::SPI_gettypeid(self.descriptor, *column) };
            if value.is_some_and(|value| value.oid != oid) {
                let name = name.to_string_lossy();
                return Err(Error::wrong_type(format!(
                    "column \"{name}\" is not of the type of its new value"
                )));
            }
        }
        // SAFETY: three arrays of the same length; each value is of the type of its column. PostgreSQL raises an error for a
        // column that does not exist.
        unsafe {
            let tuple = pg_sys::heap_modify_tuple_by_cols(
                self.tuple,
                self.descriptor,
                columns.len() as i32,
                columns.as_mut_ptr(),
                datums.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
            Ok(PgHeapTuple::from_heap_tuple(pgrx::PgTupleDesc::from_pg_copy(self.descriptor), tuple))
        }
    }
}
