//! What only the server's log shows: crashes, faults in workers, and both sides of deadlocks.

use std::collections::{HashMap, VecDeque};

use crate::judge::{is_allowed, is_panic};
use crate::report::Report;

/// Statements that choose the order of their locks themselves.
const OF_USERS: &[&str] =
    &["INSERT ", "UPDATE ", "DELETE ", "MERGE ", "TRUNCATE ", "COPY ", "SELECT KB_ADD("];

/// Lines that show that a process crashed.
const CRASHES: &[&str] = &["PANIC:  ", "was terminated by signal", "; reinitializing", "TRAP: "];

const SEVERITIES: &[&str] = &["LOG", "INFO", "NOTICE", "WARNING", "ERROR", "FATAL", "PANIC", "DEBUG1"];

/// One message of the log.
#[derive(Debug, Default)]
struct Entry {
    process: String,
    backend: String,
    state: String,
    severity: &'static str,
    message: String,
    detail: String,
    whole: String,
}

/// The deadlocks that sessions saw, by process and in order.
#[derive(Default)]
pub struct Deadlocks(HashMap<String, VecDeque<Sides>>);

/// Both sides of a deadlock, if they were statements of the test.
pub struct Sides {
    /// The victim's statement.
    pub own: String,
    /// The statements that blocked it; workers have none.
    pub others: Vec<String>,
    /// The statements that led to it.
    pub reproduction: String,
}

impl Deadlocks {
    /// Notes a deadlock that ended a statement of this process.
    pub fn push(&mut self, process: i32, sides: Sides) {
        self.0.entry(process.to_string()).or_default().push_back(sides);
    }

    fn next(&mut self, process: &str) -> Option<Sides> {
        self.0.get_mut(process)?.pop_front()
    }
}

/// Notes in the report what is wrong. `restarts` of the restarts were intended.
pub fn judge(report: &Report, log: &str, restarts: usize, deadlocks: &mut Deadlocks) {
    for line in log.lines() {
        if CRASHES.iter().any(|crash| line.contains(crash)) {
            report.fault("crash", line, &around(log, line));
        } else if line.contains("panicked at") {
            report.fault("Rust panic", line, &around(log, line));
        }
    }
    let starts = log.matches("database system is ready to accept connections").count();
    if starts != restarts + 1 {
        report.fault(
            "restart",
            &format!("{starts} starts of the server, and {restarts} restarts by the test"),
            "",
        );
    }
    for entry in entries(log) {
        if entry.state == "40P01" && entry.message.contains("deadlock detected") {
            // A warning is about work that is tried again later: it ended no statement.
            if entry.severity == "ERROR" {
                judge_deadlock(report, &entry, deadlocks.next(&entry.process));
            } else {
                report.count("40P01 tried again");
            }
        } else if !entry.backend.starts_with("client backend") {
            judge_worker(report, &entry);
        }
    }
}

/// An error that no session received: a worker's.
fn judge_worker(report: &Report, entry: &Entry) {
    // The log does not name the C function; errors that PostgreSQL itself may raise are recognized by their
    // text.
    let is_fault = entry.state.starts_with("XX") && !is_allowed(&entry.message, None);
    if is_fault || is_panic(&entry.message) {
        report.fault(&format!("{} in {}", entry.state, entry.backend), &entry.message, &entry.whole);
    } else if entry.state == "23505" && entry.message.contains("embedding_pkey") {
        report.fault("23505 on embedding_pkey", &entry.message, &entry.whole);
    }
}

/// Users who lock rows in different orders may be victims of each other; any other deadlock is a fault.
fn judge_deadlock(report: &Report, entry: &Entry, seen: Option<Sides>) {
    let nothing = || Sides { own: "not known".to_string(), others: Vec::new(), reproduction: String::new() };
    let Sides { own, others, reproduction } = seen.unwrap_or_else(nothing);
    let (own, others) = sides_of(entry).unwrap_or((own, others));
    if !others.is_empty() && std::iter::once(&own).chain(&others).all(|statement| is_of_user(statement)) {
        report.count("40P01 between users");
        return;
    }
    let mut verbs: Vec<String> = others.iter().map(|statement| verb(statement)).collect();
    verbs.sort_unstable();
    if verbs.is_empty() {
        verbs.push("a worker".to_string());
    }
    let described = format!("victim: {}, other side: {}", verb(&own), verbs.join(", "));
    let statements = format!("-- victim: {own}\n-- others: {}", others.join("\n-- "));
    report.fault("40P01", &described, &format!("{}\n{statements}\n{reproduction}", entry.whole));
}

/// The victim's statement and those of the others. None if kb_rag has raised the error again, because that
/// drops the details that only the log contains.
fn sides_of(entry: &Entry) -> Option<(String, Vec<String>)> {
    let victim = format!("Process {}", entry.process);
    let named = entry.detail.lines().filter_map(|line| line.split_once(": "));
    let (own, others): (Vec<_>, Vec<_>) = named
        .filter(|(process, _)| process.starts_with("Process "))
        .partition(|(process, _)| *process == victim);
    let (_, own) = own.first()?;
    Some((own.to_string(), others.into_iter().map(|(_, statement)| statement.to_string()).collect()))
}

fn is_of_user(statement: &str) -> bool {
    let statement = statement.trim_start().to_uppercase();
    OF_USERS.iter().any(|verb| statement.starts_with(verb))
}

/// What a statement does, without its values: its first words, or the function that it calls.
fn verb(statement: &str) -> String {
    match statement.find("kb_").filter(|_| !is_of_user(statement)) {
        Some(start) => {
            statement[start..].chars().take_while(|c| c.is_ascii_lowercase() || "_.".contains(*c)).collect()
        }
        None => statement.split_whitespace().take(3).collect::<Vec<_>>().join(" "),
    }
}

/// The messages in the log, with their details.
fn entries(log: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut in_detail = false;
    for line in log.lines() {
        if let Some(entry) = first_line(line) {
            in_detail = false;
            entries.push(entry);
            continue;
        }
        let Some(entry) = entries.last_mut() else { continue };
        let continued = line.strip_prefix('\t');
        if continued.is_none() {
            in_detail = line.contains(" DETAIL:  ");
        }
        if in_detail {
            let text = continued.or_else(|| Some(line.split_once(" DETAIL:  ")?.1)).unwrap_or_default();
            entry.detail.push_str(text);
            entry.detail.push('\n');
        }
        entry.whole.push('\n');
        entry.whole.push_str(line);
    }
    entries
}

/// A line that begins a message, written with [`crate::attack::LOG_LINE_PREFIX`].
fn first_line(line: &str) -> Option<Entry> {
    let (_, rest) = line.split_once(" [")?;
    let (process, rest) = rest.split_once("] ")?;
    let (before, severity, message) = SEVERITIES.iter().find_map(|severity| {
        let (before, message) = rest.split_once(&format!(" {severity}:  "))?;
        Some((before, *severity, message))
    })?;
    let (backend, state) = before.rsplit_once(' ')?;
    (state.len() == 5).then(|| Entry {
        process: process.to_string(),
        backend: backend.to_string(),
        state: state.to_string(),
        severity,
        message: message.to_string(),
        detail: String::new(),
        whole: line.to_string(),
    })
}

/// The first occurrence of a line in the log, with the lines before and after it.
fn around(log: &str, line: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let at = lines.iter().position(|other| *other == line).unwrap_or_default();
    lines[at.saturating_sub(4)..(at + 12).min(lines.len())].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const READY: &str = "2026-11-22 17:00:00.000 UTC [9] postmaster 00000 LOG:  database system is ready to accept connections\n";

    fn deadlock(victim: &str, other: &str) -> String {
        format!(
            "{READY}2026-11-22 17:00:01.000 UTC [11] client backend 40P01 ERROR:  deadlock detected\n\
             2026-11-22 17:00:01.000 UTC [11] client backend 40P01 DETAIL:  Process 11 waits for ShareLock on transaction 7; blocked by process 12.\n\
             \tProcess 12 waits for AccessExclusiveLock on relation 5 of database 4; blocked by process 11.\n\
             \tProcess 11: {victim}\n\
             \tProcess 12: {other}\n\
             2026-11-22 17:00:01.000 UTC [11] client backend 40P01 HINT:  See server log for query details.\n"
        )
    }

    fn judged(log: &str, restarts: usize) -> Report {
        let report = Report::new("test".to_string());
        judge(&report, log, restarts, &mut Deadlocks::default());
        report
    }

    #[test]
    fn only_users_may_deadlock() {
        let row = "UPDATE kb_a.document SET content = 'x'";
        assert!(judged(&deadlock(row, "delete from plain"), 0).is_clean());
        for (victim, other) in [(row, "SELECT kb_reindex('a')"), ("SELECT kb_configure('a')", row), (row, "")]
        {
            assert!(!judged(&deadlock(victim, other), 0).is_clean(), "{victim} {other}");
        }
    }

    /// For an error that kb_rag has raised again, the log shows no statements.
    #[test]
    fn notes_of_a_session_replace_the_log() {
        let log: String = deadlock("UPDATE a", "UPDATE b")
            .lines()
            .filter(|line| !line.contains(": UPDATE"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(!judged(&log, 0).is_clean());
        for (other, is_clean) in [("DELETE FROM b", true), ("SELECT kb_reindex('a')", false)] {
            let mut seen = Deadlocks::default();
            seen.push(
                11,
                Sides {
                    own: "UPDATE a".to_string(),
                    others: vec![other.to_string()],
                    reproduction: String::new(),
                },
            );
            let report = Report::new("test".to_string());
            judge(&report, &log, 0, &mut seen);
            assert_eq!(report.is_clean(), is_clean, "{}", report.text());
        }
    }

    #[test]
    fn crashes_and_restarts_are_faults() {
        assert!(judged(READY, 0).is_clean());
        assert!(judged(&READY.repeat(2), 1).is_clean());
        assert!(!judged(&READY.repeat(2), 0).is_clean());
        let signal = "2026-11-22 17:00:01.000 UTC [9] postmaster 00000 LOG:  server process (PID 11) was terminated by signal 11\n";
        assert!(!judged(&format!("{READY}{signal}"), 0).is_clean());
    }

    #[test]
    fn faults_of_workers_are_detected() {
        let entry = |state: &str, message: &str| {
            format!("{READY}2026-11-22 17:00:01.000 UTC [11] kb_rag worker {state} WARNING:  {message}\n")
        };
        assert!(judged(&entry("58000", "provider \"mock\" is down"), 0).is_clean());
        assert!(!judged(&entry("XX000", "cache lookup failed for type 5"), 0).is_clean());
        assert!(
            !judged(&entry("23505", "duplicate key value violates unique constraint \"embedding_pkey\""), 0)
                .is_clean()
        );
        assert!(
            judged(&entry("XX000", "referential integrity query on \"a\" gave unexpected result"), 0)
                .is_clean()
        );
    }
}
