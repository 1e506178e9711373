//! The encoding of text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use kb_rag_core::file_kind::{decode_wide, wide};

use super::normalize;

/// Decodes text. Lines end with `\n`; NUL and byte order marks are removed.
///
/// In this order decide: a byte order mark, the declared encoding (a label of the Encoding Standard such as "latin1"), UTF-8
/// if the bytes are valid UTF-8, UTF-16 or UTF-32 without a mark if half or more of the bytes are NUL in its places, and what
/// the detector of Firefox guesses. A declared encoding in which the bytes are invalid is ignored, and so is one of single
/// bytes, which no byte contradicts, if the bytes are UTF-8 and not ASCII: servers declare Latin-1 out of habit. Text
/// that is UTF-8 but for a few bytes stays UTF-8, with U+FFFD in their place.
pub fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    normalize(decode_only(bytes, declared))
}

fn decode_only<'a>(bytes: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return without_mark(rest);
    }
    let declared = declared.and_then(|label| Encoding::for_label_no_replacement(label.trim().as_bytes()));
    if let Some(wide) = wide(bytes) {
        return Cow::Owned(decode_wide(bytes, wide));
    }
    let utf_8 = std::str::from_utf8(bytes);
    let ascii = utf_8.is_ok() && bytes.is_ascii();
    if let Some(encoding) = declared.filter(|encoding| *encoding != UTF_8)
        && !(utf_8.is_ok() && !ascii && encoding.is_single_byte())
        && let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes)
        && !text.contains('\0')
    {
        return text;
    }
    match utf_8 {
        // ISO-2022-JP is ASCII with escapes.
        Ok(text) if !(ascii && memchr::memmem::find(bytes, b"\x1B$").is_some()) => Cow::Borrowed(text),
        _ if mostly_utf_8(bytes) => String::from_utf8_lossy(bytes),
        _ => {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
            detector.feed(bytes, true);
            let guess = detector.guess(None, Utf8Detection::Allow);
            guess
                .decode_without_bom_handling_and_without_replacement(bytes)
                .unwrap_or_else(|| WINDOWS_1252.decode_without_bom_handling(bytes).0)
        }
    }
}

/// The rest after a mark, which may be followed by another, if two programs added one.
fn without_mark(rest: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(rest) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches('\u{FEFF}')),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches('\u{FEFF}').to_owned()),
    }
}

/// Whether at least ten characters of two bytes or more are UTF-8 for each place that is not.
fn mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().bytes().filter(|b| *b >= 0xC0).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    invalid > 0 && valid >= 10 * invalid
}

/// The charset of a MIME type, such as "utf-8" in `text/html; charset="utf-8"`.
pub fn charset(mime_type: &str) -> Option<&str> {
    mime_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    }

    fn utf_32(text: &str, big: bool) -> Vec<u8> {
        text.chars()
            .map(|c| c as u32)
            .flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() })
            .collect()
    }

    #[test]
    fn decodes_unicode() {
        let text = "Grüße, 世界 🌍! The rest is mostly ASCII, as text with markup is.\nSo.\n";
        assert_eq!(decode(text.as_bytes(), None), text);
        assert_eq!(decode(format!("\u{feff}\u{feff}{text}").as_bytes(), None), text);
        for big in [false, true] {
            for (bytes, mark) in
                [(utf_16(text, big), utf_16("\u{feff}", big)), (utf_32(text, big), utf_32("\u{feff}", big))]
            {
                assert_eq!(decode(&bytes, None), text);
                assert_eq!(decode(&bytes, Some("utf-8")), text);
                assert_eq!(decode(&[mark, bytes].concat(), Some("latin1")), text);
            }
        }
        let russian = "Привет, мир";
        assert_eq!(decode(&[utf_16("\u{feff}", true), utf_16(russian, true)].concat(), None), russian);
        assert_eq!(decode(&[], None), "");
        assert_eq!(decode(b"\xFF\xFE", None), "");
    }

    #[test]
    fn decodes_what_is_declared_or_found() {
        let cyrillic =
            encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок, да выпей чаю").0;
        for (bytes, declared, expected) in [
            (b"caf\xe9".as_slice(), Some("iso-8859-1"), "café"),
            (b"caf\xe9 au lait", None, "café au lait"),
            (b"caf\xe9 au lait", Some("utf-8"), "café au lait"),
            (b"caf\xe9 au lait", Some("no such encoding"), "café au lait"),
            ("café".as_bytes(), Some("latin1"), "café"),
            (b"\x93so\x94 \x80 5", Some("iso-8859-1"), "“so” € 5"),
            (&cyrillic, None, "Съешь же ещё этих мягких французских булок, да выпей чаю"),
            (b"\x83n\x83\x8d\x81[", Some("shift_jis"), "ハロー"),
            (b"\x1b$B$3$s$K$A$O\x1b(B", Some("iso-2022-jp"), "こんにちは"),
            (b"\x1b$B$3$s$K$A$O@$3&\x1b(B", None, "こんにちは世界"),
            (b"a\0b", None, "ab"),
        ] {
            assert_eq!(decode(bytes, declared), expected, "{declared:?}");
        }
    }

    #[test]
    fn keeps_utf_8_with_a_wrong_byte() {
        let mut bytes = "äöü ÄÖÜ éèê çñ ß".repeat(3).into_bytes();
        bytes.push(0xC3);
        assert!(decode(&bytes, None).ends_with("ß\u{fffd}"));
        assert!(decode(&bytes, Some("utf-8")).starts_with("äöü"));
    }

    #[test]
    fn finds_charsets() {
        for (mime_type, expected) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html; boundary=x; CharSet = \"UTF-8\" ", Some("UTF-8")),
            ("text/html;charset=", None),
            ("text/html", None),
        ] {
            assert_eq!(charset(mime_type), expected, "{mime_type}");
        }
    }
}
