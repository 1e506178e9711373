//! The product of a dense layer with f32 weights.

/// `output = input * weightᵀ + bias` for rows of `inputs` numbers; the rows of `weight` are the outputs.
///
/// Panics if the shapes do not match: that is an error in this crate, never in a file.
pub(crate) fn dense(input: &[f32], inputs: usize, weight: &[f32], bias: &[f32], output: &mut [f32]) {
    let (rows, outputs) = (input.len() / inputs, bias.len());
    assert!(input.len() == rows * inputs && output.len() == rows * outputs, "rows do not match");
    assert!(weight.len() == outputs * inputs, "weights do not match");
    for row in output.chunks_exact_mut(outputs) {
        row.copy_from_slice(bias);
    }
    // SAFETY: the assertions hold the three matrices to the lengths of their slices, which fit isize; rows
    // follow each other without a gap, and `weight` is read by columns to be transposed. `output` is
    // borrowed alone, so it overlaps neither input.
    unsafe {
        matrixmultiply::sgemm(
            rows,
            inputs,
            outputs,
            1.0,
            input.as_ptr(),
            inputs as isize,
            1,
            weight.as_ptr(),
            1,
            inputs as isize,
            1.0,
            output.as_mut_ptr(),
            outputs as isize,
            1,
        );
    }
}
