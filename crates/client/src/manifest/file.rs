//! Files of manifests and conversations, in YAML or JSON.

use std::fmt;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::yaml;
use crate::error::{Failure, Result};

/// The largest manifest.
pub const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// The largest conversation.
pub const MAX_MESSAGES_BYTES: u64 = 16 << 20;

/// In place of a file: standard input.
const STANDARD_INPUT: &str = "-";

/// Reads a manifest.
///
/// # Errors
/// Status 2 if the file cannot be read, or is not what it should be.
pub fn manifest(path: &Path) -> Result<Value> {
    let text = text(path, "manifest", MAX_MANIFEST_BYTES)?;
    // A program that writes JSON may escape what YAML cannot: halves of surrogate pairs.
    let json = json(&text);
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    match (json, is_json) {
        (Ok(value), _) => Ok(value),
        (Err(why), true) => Err(Failure::usage(format!("{} is not JSON: {why}", shown(path)))),
        (Err(_), false) => yaml::read(&text).map_err(|fault| {
            Failure::usage(format!("{} is not a manifest in YAML or JSON: {fault}", shown(path)))
        }),
    }
}

/// Reads JSON.
///
/// # Errors
/// As [`manifest`].
pub fn messages(path: &Path) -> Result<Value> {
    let text = text(path, "conversation", MAX_MESSAGES_BYTES)?;
    json(&text).map_err(|why| {
        Failure::usage(format!("{} is not JSON: {why}", shown(path))).hint(
            "Give an array of objects with role and content, as [{\"role\": \"user\", \"content\": \"…\"}].",
        )
    })
}

/// Reads a text.
///
/// # Errors
/// As [`manifest`].
pub fn text(path: &Path, what: &str, max: u64) -> Result<String> {
    let failed = |why: &dyn fmt::Display| Failure::usage(format!("{} cannot be read: {why}", shown(path)));
    let mut bytes = Vec::new();
    let read = match path.as_os_str() == STANDARD_INPUT {
        true => stdin().lock().take(max + 1).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(max + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| failed(&error))?;
    if bytes.len() as u64 > max {
        return Err(Failure::usage(format!("{} is too large for a {what}", shown(path)))
            .hint(format!("Use at most {max} bytes.")));
    }
    String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8"))
}

/// Whether both are standard input, which can be read once.
pub fn is_same_input(one: &Path, other: &Path) -> bool {
    [one, other].iter().all(|path| path.as_os_str() == STANDARD_INPUT)
}

fn shown(path: &Path) -> String {
    match path.as_os_str() == STANDARD_INPUT {
        true => "standard input".to_string(),
        false => format!("\"{}\"", path.display()),
    }
}

/// Reads JSON in which no key is there twice. serde_json limits the nesting, at 128.
fn json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map(|Unambiguous(value)| value)
}

/// A value in which no key is there twice.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Unambiguous, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Unambiguous)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if all.contains_key(&key) {
                return Err(A::Error::custom(format!("the key \"{key}\" is there twice")));
            }
            let Unambiguous(value) = members.next_value()?;
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(name: &str, text: &[u8]) -> std::result::Result<Value, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        manifest(&path).map_err(|failure| {
            assert_eq!(failure.status, 2);
            failure.message.replace(&directory.path().display().to_string(), "")
        })
    }

    #[test]
    fn yaml_and_json_are_told_apart() {
        let expected = Ok(json!({"a": "😀"}));
        assert_eq!(read("a.yaml", "a: 😀".as_bytes()), expected);
        assert_eq!(read("a.yaml", br#"{"a": "\ud83d\ude00"}"#), expected);
        assert_eq!(read("a.json", "\u{feff}{\"a\": \"😀\"}".as_bytes()), expected);
        assert_eq!(read("a.yaml", b"{a: 1}"), Ok(json!({"a": 1})));
        for (name, text, said) in [
            ("a.json", &b"{a: 1}"[..], "is not JSON: key must be a string"),
            ("a.json", b"{\"a\": 1, \"a\": 2}", "the key \"a\" is there twice"),
            ("a.yaml", b"{\"a\": 1, \"a\": 2}", "line 1, column 10: the key \"a\" is there twice"),
            ("a.yaml", b"a: [", "\"/a.yaml\" is not a manifest in YAML or JSON: line"),
            ("a.yaml", b"a: \xff", "is not UTF-8"),
        ] {
            let why = read(name, text).unwrap_err();
            assert!(why.contains(said), "{why}");
        }
        let large = vec![b' '; MAX_MANIFEST_BYTES as usize + 1];
        assert!(read("a.yaml", &large).unwrap_err().contains("too large for a manifest"));
        assert!(manifest(Path::new("/nowhere")).unwrap_err().message.contains("cannot be read"));
    }

    proptest! {
        #[test]
        fn json_is_read_as_serde_json_reads_it(texts in prop::collection::vec("\\PC{0,8}", 0..6), number in any::<f64>()) {
            let value = json!({"texts": texts, "number": number, "inner": [{"null": null, "int": -1, "big": u64::MAX}]});
            prop_assert_eq!(json(&value.to_string()).unwrap(), serde_json::from_str::<Value>(&value.to_string()).unwrap());
        }
    }
}
