//! The errors a user sees: a SQLSTATE, a message in PostgreSQL's style and a hint that names the fix.
//!
//! The only module that names SQLSTATEs. The documentation lists them; changing one is a breaking change.

use std::cell::RefCell;
use std::collections::HashSet;

use kb_rag_core::spread::Failure;
use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::prelude::*;

/// At most this many notices are remembered.
const MAX_NOTICES: usize = 1_000;

/// At most this many mistakes are named after the first.
const MAX_MISTAKES: usize = 20;

thread_local! {
    /// The notices that the session gets only once.
    static NOTICED: RefCell<HashSet<String>> = RefCell::default();
}

/// An error on its way to the client. Messages are lower case, without a full stop, the offending value quoted.
#[derive(Clone, Debug)]
pub struct Error {
    sqlstate: PgSqlErrorCode,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    is_of_provider: bool,
    is_over_limit: bool,
    is_interrupt: bool,
    /// The groups of the nodes by whose bases, together, the call can be done.
    groups: Vec<i32>,
}

/// 23505, as PostgreSQL raises it.
pub const UNIQUE_VIOLATION: PgSqlErrorCode = PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION;

/// The result type of this crate. `#[pg_extern]` functions return `Result<_, ErrorReport>`, which pgrx raises.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(sqlstate: PgSqlErrorCode, message: impl Into<String>) -> Self {
        Error {
            sqlstate,
            message: shortened(message.into()),
            detail: None,
            hint: None,
            is_of_provider: false,
            is_over_limit: false,
            is_interrupt: false,
            groups: Vec::new(),
        }
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

    /// 22004: NULL in a column that kb_rag made NOT NULL.
    pub fn null_value(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, message)
    }

    /// Whether it is [`Error::null_value`].
    pub fn is_null_value(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED
    }

    /// 22000: a vector of the wrong dimension or with NaN or infinity.
    pub fn bad_vector(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DATA_EXCEPTION, message)
    }

    /// 22000: a file that cannot be read.
    pub fn bad_file(message: impl Into<String>) -> Self {
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

    /// 42601: text that PostgreSQL's parser does not take.
    pub fn syntax(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_SYNTAX_ERROR, message)
    }

    /// 42703: a table has no such column.
    pub fn missing_column(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, message)
    }

    /// 42P01: no such table.
    pub fn missing_table(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message)
    }

    /// 42704: no such knowledge base, model or document.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message)
    }

    /// 42710: it exists already.
    pub fn exists(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT, message)
    }

    /// 2BP01: other objects depend on it.
    pub fn depended_on(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST, message)
    }

    /// 42501: the caller lacks a privilege.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
    }

    /// 55000: a prerequisite is missing, such as a model's files.
    pub fn not_ready(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
    }

    /// Whether it is [`Error::not_ready`].
    pub fn is_not_ready(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
    }

    /// 0A000: kb_rag does not do this.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
    }

    /// 58000: a provider cannot be reached or is overloaded; a later attempt may succeed.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_SYSTEM_ERROR, message).of_provider()
    }

    /// 38000: a provider rejected the request or returned an invalid response.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_EXTERNAL_ROUTINE_EXCEPTION, message).of_provider()
    }

    /// 55P03: other transactions hold a lock that is needed.
    pub fn locked(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE, message)
    }

    /// 40001: another transaction changed what this one has read; running it again works.
    pub fn serialization(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
    }

    /// 57014: code of a table's owner exceeded its time limit in a worker or in CALL kb_work().
    pub fn over_limit(message: impl Into<String>) -> Self {
        let mut error = Self::new(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, message);
        error.is_over_limit = true;
        error.hint(
            "Look at the triggers, constraints and expressions of indexes and defaults on the tables of the knowledge base, \
             then run kb_retry.",
        )
    }

    /// 57014: a call exceeded its own time limit; the statement was not canceled.
    pub fn late(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, message)
    }

    /// Whether code of a table's owner exceeded its time limit.
    pub fn is_over_limit(&self) -> bool {
        self.is_over_limit
    }

    /// 25001: not allowed in a transaction that keeps its snapshot.
    pub fn keeps_snapshot(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_ACTIVE_SQL_TRANSACTION, message)
            .hint("Run it in a transaction of isolation level READ COMMITTED.")
    }

    /// 25001: not allowed inside a transaction block.
    pub fn in_transaction(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_ACTIVE_SQL_TRANSACTION, message)
            .hint("Run it as a statement of its own, outside of BEGIN and of functions.")
    }

    /// XX000: an internal inconsistency, such as a catalog that does not hold what kb_rag wrote.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message)
    }

    /// XX002: what kb_rag stored cannot be read.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED, message)
    }

    /// Whether it is [`Error::damaged`].
    pub fn is_damage(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED
    }

    /// Whether the cause is a missing or failing model, model file or provider, as opposed to invalid arguments.
    pub fn is_unavailable(&self) -> bool {
        self.is_of_provider
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
                    | PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
            )
    }

    /// Marks the error as caused by the provider of a model or by its configuration.
    pub fn of_provider(mut self) -> Self {
        self.is_of_provider = true;
        self
    }

    /// Whether the arguments caused the error, or a missing or failing model: a chat model that called a tool can try again.
    pub fn is_of_call(&self) -> bool {
        self.is_unavailable()
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
                    | PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED
                    | PgSqlErrorCode::ERRCODE_DATA_EXCEPTION
                    | PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED
            )
    }

    /// Whether a privilege or a policy denies it.
    pub fn is_denied(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE
    }

    /// Whether something of the same name is there already.
    pub fn is_exists(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT
    }

    /// Whether the contents of a file or page caused it: it is damaged, of a kind that cannot be read, or exceeds a limit.
    pub fn is_of_file(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
                | PgSqlErrorCode::ERRCODE_DATA_EXCEPTION
                | PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED
        )
    }

    /// Marks the error as that of a call that the node of this group can do.
    pub fn on_group(self, group: i32) -> Self {
        self.on_groups(vec![group])
    }

    /// Marks the error as that of a call that the nodes of these groups can do together.
    pub fn on_groups(mut self, groups: Vec<i32>) -> Self {
        self.groups = groups;
        self
    }

    /// The group of the node that can do the call.
    pub fn group(&self) -> Option<i32> {
        match *self.groups {
            [group] => Some(group),
            _ => None,
        }
    }

    /// The groups of several nodes that can do the call together; empty for any other error.
    pub fn groups(&self) -> &[i32] {
        if self.groups.len() > 1 { &self.groups } else { &[] }
    }

    /// The error as another node gets it.
    pub fn to_failure(&self) -> Failure {
        Failure {
            sqlstate: self.sqlstate as i32,
            message: self.message.clone(),
            detail: self.detail.clone(),
            hint: self.hint.clone(),
        }
    }

    /// An error of a model on another node, which a search can do without.
    pub fn of_failure(failure: &Failure) -> Self {
        let mut error = Self::new(PgSqlErrorCode::from(failure.sqlstate), failure.message.as_str());
        error.detail.clone_from(&failure.detail);
        error.hint.clone_from(&failure.hint);
        error.of_provider()
    }

    /// Whether another server does not answer: class 08, and the SQLSTATEs of one that starts or stops.
    pub fn is_of_connection(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_CONNECTION_EXCEPTION
                | PgSqlErrorCode::ERRCODE_CONNECTION_DOES_NOT_EXIST
                | PgSqlErrorCode::ERRCODE_CONNECTION_FAILURE
                | PgSqlErrorCode::ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION
                | PgSqlErrorCode::ERRCODE_SQLSERVER_REJECTED_ESTABLISHMENT_OF_SQLCONNECTION
                | PgSqlErrorCode::ERRCODE_ADMIN_SHUTDOWN
                | PgSqlErrorCode::ERRCODE_CRASH_SHUTDOWN
                | PgSqlErrorCode::ERRCODE_CANNOT_CONNECT_NOW
        )
    }

    /// Whether the session or the server must end what it does: a canceled statement (57014), 57P01 and class 53. Where other
    /// failures are only reported, these are raised.
    pub fn ends_work(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_ADMIN_SHUTDOWN
            || self.lacks_resources()
            || self.is_canceled()
    }

    /// Class 53.
    fn lacks_resources(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_RESOURCES
                | PgSqlErrorCode::ERRCODE_DISK_FULL
                | PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY
                | PgSqlErrorCode::ERRCODE_TOO_MANY_CONNECTIONS
                | PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED
        )
    }

    /// Whether the server cannot write at present, whatever is written: class 53, such as a full disk, an I/O error (58030) and
    /// a read-only transaction (25006).
    pub fn is_of_server(&self) -> bool {
        self.lacks_resources()
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_IO_ERROR | PgSqlErrorCode::ERRCODE_READ_ONLY_SQL_TRANSACTION
            )
    }

    /// The message, with the hint in parentheses.
    pub fn with_hint(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }

    /// Whether another transaction caused the error, not the statement itself.
    pub fn is_conflict(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE
                | PgSqlErrorCode::ERRCODE_T_R_DEADLOCK_DETECTED
                | PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE
        )
    }

    /// Whether something does not exist that was named, such as a base.
    pub fn is_not_found(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
    }

    /// Whether other objects depend on something.
    pub fn is_depended_on(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST
    }

    /// Whether PostgreSQL found no column, table, function or operator of a name.
    pub fn is_of_missing_object(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN
                | PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE
                | PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION
        )
    }

    /// Whether tables of a base are not as kb_rag made them: a fault of that base alone.
    pub fn is_of_altered_tables(&self) -> bool {
        self.is_damage()
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
                    | PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH
                    | PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN
                    | PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED
            )
    }

    /// Whether other transactions hold a lock that is needed.
    pub fn is_lock(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE
    }

    /// Whether the statement was canceled, by a user or by a timeout. An owner's code can raise the same SQLSTATE, but
    /// that is an ordinary error.
    pub fn is_canceled(&self) -> bool {
        self.is_interrupt && !self.is_over_limit
    }

    /// Puts what failed before the message.
    pub fn preceded_by(mut self, what: &str) -> Self {
        self.message = shortened(format!("{what}: {}", self.message));
        self
    }

    /// The first of several errors, with the others in its detail. None without any.
    pub fn of_several(errors: Vec<Error>) -> Option<Error> {
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        let mut others: Vec<String> = errors.map(|error| error.with_hint()).collect();
        if others.len() > MAX_MISTAKES {
            let more = others.len() - MAX_MISTAKES;
            others.truncate(MAX_MISTAKES);
            others.push(format!("{more} more"));
        }
        if !others.is_empty() {
            let detail = first.detail.take().map(|detail| format!("{detail}\n")).unwrap_or_default();
            first.detail = Some(format!("{detail}Other mistakes:\n{}", others.join("\n")));
        }
        Some(first)
    }

    /// Raises it as a warning that adds what happens instead.
    pub fn warn(mut self, instead: &str) {
        self.message = format!("{}; {instead}", self.message);
        ErrorReport::from(self).report(PgLogLevel::WARNING);
    }

    /// The same unless the session has seen the same one.
    pub fn warn_once(self, instead: &str) {
        if self.is_new() {
            self.warn(instead);
        }
    }

    /// Whether the session has not had this notice before; now it has.
    fn is_new(&self) -> bool {
        NOTICED.with_borrow_mut(|noticed| {
            if noticed.len() >= MAX_NOTICES {
                noticed.clear();
            }
            noticed.insert(self.message.clone())
        })
    }

    /// Converts an error that PostgreSQL raised, for the log and for messages about failures.
    pub fn caught(report: &pgrx::pg_sys::panic::ErrorReportWithLevel) -> Self {
        let mut error = Self::new(report.sql_error_code(), report.message());
        error.detail = report.detail().map(str::to_string);
        error.hint = report.hint().map(str::to_string);
        error.is_interrupt = report.sql_error_code() == PgSqlErrorCode::ERRCODE_QUERY_CANCELED
            && report.function_name() == Some("ProcessInterrupts");
        error
    }

    /// 00000: not an error, but a message for [`Error::notify`].
    pub fn remark(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, message)
    }

    /// 01000: not an error, but a warning for [`Error::notify`].
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_WARNING, message)
    }

    /// Raises it as a notice, or as a warning.
    pub fn notify(self) {
        let is_warning = self.sqlstate == PgSqlErrorCode::ERRCODE_WARNING;
        let level = if is_warning { PgLogLevel::WARNING } else { PgLogLevel::NOTICE };
        ErrorReport::from(self).report(level);
    }

    /// Raises it as a notice unless the session has seen the same one.
    pub fn notify_once(self) {
        if self.is_new() {
            self.notify();
        }
    }

    /// Writes it to the server's log, not to the client.
    pub fn log(self) {
        ErrorReport::from(self).report(PgLogLevel::LOG_SERVER_ONLY);
    }

    /// Adds what the user can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what is different from what was asked for, and the hint how to change that; nothing if all is as asked for.
    pub fn with_differences(self, different: &[String], hint: &str) -> Self {
        if different.is_empty() { self } else { self.detail(format!("{}.", different.join("; "))).hint(hint) }
    }

    /// Adds the cause or other details.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Shortens a message that quotes a long value, by cutting out the middle. Replaces NUL characters, which a string
/// decoded from JSON may contain: a NUL would end the message. A value may have a gigabyte, so only its ends are looked at.
fn shortened(message: String) -> String {
    const MAX_CHARACTERS: usize = 500;
    let without_nul = |text: &str| text.replace('\0', "\u{fffd}");
    let start_of = |from_end: usize| message.char_indices().rev().nth(from_end - 1).map_or(0, |(at, _)| at);
    if message.chars().nth(MAX_CHARACTERS).is_none() {
        return if message.contains('\0') { without_nul(&message) } else { message };
    }
    let head: String = message.chars().take(MAX_CHARACTERS / 2).collect();
    let tail = message.get(start_of(MAX_CHARACTERS / 4)..).unwrap_or_default();
    format!("{}…{}", without_nul(&head), without_nul(tail))
}

/// The value, or the error raised. For trigger functions: pgrx turns errors that they return into XX000.
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
