//! What PostgreSQL's catalog says about a table: which column holds the vectors, and which the documents.

use kb_rag_core::manifest::Pgvector as Block;
use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::vector::Pgvector;

/// The column of the documents, where there are several of its type.
const METADATA: &str = "metadata";

/// A column of a table.
pub struct Column {
    pub name: String,
    pub type_oid: pg_sys::Oid,
    pub dimensions: Option<i32>,
    pub may_read: bool,
    pub method: Option<String>,
    pub lists: Option<i32>,
}

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
pub fn describe(relation: pg_sys::Oid) -> Result<Option<Described>> {
    spi::connect(|c| {
        let kind_of_table = include_str!("kind_of_table.sql");
        let found = c.query_one(kind_of_table, Access::Write, &[Arg::new(relation)], |row| {
            Ok([row.require::<String>(1)?, row.require(2)?])
        })?;
        let Some([kind, name]) = found else { return Ok(None) };
        let columns = c.query(
            include_str!("columns.sql"),
            Access::Write,
            Planning::Auto,
            &[Arg::new(relation)],
            |row| {
                Ok(Column {
                    name: row.require(1)?,
                    type_oid: row.require(2)?,
                    dimensions: row.get(3)?.filter(|dimensions| *dimensions > 0),
                    may_read: row.require(4)?,
                    method: row.get(5)?,
                    lists: row.get(6)?,
                })
            },
        )?;
        Ok(Some(Described { kind, name, columns }))
    })
}

/// The column of vectors; of several, the one whose dimensions the block has.
pub fn embedding_column<'a>(
    columns: &'a [Column],
    pgvector: &Pgvector,
    block: &Block,
    table: &str,
) -> Result<&'a Column> {
    let found: Vec<&Column> = columns.iter().filter(|column| pgvector.has_type(column.type_oid)).collect();
    let fits = |column: &&&Column| column.dimensions == Some(block.embedding_dimensions);
    match (found.as_slice(), found.iter().filter(fits).collect::<Vec<_>>().as_slice()) {
        ([only], _) => Ok(only),
        (_, [only]) => Ok(only),
        ([], _) => Err(Error::invalid(format!("collection {table} has no column of type vector or halfvec"))
            .hint("Name the table, or the view, with the vectors of the documents.")),
        _ => Err(Error::invalid(format!("collection {table} has several columns of vectors"))
            .detail(format!("They are {}.", names(&found)))
            .hint("Make a view with the one that is meant, and name the view.")),
    }
}

/// The column of JSONB documents: `metadata`, or the only one.
pub fn metadata_column<'a>(columns: &'a [Column], table: &str) -> Result<&'a Column> {
    let found: Vec<&Column> = columns.iter().filter(|column| column.type_oid == pg_sys::JSONBOID).collect();
    match (found.as_slice(), found.iter().find(|column| column.name == METADATA)) {
        (_, Some(named)) => Ok(named),
        ([only], None) => Ok(only),
        ([], None) => Err(Error::invalid(format!("collection {table} has no column of type jsonb"))
            .hint("The text of a document is in a jsonb column, under the key that content_key names.")),
        _ => Err(Error::invalid(format!("collection {table} has several columns of type jsonb"))
            .detail(format!("They are {}.", names(&found)))
            .hint("Call the one with the documents metadata, or make a view with it alone.")),
    }
}

fn names(columns: &[&Column]) -> String {
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}
