//! The model's architecture, from `config.json`.

use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::files;

/// The sizes of a BERT-shaped model, all checked to be in range.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    pub(crate) positions: usize,
    pub(crate) vocabulary: usize,
    pub(crate) token_types: usize,
    pub(crate) layer_norm_eps: f32,
}

/// `config.json` as written. Fields needed only for training are ignored.
#[derive(Deserialize)]
struct File {
    num_hidden_layers: u64,
    hidden_size: u64,
    num_attention_heads: u64,
    intermediate_size: u64,
    max_position_embeddings: u64,
    vocab_size: u64,
    type_vocab_size: u64,
    layer_norm_eps: f64,
    hidden_act: String,
    position_embedding_type: Option<String>,
}

/// The field of `config.json` that says which other fields there are.
#[derive(Deserialize)]
struct Kind {
    model_type: Option<String>,
}

impl Config {
    /// The largest size of a vector.
    pub(crate) const HIDDEN_LIMIT: usize = 8_192;

    pub(crate) fn read(directory: &Path) -> Result<Config, Error> {
        let path = &directory.join("config.json");
        // First, because other kinds of models have fields with other names.
        let kind: Kind = files::read_json(path)?;
        only(path, "model_type", kind.model_type.as_deref(), "bert")?;
        Config::check(path, files::read_json(path)?)
    }

    /// The configuration of a model that is not yet in files; `path` is named in errors.
    pub(crate) fn parse(path: &Path, value: &serde_json::Value) -> Result<Config, Error> {
        let file = File::deserialize(value).map_err(|error| Error::invalid(path, error.to_string()))?;
        Config::check(path, file)
    }

    fn check(path: &Path, file: File) -> Result<Config, Error> {
        // The upper bounds are well above those of any BERT, and keep every later product of sizes far from
        // overflow.
        let size = |name: &str, value: u64, limit: usize| match usize::try_from(value) {
            Ok(value) if (1..=limit).contains(&value) => Ok(value),
            _ => Err(Error::invalid(path, format!("{name} is {value}, not from 1 to {limit}"))),
        };
        let config = Config {
            layers: size("num_hidden_layers", file.num_hidden_layers, 256)?,
            hidden: size("hidden_size", file.hidden_size, Config::HIDDEN_LIMIT)?,
            heads: size("num_attention_heads", file.num_attention_heads, 256)?,
            intermediate: size("intermediate_size", file.intermediate_size, 32_768)?,
            positions: size("max_position_embeddings", file.max_position_embeddings, 65_536)?,
            vocabulary: size("vocab_size", file.vocab_size, 1 << 20)?,
            token_types: size("type_vocab_size", file.type_vocab_size, 256)?,
            layer_norm_eps: file.layer_norm_eps as f32,
        };

        if !config.hidden.is_multiple_of(config.heads) {
            return Err(Error::invalid(
                path,
                format!(
                    "hidden_size {} is not a multiple of num_attention_heads {}",
                    config.hidden, config.heads
                ),
            ));
        }
        if !(config.layer_norm_eps > 0.0 && config.layer_norm_eps < 1.0) {
            return Err(Error::invalid(
                path,
                format!("layer_norm_eps is {}, not between 0 and 1", file.layer_norm_eps),
            ));
        }
        only(path, "hidden_act", Some(&file.hidden_act), "gelu")?;
        only(path, "position_embedding_type", file.position_embedding_type.as_deref(), "absolute")?;
        Ok(config)
    }

    /// The width of a head: its share of the hidden size.
    pub(crate) fn head_size(&self) -> usize {
        self.hidden / self.heads
    }
}

/// Rejects a value that is there and is not the one that is supported.
fn only(path: &Path, name: &str, value: Option<&str>, supported: &str) -> Result<(), Error> {
    match value {
        Some(value) if value != supported => {
            Err(Error::unsupported(path, format!("{name} {value:?} is not supported, only {supported:?} is")))
        }
        _ => Ok(()),
    }
}
