//! Compares the real model with vectors.json, which generate.py made with an independent implementation.

use std::io::Write;
use std::path::PathBuf;

use serde::Deserialize;

use crate::{Encoder, InputType, Kernel, Variant, quantize};

#[derive(Deserialize)]
struct Case {
    text: String,
    repeat: usize,
    /// The number of tokens in the whole text.
    count: usize,
    /// The ids that are read.
    ids: Vec<u32>,
    vector: Vec<f32>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

/// The real model's directory, or None on a machine where it has not been downloaded.
fn model_directory() -> Option<PathBuf> {
    let directory = match std::env::var_os("KB_RAG_TEST_MODEL") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/model/all-minilm-l6-v2"),
    };
    if std::env::var_os("KB_RAG_TEST_MODEL").is_none() && !directory.exists() {
        // Not eprintln, because a test runner hides its output when the test passes.
        let line = format!("SKIPPED: no model at {} and KB_RAG_TEST_MODEL is not set\n", directory.display());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    }
    Some(directory)
}

fn open_f32() -> Option<Encoder> {
    Some(Encoder::open_variant(&model_directory()?, Variant::F32).unwrap())
}

/// One encoder for each kernel, with weights quantized now and no f32 weights beside them.
fn open_int8() -> Option<Vec<Encoder>> {
    let source = model_directory()?;
    let directory = tempfile::tempdir().unwrap();
    for file in ["config.json", "vocab.txt"] {
        std::fs::copy(source.join(file), directory.path().join(file)).unwrap();
    }
    std::fs::write(directory.path().join(Variant::Int8.file()), quantize(&source).unwrap()).unwrap();
    let open = |kernel| Encoder::open(directory.path()).unwrap().with_kernel(kernel);
    Some(Kernel::available().into_iter().map(open).collect())
}

#[test]
fn quantizing_gives_the_same_file_as_setup() {
    let Some(directory) = model_directory() else { return };
    let made = std::fs::read(directory.join(Variant::Int8.file())).unwrap();
    assert!(quantize(&directory).unwrap() == made, "other weights than those of the directory");
}

fn encode(encoder: &Encoder, case: &Case) -> Vec<f32> {
    encoder.encode(&case.text.repeat(case.repeat), InputType::Document, &mut || ()).unwrap()
}

#[test]
fn tokens_are_those_of_hugging_face() {
    let Some(encoder) = open_f32() else { return };
    for case in cases() {
        let text = case.text.repeat(case.repeat);
        assert_eq!(encoder.tokenizer.encode(text.chars(), 256), case.ids, "{:?}", case.text);
        assert_eq!(encoder.count_tokens(&text), case.count, "{:?}", case.text);
    }
}

#[test]
fn vectors_are_within_a_hundred_thousandth_of_the_reference() {
    let Some(encoder) = open_f32() else { return };
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
    let Some(encoder) = open_f32() else { return };
    let int8 = open_int8().unwrap().swap_remove(0);
    let cases = &cases()[..8];
    for encoder in [encoder, int8] {
        let forwards: Vec<_> = cases.iter().map(|case| encode(&encoder, case)).collect();
        let mut backwards: Vec<_> = cases.iter().rev().map(|case| encode(&encoder, case)).collect();
        backwards.reverse();
        assert_eq!(bits(&forwards.concat()), bits(&backwards.concat()));
    }
}

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn int8_vectors_are_close_to_the_reference() {
    let Some(encoders) = open_int8() else { return };
    let mut cosines = Vec::new();
    for case in cases() {
        let vector = encode(&encoders[0], &case);
        // Both have length 1.
        let cosine: f32 = vector.iter().zip(&case.vector).map(|(ours, reference)| ours * reference).sum();
        assert!(cosine >= 0.99, "{:?}: cosine {cosine}", case.text);
        cosines.push(cosine);
    }
    let least = cosines.iter().copied().fold(1.0, f32::min);
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    eprintln!("cosine to the reference: least {least:.5}, mean {mean:.5} of {}", cosines.len());
}

#[test]
fn int8_vectors_are_the_same_bits_on_every_kernel() {
    let Some(encoders) = open_int8() else { return };
    for case in cases() {
        let vectors: Vec<_> = encoders.iter().map(|encoder| encode(encoder, &case)).collect();
        for (vector, encoder) in vectors.iter().zip(&encoders) {
            assert_eq!(bits(vector), bits(&vectors[0]), "{:?} on {}", case.text, encoder.kernel());
        }
    }
}
