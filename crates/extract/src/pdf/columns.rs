//! The reading order of a page: columns of running text are read one after the other, everything else line by line.
//!
//! A gutter is a strip that few rows cross. Rows that cross it (titles, wide figures' captions) end a band; in a band the
//! left column comes before the right one. Both sides must look like running text: a table is read row by row, and so
//! is a table of contents with its page numbers at the right.

use super::keyed;
use super::line::{Fragment, rows};

/// Rows that a column needs to count as running text.
const MIN_ROWS: usize = 4;

/// Columns within columns.
const MAX_DEPTH: usize = 4;

/// Rows from the top to the bottom.
type Rows = Vec<Vec<Fragment>>;

/// Rows that are read one after the other.
pub type Region = Rows;

/// The regions of a page, in reading order.
pub fn regions(fragments: Vec<Fragment>) -> Vec<Region> {
    let mut done = Vec::new();
    split(rows(fragments), 0, &mut done);
    done
}

fn split(rows: Rows, depth: usize, done: &mut Vec<Region>) {
    let gutter = if depth < MAX_DEPTH { gutter(&rows) } else { None };
    let Some(gutter) = gutter else {
        if !rows.is_empty() {
            done.push(rows);
        }
        return;
    };
    for band in bands(rows, gutter) {
        match band {
            Band::Plain(rows) => split(rows, MAX_DEPTH, done),
            Band::Columns(left, right) => {
                split(left, depth + 1, done);
                split(right, depth + 1, done);
            }
        }
    }
}

enum Band {
    Plain(Rows),
    Columns(Rows, Rows),
}

/// A strip from `from` to `to` without text.
#[derive(Clone, Copy, Debug)]
struct Gutter {
    from: f32,
    to: f32,
}

impl Gutter {
    fn crossed_by(self, row: &[Fragment]) -> bool {
        row.iter().any(|fragment| fragment.x0 < self.to && fragment.x1 > self.from)
    }

    fn left(self, fragment: &Fragment) -> bool {
        fragment.x0 < self.from
    }
}

/// The best gutter of rows, if they have one.
fn gutter(rows: &Rows) -> Option<Gutter> {
    let fragments = || rows.iter().flatten();
    if rows.len() < MIN_ROWS {
        return None;
    }
    let left = fragments().map(|f| f.x0).min_by(f32::total_cmp)?;
    let right = fragments().map(|f| f.x1).max_by(f32::total_cmp)?;
    let mut sizes: Vec<f32> = fragments().map(|f| f.size).collect();
    let middle = sizes.len() / 2;
    let size = *sizes.select_nth_unstable_by(middle, f32::total_cmp).1;
    let width = right - left;
    if width < 20.0 * size || width > 100_000.0 {
        return None;
    }
    candidates(rows, left, width, size)
        .into_iter()
        .map(|gutter| (strength(rows, gutter, left, right), gutter))
        .filter(|(strength, _)| *strength > 0)
        .max_by_key(|(strength, _)| *strength)
        .map(|(_, gutter)| gutter)
}

/// The strips in the middle that the fewest rows cross: those crossed by at most half of them, at least as wide as the
/// text is high.
fn candidates(rows: &Rows, left: f32, width: f32, size: f32) -> Vec<Gutter> {
    let bin = (size / 4.0).max(width / 2000.0);
    let bins = (width / bin).ceil() as usize;
    let mut crossing = vec![0_usize; bins + 1];
    for row in rows {
        let mut covered: Vec<(usize, usize)> = row
            .iter()
            .map(|f| {
                (
                    (((f.x0 - left) / bin).max(0.0) as usize).min(bins),
                    (((f.x1 - left) / bin).max(0.0) as usize).min(bins),
                )
            })
            .collect();
        covered.sort_unstable();
        let mut next = 0;
        for (from, to) in covered {
            for count in crossing.iter_mut().take(to + 1).skip(from.max(next)) {
                *count += 1;
            }
            next = next.max(to + 1);
        }
    }
    let inner = bins / 6..bins - bins / 6;
    let mut found = Vec::new();
    // At several levels, because a band with a narrow gutter may stand below one with a wide one.
    for part in [0, 10, 25, 50] {
        let limit = rows.len() * part / 100;
        let mut start = None;
        for at in inner.clone() {
            let free = crossing.get(at).is_some_and(|count| *count <= limit);
            match (free, start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    found.push((from, at));
                    start = None;
                }
                _ => {}
            }
        }
        // A strip that reaches to the edge of the middle is a margin, not a gutter.
    }
    found.dedup();
    found.retain(|(from, to)| *from > inner.start && (to - from) as f32 * bin >= 0.8 * size);
    found.truncate(24);
    let core = |(from, to): (usize, usize)| {
        // A heading may reach into the strip: what the fewest rows cross is what they must not cross.
        let counts = crossing.get(from..to)?;
        let least = *counts.iter().min()?;
        let (mut best, mut start) = (0..0, 0);
        for (at, count) in counts.iter().chain([&usize::MAX]).enumerate() {
            if *count > least {
                if at - start > best.len() {
                    best = start..at;
                }
                start = at + 1;
            }
        }
        let middle = left + (from as f32 + (best.start + best.end) as f32 / 2.0) * bin;
        let half = (best.len() as f32 * bin / 2.0).min(0.25 * size);
        Some(Gutter { from: middle - half, to: middle + half })
    };
    found.into_iter().filter_map(core).collect()
}

/// How many rows of running text stand in columns beside the gutter; 0 if there are none.
fn strength(rows: &Rows, gutter: Gutter, left: f32, right: f32) -> usize {
    let mut total = 0;
    let mut band: Vec<&Vec<Fragment>> = Vec::new();
    for row in rows.iter().map(Some).chain([None]) {
        match row {
            Some(row) if !gutter.crossed_by(row) => band.push(row),
            _ => {
                let sides = [true, false].map(|side| {
                    let width = if side { gutter.from - left } else { right - gutter.to };
                    running(&band, width, |fragment| gutter.left(fragment) == side)
                });
                if let [Some(a), Some(b)] = sides
                    && !keyed::is_table(&band, |fragment| gutter.left(fragment))
                {
                    total += a + b;
                }
                band.clear();
            }
        }
    }
    total
}

/// The number of rows, if they are running text: words and not numbers, and most rows fill their column, or, with more
/// words, begin at its edge (verses, and text that is not justified).
fn running(band: &[&Vec<Fragment>], width: f32, side: impl Fn(&Fragment) -> bool) -> Option<usize> {
    let ends = |row: &Vec<Fragment>| {
        let own = || row.iter().filter(|fragment| side(fragment));
        let x0 = own().map(|f| f.x0).min_by(f32::total_cmp)?;
        let letters =
            own().flat_map(|f| &f.units).flat_map(|unit| unit.piece.chars()).map(weight).sum::<usize>();
        Some((x0, own().map(|f| f.x1).fold(x0, f32::max), letters))
    };
    let ends: Vec<(f32, f32, usize)> = band.iter().filter_map(|row| ends(row)).collect();
    let count = ends.len();
    if count < MIN_ROWS {
        return None;
    }
    let edge = ends.iter().map(|(x0, ..)| *x0).min_by(f32::total_cmp)?;
    let filled = ends.iter().filter(|(x0, x1, _)| x1 - x0 > 0.6 * width).count();
    let aligned = ends.iter().filter(|(x0, ..)| x0 - edge < 0.05 * width).count();
    let letters = ends.iter().map(|(.., letters)| letters).sum::<usize>();
    let running =
        filled * 2 > count && letters >= 12 * count || aligned * 10 > count * 6 && letters >= 18 * count;
    running.then_some(count)
}

/// How many letters of an alphabet a character counts for.
fn weight(c: char) -> usize {
    match c {
        '\u{2E80}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => 3,
        c if c.is_alphabetic() => 1,
        _ => 0,
    }
}

/// The rows in bands, each of them with columns or without.
fn bands(rows: Rows, gutter: Gutter) -> Vec<Band> {
    let mut done = Vec::new();
    let mut plain: Rows = Vec::new();
    let mut columns: (Rows, Rows) = Default::default();
    for row in rows {
        if gutter.crossed_by(&row) {
            finish(&mut columns, &mut done);
            plain.push(row);
            continue;
        }
        if !plain.is_empty() {
            done.push(Band::Plain(std::mem::take(&mut plain)));
        }
        let (left, right): (Vec<_>, Vec<_>) = row.into_iter().partition(|fragment| gutter.left(fragment));
        for (side, row) in [(&mut columns.0, left), (&mut columns.1, right)] {
            if !row.is_empty() {
                side.push(row);
            }
        }
    }
    finish(&mut columns, &mut done);
    if !plain.is_empty() {
        done.push(Band::Plain(plain));
    }
    done
}

fn finish(columns: &mut (Rows, Rows), done: &mut Vec<Band>) {
    let (left, right) = std::mem::take(columns);
    match (left.is_empty(), right.is_empty()) {
        (true, true) => {}
        (false, true) => done.push(Band::Plain(left)),
        (true, false) => done.push(Band::Plain(right)),
        (false, false) => done.push(Band::Columns(left, right)),
    }
}
