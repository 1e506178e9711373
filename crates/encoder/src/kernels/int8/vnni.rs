//! The product with AVX-512 VNNI: `vpdpbusd` multiplies unsigned weights by signed activations, four for each
//! of 16 outputs, and adds them to 32 bits without saturation.

use std::arch::x86_64::*;

use super::{GROUP, LANES, Line, Product, QUAD};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
pub(super) fn multiply(mut product: Product) {
    let depth = product.rows.depth;
    let mut number = 0;
    for pair in product.lines.chunks(2 * depth) {
        let (first, second) = pair.split_at(depth);
        if second.is_empty() {
            panels(&mut product, number, [first]);
        } else {
            panels(&mut product, number, [first, second]);
        }
        number += 2;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn panels<const PANELS: usize>(product: &mut Product, number: usize, panels: [&[Line]; PANELS]) {
    let mut row = 0;
    while row < product.rows.count {
        row += match product.rows.count - row {
            12.. => rows::<12, PANELS>(product, row, number, panels),
            8.. => rows::<8, PANELS>(product, row, number, panels),
            4.. => rows::<4, PANELS>(product, row, number, panels),
            2.. => rows::<2, PANELS>(product, row, number, panels),
            _ => rows::<1, PANELS>(product, row, number, panels),
        };
    }
}

/// The numbers of `ROWS` rows and `PANELS` panels: as many sums as fit the registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn rows<const ROWS: usize, const PANELS: usize>(
    product: &mut Product,
    first: usize,
    number: usize,
    panels: [&[Line]; PANELS],
) -> usize {
    let depth = product.rows.depth;
    let mut totals = [[[0.0; LANES]; PANELS]; ROWS];
    for group in 0..product.groups() {
        let quads = group * GROUP..depth.min((group + 1) * GROUP);
        let mut rows: [&[[i8; QUAD]]; ROWS] = [&[]; ROWS];
        for (row, slice) in rows.iter_mut().enumerate() {
            *slice = &product.rows.narrow[(first + row) * depth..][quads.clone()];
        }
        let mut sums = [[_mm512_setzero_si512(); PANELS]; ROWS];
        for (index, quad) in quads.enumerate() {
            let mut lines = [_mm512_setzero_si512(); PANELS];
            for panel in 0..PANELS {
                lines[panel] = load(&panels[panel][quad]);
            }
            for row in 0..ROWS {
                let quad = i32::from_le_bytes(rows[row][index].map(|value| value as u8));
                let quad = _mm512_set1_epi32(quad);
                for panel in 0..PANELS {
                    sums[row][panel] = _mm512_dpbusd_epi32(sums[row][panel], lines[panel], quad);
                }
            }
        }
        for row in 0..ROWS {
            for panel in 0..PANELS {
                // SAFETY: 16 i32 and a register are 64 bytes each, and every bit pattern is 16 i32.
                let sums: [i32; LANES] = unsafe { std::mem::transmute(sums[row][panel]) };
                product.add(first + row, group, &sums, &mut totals[row][panel]);
            }
        }
    }
    for (row, totals) in totals.iter().enumerate() {
        for (panel, totals) in totals.iter().enumerate() {
            product.put(first + row, number + panel, totals);
        }
    }
    ROWS
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &Line) -> __m512i {
    // SAFETY: reads the 64 bytes of the array, which need no alignment.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}
