//! Half characters in JSON: `\ud83d` without the `\ude00` that makes an emoji of it. JSON allows them, and no text can have them.

use std::borrow::Cow;
use std::ops::Range;

/// The first half character of a JSON text, as it is written.
pub fn lone(json: &str) -> Option<String> {
    find(json, 0).map(|range| json[range].to_string())
}

/// The text with U+FFFD for half characters.
pub fn replaced(json: &str) -> Cow<'_, str> {
    let (mut replaced, mut done) = (String::new(), 0);
    while let Some(range) = find(json, done) {
        replaced.push_str(&json[done..range.start]);
        replaced.push_str("\\ufffd");
        done = range.end;
    }
    match done {
        0 => Cow::Borrowed(json),
        _ => Cow::Owned(replaced + &json[done..]),
    }
}

/// The first half character from a place on that is not within an escape.
fn find(json: &str, from: usize) -> Option<Range<usize>> {
    let bytes = json.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at = match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at + 12,
            (Some(0xd800..=0xdfff), _) => return Some(at..at + 6),
            (Some(_), _) => at + 6,
            // Another escape.
            (None, _) => at + 2,
        };
    }
    None
}

/// The UTF-16 code unit of the escape `\uXXXX` at a place.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_found() {
        for (json, expected, whole) in [
            (r#""pump \ud83d""#, Some(r"\ud83d"), r#""pump \ufffd""#),
            (r#""\uDE00\uD83D\uD83D\uDE00\ud83dx""#, Some(r"\uDE00"), r#""\ufffd\ufffd\uD83D\uDE00\ufffdx""#),
            (r#""\ud83d\ude00""#, None, r#""\ud83d\ude00""#),
            (r#""\\ud83d \\\ud83d""#, Some(r"\ud83d"), r#""\\ud83d \\\ufffd""#),
            (r#""\n\ud83d\n\ude00""#, Some(r"\ud83d"), r#""\n\ufffd\n\ufffd""#),
            (r#""é\u00e9""#, None, r#""é\u00e9""#),
            (r#"{"\udfff": 1}"#, Some(r"\udfff"), r#"{"\ufffd": 1}"#),
            (r#""\u+123""#, None, r#""\u+123""#),
            ("\\", None, "\\"),
            ("\\u12", None, "\\u12"),
            ("\\ué", None, "\\ué"),
        ] {
            assert_eq!((lone(json).as_deref(), replaced(json).as_ref()), (expected, whole), "{json}");
        }
    }

    #[test]
    fn what_is_replaced_can_be_read() {
        let parts = [r"\ud83d", r"\ude00", r"\\", r"\n", "a", "é", r"\ud83d\ude00"];
        for number in 0..7_usize.pow(5) {
            let text: String = (0..5).map(|place| parts[number / 7_usize.pow(place) % 7]).collect();
            let json = format!("\"{text}\"");
            assert_eq!(lone(&json).is_none(), serde_json::from_str::<String>(&json).is_ok(), "{json}");
            assert!(serde_json::from_str::<String>(&replaced(&json)).is_ok(), "{json}");
        }
    }
}
