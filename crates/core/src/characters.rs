//! Places in UTF-8 text, counted in characters as PostgreSQL counts them.

use std::ops::Range;

/// How many bytes are counted at once; the compiler makes vector instructions of a block.
const BLOCK: usize = 256;

/// The most bytes of a character.
pub const MAX_BYTES: usize = 4;

/// The bytes of the characters in `range`, counted from 0, or of those of them that are there. `text` is valid UTF-8, but may end in
/// a character. Reads each byte once, in blocks.
pub fn part<'a>(text: &'a [u8], range: &Range<u32>) -> &'a [u8] {
    let (start, end) = (range.start as usize, range.end.max(range.start) as usize);
    let rest = &text[offset(text, start)..];
    &rest[..offset(rest, end - start)]
}

/// How many characters begin in a text.
pub fn count(text: &[u8]) -> usize {
    text.chunks(BLOCK).map(begun).sum()
}

/// The place of the character with this number, the length of the text if it has no such one.
fn offset(text: &[u8], number: usize) -> usize {
    let mut left = number;
    for (block, bytes) in text.chunks(BLOCK).enumerate() {
        let begun = begun(bytes);
        if left < begun {
            let within = bytes.iter().enumerate().filter(|(_, byte)| begins(**byte)).nth(left);
            return block * BLOCK + within.map_or(bytes.len(), |(at, _)| at);
        }
        left -= begun;
    }
    text.len()
}

fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| begins(**byte)).count()
}

/// Whether a byte is the first one of a character.
fn begins(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_are_clamped() {
        let text = "Größe".as_bytes();
        assert_eq!(part(text, &(2..4)), "öß".as_bytes());
        assert_eq!(part(text, &(3..99)), "ße".as_bytes());
        assert_eq!(part(text, &(5..9)), b"");
        assert_eq!(part(text, &Range { start: 3, end: 1 }), b"");
        assert_eq!(part(b"", &(0..1)), b"");
    }

    proptest! {
        #[test]
        fn parts_are_what_characters_say(text in "[a-c é知🙂]{0,900}", start in 0_u32..1000, length in 0_u32..1000) {
            let expected: String = text.chars().skip(start as usize).take(length as usize).collect();
            prop_assert_eq!(part(text.as_bytes(), &(start..start + length)), expected.as_bytes());
            prop_assert_eq!(count(text.as_bytes()), text.chars().count());
        }
    }
}
