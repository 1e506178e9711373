//! The parts that a BERT-shaped model is made of, each holding its checked weights.

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{self, Matrix};
use crate::weights::{Tensor, Weights};

/// A dense layer, `y = x Wᵀ + b`.
///
/// How the weights are stored and multiplied is known here alone.
pub(crate) struct Linear {
    weight: Tensor,
    bias: Tensor,
    inputs: usize,
    outputs: usize,
}

impl Linear {
    pub(crate) fn load(
        weights: &Weights,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Linear, Error> {
        Ok(Linear {
            weight: weights.tensor(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: weights.tensor(&format!("{name}.bias"), &[outputs])?,
            inputs,
            outputs,
        })
    }

    /// Applies the layer to each row of `input`; `output` takes as many rows.
    pub(crate) fn apply(&self, input: &[f32], output: &mut [f32]) {
        let rows = input.len() / self.inputs;
        for row in output.chunks_exact_mut(self.outputs) {
            row.copy_from_slice(&self.bias);
        }
        let input = Matrix::rows(input, rows, self.inputs, self.inputs);
        let weight = Matrix::rows(&self.weight, self.outputs, self.inputs, self.inputs);
        kernels::gemm(1.0, input, weight.transposed(), 1.0, output, self.outputs);
    }
}

/// Layer normalisation with its learnt scale and shift.
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
    pub(crate) fn apply(&self, values: &mut [f32]) {
        for row in values.chunks_exact_mut(self.scale.len()) {
            kernels::layer_norm(row, &self.scale, &self.shift, self.epsilon);
        }
    }
}

/// Looks up what the model knows of a token before it sees the others.
pub(crate) struct Embeddings {
    words: Tensor,
    positions: Tensor,
    token_types: Tensor,
    norm: LayerNorm,
    hidden: usize,
}

impl Embeddings {
    pub(crate) fn load(weights: &Weights, config: &Config) -> Result<Embeddings, Error> {
        let table =
            |name: &str, rows| weights.tensor(&format!("embeddings.{name}.weight"), &[rows, config.hidden]);
        Ok(Embeddings {
            words: table("word_embeddings", config.vocabulary)?,
            positions: table("position_embeddings", config.positions)?,
            token_types: table("token_type_embeddings", config.token_types)?,
            norm: LayerNorm::load(weights, "embeddings.LayerNorm", config)?,
            hidden: config.hidden,
        })
    }

    /// One row for each id. The ids must come from the vocabulary, and be no more than there are positions.
    pub(crate) fn apply(&self, ids: &[u32]) -> Vec<f32> {
        let mut states = Vec::with_capacity(ids.len() * self.hidden);
        for &id in ids {
            let start = id as usize * self.hidden;
            states.extend_from_slice(&self.words[start..start + self.hidden]);
        }
        kernels::add(&mut states, &self.positions);
        for row in states.chunks_exact_mut(self.hidden) {
            // A text on its own is all of the first type.
            kernels::add(row, &self.token_types);
        }
        self.norm.apply(&mut states);
        states
    }
}
