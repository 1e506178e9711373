//! What chat models are asked, and what they reply.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

use kb_rag_core::provider::{Fault, Kind, Question, Reply};
use serde_json::{Value, json};

const QUESTION: Question =
    Question { model: "gpt-x", instructions: "Write a query.", text: "Customer: \"And it?\"" };

fn messages() -> Value {
    json!([{"role": "system", "content": "Write a query."}, {"role": "user", "content": "Customer: \"And it?\""}])
}

fn reply(kind: Kind, body: &Value) -> Result<Reply, Fault> {
    kind.read_chat(body.to_string().as_bytes())
}

#[test]
fn the_question_is_sent_as_two_messages() {
    let call = Kind::OpenAi.chat_request(&QUESTION);
    assert_eq!(call.path, "/chat/completions");
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({"model": "gpt-x", "stream": false, "messages": messages()})
    );
    let call = Kind::Ollama.chat_request(&QUESTION);
    assert_eq!(call.path, "/api/chat");
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({"model": "gpt-x", "stream": false, "think": false, "messages": messages()})
    );
    let chatting: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.has_chat()).collect();
    assert_eq!(chatting, [Kind::OpenAi, Kind::Ollama]);
}

#[test]
fn ollama_is_asked_again_without_think() {
    let body = br#"{"error":"\"llama3\" does not support thinking"}"#;
    let call = Kind::Ollama.chat_fallback(400, body, &QUESTION).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({"model": "gpt-x", "stream": false, "messages": messages()})
    );
    assert_eq!(Kind::Ollama.chat_fallback(400, b"{\"error\":\"bad\"}", &QUESTION), None);
    assert_eq!(Kind::Ollama.chat_fallback(404, body, &QUESTION), None);
    assert_eq!(Kind::OpenAi.chat_fallback(400, body, &QUESTION), None);
}

#[test]
fn the_reply_and_its_tokens_are_read() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": " one-way fee\n"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 7}});
    let expected = Reply { text: "one-way fee".to_owned(), tokens: Some(120), output_tokens: Some(7) };
    assert_eq!(reply(Kind::OpenAi, &body), Ok(expected.clone()));
    let body = json!({"model": "x", "message": {"role": "assistant", "content": "<think>hm</think>\n\none-way fee"},
        "done": true, "prompt_eval_count": 120, "eval_count": 7});
    assert_eq!(reply(Kind::Ollama, &body), Ok(expected));
    let body = json!({"choices": [{"message": {"content": "x"}}]});
    assert_eq!(
        reply(Kind::OpenAi, &body),
        Ok(Reply { text: "x".to_owned(), tokens: None, output_tokens: None })
    );
}

#[test]
fn anything_else_is_a_fault() {
    let no_text = Err(Fault::NotAsDocumented("the reply has no text".to_owned()));
    for body in [
        json!({"choices": []}),
        json!({"choices": [{"message": {"content": null, "refusal": "No."}}]}),
        json!({"choices": [{"message": {"content": "<think>hm</think> "}}]}),
    ] {
        assert_eq!(reply(Kind::OpenAi, &body), no_text, "{body}");
    }
    assert_eq!(reply(Kind::Ollama, &json!({"message": {"content": "\n"}})), no_text);
    assert!(matches!(reply(Kind::OpenAi, &json!({"data": []})), Err(Fault::NotAsDocumented(_))));
    assert!(matches!(Kind::OpenAi.read_chat(b"<html>busy</html>"), Err(Fault::NotJson(_))));
    assert_eq!(
        reply(Kind::Ollama, &json!({"error": "model is loading"})),
        Err(Fault::ErrorInside("model is loading".to_owned()))
    );
}
