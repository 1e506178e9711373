//! OpenAI's protocol, which many servers speak.

use super::answer::{self, Numbers};
use super::{Batch, Call, Fault, Kind, Reading, facts, vector};
use serde::Deserialize;
use serde_json::{Value, json};

pub fn request(batch: &Batch) -> Call {
    let mut body = json!({
        "model": batch.model,
        "input": facts::prefixed(Kind::OpenAi, batch),
        // A third of the size of decimal numbers.
        "encoding_format": "base64",
    });
    // Other models reject the field.
    if let Some(dimensions) = facts::asked(Kind::OpenAi, batch) {
        body["dimensions"] = dimensions.into();
    }
    Call { path: "/embeddings".to_owned(), body: body.to_string().into_bytes() }
}

pub fn read(body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
    read_asked(body, batch, facts::asked(Kind::OpenAi, batch))
}

#[derive(Deserialize)]
struct Body {
    data: Vec<Item>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Item {
    index: Option<i64>,
    embedding: Numbers,
}

/// Reads an answer of this form, which other providers share.
pub fn read_asked(body: &[u8], batch: &Batch, asked: Option<usize>) -> Result<Reading, Fault> {
    answer::read(body, |Body { data, usage }| {
        let vectors = vector::check(in_order(data, batch.texts.len())?, batch, asked)?;
        let tokens = answer::count(&usage["total_tokens"]).or_else(|| answer::count(&usage["prompt_tokens"]));
        Ok(Reading { vectors, tokens })
    })
}

/// The vectors by their index, which may be in any order. A single one needs no index.
fn in_order(items: Vec<Item>, texts: usize) -> Result<Vec<Vec<f32>>, Fault> {
    if items.len() != texts {
        return Err(Fault::Count { expected: texts, found: items.len() });
    }
    let mut places: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (position, item) in items.into_iter().enumerate() {
        let index = match item.index {
            None if texts == 1 => Some(0),
            index => index.and_then(|index| usize::try_from(index).ok()),
        };
        match index.and_then(|index| places.get_mut(index)) {
            Some(place @ None) => *place = Some(item.embedding.0),
            Some(Some(_)) => return Err(Fault::Order(index.unwrap_or(position))),
            None => return Err(Fault::Order(position)),
        }
    }
    let vectors = places.into_iter().enumerate().map(|(text, place)| place.ok_or(Fault::Order(text)));
    vectors.collect()
}
