//! Reads mutated files for some time, and says what went wrong.
//!
//!     cargo run --release -p kb_rag_extract --example fuzz -- pdf 600 [SEED [FILE...]]
//!
//! The first argument is `pdf` or `docx`, the second the time in seconds. Files given are mutated besides the built-in
//! samples. Panics that the reader catches count too. A file that panics or takes longer than five seconds is written to
//! the directory for temporary files.
#![allow(clippy::unwrap_used)] // a tool: it may stop

#[path = "../tests/samples/mod.rs"]
mod samples;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kb_rag_extract::{File, docx, pdf};
use samples::mutate::{Random, mutated};

/// Where panics were, and how many.
static PANICS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

fn panics() -> usize {
    PANICS.lock().unwrap().values().sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format, seconds, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: fuzz pdf|docx SECONDS [SEED [FILE...]]");
        std::process::exit(2);
    };
    let seconds = Duration::from_secs(seconds.parse().unwrap());
    let first: u64 = rest.first().map_or(0, |seed| seed.parse().unwrap());
    let mut files = if format == "pdf" { samples::pdf::samples() } else { vec![samples::docx::sample()] };
    files.extend(rest.iter().skip(1).map(|path| std::fs::read(path).unwrap()));
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, ToString::to_string);
        *PANICS.lock().unwrap().entry(place).or_default() += 1;
    }));

    let start = Instant::now();
    let (mut runs, mut read, mut pages, mut slowest) = (0_u64, 0_u64, 0_usize, Duration::ZERO);
    while start.elapsed() < seconds {
        let mut random = Random(first.wrapping_add(runs));
        let file = random.below(files.len());
        let other = random.below(files.len());
        let bytes = changed(format, &files[file], &files[other], &mut random);
        let (began, before) = (Instant::now(), panics());
        let file = File { bytes: &bytes, ..File::default() };
        let text = if format == "pdf" { pdf::extract(&file) } else { docx::extract(&file) };
        let took = began.elapsed();
        slowest = slowest.max(took);
        if took > Duration::from_secs(5) || panics() > before {
            let name = std::env::temp_dir().join(format!("fuzz-{format}-{}", first.wrapping_add(runs)));
            std::fs::write(&name, &bytes).unwrap();
            println!("{}: {took:?}, {} panics", name.display(), panics() - before);
        }
        if let Ok(text) = text {
            read += 1;
            pages += text.pages.len();
            let sound = text.pages.iter().all(|page| !page.content.contains('\0'));
            assert!(sound, "NUL in the text of seed {}", first.wrapping_add(runs));
        }
        runs += 1;
    }
    println!("{runs} files, {read} of them read, with {pages} pages; the slowest took {slowest:?}");
    println!("{} panics: {:?}", panics(), PANICS.lock().unwrap());
}

/// A mutated file. Every second Word document has its XML mutated before it is packed, every second PDF file the content of
/// a page.
fn changed(format: &str, file: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    if random.below(2) == 0 {
        return mutated(file, other, random);
    }
    if format == "pdf" {
        let content = mutated(samples::pdf::prose(1).as_bytes(), other, random);
        let content = samples::pdf::Content { entries: String::new(), data: content };
        return samples::pdf::Pdf::new(&[content]).bytes();
    }
    let body = samples::docx::body();
    let xml = mutated(body.as_bytes(), samples::docx::STYLES.as_bytes(), random);
    let styles = mutated(samples::docx::STYLES.as_bytes(), body.as_bytes(), random);
    let numbering = mutated(samples::docx::NUMBERING.as_bytes(), body.as_bytes(), random);
    samples::docx::archive(&[
        ("word/document.xml", &xml),
        ("word/styles.xml", &styles),
        ("word/numbering.xml", &numbering),
    ])
}
