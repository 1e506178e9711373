//! Percent-encoding, in the one form in which equal URLs are equal texts (RFC 3986, section 6.2.2).

/// Encodes what neither is reserved in a URL nor needs no encoding, decodes what needs none, and writes the digits in
/// upper case. A `%` that begins no code becomes `%25`. The apostrophe is encoded too, since browsers do that in one part
/// of a URL and not in the other. The result is graphic ASCII, and its own normal form.
pub fn normalized(text: &[u8]) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let (byte, is_code, after) = match (first, code(after)) {
            (b'%', Some((byte, after))) => (byte, true, after),
            _ => (*first, false, after),
        };
        rest = after;
        if is_unreserved(byte) || !is_code && is_reserved(byte) {
            normal.push(char::from(byte));
        } else {
            push_code(&mut normal, byte);
        }
    }
    normal
}

/// A text as one segment of a path: all but unreserved characters is encoded.
pub fn segment(text: &str) -> String {
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) {
            segment.push(char::from(byte));
        } else {
            push_code(&mut segment, byte);
        }
    }
    segment
}

/// The text that a part of a URL encodes. None where it is not UTF-8.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = code(after).filter(|_| *first == b'%').unwrap_or((*first, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// The byte of two hexadecimal digits, and what follows them.
fn code(text: &[u8]) -> Option<(u8, &[u8])> {
    let ([high, low], rest) = text.split_first_chunk()?;
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some((digit(high)? << 4 | digit(low)?, rest))
}

fn push_code(text: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.push('%');
    for digit in [byte >> 4, byte & 15] {
        text.push(char::from(DIGITS[usize::from(digit)]));
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn normalizes() {
        for (text, normal) in [
            ("/a b", "/a%20b"),
            ("/%7euser/%c3%bc", "/~user/%C3%BC"),
            ("/ü", "/%C3%BC"),
            ("/a%2fb%41", "/a%2FbA"),
            ("/100%", "/100%25"),
            ("/%%341", "/%2541"),
            ("/%zz", "/%25zz"),
            ("/?q='a'|b&c=(*)", "/?q=%27a%27%7Cb&c=(*)"),
            ("", ""),
        ] {
            assert_eq!(normalized(text.as_bytes()), normal, "{text}");
        }
        assert_eq!(segment("a b/ü%"), "a%20b%2F%C3%BC%25");
        assert_eq!(decoded("a%20b%2F%c3%BC%"), Some("a b/ü%".to_owned()));
        assert_eq!(decoded("%ff"), None);
    }

    proptest! {
        #[test]
        fn is_its_own_normal_form(text in proptest::collection::vec(any::<u8>(), 0..60), codes in "[%0-9a-fA-F]{0,20}") {
            for text in [text.as_slice(), codes.as_bytes()] {
                let normal = normalized(text);
                prop_assert!(normal.bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert_eq!(normalized(normal.as_bytes()), normal);
            }
        }

        #[test]
        fn a_segment_decodes_to_its_text(text in any::<String>()) {
            prop_assert_eq!(decoded(&segment(&text)), Some(text));
        }
    }
}
