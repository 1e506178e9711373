//! The product with AVX2: both sides are widened to 16 bits, and `vpmaddwd` adds two of their products to 32
//! bits without saturation.

use std::arch::x86_64::*;

use super::{GROUP, LANES, Line, Product, QUAD};

/// Outputs processed together: half a panel, in two registers of four outputs each.
const HALF: usize = LANES / 2;

#[target_feature(enable = "avx2")]
pub(super) fn multiply(mut product: Product) {
    for (number, panel) in product.panels().enumerate() {
        let mut row = 0;
        while row < product.rows.count {
            row += match product.rows.count - row {
                6.. => rows::<6>(&mut product, row, number, panel),
                4.. => rows::<4>(&mut product, row, number, panel),
                2.. => rows::<2>(&mut product, row, number, panel),
                _ => rows::<1>(&mut product, row, number, panel),
            };
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn rows<const ROWS: usize>(product: &mut Product, first: usize, number: usize, panel: &[Line]) -> usize {
    let depth = panel.len();
    let mut totals = [[0.0; LANES]; ROWS];
    for (group, lines) in panel.chunks(GROUP).enumerate() {
        let mut rows: [&[[i16; QUAD]]; ROWS] = [&[]; ROWS];
        for (row, slice) in rows.iter_mut().enumerate() {
            *slice = &product.rows.wide[(first + row) * depth + group * GROUP..][..lines.len()];
        }
        let mut sums = [[0; LANES]; ROWS];
        half::<ROWS, 0>(rows, lines, &mut sums);
        half::<ROWS, HALF>(rows, lines, &mut sums);
        for (row, (sums, totals)) in sums.iter().zip(&mut totals).enumerate() {
            product.add(first + row, group, sums, totals);
        }
    }
    for (row, totals) in totals.iter().enumerate() {
        product.put(first + row, number, totals);
    }
    ROWS
}

/// The sums of `HALF` outputs from output `START` of the panel on.
#[inline]
#[target_feature(enable = "avx2")]
fn half<const ROWS: usize, const START: usize>(
    rows: [&[[i16; QUAD]]; ROWS],
    lines: &[Line],
    sums: &mut [[i32; LANES]; ROWS],
) {
    // Each output has two neighboring lanes, for the first two and the last two of four inputs.
    let mut lanes = [[_mm256_setzero_si256(); 2]; ROWS];
    for (index, line) in lines.iter().enumerate() {
        let ([low, high], _) = line[START * QUAD..].as_chunks::<16>().0.split_at(2) else { return };
        let (low, high) = (widen(low), widen(high));
        for row in 0..ROWS {
            let [a, b, c, d] = rows[row][index].map(|value| u64::from(value as u16));
            let quad = _mm256_set1_epi64x((a | b << 16 | c << 32 | d << 48) as i64);
            lanes[row][0] = _mm256_add_epi32(lanes[row][0], _mm256_madd_epi16(low, quad));
            lanes[row][1] = _mm256_add_epi32(lanes[row][1], _mm256_madd_epi16(high, quad));
        }
    }
    for (lanes, sums) in lanes.iter().zip(sums) {
        // Adding neighbors leaves the outputs in the order 0 1 4 5 2 3 6 7.
        let added = _mm256_permute4x64_epi64(_mm256_hadd_epi32(lanes[0], lanes[1]), 0b11_01_10_00);
        // SAFETY: eight i32 and the register are 32 bytes each, and every bit pattern is eight i32.
        let added: [i32; HALF] = unsafe { std::mem::transmute(added) };
        sums[START..START + HALF].copy_from_slice(&added);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn widen(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: reads the 16 bytes of the array, which need no alignment.
    _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}
