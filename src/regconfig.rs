//! `regconfig` values at the boundary, which pgrx does not map.

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::boundary_type;

/// A `regconfig`: the OID of a text search configuration.
pub struct RegConfig(pub pg_sys::Oid);

impl_sql_translatable!(RegConfig, "regconfig");

impl FromDatum for RegConfig {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        type_oid: pg_sys::Oid,
    ) -> Option<RegConfig> {
        // SAFETY: regconfig is an OID.
        unsafe { pg_sys::Oid::from_polymorphic_datum(datum, is_null, type_oid) }.map(RegConfig)
    }
}

impl IntoDatum for RegConfig {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        self.0.into_datum()
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::REGCONFIGOID
    }
}

boundary_type!(RegConfig, RegConfig(pg_sys::InvalidOid));
