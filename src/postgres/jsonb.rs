//! `jsonb` values passed through unchanged, so that numbers and the order of keys stay as they are.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use pgrx::prelude::*;
use pgrx::{direct_function_call, pg_sys, varlena};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::boundary_type;
use crate::error::{Error, Result};

/// The bytes of a `jsonb` value, header included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jsonb(Vec<u8>);

impl_sql_translatable!(Jsonb, "jsonb");

/// The bit of the jsonb container header that marks an object (JB_FOBJECT in utils/jsonb.h).
const OBJECT_FLAG: u32 = 0x2000_0000;
/// The position of the container header, after the varlena header.
const CONTAINER: std::ops::Range<usize> = 4..8;

/// The most bytes of an argument that is read as a whole.
const MAX_READ: usize = 16 << 20;

impl Jsonb {
    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.container() & OBJECT_FLAG != 0
    }

    /// Whether the value is `{}`.
    pub fn is_empty_object(&self) -> bool {
        self.container() == OBJECT_FLAG
    }

    /// The members of an object whose values are strings or null; every other value becomes an empty array. Null if the
    /// value is not an object. Deeper levels are not read, so the value may be nested to any depth and hold numbers of
    /// any size.
    pub fn flat(&self) -> Value {
        let text = self.to_text();
        let Ok(members) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(&text) else {
            return Value::Null;
        };
        let flat = |value: &RawValue| match serde_json::from_str::<Option<String>>(value.get()) {
            Ok(Some(text)) => Value::String(text),
            Ok(None) => Value::Null,
            Err(_) => Value::Array(Vec::new()),
        };
        Value::Object(members.into_iter().map(|(name, value)| (name, flat(&value))).collect())
    }

    /// The value of a JSON text. An error of PostgreSQL's is raised for what it cannot store.
    pub fn from_text(text: &str) -> Result<Jsonb> {
        let text = CString::new(text).map_err(|_| Error::internal("JSON text with a NUL character"))?;
        // SAFETY: jsonb_in takes a C string and gives a jsonb datum.
        unsafe { direct_function_call::<Jsonb>(pg_sys::jsonb_in, &[text.as_c_str().into_datum()]) }
            .ok_or_else(|| Error::internal("jsonb_in returned null"))
    }

    /// The value of something that can be written as JSON.
    pub fn from_value(value: &impl Serialize) -> Result<Jsonb> {
        let text = serde_json::to_string(value).map_err(|error| Error::internal(error.to_string()))?;
        Jsonb::from_text(&text)
    }

    /// The value at keys within each other, and places of arrays, as the operator `#>` finds it.
    pub fn at(self, keys: Vec<&str>) -> Option<Jsonb> {
        let arguments = [self.into_datum(), keys.into_datum()];
        // SAFETY: it takes jsonb and text[], and gives jsonb or NULL.
        unsafe { direct_function_call::<Jsonb>(pg_sys::jsonb_extract_path, &arguments) }
    }

    /// 54000 if reading it would take longer than a canceled statement may.
    pub fn check_size(&self, argument: &str) -> Result<()> {
        if self.size() <= MAX_READ {
            return Ok(());
        }
        Err(Error::limit(format!("argument \"{argument}\" has {} bytes", self.size()))
            .hint(format!("It holds at most {MAX_READ}.")))
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The value for another reader. None if it is nested deeper than that reads, or holds numbers that it cannot.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.to_text()).ok()
    }

    /// The value as it is, for what is written as JSON.
    pub fn raw(&self) -> Result<Box<RawValue>> {
        RawValue::from_string(self.to_text()).map_err(|error| Error::internal(error.to_string()))
    }

    /// The value as PostgreSQL writes it.
    pub fn to_text(&self) -> String {
        // SAFETY: jsonb_out takes a jsonb datum, which this is a copy of, and gives a palloc'd C string.
        let text = unsafe {
            direct_function_call::<&CStr>(pg_sys::jsonb_out, &[self.clone().into_datum()])
                .map(|text| text.to_string_lossy().into_owned())
        };
        text.unwrap_or_default()
    }

    fn container(&self) -> u32 {
        self.0.get(CONTAINER).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_ne_bytes)
    }
}

impl Default for Jsonb {
    /// `{}`.
    fn default() -> Jsonb {
        // The size, as SET_VARSIZE stores it, and the header of a container without members.
        let size = CONTAINER.end as u32;
        let size = if cfg!(target_endian = "big") { size } else { size << 2 };
        Jsonb([size.to_ne_bytes(), OBJECT_FLAG.to_ne_bytes()].concat())
    }
}

impl FromDatum for Jsonb {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Jsonb> {
        if is_null {
            return None;
        }
        // SAFETY: the caller promises a jsonb datum; it is copied within its length.
        unsafe {
            let detoasted = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let bytes = std::slice::from_raw_parts(detoasted as *const u8, varlena::varsize_any(detoasted));
            Some(Jsonb(bytes.to_vec()))
        }
    }
}

impl IntoDatum for Jsonb {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        // SAFETY: allocates and fills as many bytes as the value has.
        unsafe {
            let copy = pg_sys::palloc(self.0.len()) as *mut u8;
            std::ptr::copy_nonoverlapping(self.0.as_ptr(), copy, self.0.len());
            Some(pg_sys::Datum::from(copy))
        }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

boundary_type!(Jsonb, Jsonb(Vec::new()));
