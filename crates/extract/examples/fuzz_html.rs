//! Reads random pages for some seconds: `cargo run --release --example fuzz_html -- 600 [directory of pages]`. The variable `SEED`
//! repeats a run.
//!
//! Pages are of random tags, random changes of a page of the tests and of the pages below the directory, or trees of elements
//! whose words are known: each must be in the content once, in its order. What fails is written to `fuzz-failed-*.html` in the directory for temporary files.
#![allow(clippy::unwrap_used, clippy::panic)] // a program for developers

#[path = "../tests/common/properties.rs"]
mod properties;
#[path = "../tests/common/soup.rs"]
mod soup;
#[path = "../tests/common/trees.rs"]
mod trees;

use std::collections::HashMap;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use soup::Random;

fn pages(directory: &Path, found: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "html" || extension == "htm") {
            found.push(std::fs::read(path).unwrap());
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(10, |seconds| seconds.parse().unwrap());
    let mut seeds = vec![include_bytes!("../tests/data/page.html").to_vec()];
    if let Some(directory) = arguments.next() {
        pages(Path::new(&directory), &mut seeds);
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
    let seed = std::env::var("SEED").map_or(now as u64, |seed| seed.parse().unwrap());
    let mut random = Random(seed | 1);
    let start = Instant::now();
    let (mut runs, mut bytes, mut failures) = (0u64, 0u64, 0u64);
    let mut slowest = (Duration::ZERO, 0);
    let mut kinds: HashMap<bool, u64> = HashMap::new();
    while start.elapsed() < Duration::from_secs(seconds) {
        let of_tags = random.below(4) == 0;
        let tree = (!of_tags && random.below(3) == 0).then(|| trees::Tree::random(&mut random));
        let page = if of_tags {
            soup::soup(&mut random)
        } else if let Some(tree) = &tree {
            tree.page.as_bytes().to_vec()
        } else {
            let seed = random.below(seeds.len());
            soup::mutate(&seeds[seed], &mut random)
        };
        let check = || {
            properties::check(&page);
            if let Some(tree) = &tree {
                let differences = tree.differences(&properties::content(&page));
                assert!(differences.is_empty(), "{differences:?}");
            }
        };
        let begin = Instant::now();
        if catch_unwind(std::panic::AssertUnwindSafe(check)).is_err() {
            failures += 1;
            let path = std::env::temp_dir().join(format!("fuzz-failed-{failures}.html"));
            std::fs::write(&path, &page).unwrap();
            println!("failed: {}", path.display());
        }
        if begin.elapsed() > slowest.0 {
            slowest = (begin.elapsed(), page.len());
            let _ = std::fs::write(std::env::temp_dir().join("fuzz-slowest.html"), &page);
        }
        *kinds.entry(of_tags).or_default() += 1;
        runs += 1;
        bytes += page.len() as u64;
    }
    println!(
        "{runs} pages, {bytes} bytes from {} seeds in {:?}; {failures} failed",
        seeds.len(),
        start.elapsed()
    );
    println!(
        "{} of tags, slowest {:?} for {} bytes",
        kinds.get(&true).copied().unwrap_or_default(),
        slowest.0,
        slowest.1
    );
    if failures > 0 {
        std::process::exit(1);
    }
}
