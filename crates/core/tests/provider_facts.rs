//! What is known about models by their names, and the limits that follow from it.

use kb_rag_core::provider::{Facts, Kind, Limits};

fn dimensions(kind: Kind, model: &str) -> Option<usize> {
    kind.facts(model).dimensions
}

#[test]
fn names_are_known_however_they_are_written() {
    for (kind, model, expected) in [
        (Kind::OpenAi, "text-embedding-3-small", 1536),
        (Kind::OpenAi, "openai/text-embedding-3-large", 3072),
        (Kind::OpenAi, "text-embedding-ada-002", 1536),
        (Kind::OpenAi, "BAAI/bge-m3", 1024),
        (Kind::OpenAi, "gemini/gemini-embedding-001", 3072),
        (Kind::Google, "models/gemini-embedding-001", 3072),
        (Kind::Google, "text-embedding-004", 768),
        (Kind::Cohere, "embed-v4.0", 1536),
        (Kind::Cohere, "embed-english-light-v3.0", 384),
        (Kind::Voyage, "voyage-code-3", 1024),
        (Kind::Mistral, "mistral-embed", 1024),
        (Kind::Ollama, "nomic-embed-text", 768),
        (Kind::Ollama, "nomic-embed-text:latest", 768),
        (Kind::Ollama, "nomic-embed-text:137m-v1.5-fp16", 768),
        (Kind::Ollama, "mxbai-embed-large:335m", 1024),
        (Kind::Ollama, "all-minilm", 384),
        (Kind::Ollama, "all-minilm:33m", 384),
        (Kind::Tei, "intfloat/multilingual-e5-base", 768),
    ] {
        assert_eq!(dimensions(kind, model), Some(expected), "{model}");
    }
}

#[test]
fn sizes_of_a_family_are_distinguished() {
    for (tag, expected) in [
        ("", Some(1024)),
        (":latest", Some(1024)),
        (":335m", Some(1024)),
        (":22m", Some(384)),
        (":33m-s-fp16", Some(384)),
        (":110m", Some(768)),
        (":somebody's", None),
    ] {
        let facts = Kind::Ollama.facts(&format!("snowflake-arctic-embed{tag}"));
        assert_eq!(facts.dimensions, expected, "{tag}");
        assert_eq!(facts.query_prefix, "Represent this sentence for searching relevant passages: ", "{tag}");
    }
}

#[test]
fn nothing_is_known_about_unknown_models() {
    for kind in Kind::ALL {
        for model in ["", ":", "/", "a:b", "my-text-embedding-3-small", "text-embedding-3-small-ft"] {
            assert_eq!(kind.facts(model), Facts::default(), "{model}");
        }
    }
}

#[test]
fn prices_are_the_providers_own() {
    assert_eq!(Kind::OpenAi.facts("text-embedding-3-small").price_per_million, Some(0.02));
    assert_eq!(Kind::OpenAi.facts("voyage/voyage-3.5").price_per_million, None);
    assert_eq!(Kind::Ollama.facts("nomic-embed-text").price_per_million, None);
}

#[test]
fn a_model_shut_down_says_so() {
    let notice = Kind::Google.facts("models/text-embedding-004").notice.unwrap_or_default();
    assert!(notice.contains("gemini-embedding-001"), "{notice}");
    assert_eq!(Kind::Google.facts("gemini-embedding-001").notice, None);
}

#[test]
fn max_dimensions() {
    let max = |kind: Kind, model| kind.facts(model).max_dimensions();
    assert_eq!(max(Kind::Voyage, "voyage-3.5"), Some(2048));
    assert_eq!(max(Kind::Mistral, "codestral-embed"), Some(3072));
    assert_eq!(max(Kind::Ollama, "all-minilm"), Some(384));
    assert_eq!(max(Kind::Ollama, "unknown"), None);
}

#[test]
fn limits() {
    let expected = Limits { items: 2048, tokens_per_item: Some(8192), tokens: Some(300_000), bytes: 2 << 20 };
    assert_eq!(Kind::OpenAi.limits("text-embedding-3-small"), expected);
    assert_eq!(Kind::OpenAi.limits("unknown").tokens_per_item, None);
    assert_eq!(Kind::Google.limits("gemini-embedding-001").items, 100);
    assert_eq!(Kind::Google.limits("gemini-embedding-001").tokens_per_item, Some(2048));
    assert_eq!(Kind::Cohere.limits("embed-v4.0").items, 96);
    assert_eq!(Kind::Tei.limits("any").items, 32);
    for (model, tokens) in [
        ("voyage-3.5", 320_000),
        ("voyage-3.5-lite", 1_000_000),
        ("voyage-4-large", 120_000),
        ("voyage-code-3", 120_000),
        ("voyage-law-2", 120_000),
    ] {
        assert_eq!(Kind::Voyage.limits(model).tokens, Some(tokens), "{model}");
    }
}
