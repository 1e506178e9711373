//! Whatever `model.int8.safetensors` contains, opening the model gives either a working model or an error
//! that names the file. It never falls back to the f32 weights beside it.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use crate::tiny_model::TinyModel;
use kb_rag_encoder::{Encoder, ErrorKind, InputType, Kernel, Variant};
use proptest::prelude::*;
use serde_json::{Value, json};

const FILE: &str = "model.int8.safetensors";
const WEIGHT: &str = "encoder.layer.0.output.dense.weight";

/// Expects opening to fail with an error of that kind that names the file and contains `reason`.
#[track_caller]
fn refused(model: &TinyModel, kind: ErrorKind, reason: &str) {
    let Err(error) = model.open() else { unreachable!("{reason:?} was accepted") };
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{message}");
    let expected = format!("{}: ", model.path().join(FILE).display());
    assert!(message.starts_with(&expected) && message.contains(reason), "{message}");
    assert!(Encoder::open_variant(model.path(), Variant::F32).is_ok());
}

/// A model with a Dense layer from 8 to 12.
fn with_dense() -> TinyModel {
    let mut model = TinyModel::new();
    model.add_dense(12, true, "activation.Tanh");
    model
}

/// A model with int8 weights whose header and data were changed.
fn changed(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> TinyModel {
    changed_in(TinyModel::new(), change)
}

fn changed_in(model: TinyModel, change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> TinyModel {
    let bytes = model.quantize();
    let start = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..start]).unwrap();
    let mut data = bytes[start..].to_vec();
    change(&mut header, &mut data);
    let mut header = header.to_string();
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    model.put(FILE, [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat());
    model
}

#[test]
fn rewriting_without_a_change_is_accepted() {
    assert_eq!(changed(|_, _| ()).open().unwrap().variant(), "int8");
}

#[test]
fn empty_truncated_and_irregular_files() {
    let model = TinyModel::new();
    let whole = model.quantize();
    for length in (1..whole.len()).step_by(11) {
        model.put(FILE, &whole[..length]);
        refused(&model, ErrorKind::Invalid, "");
    }
    model.put(FILE, "");
    refused(&model, ErrorKind::Invalid, "the file is empty");
    model.put(FILE, [&whole[..], b"more"].concat());
    refused(&model, ErrorKind::Invalid, "not a whole safetensors file");
    std::fs::remove_file(model.path().join(FILE)).unwrap();
    let error = Encoder::open_variant(model.path(), Variant::Int8).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Missing);
    std::fs::create_dir(model.path().join(FILE)).unwrap();
    refused(&model, ErrorKind::Invalid, "not a regular file");
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_is_no_reason_to_take_other_weights() {
    let model = TinyModel::new();
    std::os::unix::fs::symlink("nowhere", model.path().join(FILE)).unwrap();
    refused(&model, ErrorKind::Missing, "no such file");
}

#[test]
fn garbage_headers() {
    let model = TinyModel::new();
    let whole = model.quantize();
    for length in [0, 1, whole.len() as u64, 1 << 30, u64::MAX] {
        model.put(FILE, [&length.to_le_bytes(), &whole[8..]].concat());
        refused(&model, ErrorKind::Invalid, "header");
    }
    let mut garbage = whole.clone();
    garbage[8..200].fill(0xff);
    model.put(FILE, garbage);
    refused(&model, ErrorKind::Invalid, "header");
    // The f32 weights under the other file's name.
    model.put(FILE, model.safetensors(0));
    refused(&model, ErrorKind::Invalid, "kb_rag.format is None");
}

#[test]
fn other_formats() {
    for (value, reason) in [(json!("int8 2"), "kb_rag.format is Some(\"int8 2\")"), (Value::Null, "header")] {
        let model = changed(|header, _| header["__metadata__"]["kb_rag.format"] = value);
        refused(&model, ErrorKind::Invalid, reason);
    }
    let model = changed(|header, _| {
        header["__metadata__"].as_object_mut().unwrap().remove("kb_rag.source");
    });
    refused(&model, ErrorKind::Invalid, "kb_rag.source");
}

#[test]
fn weights_made_from_other_f32_weights() {
    let mut model = TinyModel::new();
    model.quantize();
    model.tensor(WEIGHT).bytes[0] ^= 1;
    model.write();
    refused(&model, ErrorKind::Invalid, "was made from another model.safetensors; quantize the model again");
    model.quantize();
    model.open().unwrap();
    model.put("model.safetensors", [model.safetensors(0), vec![0]].concat());
    let error = model.open().err().unwrap();
    assert!(error.to_string().contains("was made from another"), "{error}");
    // Weights that cannot be compared must not be trusted.
    std::fs::remove_file(model.path().join("model.safetensors")).unwrap();
    std::fs::create_dir(model.path().join("model.safetensors")).unwrap();
    let error = model.open().err().unwrap();
    assert!(error.to_string().ends_with("model.safetensors: not a regular file"), "{error}");
}

#[test]
fn tensors_of_another_kind() {
    for (name, dtype) in [
        (WEIGHT, "I8"),
        ("embeddings.word_embeddings.weight", "U8"),
        ("encoder.layer.0.output.dense.weight_scale", "I32"),
    ] {
        let model = changed(|header, _| header[name]["dtype"] = json!(dtype));
        refused(&model, ErrorKind::Unsupported, &format!("tensor {name} is {dtype}, only"));
    }
    for (name, shape) in [
        (WEIGHT, json!([1, 4, 4, 16])),
        (WEIGHT, json!([256])),
        ("embeddings.word_embeddings.weight", json!([8, 11])),
        ("encoder.layer.0.output.dense.weight_scale", json!([8, 1])),
        ("encoder.layer.0.intermediate.dense.bias", json!([2, 8])),
    ] {
        let model = changed(|header, _| header[name]["shape"] = shape);
        refused(&model, ErrorKind::Invalid, &format!("tensor {name} has shape"));
    }
    // A model of other sizes, which its config.json does not mention.
    let model = TinyModel::new();
    model.put(FILE, TinyModel::sized(12, 16, 2).quantize());
    std::fs::remove_file(model.path().join("model.safetensors")).unwrap();
    let error = model.open().err().unwrap();
    assert!(error.to_string().contains("config.json says"), "{error}");
}

#[test]
fn missing_tensors() {
    let whole = with_dense().quantize();
    let start = 8 + u64::from_le_bytes(*whole.first_chunk().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&whole[8..start]).unwrap();
    for name in header.as_object().unwrap().keys().filter(|name| *name != "__metadata__") {
        let model = changed_in(with_dense(), |header, _| {
            let tensor = header.as_object_mut().unwrap().remove(name).unwrap();
            header["other"] = tensor;
        });
        refused(&model, ErrorKind::Invalid, &format!("has no tensor {name}"));
    }
}

#[test]
fn vocabularies_of_other_files() {
    let tokens = |encoder: Encoder| encoder.count_tokens("a small sun and the sea");
    let model = TinyModel::new();
    model.quantize();
    let f32 = Encoder::open_variant(model.path(), Variant::F32).unwrap();
    assert_eq!(tokens(model.open().unwrap()), tokens(f32), "with the vocabulary of the weights");
    // Made before weights had a vocabulary.
    let older = changed(|header, _| {
        header["__metadata__"].as_object_mut().unwrap().remove("kb_rag.vocabulary");
    });
    assert_eq!(tokens(older.open().unwrap()), tokens(model.open().unwrap()), "with that of vocab.txt");
    for name in ["vocabulary.ends", "vocabulary.slots"] {
        let model = changed(|header, _| header[name]["dtype"] = json!("F32"));
        refused(&model, ErrorKind::Unsupported, &format!("tensor {name} is F32, only"));
    }
    let model = changed(|header, _| header["__metadata__"]["kb_rag.vocabulary"] = json!("1 x"));
    refused(&model, ErrorKind::Invalid, "was made with a vocab.txt of 1 bytes");
    // Another vocabulary of as many lines.
    let model = TinyModel::new();
    model.quantize();
    let text = std::fs::read_to_string(model.path().join("vocab.txt")).unwrap();
    model.put("vocab.txt", text.replacen("\n", "x\n", 1));
    let error = model.open().err().unwrap();
    assert!(error.to_string().contains("quantize the model again"), "{error}");
    std::fs::remove_file(model.path().join("vocab.txt")).unwrap();
    let error = model.open().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Missing, "{error}");
}

#[test]
fn dense_layers_of_other_sizes() {
    for (name, shape) in [
        ("2_Dense.linear.weight", json!([1, 2, 4, 16])),
        ("2_Dense.linear.weight_scale", json!([1, 12])),
        ("2_Dense.linear.bias", json!([1, 12])),
    ] {
        let model = changed_in(with_dense(), |header, _| header[name]["shape"] = shape);
        refused(&model, ErrorKind::Invalid, &format!("tensor {name} has shape"));
    }
    let mut model = with_dense();
    let bytes = model.quantize();
    model.add_dense(13, true, "activation.Tanh");
    model.put(FILE, &bytes);
    std::fs::remove_file(model.path().join("2_Dense/model.safetensors")).unwrap();
    let error = model.open().err().unwrap();
    assert!(error.to_string().contains("2_Dense.linear.weight_scale has shape [12]"), "{error}");
}

#[test]
fn dense_layers_made_from_other_weights() {
    let mut model = with_dense();
    let bytes = model.quantize();
    assert_eq!(model.open().unwrap().dimensions(), 12);
    model.dense.get_mut("linear.bias").unwrap().bytes[0] ^= 1;
    model.write();
    refused(
        &model,
        ErrorKind::Invalid,
        "was made from another 2_Dense/model.safetensors; quantize the model",
    );
    // Without modules.json the model has no Dense layer.
    std::fs::remove_file(model.path().join("modules.json")).unwrap();
    refused(&model, ErrorKind::Invalid, "has a Dense layer that modules.json does not list");
    let without = TinyModel::new().quantize();
    let model = with_dense();
    model.put(FILE, without);
    refused(&model, ErrorKind::Invalid, "does not say its kb_rag.dense");
    model.put(FILE, bytes);
    model.open().unwrap();
}

#[test]
fn misaligned_tensors() {
    let model = TinyModel::new();
    let whole = model.quantize();
    let length = u64::from_le_bytes(*whole.first_chunk().unwrap());
    let bytes =
        [&(length + 1).to_le_bytes(), &whole[8..8 + length as usize], b" ", &whole[8 + length as usize..]];
    model.put(FILE, bytes.concat());
    refused(&model, ErrorKind::Invalid, "does not start at a multiple of 4");
}

#[test]
fn scales_that_are_not_numbers() {
    for name in [
        format!("{WEIGHT}_scale"),
        "embeddings.word_embeddings.weight_scale".to_owned(),
        "2_Dense.linear.weight_scale".to_owned(),
    ] {
        let model = changed_in(with_dense(), |header, data| {
            let offset = |index: usize| header[&name]["data_offsets"][index].as_u64().unwrap() as usize;
            data[offset(0)..offset(1)].fill(0xff);
        });
        for kernel in Kernel::available() {
            let encoder = model.open().unwrap().with_kernel(kernel);
            let error = encoder.encode("sun", InputType::Query, &mut || ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Numeric, "{name}");
            assert!(error.to_string().contains(FILE));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Some damage cannot be detected, but none may crash, and no vector may contain NaN.
    #[test]
    fn any_changed_bytes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let model = with_dense();
        let mut bytes = model.quantize();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        model.put(FILE, bytes);
        for kernel in Kernel::available() {
            if let Ok(encoder) = model.open()
                && let Ok(vector) =
                    encoder.with_kernel(kernel).encode("sunflower ab moon", InputType::Query, &mut || ())
            {
                prop_assert!(vector.iter().all(|value| value.is_finite()));
            }
        }
    }
}
