//! The operators that compare keys, with schema-qualified names.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::role;
use crate::spi;

/// A comparison of two values of one type, as a btree index knows it.
#[derive(Debug, Clone, Copy)]
pub enum Comparison {
    Equal,
    AtLeast,
    Above,
}

impl Comparison {
    fn strategy(self) -> i16 {
        let strategy = match self {
            Comparison::Equal => pg_sys::BTEqualStrategyNumber,
            Comparison::AtLeast => pg_sys::BTGreaterEqualStrategyNumber,
            Comparison::Above => pg_sys::BTGreaterStrategyNumber,
        };
        strategy as i16
    }

    /// The operator for a type, schema-qualified so that no search path matters. 42804 for a type without an order.
    pub fn operator(self, kind: pg_sys::Oid) -> Result<String> {
        let missing = || {
            Error::wrong_type("could not identify an ordering operator for the type of a key column")
                .hint("Use a primary key whose column types can be sorted.")
        };
        // SAFETY: look-ups by OID; each result is checked before it is used, and the tuple is released after.
        let (name, namespace) = unsafe {
            let entry = pg_sys::lookup_type_cache(kind, pg_sys::TYPECACHE_BTREE_OPFAMILY as i32);
            let (family, input) = ((*entry).btree_opf, (*entry).btree_opintype);
            if family == pg_sys::InvalidOid {
                return Err(missing());
            }
            let operator = pg_sys::get_opfamily_member(family, input, input, self.strategy());
            let name = pg_sys::get_opname(operator);
            let tuple = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::OPEROID as i32, operator.into());
            if name.is_null() || tuple.is_null() {
                return Err(missing());
            }
            let namespace = (*(pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_operator)).oprnamespace;
            pg_sys::ReleaseSysCache(tuple);
            (std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned(), namespace)
        };
        let schema = spi::quote_identifier(&role::schema_name(namespace)?);
        Ok(format!("OPERATOR({schema}.{name})"))
    }
}
