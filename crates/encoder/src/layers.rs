//! The parts of a BERT-shaped model, each with its checked weights.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{self, Kernel, LANES, QUAD, QuantizedRows, WeightPanels};
use crate::mapped::Tensor;
use crate::modules::{Activation, DENSE, DenseConfig};
use crate::variant::Variant;
use crate::weights::Weights;

/// The tensor with the value that 1 represents in each row of a quantized tensor.
pub(crate) fn scales_of(name: &str) -> String {
    format!("{name}_scale")
}

/// The name of the Dense layer in its own weights file.
pub(crate) const DENSE_LINEAR: &str = "linear";

/// A dense layer, `y = x Wᵀ + b`.
///
/// Only this type knows how the weights are stored and multiplied.
pub(crate) struct Linear {
    weight: Weight,
    bias: Bias,
    inputs: usize,
}

enum Bias {
    Learned(Tensor),
    /// Of a layer without a bias.
    Zeros(Vec<f32>),
}

enum Weight {
    F32(Tensor),
    Int8 { panels: Tensor<u8>, scales: Tensor },
}

impl Linear {
    pub(crate) fn load(
        weights: &Weights,
        name: &str,
        inputs: usize,
        outputs: usize,
        has_bias: bool,
    ) -> Result<Linear, Error> {
        let weight_name = &format!("{name}.weight");
        let weight = match weights.variant() {
            Variant::F32 => Weight::F32(weights.tensor(weight_name, &[outputs, inputs])?),
            Variant::Int8 => {
                let shape = [outputs.div_ceil(LANES), inputs.div_ceil(QUAD), LANES, QUAD];
                let panels = weights.tensor(weight_name, &shape)?;
                Weight::Int8 { panels, scales: weights.tensor(&scales_of(weight_name), &[outputs])? }
            }
        };
        let bias_name = format!("{name}.bias");
        let bias = if has_bias {
            Bias::Learned(weights.tensor(&bias_name, &[outputs])?)
        } else if weights.has(&bias_name) {
            return Err(Error::invalid(
                weights.path(),
                format!("has a tensor {bias_name}, config.json says that there is no bias"),
            ));
        } else {
            Bias::Zeros(vec![0.0; outputs])
        };
        Ok(Linear { weight, bias, inputs })
    }

    /// Applies the layer to each row of `input`; `output` takes as many rows. `quantized` is a work buffer.
    pub(crate) fn apply(&self, input: &[f32], quantized: &mut QuantizedRows, output: &mut [f32]) {
        let bias: &[f32] = match &self.bias {
            Bias::Learned(bias) => bias,
            Bias::Zeros(bias) => bias,
        };
        match &self.weight {
            Weight::F32(weight) => kernels::dense(input, self.inputs, weight, bias, output),
            Weight::Int8 { panels, scales } => {
                quantized.fill(input, self.inputs);
                let weights = WeightPanels { lines: panels, scales, bias };
                kernels::multiply(quantized, weights, output);
            }
        }
    }
}

/// The Dense layer of sentence-transformers, applied to the pooled vector.
///
/// int8 weights include it, quantized like all others: that keeps their vectors the same to the last bit on
/// every processor, which the product in f32 does not.
pub(crate) struct Dense {
    linear: Linear,
    activation: Activation,
    outputs: usize,
    /// The file with its weights.
    path: PathBuf,
}

impl Dense {
    /// `body` is the weights of the model in `directory`.
    pub(crate) fn load(body: &Weights, directory: &Path, config: DenseConfig) -> Result<Dense, Error> {
        let DenseConfig { inputs, outputs, has_bias, activation } = config;
        let own;
        let (weights, name) = match body.variant() {
            Variant::F32 => {
                own = Weights::open_dense(directory)?;
                (&own, DENSE_LINEAR.to_owned())
            }
            Variant::Int8 => (body, format!("{DENSE}.{DENSE_LINEAR}")),
        };
        let linear = Linear::load(weights, &name, inputs, outputs, has_bias)?;
        Ok(Dense { linear, activation, outputs, path: weights.path().to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn apply(&self, kernel: Kernel, pooled: &[f32]) -> Vec<f32> {
        let mut output = vec![0.0; self.outputs];
        self.linear.apply(pooled, &mut QuantizedRows::new(kernel), &mut output);
        match self.activation {
            Activation::Identity => (),
            Activation::Tanh => kernels::tanh(kernel, &mut output),
        }
        output
    }
}

/// Layer normalization with its learned scale and shift.
pub(crate) struct LayerNorm {
    scale: Tensor,
    shift: Tensor,
    epsilon: f32,
}

impl LayerNorm {
    pub(crate) fn load(weights: &Weights, name: &str, config: &Config) -> Result<LayerNorm, Error> {
        Ok(LayerNorm {
            scale: weights.tensor(&format!("{name}.weight"), &[config.hidden])?,
            shift: weights.tensor(&format!("{name}.bias"), &[config.hidden])?,
            epsilon: config.layer_norm_eps,
        })
    }

    /// Normalizes each row of `values`.
    pub(crate) fn apply(&self, kernel: Kernel, values: &mut [f32]) {
        for row in values.chunks_exact_mut(self.scale.len()) {
            kernels::layer_norm(kernel, row, &self.scale, &self.shift, self.epsilon);
        }
    }
}

/// Looks up what the model knows about a token before it sees the others.
pub(crate) struct Embeddings {
    words: Words,
    positions: Tensor,
    token_types: Tensor,
    norm: LayerNorm,
    hidden: usize,
}

enum Words {
    F32(Tensor),
    Int8 { values: Tensor<i8>, scales: Tensor },
}

impl Embeddings {
    pub(crate) fn load(weights: &Weights, config: &Config) -> Result<Embeddings, Error> {
        let hidden = config.hidden;
        let name = |table: &str| format!("embeddings.{table}_embeddings.weight");
        let (words_name, words_shape) = (&name("word"), &[config.vocabulary, hidden]);
        let words = match weights.variant() {
            Variant::F32 => Words::F32(weights.tensor(words_name, words_shape)?),
            Variant::Int8 => Words::Int8 {
                values: weights.tensor(words_name, words_shape)?,
                scales: weights.tensor(&scales_of(words_name), &words_shape[..1])?,
            },
        };
        Ok(Embeddings {
            words,
            positions: weights.tensor(&name("position"), &[config.positions, hidden])?,
            token_types: weights.tensor(&name("token_type"), &[config.token_types, hidden])?,
            norm: LayerNorm::load(weights, "embeddings.LayerNorm", config)?,
            hidden,
        })
    }

    /// One row for each id. The ids must come from the vocabulary, and there must be no more of them than
    /// positions.
    pub(crate) fn apply(&self, kernel: Kernel, ids: &[u32]) -> Vec<f32> {
        let mut states = Vec::with_capacity(ids.len() * self.hidden);
        for &id in ids {
            let id = id as usize;
            let columns = id * self.hidden..(id + 1) * self.hidden;
            match &self.words {
                Words::F32(words) => states.extend_from_slice(&words[columns]),
                Words::Int8 { values, scales } => {
                    let scale = scales[id];
                    states.extend(values[columns].iter().map(|&value| f32::from(value) * scale));
                }
            }
        }
        kernels::add(&mut states, &self.positions);
        for row in states.chunks_exact_mut(self.hidden) {
            // A text on its own consists entirely of the first type.
            kernels::add(row, &self.token_types);
        }
        self.norm.apply(kernel, &mut states);
        states
    }
}
