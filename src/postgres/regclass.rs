//! `regclass` values at the boundary, as they are: the relation is not opened.

use std::ffi::CStr;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::boundary_type;
use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::spi;

/// A `regclass`: the OID of a relation, which need not exist.
pub struct RegClass(pub pg_sys::Oid);

impl_sql_translatable!(RegClass, "regclass");

impl RegClass {
    /// The name of the relation, qualified and quoted. 42704 when there is none: any number can be made a regclass.
    pub fn qualified_name(&self) -> Result<String> {
        // SAFETY: look-ups by OID; null and InvalidOid for a relation that does not exist.
        let (namespace, name) = unsafe { (pg_sys::get_rel_namespace(self.0), pg_sys::get_rel_name(self.0)) };
        if name.is_null() || namespace == pg_sys::InvalidOid {
            return Err(Error::not_found(format!("table {} does not exist", self.0.to_u32())));
        }
        // SAFETY: a palloc'd string, as seen above.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        Ok([lookup::schema_name(namespace)?.as_str(), &name].map(spi::quote_identifier).join("."))
    }
}

impl FromDatum for RegClass {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        type_oid: pg_sys::Oid,
    ) -> Option<RegClass> {
        // SAFETY: regclass is an OID.
        unsafe { pg_sys::Oid::from_polymorphic_datum(datum, is_null, type_oid) }.map(RegClass)
    }
}

impl IntoDatum for RegClass {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        self.0.into_datum()
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::REGCLASSOID
    }
}

boundary_type!(RegClass, RegClass(pg_sys::InvalidOid));
