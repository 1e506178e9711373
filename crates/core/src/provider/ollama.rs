//! Ollama's protocol.

use super::answer::{self, Numbers};
use super::{Batch, Call, Fault, Kind, Reading, facts, vector};
use serde::Deserialize;
use serde_json::{Value, json};

pub fn request(batch: &Batch) -> Call {
    let body = json!({
        "model": batch.model,
        "input": facts::prefixed(Kind::Ollama, batch),
        // A text that is too long must not be truncated silently.
        "truncate": false,
    });
    // It truncates vectors just as the caller does, so `dimensions`, which old servers ignore, would gain
    // nothing.
    Call { path: "/api/embed".to_owned(), body: body.to_string().into_bytes() }
}

#[derive(Deserialize)]
struct Body {
    embeddings: Vec<Numbers>,
    #[serde(default)]
    prompt_eval_count: Value,
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    answer::read(body, |Body { embeddings, prompt_eval_count }| {
        let vectors = embeddings.into_iter().map(|numbers| numbers.0).collect();
        Ok(Reading {
            vectors: vector::check(vectors, batch, None)?,
            tokens: answer::count(&prompt_eval_count),
        })
    })
}

/// The route before version 0.3: one text per call.
pub fn legacy_requests(batch: &Batch) -> Vec<Call> {
    let call = |text| {
        let body = json!({ "model": batch.model, "prompt": text });
        Call { path: "/api/embeddings".to_owned(), body: body.to_string().into_bytes() }
    };
    facts::prefixed(Kind::Ollama, batch).into_iter().map(call).collect()
}

#[derive(Deserialize)]
struct LegacyBody {
    embedding: Numbers,
}

pub fn read_legacy(bodies: &[Vec<u8>], batch: &Batch) -> Result<Reading, Fault> {
    let vector = |body: &Vec<u8>| answer::read(body, |LegacyBody { embedding }| Ok(embedding.0));
    let vectors = bodies.iter().map(vector).collect::<Result<_, _>>()?;
    Ok(Reading { vectors: vector::check(vectors, batch, None)?, tokens: None })
}
