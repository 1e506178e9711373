//! Tables whose cells have several lines: cell by cell, row by row. Other tables are read line by line.
//!
//! Lines around the cells show rows and columns. Without them the gaps show columns, and a line is a part of the row above if it
//! has text only where a cell goes on.

use super::cells::{Cells, are_rows, begins_with_label, by_cells, has_words, is_wrapped_row};
use super::line::{Fragment, Line, Unit, line, rows};
use super::rules::{Grid, Rule, Rules};

/// A wider gap, in heights of the font, parts columns.
const COLUMN_GAP: f32 = 0.9;

/// A wider gap, in heights of the font, is none between words: it may be one between columns.
const WORD_GAP: f32 = 0.4;

/// Base lines of one cell are nearer to each other, in heights of the font.
const LEADING: f32 = 1.6;

/// Rows of one table are nearer to each other.
const ROW_GAP: f32 = 4.0;

/// A row with more lines is text between lines of the page.
const MAX_CELL_LINES: usize = 12;

/// A page with more tables is a drawing.
const MAX_TABLES: usize = 50;

/// Tables with more columns are drawings.
const MAX_COLUMNS: usize = 40;

/// A part of a page.
pub enum Part {
    /// Text, and tables without lines around their cells.
    Text(Vec<Fragment>),
    /// The lines of a table.
    Table(Vec<Line>),
}

/// The parts of a page, from the top: tables with lines around their cells, if some cell has several lines and nothing stands
/// beside the table, and what is between them.
pub fn parts(mut fragments: Vec<Fragment>, rules: &Rules) -> Vec<Part> {
    let mut done = Vec::new();
    let mut frames: Vec<Frame> = rules.grids().into_iter().map(Frame::Grid).collect();
    frames.extend(rules.ladders().into_iter().map(|(rows, x)| Frame::Ladder(rows, x)));
    frames.sort_by(|a, b| a.area().0.total_cmp(&b.area().0));
    frames.truncate(MAX_TABLES);
    for frame in frames {
        let (top, bottom, (left, right)) = frame.area();
        let is_level = |fragment: &Fragment| fragment.y > top && fragment.y < bottom;
        let is_inside = |fragment: &Fragment| fragment.x0 > left - 3.0 && fragment.x1 < right + 3.0;
        let level: Vec<&Fragment> = fragments.iter().filter(|fragment| is_level(fragment)).collect();
        if level.is_empty() || !level.into_iter().all(is_inside) {
            continue;
        }
        let (inside, others): (Vec<_>, Vec<_>) = fragments.iter().cloned().partition(is_level);
        let lines = match &frame {
            Frame::Grid(grid) => in_grid(inside, grid),
            Frame::Ladder(steps, x) => {
                let grid = ladder(&inside, steps.clone(), *x);
                grid.and_then(|grid| in_grid(inside.clone(), &grid))
                    .or_else(|| in_ladder(rows(inside), steps, rules))
            }
        };
        let Some(lines) = lines else { continue };
        let (above, below) = others.into_iter().partition(|fragment| fragment.y <= top);
        done.extend([Part::Text(above), Part::Table(lines)]);
        fragments = below;
    }
    done.push(Part::Text(fragments));
    done
}

/// The lines of a table.
enum Frame {
    /// Around its cells.
    Grid(Grid),
    /// Between its rows: their y, and the left and the right end.
    Ladder(Vec<f32>, (f32, f32)),
}

impl Frame {
    /// The upper and the lower end, and those at the left and at the right.
    fn area(&self) -> (f32, f32, (f32, f32)) {
        match self {
            Self::Grid(grid) => (grid.top(), grid.bottom(), grid.x),
            Self::Ladder(steps, x) => {
                (steps.first().copied().unwrap_or_default(), steps.last().copied().unwrap_or_default(), *x)
            }
        }
    }
}

/// The lines of a table whose rows lines part, and whose first column has several lines as well. None if the lines are not those
/// between its rows, or if no row has to be read cell by cell.
fn in_ladder(texts: Vec<Vec<Fragment>>, steps: &[f32], rules: &Rules) -> Option<Vec<Line>> {
    let step = |row: &Vec<Fragment>| row.first().map_or(0, |first| steps.partition_point(|y| *y < first.y));
    let longest = texts.chunk_by(|a, b| step(a) == step(b)).map(<[_]>::len).max()?;
    let count = texts.len();
    let lines = if longest <= MAX_CELL_LINES { lines(texts, rules) } else { return None };
    (lines.len() < count).then_some(lines)
}

/// The table whose rows lines part, with its columns where no text is. None if there are none, or if the lines are not those
/// between its rows.
fn ladder(inside: &[Fragment], steps: Vec<f32>, x: (f32, f32)) -> Option<Grid> {
    let size = inside.iter().map(|fragment| fragment.size).fold(0.0, f32::max);
    let columns = joined(inside.iter().map(|fragment| (fragment.x0, fragment.x1)).collect(), WORD_GAP * size);
    let key = columns.first().filter(|_| (2..=MAX_COLUMNS).contains(&columns.len()))?;
    let texts = rows(inside.to_vec());
    let step = |row: &Vec<Fragment>| row.first().map_or(0, |first| steps.partition_point(|y| *y < first.y));
    let bands: Vec<&[Vec<Fragment>]> = texts.chunk_by(|a, b| step(a) == step(b)).collect();
    let has_key = |row: &&Vec<Fragment>| row.iter().any(|fragment| fragment.x0 <= key.1);
    let keyed = bands.iter().filter(|band| band.iter().filter(has_key).count() > 1).count();
    let longest = bands.iter().map(|band| band.len()).max()?;
    let (from, to) = (*steps.first()?, *steps.last()?);
    let between = columns.iter().zip(columns.iter().skip(1));
    let columns = between.map(|(left, right)| Rule { at: (left.1 + right.0) / 2.0, from, to }).collect();
    let are_rows = longest <= MAX_CELL_LINES && keyed * 3 <= bands.len();
    are_rows.then_some(Grid { rows: steps, columns, x })
}

/// The lines of a table with lines around its cells. None if no row has to be read cell by cell.
fn in_grid(fragments: Vec<Fragment>, grid: &Grid) -> Option<Vec<Line>> {
    let mut bands: Vec<Vec<Fragment>> = vec![Vec::new(); grid.rows.len()];
    for fragment in fragments {
        let band = grid.rows.partition_point(|y| *y < fragment.y).saturating_sub(1);
        let ends = grid.ends(fragment.y - 0.3 * fragment.size);
        bands.get_mut(band)?.extend(split(fragment, &ends));
    }
    let mut is_wrapped = false;
    let mut lines = Vec::new();
    for band in bands {
        let texts = rows(band);
        let cells: Vec<Cells> = texts.iter().map(|row| cells_between(row, grid)).collect();
        if is_wrapped_row(&cells) && !are_rows(&cells) {
            is_wrapped = true;
            lines.extend(by_cells(texts, &cells, grid.x.0));
        } else {
            lines.extend(texts.into_iter().filter_map(line));
        }
    }
    is_wrapped.then_some(lines)
}

/// A fragment that was drawn in one go across the ends of columns, in its cells.
fn split(fragment: Fragment, ends: &[f32]) -> Vec<Fragment> {
    let mut parts: Vec<Fragment> = Vec::new();
    let mut column = None;
    let (y, size) = (fragment.y, fragment.size);
    for unit in fragment.units {
        let middle = (unit.x0 + unit.x1) / 2.0;
        let own = ends.partition_point(|end| *end < middle);
        match parts.last_mut().filter(|_| column == Some(own)) {
            Some(part) => {
                part.x1 = part.x1.max(unit.x1);
                part.x0 = part.x0.min(unit.x0);
                part.units.push(unit);
            }
            None => parts.push(Fragment { x0: unit.x0, x1: unit.x1, y, size, units: vec![unit] }),
        }
        column = Some(own);
    }
    parts
}

fn cells_between(row: &[Fragment], grid: &Grid) -> Cells {
    Cells::new(row, |fragment| {
        let middle = fragment.x0 + 0.5 * fragment.size.min(fragment.x1 - fragment.x0);
        grid.ends(fragment.y - 0.3 * fragment.size).partition_point(|end| *end < middle)
    })
}

/// The lines of a region.
pub fn lines(region: Vec<Vec<Fragment>>, rules: &Rules) -> Vec<Line> {
    let mut done = Vec::new();
    let mut region = region.into_iter().peekable();
    while let Some(row) = region.next() {
        let mut columns = segments(&row);
        if columns.len() < 2 || columns.len() > MAX_COLUMNS {
            done.extend(line(row));
            continue;
        }
        let mut block = vec![row];
        while let Some(next) = region.peek_mut() {
            let more = with_row(&columns, next, block.last()).or_else(|| {
                let parted = parted(next, &columns)?;
                let more = with_row(&columns, &parted, block.last())?;
                *next = parted;
                Some(more)
            });
            let Some(more) = more else { break };
            columns = more;
            block.extend(region.next());
        }
        lines_of(block, &columns, rules, &mut done);
    }
    done
}

/// A row whose text was drawn in one go over narrow gaps between columns, parted where columns begin. None if it was not.
fn parted(row: &[Fragment], columns: &[(f32, f32)]) -> Option<Vec<Fragment>> {
    let size = size(row);
    let begins = |last: &Unit, unit: &Unit| {
        unit.x0 - last.x1 > WORD_GAP * size
            && columns.iter().any(|(from, _)| (unit.x0 - from).abs() < 0.2 * size)
    };
    let mut parts: Vec<Fragment> = Vec::new();
    for fragment in row {
        let mut units = fragment.units.as_slice();
        while !units.is_empty() {
            let end = units.windows(2).position(|pair| matches!(pair, [last, unit] if begins(last, unit)));
            let (own, rest) = units.split_at(end.map_or(units.len(), |end| end + 1));
            let x0 = own.iter().map(|unit| unit.x0).fold(f32::MAX, f32::min);
            let x1 = own.iter().map(|unit| unit.x1).fold(f32::MIN, f32::max);
            parts.push(Fragment { units: own.to_vec(), x0, x1, ..*fragment });
            units = rest;
        }
    }
    (parts.len() > row.len()).then_some(parts)
}

/// Where the text of a row is, without the gaps between columns.
fn segments(row: &[Fragment]) -> Vec<(f32, f32)> {
    joined(row.iter().map(|fragment| (fragment.x0, fragment.x1)).collect(), COLUMN_GAP * size(row))
}

fn size(row: &[Fragment]) -> f32 {
    row.iter().map(|fragment| fragment.size).fold(0.0, f32::max)
}

fn joined(mut intervals: Vec<(f32, f32)>, gap: f32) -> Vec<(f32, f32)> {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f32, f32)> = Vec::new();
    for (from, to) in intervals {
        match joined.last_mut() {
            Some(last) if from - last.1 < gap => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// The columns of a table with one more row. None if the row is none of it.
fn with_row(
    columns: &[(f32, f32)],
    row: &[Fragment],
    last: Option<&Vec<Fragment>>,
) -> Option<Vec<(f32, f32)>> {
    let (y, above) = (row.first()?.y, last?.first()?.y);
    let size = size(row);
    if y - above > ROW_GAP * size {
        return None;
    }
    let own = row.iter().map(|fragment| (fragment.x0, fragment.x1));
    let all = joined(columns.iter().copied().chain(own).collect(), WORD_GAP * size);
    (all.len() >= columns.len() && all.len() <= MAX_COLUMNS).then_some(all)
}

/// The lines of rows with these columns.
fn lines_of(block: Vec<Vec<Fragment>>, columns: &[(f32, f32)], rules: &Rules, done: &mut Vec<Line>) {
    let column =
        |fragment: &Fragment| columns.iter().rposition(|(from, _)| *from <= fragment.x0 + 0.1).unwrap_or(0);
    let cells: Vec<Cells> = block.iter().map(|row| Cells::new(row, column)).collect();
    let ends = (columns.first().map_or(0.0, |first| first.0), columns.last().map_or(0.0, |last| last.1));
    let heights: Vec<(f32, f32)> =
        block.iter().map(|row| (row.first().map_or(0.0, |fragment| fragment.y), size(row))).collect();
    let table = Table::new(&cells, &heights, columns, ends, rules);
    let mut rows = block.into_iter().enumerate().peekable();
    while let Some((from, first)) = rows.next() {
        let mut texts = vec![first];
        while let Some((at, _)) = rows.peek() {
            if !table.goes_on(from, *at) {
                break;
            }
            texts.extend(rows.next().map(|(_, row)| row));
        }
        let own = cells.get(from..from + texts.len()).unwrap_or_default();
        if is_wrapped_row(own) {
            done.extend(by_cells(texts, own, ends.0));
        } else {
            done.extend(texts.into_iter().filter_map(line));
        }
    }
}

/// Rows of text with columns.
struct Table<'a> {
    cells: &'a [Cells],
    /// The base line and the size of each row.
    heights: &'a [(f32, f32)],
    columns: &'a [(f32, f32)],
    ends: (f32, f32),
    rules: &'a Rules,
    /// The widest distance of two lines, in heights of the font.
    widest: f32,
    /// Whether lines of the page part the rows.
    is_ruled: bool,
    /// Whether two lines have cells, or one has three: a single gap is no column.
    has_columns: bool,
    /// How many lines have more than one cell.
    with_columns: usize,
}

impl<'a> Table<'a> {
    fn new(
        cells: &'a [Cells],
        heights: &'a [(f32, f32)],
        columns: &'a [(f32, f32)],
        ends: (f32, f32),
        rules: &'a Rules,
    ) -> Self {
        let widest = (1..heights.len()).filter_map(|at| distance(heights, at)).fold(0.0, f32::max);
        let pairs = heights.iter().zip(heights.iter().skip(1));
        let parted = pairs.filter(|(above, (y, size))| rules.parts(above.0, *y, *size, ends)).count();
        let is_ruled = parted >= 2 && parted * MAX_CELL_LINES >= heights.len();
        let with_columns = cells.iter().filter(|line| line.texts.len() > 1).count();
        let has_columns = with_columns > 1 || cells.iter().any(|line| line.texts.len() > 2);
        Self { cells, heights, columns, ends, rules, widest, is_ruled, has_columns, with_columns }
    }

    /// Whether a line is a part of the row that begins with the line `from`.
    fn goes_on(&self, from: usize, at: usize) -> bool {
        let (Some(line), Some((y, size)), Some((above, _))) =
            (self.cells.get(at), self.heights.get(at), self.heights.get(at - 1))
        else {
            return false;
        };
        if !self.has_columns || y - above > LEADING * size || self.rules.parts(*above, *y, *size, self.ends) {
            return false;
        }
        // What each cell of the line continues.
        let before = |column| {
            let lines = self.cells.get(from..at).unwrap_or_default();
            lines.iter().rev().find_map(|line| line.text(column))
        };
        let Some(joins) = line
            .texts
            .iter()
            .map(|(column, text, _)| {
                let (before, width) = before(*column)?;
                Some((*column, Join::of(before, width, text, self.width(*column))))
            })
            .collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let has_key = joins.iter().any(|(column, _)| *column == 0);
        let is_rowless = joins.iter().any(|(_, join)| *join == Join::Other);
        let first = self.cells.get(from);
        let begun = first.map_or(0, |first| first.texts.len());
        let begins_with_key = first.is_some_and(|first| first.text(0).is_some());
        let surely = joins.iter().filter(|(_, join)| *join == Join::Sure).count();
        if is_rowless || joins.is_empty() {
            return false;
        }
        if has_key {
            let is_near = self.is_near(at) || self.is_ruled;
            self.with_columns > 1
                && ((surely == joins.len() && joins.len() < begun) || (surely > 0 && is_near))
        } else {
            begins_with_key
        }
    }

    fn width(&self, column: usize) -> f32 {
        self.columns.get(column).map_or(0.0, |(from, to)| to - from)
    }

    /// Whether a line is nearer to the one above than rows are to each other.
    fn is_near(&self, at: usize) -> bool {
        distance(self.heights, at).is_some_and(|own| own * 1.2 < self.widest)
    }
}

/// The distance of a line to the one above, in heights of the font.
fn distance(heights: &[(f32, f32)], at: usize) -> Option<f32> {
    let (y, size) = heights.get(at)?;
    Some((y - heights.get(at.checked_sub(1)?)?.0) / size)
}

/// How a line of a cell may follow the one before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// In the middle of a sentence.
    Sure,
    /// As one sentence may follow another.
    May,
    /// Not: numbers, names.
    Other,
}

impl Join {
    fn of(before: &str, width: f32, text: &str, column: f32) -> Self {
        let is_open = !before.trim_end().ends_with(['.', '!', '?', ':', ';', '。']);
        let is_wide = width > 0.5 * column;
        let is_small = text.trim_start().chars().next().is_some_and(char::is_lowercase);
        let is_value = |text: &str| text.chars().any(char::is_numeric) && !has_words(text);
        // The next entry of a list or of a table of contents.
        let is_entry = before.contains(". . .") || begins_with_label(text);
        if is_entry || (is_value(before) && is_value(text)) {
            Self::Other
        } else if is_open && is_small && is_wide {
            Self::Sure
        } else if is_small || (is_wide && (before.contains(' ') || text.contains(' '))) {
            Self::May
        } else {
            Self::Other
        }
    }
}
