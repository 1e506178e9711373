//! The int8 product against the most straightforward computation, on every kernel that the processor has.

use proptest::prelude::*;

use super::*;
use crate::kernels::Kernel;
use crate::kernels::tests::bits;

#[test]
#[should_panic(expected = "panels do not match")]
fn multiply_refuses_weights_of_another_shape() {
    let mut rows = QuantizedRows::new(Kernel::best());
    rows.fill(&[1.0; 8], 8);
    let weights = WeightPanels { lines: &[ZERO; 64], scales: &[1.0; 16], bias: &[0.0; 16] };
    multiply(&rows, weights, &mut [0.0; 16]);
}

/// Some rows of activations and one dense layer.
#[derive(Debug)]
struct Case {
    inputs: usize,
    activations: Vec<f32>,
    /// As stored. Includes -128, which the quantizer never produces.
    weights: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (1..30_usize, 1..160_usize, 1..50_usize);
    shape.prop_flat_map(|(rows, inputs, outputs)| {
        let number = prop_oneof![8 => -4.0..4.0_f32, 2 => Just(0.0), 1 => Just(127.0), 1 => Just(-127.0)];
        let row = prop_oneof![
            6 => prop::collection::vec(number, inputs),
            1 => Just(vec![0.0; inputs]),
            1 => Just(vec![f32::MAX; inputs]),
            1 => Just(vec![-1e-31; inputs]),
        ];
        let weight = prop_oneof![4 => any::<i8>(), 1 => Just(127), 1 => Just(-127), 1 => Just(-128)];
        let activations = prop::collection::vec(row, rows).prop_map(|rows| rows.concat());
        let weights = prop::collection::vec(weight, inputs * outputs);
        let floats = || prop::collection::vec(-1.0..1.0_f32, outputs);
        (activations, weights, floats(), floats()).prop_map(move |(activations, weights, scales, bias)| {
            Case { inputs, activations, weights, scales, bias }
        })
    })
}

impl Case {
    fn outputs(&self) -> usize {
        self.bias.len()
    }

    fn lines(&self) -> Vec<u8> {
        let depth = self.inputs.div_ceil(QUAD);
        let mut lines = vec![ZERO; self.outputs().div_ceil(LANES) * depth * LANES * QUAD];
        for (index, weight) in self.weights.iter().enumerate() {
            let (output, input) = (index / self.inputs, index % self.inputs);
            let line = output / LANES * depth + input / QUAD;
            let place = (line * LANES + output % LANES) * QUAD + input % QUAD;
            lines[place] = ZERO.wrapping_add_signed(*weight);
        }
        lines
    }

    fn apply(&self, kernel: Kernel) -> Vec<f32> {
        let mut rows = QuantizedRows::new(kernel);
        // The previous contents must not show.
        rows.fill(&[99.0; 700], 7);
        rows.fill(&self.activations, self.inputs);
        let mut output = vec![f32::NAN; self.activations.len() / self.inputs * self.outputs()];
        let lines = self.lines();
        multiply(&rows, WeightPanels { lines: &lines, scales: &self.scales, bias: &self.bias }, &mut output);
        output
    }

    /// The same, computed in the most straightforward way.
    fn naive(&self) -> Vec<f32> {
        let mut output = Vec::new();
        let scale_of = |group: &[f32]| {
            let largest = group.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            if largest < 1e-30 { (0.0, 0.0) } else { (largest / 127.0, 127.0 / largest) }
        };
        for row in self.activations.chunks_exact(self.inputs) {
            for (output_number, weights) in self.weights.chunks_exact(self.inputs).enumerate() {
                let mut total = 0.0;
                for (group, weights) in row.chunks(64).zip(weights.chunks(64)) {
                    let (scale, inverse) = scale_of(group);
                    let quantized = group.iter().map(|value| (value * inverse).round_ties_even() as i32);
                    let sum: i32 = quantized.zip(weights).map(|(a, &b)| a * i32::from(b)).sum();
                    total += sum as f32 * scale;
                }
                output.push(total * self.scales[output_number] + self.bias[output_number]);
            }
        }
        output
    }
}

#[test]
fn the_longest_rows_of_extremes_do_not_overflow() {
    for (activation, weight) in [(1.0, -128), (-1.0, -128), (1.0, 127), (-1.0, 127)] {
        let inputs = 32_768;
        let case = Case {
            inputs,
            activations: vec![activation; inputs],
            weights: vec![weight; inputs * 2],
            scales: vec![1.0; 2],
            bias: vec![0.0; 2],
        };
        for kernel in Kernel::available() {
            assert_eq!(bits(&case.apply(kernel)), bits(&case.naive()), "{kernel:?}");
        }
    }
}

#[test]
fn a_row_that_is_not_finite_gives_nan_and_affects_no_other() {
    for kernel in Kernel::available() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let case = Case {
                inputs: 2,
                activations: vec![1.0, 1.0, bad, 1.0],
                weights: vec![1, 1],
                scales: vec![1.0],
                bias: vec![0.0],
            };
            let output = case.apply(kernel);
            assert!(output[0] == 2.0 && output[1].is_nan(), "{kernel:?}: {output:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn int8_products_equal_the_straightforward_computation(case in cases()) {
        let naive = case.naive();
        for kernel in Kernel::available() {
            prop_assert_eq!(bits(&case.apply(kernel)), bits(&naive), "{:?}", kernel);
        }
    }
}
