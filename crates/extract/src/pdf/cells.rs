//! The cells of the rows of a table.

use super::line::{Fragment, Line, Unit, line};

/// Of the fragments of a row, in their order: the column of each.
pub struct Cells {
    columns: Vec<usize>,
    /// The text of each column that has one.
    pub texts: Vec<(usize, String, f32)>,
}

impl Cells {
    /// The cells of a row, of whose fragments `column` tells the column.
    pub fn new(row: &[Fragment], column: impl Fn(&Fragment) -> usize) -> Self {
        let columns: Vec<usize> = row.iter().map(column).collect();
        let mut texts: Vec<(usize, String, f32)> = Vec::new();
        let mut order: Vec<usize> = (0..row.len()).collect();
        let left = |at: &usize| row.get(*at).map_or(0.0, |fragment| fragment.x0);
        order.sort_by(|a, b| left(a).total_cmp(&left(b)));
        for at in order {
            let (Some(fragment), Some(column)) = (row.get(at), columns.get(at).copied()) else { continue };
            let text: String = fragment.units.iter().flat_map(spaced).collect();
            match texts.iter_mut().find(|(of, ..)| *of == column) {
                Some((_, all, width)) => {
                    all.push(' ');
                    all.push_str(&text);
                    *width += fragment.x1 - fragment.x0;
                }
                None => texts.push((column, text, fragment.x1 - fragment.x0)),
            }
        }
        texts.sort_by_key(|(column, ..)| *column);
        Self { columns, texts }
    }

    /// The text of a column, and its width.
    pub fn text(&self, column: usize) -> Option<(&str, f32)> {
        self.texts.iter().find(|(of, ..)| *of == column).map(|(_, text, width)| (text.as_str(), *width))
    }

    /// The columns that have text.
    pub fn filled(&self) -> impl Iterator<Item = usize> + '_ {
        self.texts.iter().map(|(column, ..)| *column)
    }
}

fn spaced(unit: &Unit) -> impl Iterator<Item = char> + '_ {
    unit.space.then_some(' ').into_iter().chain(unit.piece.chars())
}

/// Whether reading a row cell by cell is another order than line by line: a cell goes on below a line with text to its right.
pub fn is_wrapped_row(lines: &[Cells]) -> bool {
    let mut right = None;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 && line.filled().any(|column| right.is_some_and(|right| column < right)) {
            return true;
        }
        right = right.max(line.filled().max());
    }
    false
}

/// Whether lines that no line of the page parts are rows of their own: all have the same cells, and numbers in one of them.
pub fn are_rows(lines: &[Cells]) -> bool {
    let Some(first) = lines.first() else { return false };
    let same = |line: &Cells| line.filled().eq(first.filled());
    let is_number = |column| {
        lines.iter().all(|line| {
            line.text(column).is_some_and(|(text, _)| text.chars().any(char::is_numeric) && !has_words(text))
        })
    };
    lines.len() > 1 && first.texts.len() > 1 && lines.iter().all(same) && first.filled().any(is_number)
}

/// Whether a text begins as a heading or an item of a list does: with a number, as in "2.1 What".
pub fn begins_with_label(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')'));
    let is_bullet = text.starts_with(['•', '–', '▪', '■', '◦', '‣']);
    is_bullet || (rest.len() < text.len() && rest.trim_start().chars().next().is_some_and(char::is_uppercase))
}

/// Whether a text has more than one word, or a word in small letters.
pub fn has_words(text: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 2;
    text.split(' ').filter(is_word).count() > 1 || text.chars().take(3).all(char::is_lowercase)
}

/// The lines of a row that is read cell by cell: one, unless a word is divided.
pub fn by_cells(lines: Vec<Vec<Fragment>>, cells: &[Cells], left: f32) -> Vec<Line> {
    let columns = cells.iter().flat_map(Cells::filled).max().map_or(0, |last| last + 1);
    let mut by_column: Vec<Vec<Vec<Fragment>>> = vec![Vec::new(); columns];
    for (row, cells) in lines.into_iter().zip(cells) {
        let mut of_row: Vec<Vec<Fragment>> = vec![Vec::new(); columns];
        for (fragment, column) in row.into_iter().zip(&cells.columns) {
            of_row.get_mut(*column).into_iter().for_each(|cell| cell.push(fragment.clone()));
        }
        for (column, cell) in of_row.into_iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            by_column.get_mut(column).into_iter().for_each(|lines| lines.push(cell.clone()));
        }
    }
    let top = by_column.iter().flatten().flatten().map(|fragment| fragment.y).min_by(f32::total_cmp);
    let mut done: Vec<Line> = Vec::new();
    for cell in by_column {
        let mut divided = false;
        for mut next in cell.into_iter().filter_map(line) {
            match done.last_mut().filter(|_| !divided) {
                Some(last) => {
                    if let Some(unit) = next.units.first_mut() {
                        unit.space = true;
                    }
                    divided = is_divided(&next);
                    last.units.append(&mut next.units);
                    (last.size, last.x1) = (last.size.max(next.size), last.x1.max(next.x1));
                }
                None => {
                    divided = is_divided(&next);
                    let y = done.last().map_or(top.unwrap_or(next.y), |last| last.y + last.size);
                    done.push(Line { x0: left, y, ..next });
                }
            }
        }
    }
    done
}

/// Whether the last word of a line is divided: what follows is told apart later.
fn is_divided(line: &Line) -> bool {
    line.units.last().is_some_and(|unit| unit.piece.chars().any(|c| matches!(c, '-' | '\u{2010}' | '\u{AD}')))
}
