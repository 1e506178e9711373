//! Text from right to left: the glyphs of a line, which stand in visual order, in the order in which they are read.
//!
//! The reverse of the reordering of UAX 9 (rule L2), with its levels taken from the visual line: right-to-left letters have
//! level 1, everything that runs to the right within them level 2. Files without letters from right to left are not touched.

use super::glyphs::Piece;
use super::line::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Left,
    Right,
    Number,
    Neutral,
}

/// The text of the glyphs of a line, which stand from left to right.
pub fn text(units: &[Unit]) -> String {
    let units = attach_marks(units);
    let right_to_left = |piece: &Piece| piece.chars().any(is_right_to_left);
    let mut pieces: Vec<Piece> = Vec::with_capacity(units.len());
    for unit in &units {
        if unit.space && !pieces.is_empty() {
            pieces.push(Piece::Char(' '));
        }
        pieces.push(unit.piece.clone());
    }
    if !pieces.iter().any(right_to_left) {
        return pieces.iter().flat_map(Piece::chars).collect();
    }
    let classes: Vec<Class> = pieces.iter().map(class).collect();
    let count = |wanted| classes.iter().filter(|class| **class == wanted).count();
    let base = u8::from(count(Class::Right) > count(Class::Left));
    let levels = levels(&classes, base);
    order(&levels).into_iter().flat_map(|at| mirrored(&pieces, &levels, at)).collect()
}

fn is_right_to_left(c: char) -> bool {
    let digit = matches!(c, '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}');
    let letter = matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}'
        | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}');
    letter && !digit && !is_mark(c)
}

/// Whether the character stands above or below another one.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}'..='\u{5C2}' | '\u{5C4}'..='\u{5C5}'
        | '\u{5C7}' | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6DC}'
        | '\u{6DF}'..='\u{6E4}' | '\u{6E7}'..='\u{6E8}' | '\u{6EA}'..='\u{6ED}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

/// The line with each mark behind the letter it stands over. A mark over nothing was meant as a character of its own:
/// TeX files have U+0300 for the opening quote.
fn attach_marks(units: &[Unit]) -> Vec<Unit> {
    let mut done: Vec<Unit> = Vec::with_capacity(units.len());
    let mut waiting: Option<Unit> = None;
    for (at, unit) in units.iter().enumerate() {
        let mut unit = unit.clone();
        if !unit.piece.chars().all(is_mark) {
            if let Some(mark) = waiting.take() {
                unit.space |= mark.space;
                add(&mut unit, &mark);
            }
            done.push(unit);
            continue;
        }
        let middle = (unit.x0 + unit.x1) / 2.0;
        // Many marks have no width and are drawn to the left, so that the right end of a letter is over it and the left is not.
        let over = |other: &Unit| {
            let width = other.x1 - other.x0;
            let letter = other.piece.chars().next().is_some_and(char::is_alphabetic);
            letter && middle > other.x0 + 0.1 * width && middle <= other.x1 + 0.05 * width
        };
        // Only in lines from right to left does a letter follow its mark.
        let next = units
            .get(at + 1)
            .filter(|next| next.piece.chars().any(is_right_to_left) && !next.space && over(next));
        match done.last_mut() {
            Some(last) if !unit.space && over(last) => add(last, &unit),
            _ if next.is_some() && waiting.is_none() => waiting = Some(unit),
            _ => {
                unit.piece = alone(&unit.piece);
                done.push(unit);
            }
        }
    }
    done.extend(waiting);
    done
}

fn add(unit: &mut Unit, mark: &Unit) {
    let text: String = unit.piece.chars().chain(mark.piece.chars()).collect();
    unit.piece = Piece::Text(text.into());
}

fn alone(piece: &Piece) -> Piece {
    match piece {
        Piece::Char('\u{300}') => Piece::Char('`'),
        Piece::Char('\u{301}') => Piece::Char('\u{B4}'),
        Piece::Char('\u{302}') => Piece::Char('^'),
        Piece::Char('\u{303}') => Piece::Char('~'),
        Piece::Char('\u{308}') => Piece::Char('\u{A8}'),
        other => other.clone(),
    }
}

fn class(piece: &Piece) -> Class {
    let mut class = Class::Neutral;
    for c in piece.chars() {
        if is_right_to_left(c) {
            return Class::Right;
        } else if c.is_numeric() {
            class = Class::Number;
        } else if c.is_alphabetic() {
            return Class::Left;
        }
    }
    class
}

/// The embedding level of each piece.
fn levels(classes: &[Class], base: u8) -> Vec<u8> {
    let strong = |class: &Class| match class {
        Class::Right => Some(1),
        Class::Left => Some(2 * base),
        // Numbers run to the right, also between letters that run to the left.
        Class::Number => Some(2),
        Class::Neutral => None,
    };
    let mut levels: Vec<Option<u8>> = classes.iter().map(strong).collect();
    // Numbers outside of right-to-left text are like other text.
    for at in 0..classes.len() {
        if classes.get(at) == Some(&Class::Number) && base == 0 {
            let strong = |class: &&Class| matches!(class, Class::Left | Class::Right);
            let before = classes.iter().take(at).rev().find(strong);
            let after = classes.iter().skip(at).find(strong);
            let inside = before == Some(&Class::Right) && after == Some(&Class::Right);
            if let Some(level) = levels.get_mut(at).filter(|_| !inside) {
                *level = Some(0);
            }
        }
    }
    let mut known: Vec<u8> = Vec::with_capacity(levels.len());
    let mut at = 0;
    while let Some(level) = levels.get(at) {
        if let Some(level) = level {
            known.push(*level);
            at += 1;
            continue;
        }
        let end = levels.iter().skip(at).position(Option::is_some).map_or(levels.len(), |more| at + more);
        let before = known.last().copied();
        let after = levels.get(end).copied().flatten();
        let level = if before == after { before.unwrap_or(base) } else { base };
        known.extend(std::iter::repeat_n(level, end - at));
        at = end;
    }
    known
}

/// The order in which pieces of these levels are read (rule L2, which is its own reverse).
fn order(levels: &[u8]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    let highest = levels.iter().copied().max().unwrap_or(0);
    for level in (1..=highest).rev() {
        let mut at = 0;
        while at < levels.len() {
            let run = levels.iter().skip(at).take_while(|other| **other >= level).count();
            if let Some(run) = order.get_mut(at..at + run) {
                run.reverse();
            }
            at += run.max(1);
        }
    }
    order
}

/// The characters of a piece; brackets of right-to-left text are drawn mirrored.
fn mirrored(pieces: &[Piece], levels: &[u8], at: usize) -> Vec<char> {
    let right = levels.get(at).is_some_and(|level| level % 2 == 1);
    let mirror = |c| match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        other => other,
    };
    pieces.get(at).into_iter().flat_map(Piece::chars).map(|c| if right { mirror(c) } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of one point per character, as it is seen.
    fn seen(line: &str) -> String {
        let mut units = Vec::new();
        let mut space = false;
        for (at, c) in line.chars().enumerate() {
            if c == ' ' {
                space = true;
                continue;
            }
            units.push(Unit { piece: Piece::Char(c), x0: at as f32, x1: at as f32 + 1.0, space });
            space = false;
        }
        text(&units)
    }

    #[test]
    fn right_to_left() {
        // "shalom olam": seen from the right.
        assert_eq!(seen("םלוע םולש"), "שלום עולם");
        assert_eq!(seen("the word םולש means peace"), "the word שלום means peace");
        assert_eq!(seen(".(2024) םולש 12,5 םולש"), "שלום 12,5 שלום (2024).");
        assert_eq!(seen("םולש Debian 11 םולש םולש"), "שלום שלום Debian 11 שלום");
        assert_eq!(seen("Page 12 of 34"), "Page 12 of 34");
    }

    #[test]
    fn marks_follow_their_letters() {
        let unit = |c, x0: f32, x1| Unit { piece: Piece::Char(c), x0, x1, space: false };
        // ha, fatha above it, ba: seen from the right.
        let line = [unit('ب', 0.0, 5.0), unit('\u{64E}', 7.0, 7.0), unit('ح', 5.0, 10.0)];
        assert_eq!(text(&line), "ح\u{64E}ب");
        let quote = [unit('\u{300}', 0.0, 2.0), unit('s', 2.0, 5.0), unit('\u{2019}', 5.0, 6.0)];
        assert_eq!(text(&quote), "`s\u{2019}");
        let quote = [unit('\u{300}', 2.0, 2.0), unit('s', 2.0, 5.0), unit('\u{2019}', 5.0, 6.0)];
        assert_eq!(text(&quote), "`s\u{2019}");
        let accent = [unit('e', 2.0, 5.0), unit('\u{301}', 5.0, 5.0), unit('t', 5.0, 6.0)];
        assert_eq!(text(&accent), "e\u{301}t");
    }
}
