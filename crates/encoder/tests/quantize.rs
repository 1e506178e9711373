//! The int8 weights made from a model, by the library and by `kb-rag-quantize`.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

use crate::tiny_model::{self, TinyModel};
use kb_rag_encoder::{ErrorKind, Variant, quantize};
use sha2::{Digest, Sha256};

const SOURCE_KEY: &str = "\"kb_rag.source\":\"";
const WEIGHT: &str = "encoder.layer.0.output.dense.weight";

/// Header and data of a safetensors file.
fn split(bytes: &[u8]) -> (serde_json::Value, &[u8]) {
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    (serde_json::from_slice(&rest[..length]).unwrap(), &rest[length..])
}

fn bytes_of<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
    let (header, data) = split(file);
    let offset = |index: usize| header[name]["data_offsets"][index].as_u64().unwrap() as usize;
    &data[offset(0)..offset(1)]
}

fn floats_of(file: &[u8], name: &str) -> Vec<f32> {
    bytes_of(file, name).as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[test]
fn the_same_weights_give_the_same_bytes_everywhere() {
    let (first, second) = (TinyModel::new(), TinyModel::new());
    let bytes = first.quantize();
    assert_eq!(bytes, second.quantize());
    // How the test writes the header of the source does not matter here, so its mark is removed.
    let mut bytes = bytes;
    let key = SOURCE_KEY.as_bytes();
    let mark = bytes.windows(key.len()).position(|part| part == key).unwrap() + key.len();
    bytes[mark..mark + 64].fill(b'0');
    let checksum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(checksum, "7b002bc5bf3ae57c0c47238fbdd3e85524952b9f42dfa2344c35edd43c4930ce");
}

#[test]
fn tensors_are_aligned_for_the_kernels() {
    let file = TinyModel::sized(15, 33, 5).quantize();
    let (header, data) = split(&file);
    assert_eq!((file.len() - data.len()) % 64, 0);
    for (name, tensor) in header.as_object().unwrap() {
        let alignment = match tensor["dtype"].as_str() {
            Some("U8") if name != "vocabulary.text" => 64,
            Some("F32" | "U32") => 4,
            _ => continue,
        };
        assert_eq!(tensor["data_offsets"][0].as_u64().unwrap() % alignment, 0, "{name}");
    }
}

#[test]
fn rows_are_scaled_by_their_largest_number_and_rounded_to_even() {
    let mut model = TinyModel::new();
    let rows: [[f32; tiny_model::HIDDEN]; 4] = [
        [127.0, -127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5],
        [0.0; tiny_model::HIDDEN],
        [-1e-44, 1e-44, 0.0, -0.0, 0.0, 0.0, 0.0, 0.0],
        [f32::MAX, f32::MIN, f32::MAX / 4.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    ];
    let words = model.tensor("embeddings.word_embeddings.weight");
    let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    words.bytes[..bytes.len()].copy_from_slice(&bytes);
    model.write();
    let file = model.quantize();
    let name = "embeddings.word_embeddings.weight";
    let quantized: Vec<i8> = bytes_of(&file, name)[..32].iter().map(|&byte| byte as i8).collect();
    assert_eq!(quantized[..8], [127, -127, 0, 2, 2, 0, -2, -2]);
    assert_eq!(quantized[8..24], [0; 16]);
    assert_eq!(quantized[24..], [127, -127, 32, 0, 0, 0, 0, 0]);
    let scales = floats_of(&file, &format!("{name}_scale"));
    assert_eq!(scales[..2], [1.0, 0.0]);
    assert!(scales.iter().all(|scale| scale.is_finite()));
}

#[test]
fn weights_are_restored_to_half_a_step() {
    let mut model = TinyModel::sized(6, 20, 2);
    let exact: Vec<f32> =
        model.tensor(WEIGHT).bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let file = model.quantize();
    let (lines, scales) = (bytes_of(&file, WEIGHT), floats_of(&file, &format!("{WEIGHT}_scale")));
    // One panel of 16 outputs, of which six are used, and a line for each of five times four inputs.
    assert_eq!((lines.len(), scales.len()), (16 * 20, 6));
    for (index, exact) in exact.iter().enumerate() {
        let (output, input) = (index / 20, index % 20);
        let stored = lines[input / 4 * 64 + output * 4 + input % 4];
        let value = (f32::from(stored) - 128.0) * scales[output];
        assert!((value - exact).abs() <= scales[output] * 0.500_01, "{output} {input}");
    }
    assert!(lines.chunks(64).all(|line| line[6 * 4..].iter().all(|&byte| byte == 128)));
}

#[test]
fn weights_that_are_not_finite_are_rejected() {
    for value in [f32::NAN, f32::NEG_INFINITY] {
        for name in [WEIGHT, "encoder.layer.0.output.dense.bias", "embeddings.LayerNorm.weight"] {
            let mut model = TinyModel::new();
            model.tensor(name).bytes[..4].copy_from_slice(&value.to_le_bytes());
            model.write();
            let error = quantize(model.path()).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(
                error
                    .to_string()
                    .ends_with(&format!("model.safetensors: tensor {name} has numbers that are not finite"))
            );
        }
    }
}

fn run(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kb-rag-quantize")).args(arguments).output().unwrap()
}

#[test]
fn the_program_writes_the_file_and_says_so() {
    let model = TinyModel::new();
    let path = model.path().join(Variant::Int8.file());
    for (before, says) in [(None, "written"), (None, "up to date"), (Some("damaged"), "written")] {
        if let Some(contents) = before {
            model.put(Variant::Int8.file(), contents);
        }
        let output = run(&[model.path()]);
        assert!(output.status.success());
        let expected = format!("{}: {says}, 0.0 MB\n", path.display());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(std::fs::read(&path).unwrap(), quantize(model.path()).unwrap());
    }
    // Only the existing files and the new one.
    assert_eq!(std::fs::read_dir(model.path()).unwrap().count(), 4);
}

#[test]
fn the_program_reports_what_failed() {
    let model = TinyModel::new();
    let fails = |arguments: &[&Path], code: i32, reason: &str| {
        let output = run(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains(reason), "{message}");
    };
    fails(&[], 2, "usage: kb-rag-quantize [--check] MODEL_DIRECTORY");
    fails(&["--check".as_ref()], 2, "usage");
    fails(&["--check".as_ref(), &model.path().join("none")], 1, "config.json: no such file");
    fails(&[model.path(), model.path()], 2, "usage");
    fails(&[&model.path().join("none")], 1, "config.json: no such file");
    // A directory cannot be replaced by a file, and the temporary file is removed.
    model.put("model.int8.safetensors/inside", "");
    fails(&[model.path()], 1, "model.int8.safetensors: ");
    assert_eq!(std::fs::read_dir(model.path()).unwrap().count(), 4);
}

#[test]
fn the_program_checks_a_model() {
    let mut model = TinyModel::sized(24, 48, 3);
    model.add_dense(40, true, "activation.Tanh");
    model.put("config_sentence_transformers.json", r#"{"prompts": {"query": "a "}}"#);
    let check = || run(&["--check".as_ref(), model.path()]);
    let lines = |output: Output| String::from_utf8(output.stdout).unwrap();
    let shape =
        "40 dimensions, at most 16 tokens, mean pooling\nprefix of queries: \"a \", of documents: none\n";
    assert_eq!(lines(check()), format!("{shape}f32 weights only: nothing to compare them with\n"));
    model.quantize();
    let compared = lines(check());
    let rest = compared.strip_prefix(shape).unwrap();
    assert!(rest.starts_with("least cosine of int8 to f32 weights: 0.999"), "{rest}");
    // int8 weights of another model that claim to be made from these.
    let other = TinyModel::sized(24, 48, 3).quantize();
    let model = TinyModel::sized(24, 48, 3);
    let (header, data) = split(&other);
    let mut data = data.to_vec();
    let offset =
        |index: usize| header["embeddings.word_embeddings.weight"]["data_offsets"][index].as_u64().unwrap();
    data[offset(0) as usize..offset(1) as usize].reverse();
    model.put(Variant::Int8.file(), [&other[..other.len() - data.len()], &data].concat());
    let output = run(&["--check".as_ref(), model.path()]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("lose too much: cosine "), "{message}");
}
