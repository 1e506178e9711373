//! Files that are given to the program, and standard input in place of one.

use std::fmt;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::{Failure, Result};

/// In place of a file: standard input.
const STANDARD_INPUT: &str = "-";

/// Reads a text.
///
/// # Errors
/// Status 2 if the file cannot be read, is too large, or is not UTF-8.
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

/// The name of the file, for messages.
pub fn shown(path: &Path) -> String {
    match path.as_os_str() == STANDARD_INPUT {
        true => "standard input".to_string(),
        false => format!("\"{}\"", path.display()),
    }
}

/// Reads JSON in which no key is there twice. serde_json limits the nesting, at 128.
pub fn json(text: &str) -> serde_json::Result<Value> {
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
    use proptest::prelude::*;
    use serde_json::json;

    use super::json as read;
    use super::*;

    proptest! {
        #[test]
        fn json_is_read_as_serde_json_reads_it(texts in prop::collection::vec("\\PC{0,8}", 0..6), number in any::<f64>()) {
            let value = json!({"texts": texts, "number": number, "inner": [{"null": null, "int": -1, "big": u64::MAX}]});
            prop_assert_eq!(read(&value.to_string()).unwrap(), serde_json::from_str::<Value>(&value.to_string()).unwrap());
        }
    }
}
