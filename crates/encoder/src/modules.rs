//! The parts of a model after its BERT body, as `modules.json` of sentence-transformers lists them.
//!
//! Supported is the order Transformer, Pooling, Dense, Normalize; the last two are optional. Vectors have
//! length 1 even if Normalize is not listed: that does not change the angle between them.

use std::path::Path;

use serde::Deserialize;

use crate::config::Config;
use crate::error::Error;
use crate::files;

/// The directory of the Dense layer within that of the model. In int8 weights, the prefix of its tensors.
pub(crate) const DENSE: &str = "2_Dense";

/// The package whose modules are known. A class of another package may compute anything.
const PACKAGE: &str = "sentence_transformers.";
/// Where Dense reads and writes, unless it works on the tokens before they are pooled.
const SENTENCE: &str = "sentence_embedding";

/// The supported modules in their order, each with its directory. That of Normalize has no files and is named
/// after its number.
const KNOWN: [(&str, Option<&str>); 4] =
    [("Transformer", Some("")), ("Pooling", Some("1_Pooling")), ("Dense", Some(DENSE)), ("Normalize", None)];

/// What comes after the body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Modules {
    /// Whether `modules.json` exists. If so, `1_Pooling/config.json` must exist too.
    pub(crate) listed: bool,
    pub(crate) dense: Option<DenseConfig>,
}

/// The shape of the dense layer that is applied to the pooled vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenseConfig {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) has_bias: bool,
    pub(crate) activation: Activation,
}

/// The function applied to each output of the dense layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    Identity,
    Tanh,
}

/// An entry of `modules.json`.
#[derive(Deserialize)]
struct Entry {
    path: String,
    #[serde(rename = "type")]
    class: String,
}

/// `2_Dense/config.json` as written. The last three fields exist in newer files only.
#[derive(Deserialize)]
struct DenseFile {
    in_features: u64,
    out_features: u64,
    bias: bool,
    activation_function: String,
    module_input_name: Option<String>,
    module_output_name: Option<String>,
    #[serde(default)]
    use_residual: bool,
}

impl Modules {
    pub(crate) fn read(directory: &Path, config: &Config) -> Result<Modules, Error> {
        let path = directory.join("modules.json");
        let Some(entries) = files::read_optional_json::<Vec<Entry>>(&path)? else {
            return Ok(Modules::default());
        };
        let mut dense = None;
        let mut previous = None;
        for (number, Entry { path: place, class }) in entries.iter().enumerate() {
            let name = class.rsplit('.').next().filter(|_| class.starts_with(PACKAGE));
            let rank = KNOWN.iter().position(|(known, _)| Some(*known) == name);
            // Only the last two can be left out.
            let in_order = rank > previous && (number >= 2 || rank == Some(number));
            let Some((name, known_place)) = rank.filter(|_| in_order).and_then(|rank| KNOWN.get(rank)) else {
                return Err(Error::unsupported(
                    &path,
                    format!(
                        "module {number} is {class:?}; only Transformer, Pooling, Dense and Normalize of \
                         sentence_transformers, in this order, are supported"
                    ),
                ));
            };
            if let Some(known_place) = known_place.filter(|known_place| known_place != place) {
                return Err(Error::unsupported(
                    &path,
                    format!("module {number}, {class:?}, is in {place:?}; only {known_place:?} is supported"),
                ));
            }
            if *name == "Dense" {
                dense = Some(DenseConfig::read(directory, config)?);
            }
            previous = rank;
        }
        if entries.len() < 2 {
            return Err(Error::unsupported(&path, "a list without Transformer and Pooling is not supported"));
        }
        Ok(Modules { listed: true, dense })
    }
}

impl DenseConfig {
    fn read(directory: &Path, config: &Config) -> Result<DenseConfig, Error> {
        let path = &directory.join(DENSE).join("config.json");
        let file: DenseFile = files::read_json(path)?;
        if file.in_features != config.hidden as u64 {
            return Err(Error::invalid(
                path,
                format!("in_features is {}, hidden_size is {}", file.in_features, config.hidden),
            ));
        }
        let outputs = match usize::try_from(file.out_features) {
            Ok(outputs) if (1..=Config::HIDDEN_LIMIT).contains(&outputs) => outputs,
            _ => {
                return Err(Error::invalid(
                    path,
                    format!("out_features is {}, not from 1 to {}", file.out_features, Config::HIDDEN_LIMIT),
                ));
            }
        };
        let activation = match file.activation_function.as_str() {
            "torch.nn.modules.linear.Identity" => Activation::Identity,
            "torch.nn.modules.activation.Tanh" => Activation::Tanh,
            other => {
                return Err(Error::unsupported(
                    path,
                    format!("activation_function {other:?} is not supported, only Identity and Tanh are"),
                ));
            }
        };
        for (field, value) in
            [("module_input_name", file.module_input_name), ("module_output_name", file.module_output_name)]
        {
            if let Some(value) = value.filter(|value| value != SENTENCE) {
                return Err(Error::unsupported(
                    path,
                    format!("{field} {value:?} is not supported, only {SENTENCE:?} is"),
                ));
            }
        }
        if file.use_residual {
            return Err(Error::unsupported(path, "use_residual is not supported"));
        }
        Ok(DenseConfig { inputs: config.hidden, outputs, has_bias: file.bias, activation })
    }
}
