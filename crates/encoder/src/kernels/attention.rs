//! The small products of attention: the scores of one head, and what the scores gather.
//!
//! The right side is packed into panels of 16 columns. Every number of the result is summed from the first
//! row of its column to the last, however the rows are blocked.

use super::cpu::compiled_for_each_kernel;

const LANES: usize = 16;
/// Rows processed together, so that a panel is read once for all of them.
const BLOCK: usize = 4;

compiled_for_each_kernel! {
    /// The first `rows` rows of `left`, each as wide as `right` is deep, times `right`. The rows of the
    /// result are `stride` numbers apart in `output`.
    fn product(rows: usize, left: View, right: &Panels, output: &mut [f32], stride: usize) by multiply;
}

/// A matrix that is part of a wider one: its rows are `stride` numbers apart.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) stride: usize,
}

/// A matrix cut into panels of 16 columns, each contiguous; the last is padded with zeros.
#[derive(Default)]
pub(crate) struct Panels {
    data: Vec<[f32; LANES]>,
    depth: usize,
    width: usize,
}

impl Panels {
    /// Takes the first `width` columns of `depth` rows of `matrix`.
    pub(crate) fn pack(&mut self, matrix: View, depth: usize, width: usize) {
        self.clear(depth, width);
        for (number, panel) in self.data.chunks_exact_mut(depth).enumerate() {
            let columns = number * LANES..width.min((number + 1) * LANES);
            for (line, row) in panel.iter_mut().zip(matrix.data.chunks(matrix.stride)) {
                line[..columns.len()].copy_from_slice(&row[columns.clone()]);
            }
        }
    }

    /// Takes the transpose of the first `depth` columns of `width` rows of `matrix`.
    pub(crate) fn pack_transposed(&mut self, matrix: View, depth: usize, width: usize) {
        self.clear(depth, width);
        for (number, row) in matrix.data.chunks(matrix.stride).take(width).enumerate() {
            let panel = &mut self.data[number / LANES * depth..][..depth];
            for (line, &value) in panel.iter_mut().zip(row) {
                line[number % LANES] = value;
            }
        }
    }

    fn clear(&mut self, depth: usize, width: usize) {
        self.data.clear();
        self.data.resize(depth * width.div_ceil(LANES), [0.0; LANES]);
        (self.depth, self.width) = (depth, width);
    }
}

#[inline(always)]
fn multiply(rows: usize, left: View, right: &Panels, output: &mut [f32], stride: usize) {
    for (number, panel) in right.data.chunks_exact(right.depth).enumerate() {
        let start = number * LANES;
        let columns = start..right.width.min(start + LANES);
        let mut row = 0;
        while row + BLOCK <= rows {
            put(block::<BLOCK>(row, left, panel), row, output, stride, columns.clone());
            row += BLOCK;
        }
        while row < rows {
            put(block::<1>(row, left, panel), row, output, stride, columns.clone());
            row += 1;
        }
    }
}

#[inline(always)]
fn block<const ROWS: usize>(first: usize, left: View, panel: &[[f32; LANES]]) -> [[f32; LANES]; ROWS] {
    let rows: [&[f32]; ROWS] =
        std::array::from_fn(|row| &left.data[(first + row) * left.stride..][..panel.len()]);
    let mut sums = [[0.0; LANES]; ROWS];
    for (index, line) in panel.iter().enumerate() {
        for row in 0..ROWS {
            let factor = rows[row][index];
            for lane in 0..LANES {
                sums[row][lane] += factor * line[lane];
            }
        }
    }
    sums
}

#[inline(always)]
fn put<const ROWS: usize>(
    sums: [[f32; LANES]; ROWS],
    first: usize,
    output: &mut [f32],
    stride: usize,
    columns: std::ops::Range<usize>,
) {
    for (row, sums) in sums.iter().enumerate() {
        let place = &mut output[(first + row) * stride + columns.start..][..columns.len()];
        match <&mut [f32; LANES]>::try_from(&mut *place) {
            Ok(whole) => *whole = *sums,
            Err(_) => place.copy_from_slice(&sums[..place.len()]),
        }
    }
}
