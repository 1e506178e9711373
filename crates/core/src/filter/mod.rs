//! Filters by metadata, as JSON.

pub mod condition;
pub mod invalid;
pub mod parse;
pub mod remark;
pub mod time;
mod value;

/// The first key that begins with `$`, at any level, as operators of other query languages do. `json` is text as
/// PostgreSQL writes jsonb. It may be nested to any depth, so it is scanned, not parsed.
pub fn operator_key(json: &str) -> Option<String> {
    let mut rest = json;
    while let Some(open) = rest.find('"') {
        rest = &rest[open..];
        let (string, after) = rest.split_at(string_length(rest));
        // Only a key is followed by a colon.
        if string.starts_with("\"$") && after.starts_with(':') {
            return Some(serde_json::from_str(string).unwrap_or_else(|_| string.to_string()));
        }
        rest = after;
    }
    None
}

/// The length in bytes of the string literal at the start of `json`, with its quotes.
fn string_length(json: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn finds_keys_of_operators_only() {
        for (json, key) in [
            ("{}", None),
            (r#"{"team": "$support", "prices": ["$5", "$"], "us$": 1, "": "$x"}"#, None),
            (r#"{"a": "\"$in\": ", "b\"": ["{\"$in\": 1}"]}"#, None),
            (r#"{"$or": []}"#, Some("$or")),
            (r#"{"": {"a": [1, [{"b": null, "$gt": 5}]]}}"#, Some("$gt")),
            (r#"{"a": "\\", "$": 1}"#, Some("$")),
            (r#"{"$a\"\\ü": 1}"#, Some("$a\"\\ü")),
            (r#"{"$broken"#, None),
        ] {
            assert_eq!(operator_key(json).as_deref(), key, "{json}");
        }
    }

    #[test]
    fn looks_at_any_depth() {
        let nested =
            |key: &str| "{\"a\": ".repeat(100_000) + &format!("{{\"{key}\": 1}}") + &"}".repeat(100_000);
        assert_eq!(operator_key(&nested("$in")).as_deref(), Some("$in"));
        assert_eq!(operator_key(&nested("in")), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let text = "[$\":a\\\\ {},é]{0,4}";
        let leaf =
            prop_oneof![Just(Value::Null), any::<i32>().prop_map(Value::from), text.prop_map(Value::from)];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((text, inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn has_operator(value: &Value) -> bool {
        match value {
            Value::Array(items) => items.iter().any(has_operator),
            Value::Object(members) => {
                members.iter().any(|(key, value)| key.starts_with('$') || has_operator(value))
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_parser(value in any_json()) {
            prop_assert_eq!(operator_key(&value.to_string()).is_some(), has_operator(&value));
            prop_assert_eq!(operator_key(&json!({ "key": &value }).to_string()).is_some(), has_operator(&value));
        }
    }
}
