//! The faults found: each once, with the statements that first led to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The most characters of a reproduction that are printed.
const MAX_REPRODUCTION_CHARACTERS: usize = 6000;

/// The most further statements listed for the same fault.
const MAX_OTHERS: usize = 4;

/// A fault that occurred at least once.
struct Fault {
    kind: String,
    message: String,
    reproduction: String,
    /// Other statements that led to it.
    others: Vec<String>,
    times: usize,
    first_at: Duration,
}

#[derive(Default)]
struct Found {
    /// By kind, and by message without its names and numbers.
    faults: BTreeMap<String, Fault>,
    counts: BTreeMap<String, usize>,
    notes: Vec<String>,
}

/// Shared by all threads of a generator.
pub struct Report {
    title: String,
    began: Instant,
    found: Mutex<Found>,
}

impl Report {
    /// An empty report.
    pub fn new(title: String) -> Report {
        Report { title, began: Instant::now(), found: Mutex::default() }
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Notes a fault. Faults that differ only in names and numbers count as one.
    pub fn fault(&self, kind: &str, message: &str, reproduction: &str) {
        let mut found = self.found();
        let key = format!("{kind} {}", without_values(message));
        let fault = found.faults.entry(key).or_insert_with(|| {
            eprintln!(
                "   fault after {:.0} s: {kind}: {}",
                self.began.elapsed().as_secs_f64(),
                first_line(message)
            );
            Fault {
                kind: kind.to_string(),
                message: message.to_string(),
                reproduction: cut(reproduction),
                others: Vec::new(),
                times: 0,
                first_at: self.began.elapsed(),
            }
        });
        let other = last_lines(reproduction);
        let is_new = !fault.others.contains(&other) && last_lines(&fault.reproduction) != other;
        if is_new && fault.others.len() < MAX_OTHERS {
            fault.others.push(other);
        }
        fault.times += 1;
    }

    /// Counts an event for the summary, such as a SQLSTATE.
    pub fn count(&self, what: &str) {
        *self.found().counts.entry(what.to_string()).or_default() += 1;
    }

    /// Adds a line to the summary.
    pub fn note(&self, line: String) {
        self.found().notes.push(line);
    }

    /// Whether no fault has been found so far.
    pub fn is_clean(&self) -> bool {
        self.found().faults.is_empty()
    }

    /// The whole report.
    pub fn text(&self) -> String {
        let found = self.found();
        let mut text = format!(
            "{}: {:.0} s, {} faults\n",
            self.title,
            self.began.elapsed().as_secs_f64(),
            found.faults.len()
        );
        let counts: Vec<String> =
            found.counts.iter().map(|(what, times)| format!("{what} {times}")).collect();
        let _ = writeln!(text, "{}", counts.join(", "));
        text.extend(found.notes.iter().map(|note| format!("{note}\n")));
        for (number, fault) in found.faults.values().enumerate() {
            let Fault { kind, message, reproduction, others, times, first_at } = fault;
            let _ = writeln!(
                text,
                "\nFAULT {}: {kind}, {times} times, first after {:.1} s\n  {}\n{}",
                number + 1,
                first_at.as_secs_f64(),
                cut(message).replace('\n', "\n  "),
                reproduction.lines().map(|line| format!("    {line}\n")).collect::<String>()
            );
            text.extend(others.iter().map(|other| format!("  also: {other}\n")));
        }
        text
    }
}

/// The last statement of a reproduction, and the one before it.
fn last_lines(reproduction: &str) -> String {
    let lines: Vec<&str> = reproduction.lines().filter(|line| !line.starts_with("--")).collect();
    let last = &lines[lines.len().saturating_sub(2)..];
    last.iter().map(|line| line.chars().take(250).collect::<String>()).collect::<Vec<_>>().join("  ")
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// A message of any length, cut to fit a report.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_REPRODUCTION_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} bytes in all)", &text[..end], text.len()),
        None => text.to_string(),
    }
}

/// The first line of the message and the place in the source, without quoted parts and numbers.
fn without_values(message: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    let location = message.lines().skip(1).filter(|line| line.starts_with("LOCATION: "));
    let telling = first_line(message).chars().take(300).chain(location.flat_map(str::chars));
    for character in telling {
        match character {
            '"' => quoted = !quoted,
            _ if quoted || character.is_ascii_digit() => continue,
            _ => {}
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_that_differ_in_values_are_one() {
        let report = Report::new("test".to_string());
        assert!(report.is_clean());
        report.fault("XX000", "cache lookup failed for type 17", "SELECT 1");
        report.fault("XX000", "cache lookup failed for type 4711\nCONTEXT: a statement", "SELECT 2");
        report.fault("XX000", "the row of provider \"a\" is damaged", "SELECT 3");
        report.fault("XX000", "the row of provider \"b 1\" is damaged", "SELECT 4");
        let text = report.text();
        assert!(!report.is_clean());
        assert!(
            text.contains("2 faults") && text.contains("SELECT 1") && text.contains("SELECT 3"),
            "{text}"
        );
        assert!(text.contains("also: SELECT 2") && text.contains("also: SELECT 4"), "{text}");
    }
}
