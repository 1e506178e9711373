//! Compares small models with made-up weights with reference/small.json, which generate_small.py made with an
//! independent implementation: CLS pooling, many layers, Dense layers and prefixes.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use crate::tiny_model::{self, TinyModel};
use kb_rag_encoder::{Encoder, InputType, Kernel, Variant};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Reference {
    name: String,
    layers: usize,
    hidden: usize,
    intermediate: usize,
    heads: usize,
    pooling: String,
    dense: Option<Dense>,
    prompts: Value,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Dense {
    outputs: usize,
    bias: bool,
    activation: String,
}

/// The vectors of a text as a query and as a document.
#[derive(Deserialize)]
struct Case {
    text: String,
    query: Vec<f32>,
    document: Vec<f32>,
}

impl Reference {
    fn model(&self) -> TinyModel {
        let mut model = TinyModel::deep(self.layers, self.hidden, self.intermediate, self.heads);
        match &self.dense {
            Some(dense) => model.add_dense(dense.outputs, dense.bias, &dense.activation),
            None => model.put("modules.json", tiny_model::modules(&["Transformer", "Pooling"]).to_string()),
        }
        model.put("1_Pooling/config.json", json!({"pooling_mode": self.pooling}).to_string());
        model.put("config_sentence_transformers.json", json!({"prompts": self.prompts}).to_string());
        model
    }

    /// Every text with its type and expected vector.
    fn cases(&self) -> impl Iterator<Item = (&str, InputType, &[f32])> {
        self.cases.iter().flat_map(|case| {
            [
                (case.text.as_str(), InputType::Query, case.query.as_slice()),
                (case.text.as_str(), InputType::Document, case.document.as_slice()),
            ]
        })
    }
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("reference/small.json")).unwrap()
}

fn encode(encoder: &Encoder, text: &str, input: InputType) -> Vec<f32> {
    encoder.encode(text, input, &mut || ()).unwrap()
}

#[test]
fn f32_vectors_are_within_a_hundred_thousandth() {
    let mut worst = 0.0_f32;
    for reference in references() {
        let encoder = reference.model().open().unwrap();
        assert_eq!(encoder.pooling(), reference.pooling);
        for (text, input, expected) in reference.cases() {
            let vector = encode(&encoder, text, input);
            assert_eq!((vector.len(), encoder.dimensions()), (expected.len(), expected.len()));
            for (ours, expected) in vector.iter().zip(expected) {
                let difference = (ours - expected).abs();
                assert!(difference <= 1e-5, "{} {text:?}: {ours} is not {expected}", reference.name);
                worst = worst.max(difference);
            }
        }
    }
    eprintln!("largest difference from the reference: {worst:e}");
}

#[test]
fn int8_vectors_are_close_and_the_same_on_every_kernel() {
    for reference in references() {
        let model = reference.model();
        model.quantize();
        // The int8 weights include the Dense layer.
        std::fs::remove_file(model.path().join(Variant::F32.file())).unwrap();
        if reference.dense.is_some() {
            std::fs::remove_file(model.path().join("2_Dense").join(Variant::F32.file())).unwrap();
        }
        let mut least = 1.0_f32;
        for (text, input, expected) in reference.cases() {
            let mut vectors = Kernel::available()
                .into_iter()
                .map(|kernel| encode(&model.open().unwrap().with_kernel(kernel), text, input));
            let vector = vectors.next().unwrap();
            assert!(vectors.all(|other| other == vector), "{} {text:?}", reference.name);
            let cosine = vector.iter().zip(expected).map(|(a, b)| a * b).sum();
            least = least.min(cosine);
        }
        eprintln!("{}: least cosine to the reference {least}", reference.name);
        assert!(least >= 0.999, "{}: {least}", reference.name);
    }
}
