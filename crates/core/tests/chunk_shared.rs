//! Properties on the cases and documents in ../shared/chunking: recorded inputs of other chunkers, and long documents.
//! They are not part of the repository. dev/test runs these tests if the directory exists, and counts them as skipped
//! otherwise.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{SIZES, STRATEGIES, between_words, check};
use kb_rag_core::chunk::Strategy;
use serde_json::Value;

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/chunking")
}

fn cases() -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for name in ["langchain_cases.jsonl", "peer_cases.jsonl"] {
        for line in fs::read_to_string(shared().join(name)).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let number = |name: &str| case["params"][name].as_u64().map(|n| n as usize);
            let input = case["input"].as_str().unwrap().to_owned();
            // Header splitters have no size; some cases ask for an overlap as large as the chunk.
            let size = number("chunk_size").unwrap_or(30);
            found.push((input, size, number("chunk_overlap").unwrap_or(0).min(size - 1)));
        }
    }
    found
}

#[test]
#[ignore = "needs ../shared/chunking"]
fn properties_on_shared_cases() {
    let cases = cases();
    assert!(cases.len() > 50, "{} cases", cases.len());
    for (input, size, overlap) in cases {
        for strategy in STRATEGIES {
            check(&input, size, overlap, strategy);
            for (size, overlap) in SIZES {
                check(&input, size, overlap, strategy);
            }
        }
    }
}

#[test]
#[ignore = "needs ../shared/chunking"]
fn properties_on_shared_documents() {
    let mut documents = 0;
    for kind in ["code", "markdown", "multilingual", "text"] {
        for entry in fs::read_dir(shared().join("docs").join(kind)).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            for (size, overlap) in [(7, 3), (100, 20), (256, 200), (1000, 200), (4000, 400)] {
                check(&text, size, overlap, Strategy::Markdown);
                check(&text, size, overlap, Strategy::Text);
            }
            documents += 1;
        }
    }
    assert!(documents >= 10, "{documents} documents");
}

#[test]
#[ignore = "needs ../shared/chunking"]
fn books_rarely_end_between_words() {
    for name in ["room_with_a_view.txt", "romeo_and_juliet.txt"] {
        let text = fs::read_to_string(shared().join("docs/text").join(name)).unwrap();
        let (words, all) = between_words(&text);
        assert!(all > 100 && words * 100 <= all * 3, "{name}: {words} of {all}");
    }
}
