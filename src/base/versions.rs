//! Which readers and which chunker made the documents of a base: the columns reader, reader_version and chunker_version of
//! `document`. Tables of kb_rag 0.3, as a dump restores them, lack the columns until kb_reconcile or kb_adopt adds them: until then
//! nothing is read or cut again, because that could not be noted.

use std::ffi::CStr;

use kb_rag_core::version::{CHUNKER, READERS};
use pgrx::pg_sys;

use super::KnowledgeBase;
use super::create::objects::{create_replica_trigger, knows_replicas};
use crate::catalog;
use crate::error::Result;
use crate::lock::Lockable;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg, Connection};

/// The columns, with their types.
pub const COLUMNS: [(&CStr, pg_sys::Oid); 3] = [
    (c"reader", pg_sys::TEXTOID),
    (c"reader_version", pg_sys::INT4OID),
    (c"chunker_version", pg_sys::INT4OID),
];

/// The other columns that the expressions below read: what reads all bases must not fail over one that lacks them.
const OTHERS: [(&CStr, pg_sys::Oid); 3] =
    [(c"file_hash", pg_sys::BYTEAOID), (c"imported", pg_sys::BOOLOID), (c"source_id", pg_sys::UUIDOID)];

/// Expressions about a document `d`, for statements on the table of one base.
pub struct Versions {
    are_kept: bool,
}

impl Versions {
    /// Those of a table `document`.
    pub fn of_table(document: pg_sys::Oid) -> Versions {
        let has = |(name, kind): (&CStr, pg_sys::Oid)| {
            lookup::column(document, name).is_some_and(|(found, _)| found == kind)
        };
        Versions { are_kept: COLUMNS.into_iter().chain(OTHERS).all(has) }
    }

    /// Whether the table has the columns.
    pub fn are_kept(&self) -> bool {
        self.are_kept
    }

    /// The version of the chunker that cut it.
    pub fn chunker_version(&self) -> &'static str {
        if self.are_kept { "d.chunker_version" } else { "NULL::int4" }
    }

    /// Whether an earlier version of a reader read it. Without a reader, a file was read by kb_rag 0.3.
    pub fn is_read_before(&self) -> String {
        if !self.are_kept {
            return "false".to_string();
        }
        let versions: Vec<String> = READERS
            .iter()
            .map(|(name, version)| format!("WHEN {} THEN {version}", spi::quote_literal(name)))
            .collect();
        format!(
            "(d.file_hash IS NOT NULL AND (d.reader IS NULL OR coalesce(coalesce(d.reader_version, 0) < CASE d.reader {} END, false)))",
            versions.join(" ")
        )
    }

    /// Whether an earlier version of the chunker cut it.
    pub fn is_cut_before(&self) -> String {
        if !self.are_kept {
            return "false".to_string();
        }
        format!("(NOT d.imported AND coalesce({}, 0) < {CHUNKER})", self.chunker_version())
    }

    /// Whether kb_rag does not fetch again by itself what an earlier version of a reader read: it has no source, or no URL.
    fn is_file_read_before(&self) -> String {
        if !self.are_kept {
            return "false".to_string();
        }
        format!(
            "({} AND (d.source_id IS NOT NULL AND d.source_key ~ '^https?://') IS NOT TRUE)",
            self.is_read_before()
        )
    }

    /// Fills the placeholders of a statement: `{read_before}`, `{file_read_before}`, `{cut_before}`, `{chunker_version}` of a
    /// document `d`, and `{chunker}`, the version of today.
    pub fn render(&self, template: &str, schema: &str) -> String {
        spi::render(
            template,
            &[
                ("read_before", &self.is_read_before()),
                ("file_read_before", &self.is_file_read_before()),
                ("cut_before", &self.is_cut_before()),
                ("chunker_version", self.chunker_version()),
                ("chunker", &CHUNKER.to_string()),
                ("schema", schema),
            ],
        )
    }
}

impl KnowledgeBase {
    /// Those of its documents.
    pub fn versions(&self) -> Result<Versions> {
        Ok(Versions::of_table(self.table(c"document")?))
    }

    /// Adds the columns, that of the context of chunks, and the index of chunks by their place, if the tables lack them. For a moment it
    /// locks everybody out.
    pub fn add_versions(&self) -> Result<()> {
        let lacks_trigger = self.lacks_replica_trigger()?;
        if self.versions()?.are_kept() && self.has_context() && self.has_ordinal_index() && !lacks_trigger {
            return Ok(());
        }
        self.lock_out_writers(true)?;
        if lacks_trigger {
            self.restore_replica_trigger()?;
        }
        let schema = self.quoted_schema();
        self.connect(|c| {
            if !self.versions()?.are_kept() {
                add_columns(c, &schema)?;
            }
            if !self.has_context() {
                add_context(c, &schema)?;
            }
            if self.has_ordinal_index() { Ok(()) } else { add_ordinal_index(c, &schema) }
        })
    }

    /// Whether its chunks have the index by document and place, as far as it can be made: tables of kb_rag 0.3 have one by document.
    pub fn has_ordinal_index(&self) -> bool {
        self.has_relation(c"chunk_document_id_ordinal")
            || !self.has_own_columns(c"chunk", &[(c"ordinal", pg_sys::INT4OID)])
    }

    /// Whether `document` lacks the trigger for rows that arrive by logical replication, as tables of kb_rag 0.3 do.
    fn lacks_replica_trigger(&self) -> Result<bool> {
        if !knows_replicas()? {
            return Ok(false);
        }
        let args = [Arg::new(self.table(c"document")?)];
        let found = catalog::connect(|c| {
            c.query_one(include_str!("versions/has_replica_trigger.sql"), Access::Latest, &args, |row| {
                row.require::<bool>(1)
            })
        })?;
        Ok(found == Some(false))
    }

    fn restore_replica_trigger(&self) -> Result<()> {
        let is_there = lookup::has_trigger(self.table(c"document")?, c"kb_rag_replicated");
        create_replica_trigger(self, is_there)
    }

    /// Makes that trigger and that index, or drops the index whose place it takes; false if there is nothing to do. Each is for a transaction of its own:
    /// writers wait while it is made, and everybody for the moment in which the other one goes. 55P03 if others keep the table longer
    /// than lock_timeout.
    pub fn advance_ordinal_index(&self) -> Result<bool> {
        let schema = self.quoted_schema();
        if self.lacks_replica_trigger()? {
            self.restore_replica_trigger()?;
            return Ok(true);
        }
        if !self.has_ordinal_index() {
            self.connect(|c| add_ordinal_index(c, &schema))?;
            return Ok(true);
        }
        if !self.has_relation(c"chunk_document_id") || !self.has_relation(c"chunk_document_id_ordinal") {
            return Ok(false);
        }
        self.connect(|c| drop_document_index(c, &schema))?;
        Ok(true)
    }
}

/// Makes the index of chunks by document and place in a schema, as its owner.
pub fn add_ordinal_index(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("versions/add_ordinal_index.sql"), &[("schema", schema)]))
}

/// Drops the index of chunks by document alone.
fn drop_document_index(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("versions/drop_document_index.sql"), &[("schema", schema)]))
}

/// Adds the columns to the table of a schema, as its owner.
pub fn add_columns(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("versions/add.sql"), &[("schema", schema)]))
}

/// Adds the column for the context of chunks to the table of a schema, as its owner.
pub fn add_context(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("versions/add_context.sql"), &[("schema", schema)]))
}
