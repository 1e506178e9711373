//! Google's Gemini API.

use super::answer::{self, Numbers};
use super::{Batch, Call, Fault, Input, Kind, Reading, facts, vector};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

pub fn request(batch: &Batch) -> Call {
    let name = batch.model.strip_prefix("models/").unwrap_or(batch.model);
    let task = match batch.input {
        Input::Query => "RETRIEVAL_QUERY",
        Input::Document => "RETRIEVAL_DOCUMENT",
    };
    let asked = facts::asked(Kind::Google, batch);
    // A model with prefixes recognizes its task by them.
    let by_prefix = !Kind::Google.facts(name).prefix(batch.input).is_empty();
    let requests = facts::prefixed(Kind::Google, batch).into_iter().map(|text| {
        let mut request = json!({
            "model": format!("models/{name}"),
            "content": { "parts": [{ "text": text }] },
        });
        if !by_prefix {
            request["taskType"] = task.into();
        }
        if let Some(dimensions) = asked {
            request["outputDimensionality"] = dimensions.into();
        }
        request
    });
    let body = json!({ "requests": requests.collect::<Vec<_>>() });
    Call {
        path: format!("/models/{}:batchEmbedContents", escaped(name)),
        body: body.to_string().into_bytes(),
    }
}

/// A name as one segment of a path, whatever characters it contains.
fn escaped(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path
}

#[derive(Deserialize)]
struct Body {
    embeddings: Vec<Embedding>,
    #[serde(default, rename = "usageMetadata")]
    usage: Value,
}

#[derive(Deserialize)]
struct Embedding {
    values: Numbers,
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    answer::read(body, |Body { embeddings, usage }| {
        let vectors = embeddings.into_iter().map(|embedding| embedding.values.0).collect();
        let vectors = vector::check(vectors, batch, facts::asked(Kind::Google, batch))?;
        Ok(Reading { vectors, tokens: answer::count(&usage["promptTokenCount"]) })
    })
}
