//! Headers that are sent with every call to a provider. A key among them is given by a reference, so that the row may
//! be dumped. Not every key is recognized as one, so values are never shown.

use kb_rag_core::provider::carries_key;
use kb_rag_http::FRAMING_HEADERS;
use serde_json::Value;

use super::keys::KeyReference;
use crate::error::{Error, Result};

const MAX_HEADERS: usize = 32;
const MAX_NAME_BYTES: usize = 100;
const MAX_VALUE_BYTES: usize = 8192;

/// Headers that every call sends with its own value, besides those of the HTTP client.
pub const OF_EVERY_CALL: [&str; 2] = ["content-type", "accept"];

/// The longest word that may precede a reference.
const MAX_SCHEME_BYTES: usize = 20;

/// The value of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    /// This text.
    Text(String),
    /// A key, with an optional word before it, as in `Bearer secret:name`.
    Key { scheme: Option<String>, reference: KeyReference },
}

impl HeaderValue {
    /// A reference if the text is one, with or without a word before it.
    fn parse(text: &str) -> HeaderValue {
        let (scheme, word) = match text.split_once(' ') {
            Some((scheme, word)) => (Some(scheme), word),
            None => (None, text),
        };
        let is_scheme = |scheme: &str| {
            scheme.len() <= MAX_SCHEME_BYTES && scheme.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
        };
        match KeyReference::read(word) {
            Some(reference) if scheme.is_none_or(is_scheme) => {
                HeaderValue::Key { scheme: scheme.map(str::to_string), reference }
            }
            _ => HeaderValue::Text(text.to_string()),
        }
    }

    /// The value as users write it.
    pub fn text(&self) -> String {
        match self {
            HeaderValue::Text(text) => text.clone(),
            HeaderValue::Key { scheme, reference } => with_scheme(scheme.as_deref(), &reference.text()),
        }
    }

    /// The reference, if there is one.
    pub fn reference(&self) -> Option<&KeyReference> {
        match self {
            HeaderValue::Text(_) => None,
            HeaderValue::Key { reference, .. } => Some(reference),
        }
    }
}

/// A key with the word before it.
pub fn with_scheme(scheme: Option<&str>, key: &str) -> String {
    scheme.map_or_else(|| key.to_string(), |scheme| format!("{scheme} {key}"))
}

/// The headers of an object of strings, names in lower case. 22023 for anything else, and for a key that is not given
/// by a reference. The message quotes no value.
pub fn parse(json: &Value) -> Result<Vec<(String, HeaderValue)>> {
    let headers = read(json)?;
    let holds_key = |(name, value): &&(String, HeaderValue)| matches!(value, HeaderValue::Text(text) if carries_key(name, text));
    if let Some((name, _)) = headers.iter().find(holds_key) {
        return Err(Error::invalid(format!("header \"{name}\" holds a key"))
            .detail("Headers are dumped as they are.")
            .hint(format!(
                "Store the key with kb_secret_set(name, value, origin) and use secret:name, as in \
                 '{{\"{name}\": \"secret:name\"}}' or '{{\"{name}\": \"Bearer secret:name\"}}'."
            )));
    }
    let looks_like_reference = |text: &str| {
        text.split(' ').any(|word| ["secret:", "env:", "file:"].iter().any(|start| word.starts_with(start)))
    };
    match headers.iter().find(|(_, value)| matches!(value, HeaderValue::Text(text) if looks_like_reference(text))) {
        Some((name, _)) => Err(Error::invalid(format!("header \"{name}\" has an invalid key reference"))
            .hint("Use secret:name; superusers can also use env:NAME or file:/path. One word may precede the reference.")),
        None => Ok(headers),
    }
}

/// The headers of a row.
pub fn read(json: &Value) -> Result<Vec<(String, HeaderValue)>> {
    let Value::Object(members) = json else {
        return Err(bad("headers must be a JSON object"));
    };
    if members.len() > MAX_HEADERS {
        return Err(Error::limit(format!("too many headers: {}", members.len()))
            .hint(format!("Use at most {MAX_HEADERS}.")));
    }
    let mut headers: Vec<(String, HeaderValue)> = Vec::new();
    for (name, value) in members {
        let name = name.to_ascii_lowercase();
        if !is_name(&name) {
            return Err(bad("headers contains an invalid header name"));
        }
        let is_own = OF_EVERY_CALL.iter().chain(&FRAMING_HEADERS).any(|own| *own == name);
        if is_own || headers.iter().any(|(known, _)| *known == name) {
            return Err(bad(&format!("header \"{name}\" cannot be set")));
        }
        let value = value.as_str().filter(|value| is_value(value));
        let value = value.ok_or_else(|| bad(&format!("the value of header \"{name}\" is not valid")))?;
        headers.push((name, HeaderValue::parse(value)));
    }
    Ok(headers)
}

fn bad(message: &str) -> Error {
    Error::invalid(message)
        .hint("Example: '{\"OpenAI-Organization\": \"org-1\"}'. Values must be visible ASCII characters.")
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_value(value: &str) -> bool {
    value.len() <= MAX_VALUE_BYTES
        && value.trim() == value
        && value.bytes().all(|b| (b' '..=b'~').contains(&b))
}
