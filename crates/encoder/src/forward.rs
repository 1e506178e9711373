//! The forward pass: from token ids to one vector.

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{self, Kernel, Panels, QuantizedRows, View};
use crate::layers::{Embeddings, LayerNorm, Linear};
use crate::settings::Pooling;
use crate::variant::Variant;
use crate::weights::Weights;

/// Rows that go through the feed-forward part together. This bounds the widest buffer of the model. Every
/// block reads the weights again. In f32 it also copies them, so there a text within the usual limit is a
/// single block.
const fn feed_forward_rows(variant: Variant) -> usize {
    match variant {
        Variant::Int8 => 64,
        Variant::F32 => 256,
    }
}

/// Tokens whose scores for all others are processed together, while they fit into the nearest cache.
const SCORE_ROWS: usize = 32;

pub(crate) struct Model {
    embeddings: Embeddings,
    layers: Vec<Layer>,
    config: Config,
    variant: Variant,
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

/// The buffers for one text, with a row for every token. They live for one text only, so an interrupted call
/// leaves no partial state for the next.
struct Scratch {
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    /// What attention gathers; later, what a layer is about to add to the states.
    context: Vec<f32>,
    /// The weights of some tokens for all tokens, in one head.
    scores: Vec<f32>,
    /// One head's keys and values.
    key_panels: Panels,
    value_panels: Panels,
    intermediate: Vec<f32>,
    feed_forward_rows: usize,
    quantized: QuantizedRows,
}

impl Model {
    pub(crate) fn load(weights: &Weights, config: Config) -> Result<Model, Error> {
        let embeddings = Embeddings::load(weights, &config)?;
        let layers = (0..config.layers)
            .map(|number| Layer::load(weights, number, &config))
            .collect::<Result<_, _>>()?;
        Ok(Model { embeddings, layers, config, variant: weights.variant() })
    }

    /// The pooled vector of a text, not yet normalized. `interrupt` is called before each layer.
    pub(crate) fn forward(
        &self,
        kernel: Kernel,
        ids: &[u32],
        pooling: Pooling,
        interrupt: &mut dyn FnMut(),
    ) -> Vec<f32> {
        let mut states = self.embeddings.apply(kernel, ids);
        let mut scratch = Scratch::new(kernel, ids.len(), feed_forward_rows(self.variant), &self.config);
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
            Linear::load(weights, &format!("encoder.layer.{number}.{name}"), inputs, outputs, true)
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
        let kernel = scratch.quantized.kernel();
        self.query.apply(states, &mut scratch.quantized, &mut scratch.query);
        self.key.apply(states, &mut scratch.quantized, &mut scratch.key);
        self.value.apply(states, &mut scratch.quantized, &mut scratch.value);
        for head in 0..config.heads {
            scratch.attend(kernel, states.len() / config.hidden, head, config);
        }
        // The queries are no longer needed; their buffer takes the result.
        self.attention_output.apply(&scratch.context, &mut scratch.quantized, &mut scratch.query);
        kernels::add(states, &scratch.query);
        self.attention_norm.apply(kernel, states);
    }

    fn feed_forward(&self, states: &mut [f32], scratch: &mut Scratch, config: &Config) {
        let kernel = scratch.quantized.kernel();
        for block in states.chunks_mut(scratch.feed_forward_rows * config.hidden) {
            let rows = block.len() / config.hidden;
            let intermediate = &mut scratch.intermediate[..rows * config.intermediate];
            self.intermediate.apply(block, &mut scratch.quantized, intermediate);
            kernels::gelu(kernel, intermediate);
            let output = &mut scratch.context[..block.len()];
            self.output.apply(intermediate, &mut scratch.quantized, output);
            kernels::add(block, output);
        }
        self.output_norm.apply(kernel, states);
    }
}

impl Scratch {
    fn new(kernel: Kernel, tokens: usize, feed_forward_rows: usize, config: &Config) -> Scratch {
        let zeros = |rows: usize, columns: usize| vec![0.0; rows * columns];
        Scratch {
            query: zeros(tokens, config.hidden),
            key: zeros(tokens, config.hidden),
            value: zeros(tokens, config.hidden),
            context: zeros(tokens, config.hidden),
            scores: zeros(tokens.min(SCORE_ROWS), tokens),
            key_panels: Panels::default(),
            value_panels: Panels::default(),
            intermediate: zeros(tokens.min(feed_forward_rows), config.intermediate),
            feed_forward_rows,
            quantized: QuantizedRows::new(kernel),
        }
    }

    /// What each token gathers from all tokens in one head.
    fn attend(&mut self, kernel: Kernel, tokens: usize, head: usize, config: &Config) {
        let (hidden, size) = (config.hidden, config.head_size());
        let scale = 1.0 / (size as f32).sqrt();
        let start = head * size;
        self.key_panels.pack_transposed(View { data: &self.key[start..], stride: hidden }, size, tokens);
        self.value_panels.pack(View { data: &self.value[start..], stride: hidden }, tokens, size);
        for first in (0..tokens).step_by(SCORE_ROWS) {
            let rows = SCORE_ROWS.min(tokens - first);
            let place = first * hidden + start;
            let query = View { data: &self.query[place..], stride: hidden };
            kernels::product(kernel, rows, query, &self.key_panels, &mut self.scores, tokens);
            for row in self.scores[..rows * tokens].chunks_exact_mut(tokens) {
                kernels::softmax(kernel, row, scale);
            }
            let scores = View { data: &self.scores, stride: tokens };
            let context = &mut self.context[place..];
            kernels::product(kernel, rows, scores, &self.value_panels, context, hidden);
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
