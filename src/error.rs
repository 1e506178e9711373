//! The errors a user sees: a SQLSTATE, a message in PostgreSQL's style and a hint that names the fix.
//!
//! The only module that names SQLSTATEs. The list is published in the README; changing one is a breaking change.

use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::prelude::*;

/// An error on its way to the client. Messages are lower case, without a full stop, the offending value quoted.
#[derive(Debug)]
pub struct Error {
    sqlstate: PgSqlErrorCode,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
}

/// What functions of this crate return; `#[pg_extern]` functions return `Result<_, ErrorReport>`, which pgrx raises.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(sqlstate: PgSqlErrorCode, message: impl Into<String>) -> Self {
        Error { sqlstate, message: shortened(message.into()), detail: None, hint: None }
    }

    /// 22023: an argument outside its range or list of values.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message)
    }

    /// 22004: NULL for the argument `name`, which needs a value.
    pub fn null(name: &str) -> Self {
        Self::new(
            PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
            format!("argument \"{name}\" must not be null"),
        )
    }

    /// 22000: a vector of the wrong dimension or with NaN or infinity.
    pub fn bad_vector(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DATA_EXCEPTION, message)
    }

    /// 54000: a documented limit is exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message)
    }

    /// 42804: a column has another type than kb_create gave it.
    pub fn wrong_type(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
    }

    /// 42704: no such knowledge base, model or document.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message)
    }

    /// 42710: it exists already.
    pub fn exists(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT, message)
    }

    /// 42501: the caller lacks a right.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
    }

    /// 55000: something it needs is missing, such as a model's files.
    pub fn not_ready(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
    }

    /// 40001: another transaction changed what this one has read; running it again works.
    pub fn serialization(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
    }

    /// 25001: not in a transaction that keeps its snapshot.
    pub fn keeps_snapshot(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_ACTIVE_SQL_TRANSACTION, message)
            .hint("Run it in a transaction of isolation level READ COMMITTED.")
    }

    /// XX000: what must not happen, such as a catalogue that does not hold what kb_rag wrote.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message)
    }

    /// Whether a model or its files are missing, as opposed to a mistake in the arguments.
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
                | PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
        )
    }

    /// Raises it as a warning that says what happens instead.
    pub fn warn(mut self, instead: &str) {
        self.message = format!("{}; {instead}", self.message);
        ErrorReport::from(self).report(PgLogLevel::WARNING);
    }

    /// Adds what the user can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what led to it.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

/// A message that quotes a value of any length, cut in the middle to what a reader can use.
fn shortened(message: String) -> String {
    const MOST_CHARACTERS: usize = 500;
    let count = message.chars().count();
    if count <= MOST_CHARACTERS {
        return message;
    }
    let head: String = message.chars().take(MOST_CHARACTERS / 2).collect();
    let tail: String = message.chars().skip(count - MOST_CHARACTERS / 4).collect();
    format!("{head}…{tail}")
}

/// The value, or the error raised. For trigger functions, whose returned errors pgrx turns into XX000.
pub fn raise<T>(result: Result<T>) -> T {
    result.map_err(ErrorReport::from).unwrap_or_report()
}

impl From<Error> for ErrorReport {
    fn from(error: Error) -> Self {
        let mut report = ErrorReport::new(error.sqlstate, error.message, "kb_rag");
        if let Some(detail) = error.detail {
            report = report.set_detail(detail);
        }
        if let Some(hint) = error.hint {
            report = report.set_hint(hint);
        }
        report
    }
}
