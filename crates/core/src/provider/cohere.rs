//! Cohere's protocol, version 2.

use super::answer::{self, Numbers};
use super::{Batch, Call, Fault, Input, Kind, Reading, facts, vector};
use serde::Deserialize;
use serde_json::{Value, json};

pub fn request(batch: &Batch) -> Call {
    let mut body = json!({
        "model": batch.model,
        "texts": batch.texts,
        "input_type": match batch.input {
            Input::Query => "search_query",
            Input::Document => "search_document",
        },
        "embedding_types": ["float"],
        // A text that is too long must not be truncated silently.
        "truncate": "NONE",
    });
    if let Some(dimensions) = facts::asked(Kind::Cohere, batch) {
        body["output_dimension"] = dimensions.into();
    }
    Call { path: "/embed".to_owned(), body: body.to_string().into_bytes() }
}

#[derive(Deserialize)]
struct Body {
    embeddings: Embeddings,
    #[serde(default)]
    meta: Value,
}

#[derive(Deserialize)]
struct Embeddings {
    float: Vec<Numbers>,
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    answer::read(body, |Body { embeddings, meta }| {
        let vectors = embeddings.float.into_iter().map(|numbers| numbers.0).collect();
        let vectors = vector::check(vectors, batch, facts::asked(Kind::Cohere, batch))?;
        Ok(Reading { vectors, tokens: answer::count(&meta["billed_units"]["input_tokens"]) })
    })
}
