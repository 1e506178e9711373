//! A model of small layers with made-up weights, written file by file, so that a test can damage any part of it.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use kb_rag_encoder::{Encoder, Error, Variant};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const HIDDEN: usize = 8;
pub const INTERMEDIATE: usize = 16;
pub const POSITIONS: usize = 16;
pub const WORDS: [&str; 11] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sun", "##flower", "moon", "a", "b", "##b", "Sun"];

#[derive(Clone)]
pub struct Tensor {
    pub dtype: &'static str,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

pub struct TinyModel {
    pub directory: TempDir,
    pub config: Value,
    pub tensors: BTreeMap<String, Tensor>,
    /// The tensors of the Dense layer; empty without one.
    pub dense: BTreeMap<String, Tensor>,
}

/// A tensor of generated numbers from -0.5 to 0.5, or for the scale of a normalization from 0.5 to 1.5.
fn made_up(seed: &mut u32, name: &str, shape: &[usize]) -> Tensor {
    let is_scale = name.ends_with("LayerNorm.weight");
    let values = (0..shape.iter().product()).flat_map(|_| {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let value = (*seed >> 8) as f32 / (1 << 24) as f32 - 0.5;
        (if is_scale { 1.0 + value } else { value }).to_le_bytes()
    });
    Tensor { dtype: "F32", shape: shape.to_vec(), bytes: values.collect() }
}

/// `modules.json` of a model with these modules, in directories named as sentence-transformers does.
pub fn modules(names: &[&str]) -> Value {
    let entry = |(number, name): (usize, &&str)| {
        let path = if number == 0 { String::new() } else { format!("{number}_{name}") };
        let class = format!("sentence_transformers.models.{name}");
        json!({"idx": number, "name": number.to_string(), "path": path, "type": class})
    };
    names.iter().enumerate().map(entry).collect()
}

/// A weights file, with its header padded to a multiple of 8 and then by `padding` bytes more.
pub fn safetensors(tensors: &BTreeMap<String, Tensor>, padding: usize) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, tensor) in tensors {
        let offsets = [data.len(), data.len() + tensor.bytes.len()];
        data.extend(&tensor.bytes);
        let info = json!({"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets});
        header.insert(name.clone(), info);
    }
    let mut header = Value::from(header).to_string();
    let length = header.len().next_multiple_of(8) + padding;
    header.push_str(&" ".repeat(length - header.len()));
    [&(length as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

impl TinyModel {
    pub fn new() -> TinyModel {
        TinyModel::sized(HIDDEN, INTERMEDIATE, 2)
    }

    pub fn sized(hidden: usize, intermediate: usize, heads: usize) -> TinyModel {
        TinyModel::deep(1, hidden, intermediate, heads)
    }

    /// tests/reference/generate_small.py makes up the same weights.
    pub fn deep(layers: usize, hidden: usize, intermediate: usize, heads: usize) -> TinyModel {
        let mut tensors = BTreeMap::new();
        let mut seed = 1;
        let mut add = |name: &str, shape: &[usize]| {
            tensors.insert(name.to_owned(), made_up(&mut seed, name, shape));
        };
        add("embeddings.word_embeddings.weight", &[WORDS.len(), hidden]);
        add("embeddings.position_embeddings.weight", &[POSITIONS, hidden]);
        add("embeddings.token_type_embeddings.weight", &[2, hidden]);
        for layer in 0..layers {
            for (name, outputs, inputs) in [
                ("attention.self.query", hidden, hidden),
                ("attention.self.key", hidden, hidden),
                ("attention.self.value", hidden, hidden),
                ("attention.output.dense", hidden, hidden),
                ("intermediate.dense", intermediate, hidden),
                ("output.dense", hidden, intermediate),
            ] {
                add(&format!("encoder.layer.{layer}.{name}.weight"), &[outputs, inputs]);
                add(&format!("encoder.layer.{layer}.{name}.bias"), &[outputs]);
            }
        }
        let mut norm = |place: &str| {
            add(&format!("{place}.LayerNorm.weight"), &[hidden]);
            add(&format!("{place}.LayerNorm.bias"), &[hidden]);
        };
        norm("embeddings");
        for layer in 0..layers {
            norm(&format!("encoder.layer.{layer}.attention.output"));
            norm(&format!("encoder.layer.{layer}.output"));
        }
        let config = json!({
            "model_type": "bert", "hidden_act": "gelu", "hidden_size": hidden, "num_hidden_layers": layers,
            "num_attention_heads": heads, "intermediate_size": intermediate, "layer_norm_eps": 1e-12,
            "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "vocab_size": WORDS.len(),
        });
        let dense = BTreeMap::new();
        let model = TinyModel { directory: tempfile::tempdir().unwrap(), config, tensors, dense };
        model.write();
        model
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Adds mean pooling and a Dense layer. `activation` is the class below `torch.nn.modules`.
    pub fn add_dense(&mut self, outputs: usize, has_bias: bool, activation: &str) {
        let hidden = self.config["hidden_size"].as_u64().unwrap() as usize;
        let mut seed = 2;
        let mut add = |name: &str, shape: &[usize]| {
            self.dense.insert(name.to_owned(), made_up(&mut seed, name, shape));
        };
        add("linear.weight", &[outputs, hidden]);
        if has_bias {
            add("linear.bias", &[outputs]);
        }
        let config = json!({
            "in_features": hidden, "out_features": outputs, "bias": has_bias,
            "activation_function": format!("torch.nn.modules.{activation}"),
        });
        self.put("modules.json", modules(&["Transformer", "Pooling", "Dense", "Normalize"]).to_string());
        self.put("1_Pooling/config.json", r#"{"pooling_mode_mean_tokens": true}"#);
        self.put("2_Dense/config.json", config.to_string());
        self.write();
    }

    /// Writes all files again from the fields.
    pub fn write(&self) {
        self.put("config.json", self.config.to_string());
        self.put("vocab.txt", WORDS.join("\n") + "\n");
        self.put("model.safetensors", self.safetensors(0));
        if !self.dense.is_empty() {
            self.put("2_Dense/model.safetensors", safetensors(&self.dense, 0));
        }
    }

    /// The weights file, with its header padded to a multiple of 8 and then by `padding` bytes more.
    pub fn safetensors(&self, padding: usize) -> Vec<u8> {
        safetensors(&self.tensors, padding)
    }

    pub fn put(&self, file: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    pub fn tensor(&mut self, name: &str) -> &mut Tensor {
        self.tensors.get_mut(name).unwrap()
    }

    /// Puts int8 weights beside the f32 weights, and returns their bytes.
    pub fn quantize(&self) -> Vec<u8> {
        let bytes = kb_rag_encoder::quantize(self.path()).unwrap();
        self.put(Variant::Int8.file(), &bytes);
        bytes
    }

    pub fn open(&self) -> Result<Encoder, Error> {
        Encoder::open(self.path())
    }
}
