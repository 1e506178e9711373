//! `regclass` values at the boundary, as they are: the relation is not opened.

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::boundary_type;

/// A `regclass`: the OID of a relation, which need not exist.
pub struct RegClass(pub pg_sys::Oid);

impl_sql_translatable!(RegClass, "regclass");

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
