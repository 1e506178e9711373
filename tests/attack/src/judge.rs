//! What an answer of the server must not be.

use std::time::Duration;

use postgres::Error;
use postgres::error::DbError;

use crate::report::Report;
use crate::session::Ended;

/// How much longer than its statement_timeout a statement may take.
const GRACE: Duration = Duration::from_secs(1);

/// The table of vectors, as generated statements name it that write it themselves.
const OWN_WRITE: &str = ".\"embedding\"";

/// An error of class XX that PostgreSQL, or pgrx, itself raises for what was done to it.
struct Allowed {
    /// A part of the message.
    message: &'static str,
    /// The C function that raises it.
    routine: &'static str,
}

const ALLOWED: &[Allowed] = &[
    // A rule DO INSTEAD on a table that a foreign key refers to or comes from: the trigger of the key counts rows.
    Allowed { message: "gave unexpected result", routine: "ri_PerformCheck" },
    // A trigger function that a superuser calls as a function, which nobody else may: pgrx refuses it, and names no place.
    Allowed { message: "PgTrigger::from_fcinfo failed: NotTrigger", routine: "" },
];

/// Notes in the report what is wrong with how a statement ended. `reproduction` are the statements that led to it, the
/// last one included.
pub fn judge(report: &Report, ended: &Ended, timeout: Duration, reproduction: &dyn Fn() -> String) {
    judge_error(report, ended, timeout, reproduction, false);
}

/// The same where a superuser has damaged the catalogue of kb_rag, which may then say so with an internal error of its own.
pub fn judge_damaged(report: &Report, ended: &Ended, timeout: Duration, reproduction: &dyn Fn() -> String) {
    judge_error(report, ended, timeout, reproduction, true);
}

fn judge_error(
    report: &Report,
    ended: &Ended,
    timeout: Duration,
    reproduction: &dyn Fn() -> String,
    is_damaged: bool,
) {
    report.count(&ended.state);
    if let Some(excess) = ended.took.checked_sub(timeout + GRACE + ended.stalled) {
        let message = format!("{excess:.1?} longer than statement_timeout and a second");
        report.fault("too long", &message, &format!("{}\n-- took {:.1?}", reproduction(), ended.took));
    }
    let Some(error) = &ended.error else { return };
    let Some(server) = error.as_db_error() else {
        report.fault("session lost", &error.to_string(), &reproduction());
        return;
    };
    let statement = reproduction();
    let last = statement.lines().last().unwrap_or_default();
    // Errors that kb_rag raises name it as their place; those of PostgreSQL and of panics do not.
    let is_told = is_damaged && server.routine() == Some("kb_rag") && !is_panic(server.message());
    if is_told {
        report.count("damage told");
    } else if let Some(kind) = kind_of_fault(server, last) {
        report.fault(&kind, &described(server), &reproduction());
    } else if error.is_closed() || ends_session(server) {
        report.fault("session lost", &described(server), &reproduction());
    }
}

/// What is wrong with an error whatever was done; None for one that is an answer.
fn kind_of_fault(error: &DbError, statement: &str) -> Option<String> {
    let state = error.code().code();
    let message = error.message();
    if is_panic(message) {
        return Some("Rust panic".to_string());
    }
    if state.starts_with("XX") && !is_allowed(message, error.routine()) {
        return Some(state.to_string());
    }
    // What writes the table of vectors itself may violate its key; inside a function it is kb_rag that does.
    if state == "23505" && message.contains("embedding_pkey") && !statement.contains(OWN_WRITE) {
        return Some("23505 on embedding_pkey".to_string());
    }
    None
}

/// Whether the message is that of a panic of Rust, or of a Result that was unwrapped.
pub fn is_panic(message: &str) -> bool {
    ["panicked at", "called `Result::", "called `Option::", "index out of bounds", "attempt to "]
        .iter()
        .any(|part| message.contains(part))
}

/// Whether PostgreSQL itself raises an error of class XX there; `routine` is the C function, where that is known.
pub fn is_allowed(message: &str, routine: Option<&str>) -> bool {
    ALLOWED.iter().any(|allowed| {
        message.contains(allowed.message) && routine.is_none_or(|name| name == allowed.routine)
    })
}

fn ends_session(error: &DbError) -> bool {
    matches!(error.severity(), "FATAL" | "PANIC")
}

/// The error as psql shows it, with the place it comes from.
pub fn described(error: &DbError) -> String {
    let mut text = format!("{} {}: {}", error.severity(), error.code().code(), error.message());
    for (name, part) in [("DETAIL", error.detail()), ("HINT", error.hint()), ("CONTEXT", error.where_())] {
        if let Some(part) = part {
            text.push_str(&format!("\n{name}: {part}"));
        }
    }
    let place = (error.routine().unwrap_or("?"), error.file().unwrap_or("?"), error.line().unwrap_or(0));
    text.push_str(&format!("\nLOCATION: {}, {}:{}", place.0, place.1, place.2));
    text
}

/// The SQLSTATE of an error; 08006 for a connection that went away.
pub fn state_of(error: &Error) -> String {
    error.code().map_or("08006", |code| code.code()).to_string()
}
