//! Values of columns as JSON, for metadata.

use pgrx::pg_sys;

use super::column::Column;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::subtransaction;
use crate::postgres::tuple::Value;

/// Types whose values `to_jsonb` always takes.
const SOUND: [pg_sys::Oid; 18] = [
    pg_sys::BOOLOID,
    pg_sys::INT2OID,
    pg_sys::INT4OID,
    pg_sys::INT8OID,
    pg_sys::FLOAT4OID,
    pg_sys::FLOAT8OID,
    pg_sys::NUMERICOID,
    pg_sys::TEXTOID,
    pg_sys::VARCHAROID,
    pg_sys::BPCHAROID,
    pg_sys::NAMEOID,
    pg_sys::UUIDOID,
    pg_sys::DATEOID,
    pg_sys::TIMEOID,
    pg_sys::TIMESTAMPOID,
    pg_sys::TIMESTAMPTZOID,
    pg_sys::JSONBOID,
    pg_sys::TEXTARRAYOID,
];

/// The SQL that gives a column as jsonb, with the name of the column in its table.
pub fn expression(column: &Column, name: &str) -> String {
    if SOUND.contains(&lookup::base_type(column.kind)) {
        format!("to_jsonb({name})")
    } else {
        format!("kb_rag.as_jsonb({name})")
    }
}

/// A value as jsonb, or its text where jsonb cannot hold it: json may have `\u0000`, and the code of a type may fail. None for NULL.
pub fn as_jsonb(value: Option<Value>) -> Result<Option<Jsonb>> {
    let Some(value) = value else { return Ok(None) };
    let read = |sql: &str| {
        spi::connect(|c| {
            let args = [Arg::from_datum(value.oid(), value.datum())];
            c.query_one(sql, Access::Read, &args, |row| row.get::<Jsonb>(1))
        })
    };
    match subtransaction::try_read(|| read(include_str!("to_jsonb.sql"))) {
        Err(error) if !error.ends_work() => Ok(read(include_str!("to_jsonb_text.sql"))?.flatten()),
        found => Ok(found?.flatten()),
    }
}
