//! `regconfig` values at the boundary, which pgrx does not map.

use std::ffi::CString;

use kb_rag_core::qualified_name;
use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::boundary_type;
use crate::error::{Error, Result};
use crate::postgres::lookup;

/// A `regconfig`: the OID of a text search configuration.
pub struct RegConfig(pub pg_sys::Oid);

impl_sql_translatable!(RegConfig, "regconfig");

/// The position of the column oid in pg_ts_config, as in all catalogs.
const OID_COLUMN: pg_sys::AttrNumber = 1;

impl RegConfig {
    /// The configuration of this name, qualified or of pg_catalog. None when it does not exist: a base's owner may have
    /// dropped it, or have stored any text.
    pub fn find(name: &str) -> Option<RegConfig> {
        let parts = qualified_name::parts(name)?;
        let (schema, name) = match parts.as_slice() {
            [name] => ("pg_catalog", name),
            [schema, name] => (schema.as_str(), name),
            _ => return None,
        };
        let (schema, name) = (CString::new(schema).ok()?, CString::new(name.as_str()).ok()?);
        let namespace = lookup::schema(&schema)?;
        // SAFETY: a look-up.
        let oid = unsafe {
            pg_sys::GetSysCacheOid(
                pg_sys::SysCacheIdentifier::TSCONFIGNAMENSP as i32,
                OID_COLUMN,
                pg_sys::Datum::from(name.as_ptr()),
                pg_sys::Datum::from(namespace),
                pg_sys::Datum::from(0usize),
                pg_sys::Datum::from(0usize),
            )
        };
        lookup::existing(oid).map(RegConfig)
    }

    /// Its name, if it is one of PostgreSQL's own.
    pub fn built_in_name(&self) -> Option<String> {
        lookup::built_in_text_config(self.0)
    }

    /// 42704 unless there is such a configuration: any number can be made a regconfig.
    pub fn require(&self) -> Result<()> {
        let none = pg_sys::Datum::from(0usize);
        let exists = lookup::row_exists(pg_sys::SysCacheIdentifier::TSCONFIGOID, [self.0.into(), none]);
        if exists { Ok(()) } else { Err(Error::not_found("the text search configuration does not exist")) }
    }
}

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
