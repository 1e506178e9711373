//! The product in plain Rust, as sums over neighboring 16-bit numbers, which the compiler vectorizes for the
//! processor it builds for.

use super::{GROUP, LANES, Line, Product, QUAD};

pub(super) fn multiply(mut product: Product) {
    let (depth, rows) = (product.rows.depth, product.rows);
    // The weights of a panel for a group of inputs, output after output, unpacked once for all rows.
    let mut weights = [0; LANES * GROUP * QUAD];
    let mut totals = vec![[0.0; LANES]; rows.count];
    for (number, panel) in product.panels().enumerate() {
        totals.fill([0.0; LANES]);
        for (group, lines) in panel.chunks(GROUP).enumerate() {
            let width = lines.len() * QUAD;
            let weights = &mut weights[..LANES * width];
            unpack(lines, weights);
            for (row, totals) in totals.iter_mut().enumerate() {
                let activations = rows.wide[row * depth + group * GROUP..][..lines.len()].as_flattened();
                let mut sums = [0; LANES];
                for (sums, weights) in sums.as_chunks_mut().0.iter_mut().zip(weights.chunks_exact(4 * width))
                {
                    *sums = dots(activations, weights);
                }
                product.add(row, group, &sums, totals);
            }
        }
        for (row, totals) in totals.iter().enumerate() {
            product.put(row, number, totals);
        }
    }
}

fn unpack(lines: &[Line], weights: &mut [i16]) {
    for (lane, weights) in weights.chunks_exact_mut(lines.len() * QUAD).enumerate() {
        for (place, line) in weights.as_chunks_mut::<QUAD>().0.iter_mut().zip(lines) {
            *place = line.as_chunks::<QUAD>().0[lane].map(i16::from);
        }
    }
}

/// The products with four rows of weights, so that the activations are read once for all four.
fn dots(activations: &[i16], weights: &[i16]) -> [i32; 4] {
    let width = activations.len();
    let (a, rest) = weights.split_at(width);
    let (b, rest) = rest.split_at(width);
    let (c, d) = rest.split_at(width);
    let mut sums = [0; 4];
    for ((((&x, &a), &b), &c), &d) in activations.iter().zip(a).zip(b).zip(c).zip(d) {
        let x = i32::from(x);
        sums[0] += x * i32::from(a);
        sums[1] += x * i32::from(b);
        sums[2] += x * i32::from(c);
        sums[3] += x * i32::from(d);
    }
    sums
}
