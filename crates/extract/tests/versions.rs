//! The output of each reader changes only with its version, which documents keep.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

#[path = "../../core/tests/common/digest.rs"]
mod digest;
mod samples;

use std::fs;
use std::path::{Path, PathBuf};

use kb_rag_core::extract_protocol::{Properties, ReadBy};
use kb_rag_core::file_kind::Reader;
use kb_rag_core::version::of_reader;
use kb_rag_extract::{File, extract, extract_page};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The samples by their names: files, and those that the tests make.
fn all() -> Vec<(String, Vec<u8>)> {
    let mut all = vec![("everything.docx".to_string(), samples::docx::sample())];
    for (number, file) in (1..).zip(samples::pdf::samples()) {
        all.push((format!("everything-{number}.pdf"), file));
    }
    let columns = [(50.0, "left"), (320.0, "right")].map(|(x, side)| {
        let lines: Vec<String> = (1..40).map(|line| format!("{side} line {line} of some words")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        samples::pdf::block(x, 750.0, &lines)
    });
    all.push(("columns.pdf".to_string(), samples::pdf::pdf(&[&columns.concat()])));
    for entry in fs::read_dir(directory().join("data/versions")).unwrap() {
        let path = entry.unwrap().path();
        all.push((path.file_name().unwrap().to_str().unwrap().to_string(), fs::read(path).unwrap()));
    }
    all.sort();
    all
}

#[test]
fn the_output_of_readers() {
    for reader in Reader::ALL {
        let mut outputs = Vec::new();
        for (name, bytes) in all() {
            let file = File { bytes: &bytes, filename: Some(&name), ..File::default() };
            if file.kind().reader() != Ok(reader) {
                continue;
            }
            let of_page =
                (reader == Reader::Html).then(|| extract_page(&file, "https://example.com/a/").unwrap());
            let text = of_page.unwrap_or_else(|| extract(&file).unwrap());
            assert_eq!(text.properties.reader, Some(ReadBy::own(reader.name())), "{name}");
            let properties = Properties { reader: None, ..text.properties };
            outputs.push((name, format!("{properties:?}\n{:?}", text.pages)));
        }
        let path = directory().join("digests").join(reader.name());
        let what = format!("the reader {}", reader.name());
        digest::check(&path, &what, of_reader(reader.name()).unwrap(), outputs);
    }
}
