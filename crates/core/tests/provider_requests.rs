//! The request that each provider receives.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests fail their test

use kb_rag_core::provider::{Batch, Call, Input, Kind};
use serde_json::{Value, json};

fn batch<'a>(model: &'a str, texts: &'a [String], dimensions: usize, input: Input) -> Batch<'a> {
    Batch { model, texts, dimensions, natural: None, input }
}

fn texts() -> Vec<String> {
    ["Refunds take \"14\" days.", "Übergröße\n"].map(str::to_owned).to_vec()
}

/// The path and the body.
fn sent(call: Call) -> (String, Value) {
    (call.path, serde_json::from_slice(&call.body).unwrap())
}

fn request(kind: Kind, model: &str, dimensions: usize, input: Input) -> (String, Value) {
    sent(kind.request(&batch(model, &texts(), dimensions, input)))
}

/// The path and body for one document.
fn body(kind: Kind, model: &str, dimensions: usize) -> Value {
    request(kind, model, dimensions, Input::Document).1
}

#[test]
fn openai() {
    assert_eq!(
        request(Kind::OpenAi, "text-embedding-3-small", 512, Input::Document),
        (
            "/embeddings".to_owned(),
            json!({
                "model": "text-embedding-3-small",
                "input": ["Refunds take \"14\" days.", "Übergröße\n"],
                "encoding_format": "base64",
                "dimensions": 512,
            })
        )
    );
}

/// Models before the third generation reject `dimensions`.
#[test]
fn openai_is_asked_for_dimensions_only_if_the_model_supports_it() {
    for (model, dimensions) in [
        ("text-embedding-3-small", 1536),
        ("text-embedding-3-small", 2048),
        ("text-embedding-3-small", 0),
        ("text-embedding-ada-002", 512),
        ("intfloat/e5-small-v2", 128),
        ("somebody's own", 128),
    ] {
        assert_eq!(body(Kind::OpenAi, model, dimensions)["dimensions"], Value::Null, "{model}");
    }
    assert_eq!(body(Kind::OpenAi, "openai/text-embedding-3-large", 256)["dimensions"], 256);
}

#[test]
fn ollama() {
    assert_eq!(
        request(Kind::Ollama, "all-minilm", 128, Input::Document),
        (
            "/api/embed".to_owned(),
            json!({
                "model": "all-minilm",
                "input": ["Refunds take \"14\" days.", "Übergröße\n"],
                "truncate": false,
            })
        )
    );
}

#[test]
fn an_old_ollama_is_sent_one_text_per_call() {
    let texts = texts();
    let batch = batch("nomic-embed-text", &texts, 768, Input::Query);
    let calls = Kind::Ollama.fallback(404, &batch).unwrap();
    let path = || "/api/embeddings".to_owned();
    assert_eq!(
        calls.into_iter().map(sent).collect::<Vec<_>>(),
        [
            (
                path(),
                json!({ "model": "nomic-embed-text", "prompt": "search_query: Refunds take \"14\" days." })
            ),
            (path(), json!({ "model": "nomic-embed-text", "prompt": "search_query: Übergröße\n" })),
        ]
    );
    assert_eq!(Kind::Ollama.fallback(500, &batch), None);
    assert_eq!(Kind::OpenAi.fallback(404, &batch), None);
}

#[test]
fn google() {
    for model in ["gemini-embedding-001", "models/gemini-embedding-001"] {
        let request_of = |text: &str| {
            json!({
                "model": "models/gemini-embedding-001",
                "content": { "parts": [{ "text": text }] },
                "taskType": "RETRIEVAL_DOCUMENT",
                "outputDimensionality": 768,
            })
        };
        assert_eq!(
            request(Kind::Google, model, 768, Input::Document),
            (
                "/models/gemini-embedding-001:batchEmbedContents".to_owned(),
                json!({ "requests": [request_of("Refunds take \"14\" days."), request_of("Übergröße\n")] })
            )
        );
    }
    let (_, query) = request(Kind::Google, "gemini-embedding-001", 3072, Input::Query);
    assert_eq!(query["requests"][0]["taskType"], "RETRIEVAL_QUERY");
    assert_eq!(query["requests"][0].get("outputDimensionality"), None);
}

/// This model ignores task types and recognizes the task by the beginning of the text.
#[test]
fn the_second_gemini_model() {
    let (_, query) = request(Kind::Google, "gemini-embedding-2", 768, Input::Query);
    assert_eq!(
        query["requests"][0],
        json!({
            "model": "models/gemini-embedding-2",
            "content": { "parts": [{ "text": "task: search result | query: Refunds take \"14\" days." }] },
            "outputDimensionality": 768,
        })
    );
}

#[test]
fn cohere() {
    let expected = |input_type| {
        json!({
            "model": "embed-v4.0",
            "texts": ["Refunds take \"14\" days.", "Übergröße\n"],
            "input_type": input_type,
            "embedding_types": ["float"],
            "truncate": "NONE",
            "output_dimension": 512,
        })
    };
    let path = "/embed".to_owned();
    assert_eq!(
        request(Kind::Cohere, "embed-v4.0", 512, Input::Document),
        (path.clone(), expected("search_document"))
    );
    assert_eq!(request(Kind::Cohere, "embed-v4.0", 512, Input::Query), (path, expected("search_query")));
    // The model offers 256, 512, 1024 and 1536: the next larger size is requested and truncated here.
    assert_eq!(body(Kind::Cohere, "embed-v4.0", 300)["output_dimension"], 512);
    assert_eq!(body(Kind::Cohere, "embed-v4.0", 1536).get("output_dimension"), None);
    assert_eq!(body(Kind::Cohere, "embed-english-v3.0", 256).get("output_dimension"), None);
}

#[test]
fn voyage() {
    let expected = |input_type| {
        json!({
            "model": "voyage-3.5",
            "input": ["Refunds take \"14\" days.", "Übergröße\n"],
            "input_type": input_type,
            "truncation": false,
            "encoding_format": "base64",
            "output_dimension": 2048,
        })
    };
    let path = "/embeddings".to_owned();
    assert_eq!(
        request(Kind::Voyage, "voyage-3.5", 2048, Input::Document),
        (path.clone(), expected("document"))
    );
    assert_eq!(request(Kind::Voyage, "voyage-3.5", 2048, Input::Query), (path, expected("query")));
    assert_eq!(body(Kind::Voyage, "voyage-3.5", 1024).get("output_dimension"), None);
    assert_eq!(body(Kind::Voyage, "voyage-3-lite", 256).get("output_dimension"), None);
}

/// Mistral rejects unknown fields.
#[test]
fn mistral() {
    assert_eq!(
        request(Kind::Mistral, "mistral-embed", 256, Input::Query),
        (
            "/embeddings".to_owned(),
            json!({ "model": "mistral-embed", "input": ["Refunds take \"14\" days.", "Übergröße\n"] })
        )
    );
    assert_eq!(body(Kind::Mistral, "codestral-embed", 3072)["output_dimension"], 3072);
}

#[test]
fn tei() {
    assert_eq!(
        request(Kind::Tei, "intfloat/e5-small-v2", 256, Input::Query),
        (
            "/embed".to_owned(),
            json!({
                "inputs": ["query: Refunds take \"14\" days.", "query: Übergröße\n"],
                "normalize": true,
                "truncate": false,
            })
        )
    );
}

#[test]
fn a_model_named_like_a_path_stays_one_segment() {
    let path = |model| request(Kind::Google, model, 768, Input::Query).0;
    assert_eq!(path("../../v1/files?x=1#y"), "/models/..%2F..%2Fv1%2Ffiles%3Fx%3D1%23y:batchEmbedContents");
    assert_eq!(path("größe"), "/models/gr%C3%B6%C3%9Fe:batchEmbedContents");
}

#[test]
fn open_models_get_their_prefixes() {
    let input = |kind: Kind, model: &str, input| request(kind, model, 0, input).1["input"][0].clone();
    for (kind, model, query, document) in [
        (Kind::Ollama, "nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        (Kind::OpenAi, "nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        (Kind::OpenAi, "intfloat/multilingual-e5-large", "query: ", "passage: "),
        (Kind::Ollama, "mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""),
        (Kind::Ollama, "bge-m3", "", ""),
        (Kind::OpenAi, "text-embedding-3-small", "", ""),
        (Kind::OpenAi, "somebody's own", "", ""),
    ] {
        assert_eq!(input(kind, model, Input::Query), format!("{query}Refunds take \"14\" days."), "{model}");
        assert_eq!(
            input(kind, model, Input::Document),
            format!("{document}Refunds take \"14\" days."),
            "{model}"
        );
    }
}

#[test]
fn keys_go_in_the_header_that_the_provider_reads() {
    assert_eq!(Kind::OpenAi.auth_header("sk-1"), ("authorization", "Bearer sk-1".to_owned()));
    assert_eq!(Kind::Google.auth_header("AIza"), ("x-goog-api-key", "AIza".to_owned()));
}

#[test]
fn urls() {
    let call = |path: &str| Call { path: path.to_owned(), body: Vec::new() };
    let url = |kind: Kind, base| kind.url(base, &call("/embeddings"));
    assert_eq!(url(Kind::OpenAi, Kind::OpenAi.default_base_url()), "https://api.openai.com/v1/embeddings");
    assert_eq!(url(Kind::OpenAi, "http://localhost:4000"), "http://localhost:4000/v1/embeddings");
    assert_eq!(url(Kind::OpenAi, "http://localhost:4000/"), "http://localhost:4000/v1/embeddings");
    assert_eq!(url(Kind::OpenAi, "https://x.test/openai/v1/"), "https://x.test/openai/v1/embeddings");
    assert_eq!(Kind::Ollama.url("http://gpu:11434/", &call("/api/embed")), "http://gpu:11434/api/embed");
    assert_eq!(
        Kind::Google.url(Kind::Google.default_base_url(), &call("/models/m:batchEmbedContents")),
        "https://generativelanguage.googleapis.com/v1beta/models/m:batchEmbedContents"
    );
}

#[test]
fn names_lead_back_to_kinds() {
    for kind in Kind::ALL {
        assert_eq!(Kind::parse(kind.name()), Some(kind));
    }
    assert_eq!(Kind::parse("OpenAI"), None);
}
