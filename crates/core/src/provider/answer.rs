//! Reads JSON that holds vectors.

use super::Fault;
use super::said::Said;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use std::fmt;

/// Servers differ in whether they pad base64.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads a body and what `take` finds in it. An error in place of vectors takes precedence over any other
/// fault.
///
/// Nesting is limited by serde_json, at 128.
pub fn read<T: DeserializeOwned, A>(
    body: &[u8],
    take: impl FnOnce(T) -> Result<A, Fault>,
) -> Result<A, Fault> {
    let answer = parse(body).and_then(take);
    answer.map_err(|fault| match Said::in_json(body) {
        Some(said) => Fault::ErrorInside(said.message),
        None => fault,
    })
}

/// Python's NaN and Infinity, and numbers beyond 64 bits, are no JSON: they count as null, which concerns one vector.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(body).or_else(|error| {
        let fault = not_read(&error, body);
        match fault {
            Fault::NotFinite(_) => {
                serde_json::from_slice(&finite(body)).map_err(|error| match error.classify() {
                    Category::Data => Fault::NotAsDocumented(error.to_string()),
                    _ => fault,
                })
            }
            _ => Err(fault),
        }
    })
}

/// The same JSON with null in place of numbers that are not finite.
fn finite(body: &[u8]) -> Vec<u8> {
    let mut finite = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(&first) = rest.first() {
        let length = match first {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' | b'I' | b'N' => {
                let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                rest.iter().take_while(is_part).count()
            }
            _ => 1,
        };
        let (token, after) = rest.split_at(length.max(1));
        let is_finite = length == 1 || first == b'"' || number(token).is_none_or(f64::is_finite);
        finite.extend_from_slice(if is_finite { token } else { b"null" });
        rest = after;
    }
    finite
}

/// The length of a string of JSON at the beginning of some bytes, with its quotation marks.
fn string_length(bytes: &[u8]) -> usize {
    let mut is_escaped = true;
    for (place, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    bytes.len()
}

fn number(token: &[u8]) -> Option<f64> {
    str::from_utf8(token).ok()?.parse().ok()
}

fn not_read(error: &serde_json::Error, body: &[u8]) -> Fault {
    let text = || Said::read(body.get(..4096).unwrap_or(body)).message;
    match error.classify() {
        Category::Data => Fault::NotAsDocumented(error.to_string()),
        // The text of a float that is not finite as Python prints it, or a number beyond 64 bits.
        _ if is_not_finite(error, body) => Fault::NotFinite(None),
        Category::Eof if body.iter().all(u8::is_ascii_whitespace) => Fault::NotJson("it is empty".to_owned()),
        Category::Eof => cut(body),
        // The body may end inside what would have become a number.
        _ if is_begun(body) && place(error, body) >= body.len() => cut(body),
        Category::Io | Category::Syntax if is_begun(body) => Fault::NotJson(error.to_string()),
        Category::Io | Category::Syntax => Fault::NotJson(text()),
    }
}

fn is_begun(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start(), [b'{' | b'[', ..])
}

fn cut(body: &[u8]) -> Fault {
    Fault::Cut(body.len())
}

/// The place of an error in the body; serde_json counts lines and bytes from 1.
fn place(error: &serde_json::Error, body: &[u8]) -> usize {
    let line = body.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
    line.map(<[u8]>::len).sum::<usize>() + error.column()
}

fn is_not_finite(error: &serde_json::Error, body: &[u8]) -> bool {
    let place = place(error, body);
    let near = body.get(place.saturating_sub(2)..body.len().min(place + 8)).unwrap_or_default();
    let holds = |word: &[u8]| near.windows(word.len()).any(|window| window == word);
    holds(b"NaN") || holds(b"Infinit") || error.to_string().starts_with("number out of range")
}

/// A vector: an array of numbers, or base64 of little-endian 32-bit floats. Anything that is not a number
/// becomes NaN.
pub struct Numbers(pub Vec<f32>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumbersVisitor)
    }
}

struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of numbers or base64 of them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Numbers, A::Error> {
        let mut numbers = Vec::new();
        // Encoders without NaN write null.
        while let Some(number) = items.next_element::<Option<f32>>()? {
            numbers.push(number.unwrap_or(f32::NAN));
        }
        Ok(Numbers(numbers))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Numbers, E> {
        let bytes = BASE64.decode(text).map_err(|error| E::custom(format_args!("no base64: {error}")))?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom(format_args!("{} bytes in base64 are no 32-bit floats", bytes.len())));
        }
        Ok(Numbers(numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()))
    }
}

/// A number of tokens; some servers write it with a decimal point. Anything else is ignored.
pub fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|&count| count >= 0.0).map(|count| count as u64))
}
