//! `name` values and arrays of them at the boundary, which pgrx does not map.

use std::ffi::CStr;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::boundary_type;

/// A `name`, as of a column.
pub struct Name(pub String);

/// A `name[]`; None for a NULL in it.
pub struct Names(pub Vec<Option<String>>);

impl_sql_translatable!(Name, "name");
impl_sql_translatable!(Names, "name[]");

/// # Safety
/// The datum must be a `name`.
unsafe fn read(datum: pg_sys::Datum) -> String {
    // SAFETY: promised by the caller; a name ends with NUL.
    unsafe { CStr::from_ptr(datum.cast_mut_ptr()) }.to_string_lossy().into_owned()
}

impl FromDatum for Name {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Name> {
        // SAFETY: the caller promises a name.
        (!is_null).then(|| Name(unsafe { read(datum) }))
    }
}

impl IntoDatum for Name {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let name = std::ffi::CString::new(self.0).ok()?;
        // SAFETY: a NUL-terminated string; namein cuts it to the length of a name.
        unsafe { pgrx::direct_function_call_as_datum(pg_sys::namein, &[Some(name.as_ptr().into())]) }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::NAMEOID
    }
}

impl FromDatum for Names {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Names> {
        if is_null {
            return None;
        }
        let (mut values, mut nulls, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
        // SAFETY: the caller promises an array of names; deconstruct_array gives as many values and flags as it counts.
        unsafe {
            let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
            pg_sys::deconstruct_array(
                array,
                pg_sys::NAMEOID,
                pg_sys::NAMEDATALEN as i32,
                false,
                b'c' as std::ffi::c_char,
                &mut values,
                &mut nulls,
                &mut count,
            );
            let names = (0..count as usize).map(|i| (!*nulls.add(i)).then(|| read(*values.add(i))));
            Some(Names(names.collect()))
        }
    }
}

impl IntoDatum for Names {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        // No function returns one.
        None
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::NAMEARRAYOID
    }
}

boundary_type!(Name, Name(String::new()));
boundary_type!(Names, Names(Vec::new()));
