//! The forward pass: from token ids to one vector.

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{self, Matrix};
use crate::layers::{Embeddings, LayerNorm, Linear};
use crate::settings::Pooling;
use crate::weights::Weights;

/// Rows that go through the feed-forward part together: bounds the widest buffer of the model. Every block
/// reads the weights anew, so a text of the usual limit is one.
const FEED_FORWARD_ROWS: usize = 256;

pub(crate) struct Model {
    embeddings: Embeddings,
    layers: Vec<Layer>,
    config: Config,
}

/// One transformer layer: attention among the tokens, then a feed-forward step for each.
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

/// The buffers of one text, each a row for every token. They live for one text only: nothing is kept
/// between calls that an interrupted one could leave behind half done.
struct Scratch {
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    /// What attention gathers, later what a layer is about to add to the states.
    context: Vec<f32>,
    /// One head's weights, tokens by tokens.
    scores: Vec<f32>,
    intermediate: Vec<f32>,
}

impl Model {
    pub(crate) fn load(weights: &Weights, config: Config) -> Result<Model, Error> {
        let embeddings = Embeddings::load(weights, &config)?;
        let layers = (0..config.layers)
            .map(|number| Layer::load(weights, number, &config))
            .collect::<Result<_, _>>()?;
        Ok(Model { embeddings, layers, config })
    }

    /// The pooled vector of a text, not yet normalised. `interrupt` is called before each layer.
    pub(crate) fn forward(&self, ids: &[u32], pooling: Pooling, interrupt: &mut dyn FnMut()) -> Vec<f32> {
        let mut states = self.embeddings.apply(ids);
        let mut scratch = Scratch::new(ids.len(), &self.config);
        for layer in &self.layers {
            interrupt();
            layer.attend(&mut states, &mut scratch, &self.config);
            layer.feed_forward(&mut states, &mut scratch, &self.config);
        }
        pool(&states, self.config.hidden, pooling)
    }
}

impl Layer {
    fn load(weights: &Weights, number: usize, config: &Config) -> Result<Layer, Error> {
        let linear = |name: &str, inputs, outputs| {
            Linear::load(weights, &format!("encoder.layer.{number}.{name}"), inputs, outputs)
        };
        let norm = |name: &str| LayerNorm::load(weights, &format!("encoder.layer.{number}.{name}"), config);
        let (hidden, intermediate) = (config.hidden, config.intermediate);
        Ok(Layer {
            query: linear("attention.self.query", hidden, hidden)?,
            key: linear("attention.self.key", hidden, hidden)?,
            value: linear("attention.self.value", hidden, hidden)?,
            attention_output: linear("attention.output.dense", hidden, hidden)?,
            attention_norm: norm("attention.output.LayerNorm")?,
            intermediate: linear("intermediate.dense", hidden, intermediate)?,
            output: linear("output.dense", intermediate, hidden)?,
            output_norm: norm("output.LayerNorm")?,
        })
    }

    fn attend(&self, states: &mut [f32], scratch: &mut Scratch, config: &Config) {
        self.query.apply(states, &mut scratch.query);
        self.key.apply(states, &mut scratch.key);
        self.value.apply(states, &mut scratch.value);

        let (hidden, size) = (config.hidden, config.head_size());
        let tokens = states.len() / hidden;
        let scale = 1.0 / (size as f32).sqrt();
        for start in (0..hidden).step_by(size) {
            let query = Matrix::rows(&scratch.query[start..], tokens, size, hidden);
            let key = Matrix::rows(&scratch.key[start..], tokens, size, hidden);
            let value = Matrix::rows(&scratch.value[start..], tokens, size, hidden);
            kernels::gemm(scale, query, key.transposed(), 0.0, &mut scratch.scores, tokens);
            for row in scratch.scores.chunks_exact_mut(tokens) {
                kernels::softmax(row);
            }
            let scores = Matrix::rows(&scratch.scores, tokens, tokens, tokens);
            kernels::gemm(1.0, scores, value, 0.0, &mut scratch.context[start..], hidden);
        }

        // The queries are done with; their buffer takes the result.
        self.attention_output.apply(&scratch.context, &mut scratch.query);
        kernels::add(states, &scratch.query);
        self.attention_norm.apply(states);
    }

    fn feed_forward(&self, states: &mut [f32], scratch: &mut Scratch, config: &Config) {
        for block in states.chunks_mut(FEED_FORWARD_ROWS * config.hidden) {
            let rows = block.len() / config.hidden;
            let intermediate = &mut scratch.intermediate[..rows * config.intermediate];
            self.intermediate.apply(block, intermediate);
            kernels::gelu(intermediate);
            let output = &mut scratch.context[..block.len()];
            self.output.apply(intermediate, output);
            kernels::add(block, output);
        }
        self.output_norm.apply(states);
    }
}

impl Scratch {
    fn new(tokens: usize, config: &Config) -> Scratch {
        let zeros = |rows: usize, columns: usize| vec![0.0; rows * columns];
        Scratch {
            query: zeros(tokens, config.hidden),
            key: zeros(tokens, config.hidden),
            value: zeros(tokens, config.hidden),
            context: zeros(tokens, config.hidden),
            scores: zeros(tokens, tokens),
            intermediate: zeros(tokens.min(FEED_FORWARD_ROWS), config.intermediate),
        }
    }
}

fn pool(states: &[f32], hidden: usize, pooling: Pooling) -> Vec<f32> {
    let mut rows = states.chunks_exact(hidden);
    let mut pooled = rows.next().map(<[f32]>::to_vec).unwrap_or_default();
    if pooling == Pooling::Mean {
        for row in rows {
            kernels::add(&mut pooled, row);
        }
        let tokens = (states.len() / hidden) as f32;
        for value in &mut pooled {
            *value /= tokens;
        }
    }
    pooled
}
