//! Properties of batches; no answer can cause a failure.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

use core::time::Duration;
use kb_rag_core::provider::{Batch, Input, Kind, Limits, retry};
use kb_rag_core::provider::{batch::split, tokens::estimate_tokens};
use proptest::prelude::*;
use serde_json::Value;

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn limits() -> impl Strategy<Value = Limits> {
    (1..20_usize, prop::option::of(1..3000_usize), 1..3000_usize).prop_map(|(items, tokens, bytes)| Limits {
        items,
        tokens_per_item: None,
        tokens,
        bytes,
    })
}

/// Anything from random text to an answer: JSON composed of the words that providers use.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        prop::sample::select(vec!["AABAQAAAgEA=", "1s", "34.5s", "Please try again in 1e9s"])
            .prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "data",
        "index",
        "embedding",
        "embeddings",
        "values",
        "float",
        "usage",
        "total_tokens",
        "error",
        "message",
        "detail",
        "details",
        "retryDelay",
        "loc",
        "msg",
        "code",
        "type",
        "status",
    ]);
    let json = leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..5)
                .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        ".{0,200}".prop_map(String::into_bytes),
        json.clone().prop_map(|json| json.to_string().into_bytes()),
        (json, any::<prop::sample::Index>()).prop_map(|(json, end)| {
            let mut body = json.to_string().into_bytes();
            body.truncate(end.index(body.len() + 1));
            body
        }),
    ]
}

fn header() -> impl Strategy<Value = (String, String)> {
    let name = prop::sample::select(vec![
        "retry-after",
        "retry-after-ms",
        "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens",
        "x-ratelimit-remaining-tokens",
        "x-should-retry",
        "location",
    ]);
    let value = prop_oneof![
        ".{0,40}",
        any::<f64>().prop_map(|number| number.to_string()),
        "[0-9.hmsnuµ-]{0,30}",
        "(Mon|Sun), [0-9]{2} (Jan|Feb) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
    ];
    (name, value).prop_map(|(name, value)| (name.to_owned(), value))
}

proptest! {
    #[test]
    fn batches_cover_all_in_order_within_the_limits(
        lengths in prop::collection::vec(prop_oneof![0..500_usize, Just(usize::MAX)], 0..100),
        limits in limits(),
    ) {
        let batches = split(&lengths, &limits);
        let covered: Vec<_> = batches.iter().cloned().flatten().collect();
        prop_assert_eq!(covered, (0..lengths.len()).collect::<Vec<_>>());
        for range in &batches {
            prop_assert!(!range.is_empty());
            prop_assert!(range.len() <= limits.items);
            let bytes = lengths[range.clone()].iter().fold(0_usize, |sum, &length| sum.saturating_add(length));
            prop_assert!(range.len() == 1 || bytes <= limits.bytes);
            prop_assert!(range.len() == 1 || limits.tokens.is_none_or(|limit| bytes + range.len() <= limit));
        }
    }

    /// No two neighboring batches would have fitted into one.
    #[test]
    fn batches_are_full(lengths in prop::collection::vec(0..500_usize, 0..100), limits in limits()) {
        let batches = split(&lengths, &limits);
        for pair in batches.windows(2) {
            let first_of_next = pair[0].start..pair[1].start + 1;
            prop_assert!(split(&lengths[first_of_next.clone()], &limits).len() > 1, "{:?}", first_of_next);
        }
    }

    #[test]
    fn a_text_has_a_token_for_each_word_and_at_most_two_for_each_byte(text in any::<String>()) {
        let tokens = estimate_tokens(&text);
        prop_assert!(text.split_whitespace().count() as u64 <= tokens.max(1) * 2 && tokens <= 2 * text.len() as u64);
    }

    #[test]
    fn backoff_is_between_a_quarter_second_and_a_minute(attempt in any::<u32>(), jitter in any::<f64>()) {
        let wait = retry::backoff(attempt, jitter);
        prop_assert!(Duration::from_millis(250) <= wait && wait <= Duration::from_secs(60));
    }

    #[test]
    fn every_answer_is_read_or_rejected(
        kind in kind(),
        body in body(),
        texts in 0..3_usize,
        dimensions in 0..4_usize,
        natural in prop::option::of(0..4_usize),
    ) {
        let texts = vec!["text".to_owned(); texts];
        let batch = Batch { model: "m", texts: &texts, dimensions, natural, input: Input::Document };
        for answer in [kind.read_answer(&body, &batch), kind.read_fallback(&vec![body; texts.len()], &batch)] {
            match answer {
                Err(fault) => {
                    let said = fault.to_string();
                    prop_assert!(said.chars().count() < 300 && !said.contains(char::is_control), "{}", said);
                }
                Ok(answer) => {
                    prop_assert_eq!(answer.vectors.len(), texts.len());
                    prop_assert!(answer.vectors.is_empty() || answer.vectors.iter().any(Result::is_ok));
                    for vector in answer.vectors.into_iter().flatten() {
                        prop_assert!(dimensions == 0 || vector.len() == dimensions);
                        let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
                        prop_assert!((length - 1.0).abs() < 1e-5);
                    }
                }
            }
        }
    }

    #[test]
    fn every_refusal_has_a_short_message_and_a_wait_of_at_most_a_day(
        kind in kind(),
        status in any::<u16>(),
        headers in prop::collection::vec(header(), 0..4),
        body in body(),
        now in any::<f64>(),
    ) {
        let refusal = kind.read_refusal(status, &headers, &body, now);
        let said = &refusal.message;
        let length = said.chars().count();
        prop_assert!((1..=300).contains(&length) && !said.contains(char::is_control), "{}", said);
        prop_assert!(refusal.retry_after.is_none_or(|wait| wait <= Duration::from_secs(86_400)));
    }

    /// Every text arrives once, whole and in order, after the model's prefix.
    #[test]
    fn requests_contain_the_texts(
        kind in kind(),
        model in prop_oneof![
            ".{0,20}",
            prop::sample::select(vec!["e5-small", "nomic-embed-text", "gemini-embedding-2", "embed-v4.0"])
                .prop_map(str::to_owned),
        ],
        texts in prop::collection::vec(any::<String>(), 0..5),
        dimensions in 0..4000_usize,
        query in any::<bool>(),
    ) {
        let input = if query { Input::Query } else { Input::Document };
        let batch = Batch { model: &model, texts: &texts, dimensions, natural: None, input };
        let call = kind.request(&batch);
        prop_assert!(call.path.starts_with('/') && call.path.is_ascii());
        prop_assert!(!call.path.contains([' ', '?', '#', '\\']));
        let body: Value = serde_json::from_slice(&call.body).unwrap();
        let (field, text) = match kind {
            Kind::Google => ("requests", "/content/parts/0/text"),
            Kind::Cohere => ("texts", ""),
            Kind::Tei => ("inputs", ""),
            _ => ("input", ""),
        };
        let items = body[field].as_array().unwrap();
        let sent: Vec<&Value> = items.iter().map(|item| item.pointer(text).unwrap()).collect();
        let prefix = kind.facts(&model).prefix(input);
        let expected: Vec<Value> = texts.iter().map(|text| format!("{prefix}{text}").into()).collect();
        prop_assert_eq!(sent, expected.iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_base64_vector_is_read_as_it_was_written() {
    // 1536 dimensions, as a provider sends them.
    let numbers: Vec<f32> = (0..1536).map(|i| ((i * 37 % 101) as f32 - 50.0) / 50.0).collect();
    let array = serde_json::json!({ "data": [{ "index": 0, "embedding": numbers }] }).to_string();
    let texts = ["text".to_owned()];
    let batch = Batch { model: "m", texts: &texts, dimensions: 1536, natural: None, input: Input::Document };
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let base64 = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes);
    let packed = serde_json::json!({ "data": [{ "index": 0, "embedding": base64 }] }).to_string();
    let read = |body: &str| Kind::OpenAi.read_answer(body.as_bytes(), &batch).unwrap();
    assert_eq!(read(&array), read(&packed));
}

#[test]
fn tokens_of_scripts() {
    for (text, tokens) in [
        ("", 0),
        ("a", 1),
        ("the four", 3),
        ("The refunds take 14 days.", 7),
        ("Größe", 3),
        ("返金は十四日", 9),
        ("환불", 3),
        ("返金 refund", 5),
    ] {
        assert_eq!(estimate_tokens(text), tokens, "{text}");
    }
}
