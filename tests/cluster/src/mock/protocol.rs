//! The requests and answers of the services.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    OpenAi,
    Ollama,
    Google,
    Cohere,
    Voyage,
    Mistral,
    Tei,
}

/// One vector of an answer.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// The index of its text, if the service reports it.
    pub index: usize,
    /// The numbers.
    pub vector: Vec<f32>,
}

/// The contents of a call.
pub(super) struct Asked {
    pub model: String,
    pub texts: Vec<String>,
    pub dimensions: Option<usize>,
    pub input_type: Option<String>,
    base64: bool,
    single: bool,
}

/// A rejection by the service: status and message.
pub(super) type Refused = (u16, String);

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::OpenAi => "openai",
            Kind::Ollama => "ollama",
            Kind::Google => "google",
            Kind::Cohere => "cohere",
            Kind::Voyage => "voyage",
            Kind::Mistral => "mistral",
            Kind::Tei => "tei",
        }
    }

    /// The base URL's path, as in the services' own documentation.
    pub fn root(self) -> &'static str {
        match self {
            Kind::OpenAi | Kind::Voyage | Kind::Mistral => "/v1",
            Kind::Google => "/v1beta",
            Kind::Ollama | Kind::Cohere | Kind::Tei => "",
        }
    }

    /// The key in the header that carries it.
    pub fn key_of(self, headers: &[(String, String)]) -> Option<String> {
        let value = |name| headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.clone());
        match self {
            Kind::Google => value("x-goog-api-key"),
            _ => value("authorization")?.strip_prefix("Bearer ").map(str::to_string),
        }
    }

    /// The most texts in a call.
    fn items(self) -> usize {
        match self {
            Kind::OpenAi => 2048,
            Kind::Google => 100,
            Kind::Cohere => 96,
            Kind::Voyage => 1000,
            Kind::Tei => 32,
            Kind::Ollama | Kind::Mistral => usize::MAX,
        }
    }

    /// Parses a call.
    pub fn read(self, path: &str, body: &[u8]) -> Result<Asked, Refused> {
        let body: Value = serde_json::from_slice(body).map_err(|e| (400, format!("no JSON: {e}")))?;
        let (input, dimensions, input_type) = match self {
            Kind::Google if path.ends_with(":batchEmbedContents") => return read_google(path, &body),
            Kind::Ollama if path.ends_with("/api/embeddings") => ("prompt", "", ""),
            Kind::Ollama if path.ends_with("/api/embed") => ("input", "dimensions", ""),
            Kind::OpenAi if path.ends_with("/embeddings") => ("input", "dimensions", ""),
            Kind::Voyage | Kind::Mistral if path.ends_with("/embeddings") => {
                ("input", "output_dimension", "input_type")
            }
            Kind::Cohere if path.ends_with("/v2/embed") => ("texts", "output_dimension", "input_type"),
            Kind::Tei if path.ends_with("/embed") => ("inputs", "dimensions", "prompt_name"),
            _ => return Err((404, format!("no route {path}"))),
        };
        let asked = Asked {
            model: text_of(&body["model"]).unwrap_or_default(),
            texts: texts_of(&body[input])
                .ok_or_else(|| (400, format!("'{input}' is neither text nor an array of texts")))?,
            dimensions: body[dimensions].as_u64().map(|n| n as usize),
            input_type: text_of(&body[input_type]),
            base64: body["encoding_format"] == "base64",
            single: input == "prompt",
        };
        self.check(&body, &asked)?;
        Ok(asked)
    }

    /// The checks that the services make themselves.
    fn check(self, body: &Value, asked: &Asked) -> Result<(), Refused> {
        if asked.texts.len() > self.items() {
            let status = if self == Kind::Tei { 413 } else { 400 };
            return Err((status, format!("{} inputs are more than {}", asked.texts.len(), self.items())));
        }
        if asked.model.is_empty() && self != Kind::Tei {
            return Err((400, "model is required".to_string()));
        }
        if self == Kind::OpenAi && asked.texts.iter().any(String::is_empty) {
            return Err((400, "'$.input' is invalid: an empty string".to_string()));
        }
        if self == Kind::Cohere && asked.input_type.is_none() {
            return Err((400, "input_type is required".to_string()));
        }
        let known = ["model", "input", "output_dimension", "output_dtype", "encoding_format", "metadata"];
        match body.as_object().and_then(|body| body.keys().find(|key| !known.contains(&key.as_str()))) {
            Some(key) if self == Kind::Mistral => Err((422, format!("extra_forbidden: {key}"))),
            _ => Ok(()),
        }
    }

    /// The body of a correct answer.
    pub fn answer(self, asked: &Asked, embeddings: &[Embedding]) -> Vec<u8> {
        let vectors = || embeddings.iter().map(|e| numbers(&e.vector)).collect::<Vec<_>>();
        let tokens = tokens(&asked.texts);
        let body = match self {
            Kind::OpenAi | Kind::Voyage | Kind::Mistral => {
                let data: Vec<Value> = embeddings
                    .iter()
                    .map(|e| {
                        let embedding =
                            if asked.base64 { packed(&e.vector) } else { json!(numbers(&e.vector)) };
                        json!({"object": "embedding", "index": e.index, "embedding": embedding})
                    })
                    .collect();
                json!({"object": "list", "data": data, "model": asked.model,
                       "usage": {"prompt_tokens": tokens, "total_tokens": tokens}})
            }
            Kind::Ollama if asked.single => json!({"embedding": vectors().pop()}),
            Kind::Ollama => json!({"model": asked.model, "embeddings": vectors(), "total_duration": 14143917,
                                   "prompt_eval_count": tokens}),
            Kind::Google => {
                let embeddings: Vec<Value> = vectors().into_iter().map(|v| json!({"values": v})).collect();
                json!({"embeddings": embeddings})
            }
            Kind::Cohere => json!({"id": "mock", "embeddings": {"float": vectors()}, "texts": asked.texts,
                                   "meta": {"billed_units": {"input_tokens": tokens}}}),
            Kind::Tei => json!(vectors()),
        };
        body.to_string().into_bytes()
    }

    /// The body of a rejection.
    pub fn error(self, status: u16, message: &str, code: Option<&str>) -> Vec<u8> {
        let kind = if status == 429 { "tokens" } else { "invalid_request_error" };
        let body = match self {
            Kind::OpenAi => {
                json!({"error": {"message": message, "type": code.unwrap_or(kind), "param": null, "code": code}})
            }
            Kind::Ollama => json!({"error": message}),
            Kind::Google => {
                let state =
                    code.unwrap_or(if status == 429 { "RESOURCE_EXHAUSTED" } else { "INVALID_ARGUMENT" });
                json!({"error": {"code": status, "message": message, "status": state, "details": []}})
            }
            Kind::Cohere => json!({"id": "mock", "message": message}),
            Kind::Voyage => json!({"detail": message}),
            Kind::Mistral => {
                json!({"detail": [{"loc": ["body"], "msg": message, "type": code.unwrap_or("value_error")}]})
            }
            Kind::Tei => json!({"error": message, "error_type": code.unwrap_or("validation")}),
        };
        body.to_string().into_bytes()
    }
}

fn read_google(path: &str, body: &Value) -> Result<Asked, Refused> {
    let model = path.rsplit('/').next().and_then(|last| last.split(':').next()).unwrap_or_default();
    let requests = body["requests"].as_array().ok_or_else(|| (400, "no requests".to_string()))?;
    if requests.len() > Kind::Google.items() {
        let message = "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch";
        return Err((400, message.to_string()));
    }
    let texts: Option<Vec<String>> =
        requests.iter().map(|request| text_of(&request["content"]["parts"][0]["text"])).collect();
    if requests.iter().any(|request| request["model"] != format!("models/{model}")) {
        return Err((400, "the model of a request is not that of the URL".to_string()));
    }
    Ok(Asked {
        model: model.to_string(),
        texts: texts.ok_or_else(|| (400, "a request without text".to_string()))?,
        dimensions: requests
            .first()
            .and_then(|request| request["outputDimensionality"].as_u64())
            .map(|n| n as usize),
        input_type: requests.first().and_then(|request| text_of(&request["taskType"])),
        base64: false,
        single: false,
    })
}

/// The number of tokens in some texts: one per four bytes.
pub fn tokens(texts: &[String]) -> usize {
    texts.iter().map(|text| text.len().div_ceil(4)).sum()
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn texts_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(texts) => texts.iter().map(text_of).collect(),
        _ => None,
    }
}

fn numbers(vector: &[f32]) -> Vec<Value> {
    // A number that JSON cannot represent becomes null, as in JavaScript.
    vector.iter().map(|number| json!(number)).collect()
}

fn packed(vector: &[f32]) -> Value {
    json!(STANDARD.encode(vector.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()))
}

/// A vector of length 1 that depends only on the salt and the text.
pub fn vector(salt: &str, text: &str, dimensions: usize) -> Vec<f32> {
    // FNV-1a for a seed, SplitMix64 for the numbers.
    let mut seed =
        salt.bytes().chain([0]).chain(text.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    let mut number = || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let raw: Vec<f64> = (0..dimensions).map(|_| number()).collect();
    let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
    raw.iter().map(|x| (x / length) as f32).collect()
}
