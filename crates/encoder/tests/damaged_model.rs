//! Whatever a model's files contain, opening it gives either a working model or an error that names the file.

use crate::tiny_model::{self, TinyModel};
use kb_rag_encoder::{ErrorKind, InputType};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Expects opening to fail with an error of that kind that names `file` and contains `reason`.
#[track_caller]
fn refused(model: &TinyModel, kind: ErrorKind, file: &str, reason: &str) {
    let Err(error) = model.open() else { unreachable!("{file} with {reason:?} was accepted") };
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{message}");
    let expected = format!("{}: ", model.path().join(file).display());
    assert!(message.starts_with(&expected) && message.contains(reason), "{message}");
}

#[test]
fn missing_and_empty_files() {
    for file in ["config.json", "vocab.txt", "model.safetensors"] {
        let model = TinyModel::new();
        model.put(file, "");
        refused(&model, ErrorKind::Invalid, file, "the file is empty");
        std::fs::remove_file(model.path().join(file)).unwrap();
        refused(&model, ErrorKind::Missing, file, "no such file");
        std::fs::create_dir(model.path().join(file)).unwrap();
        refused(&model, ErrorKind::Invalid, file, "not a regular file");
    }
}

#[test]
fn configurations_out_of_range() {
    for (field, value, reason) in [
        ("hidden_size", json!(0), "hidden_size is 0"),
        ("hidden_size", json!(-8), "invalid value"),
        ("hidden_size", json!(8.5), "invalid type"),
        ("hidden_size", json!(1_000_000_000), "not from 1 to 8192"),
        ("hidden_size", json!(u64::MAX), "not from 1 to 8192"),
        ("num_hidden_layers", json!(0), "num_hidden_layers is 0"),
        ("num_hidden_layers", json!(1_000_000), "not from 1 to 256"),
        ("num_attention_heads", json!(3), "not a multiple"),
        ("num_attention_heads", json!(0), "num_attention_heads is 0"),
        ("intermediate_size", json!(4_000_000_000_u64), "not from 1 to"),
        ("max_position_embeddings", json!(1_u64 << 60), "not from 1 to"),
        ("max_position_embeddings", json!(2), "not from 3 to 2"),
        ("vocab_size", json!(u64::MAX), "not from 1 to"),
        ("type_vocab_size", json!(0), "type_vocab_size is 0"),
        ("layer_norm_eps", json!(0.0), "layer_norm_eps is 0"),
        ("layer_norm_eps", json!(-1e-12), "layer_norm_eps"),
        ("layer_norm_eps", json!(1e300), "layer_norm_eps"),
        ("hidden_act", Value::Null, "invalid type"),
    ] {
        let mut model = TinyModel::new();
        model.config[field] = value;
        model.write();
        refused(&model, ErrorKind::Invalid, "config.json", reason);
    }
}

#[test]
fn configurations_not_supported_are_refused_by_name() {
    for (field, value) in
        [("hidden_act", "gelu_new"), ("model_type", "roberta"), ("position_embedding_type", "relative_key")]
    {
        let mut model = TinyModel::new();
        model.config[field] = json!(value);
        model.write();
        refused(&model, ErrorKind::Unsupported, "config.json", value);
    }
}

#[test]
fn configurations_that_are_not_json() {
    let model = TinyModel::new();
    for contents in ["{", "[]", "null", "{}", "\u{0}"] {
        model.put("config.json", contents);
        refused(&model, ErrorKind::Invalid, "config.json", "");
    }
    model.put("config.json", b"\xff\xfe");
    refused(&model, ErrorKind::Invalid, "config.json", "not UTF-8 at byte 0");
    model.put("config.json", "[".repeat(1 << 18));
    refused(&model, ErrorKind::Invalid, "config.json", "");
    model.put("config.json", " ".repeat(2 << 20));
    refused(&model, ErrorKind::Invalid, "config.json", "larger than");
}

#[test]
fn vocabularies_that_do_not_fit() {
    let model = TinyModel::new();
    let words = tiny_model::WORDS.join("\n");
    model.put("vocab.txt", &words[..words.len() / 2]);
    refused(&model, ErrorKind::Invalid, "vocab.txt", "vocab_size is 11");
    model.put("vocab.txt", format!("{words}\nextra\n"));
    refused(&model, ErrorKind::Invalid, "vocab.txt", "has 12 lines");
    model.put("vocab.txt", words.replace("moon", "sun"));
    refused(&model, ErrorKind::Invalid, "vocab.txt", "lines 5 and 7 are the same");
    for special in ["[CLS]", "[SEP]", "[UNK]"] {
        model.put("vocab.txt", words.replace(special, "other"));
        refused(&model, ErrorKind::Invalid, "vocab.txt", special);
    }
}

#[test]
fn weights_truncated_anywhere() {
    let model = TinyModel::new();
    let whole = model.safetensors(0);
    for length in (1..whole.len()).step_by(5) {
        model.put("model.safetensors", &whole[..length]);
        refused(&model, ErrorKind::Invalid, "model.safetensors", "");
    }
}

#[test]
fn weights_with_absurd_headers() {
    let model = TinyModel::new();
    let whole = model.safetensors(0);
    for length in [0, 1, whole.len() as u64, 1 << 30, 1 << 62, u64::MAX - 7, u64::MAX] {
        model.put("model.safetensors", [&length.to_le_bytes(), &whole[8..]].concat());
        refused(&model, ErrorKind::Invalid, "model.safetensors", "header");
    }
    let mut garbage = whole.clone();
    garbage[8..200].fill(0xff);
    model.put("model.safetensors", garbage);
    refused(&model, ErrorKind::Invalid, "model.safetensors", "header");
    for header in [
        r#"{"x":{"dtype":"F32","shape":[18446744073709551615,9],"data_offsets":[0,0]}}"#,
        r#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}}"#,
        r#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551615]}}"#,
        r#"{"x":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}}"#,
        "{}",
    ] {
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        model.put("model.safetensors", bytes);
        refused(&model, ErrorKind::Invalid, "model.safetensors", "");
    }
}

#[test]
fn tensors_of_another_kind() {
    let name = "encoder.layer.0.output.dense.weight";
    for dtype in ["F16", "BF16"] {
        let mut model = TinyModel::new();
        model.tensor(name).dtype = dtype;
        model.tensor(name).bytes.truncate(tiny_model::HIDDEN * tiny_model::INTERMEDIATE * 2);
        model.write();
        refused(&model, ErrorKind::Unsupported, "model.safetensors", &format!("{name} is {dtype}, only F32"));
    }
    let mut model = TinyModel::new();
    model.tensor(name).shape.reverse();
    model.write();
    refused(&model, ErrorKind::Invalid, "model.safetensors", &format!("{name} has shape [16, 8]"));
    let model = TinyModel::new();
    model.put("model.safetensors", model.safetensors(1));
    refused(&model, ErrorKind::Invalid, "model.safetensors", "multiple of 4");
}

#[test]
fn missing_tensors() {
    let names: Vec<String> = TinyModel::new().tensors.into_keys().collect();
    for name in names {
        let mut model = TinyModel::new();
        model.tensors.remove(&name);
        model.write();
        refused(&model, ErrorKind::Invalid, "model.safetensors", &format!("has no tensor {}", &name[..10]));
    }
}

#[test]
fn numbers_that_are_not_finite() {
    for (value, name) in [
        (f32::NAN, "encoder.layer.0.attention.self.query.weight"),
        (f32::INFINITY, "encoder.layer.0.attention.self.key.bias"),
        (f32::NAN, "encoder.layer.0.intermediate.dense.bias"),
        (f32::MAX, "encoder.layer.0.output.LayerNorm.weight"),
    ] {
        let mut model = TinyModel::new();
        for bytes in model.tensor(name).bytes.chunks_exact_mut(4) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        model.write();
        let error = model.open().unwrap().encode("sun", InputType::Query, &mut || ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Numeric, "{name}");
        assert!(error.to_string().contains("model.safetensors"));
    }
    let mut model = TinyModel::new();
    for name in ["encoder.layer.0.output.LayerNorm.weight", "encoder.layer.0.output.LayerNorm.bias"] {
        model.tensor(name).bytes.fill(0);
    }
    model.write();
    let error = model.open().unwrap().encode("sun", InputType::Query, &mut || ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Numeric);
}

/// A model with a Dense layer from 8 to 12.
fn with_dense() -> TinyModel {
    let mut model = TinyModel::new();
    model.add_dense(12, true, "linear.Identity");
    model
}

#[test]
fn other_kinds_of_models_are_refused_by_name() {
    let model = TinyModel::new();
    model.put("config.json", r#"{"model_type": "distilbert", "dim": 8, "n_layers": 1}"#);
    refused(&model, ErrorKind::Unsupported, "config.json", "model_type \"distilbert\"");
}

#[test]
fn modules_that_are_not_supported() {
    let model = with_dense();
    for names in [
        &[][..],
        &["Transformer"],
        &["Pooling"],
        &["Transformer", "Normalize"],
        &["Transformer", "Dense", "Pooling"],
        &["Transformer", "Transformer", "Pooling"],
        &["Transformer", "Pooling", "Pooling"],
        &["Transformer", "Pooling", "Normalize", "Dense"],
        &["Transformer", "Pooling", "Dense", "Dense"],
        &["Transformer", "Pooling", "Dense", "Normalize", "Normalize"],
        &["Transformer", "Pooling", "Dense", "LayerNorm"],
        &["Transformer", "Pooling", ""],
    ] {
        model.put("modules.json", tiny_model::modules(names).to_string());
        refused(&model, ErrorKind::Unsupported, "modules.json", "supported");
    }
    let supported = tiny_model::modules(&["Transformer", "Pooling", "Dense"]);
    model.put("modules.json", supported.to_string());
    assert_eq!(model.open().unwrap().dimensions(), 12);
    for (number, path) in [(0, "0_Transformer"), (1, ""), (2, "../2_Dense"), (2, "3_Dense")] {
        let mut modules = supported.clone();
        modules[number]["path"] = json!(path);
        model.put("modules.json", modules.to_string());
        refused(&model, ErrorKind::Unsupported, "modules.json", &format!("is in {path:?}"));
    }
    for class in ["custom.Dense", "Dense", "sentence_transformers.models.Densely", "sentence_transformers."] {
        let mut modules = supported.clone();
        modules[2]["type"] = json!(class);
        model.put("modules.json", modules.to_string());
        refused(&model, ErrorKind::Unsupported, "modules.json", &format!("module 2 is {class:?}"));
    }
}

#[test]
fn damaged_files_of_modules() {
    let model = with_dense();
    let modules = std::fs::read(model.path().join("modules.json")).unwrap();
    for contents in ["", "{", "{}", "[1]", r#"[{"type": 1, "path": ""}]"#, r#"[{"type": "x"}]"#, "null"] {
        model.put("modules.json", contents);
        refused(&model, ErrorKind::Invalid, "modules.json", "");
    }
    model.put("modules.json", "[".repeat(1 << 18));
    refused(&model, ErrorKind::Invalid, "modules.json", "");
    model.put("modules.json", modules);
    for file in ["1_Pooling/config.json", "2_Dense/config.json", "2_Dense/model.safetensors"] {
        let model = with_dense();
        model.put(file, "");
        refused(&model, ErrorKind::Invalid, file, "the file is empty");
        std::fs::remove_file(model.path().join(file)).unwrap();
        refused(&model, ErrorKind::Missing, file, "no such file");
    }
    model.put("config_sentence_transformers.json", r#"{"prompts": {"query": 1}}"#);
    refused(&model, ErrorKind::Invalid, "config_sentence_transformers.json", "invalid type");
}

#[test]
fn weights_for_pytorch_only() {
    for directory in ["", "2_Dense/"] {
        let model = with_dense();
        let path = model.path().join(directory);
        std::fs::rename(path.join("model.safetensors"), path.join("pytorch_model.bin")).unwrap();
        let file = format!("{directory}pytorch_model.bin");
        refused(&model, ErrorKind::Unsupported, &file, "save the weights as model.safetensors");
    }
}

#[test]
fn dense_configurations_that_do_not_fit() {
    use ErrorKind::{Invalid, Unsupported};
    for (field, value, kind, reason) in [
        ("in_features", json!(9), Invalid, "in_features is 9, hidden_size is 8"),
        ("in_features", Value::Null, Invalid, "invalid type"),
        ("out_features", json!(0), Invalid, "out_features is 0, not from 1 to 8192"),
        ("out_features", json!(8193), Invalid, "out_features is 8193"),
        ("out_features", json!(u64::MAX), Invalid, "not from 1 to 8192"),
        ("bias", json!(1), Invalid, "invalid type"),
        ("activation_function", json!("torch.nn.modules.activation.GELU"), Unsupported, "activation.GELU"),
        ("activation_function", Value::Null, Invalid, "invalid type"),
        ("module_input_name", json!("token_embeddings"), Unsupported, "token_embeddings"),
        ("module_output_name", json!("other"), Unsupported, "other"),
        ("use_residual", json!(true), Unsupported, "use_residual"),
    ] {
        let model = with_dense();
        let path = model.path().join("2_Dense/config.json");
        let mut config: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        config[field] = value;
        model.put("2_Dense/config.json", config.to_string());
        refused(&model, kind, "2_Dense/config.json", reason);
    }
}

#[test]
fn dense_weights_that_do_not_fit() {
    const FILE: &str = "2_Dense/model.safetensors";
    let whole = with_dense();
    let bytes = std::fs::read(whole.path().join(FILE)).unwrap();
    for length in 1..bytes.len() {
        whole.put(FILE, &bytes[..length]);
        refused(&whole, ErrorKind::Invalid, FILE, "");
    }
    for name in ["linear.weight", "linear.bias"] {
        let mut model = with_dense();
        let tensor = model.dense.get_mut(name).unwrap();
        tensor.shape.insert(0, 1);
        model.write();
        refused(&model, ErrorKind::Invalid, FILE, &format!("tensor {name} has shape"));
        let tensor = model.dense.get_mut(name).unwrap();
        tensor.shape.remove(0);
        tensor.dtype = "F16";
        tensor.bytes.truncate(tensor.bytes.len() / 2);
        model.write();
        refused(&model, ErrorKind::Unsupported, FILE, &format!("tensor {name} is F16, only F32"));
        model.dense.remove(name).unwrap();
        model.write();
        refused(&model, ErrorKind::Invalid, FILE, &format!("has no tensor {name}"));
    }
    let mut model = with_dense();
    let bias = model.dense["linear.bias"].clone();
    model.add_dense(12, false, "linear.Identity");
    model.dense.insert("linear.bias".to_owned(), bias);
    model.write();
    refused(&model, ErrorKind::Invalid, FILE, "config.json says that there is no bias");
    assert_eq!(kb_rag_encoder::quantize(model.path()).err().unwrap().kind(), ErrorKind::Invalid);
}

#[test]
fn dense_weights_that_are_not_finite() {
    for activation in ["linear.Identity", "activation.Tanh"] {
        let mut model = TinyModel::new();
        model.add_dense(12, true, activation);
        model.dense.get_mut("linear.weight").unwrap().bytes.fill(0xff);
        model.write();
        let error = model.open().unwrap().encode("sun", InputType::Query, &mut || ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Numeric);
        assert!(error.to_string().contains("2_Dense/model.safetensors: "), "{error}");
        let error = kb_rag_encoder::quantize(model.path()).err().unwrap();
        assert!(error.to_string().contains("2_Dense/model.safetensors: tensor linear.weight"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Some damage cannot be detected, but none may crash, and no vector may contain NaN.
    #[test]
    fn any_changed_bytes(
        file in prop::sample::select(vec![
            "config.json", "vocab.txt", "model.safetensors", "modules.json", "1_Pooling/config.json",
            "2_Dense/config.json", "2_Dense/model.safetensors",
        ]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let model = with_dense();
        let mut bytes = std::fs::read(model.path().join(file)).unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        model.put(file, bytes);
        if let Ok(encoder) = model.open()
            && let Ok(vector) = encoder.encode("sunflower ab moon", InputType::Query, &mut || ())
        {
            prop_assert!(vector.iter().all(|value| value.is_finite()));
        }
    }
}
