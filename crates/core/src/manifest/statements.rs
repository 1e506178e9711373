//! The statements that read the collection of a block, in the server and in the client program.
//!
//! The caller fills in names in braces, quoted for SQL: `{table}`, `{embedding}` and `{metadata}`, the schema of pgvector
//! `{vector}`, a condition `{filter}`, and in [`NEAREST`] the vector of the query `{query}` and `{exact}`. [`KIND_OF_TABLE`] and [`COLUMNS`] name
//! nothing with a schema: they run with the search path of PostgreSQL's catalog.

/// The table of a name: $1 as it is written, $2 in lower case.
pub const FIND_TABLE: &str = include_str!("find_table.sql");
/// The kind and the names of a relation: $1 its oid.
pub const KIND_OF_TABLE: &str = include_str!("kind_of_table.sql");
/// The columns of a relation: $1 its oid.
pub const COLUMNS: &str = include_str!("columns.sql");
/// Some rows of a table: $1 the key of the text.
pub const SAMPLE: &str = include_str!("sample.sql");
/// The rows nearest to a vector: $1 the vector, $2 the key of the text, $3 the number of rows.
pub const NEAREST: &str = include_str!("nearest.sql");
/// For `{filter}`, after the column of the documents and before the parameter of what they must contain: $4 of [`NEAREST`].
pub const CONTAINS: &str = " OPERATOR(pg_catalog.@>) ";
/// For `{exact}`: no index can be used.
pub const EXACT: &str = " OPERATOR(pg_catalog.+) 0::pg_catalog.float8";
