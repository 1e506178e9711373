//! Whether the tables of a base exist and are as kb_create made them. Looked up in PostgreSQL's caches, because every search
//! checks it.

use std::ffi::{CStr, CString};

use pgrx::{Uuid, pg_sys};

use super::KnowledgeBase;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::citus;
use crate::postgres::lookup;
use crate::postgres::relation;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::postgres::vector::Pgvector;

/// The schema of a base.
pub struct Place {
    pub namespace: pg_sys::Oid,
    /// Whether its document table has the trigger with the base's id.
    pub is_own: bool,
    /// Whether Citus distributes its document table.
    pub is_distributed: bool,
}

/// The schema of this name, if it has a document table. One of the same name that was created after a DROP SCHEMA is not the base's
/// own.
pub fn place_of(schema: &str, id: &Uuid) -> Option<Place> {
    let schema = CString::new(schema).ok()?;
    let namespace = lookup::schema(&schema)?;
    let document = lookup::relation(namespace, c"document")?;
    let own_schema = lookup::schema(c"kb_rag")?;
    let id = id.to_string();
    let triggers = relation::triggers(document, |trigger| {
        if trigger.argument.is_some_and(|argument| argument.to_bytes() == id.as_bytes()) {
            return Some((trigger.function, false));
        }
        citus::candidate(trigger).map(|function| (function, true))
    });
    let is_insert = |function| lookup::is_function(function, own_schema, c"document_inserted");
    Some(Place {
        namespace,
        is_own: triggers.iter().any(|(function, of_citus)| !of_citus && is_insert(*function)),
        is_distributed: triggers.iter().any(|(function, of_citus)| *of_citus && citus::is_own(*function)),
    })
}

/// Columns of the tables of a pending model.
const NEXT_VECTOR: [(&CStr, pg_sys::Oid); 1] = [(c"chunk_id", pg_sys::UUIDOID)];
const NEXT_CHUNK: [(&CStr, pg_sys::Oid); 4] = [
    (c"id", pg_sys::UUIDOID),
    (c"document_id", pg_sys::UUIDOID),
    (c"is_stale", pg_sys::BOOLOID),
    (c"content_hash", pg_sys::BYTEAOID),
];

impl KnowledgeBase {
    /// Whether it has an ordinary table, of the same owner, with columns of these types.
    pub fn has_own_columns(&self, table: &CStr, columns: &[(&CStr, pg_sys::Oid)]) -> bool {
        self.namespace.is_some_and(|namespace| {
            matches!(self.own_table(table), Ok(Some(_)))
                && columns
                    .iter()
                    .all(|(name, expected)| column_type(namespace, table, name) == Some(*expected))
        })
    }

    /// Whether its chunks have the column `context`. Those of kb_rag 0.3, as a dump restores them, lack it until kb_reconcile or
    /// kb_adopt adds it: until then no chunk has a context.
    pub fn has_context(&self) -> bool {
        self.has_own_columns(c"chunk", &[(c"context", pg_sys::TEXTOID)])
    }

    /// The context of a chunk `c` in a statement.
    pub fn context(&self) -> &'static str {
        if self.has_context() { "c.context" } else { "NULL::text" }
    }

    /// Whether it has the table of questions, as kb_question_add makes it.
    pub fn has_questions(&self) -> bool {
        self.has_own_columns(c"question", &QUESTION)
    }

    /// Whether it has the table of kept runs, as kb_question_add makes it.
    pub fn has_evaluations(&self) -> bool {
        self.has_own_columns(c"evaluation", &EVALUATION)
    }

    /// The tables that it has beside those that kb_create makes, apart from those of a pending model.
    pub fn optional_tables(&self) -> Vec<&'static CStr> {
        let found = [
            (c"question", self.has_questions()),
            (c"evaluation", self.has_evaluations()),
            (c"summary", self.has_summaries()),
        ];
        found.into_iter().filter_map(|(table, is_there)| is_there.then_some(table)).collect()
    }

    /// Whether it has the tables of its pending model, as kb_configure makes them.
    pub fn has_next_tables(&self) -> bool {
        self.next_tables().is_some_and(|tables| {
            let [vectors, chunks] = tables.names();
            self.has_own_columns(&vectors, &NEXT_VECTOR) && self.has_own_columns(&chunks, &NEXT_CHUNK)
        })
    }

    /// Whether its schema has a table, index or view of this name.
    pub fn has_relation(&self, name: &CStr) -> bool {
        self.namespace.is_some_and(|namespace| relation_in(namespace, name))
    }
}

/// Columns of `question`, by which it is told from a table of a user.
const QUESTION: [(&CStr, pg_sys::Oid); 4] = [
    (c"question", pg_sys::TEXTOID),
    (c"expected_keys", pg_sys::TEXTARRAYOID),
    (c"expected_texts", pg_sys::TEXTARRAYOID),
    (c"weight", pg_sys::FLOAT8OID),
];

/// Those of `evaluation`.
const EVALUATION: [(&CStr, pg_sys::Oid); 2] = [(c"name", pg_sys::TEXTOID), (c"run", pg_sys::JSONBOID)];

/// The columns that a search reads, with their types.
const COLUMNS: [(&CStr, &CStr, pg_sys::Oid); 26] = [
    (c"document", c"id", pg_sys::UUIDOID),
    (c"document", c"title", pg_sys::TEXTOID),
    (c"document", c"content", pg_sys::TEXTOID),
    (c"document", c"source_key", pg_sys::TEXTOID),
    (c"document", c"status", pg_sys::TEXTOID),
    (c"chunk", c"id", pg_sys::UUIDOID),
    (c"chunk", c"document_id", pg_sys::UUIDOID),
    (c"chunk", c"content", pg_sys::TEXTOID),
    (c"chunk", c"source_type", pg_sys::TEXTOID),
    (c"chunk", c"metadata", pg_sys::JSONBOID),
    (c"chunk", c"tsv", pg_sys::TSVECTOROID),
    (c"chunk", c"length", pg_sys::INT4OID),
    (c"embedding", c"chunk_id", pg_sys::UUIDOID),
    (c"chunk", c"keyword_number", pg_sys::INT8OID),
    (c"keyword_segment", c"id", pg_sys::INT8OID),
    (c"keyword_segment", c"sign", pg_sys::INT2OID),
    (c"keyword_segment", c"chunks", pg_sys::INT4OID),
    (c"keyword_segment", c"length", pg_sys::INT8OID),
    (c"keyword_segment", c"configs", pg_sys::JSONBOID),
    (c"keyword_segment", c"runs", pg_sys::INT4OID),
    (c"keyword_segment", c"version", pg_sys::INT2OID),
    (c"keyword_segment", c"data", pg_sys::BYTEAOID),
    (c"keyword_run", c"segment", pg_sys::INT8OID),
    (c"keyword_run", c"lexeme", pg_sys::BYTEAOID),
    (c"keyword_run", c"ordinal", pg_sys::INT8OID),
    (c"keyword_run", c"data", pg_sys::BYTEAOID),
];

/// Whether the tables of a base have the columns that a search reads, of the types kb_create gave them.
pub fn is_sound(namespace: pg_sys::Oid, pgvector: &Pgvector) -> bool {
    let embedding = column_type(namespace, c"embedding", c"embedding");
    COLUMNS.iter().all(|(table, column, expected)| column_type(namespace, table, column) == Some(*expected))
        && embedding.is_some_and(|oid| pgvector.has_type(oid))
}

/// The type of a column of an ordinary table; None when there is no such column or table.
fn column_type(namespace: pg_sys::Oid, table: &CStr, name: &CStr) -> Option<pg_sys::Oid> {
    column(namespace, table, name).map(|(oid, _)| oid)
}

/// The type of a column of an ordinary table and its modifier, which for a vector is its dimensions.
pub fn column(namespace: pg_sys::Oid, table: &CStr, name: &CStr) -> Option<(pg_sys::Oid, i32)> {
    lookup::column(table_in(namespace, table)?, name)
}

/// An ordinary table in a schema.
pub fn table_in(namespace: pg_sys::Oid, name: &CStr) -> Option<pg_sys::Oid> {
    lookup::relation(namespace, name).filter(|table| lookup::is_table(*table))
}

/// An ordinary table in a schema that belongs to `owner`. None when there is no relation of this name, 42501 for any other.
pub fn own_table(namespace: pg_sys::Oid, name: &CStr, owner: pg_sys::Oid) -> Result<Option<pg_sys::Oid>> {
    if !relation_in(namespace, name) {
        return Ok(None);
    }
    match table_in(namespace, name) {
        Some(table) if lookup::table_owner(table)? == owner => Ok(Some(table)),
        _ => {
            let name = name.to_string_lossy();
            Err(Error::denied(format!(
                "\"{name}\" in the schema of the knowledge base is not a table of its owner"
            ))
            .hint("Drop it, or change its owner to that of the table document."))
        }
    }
}

/// Whether a schema has a table, index or view of this name.
pub fn relation_in(namespace: pg_sys::Oid, name: &CStr) -> bool {
    lookup::relation(namespace, name).is_some()
}

/// The tables of pending models in a schema, of the owner of its table document.
pub fn tables_of_next(namespace: pg_sys::Oid) -> Result<Vec<String>> {
    catalog::connect(|c| {
        let args = [Arg::new(namespace)];
        c.query(include_str!("leftover.sql"), Access::Write, Planning::Auto, &args, |row| row.require(1))
    })
}
