//! Whether bytes are text.

/// An encoding with units of more than one byte, and the length of its byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// UTF-16.
    Utf16 {
        /// Whether the first byte of a unit is the high one.
        big: bool,
        /// The length of the byte order mark.
        mark: usize,
    },
    /// UTF-32.
    Utf32 {
        /// Whether the first byte of a unit is the high one.
        big: bool,
        /// The length of the byte order mark.
        mark: usize,
    },
}

/// How many bytes are examined to find out whether they are UTF-16 or UTF-32.
const SAMPLE: usize = 4096;

/// Whether bytes are text: UTF-16 or UTF-32, or with hardly any control characters. A tenth of the bytes of a
/// compressed file are control characters, and no encoding of text uses more than the few that are left out here.
pub fn is_text(bytes: &[u8]) -> bool {
    let odd = |byte: &&u8| byte.is_ascii() && is_odd(char::from(**byte));
    wide(bytes).is_some() || bytes.iter().filter(odd).count() * 50 <= bytes.len()
}

/// Whether bytes are UTF-16 or UTF-32: with a mark, or, without one, valid and with NUL where ASCII has them.
pub fn wide(bytes: &[u8]) -> Option<Wide> {
    let known = match bytes {
        [0xFF, 0xFE, 0, 0, ..] if bytes.len().is_multiple_of(4) => Wide::Utf32 { big: false, mark: 4 },
        [0, 0, 0xFE, 0xFF, ..] => Wide::Utf32 { big: true, mark: 4 },
        [0xFF, 0xFE, ..] => Wide::Utf16 { big: false, mark: 2 },
        [0xFE, 0xFF, ..] => Wide::Utf16 { big: true, mark: 2 },
        _ => return guess_wide(bytes),
    };
    let sample = &bytes[..bytes.len().min(SAMPLE) / 4 * 4];
    is_plausible(&decode_wide(sample, known)).then_some(known)
}

fn guess_wide(bytes: &[u8]) -> Option<Wide> {
    let sample = &bytes[..bytes.len().min(SAMPLE) / 4 * 4];
    let mut nuls = [0usize; 4];
    for unit in sample.chunks_exact(4) {
        for (count, byte) in nuls.iter_mut().zip(unit) {
            *count += usize::from(*byte == 0);
        }
    }
    let max = |count: usize| count * 4 * 10 > sample.len() * 7;
    let few = |count: usize| count * 4 * 10 < sample.len();
    let found = match nuls {
        [a, b, c, d] if few(a) && max(b) && max(c) && max(d) => Wide::Utf32 { big: false, mark: 0 },
        [a, b, c, d] if max(a) && max(b) && max(c) && few(d) => Wide::Utf32 { big: true, mark: 0 },
        [a, b, c, d] if few(a) && max(b) && few(c) && max(d) => Wide::Utf16 { big: false, mark: 0 },
        [a, b, c, d] if max(a) && few(b) && max(c) && few(d) => Wide::Utf16 { big: true, mark: 0 },
        _ => return None,
    };
    is_plausible(&decode_wide(sample, found)).then_some(found)
}

/// Whether a sample of decoded text looks like text: a binary file that has a mark by chance does not.
fn is_plausible(text: &str) -> bool {
    let is_wrong = |c: &char| *c == char::REPLACEMENT_CHARACTER || is_odd(*c);
    text.chars().filter(is_wrong).count() * 50 <= text.chars().count() + 50
}

/// Whether a character is a control character that texts hardly have: all but white space, backspace, escape, and the end of
/// files of DOS.
fn is_odd(c: char) -> bool {
    c.is_control() && !c.is_whitespace() && !matches!(c, '\u{8}' | '\u{1A}' | '\u{1B}')
}

/// Decodes UTF-16 or UTF-32 without the byte order mark. What is invalid becomes U+FFFD.
pub fn decode_wide(bytes: &[u8], wide: Wide) -> String {
    let (Wide::Utf16 { mark, .. } | Wide::Utf32 { mark, .. }) = wide;
    let bytes = bytes.get(mark..).unwrap_or_default();
    let number = |n: u32, b: &u8| n << 8 | u32::from(*b);
    let value = |unit: &[u8], big| {
        if big { unit.iter().fold(0, number) } else { unit.iter().rev().fold(0, number) }
    };
    match wide {
        Wide::Utf16 { big, .. } => {
            // Half a unit at the end becomes a surrogate, which is invalid alone.
            let units = bytes.chunks(2).map(|unit| match unit.len() {
                2 => value(unit, big) as u16,
                _ => 0xD800,
            });
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        Wide::Utf32 { big, .. } => bytes
            .chunks(4)
            .map(|unit| Some(value(unit, big)).filter(|_| unit.len() == 4).and_then(char::from_u32))
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    }
}
