//! The faults in a server's response.

use std::time::Duration;

use postgres::Error;
use postgres::error::DbError;

use crate::report::Report;
use crate::session::Ended;

/// How much longer than its statement_timeout a statement may take.
const GRACE: Duration = Duration::from_secs(1);

/// The table of vectors, as the generators name it in statements that write to it.
const TABLES_OF_VECTORS: &[&str] = &[".\"embedding\"", ".embedding "];

/// An error of class XX that PostgreSQL or pgrx itself raises for what was done.
struct Allowed {
    /// Part of the message.
    message: &'static str,
    /// The C function that raises it.
    routine: &'static str,
}

const ALLOWED: &[Allowed] = &[
    // A rule DO INSTEAD on a table at either end of a foreign key: the key's trigger counts rows.
    Allowed { message: "gave unexpected result", routine: "ri_PerformCheck" },
    // A superuser calls a trigger function as an ordinary function, which no other role may do: pgrx rejects
    // it, and names no place.
    Allowed { message: "PgTrigger::from_fcinfo failed: NotTrigger", routine: "" },
    // kb_rag's own error for an owner that wrote to the keyword index.
    Allowed { message: "the keyword index of a knowledge base is damaged", routine: "kb_rag" },
];

/// Notes in the report what is wrong with how a statement ended. `reproduction` returns the statements that
/// led to it, including the last one.
pub fn judge(report: &Report, ended: &Ended, timeout: Duration, reproduction: &dyn Fn() -> String) {
    judge_error(report, ended, timeout, reproduction, false);
}

/// The same where a superuser has damaged the catalog of kb_rag. kb_rag may then report that with an
/// internal error of its own.
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
        let message = format!("{excess:.1?} longer than statement_timeout plus one second");
        report.fault("too long", &message, &format!("{}\n-- took {:.1?}", reproduction(), ended.took));
    }
    let Some(error) = &ended.error else { return };
    let Some(server) = error.as_db_error() else {
        report.fault("session lost", &error.to_string(), &reproduction());
        return;
    };
    let statement = reproduction();
    let last = statement.lines().last().unwrap_or_default();
    // Errors that kb_rag raises name kb_rag as their place; those of PostgreSQL and of panics do not.
    let is_reported = is_damaged && server.routine() == Some("kb_rag") && !is_panic(server.message());
    if is_reported {
        report.count("damage reported");
    } else if let Some(kind) = kind_of_fault(server, last) {
        report.fault(&kind, &described(server), &reproduction());
    } else if error.is_closed() || ends_session(server) {
        report.fault("session lost", &described(server), &reproduction());
    }
}

/// The kind of fault that an error is under all circumstances; None for a legitimate error.
fn kind_of_fault(error: &DbError, statement: &str) -> Option<String> {
    let state = error.code().code();
    let message = error.message();
    if is_panic(message) {
        return Some("Rust panic".to_string());
    }
    if state.starts_with("XX") && !is_allowed(message, error.routine()) {
        return Some(state.to_string());
    }
    // A statement that writes to the table of vectors itself may violate its key; inside a function, kb_rag
    // violates it.
    if state == "23505" && message.contains("embedding_pkey") && !is_own_write(statement) {
        return Some("23505 on embedding_pkey".to_string());
    }
    None
}

/// Whether a generated statement writes to the table of vectors itself.
fn is_own_write(statement: &str) -> bool {
    TABLES_OF_VECTORS.iter().any(|table| statement.contains(table))
}

/// Whether the message comes from a Rust panic, or from unwrapping a Result.
pub fn is_panic(message: &str) -> bool {
    ["panicked at", "called `Result::", "called `Option::", "index out of bounds", "attempt to "]
        .iter()
        .any(|part| message.contains(part))
}

/// Whether PostgreSQL itself raises an error of class XX there; `routine` is the C function, if known.
pub fn is_allowed(message: &str, routine: Option<&str>) -> bool {
    ALLOWED.iter().any(|allowed| {
        message.contains(allowed.message) && routine.is_none_or(|name| name == allowed.routine)
    })
}

fn ends_session(error: &DbError) -> bool {
    matches!(error.severity(), "FATAL" | "PANIC")
}

/// The error as psql shows it, with the place that raised it.
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

/// The SQLSTATE of an error; 08006 for a lost connection.
pub fn state_of(error: &Error) -> String {
    error.code().map_or("08006", |code| code.code()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_writes_to_the_vectors_are_recognized() {
        for statement in [
            "UPDATE kb_queued.embedding SET \"chunk_id\" = '00000000-0000-0000-0000-000000000000'",
            "ALTER TABLE kb_a.embedding DISABLE TRIGGER USER; UPDATE kb_a.embedding SET chunk_id = NULL",
            "INSERT INTO \"kb_a\".\"embedding\" (\"chunk_id\") VALUES (NULL)",
        ] {
            assert!(is_own_write(statement), "{statement}");
        }
        for statement in [
            "SELECT kb_add('inline', 'added text')",
            "SELECT kb_import('inline', 'public.imported', '{\"content\": \"c\", \"embedding\": \"e\"}')",
            "CREATE INDEX embedding_hnsw ON kb_a.embedding_next (chunk_id)",
            "INSERT INTO kb_a.document (content) VALUES ('x')",
        ] {
            assert!(!is_own_write(statement), "{statement}");
        }
    }
}
