//! Rows of activations converted to 8-bit numbers, identically on every processor.

use super::{GROUP, QUAD, ZERO};
use crate::kernels::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::kernels::cpu::Level;
use crate::kernels::cpu::compiled_for_each_kernel;

/// The largest quantized number.
const MAX_QUANTIZED: f32 = 127.0;
/// A group of numbers smaller than this counts as zeros: the inverse of its scale would not be finite.
const TINY: f32 = 1e-30;

/// Rows of activations, padded with zeros to whole quads.
pub(crate) struct QuantizedRows {
    pub(super) kernel: Kernel,
    /// Quads of a row.
    pub(super) depth: usize,
    /// The numbers in the form for the VNNI kernel; otherwise empty.
    pub(super) narrow: Vec<[i8; QUAD]>,
    /// The numbers in the form for the other kernels; otherwise empty.
    pub(super) wide: Vec<[i16; QUAD]>,
    /// The number of rows.
    pub(super) count: usize,
    /// For each group of each row.
    pub(super) groups: Vec<Group>,
}

#[derive(Clone, Copy)]
pub(super) struct Group {
    /// The value that 1 represents.
    pub(super) scale: f32,
    /// What storing the weights with 128 added contributes to each sum.
    pub(super) excess: i32,
}

impl QuantizedRows {
    pub(crate) fn new(kernel: Kernel) -> QuantizedRows {
        let (narrow, wide, groups) = (Vec::new(), Vec::new(), Vec::new());
        QuantizedRows { kernel, depth: 0, narrow, wide, count: 0, groups }
    }

    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Replaces the contents with rows of `width` numbers. A row with a number that is not finite gives NaN
    /// wherever it is used.
    pub(crate) fn fill(&mut self, input: &[f32], width: usize) {
        quantize_rows(self.kernel, self, input, width);
    }

    fn is_narrow(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.kernel.level() == Level::Vnni;
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

compiled_for_each_kernel! {
    fn quantize_rows(rows: &mut QuantizedRows, input: &[f32], width: usize) by quantize_each;
}

#[inline(always)]
fn quantize_each(rows: &mut QuantizedRows, input: &[f32], width: usize) {
    let is_narrow = rows.is_narrow();
    rows.count = input.len() / width;
    rows.depth = width.div_ceil(QUAD);
    let size = rows.count * rows.depth;
    // Everything starts as zeros, which remain past the end of each row.
    rows.narrow.clear();
    rows.narrow.resize(if is_narrow { size } else { 0 }, [0; QUAD]);
    rows.wide.clear();
    rows.wide.resize(if is_narrow { 0 } else { size }, [0; QUAD]);
    rows.groups.clear();
    for (number, row) in input.chunks_exact(width).enumerate() {
        for (group, values) in row.chunks(GROUP * QUAD).enumerate() {
            let place = number * rows.depth + group * GROUP;
            let (scale, inverse) = scale_of(values);
            let sum = if is_narrow {
                quantize_group(values, inverse, rows.narrow[place..].as_flattened_mut(), |value| value as i8)
            } else {
                quantize_group(values, inverse, rows.wide[place..].as_flattened_mut(), |value| value as i16)
            };
            rows.groups.push(Group { scale, excess: sum * i32::from(ZERO) });
        }
    }
}

/// The scale of a group and its inverse.
#[inline(always)]
fn scale_of(group: &[f32]) -> (f32, f32) {
    // Without the sign, the bits of numbers sort like the numbers, with infinity and NaN last.
    let bits = group.iter().map(|value| (value.to_bits() & 0x7fff_ffff) as i32).fold(0, i32::max);
    let largest = f32::from_bits(bits as u32);
    if !largest.is_finite() {
        (f32::NAN, 0.0)
    } else if largest < TINY {
        (0.0, 0.0)
    } else {
        (largest / MAX_QUANTIZED, MAX_QUANTIZED / largest)
    }
}

/// Rounds each number times `inverse` to the nearest integer, ties to even; returns their sum.
#[inline(always)]
fn quantize_group<T>(group: &[f32], inverse: f32, place: &mut [T], cast: impl Fn(i32) -> T) -> i32 {
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    let mut sum = 0;
    for (place, &value) in place.iter_mut().zip(group) {
        // 0 for every number of a group that is not finite: NaN must not be cast to an integer.
        let scaled = if inverse == 0.0 { 0.0 } else { value * inverse };
        let whole = (scaled + ROUND).to_bits() as i32 - ROUND.to_bits() as i32;
        *place = cast(whole);
        sum += whole;
    }
    sum
}
