//! Tables without lines around their cells, whose first column has keys: short texts such as numbers of errors, each at the
//! beginning of a row. They are no columns of running text.

use super::line::Fragment;

/// The longest key, in characters.
const MAX_KEY: usize = 14;

/// A gap behind a key, in heights of the font.
const GAP: f32 = 0.9;

/// Whether rows of text are those of a table with keys. `is_left` tells the fragments on the left side of a gap between columns.
pub fn is_table(band: &[&Vec<Fragment>], is_left: impl Fn(&Fragment) -> bool) -> bool {
    let all: Vec<Row> = band.iter().filter_map(|row| Row::new(row, &is_left)).collect();
    let mut edges: Vec<f32> = all.iter().filter(|line| line.has_key).map(|line| line.x0).collect();
    if edges.len() < 2 {
        return false;
    }
    let middle = edges.len() / 2;
    let edge = *edges.select_nth_unstable_by(middle, f32::total_cmp).1;
    let size = all.iter().map(|line| line.size).fold(0.0, f32::max);
    let is_key = |line: &Row| line.has_key && (line.x0 - edge).abs() < 0.5 * size;
    // What stands above the first key is no part of it.
    let first = all.iter().position(is_key).unwrap_or(0);
    let last = all.iter().rposition(is_key).unwrap_or(0);
    let lines = all.get(first..).unwrap_or_default();
    let rows = all.get(first..=last).unwrap_or_default();
    let keys = rows.iter().filter(|line| is_key(line)).count();
    let others = rows.iter().filter(|line| line.x0 < edge + 0.5 * size && !is_key(line)).count();
    let whole = rows.iter().filter(|line| is_key(line) && line.sides == (true, true)).count();
    // Nearly all that begins at the edge is a key, has text in both columns, and some lines go on below one.
    if others * 10 > keys || whole * 10 < keys * 8 || keys * 10 > lines.len() * 9 {
        return false;
    }
    let pairs = lines.iter().zip(lines.iter().skip(1));
    let distances = pairs.map(|(above, line)| line.y - above.y);
    let usual = distances.fold(f32::MAX, f32::min);
    let mut groups = lines.chunk_by(|above, line| line.y - above.y < 1.2 * usual);
    let (mut count, mut begun) = (0, 0);
    groups.by_ref().for_each(|group| {
        count += 1;
        begun += usize::from(group.first().is_some_and(is_key));
    });
    let are_groups = count > 2 && begun * 10 >= count * 8;
    let one_sided = rows.iter().filter(|line| line.sides != (true, true)).count();
    are_groups || one_sided * 5 >= rows.len()
}

/// What matters of a row.
struct Row {
    x0: f32,
    y: f32,
    size: f32,
    /// Whether it begins with a short text and a gap.
    has_key: bool,
    /// Whether there is text on the left side and on the right side.
    sides: (bool, bool),
}

impl Row {
    fn new(row: &[Fragment], is_left: impl Fn(&Fragment) -> bool) -> Option<Self> {
        let first = row.iter().min_by(|a, b| a.x0.total_cmp(&b.x0))?;
        let mut end = first.x1;
        let mut letters = 0;
        let mut ordered: Vec<&Fragment> = row.iter().collect();
        ordered.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        let mut has_gap = false;
        for fragment in ordered {
            if fragment.x0 - end > GAP * first.size {
                has_gap = is_left(fragment);
                break;
            }
            end = end.max(fragment.x1);
            letters += fragment.units.iter().map(|unit| unit.piece.chars().count()).sum::<usize>();
        }
        let sides = (row.iter().any(&is_left), row.iter().any(|fragment| !is_left(fragment)));
        Some(Self {
            x0: first.x0,
            y: first.y,
            size: first.size,
            has_key: has_gap && letters <= MAX_KEY,
            sides,
        })
    }
}
