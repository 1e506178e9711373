//! The operators that compare keys, with schema-qualified names.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::lookup;
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
        // SAFETY: look-ups; entries of the cache of types live as long as the process, and the name is palloc'd.
        let (operator, name) = unsafe {
            let entry = pg_sys::lookup_type_cache(kind, pg_sys::TYPECACHE_BTREE_OPFAMILY as i32);
            let (family, input) = ((*entry).btree_opf, (*entry).btree_opintype);
            if family == pg_sys::InvalidOid {
                return Err(missing());
            }
            let operator = pg_sys::get_opfamily_member(family, input, input, self.strategy());
            (operator, lookup::owned(pg_sys::get_opname(operator)).ok_or_else(missing)?)
        };
        let namespace = lookup::with_operator(operator, |row| row.oprnamespace).ok_or_else(missing)?;
        let schema = spi::quote_identifier(&lookup::schema_name(namespace)?);
        Ok(format!("OPERATOR({schema}.{name})"))
    }
}
