//! Mistral's protocol. Its answers have OpenAI's form. It rejects unknown fields.

use super::{Batch, Call, Fault, Kind, Reading, facts, openai};
use serde_json::json;

pub fn request(batch: &Batch) -> Call {
    let mut body = json!({ "model": batch.model, "input": batch.texts });
    if let Some(dimensions) = facts::asked(Kind::Mistral, batch) {
        body["output_dimension"] = dimensions.into();
    }
    Call { path: "/embeddings".to_owned(), body: body.to_string().into_bytes() }
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    openai::read_asked(body, batch, facts::asked(Kind::Mistral, batch))
}
