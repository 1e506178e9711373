//! Headers that go with every call to a provider. Their values may be keys: they are shown to nobody.

use serde_json::Value;

use crate::error::{Error, Result};

const MOST: usize = 32;
const LONGEST_NAME: usize = 100;
const LONGEST_VALUE: usize = 8192;

/// Those that say where a request goes, how long it is and how its body is to be read are the client's.
const OWN: [&str; 13] = [
    "host",
    "content-length",
    "content-type",
    "content-encoding",
    "accept",
    "transfer-encoding",
    "accept-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
];

/// The headers of an object of strings, names in lower case. 22023 for anything else; the message quotes no value.
pub fn read(json: &Value) -> Result<Vec<(String, String)>> {
    let Value::Object(members) = json else {
        return Err(bad("headers must be a JSON object"));
    };
    if members.len() > MOST {
        return Err(
            Error::limit(format!("there are {} headers", members.len())).hint(format!("Use at most {MOST}."))
        );
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in members {
        let name = name.to_ascii_lowercase();
        if !is_name(&name) {
            return Err(bad("headers has a name that HTTP does not allow"));
        }
        if OWN.contains(&name.as_str()) || headers.iter().any(|(known, _)| *known == name) {
            return Err(bad(&format!("header \"{name}\" cannot be set")));
        }
        let value = value.as_str().filter(|value| is_value(value));
        let value = value.ok_or_else(|| bad(&format!("the value of header \"{name}\" cannot be sent")))?;
        headers.push((name, value.to_string()));
    }
    Ok(headers)
}

fn bad(message: &str) -> Error {
    Error::invalid(message)
        .hint("For example '{\"OpenAI-Organization\": \"org-1\"}', values of visible ASCII characters.")
}

fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_value(value: &str) -> bool {
    value.len() <= LONGEST_VALUE && value.trim() == value && value.bytes().all(|b| (b' '..=b'~').contains(&b))
}
