//! Glyphs to fragments and lines.
//!
//! A fragment is what the page draws in one go: glyphs that follow each other on a base line. A line is the fragments that
//! stand on one base line, from left to right.

use super::glyphs::{Glyph, Piece};

/// A gap of more than this part of the font's height is a space where the file has none. TeX sets spaces as gaps of a
/// third, which may shrink to a quarter, and kerns up to a tenth.
const SPACE: f32 = 0.14;

/// A wider gap, in heights of the font, may be one between columns.
const WIDE: f32 = 0.9;

/// A glyph in a line.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What it says.
    pub piece: Piece,
    /// Its left end.
    pub x0: f32,
    /// Its right end.
    pub x1: f32,
    /// Whether a space stands before it.
    pub space: bool,
}

/// Glyphs on one base line.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// The glyphs, as they were drawn.
    pub units: Vec<Unit>,
    /// The left end.
    pub x0: f32,
    /// The right end.
    pub x1: f32,
    /// The base line.
    pub y: f32,
    /// The height of the font.
    pub size: f32,
}

/// Fragments on one base line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its glyphs, from left to right.
    pub units: Vec<Unit>,
    /// The left end.
    pub x0: f32,
    /// The right end.
    pub x1: f32,
    /// The base line.
    pub y: f32,
    /// The height of its largest font.
    pub size: f32,
}

impl Fragment {
    fn from_glyph(glyph: &Glyph, unit: Unit) -> Self {
        Self { x0: unit.x0, x1: unit.x1, y: glyph.y, size: glyph.size, units: vec![unit] }
    }

    /// Whether the fragment `other` repeats a part of this one at the same place, as overprinted bold text does.
    fn repeats(&self, other: &Self) -> bool {
        let near = 0.15 * self.size;
        let within =
            other.x0 >= self.x0 - near && other.x1 <= self.x1 + near && (other.y - self.y).abs() <= near;
        let mut start = 0;
        within
            && other.units.iter().all(|unit| {
                let rest = self.units.get(start..).unwrap_or_default();
                let found =
                    rest.iter().position(|own| (own.x0 - unit.x0).abs() <= near && own.piece == unit.piece);
                start += found.map_or(0, |at| at + 1);
                found.is_some()
            })
    }
}

/// The fragments of glyphs whose base lines run along x.
pub fn fragments<'a>(glyphs: impl Iterator<Item = &'a Glyph>) -> Vec<Fragment> {
    let mut done: Vec<Fragment> = Vec::new();
    let mut space = false;
    for glyph in glyphs {
        if glyph.piece.is_space() {
            space = true;
            continue;
        }
        let unit = Unit { piece: glyph.piece.clone(), x0: glyph.x, x1: glyph.x + glyph.advance, space };
        match done.last_mut() {
            Some(last) if follows(last, glyph) => {
                let repeated = last.units.last().is_some_and(|before| {
                    before.piece == unit.piece && (before.x0 - unit.x0).abs() < 0.1 * glyph.size
                });
                if !repeated {
                    append(last, glyph, unit);
                }
            }
            _ => done.push(Fragment::from_glyph(glyph, Unit { space: false, ..unit })),
        }
        space = false;
    }
    done
}

fn follows(last: &Fragment, glyph: &Glyph) -> bool {
    let size = last.size.max(glyph.size);
    let gap = glyph.x - last.x1;
    (glyph.y - last.y).abs() < 0.5 * size && gap > -0.4 * size && gap < WIDE * size
}

fn append(fragment: &mut Fragment, glyph: &Glyph, mut unit: Unit) {
    unit.space |= unit.x0 - fragment.x1 > SPACE * fragment.size.min(glyph.size);
    if glyph.size > 1.2 * fragment.size {
        fragment.y = glyph.y;
    }
    fragment.size = fragment.size.max(glyph.size);
    fragment.x1 = fragment.x1.max(unit.x1);
    fragment.x0 = fragment.x0.min(unit.x0);
    fragment.units.push(unit);
}

/// Fragments in rows of one base line each, from the top.
pub fn rows(mut fragments: Vec<Fragment>) -> Vec<Vec<Fragment>> {
    fragments.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut rows: Vec<Vec<Fragment>> = Vec::new();
    for fragment in fragments {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| same_row(first, &fragment)) => row.push(fragment),
            _ => rows.push(vec![fragment]),
        }
    }
    join_small(rows)
}

fn same_row(a: &Fragment, b: &Fragment) -> bool {
    (a.y - b.y).abs() < 0.35 * a.size.min(b.size)
}

/// Puts superscripts and subscripts, which are rows of their own so far, into the gaps of their lines.
fn join_small(rows: Vec<Vec<Fragment>>) -> Vec<Vec<Fragment>> {
    let mut done: Vec<Vec<Fragment>> = Vec::new();
    for row in rows {
        match done.last_mut() {
            Some(last) if belong(last, &row) => last.extend(row),
            _ => done.push(row),
        }
    }
    done
}

fn belong(a: &[Fragment], b: &[Fragment]) -> bool {
    let size = |row: &[Fragment]| row.iter().fold(0.0_f32, |size, fragment| size.max(fragment.size));
    let (size_a, size_b) = (size(a), size(b));
    let (large, small) = (size_a.max(size_b), size_a.min(size_b));
    let (Some(first), Some(second)) = (a.first(), b.first()) else { return false };
    let near = (first.y - second.y).abs() < 0.6 * large && small < 0.85 * large;
    // Rows are short except where somebody made them long to cost time.
    near && a.len() * b.len() < 10_000
        && a.iter().all(|a| b.iter().all(|b| a.x1 < b.x0 + 0.2 * small || b.x1 < a.x0 + 0.2 * small))
}

/// The line of a row.
pub fn line(mut row: Vec<Fragment>) -> Option<Line> {
    row.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    let mut kept: Vec<Fragment> = Vec::new();
    for fragment in row {
        // A repeated part is shorter than what it repeats, or begins a little before it.
        let recent = kept.len().saturating_sub(4);
        if kept.iter().skip(recent).any(|before| before.repeats(&fragment)) {
            continue;
        }
        if kept.last().is_some_and(|last| fragment.repeats(last)) {
            kept.pop();
        }
        kept.push(fragment);
    }
    let largest = kept.iter().max_by(|a, b| a.size.total_cmp(&b.size))?;
    let (y, size) = (largest.y, largest.size);
    let x0 = kept.first()?.x0;
    let mut line = Line { units: Vec::new(), x0, x1: x0, y, size };
    for mut fragment in kept {
        let gap = fragment.x0 - line.x1;
        if let Some(first) = fragment.units.first_mut() {
            first.space |= gap > SPACE * fragment.size;
        }
        line.x1 = line.x1.max(fragment.x1);
        line.units.append(&mut fragment.units);
    }
    Some(line)
}
