//! The errors a user sees: a SQLSTATE, a message in PostgreSQL's style and a hint that names the fix.
//!
//! The only module that names SQLSTATEs. The documentation lists them; changing one is a breaking change.

mod kinds;
mod states;

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

    /// Marks the error as caused by the provider of a model or by its configuration.
    pub fn of_provider(mut self) -> Self {
        self.is_of_provider = true;
        self
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

    /// The message, with the hint in parentheses.
    pub fn with_hint(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
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
