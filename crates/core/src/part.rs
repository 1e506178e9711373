//! The part of a document that a chat model reads with one call: a whole one could fill the model's context, or be more than its
//! client takes.

use serde::Serialize;
use unicode_segmentation::GraphemeCursor;

/// How many characters a call gets that does not ask for another number.
pub const DEFAULT_CHARS: i64 = 20_000;
/// The most characters that a call may ask for. Clients of the Model Context Protocol take 1 MiB, in which a result has its text
/// twice, and each character has at most 13 bytes.
pub const MAX_CHARS: i64 = 50_000;
/// The largest offset. No text of PostgreSQL is longer.
pub const MAX_OFFSET: i64 = 1 << 30;

/// Which part to read, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// From 0 to [`MAX_OFFSET`].
    pub offset: i64,
    /// From 1 to [`MAX_CHARS`].
    pub max_chars: i64,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Part<'a> {
    /// What it says.
    #[serde(skip)]
    pub text: &'a str,
    /// How many characters are before it.
    pub offset: usize,
    /// How many characters it has.
    pub chars: usize,
    /// How many characters the whole text has.
    pub total_chars: usize,
    /// The offset of the next part; None at the end.
    pub next_offset: Option<usize>,
}

/// A part of a text, which ends at a character as a reader sees it. The error says that nothing is there.
pub fn part(text: &str, range: Range) -> Result<Part<'_>, String> {
    let total_chars = text.chars().count();
    let offset = usize::try_from(range.offset).unwrap_or(usize::MAX);
    if offset > 0 && offset >= total_chars {
        return Err(format!(
            "offset {offset} is beyond the end of the document, which has {total_chars} characters"
        ));
    }
    let rest = &text[at(text, offset)..];
    let text = &rest[..end(rest, usize::try_from(range.max_chars).unwrap_or(0).max(1))];
    let chars = text.chars().count();
    let next_offset = Some(offset + chars).filter(|next| *next < total_chars);
    Ok(Part { text, offset, chars, total_chars, next_offset })
}

/// The byte at which a character begins, or the end.
fn at(text: &str, char: usize) -> usize {
    text.char_indices().nth(char).map_or(text.len(), |(byte, _)| byte)
}

/// Where the first `chars` characters end, or before: not within a letter and its accents, or an emoji of several characters,
/// unless that is all.
fn end(text: &str, chars: usize) -> usize {
    let end = at(text, chars);
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    if matches!(cursor.is_boundary(text, 0), Ok(true) | Err(_)) {
        return end;
    }
    match cursor.prev_boundary(text, 0) {
        Ok(Some(before)) if before > 0 => before,
        _ => end,
    }
}

impl Part<'_> {
    /// Whether it is the whole text.
    pub fn is_whole(&self) -> bool {
        self.offset == 0 && self.next_offset.is_none()
    }

    /// The line that says what is left out, and how to read on.
    pub fn note(&self) -> String {
        let (offset, end, total) = (self.offset, self.offset + self.chars, self.total_chars);
        match self.next_offset {
            Some(next) => format!(
                "[Characters {offset} to {end} of {total}; {} more follow. To read on, call again with \"offset\": {next}.]",
                total - end
            ),
            None => format!("[Characters {offset} to {end} of {total}. This is the end of the document.]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, offset: i64, max_chars: i64) -> Result<Part<'_>, String> {
        part(text, Range { offset, max_chars })
    }

    #[test]
    fn parts_say_how_to_read_on() {
        let first = read("Grüße aus Köln", 0, 5).unwrap();
        assert_eq!((first.text, first.next_offset, first.is_whole()), ("Grüße", Some(5), false));
        assert_eq!(
            first.note(),
            "[Characters 0 to 5 of 14; 9 more follow. To read on, call again with \"offset\": 5.]"
        );
        let last = read("Grüße aus Köln", 10, 5).unwrap();
        assert_eq!((last.text, last.next_offset, last.is_whole()), ("Köln", None, false));
        assert_eq!(last.note(), "[Characters 10 to 14 of 14. This is the end of the document.]");
        let whole = read("Köln", 0, 4).unwrap();
        assert_eq!((whole.text, whole.is_whole()), ("Köln", true));
        assert!(read("", 0, 1).unwrap().is_whole());
    }

    #[test]
    fn beyond_the_end_is_nothing() {
        for (text, offset) in [("Köln", 4), ("Köln", MAX_OFFSET), ("", 1)] {
            let error = read(text, offset, 1).unwrap_err();
            assert!(error.contains(&format!("offset {offset} is beyond")), "{error}");
            assert!(error.ends_with(&format!("{} characters", text.chars().count())), "{error}");
        }
    }

    #[test]
    fn characters_of_several_are_not_cut() {
        // A letter with an accent of its own, a family of four, a flag.
        for (text, max_chars, expected) in [
            ("ae\u{301}b", 2, "a"),
            ("ae\u{301}b", 3, "ae\u{301}"),
            ("a👨\u{200d}👩\u{200d}👧b", 4, "a"),
            ("a\r\nb", 2, "a"),
            ("🇩🇪🇫🇷", 3, "🇩🇪"),
            ("🇩🇪🇫🇷", 1, "🇩"),
            ("e\u{301}\u{301}\u{301}", 2, "e\u{301}"),
        ] {
            assert_eq!(read(text, 0, max_chars).unwrap().text, expected, "{text:?} {max_chars}");
        }
    }

    proptest! {
        /// Whoever follows the offsets reads all, once.
        #[test]
        fn the_parts_are_the_text(text in "(\\PC|\\r\\n|e\u{301}{0,5}|🇩🇪|👨\u{200d}👩|[a-z ]{0,9}){0,40}", max_chars in 1_i64..60) {
            let (mut read_so_far, mut offset) = (String::new(), Some(0));
            while let Some(next) = offset {
                let part = read(&text, next as i64, max_chars).unwrap();
                prop_assert!(part.chars <= max_chars as usize && part.chars == part.text.chars().count());
                prop_assert_eq!((part.offset, part.total_chars), (next, text.chars().count()));
                prop_assert!(part.next_offset.is_none_or(|after| after > next));
                read_so_far += part.text;
                offset = part.next_offset;
            }
            prop_assert_eq!(read_so_far, text);
        }
    }
}
