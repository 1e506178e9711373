//! Makes int8 weights from f32 weights.
//!
//! Dense layers get one scale per output and word embeddings one per word: the largest magnitude over 127.
//! Everything else is copied. Every step is a single IEEE 754 operation with a defined rounding, so the same
//! weights give the same bytes on any machine.

use std::path::Path;

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{LANES, QUAD, ZERO};
use crate::layers::{DENSE_LINEAR, Linear, scales_of};
use crate::modules::{DENSE, DenseConfig, Modules};
use crate::source;
use crate::tensor_file::{Section, TensorFile};
use crate::tokenizer::Vocabulary;
use crate::variant::Variant;
use crate::weights::Weights;

/// The largest quantized number.
const MAX_QUANTIZED: f32 = 127.0;

/// The contents of `model.int8.safetensors` for the model in directory `dir`, made from its `config.json`
/// and `model.safetensors`, if it has a Dense layer from the files of that in `2_Dense`, and with the vocabulary of `vocab.txt`, if it has
/// one, ready for searches. The same files give the same bytes on any machine.
///
/// # Errors
///
/// As for [`Encoder::open`](crate::Encoder::open) with these files, and
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a weight is not finite.
pub fn quantize(dir: &Path) -> Result<Vec<u8>, Error> {
    let config = Config::read(dir)?;
    let modules = Modules::read(dir, &config)?;
    let mut file = body(&Weights::open(dir, Variant::F32, modules)?, &config)?;
    if let Some(dense) = modules.dense {
        let weights = Weights::open_dense(dir)?;
        let source = Source { floats: &weights, prefix: format!("{DENSE}.") };
        let DenseConfig { inputs, outputs, has_bias, .. } = dense;
        // Also finds a bias that the configuration denies.
        Linear::load(&weights, DENSE_LINEAR, inputs, outputs, has_bias)?;
        if has_bias {
            source.dense(&mut file, DENSE_LINEAR, inputs, outputs)?;
        } else {
            source.dense_weight(&mut file, DENSE_LINEAR, inputs, outputs)?;
        }
    }
    let mut notes = source::metadata(dir, modules)?;
    Vocabulary::put(dir, config.vocabulary, &mut file, &mut notes)?;
    Ok(file.into_bytes(notes))
}

/// Weights in f32, by the names that BERT gives them.
pub(crate) trait Floats {
    /// The file, to be named in errors.
    fn path(&self) -> &Path;

    /// The numbers of a tensor of that shape.
    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error>;
}

impl Floats for Weights {
    fn path(&self) -> &Path {
        Weights::path(self)
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        self.tensor(name, shape).map(|tensor| tensor.to_vec())
    }
}

/// The tensors of `model.int8.safetensors` of the body of a model.
pub(crate) fn body(floats: &impl Floats, config: &Config) -> Result<TensorFile, Error> {
    let source = Source { floats, prefix: String::new() };
    let (hidden, intermediate) = (config.hidden, config.intermediate);
    let mut file = TensorFile::default();
    source.words(&mut file, "embeddings.word_embeddings.weight", config.vocabulary, hidden)?;
    source.copy(&mut file, "embeddings.position_embeddings.weight", &[config.positions, hidden])?;
    source.copy(&mut file, "embeddings.token_type_embeddings.weight", &[config.token_types, hidden])?;
    source.norm(&mut file, "embeddings.LayerNorm", hidden)?;
    for number in 0..config.layers {
        let layer = format!("encoder.layer.{number}");
        for name in ["query", "key", "value"] {
            source.dense(&mut file, &format!("{layer}.attention.self.{name}"), hidden, hidden)?;
        }
        source.dense(&mut file, &format!("{layer}.attention.output.dense"), hidden, hidden)?;
        source.norm(&mut file, &format!("{layer}.attention.output.LayerNorm"), hidden)?;
        source.dense(&mut file, &format!("{layer}.intermediate.dense"), hidden, intermediate)?;
        source.dense(&mut file, &format!("{layer}.output.dense"), intermediate, hidden)?;
        source.norm(&mut file, &format!("{layer}.output.LayerNorm"), hidden)?;
    }
    Ok(file)
}

/// The f32 weights, whose parts are written to a file under their old names after a prefix.
struct Source<'a, F> {
    floats: &'a F,
    prefix: String,
}

impl<F: Floats> Source<'_, F> {
    fn dense(&self, file: &mut TensorFile, name: &str, inputs: usize, outputs: usize) -> Result<(), Error> {
        self.dense_weight(file, name, inputs, outputs)?;
        self.copy(file, &format!("{name}.bias"), &[outputs])
    }

    fn dense_weight(
        &self,
        file: &mut TensorFile,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<(), Error> {
        let weight = format!("{name}.weight");
        let (values, scales) = quantize_rows(&self.finite(&weight, &[outputs, inputs])?, inputs);
        let shape = [outputs.div_ceil(LANES), inputs.div_ceil(QUAD), LANES, QUAD];
        self.put(file, Section::Panels, &weight, &shape, panels(&values, inputs, &shape));
        self.put(file, Section::Floats, &scales_of(&weight), &[outputs], bytes_of(&scales));
        Ok(())
    }

    fn words(&self, file: &mut TensorFile, name: &str, words: usize, hidden: usize) -> Result<(), Error> {
        let (values, scales) = quantize_rows(&self.finite(name, &[words, hidden])?, hidden);
        let values = values.iter().map(|&value| value as u8).collect();
        self.put(file, Section::Bytes, name, &[words, hidden], values);
        self.put(file, Section::Floats, &scales_of(name), &[words], bytes_of(&scales));
        Ok(())
    }

    fn norm(&self, file: &mut TensorFile, name: &str, hidden: usize) -> Result<(), Error> {
        self.copy(file, &format!("{name}.weight"), &[hidden])?;
        self.copy(file, &format!("{name}.bias"), &[hidden])
    }

    fn copy(&self, file: &mut TensorFile, name: &str, shape: &[usize]) -> Result<(), Error> {
        self.put(file, Section::Floats, name, shape, bytes_of(&self.finite(name, shape)?));
        Ok(())
    }

    fn put(&self, file: &mut TensorFile, section: Section, name: &str, shape: &[usize], bytes: Vec<u8>) {
        file.put(section, &format!("{}{name}", self.prefix), shape, bytes);
    }

    fn finite(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let values = self.floats.floats(name, shape)?;
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(Error::invalid(self.floats.path(), format!("tensor {name} has numbers that are not finite")))
        }
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Integers from -127 to 127 for each row of `width`, and the value that 1 represents in the row.
fn quantize_rows(values: &[f32], width: usize) -> (Vec<i8>, Vec<f32>) {
    let mut quantized = Vec::with_capacity(values.len());
    let scale_of =
        |row: &[f32]| row.iter().fold(0.0, |largest: f32, value| largest.max(value.abs())) / MAX_QUANTIZED;
    let scales: Vec<f32> = values.chunks_exact(width).map(scale_of).collect();
    for (row, &scale) in values.chunks_exact(width).zip(&scales) {
        quantized.extend(row.iter().map(|&value| {
            // Numbers too small for a scale become 0. The scale of other very small numbers is rounded so
            // coarsely that the quotient may be outside the range.
            let scaled = if scale > 0.0 { value / scale } else { 0.0 };
            scaled.round_ties_even().clamp(-MAX_QUANTIZED, MAX_QUANTIZED) as i8
        }));
    }
    (quantized, scales)
}

/// Rows of weights, one for each output, in the layout that the kernels read: panels of outputs, lines of
/// inputs, and in each line the inputs of one output together; padded with weights of 0.
fn panels(rows: &[i8], inputs: usize, shape: &[usize; 4]) -> Vec<u8> {
    let mut panels = vec![ZERO; shape.iter().product()];
    for (output, row) in rows.chunks_exact(inputs).enumerate() {
        let panel = output / LANES * shape[1];
        for (input, &value) in row.iter().enumerate() {
            let line = panel + input / QUAD;
            panels[(line * LANES + output % LANES) * QUAD + input % QUAD] = ZERO.wrapping_add_signed(value);
        }
    }
    panels
}
