//! The state of an attached table: what the table `source` records, and what the table itself shows.

use std::ffi::CStr;

use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use super::embedding::Vectors;
use super::follow;
use super::options::Options;
use crate::base::{KnowledgeBase, RowSecurity};
use crate::catalog;
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::trigger::qualified_name;

/// The state that the row of `source` records.
pub enum Status {
    /// All rows have been read, and triggers follow them.
    Indexed,
    /// The rows are not followed, for this reason.
    Failed(String),
}

/// Writes the state of a source, with the time if the whole table was read.
pub fn set_status(base: &KnowledgeBase, source_id: Uuid, status: &Status) -> Result<()> {
    let (name, error, is_read) = match status {
        Status::Indexed => ("indexed", None, true),
        Status::Failed(error) => ("failed", Some(error.as_str()), false),
    };
    if crate::postgres::snapshot::is_kept() {
        // A row that another transaction wrote meanwhile would be a serialization failure.
        return Ok(());
    }
    let sql = spi::render(include_str!("set_status.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| {
        let args = [Arg::new(source_id), Arg::new(name), Arg::new(error), Arg::new(is_read)];
        c.execute(&sql, &args)
    })?;
    Ok(())
}

/// An attached table as the catalog and the table itself show it.
pub struct Source {
    pub source_id: Uuid,
    /// Its name when it was last looked at.
    pub location: String,
    /// The table that has the triggers.
    pub table: Option<pg_sys::Oid>,
    is_read: bool,
    rows_read: i64,
    rows_in_all: i64,
    /// Since the first row was read, in seconds.
    seconds: Option<f64>,
    /// Triggers that are disabled.
    pub disabled: Option<String>,
    /// Whether there is a table of this name.
    is_there: bool,
    pub row_security: RowSecurity,
    /// Whether vectors of rows are taken.
    takes_vectors: bool,
}

/// Whether vectors of rows are taken, by the options of an attachment. Those that cannot be read are reported where they matter.
fn takes_vectors(base: &KnowledgeBase, options: &str) -> bool {
    let options: Options = serde_json::from_str(options).unwrap_or_default();
    matches!(Vectors::of(&options, true, &base.settings.space), Vectors::Taken(_))
}

impl Source {
    /// The attached tables of a base.
    pub fn for_base(base: &KnowledgeBase, access: Access) -> Result<Vec<Source>> {
        catalog::connect(|c| {
            let sql = follow::with_types(include_str!("of_base.sql"), follow::is_known());
            c.query(&sql, access, Planning::Generic, &[Arg::new(base.id)], |row| {
                Ok(Source {
                    source_id: row.require(1)?,
                    location: row.require(2)?,
                    table: row.get(3)?,
                    is_read: row.require(4)?,
                    rows_read: row.require(5)?,
                    rows_in_all: row.require(6)?,
                    disabled: row.get(7)?,
                    is_there: row.require(8)?,
                    row_security: RowSecurity::from_name(&row.require::<String>(9)?)?,
                    seconds: row.get(10)?,
                    takes_vectors: takes_vectors(base, &row.require::<String>(11)?),
                })
            })
        })
    }

    /// How many rows were read per second since that began.
    fn rows_per_second(&self) -> Option<f64> {
        let seconds = self.seconds.filter(|seconds| *seconds > 0.0)?;
        Some(self.rows_read as f64 / seconds).filter(|pace| *pace > 0.0)
    }

    /// The reason why its rows are not followed, as far as the table itself shows one.
    pub fn fault(&self) -> Option<String> {
        match (self.table, self.is_there) {
            (Some(_), _) => None,
            (None, true) => Some(format!("table {} has lost its triggers", self.location)),
            (None, false) => Some(format!("table {} was dropped", self.location)),
        }
    }
}

/// Whether any table is attached to a base. Its tables are not touched.
pub fn has_sources(base: &KnowledgeBase) -> Result<bool> {
    Ok(!Source::for_base(base, Access::Read)?.is_empty())
}

/// The table, qualified and quoted, whose rows a source of a base follows. None where it is detached or was dropped.
pub fn followed_table(base: &KnowledgeBase, source_id: Uuid) -> Result<Option<String>> {
    let sources = Source::for_base(base, Access::Write)?;
    let table =
        sources.into_iter().find(|source| source.source_id == source_id).and_then(|source| source.table);
    Ok(table.map(qualified_name))
}

/// Whether a document has the vector of its row: it is cut and embedded by nobody.
pub fn has_vector_of_row(base: &KnowledgeBase, document: Uuid) -> Result<bool> {
    let sql = spi::render(include_str!("imported_from.sql"), &[("schema", &base.quoted_schema())]);
    let source = base
        .connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(document)], |row| row.require::<Uuid>(1)))?;
    let Some(source) = source else { return Ok(false) };
    let sources = Source::for_base(base, Access::Write)?;
    Ok(sources.iter().any(|known| known.source_id == source && known.takes_vectors))
}

/// One row of kb_rag.source_status.
pub struct Overview {
    pub source_id: Uuid,
    pub location: String,
    pub status: String,
    pub error_message: Option<String>,
    pub documents: Option<i64>,
    /// None, as the documents, where row security hides documents.
    pub rows_read: Option<i64>,
    pub rows_before: Option<i64>,
    pub last_synced_at: Option<TimestampWithTimeZone>,
    pub row_security: RowSecurity,
    /// While rows are being read.
    pub rows_per_second: Option<f64>,
    pub seconds_to_go: Option<f64>,
    /// If vectors of rows are taken.
    pub stale_vectors: Option<i64>,
}

/// The columns of the table `source` that are read, with their types.
const COLUMNS: [(&CStr, pg_sys::Oid); 4] = [
    (c"id", pg_sys::UUIDOID),
    (c"status", pg_sys::TEXTOID),
    (c"error_message", pg_sys::TEXTOID),
    (c"last_synced_at", pg_sys::TIMESTAMPTZOID),
];

/// The same of the tables `document` and `chunk`.
const OF_DOCUMENT: [(&CStr, pg_sys::Oid); 3] =
    [(c"id", pg_sys::UUIDOID), (c"source_id", pg_sys::UUIDOID), (c"imported", pg_sys::BOOLOID)];
const OF_CHUNK: [(&CStr, pg_sys::Oid); 2] =
    [(c"document_id", pg_sys::UUIDOID), (c"content_hash", pg_sys::BYTEAOID)];

/// The attached tables of a base that the caller may read. If the table `source` is not as kb_create made it, there are
/// none, with a warning, so that those of other bases are still shown.
pub fn overview(base: &KnowledgeBase) -> Result<Vec<Overview>> {
    let sources = Source::for_base(base, Access::Read)?;
    let is_sound = base.has_own_columns(c"source", &COLUMNS)
        && base.has_own_columns(c"document", &OF_DOCUMENT)
        && base.has_own_columns(c"chunk", &OF_CHUNK);
    if !sources.is_empty() && !is_sound {
        base.warn_of_altered_tables();
        return Ok(Vec::new());
    }
    let is_hidden = base.is_row_secured()?;
    let sql = spi::render(include_str!("overview.sql"), &[("schema", &base.quoted_schema())]);
    sources
        .into_iter()
        .map(|source| {
            let kept = Kept::read(base, &sql, &source, is_hidden)?;
            Ok(kept.overview(source, is_hidden))
        })
        .collect()
}

/// What is shown in place of an error to those from whom row security hides documents.
const REASON_HIDDEN: &str = "the reason is hidden by row security";

/// The row of an attached table in `source`, and the number of its documents.
struct Kept {
    status: String,
    error_message: Option<String>,
    documents: Option<i64>,
    last_synced_at: Option<TimestampWithTimeZone>,
    stale_vectors: Option<i64>,
}

impl Kept {
    fn read(base: &KnowledgeBase, sql: &str, source: &Source, is_hidden: bool) -> Result<Kept> {
        let kept = base.read_as_owner(|| {
            spi::connect(|c| {
                let args = [Arg::new(source.source_id), Arg::new(is_hidden), Arg::new(source.takes_vectors)];
                c.query_one(sql, Access::Read, &args, |row| {
                    Ok(Kept {
                        status: row.get(1)?.unwrap_or_else(|| "pending".to_string()),
                        error_message: row.get(2)?,
                        documents: row.get(3)?,
                        last_synced_at: row.get(4)?,
                        stale_vectors: row.get(5)?,
                    })
                })
            })
        })?;
        Ok(kept.unwrap_or_else(Kept::deleted))
    }

    fn deleted() -> Kept {
        Kept {
            status: "failed".to_string(),
            error_message: Some("its row in the table source was deleted".to_string()),
            documents: None,
            last_synced_at: None,
            stale_vectors: None,
        }
    }

    /// The state of the table itself takes precedence over the recorded one.
    fn overview(self, source: Source, is_hidden: bool) -> Overview {
        let disabled = source.disabled.as_ref().map(|names| format!("disabled triggers: {names}"));
        let fault = source.fault().or(disabled);
        let status = match fault {
            Some(_) => "failed".to_string(),
            None if self.status == "indexed" && !source.is_read => "pending".to_string(),
            None => self.status,
        };
        let rows_per_second = source.rows_per_second().filter(|_| !is_hidden && status == "pending");
        let left = (source.rows_in_all - source.rows_read).max(0) as f64;
        Overview {
            rows_per_second,
            seconds_to_go: rows_per_second.map(|pace| left / pace),
            source_id: source.source_id,
            location: source.location,
            status,
            // It may quote a row.
            error_message: fault.or_else(|| {
                self.error_message.map(|message| if is_hidden { REASON_HIDDEN.to_string() } else { message })
            }),
            documents: self.documents,
            rows_read: (!is_hidden).then_some(source.rows_read),
            rows_before: (!is_hidden).then_some(source.rows_in_all),
            last_synced_at: self.last_synced_at,
            stale_vectors: self.stale_vectors,
            row_security: source.row_security,
        }
    }
}
