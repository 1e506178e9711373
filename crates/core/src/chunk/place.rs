//! Chunks that were cut earlier, by their places in the text.

use std::ops::Range;

use super::boundary::Position;
use super::space::{forward, skip_blank};

/// The byte ranges of chunks with these offsets in characters, if chunks of `text` may be there: they are in it, are not empty,
/// their starts and ends increase, and nothing but white space is outside of them. None otherwise. So chunks that an earlier
/// version cut are recognized as whole without being cut again.
pub fn located(text: &str, chars: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::with_capacity(chars.len());
    // The start of the last chunk, and the end of all.
    let mut start = Position { byte: 0, char: 0 };
    let mut end = start;
    for (number, range) in chars.iter().enumerate() {
        if range.is_empty() || (number > 0 && (range.start <= start.char || range.end <= end.char)) {
            return None;
        }
        let from = if range.start >= end.char { end } else { start };
        start = forward(text, from, range.start - from.char);
        let is_gap = start.byte > end.byte && skip_blank(text, end).byte < start.byte;
        let from = if range.end >= end.char && end.char > start.char { end } else { start };
        let last = forward(text, from, range.end - from.char);
        if is_gap || last.char != range.end || start.char != range.start {
            return None;
        }
        end = last;
        found.push(start.byte..end.byte);
    }
    (skip_blank(text, end).byte == text.len()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{Settings, Strategy, chunks};

    #[test]
    fn chunks_are_located() {
        let text = "  é one two\n\nthree \u{c} four five six \u{301} seven\n";
        for strategy in Strategy::ALL {
            for (size, overlap) in [(5, 0), (12, 4), (100, 0)] {
                let cut: Vec<_> = chunks(text, &Settings::new(size, overlap, strategy).unwrap()).collect();
                let chars: Vec<_> = cut.iter().map(|chunk| chunk.chars.clone()).collect();
                let bytes: Vec<_> = cut.into_iter().map(|chunk| chunk.bytes).collect();
                assert_eq!(located(text, &chars), Some(bytes), "{strategy:?} {size}");
                for left_out in 0..chars.len() {
                    let mut some = chars.clone();
                    some.remove(left_out);
                    let is_repeated = overlap > 0 && some.len() > left_out && left_out > 0;
                    assert!(is_repeated || located(text, &some).is_none(), "{strategy:?} {size} {left_out}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_list_of_chunks_is_refused() {
        let of = |text: &str, places: &[(usize, usize)]| {
            let chars: Vec<_> = places.iter().map(|(start, end)| *start..*end).collect();
            let found = located(text, &chars)?;
            assert_eq!(found, chars, "all characters are of one byte");
            Some(found.len())
        };
        let refused: [&[(usize, usize)]; 7] = [
            &[(0, 4)],
            &[(0, 3), (0, 7)],
            &[(0, 7), (1, 7)],
            &[(0, 8)],
            &[(0, 0), (0, 7)],
            &[(3, 7), (0, 3)],
            &[],
        ];
        for places in refused {
            assert_eq!(of("one two", places), None, "{places:?}");
        }
        assert_eq!(of("one two", &[(0, 3), (4, 7)]), Some(2));
        assert_eq!(of("one two", &[(0, 5), (2, 7)]), Some(2));
        assert_eq!(of(" \n", &[]), Some(0));
        assert_eq!(of("ab", &[(0, 1), (1, 5)]), None);
        assert_eq!(of("ab", &[(0, 1), (9, 10)]), None);
    }
}
