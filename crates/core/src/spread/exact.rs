//! Numbers and bytes in JSON, without loss.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number as its shortest text that reads as the same one: a JSON number may be read as a neighbor, and is never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exact(pub f64);

/// Floats as the hexadecimal digits of their bytes, the least significant first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Floats(pub Vec<f32>);

/// Bytes as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:?}", self.0))
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer, "a number as text", |text| text.parse().ok().map(Exact))
    }
}

impl Serialize for Floats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(self.0.iter().flat_map(|float| float.to_le_bytes())))
    }
}

impl<'de> Deserialize<'de> for Floats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer, "floats in hexadecimal digits", |text| {
            let bytes = bytes(text)?;
            let (floats, rest) = bytes.as_chunks::<4>();
            rest.is_empty().then(|| Floats(floats.iter().map(|float| f32::from_le_bytes(*float)).collect()))
        })
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(self.0.iter().copied()))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer, "bytes in hexadecimal digits", |text| bytes(text).map(Bytes))
    }
}

/// Two digits a byte.
pub(super) fn hex(bytes: impl Iterator<Item = u8>) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

/// The bytes of such digits. None for other text.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// Reads a string by `read`.
pub(super) fn from_text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &'static str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Text { expected, read })
}

struct Text<F> {
    expected: &'static str,
    read: F,
}

impl<T, F: Fn(&str) -> Option<T>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).ok_or_else(|| E::custom(format!("expected {}", self.expected)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_and_vectors_come_back(bits in any::<u64>(), floats in prop::collection::vec(any::<u32>(), 0..9)) {
            let number = f64::from_bits(bits);
            let text = serde_json::to_string(&Exact(number)).unwrap();
            let Exact(back) = serde_json::from_str(&text).unwrap();
            prop_assert!(back.to_bits() == bits || number.is_nan() && back.is_nan(), "{text}");
            let floats = Floats(floats.into_iter().map(f32::from_bits).collect());
            let back: Floats = serde_json::from_str(&serde_json::to_string(&floats).unwrap()).unwrap();
            let bits = |floats: &Floats| floats.0.iter().map(|float| float.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&back), bits(&floats));
        }
    }

    #[test]
    fn other_text_is_an_error() {
        assert!(serde_json::from_str::<Exact>("1.5").is_err());
        assert!(serde_json::from_str::<Exact>("\"x\"").is_err());
        assert!(serde_json::from_str::<Floats>("\"0000803\"").is_err());
        assert!(serde_json::from_str::<Floats>("\"00008g3f\"").is_err());
        assert!(serde_json::from_str::<Floats>("\"0000\"").is_err());
        assert!(serde_json::from_str::<Bytes>("\"0é\"").is_err());
        assert_eq!(serde_json::from_str::<Floats>("\"0000803f\"").unwrap(), Floats(vec![1.0]));
    }
}
