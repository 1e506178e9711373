//! What the user sees of a run: a bar or lines, failures, and the sum.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::error::{Failure, shown};
use crate::output;

/// What became of a file.
#[derive(Debug)]
pub enum Outcome {
    Added,
    Changed,
    Unchanged,
    Removed,
    /// Left out, with the reason.
    Skipped(String),
    Failed(Failure),
}

/// How many files had which outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub added: usize,
    pub changed: usize,
    pub unchanged: usize,
    pub removed: usize,
    pub skipped: usize,
    pub failed: usize,
}

impl Counts {
    fn summary(&self, time: Duration) -> String {
        format!(
            "{} added, {} changed, {} unchanged, {} removed, {} skipped, {} failed, in {:.1} s",
            self.added,
            self.changed,
            self.unchanged,
            self.removed,
            self.skipped,
            self.failed,
            time.as_secs_f64()
        )
    }
}

/// What is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Level {
    pub quiet: bool,
    pub verbose: bool,
    pub dry_run: bool,
    /// Nothing at all.
    pub silent: bool,
}

/// Shows the outcomes as they come, and counts them.
pub struct Report {
    level: Level,
    began: Instant,
    bar: Option<ProgressBar>,
    counts: Counts,
    /// How many were skipped before the first file was read.
    left_out: usize,
    reasons: BTreeMap<String, usize>,
    /// The first of them.
    failures: Vec<String>,
}

/// So many failures are kept.
const MAX_FAILURES: usize = 20;

impl Report {
    pub fn new(level: Level) -> Report {
        let (began, counts) = (Instant::now(), Counts::default());
        Report {
            level,
            began,
            bar: None,
            counts,
            left_out: 0,
            reasons: BTreeMap::new(),
            failures: Vec::new(),
        }
    }

    /// Before the first of this many files is read. Shows a bar where standard error is a terminal.
    pub fn begin(&mut self, files: usize) {
        self.left_out = self.counts.skipped;
        if self.level.quiet || self.level.silent || !stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::new(files as u64);
        // A template that is wrong leaves the standard one.
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} {pos} of {len} files, {elapsed}, {eta} left: {wide_msg}")
        {
            bar.set_style(style);
        }
        self.bar = Some(bar);
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many of the files to load are dealt with.
    pub fn done(&self) -> usize {
        let Counts { added, changed, unchanged, skipped, failed, .. } = self.counts;
        added + changed + unchanged + failed + skipped - self.left_out
    }

    /// What the table `source` says of the failures; None without one.
    pub fn error(&self) -> Option<String> {
        let first = self.failures.first()?;
        Some(format!("{} failed: {first}", files(self.counts.failed)))
    }

    /// The first failures, with the paths of the files.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Why files were left out.
    pub fn skipped(&self) -> impl Iterator<Item = &str> {
        self.reasons.keys().map(String::as_str)
    }

    /// How many files had which outcome.
    pub fn sum(&self) -> String {
        self.counts.summary(self.began.elapsed())
    }

    /// Notes the outcome of a file.
    pub fn add(&mut self, key: &str, outcome: Outcome) {
        let path = shown(key);
        let Counts { added, changed, unchanged, removed, skipped, failed } = &mut self.counts;
        let (count, word, level) = match &outcome {
            Outcome::Added => (added, "added", Some(false)),
            Outcome::Changed => (changed, "changed", Some(false)),
            Outcome::Removed => (removed, "removed", Some(false)),
            Outcome::Unchanged => (unchanged, "unchanged", Some(true)),
            Outcome::Skipped(_) => (skipped, "skipped", Some(true)),
            Outcome::Failed(_) => (failed, "failed", None),
        };
        *count += 1;
        if !matches!(outcome, Outcome::Removed)
            && let Some(bar) = &self.bar
        {
            bar.set_message(path.clone());
            bar.inc(1);
        }
        match outcome {
            Outcome::Failed(failure) => {
                if self.failures.len() < MAX_FAILURES {
                    self.failures.push(format!("{key}: {}", failure.message));
                }
                self.error_line(&format!("failed {path}: {failure}"));
            }
            Outcome::Skipped(reason) => {
                if self.level.verbose {
                    self.line(&format!("skipped {path}: {}", shown(&reason)));
                }
                *self.reasons.entry(reason).or_default() += 1;
            }
            _ => {
                // The bar stands for the lines.
                let wants = self.level.verbose || (level == Some(false) && self.bar.is_none());
                if wants && !self.level.quiet {
                    self.line(&format!("{word} {path}"));
                }
            }
        }
    }

    /// Shows a message about a file.
    pub fn warn(&self, key: &str, message: &str) {
        self.error_line(&format!("warning {}: {message}", shown(key)));
    }

    /// Shows a message about the run.
    pub fn note(&self, message: &str) {
        self.error_line(message);
    }

    /// Shows the sum.
    pub fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if self.level.quiet {
            return;
        }
        if !self.reasons.is_empty() {
            let reasons: Vec<String> =
                self.reasons.iter().map(|(reason, count)| format!("{count} {}", shown(reason))).collect();
            let more = if self.level.verbose { "" } else { " (--verbose names them)" };
            self.line(&format!("skipped: {}{more}", reasons.join(", ")));
        }
        let dry = if self.level.dry_run { "dry run, nothing was changed: " } else { "" };
        self.line(&format!("{dry}{}", self.sum()));
    }

    fn line(&self, text: &str) {
        self.beside_bar(|| output::line(text));
    }

    fn error_line(&self, text: &str) {
        self.beside_bar(|| output::error(text));
    }

    fn beside_bar(&self, write: impl FnOnce()) {
        if self.level.silent {
            return;
        }
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

/// `1 file`, `2 files`.
fn files(count: usize) -> String {
    if count == 1 { "1 file".to_string() } else { format!("{count} files") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_counts_every_outcome() {
        let mut report = Report::new(Level { quiet: true, ..Level::default() });
        report.add("link", Outcome::Skipped("symbolic link".to_string()));
        report.begin(8);
        for outcome in
            [Outcome::Added, Outcome::Added, Outcome::Changed, Outcome::Unchanged, Outcome::Removed]
        {
            report.add("a", outcome);
        }
        assert_eq!(report.error(), None);
        report.add("s", Outcome::Skipped("empty".to_string()));
        report.add("x.pdf", Outcome::Failed(Failure::new("first")));
        report.add("y.pdf", Outcome::Failed(Failure::new("second")));
        assert_eq!(
            report.counts().summary(Duration::from_millis(1260)),
            "2 added, 1 changed, 1 unchanged, 1 removed, 2 skipped, 2 failed, in 1.3 s"
        );
        assert_eq!(report.done(), 7);
        assert_eq!(report.error().as_deref(), Some("2 files failed: x.pdf: first"));
    }
}
