//! Embedding models: `provider/model` names resolved to something that turns text into vectors.

mod local;
mod tokenizer;

use kb_rag_core::fake;
pub use kb_rag_encoder::InputType;

pub use tokenizer::ModelTokenizer;

use crate::error::{Error, Result};
use crate::interrupt::take_interrupts;

/// The model of a base that names none.
pub const DEFAULT: &str = "local/all-minilm-l6-v2";

/// pgvector stores at most this many dimensions.
pub const MAX_DIMENSIONS: i32 = 16_000;

/// The vector of the fake model when nothing else is asked for.
const FAKE_DIMENSIONS: i32 = 384;

/// A model that can be used.
pub enum Model {
    /// A directory of weights, encoded in process.
    Local(local::LocalModel),
    /// Deterministic vectors made from hashes of words: for tests.
    Fake(String),
}

/// Finds a model. 42704 when there is none of this name, 55000 when its files are missing or damaged.
pub fn resolve(name: &str) -> Result<Model> {
    match name.split_once('/') {
        Some(("local", directory)) => Ok(Model::Local(local::open(name, directory)?)),
        Some(("fake", rest)) if !rest.is_empty() => Ok(Model::Fake(name.to_string())),
        _ => Err(Error::not_found(format!("model \"{name}\" does not exist")).hint(format!(
            "A model is provider/model, for example {DEFAULT}; the providers of this version are local and fake."
        ))),
    }
}

impl Model {
    /// The full name, `provider/model`.
    pub fn name(&self) -> &str {
        match self {
            Model::Local(local) => &local.name,
            Model::Fake(name) => name,
        }
    }

    /// Which of its weights are used, `int8` or `f32`. None where it has only one kind.
    pub fn variant(&self) -> Option<&'static str> {
        match self {
            Model::Local(local) => Some(local.encoder.variant()),
            Model::Fake(_) => None,
        }
    }

    /// The processor's instructions that it uses. None where it does not compute.
    pub fn kernel(&self) -> Option<&'static str> {
        match self {
            Model::Local(local) => Some(local.encoder.kernel()),
            Model::Fake(_) => None,
        }
    }

    /// The dimensions of its vectors when `requested` are asked for. 22023 when it cannot give them.
    pub fn dimensions(&self, requested: Option<i32>) -> Result<i32> {
        let (natural, most) = match self {
            Model::Local(local) => (local.encoder.dimensions() as i32, local.encoder.dimensions() as i32),
            Model::Fake(_) => (FAKE_DIMENSIONS, MAX_DIMENSIONS),
        };
        match requested {
            None => Ok(natural),
            Some(n) if (1..=most).contains(&n) => Ok(n),
            Some(n) => Err(Error::invalid(format!("model \"{}\" cannot give {n} dimensions", self.name()))
                .hint(format!("Use 1 to {most}."))),
        }
    }

    /// The vector of one text: `dimensions` numbers of length 1. Takes interrupts while it computes.
    pub fn embed(&self, text: &str, dimensions: i32, input: InputType) -> Result<Vec<f32>> {
        match self {
            Model::Local(local) => local.embed(text, dimensions as usize, input),
            Model::Fake(_) => Ok(fake::embedding(text, dimensions as usize, take_interrupts)),
        }
    }

    /// What counts its tokens. None where its tokenizer is not known.
    pub fn tokenizer(&self) -> Option<ModelTokenizer> {
        match self {
            Model::Local(local) => Some(ModelTokenizer::new(local.encoder.clone())),
            Model::Fake(_) => None,
        }
    }
}

/// 22023 unless `query` or `document`.
pub fn input_type(name: &str) -> Result<InputType> {
    match name {
        "query" => Ok(InputType::Query),
        "document" => Ok(InputType::Document),
        _ => {
            Err(Error::invalid(format!("input type \"{name}\" is not known"))
                .hint("Use 'query' or 'document'."))
        }
    }
}
