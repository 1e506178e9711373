//! The protocol of Text Embeddings Inference, which serves one model and takes no model name.

use super::answer::{self, Numbers};
use super::{Batch, Call, Fault, Kind, Reading, facts, vector};
use serde_json::json;

pub fn request(batch: &Batch) -> Call {
    let body = json!({
        "inputs": facts::prefixed(Kind::Tei, batch),
        "normalize": true,
        // A text that is too long must not be truncated silently.
        "truncate": false,
    });
    Call { path: "/embed".to_owned(), body: body.to_string().into_bytes() }
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    answer::read(body, |vectors: Vec<Numbers>| {
        let vectors = vectors.into_iter().map(|numbers| numbers.0).collect();
        Ok(Reading { vectors: vector::check(vectors, batch, None)?, tokens: None })
    })
}
