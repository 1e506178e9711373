//! Values of any type, from their texts.

use std::ffi::CString;

use pgrx::pg_sys;

use crate::error::Result;
use crate::postgres::spi::Arg;

/// The value of a text in the current memory context; None where the text is no value of the type.
pub fn input(kind: pg_sys::Oid, text: &str) -> Result<Option<pg_sys::Datum>> {
    let Ok(text) = CString::new(text) else { return Ok(None) };
    let (mut function, mut parameter) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: the type of an existing column; raises an error for one that does not exist.
    unsafe { pg_sys::getTypeInputInfo(kind, &mut function, &mut parameter) };
    checked(function, parameter, &text)
}

#[cfg(not(feature = "pg15"))]
fn checked(
    function: pg_sys::Oid,
    parameter: pg_sys::Oid,
    text: &std::ffi::CStr,
) -> Result<Option<pg_sys::Datum>> {
    let mut errors =
        pg_sys::ErrorSaveContext { type_: pg_sys::NodeTag::T_ErrorSaveContext, ..Default::default() };
    let mut value = pg_sys::Datum::from(0usize);
    // SAFETY: the input function of a type with its parameter; it only reads the text.
    let is_valid = unsafe {
        let mut info = pg_sys::FmgrInfo::default();
        pg_sys::fmgr_info(function, &mut info);
        pg_sys::InputFunctionCallSafe(
            &mut info,
            text.as_ptr().cast_mut(),
            parameter,
            -1,
            (&raw mut errors).cast(),
            &mut value,
        )
    };
    Ok(is_valid.then_some(value))
}

/// PostgreSQL 15 has no input without errors. Parallel statements have no subtransactions.
#[cfg(feature = "pg15")]
fn checked(
    function: pg_sys::Oid,
    parameter: pg_sys::Oid,
    text: &std::ffi::CStr,
) -> Result<Option<pg_sys::Datum>> {
    use crate::postgres::{subtransaction, transaction};
    // SAFETY: as above.
    let value =
        || Ok(unsafe { pg_sys::OidInputFunctionCall(function, text.as_ptr().cast_mut(), parameter, -1) });
    if transaction::is_parallel() {
        return value().map(Some);
    }
    match subtransaction::try_read(value) {
        Err(error) if error.ends_work() => Err(error),
        result => Ok(result.ok()),
    }
}

/// An array of values of a type, as the argument of a statement. None for a type without arrays.
pub fn array(kind: pg_sys::Oid, values: &[pg_sys::Datum]) -> Option<Arg> {
    let mut values = values.to_vec();
    let (mut length, mut is_by_value, mut alignment) = (0i16, false, 0);
    // SAFETY: an existing type; the values are of it, and are copied.
    unsafe {
        let array = pg_sys::get_array_type(kind);
        if array == pg_sys::InvalidOid {
            return None;
        }
        pg_sys::get_typlenbyvalalign(kind, &mut length, &mut is_by_value, &mut alignment);
        let datum = pg_sys::construct_array(
            values.as_mut_ptr(),
            values.len() as i32,
            kind,
            length.into(),
            is_by_value,
            alignment,
        );
        Some(Arg::from_datum(array, pg_sys::Datum::from(datum)))
    }
}
