//! Files of manifests and conversations, in YAML or JSON.

use std::path::Path;

use serde_json::Value;

use super::yaml;
use crate::error::{Failure, Result};
use crate::input::{json, shown, text};

/// The largest manifest.
pub const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// The largest conversation.
pub const MAX_MESSAGES_BYTES: u64 = 16 << 20;

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

#[cfg(test)]
mod tests {
    use std::fs;

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
}
