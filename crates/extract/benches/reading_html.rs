//! How fast pages are read: `cargo bench --bench reading_html`. Prints megabytes of HTML a second, for a page of our own and,
//! where ../shared/html lies beside the checkout, for each page there.
#![allow(clippy::unwrap_used)] // a program for developers

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kb_rag_extract::{File, extract};

/// How long each page is read.
const TIME: Duration = Duration::from_millis(500);

fn measure(name: &str, page: &[u8]) {
    let file = File { bytes: page, mime_type: Some("text/html"), ..File::default() };
    let start = Instant::now();
    let mut runs = 0u32;
    let mut text = 0;
    while runs == 0 || start.elapsed() < TIME {
        text = extract(&file).unwrap().pages[0].content.len();
        runs += 1;
    }
    let seconds = start.elapsed().as_secs_f64() / f64::from(runs);
    println!(
        "{:9} bytes, {text:7} of text {:8.2} ms {:6.2} MB/s  {name}",
        page.len(),
        seconds * 1e3,
        page.len() as f64 / seconds / 1e6
    );
}

fn pages(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "html" || extension == "htm")
            && !path.ends_with("expected.html")
        {
            found.push(path);
        }
    }
}

fn main() {
    let page = include_str!("../tests/data/page.html");
    let (before, article) = page.split_once("<h2 id").unwrap();
    let (article, after) = article.split_once("</article>").unwrap();
    for sections in [1, 30, 300] {
        let page = format!("{before}{}</article>{after}", format!("<h2 id{article}").repeat(sections));
        measure(&format!("{sections} times the sections of a page"), page.as_bytes());
    }
    let mut found = Vec::new();
    pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/html"), &mut found);
    found.sort();
    for path in found {
        let name: Vec<_> = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
        measure(&format!("{}/{}", name[1], name[0]), &std::fs::read(&path).unwrap());
    }
}
