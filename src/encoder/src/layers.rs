//! The parts of a BERT-shaped model, each with its checked weights.

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{self, Kernel, LANES, QUAD, QuantizedRows, WeightPanels};
use crate::mapped::Tensor;
use crate::variant::Variant;
use crate::weights::Weights;

/// The tensor with the value that 1 represents in each row of a quantized tensor.
pub(crate) fn scales_of(name: &str) -> String {
    format!("{name}_scale")
}

/// A dense layer, `y = x Wᵀ + b`.
///
/// Only this type knows how the weights are stored and multiplied.
pub(crate) struct Linear {
    weight: Weight,
    bias: Tensor,
    inputs: usize,
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
        Ok(Linear { weight, bias: weights.tensor(&format!("{name}.bias"), &[outputs])?, inputs })
    }

    /// Applies the layer to each row of `input`; `output` takes as many rows. `quantized` is a work buffer.
    pub(crate) fn apply(&self, input: &[f32], quantized: &mut QuantizedRows, output: &mut [f32]) {
        match &self.weight {
            Weight::F32(weight) => kernels::dense(input, self.inputs, weight, &self.bias, output),
            Weight::Int8 { panels, scales } => {
                quantized.fill(input, self.inputs);
                let weights = WeightPanels { lines: panels, scales, bias: &self.bias };
                kernels::multiply(quantized, weights, output);
            }
        }
    }
}

/// Layer normalisation with its learned scale and shift.
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

    /// Normalises each row of `values`.
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
