//! Voyage AI's protocol. Its answers have OpenAI's form.

use super::{Batch, Call, Fault, Input, Kind, Reading, facts, openai};
use serde_json::json;

pub fn request(batch: &Batch) -> Call {
    let mut body = json!({
        "model": batch.model,
        "input": batch.texts,
        "input_type": match batch.input {
            Input::Query => "query",
            Input::Document => "document",
        },
        // A text that is too long must not be truncated silently.
        "truncation": false,
        "encoding_format": "base64",
    });
    if let Some(dimensions) = facts::asked(Kind::Voyage, batch) {
        body["output_dimension"] = dimensions.into();
    }
    Call { path: "/embeddings".to_owned(), body: body.to_string().into_bytes() }
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    openai::read_asked(body, batch, facts::asked(Kind::Voyage, batch))
}
