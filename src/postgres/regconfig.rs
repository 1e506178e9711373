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

/// The parser `default` and the template `thesaurus`, which have these OIDs in every database.
const DEFAULT_PARSER: u32 = 3722;
const THESAURUS: u32 = 3742;
/// The type of token of spaces and signs.
const BLANK: usize = 12;
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

    /// Whether it makes the same lexemes of a text whenever it reads it, wherever the text stands, until its definition changes: it has
    /// PostgreSQL's own parser, dictionaries of PostgreSQL's own templates, and none that reads more than one word.
    pub fn is_repeatable(&self) -> bool {
        // SAFETY: the entry has a list of dictionaries for each type of token, and stays while nothing else is looked up.
        let (parser, lists) = unsafe {
            let entry = &*pg_sys::lookup_ts_config_cache(self.0);
            let lists = (0..entry.lenmap.max(0) as usize).map(|kind| {
                let list = &*entry.map.add(kind);
                (0..list.len.max(0) as usize).map(|n| *list.dictIds.add(n)).collect()
            });
            (entry.prsId, lists.collect::<Vec<Vec<pg_sys::Oid>>>())
        };
        parser.to_u32() == DEFAULT_PARSER
            && lists.get(BLANK).is_none_or(Vec::is_empty)
            && lists.iter().flatten().all(|dictionary| {
                lookup::dictionary_template(*dictionary).is_some_and(|template| {
                    template.to_u32() < pg_sys::FirstNormalObjectId && template.to_u32() != THESAURUS
                })
            })
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
