//! A table and its columns, as PostgreSQL's catalog has them.

use kb_rag_core::manifest::statements;
use kb_rag_core::manifest::table::{Column, Holds, Unfit};
use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::vector::Pgvector;

/// What PostgreSQL's catalog says about a relation.
pub struct Described {
    /// As pg_class.relkind has it.
    pub kind: String,
    /// Qualified and quoted.
    pub name: String,
    pub columns: Vec<Column>,
}

/// Whether row security may hide rows of a relation from the caller.
pub fn is_secured(relation: pg_sys::Oid) -> Result<bool> {
    let active = spi::connect(|c| {
        c.query_one(include_str!("is_secured.sql"), Access::Read, &[Arg::new(relation)], |row| row.require(1))
    })?;
    Ok(active == Some(true))
}

/// Describes a relation. None if it is gone.
pub fn describe(relation: pg_sys::Oid, pgvector: &Pgvector) -> Result<Option<Described>> {
    spi::connect(|c| {
        let found = c.query_one(statements::KIND_OF_TABLE, Access::Write, &[Arg::new(relation)], |row| {
            Ok([row.require::<String>(1)?, row.require(2)?])
        })?;
        let Some([kind, name]) = found else { return Ok(None) };
        let columns =
            c.query(statements::COLUMNS, Access::Write, Planning::Auto, &[Arg::new(relation)], |row| {
                Ok(Column {
                    name: row.require(1)?,
                    holds: holds(row.require(2)?, pgvector),
                    dimensions: row.get(3)?.filter(|dimensions| *dimensions > 0),
                    may_read: row.require(4)?,
                    method: row.get(5)?,
                    lists: row.get(6)?,
                })
            })?;
        Ok(Some(Described { kind, name, columns }))
    })
}

fn holds(type_oid: pg_sys::Oid, pgvector: &Pgvector) -> Holds {
    match type_oid {
        pg_sys::JSONBOID => Holds::Documents,
        oid if oid == pgvector.vector => Holds::Vectors,
        oid if pgvector.has_type(oid) => Holds::HalfVectors,
        _ => Holds::Others,
    }
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Error {
        let error = Error::invalid(unfit.message).hint(unfit.hint);
        match unfit.detail {
            Some(detail) => error.detail(detail),
            None => error,
        }
    }
}
