//! Products of 8-bit numbers: weights as stored in the file, and rows of activations quantized on the way.
//!
//! Both sides are between -127 and 127; the weights are stored with 128 added. A row of activations is cut
//! into groups of 64, each with a scale of its own. The input of a layer has a few numbers many times larger
//! than the others, and with one scale per row the others would lose their digits.
//!
//! The products of a group are summed exactly in 32 bits. A kernel only computes these sums; everything done
//! in f32, before and after, is written once here for all kernels.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
mod rows;
#[cfg(target_arch = "x86_64")]
mod vnni;

use super::cpu::Level;
use rows::Group;
pub(crate) use rows::QuantizedRows;

/// Outputs in a panel of weights.
pub(crate) const LANES: usize = 16;
/// Inputs that are stored together for each output.
pub(crate) const QUAD: usize = 4;
/// How a weight of 0 is stored.
pub(crate) const ZERO: u8 = 128;

/// Quads of a row that share a scale; the last group of a row may have fewer.
const GROUP: usize = 16;

/// One line of a panel: four weights for each of 16 outputs.
type Line = [u8; LANES * QUAD];

/// The weights of a dense layer: a panel for every 16 outputs, and in it a line for every four inputs.
#[derive(Clone, Copy)]
pub(crate) struct WeightPanels<'a> {
    pub(crate) lines: &'a [u8],
    pub(crate) scales: &'a [f32],
    pub(crate) bias: &'a [f32],
}

/// `output = rows * weightsᵀ + bias`.
///
/// Panics if the shapes do not match: that is an error in this crate, never in a file.
pub(crate) fn multiply(rows: &QuantizedRows, weights: WeightPanels, output: &mut [f32]) {
    let outputs = weights.bias.len();
    let (lines, rest) = weights.lines.as_chunks::<{ LANES * QUAD }>();
    assert!(rest.is_empty() && lines.len() == outputs.div_ceil(LANES) * rows.depth, "panels do not match");
    assert!(weights.scales.len() == outputs, "scales do not match");
    assert!(output.len() == rows.count * outputs, "rows do not match");
    let product = Product { rows, lines, weights, output };
    match rows.kernel.level() {
        Level::Portable => portable::multiply(product),
        // SAFETY: a `Kernel` of this level exists only where the processor has AVX2.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::multiply(product) },
        // SAFETY: a `Kernel` of this level exists only where the processor has what `vnni` asks for.
        #[cfg(target_arch = "x86_64")]
        Level::Vnni => unsafe { vnni::multiply(product) },
    }
}

/// A product in progress, with its shapes checked.
struct Product<'a> {
    rows: &'a QuantizedRows,
    lines: &'a [Line],
    weights: WeightPanels<'a>,
    output: &'a mut [f32],
}

impl<'a> Product<'a> {
    /// The number of groups in each row.
    fn groups(&self) -> usize {
        self.rows.depth.div_ceil(GROUP)
    }

    fn panels(&self) -> std::slice::ChunksExact<'a, Line> {
        self.lines.chunks_exact(self.rows.depth)
    }

    /// Adds the exact sums of a group to the totals of its row in a panel.
    #[inline(always)]
    fn add(&self, row: usize, group: usize, sums: &[i32; LANES], totals: &mut [f32; LANES]) {
        let Group { scale, excess } = self.rows.groups[row * self.groups() + group];
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total += (sum - excess) as f32 * scale;
        }
    }

    /// Converts the totals of a row in a panel to numbers of the output.
    #[inline(always)]
    fn put(&mut self, row: usize, panel: usize, totals: &[f32; LANES]) {
        let outputs = self.weights.bias.len();
        let columns = panel * LANES..outputs.min((panel + 1) * LANES);
        let scales = &self.weights.scales[columns.clone()];
        let bias = &self.weights.bias[columns.clone()];
        let place = &mut self.output[row * outputs..][columns];
        for (((place, total), scale), bias) in place.iter_mut().zip(totals).zip(scales).zip(bias) {
            *place = total * scale + bias;
        }
    }
}

#[cfg(test)]
mod tests;
