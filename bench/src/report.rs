//! Tables, targets and checks, as Markdown on standard output and in the output directory.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

/// The results.
pub struct Report {
    pub directory: PathBuf,
    began: Instant,
    failures: Vec<String>,
}

impl Report {
    pub fn new(directory: PathBuf) -> Result<Report> {
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        Ok(Report { directory, began: Instant::now(), failures: Vec::new() })
    }

    /// Reports progress on standard error, with the elapsed time.
    pub fn progress(&self, text: &str) {
        eprintln!("   {:>6.1} s  {text}", self.began.elapsed().as_secs_f64());
    }

    /// Prints a text and appends it to the file of a part.
    pub fn text(&self, part: &str, text: &str) -> Result<()> {
        println!("{text}");
        self.append(&format!("{part}.md"), &format!("{text}\n"))
    }

    /// A table with a heading and a note on how to read it.
    pub fn table(
        &self,
        part: &str,
        title: &str,
        note: &str,
        header: &[&str],
        rows: &[Vec<String>],
    ) -> Result<()> {
        let mut text = format!("\n### {title}\n\n");
        if !note.is_empty() {
            writeln!(text, "{note}\n")?;
        }
        writeln!(text, "| {} |", header.join(" | "))?;
        writeln!(text, "|{}", " --- |".repeat(header.len()))?;
        for row in rows {
            writeln!(text, "| {} |", row.join(" | "))?;
        }
        self.text(part, text.trim_end())
    }

    /// A speed target: reported, and not a failure if missed.
    pub fn target(&self, what: &str, wanted: &str, got: &str, met: bool) -> Result<()> {
        let verdict = if met { "met" } else { "**MISSED**" };
        self.append("targets.md", &format!("| {what} | {wanted} | {got} | {verdict} |\n"))
    }

    /// A condition that must hold at any speed: the run fails if it does not.
    pub fn check(&mut self, what: &str, got: &str, holds: bool) -> Result<()> {
        if !holds {
            self.failures.push(format!("{what}: {got}"));
        }
        let verdict = if holds { "holds" } else { "**FAILS**" };
        self.append("targets.md", &format!("| {what} | always | {got} | {verdict} |\n"))
    }

    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    fn append(&self, file: &str, text: &str) -> Result<()> {
        let path = self.directory.join(file);
        let mut file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.as_mut().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        Ok(file.write_all(text.as_bytes())?)
    }
}

/// A number with as many digits as are significant.
pub fn figure(value: f64) -> String {
    match value.abs() {
        _ if value.is_nan() => "–".to_string(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
