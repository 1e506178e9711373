//! Operations on each number, or on one row, in f32.
//!
//! Sums run over a fixed number of lanes, so that the compiler can use vector registers. The order of
//! additions, and so every bit of the result, depends only on the input.

use super::cpu::compiled_for_each_kernel;

const LANES: usize = 16;

compiled_for_each_kernel! {
    /// Normalizes `row` to mean 0 and variance 1, then scales and shifts it.
    fn layer_norm(row: &mut [f32], scale: &[f32], shift: &[f32], epsilon: f32) by layer_norm_row;
    /// Turns `row` into weights proportional to the exponentials of `scale` times its numbers, with sum 1.
    fn softmax(row: &mut [f32], scale: f32) by softmax_row;
    /// The Gaussian error linear unit in its exact form, x * (1 + erf(x / sqrt 2)) / 2.
    fn gelu(values: &mut [f32]) by gelu_values;
    /// The hyperbolic tangent.
    fn tanh(values: &mut [f32]) by tanh_values;
}

/// Reduces `values` to one number, `LANES` at a time; `join` must not depend on order.
#[inline(always)]
fn reduce(values: &[f32], start: f32, add: impl Fn(f32, f32) -> f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = add(*lane, value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane = add(*lane, value);
    }
    lanes.into_iter().fold(start, join)
}

#[inline(always)]
pub(super) fn sum(values: &[f32]) -> f32 {
    reduce(values, 0.0, |sum, value| sum + value, |a, b| a + b)
}

/// The square of the Euclidean length.
#[inline(always)]
pub(crate) fn sum_of_squares(values: &[f32]) -> f32 {
    reduce(values, 0.0, |sum, value| sum + value * value, |a, b| a + b)
}

pub(crate) fn add(values: &mut [f32], others: &[f32]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += other;
    }
}

#[inline(always)]
fn layer_norm_row(row: &mut [f32], scale: &[f32], shift: &[f32], epsilon: f32) {
    let count = row.len() as f32;
    let mean = sum(row) / count;
    for value in row.iter_mut() {
        *value -= mean;
    }
    let inverse = 1.0 / (sum_of_squares(row) / count + epsilon).sqrt();
    for ((value, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
        *value = *value * inverse * scale + shift;
    }
}

#[inline(always)]
fn softmax_row(row: &mut [f32], scale: f32) {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let maximum = reduce(row, f32::NEG_INFINITY, larger, larger);
    for value in row.iter_mut() {
        *value = exp((*value - maximum) * scale);
    }
    let inverse = 1.0 / sum(row);
    for value in row.iter_mut() {
        *value *= inverse;
    }
}

#[inline(always)]
fn gelu_values(values: &mut [f32]) {
    for value in values {
        let x = *value;
        *value = 0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// With a relative error of 5e-7: a vector of small numbers is scaled up afterwards.
#[inline(always)]
fn tanh_values(values: &mut [f32]) {
    for value in values {
        let x = *value;
        let power = exp(-2.0 * x.abs());
        let large = ((1.0 - power) / (1.0 + power)).copysign(x);
        // Cephes' minimax polynomial where the difference above loses digits.
        let z = x * x;
        let series = (((-5.704_988_7e-3 * z + 2.063_909e-2) * z - 5.373_971_6e-2) * z + 1.333_144_2e-1) * z
            - 3.333_328e-1;
        *value = if x.abs() < 0.625 { series * z * x + x } else { large };
    }
}

/// The error function to 2e-7 (Abramowitz and Stegun 7.1.26).
#[inline(always)]
fn erf(x: f32) -> f32 {
    let z = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = (((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6;
    (1.0 - series * t * exp(-z * z)).copysign(x)
}

/// The exponential of x with a relative error of 2e-7. x is clamped to the range from -86 to 86; NaN stays
/// NaN.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-86.0, 86.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let power = rounded - ROUND;
    let r = x - power * LN_2_HIGH - power * LN_2_LOW;
    // Cephes' minimax polynomial on half a binary order around 0.
    let tail = ((((1.987_569_1e-4 * r + 1.398_2e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_5e-1)
        * r
        + 0.5;
    let scale = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    (tail * r * r + r + 1.0) * scale
}
