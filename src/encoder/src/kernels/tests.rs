//! The arithmetic against values known otherwise.

use super::*;

#[test]
fn exp_is_exact_to_the_last_digits() {
    for step in -86_000..=86_000 {
        let x = step as f32 / 1000.0;
        let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
        assert!((ours / exact - 1.0).abs() < 2e-7, "exp({x}) = {ours}, not {exact}");
    }
    assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::NAN).is_nan());
}

#[test]
fn gelu_has_its_known_values() {
    let mut values = [-6.0, -1.0, -0.1, 0.0, 0.5, 1.0, 3.0, f32::NAN];
    gelu(&mut values);
    let exact = [-5.919_526e-9, -0.158_655_25, -0.046_017_216, 0.0, 0.345_731_23, 0.841_344_8, 2.995_950_3];
    for (value, exact) in values.iter().zip(exact) {
        assert!((value - exact).abs() < 4e-7, "{value} is not {exact}");
    }
    assert!(values[7].is_nan());
}

#[test]
fn softmax_survives_large_scores_and_shows_bad_ones() {
    let mut row: Vec<f32> = (0..37).map(|i| 1e4 * i as f32).collect();
    softmax(&mut row);
    assert_eq!(row[36], 1.0);
    for bad in [f32::NAN, f32::INFINITY] {
        let mut row = vec![0.0; 20];
        row[19] = bad;
        softmax(&mut row);
        assert!(row.iter().any(|value| value.is_nan()));
    }
}

#[test]
fn layer_norm_centres_and_scales() {
    let mut row: Vec<f32> = (0..24).map(|i| 100.0 + i as f32).collect();
    layer_norm(&mut row, &[2.0; 24], &[1.0; 24], 1e-12);
    assert!((sum(&row) / 24.0 - 1.0).abs() < 1e-5);
    let variance = row.iter().map(|value| (value - 1.0).powi(2)).sum::<f32>() / 24.0;
    assert!((variance - 4.0).abs() < 1e-4);
}

#[test]
fn gemm_reads_strided_and_transposed_views() {
    // Two rows of three numbers, of which the last is not part of the matrix.
    let data = [1.0, 2.0, 9.0, 3.0, 4.0, 9.0];
    let a = Matrix::rows(&data, 2, 2, 3);
    let mut output = [1.0; 5];
    gemm(1.0, a, a.transposed(), 1.0, &mut output, 3);
    assert_eq!(output, [6.0, 12.0, 1.0, 12.0, 26.0]);
}

#[test]
#[should_panic(expected = "larger than its data")]
fn gemm_refuses_views_beyond_their_data() {
    let data = [0.0; 5];
    let a = Matrix::rows(&data, 2, 3, 3);
    gemm(1.0, a, a.transposed(), 0.0, &mut [0.0; 4], 2);
}
