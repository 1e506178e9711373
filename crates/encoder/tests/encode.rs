//! The behavior of an encoder towards its caller, on a model small enough to need no download.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::tiny_model::{self, TinyModel};
use kb_rag_encoder::{Encoder, ErrorKind, InputType, Kernel, Similarities, Variant};
use serde_json::json;
use sha2::{Digest, Sha256};

fn encode(encoder: &Encoder, text: &str) -> Vec<f32> {
    encoder.encode(text, InputType::Document, &mut || ()).unwrap()
}

#[test]
fn vectors_have_the_models_size_and_length_one() {
    let encoder = TinyModel::new().open().unwrap();
    assert_eq!((encoder.dimensions(), encoder.max_tokens()), (tiny_model::HIDDEN, tiny_model::POSITIONS));
    for text in ["", "sun", "sunflower moon", "unknown!", &"sun ".repeat(1000)] {
        let vector = encode(&encoder, text);
        assert_eq!(vector.len(), encoder.dimensions());
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-6);
    }
    assert_ne!(encode(&encoder, "sun"), encode(&encoder, "moon"));
}

#[test]
fn text_beyond_the_limit_does_not_count() {
    let model = TinyModel::new();
    model.put("kb_model.json", r#"{"max_tokens": 5}"#);
    let encoder = model.open().unwrap();
    assert_eq!(encoder.count_tokens("sun moon a"), 5);
    assert_eq!(encoder.count_tokens("sun moon ab b"), 7);
    assert_eq!(encode(&encoder, "sun moon ab"), encode(&encoder, "sun moon a"));
}

#[test]
fn an_encoder_stays_usable_after_an_interrupt() {
    let encoder = TinyModel::new().open().unwrap();
    let before = encode(&encoder, "sunflower");
    // Once after tokenizing and once before the only layer.
    for stop_at in 1..=2 {
        let mut calls = 0;
        let stopped = catch_unwind(AssertUnwindSafe(|| {
            encoder.encode("moon a b", InputType::Query, &mut || {
                calls += 1;
                if calls == stop_at {
                    std::panic::resume_unwind(Box::new("cancelled"));
                }
            })
        }));
        assert_eq!(stopped.unwrap_err().downcast_ref(), Some(&"cancelled"));
        assert_eq!(calls, stop_at);
        assert_eq!(encode(&encoder, "sunflower"), before);
    }
}

#[test]
fn a_giant_word_can_be_interrupted_before_it_ends() {
    let encoder = TinyModel::new().open().unwrap();
    let mut calls = 0;
    encoder.encode(&"a".repeat(1 << 20), InputType::Query, &mut || calls += 1).unwrap();
    assert_eq!(calls, 16 + 2);
}

#[test]
fn prefixes_go_before_the_text_of_their_kind() {
    let model = TinyModel::new();
    let plain = model.open().unwrap();
    model.put("kb_model.json", r#"{"query_prefix": "sun ", "document_prefix": "sun"}"#);
    let prefixed = model.open().unwrap();
    let query = |text| prefixed.encode(text, InputType::Query, &mut || ()).unwrap();
    assert_eq!(query("moon"), encode(&plain, "sun moon"));
    assert_eq!(encode(&prefixed, "flower"), encode(&plain, "sunflower"));
    assert_eq!(prefixed.count_tokens("moon"), 3);
}

#[test]
fn kb_model_json_takes_precedence_over_other_settings() {
    let model = TinyModel::new();
    let mean = encode(&model.open().unwrap(), "Sun");
    model.put("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true, "word_embedding_dimension": 8}"#);
    model.put("sentence_bert_config.json", r#"{"max_seq_length": 7, "do_lower_case": false}"#);
    let cls = model.open().unwrap();
    assert_eq!(cls.max_tokens(), 7);
    assert_ne!(encode(&cls, "Sun"), mean);
    model.put("tokenizer_config.json", r#"{"do_lower_case": false, "strip_accents": null}"#);
    let cased = model.open().unwrap();
    assert_ne!(encode(&cased, "Sun"), encode(&cls, "Sun"));
    model.put("kb_model.json", r#"{"pooling": "mean", "max_tokens": 9, "lowercase": true}"#);
    let own = model.open().unwrap();
    assert_eq!(own.max_tokens(), 9);
    assert_eq!(encode(&own, "Sun"), mean);
}

#[test]
fn prefixes_come_from_prompts_where_kb_model_json_does_not_say() {
    for (prompts, own, query, document) in [
        (r#"{"query": "q: ", "document": "d: ", "passage": "p: "}"#, "{}", "q: ", "d: "),
        (r#"{"query": "q: ", "passage": "p: ", "clustering": "c: "}"#, "{}", "q: ", "p: "),
        (r#"{"query": "q: ", "document": null}"#, "{}", "q: ", ""),
        (r#"{"query": "q: ", "document": "", "passage": "p: "}"#, "{}", "q: ", ""),
        (r#"{"clustering": "c: "}"#, "{}", "", ""),
        ("{}", "{}", "", ""),
        ("null", "{}", "", ""),
        (r#"{"query": "q: ", "document": "d: "}"#, r#"{"query_prefix": "own "}"#, "own ", "d: "),
        (r#"{"query": "q: ", "document": "d: "}"#, r#"{"document_prefix": ""}"#, "q: ", ""),
    ] {
        let model = TinyModel::new();
        model.put("config_sentence_transformers.json", format!(r#"{{"prompts": {prompts}}}"#));
        model.put("kb_model.json", own);
        let encoder = model.open().unwrap();
        assert_eq!(
            (encoder.prefix(InputType::Query), encoder.prefix(InputType::Document)),
            (query, document)
        );
    }
    let model = TinyModel::new();
    model.put("config_sentence_transformers.json", r#"{"similarity_fn_name": "cosine"}"#);
    assert_eq!(model.open().unwrap().prefix(InputType::Query), "");
}

#[test]
fn pooling_may_be_written_as_names() {
    for (contents, expected) in [
        (r#"{"pooling_mode": "cls", "include_prompt": true}"#, "cls"),
        (r#"{"pooling_mode": "mean"}"#, "mean"),
        (r#"{"pooling_mode": ["cls"]}"#, "cls"),
        (r#"{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}"#, "mean"),
    ] {
        let model = TinyModel::new();
        model.put("1_Pooling/config.json", contents);
        assert_eq!(model.open().unwrap().pooling(), expected, "{contents}");
    }
}

#[test]
fn classes_of_newer_versions_are_the_same_modules() {
    let mut model = TinyModel::new();
    model.add_dense(3, false, "linear.Identity");
    let before = encode(&model.open().unwrap(), "sun");
    let class = |path| format!("sentence_transformers.{path}");
    let modules = json!([
        {"idx": 0, "path": "", "type": class("base.modules.transformer.Transformer"), "kwargs": []},
        {"idx": 1, "path": "1_Pooling", "type": class("sentence_transformer.modules.pooling.Pooling")},
        {"idx": 2, "path": "2_Dense", "type": class("base.modules.dense.Dense")},
    ]);
    model.put("modules.json", modules.to_string());
    assert_eq!(encode(&model.open().unwrap(), "sun"), before);
}

#[test]
fn settings_that_are_not_supported_are_rejected() {
    for (file, contents, kind) in [
        ("kb_model.json", r#"{"poolin": "mean"}"#, ErrorKind::Invalid),
        ("kb_model.json", r#"{"pooling": "max"}"#, ErrorKind::Invalid),
        ("kb_model.json", r#"{"max_tokens": 2}"#, ErrorKind::Invalid),
        ("kb_model.json", r#"{"max_tokens": 17}"#, ErrorKind::Invalid),
        ("kb_model.json", r#"{"max_tokens": -1}"#, ErrorKind::Invalid),
        ("kb_model.json", r#"{"threshold": 1.0}"#, ErrorKind::Invalid),
        ("kb_similarity.json", r#"{"match_threshold": 1.0}"#, ErrorKind::Invalid),
        ("kb_similarity.json", r#"{"answer_threshold": -1.1}"#, ErrorKind::Invalid),
        ("kb_similarity.json", r#"{"threshold": 0.3}"#, ErrorKind::Invalid),
        ("kb_similarity.json", r#"{"relevance": [0.1, 0.2, 0.2, 0.3, 0.4]}"#, ErrorKind::Invalid),
        ("kb_similarity.json", r#"{"relevance": [0.1, 0.2, 0.3, 0.4]}"#, ErrorKind::Invalid),
        ("sentence_bert_config.json", r#"{"max_seq_length": 17}"#, ErrorKind::Invalid),
        ("1_Pooling/config.json", r#"{"pooling_mode_max_tokens": true}"#, ErrorKind::Unsupported),
        ("1_Pooling/config.json", r#"{"pooling_mode": "max"}"#, ErrorKind::Unsupported),
        ("1_Pooling/config.json", r#"{"pooling_mode": ["cls", "mean"]}"#, ErrorKind::Unsupported),
        (
            "1_Pooling/config.json",
            r#"{"pooling_mode": "mean", "include_prompt": false}"#,
            ErrorKind::Unsupported,
        ),
        ("tokenizer_config.json", r#"{"strip_accents": false}"#, ErrorKind::Unsupported),
        ("tokenizer_config.json", r#"{"tokenize_chinese_chars": false}"#, ErrorKind::Unsupported),
    ] {
        let model = TinyModel::new();
        model.put(file, contents);
        let error = model.open().err().expect(contents);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(file), "{error}");
    }
}

/// A server without the file of what was measured takes the threshold of the other.
#[test]
fn what_similarities_mean_has_a_file_of_its_own() {
    let model = TinyModel::new();
    let meaning = || *model.open().unwrap().similarities();
    assert_eq!(meaning(), Similarities::default());
    model.put("kb_model.json", r#"{"threshold": 0.3}"#);
    assert_eq!(meaning(), Similarities { match_threshold: Some(0.3), ..Similarities::default() });
    model.put("kb_similarity.json", r#"{"answer_threshold": 0.35}"#);
    assert_eq!(meaning(), Similarities { answer_threshold: Some(0.35), ..Similarities::default() });
}

#[test]
fn at_most_512_tokens_are_read() {
    let mut model = TinyModel::new();
    let positions = model.tensor("embeddings.position_embeddings.weight");
    positions.shape[0] = 1024;
    positions.bytes = positions.bytes.repeat(1024 / tiny_model::POSITIONS);
    model.config["max_position_embeddings"] = json!(1024);
    model.write();
    assert_eq!(model.open().unwrap().max_tokens(), 256);
    model.put("sentence_bert_config.json", r#"{"max_seq_length": 1024}"#);
    let encoder = model.open().unwrap();
    assert_eq!(encoder.max_tokens(), 512);
    encode(&encoder, &"sun ".repeat(600));
    model.put("kb_model.json", r#"{"max_tokens": 513}"#);
    assert_eq!(model.open().err().unwrap().kind(), ErrorKind::Invalid);
}

#[test]
fn tensor_names_may_start_with_bert() {
    let mut model = TinyModel::new();
    let bare = encode(&model.open().unwrap(), "sunflower");
    model.tensors =
        std::mem::take(&mut model.tensors).into_iter().map(|(name, t)| (format!("bert.{name}"), t)).collect();
    model.write();
    assert_eq!(encode(&model.open().unwrap(), "sunflower"), bare);
}

#[test]
fn int8_weights_are_used_if_they_exist() {
    let model = TinyModel::new();
    assert_eq!(model.open().unwrap().variant(), "f32");
    model.quantize();
    let both = model.open().unwrap();
    assert_eq!(both.variant(), "int8");
    assert_eq!(Encoder::open_variant(model.path(), Variant::F32).unwrap().variant(), "f32");
    std::fs::remove_file(model.path().join(Variant::F32.file())).unwrap();
    let alone = model.open().unwrap();
    assert_eq!(alone.variant(), "int8");
    assert_eq!(encode(&alone, "sunflower"), encode(&both, "sunflower"));
    let error = Encoder::open_variant(model.path(), Variant::F32).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Missing);
}

#[test]
fn kernels_give_the_same_vectors_for_any_sizes() {
    assert_eq!(Kernel::available().last().unwrap().name(), "portable");
    for (hidden, intermediate, heads) in
        [(8, 16, 2), (1, 1, 1), (6, 7, 3), (15, 33, 5), (34, 18, 1), (66, 70, 2), (100, 130, 10)]
    {
        let model = TinyModel::sized(hidden, intermediate, heads);
        model.quantize();
        let exact = Encoder::open_variant(model.path(), Variant::F32).unwrap();
        for text in ["", "sun", "sunflower moon a b", &"moon ab ".repeat(9)] {
            let vectors: Vec<_> = Kernel::available()
                .into_iter()
                .map(|kernel| encode(&model.open().unwrap().with_kernel(kernel), text))
                .collect();
            let bits = |vector: &[f32]| -> Vec<u32> { vector.iter().map(|value| value.to_bits()).collect() };
            for vector in &vectors {
                assert_eq!(bits(vector), bits(&vectors[0]), "{hidden} {intermediate} {heads} {text:?}");
            }
            let cosine: f32 = encode(&exact, text).iter().zip(&vectors[0]).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.999, "{hidden} {intermediate} {heads} {text:?}: {cosine}");
        }
    }
}

#[test]
fn int8_vectors_are_the_same_on_every_architecture() {
    let model = TinyModel::sized(34, 70, 2);
    model.quantize();
    let mut bytes = Vec::new();
    for text in ["", "sun", "sunflower moon a b", &"moon ab ".repeat(9)] {
        for value in encode(&model.open().unwrap(), text) {
            bytes.extend(value.to_le_bytes());
        }
    }
    let checksum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(checksum, "add1a2ec696a95713c71efcb0ba8bb15c93689a8681fdd02534a1c347052a69e");
}
