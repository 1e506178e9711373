//! The output of the chunker, and of what reads the answers of Firecrawl, changes only with their versions.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;
#[path = "common/digest.rs"]
mod digest;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use common::{STRATEGIES, split, split_within};
use kb_rag_core::chunk::{Chunk, TokenWindow, detect};
use kb_rag_core::file_kind::table;
use kb_rag_core::version::{CHUNKER, FIRECRAWL, of_reader};
use kb_rag_core::web::firecrawl::read_scrape;

/// Sizes and overlaps in characters.
const SIZES: [(usize, usize); 3] = [(1000, 200), (200, 50), (40, 0)];

const CODE: &str = "use std::io;\n\n/// Says hello.\nfn hello(name: &str) -> String {\n    format!(\"Hello, {name}\")\n}\n\n\
    struct Cup {\n    tea: bool,\n}\n\nimpl Cup {\n    // Fills it.\n    fn fill(&mut self) {\n        self.tea = true;\n    }\n}\n";

const BOXES: &str = "# Cleaning\n\nWeekly.\n\n> **Note**\n> ## Bleach\n> None of it.\n\nLet it dry.\n\n:::warning\n## Heat\nNot above 60 degrees.\n:::\n\n\
    ## Storing\n\n!!! note \"Light\"\n    ### Dark\n    In the dark.\n\nOn a shelf.\n\n<div class=\"note\">\n\n## Dust\n\nA cloth.\n\n</div>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
    1. one\n2. two\n\n```sh\nrm -r dust\n\n# more\n```\n";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

const TABLE: &str = "# Sales

|  | 2025 |  |
|---|---|---|
| Region | Q1 | Q2 |
| Europe |  |  |
| Spain | 10 | 20 |
|  | 30 | 40 |
| Asia |  |  |
| Japan | 50 | 60 |
|  | 70 | 80 |

After the table.
";

const RECORDS: &str = "sep=;\nid;name;note\n1;\"a; b\";\"two\nlines\"\n;c;\"open\n2;d;5\" pipe\n\n3;e;f\n";

fn written(chunks: &[Chunk]) -> String {
    let mut all = String::new();
    for Chunk { chars, heading, context, .. } in chunks {
        let [heading, context] = [heading, context].map(|text| text.as_deref().unwrap_or_default());
        writeln!(all, "{}-{} {heading} {context}", chars.start, chars.end).unwrap();
    }
    all
}

#[test]
fn chunks() {
    let mut samples: Vec<(String, String)> =
        [("code", CODE), ("boxes", BOXES), ("table", TABLE), ("records", RECORDS)]
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .into();
    for entry in fs::read_dir(directory().join("samples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        samples.push((name, fs::read_to_string(path).unwrap()));
    }
    let mut outputs = Vec::new();
    for (name, text) in &samples {
        for strategy in STRATEGIES {
            let mut output = String::new();
            for (size, overlap) in SIZES {
                output += &written(&split(text, size, overlap, strategy));
            }
            let window = Some(TokenWindow { size: 60, overlap: 10 });
            output += &written(&split_within(text, (100_000, 0), strategy, 60, window));
            outputs.push((format!("{name} {strategy:?}"), output));
        }
    }
    // The strategy of a file of each kind.
    let mut of_kinds = String::new();
    for kind in table::kinds() {
        for ending in kind.endings() {
            writeln!(of_kinds, "{ending} {:?}", detect(None, Some(&format!("a.{ending}")), None)).unwrap();
        }
        for of_type in kind.types() {
            writeln!(of_kinds, "{of_type} {:?}", detect(Some(of_type), None, None)).unwrap();
        }
    }
    outputs.push(("auto".into(), of_kinds));
    digest::check(&directory().join("digests/chunker"), "the chunker", CHUNKER, outputs);
}

#[test]
fn firecrawl() {
    let answer = serde_json::json!({"success": true, "data": {
        "markdown": "# Tea\n\nGreen [tea](https://example.com/green)\u{0}, ![cup](cup.png) two minutes.\n\n\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "metadata": {"title": ["Tea", "Leaves"], "language": "en-GB", "sourceURL": "https://example.com/tea", "statusCode": 200}
    }});
    let scraped = read_scrape(answer.to_string().as_bytes()).unwrap();
    let output = format!("{:?} {:?} {:?}", scraped.title, scraped.language, scraped.markdown);
    let version = of_reader(FIRECRAWL).unwrap();
    digest::check(&directory().join("digests/firecrawl"), FIRECRAWL, version, [("page".to_string(), output)]);
}
