//! Compares the real model with vectors.json, which generate.py made with an independent implementation.

use std::io::Write;
use std::path::PathBuf;

use serde::Deserialize;

use crate::{Encoder, InputType};

#[derive(Deserialize)]
struct Case {
    text: String,
    repeat: usize,
    /// Tokens of the whole text.
    count: usize,
    /// Those that are read.
    ids: Vec<u32>,
    vector: Vec<f32>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

/// The real model, or none on a machine where it has not been fetched.
fn open_model() -> Option<Encoder> {
    let directory = match std::env::var_os("KB_RAG_TEST_MODEL") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/model/all-minilm-l6-v2"),
    };
    if std::env::var_os("KB_RAG_TEST_MODEL").is_none() && !directory.exists() {
        // Not eprintln, which a test runner keeps to itself when the test passes.
        let line = format!("SKIPPED: no model at {} and KB_RAG_TEST_MODEL is not set\n", directory.display());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    }
    Some(Encoder::open(&directory).unwrap())
}

fn encode(encoder: &Encoder, case: &Case) -> Vec<f32> {
    encoder.encode(&case.text.repeat(case.repeat), InputType::Document, &mut || ()).unwrap()
}

#[test]
fn tokens_are_those_of_hugging_face() {
    let Some(encoder) = open_model() else { return };
    for case in cases() {
        let text = case.text.repeat(case.repeat);
        assert_eq!(encoder.tokenizer.encode(text.chars(), 256), case.ids, "{:?}", case.text);
        assert_eq!(encoder.count_tokens(&text), case.count, "{:?}", case.text);
    }
}

#[test]
fn vectors_are_within_a_hundred_thousandth_of_the_reference() {
    let Some(encoder) = open_model() else { return };
    assert_eq!((encoder.dimensions(), encoder.max_tokens()), (384, 256));
    let mut worst = 0.0_f32;
    for case in cases() {
        let vector = encode(&encoder, &case);
        assert_eq!(vector.len(), case.vector.len());
        for (ours, reference) in vector.iter().zip(&case.vector) {
            let difference = (ours - reference).abs();
            assert!(difference <= 1e-5, "{:?}: {ours} is not {reference}", case.text);
            worst = worst.max(difference);
        }
    }
    eprintln!("largest difference from the reference: {worst:e}");
}

#[test]
fn a_vector_does_not_depend_on_what_was_encoded_before() {
    let Some(encoder) = open_model() else { return };
    let cases = &cases()[..8];
    let forwards: Vec<_> = cases.iter().map(|case| encode(&encoder, case)).collect();
    let mut backwards: Vec<_> = cases.iter().rev().map(|case| encode(&encoder, case)).collect();
    backwards.reverse();
    let bits = |vectors: &[Vec<f32>]| -> Vec<u32> { vectors.iter().flatten().map(|x| x.to_bits()).collect() };
    assert_eq!(bits(&forwards), bits(&backwards));
}
