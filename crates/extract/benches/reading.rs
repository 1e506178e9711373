//! How fast files are read: pages and megabytes a second, the best of several runs.
//!
//!     cargo bench -p kb_rag_extract
#![allow(clippy::unwrap_used)] // a tool: it may stop

#[path = "../tests/samples/mod.rs"]
mod samples;

use std::path::Path;
use std::time::{Duration, Instant};

use kb_rag_core::extract_protocol::Failure;
use kb_rag_extract::{File, Text, docx, pdf};

fn report(name: &str, bytes: &[u8], read: impl Fn(&File) -> Result<Text, Failure>) {
    let mut best = Duration::MAX;
    let mut text = Text::default();
    for _ in 0..5 {
        let start = Instant::now();
        text = read(&File { bytes, ..File::default() }).unwrap();
        best = best.min(start.elapsed());
    }
    let seconds = best.as_secs_f64();
    let (file, content) = (bytes.len(), text.pages.iter().map(|page| page.content.len()).sum::<usize>());
    let rate = |bytes: usize| bytes as f64 / 1e6 / seconds;
    println!(
        "{name}: {:.1} ms, {} pages, {:.0} pages/s; file {:.2} MB, {:.1} MB/s; text {:.2} MB, {:.1} MB/s",
        seconds * 1e3,
        text.pages.len(),
        text.pages.len() as f64 / seconds,
        file as f64 / 1e6,
        rate(file),
        content as f64 / 1e6,
        rate(content),
    );
}

fn main() {
    let pages: Vec<_> = (0..300).map(|at| samples::pdf::Content::packed(&samples::pdf::prose(at))).collect();
    report("PDF, 300 pages made here", &samples::pdf::Pdf::new(&pages).bytes(), pdf::extract);
    let faq = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/pdf/debian/debian-faq.en.pdf");
    if let Ok(bytes) = std::fs::read(faq) {
        report("PDF, the Debian FAQ", &bytes, pdf::extract);
    }
    let paragraphs: String =
        (0..20_000).map(|at| samples::docx::p("", &format!("Paragraph {at} says little."))).collect();
    report("DOCX, 20,000 paragraphs", &samples::docx::docx(&paragraphs), docx::extract);
}
