//! The paragraphs of a page.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use super::bidi;
use super::columns;
use super::glyphs::Glyph;
use super::line::{Fragment, Line, fragments, line};
use super::repeated::{self, Edges};
use super::rules::Rules;
use super::table::{self, Part};

/// Lines whose distance exceeds the usual one by this factor belong to different paragraphs.
const PARAGRAPH_GAP: f32 = 1.3;

/// Directions of text closer than this are one, in degrees: scans are never quite straight.
const ANGLE: f32 = 10.0;

/// The lines of a paragraph.
pub type Paragraph = Vec<String>;

/// What stands on a page.
#[derive(Default)]
pub struct Layout {
    /// The paragraphs, in reading order. Text in other directions (watermarks, labels of axes) comes last.
    pub paragraphs: Vec<Paragraph>,
    /// What may be its header and its footer.
    pub edges: Edges,
}

/// What stands on a page of this height.
pub fn layout(glyphs: &[Glyph], rules: &Rules, height: f32) -> Layout {
    let mut directions: BTreeMap<(bool, i16), Vec<&Glyph>> = BTreeMap::new();
    for glyph in glyphs {
        let angle = (glyph.angle / ANGLE).round() as i16;
        directions.entry((glyph.vertical, angle)).or_default().push(glyph);
    }
    let mut directions: Vec<_> = directions.into_iter().collect();
    directions.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    let mut done = Vec::new();
    let (mut edges, none) = (Edges::default(), Rules::default());
    for (number, ((vertical, turn), glyphs)) in directions.into_iter().enumerate() {
        let angle = glyphs.iter().map(|glyph| glyph.angle).sum::<f32>() / glyphs.len() as f32;
        let turned = glyphs.into_iter().map(|glyph| turned(glyph, vertical, angle)).collect::<Vec<_>>();
        let fragments = fragments(turned.iter());
        let is_level = turn == 0 && !vertical;
        if number == 0 && is_level {
            edges = repeated::edges(&fragments, height);
        }
        let rules = if is_level { rules } else { &none };
        let mut last = None;
        for part in table::parts(fragments, rules) {
            match part {
                Part::Table(lines) => paragraphs_of(lines, &mut last, &mut done),
                Part::Text(fragments) => {
                    for region in columns::regions(fragments) {
                        paragraphs_of(table::lines(region, rules), &mut last, &mut done);
                    }
                }
            }
        }
    }
    Layout { paragraphs: done, edges }
}

/// The text of a row.
pub fn row_text(row: Vec<Fragment>) -> String {
    line(row).map_or_else(String::new, |line| clean(&bidi::text(&line.units)))
}

/// The glyph on a page that is turned so that text runs to the right and lines follow downwards.
fn turned(glyph: &Glyph, vertical: bool, angle: f32) -> Glyph {
    let mut glyph = glyph.clone();
    if vertical {
        (glyph.x, glyph.y) = (glyph.y, -glyph.x);
    } else if angle.abs() > 0.05 {
        let (sin, cos) = (-angle).to_radians().sin_cos();
        (glyph.x, glyph.y) = (glyph.x * cos - glyph.y * sin, glyph.x * sin + glyph.y * cos);
    }
    glyph
}

/// The paragraphs of the lines of a region. `last` is the height of the font at the end of the region before.
fn paragraphs_of(lines: Vec<Line>, last: &mut Option<f32>, done: &mut Vec<Paragraph>) {
    let usual = usual_distance(&lines);
    let mut paragraph = Paragraph::new();
    for (at, line) in lines.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        if before.is_some_and(|before| breaks(before, line, lines.get(at + 1), usual))
            && !paragraph.is_empty()
        {
            done.push(std::mem::take(&mut paragraph));
        }
        let text = clean(&bidi::text(&line.units));
        if text.is_empty() {
            continue;
        }
        let same_size = last.take().is_some_and(|size| (size - line.size).abs() < 0.05 * size);
        if same_size && done.last().is_some_and(|before| goes_on(before, &text)) {
            paragraph.extend(done.pop().into_iter().flatten());
        }
        paragraph.push(text);
    }
    if !paragraph.is_empty() {
        done.push(paragraph);
    }
    *last = lines.last().map(|line| line.size);
}

/// Whether a sentence goes on in the next column.
fn goes_on(before: &Paragraph, line: &str) -> bool {
    let open = before.last().and_then(|line| line.chars().next_back());
    open.is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | '-' | '\u{AD}'))
        && line.chars().next().is_some_and(char::is_lowercase)
}

/// The usual distance of two lines, in heights of their font: the lower quartile, so that a page of one-line paragraphs
/// counts as such.
fn usual_distance(lines: &[Line]) -> f32 {
    let mut distances: Vec<f32> = lines
        .iter()
        .zip(lines.iter().skip(1))
        .filter(|(a, b)| (a.size - b.size).abs() < 0.1 * a.size)
        .map(|(a, b)| (b.y - a.y) / b.size)
        .filter(|distance| (0.7..2.5).contains(distance))
        .collect();
    if distances.len() < 3 {
        return 1.25;
    }
    let quartile = distances.len() / 4;
    *distances.select_nth_unstable_by(quartile, f32::total_cmp).1
}

/// Whether a paragraph ends between two lines: by a gap, by another size of the font, or by an indented first line.
fn breaks(before: &Line, line: &Line, after: Option<&Line>, usual: f32) -> bool {
    let size = before.size.max(line.size);
    let distance = (line.y - before.y) / size;
    let other_size = (before.size - line.size).abs() > 0.15 * size;
    let indent = 0.8 * size;
    let indented = line.x0 > before.x0 + indent
        && line.x0 < before.x0 + 5.0 * size
        && after.is_some_and(|after| after.x0 < line.x0 - indent && (after.x0 - before.x0).abs() < indent);
    let ended = before
        .units
        .last()
        .and_then(|unit| unit.piece.chars().last())
        .is_some_and(|last| matches!(last, '.' | '!' | '?' | ':' | '"' | '\u{201D}' | ')' | '。' | '」'));
    !(0.0..PARAGRAPH_GAP * usual).contains(&distance) || other_size || (indented && ended)
}

/// The text of a line without control characters, with ligatures and other presentation forms resolved.
fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Latin, Armenian, Hebrew and Arabic presentation forms; radicals that stand for characters.
            '\u{FB00}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{2E80}'..='\u{2FDF}' => {
                cleaned.extend(c.nfkc())
            }
            // Forms for vertical text, which stand for the common ones.
            '\u{FE11}' => cleaned.push('、'),
            '\u{FE12}' => cleaned.push('。'),
            '\u{FE35}' => cleaned.push('（'),
            '\u{FE36}' => cleaned.push('）'),
            '\u{FE41}' => cleaned.push('「'),
            '\u{FE42}' => cleaned.push('」'),
            '\u{FE43}' => cleaned.push('『'),
            '\u{FE44}' => cleaned.push('』'),
            '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' => cleaned.push(' '),
            c if c.is_whitespace() => cleaned.push(' '),
            c if c.is_control() || matches!(c, '\u{FEFF}' | '\u{FFFD}' | '\u{200B}') => {}
            c => cleaned.push(c),
        }
    }
    cleaned.trim().to_owned()
}
