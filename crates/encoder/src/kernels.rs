//! The arithmetic of the forward pass.
//!
//! Apart from [`dense`], which uses matrixmultiply, every function gives the same bits on every processor. It
//! adds in an order that depends only on the shapes, never fuses a multiplication and an addition into one
//! rounding, and multiplies 8-bit numbers exactly. Only the number of lanes processed at a time differs,
//! chosen by a [`Kernel`].

mod attention;
mod cpu;
mod dense;
mod elementwise;
mod int8;

pub(crate) use attention::{Panels, View, product};
pub use cpu::Kernel;
pub(crate) use dense::dense;
pub(crate) use elementwise::{add, gelu, layer_norm, softmax, sum_of_squares, tanh};
pub(crate) use int8::{LANES, QUAD, QuantizedRows, WeightPanels, ZERO, multiply};

#[cfg(test)]
mod tests;
