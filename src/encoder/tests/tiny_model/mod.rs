//! A model of one small layer, written file by file, so that a test can damage any part of it.

// Each test program uses its own part of this module.
#![allow(dead_code)]
// Clippy recognises functions marked as tests, but not the functions they call.
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
}

impl TinyModel {
    pub fn new() -> TinyModel {
        TinyModel::sized(HIDDEN, INTERMEDIATE, 2)
    }

    pub fn sized(hidden: usize, intermediate: usize, heads: usize) -> TinyModel {
        let mut tensors = BTreeMap::new();
        let mut seed = 1_u32;
        let mut add = |name: &str, shape: &[usize]| {
            let is_scale = name.ends_with("LayerNorm.weight");
            let values = (0..shape.iter().product()).flat_map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let value = (seed >> 8) as f32 / (1 << 24) as f32 - 0.5;
                (if is_scale { 1.0 + value } else { value }).to_le_bytes()
            });
            let bytes = values.collect();
            tensors.insert(name.to_owned(), Tensor { dtype: "F32", shape: shape.to_vec(), bytes });
        };
        add("embeddings.word_embeddings.weight", &[WORDS.len(), hidden]);
        add("embeddings.position_embeddings.weight", &[POSITIONS, hidden]);
        add("embeddings.token_type_embeddings.weight", &[2, hidden]);
        let layer = "encoder.layer.0";
        for (name, outputs, inputs) in [
            ("attention.self.query", hidden, hidden),
            ("attention.self.key", hidden, hidden),
            ("attention.self.value", hidden, hidden),
            ("attention.output.dense", hidden, hidden),
            ("intermediate.dense", intermediate, hidden),
            ("output.dense", hidden, intermediate),
        ] {
            add(&format!("{layer}.{name}.weight"), &[outputs, inputs]);
            add(&format!("{layer}.{name}.bias"), &[outputs]);
        }
        for norm in ["embeddings.", "encoder.layer.0.attention.output.", "encoder.layer.0.output."] {
            add(&format!("{norm}LayerNorm.weight"), &[hidden]);
            add(&format!("{norm}LayerNorm.bias"), &[hidden]);
        }
        let config = json!({
            "model_type": "bert", "hidden_act": "gelu", "hidden_size": hidden, "num_hidden_layers": 1,
            "num_attention_heads": heads, "intermediate_size": intermediate, "layer_norm_eps": 1e-12,
            "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "vocab_size": WORDS.len(),
        });
        let model = TinyModel { directory: tempfile::tempdir().unwrap(), config, tensors };
        model.write();
        model
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes all files again from the fields.
    pub fn write(&self) {
        self.put("config.json", self.config.to_string());
        self.put("vocab.txt", WORDS.join("\n") + "\n");
        self.put("model.safetensors", self.safetensors(0));
    }

    /// The weights file, with its header padded to a multiple of 8 and then by `padding` bytes more.
    pub fn safetensors(&self, padding: usize) -> Vec<u8> {
        let mut header = serde_json::Map::new();
        let mut data = Vec::new();
        for (name, tensor) in &self.tensors {
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
