//! The operators that compare keys, with schema-qualified names.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::spi;

/// A comparison of two values of one type, as a btree index knows it.
#[derive(Debug, Clone, Copy)]
pub enum Comparison {
    Equal,
    AtLeast,
    Above,
}

impl Comparison {
    fn strategy(self) -> u32 {
        match self {
            Comparison::Equal => pg_sys::BTEqualStrategyNumber,
            Comparison::AtLeast => pg_sys::BTGreaterEqualStrategyNumber,
            Comparison::Above => pg_sys::BTGreaterStrategyNumber,
        }
    }

    /// The operator for a type, schema-qualified so that no search path matters. 42804 for a type without an order.
    pub fn operator(self, kind: pg_sys::Oid) -> Result<String> {
        let missing = || {
            Error::wrong_type("could not identify an ordering operator for the type of a key column")
                .hint("Use a primary key whose column types can be sorted.")
        };
        let (namespace, name) = lookup::btree_operator(kind, self.strategy()).ok_or_else(missing)?;
        let schema = spi::quote_identifier(&lookup::schema_name(namespace)?);
        Ok(format!("OPERATOR({schema}.{name})"))
    }
}
