//! The arithmetic against values from other sources, on every kernel that the processor has.

use proptest::prelude::*;

use super::elementwise::{exp, sum};
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
    for kernel in Kernel::available() {
        let mut values = [-6.0, -1.0, -0.1, 0.0, 0.5, 1.0, 3.0, f32::NAN];
        gelu(kernel, &mut values);
        let exact =
            [-5.919_526e-9, -0.158_655_25, -0.046_017_216, 0.0, 0.345_731_23, 0.841_344_8, 2.995_950_3];
        for (value, exact) in values.iter().zip(exact) {
            assert!((value - exact).abs() < 4e-7, "{value} is not {exact}");
        }
        assert!(values[7].is_nan());
    }
}

#[test]
fn tanh_is_exact_to_the_last_digits() {
    for kernel in Kernel::available() {
        for step in -20_000..=20_000 {
            let x = step as f32 / 1000.0;
            let mut values = [x, x * 1e-6];
            tanh(kernel, &mut values);
            for (value, x) in values.iter().zip([x, x * 1e-6]) {
                let exact = f64::from(x).tanh();
                let difference = (f64::from(*value) - exact).abs();
                assert!(difference <= 5e-7 * exact.abs(), "tanh({x}) = {value}, not {exact}");
            }
        }
        let mut values = [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::NAN];
        tanh(kernel, &mut values);
        assert!(values[..3] == [1.0, -1.0, 1.0] && values[3].is_nan());
    }
}

#[test]
fn softmax_survives_large_scores_and_shows_bad_ones() {
    for kernel in Kernel::available() {
        let mut row: Vec<f32> = (0..37).map(|i| 1e4 * i as f32).collect();
        softmax(kernel, &mut row, 0.5);
        assert_eq!(row[36], 1.0);
        let mut row = [0.0, 2.0];
        softmax(kernel, &mut row, 0.5);
        assert!((row[1] / row[0] - std::f32::consts::E).abs() < 1e-6);
        for bad in [f32::NAN, f32::INFINITY] {
            let mut row = vec![0.0; 20];
            row[19] = bad;
            softmax(kernel, &mut row, 1.0);
            assert!(row.iter().any(|value| value.is_nan()));
        }
    }
}

#[test]
fn layer_norm_centers_and_scales() {
    for kernel in Kernel::available() {
        let mut row: Vec<f32> = (0..24).map(|i| 100.0 + i as f32).collect();
        layer_norm(kernel, &mut row, &[2.0; 24], &[1.0; 24], 1e-12);
        assert!((sum(&row) / 24.0 - 1.0).abs() < 1e-5);
        let variance = row.iter().map(|value| (value - 1.0).powi(2)).sum::<f32>() / 24.0;
        assert!((variance - 4.0).abs() < 1e-4);
    }
}

#[test]
fn dense_adds_the_bias_to_the_product() {
    let (input, weight) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let mut output = [0.0; 6];
    dense(&input, 2, &weight, &[10.0, 20.0, 30.0], &mut output);
    assert_eq!(output, [11.0, 22.0, 33.0, 13.0, 24.0, 37.0]);
}

#[test]
#[should_panic(expected = "weights do not match")]
fn dense_refuses_weights_of_another_shape() {
    dense(&[0.0; 4], 2, &[0.0; 5], &[0.0; 3], &mut [0.0; 6]);
}

pub(super) fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn attention_products_are_sums_in_order(
        rows in 1..11_usize, depth in 1..40_usize, width in 1..40_usize, gap in 0..3_usize, seed in any::<u32>(),
    ) {
        let mut seed = seed;
        let mut random = |count: usize| -> Vec<f32> {
            std::iter::repeat_with(|| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .take(count)
            .collect()
        };
        let (stride, right_stride) = (depth + gap, width + gap);
        let (left, right) = (random(rows * stride), random(depth * right_stride));
        let mut transposed = vec![0.0; width * stride];
        let mut naive = vec![7.0; rows * right_stride];
        for column in 0..width {
            for index in 0..depth {
                transposed[column * stride + index] = right[index * right_stride + column];
            }
            for row in 0..rows {
                let terms = (0..depth).map(|k| left[row * stride + k] * right[k * right_stride + column]);
                naive[row * right_stride + column] = terms.fold(0.0, |sum, term| sum + term);
            }
        }
        let left = View { data: &left, stride };
        let mut panels = Panels::default();
        for kernel in Kernel::available() {
            for is_transposed in [false, true] {
                if is_transposed {
                    panels.pack_transposed(View { data: &transposed, stride }, depth, width);
                } else {
                    panels.pack(View { data: &right, stride: right_stride }, depth, width);
                }
                let mut output = vec![7.0; rows * right_stride];
                product(kernel, rows, left, &panels, &mut output, right_stride);
                prop_assert_eq!(bits(&output), bits(&naive), "{:?}", kernel);
            }
        }
    }

    #[test]
    fn kernels_agree_on_row_operations(row in prop::collection::vec(-50.0..50.0_f32, 1..70)) {
        let (scale, shift) = (vec![1.5; row.len()], vec![-0.25; row.len()]);
        let apply = |kernel| {
            let mut rows = [row.clone(), row.clone(), row.clone(), row.clone()];
            softmax(kernel, &mut rows[0], 0.3);
            gelu(kernel, &mut rows[1]);
            layer_norm(kernel, &mut rows[2], &scale, &shift, 1e-12);
            tanh(kernel, &mut rows[3]);
            rows.map(|row| bits(&row))
        };
        let kernels = Kernel::available();
        for &kernel in &kernels {
            prop_assert_eq!(apply(kernel), apply(kernels[kernels.len() - 1]), "{:?}", kernel);
        }
    }
}
