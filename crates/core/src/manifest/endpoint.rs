//! What an endpoint of type `external` is sent, and what its answer means.

use core::fmt;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::conversation::Message;

/// The most texts of an answer.
const MAX_TEXTS: usize = 10_000;

/// The body of a request: the last messages of a conversation, the newest last.
pub fn request(
    session: Option<&str>,
    agent: Option<&str>,
    top_k: i64,
    messages: &[Message],
    max_messages: usize,
) -> Vec<u8> {
    let last = &messages[messages.len().saturating_sub(max_messages)..];
    let messages: Vec<Value> =
        last.iter().map(|message| json!({"role": message.role.name(), "content": message.content})).collect();
    json!({"session_id": session, "agent_id": agent, "top_k": top_k, "messages": messages})
        .to_string()
        .into_bytes()
}

/// The texts of an answer: an array of strings, without blank ones. The error says what it is instead.
pub fn read(body: &[u8]) -> Result<Vec<String>, String> {
    let not_json = || "the answer is not JSON".to_string();
    match body.trim_ascii_start().first() {
        None => Err("the answer is empty".to_string()),
        Some(b'[') => {
            let mut fault = None;
            let mut reader = serde_json::Deserializer::from_slice(body);
            let texts = reader.deserialize_seq(Texts(&mut fault));
            let texts = texts.and_then(|texts| reader.end().map(|()| texts));
            texts.map_err(|_| fault.unwrap_or_else(not_json))
        }
        Some(first) => Err(match serde_json::from_slice::<IgnoredAny>(body) {
            Ok(_) => format!("the answer is {}, not an array of strings", kind_of(*first)),
            Err(_) => not_json(),
        }),
    }
}

/// What a JSON value is that begins with this byte.
fn kind_of(first: u8) -> &'static str {
    match first {
        b'"' => "a string",
        b'[' => "an array",
        b'{' => "an object",
        b't' | b'f' => "a boolean",
        b'n' => "null",
        _ => "a number",
    }
}

/// Reads an array of strings, and keeps what is wrong with it. It stops at the first fault: the answer may be long.
struct Texts<'a>(&'a mut Option<String>);

impl Texts<'_> {
    fn fails<T, E: de::Error>(self, fault: String) -> Result<T, E> {
        let error = E::custom(&fault);
        *self.0 = Some(fault);
        Err(error)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
        let mut texts = Vec::new();
        let mut place = 0;
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            place += 1;
            if place > MAX_TEXTS {
                return self.fails(format!("the answer has more than {MAX_TEXTS} items"));
            }
            let Ok(text) = serde_json::from_str::<String>(item.get()) else {
                return self.fails(match item.get().as_bytes().first() {
                    Some(b'"') | None => format!("item {place} of the answer is not Unicode"),
                    Some(first) => format!("item {place} of the answer is {}, not a string", kind_of(*first)),
                });
            };
            if !text.trim().is_empty() {
                // No text of PostgreSQL has a NUL.
                texts.push(text.replace('\0', "\u{fffd}"));
            }
        }
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation;
    use proptest::prelude::*;

    fn conversation(messages: usize) -> Vec<Message> {
        let role = |n: usize| ["user", "assistant", "function"][n % 3];
        let messages: Vec<Value> =
            (0..messages).map(|n| json!({"role": role(n), "content": format!("m{n}")})).collect();
        conversation::parse(&Value::Array(messages)).unwrap()
    }

    #[test]
    fn the_last_messages_are_sent() {
        let sent: Value =
            serde_json::from_slice(&request(Some("sess_1"), Some("agt_1"), 5, &conversation(1_000), 2))
                .unwrap();
        assert_eq!(
            sent,
            json!({"session_id": "sess_1", "agent_id": "agt_1", "top_k": 5, "messages": [
                {"role": "tool", "content": "m998"}, {"role": "customer", "content": "m999"}]})
        );
        let sent: Value = serde_json::from_slice(&request(None, None, 1, &conversation(1), 20)).unwrap();
        assert_eq!(
            sent,
            json!({"session_id": null, "agent_id": null, "top_k": 1, "messages": [{"role": "customer", "content": "m0"}]})
        );
    }

    #[test]
    fn only_an_array_of_strings_is_an_answer() {
        assert_eq!(read(br#"["a", " ", "", "b\n"]"#), Ok(vec!["a".to_string(), "b\n".to_string()]));
        assert_eq!(read(b"[]"), Ok(Vec::new()));
        let many = serde_json::to_vec(&vec!["a"; MAX_TEXTS]).unwrap();
        assert_eq!(read(&many).map(|texts| texts.len()), Ok(MAX_TEXTS));
        let more = serde_json::to_vec(&vec![""; MAX_TEXTS + 1]).unwrap();
        assert_eq!(read(&more), Err("the answer has more than 10000 items".to_string()));
        assert_eq!(read(br#"["a\u0000b"]"#), Ok(vec!["a\u{fffd}b".to_string()]));
        for (body, why) in [
            ("", "the answer is empty"),
            ("<html></html>", "the answer is not JSON"),
            ("[\"a\"", "the answer is not JSON"),
            ("[\"a\"] x", "the answer is not JSON"),
            ("{\"snippets\": []}", "the answer is an object, not an array of strings"),
            ("null", "the answer is null, not an array of strings"),
            ("\"a\"", "the answer is a string, not an array of strings"),
            ("[\"a\", 1]", "item 2 of the answer is a number, not a string"),
            ("[[\"a\"]]", "item 1 of the answer is an array, not a string"),
            ("{\"a\": ", "the answer is not JSON"),
            ("[\"a\", \"\\ud800\"]", "item 2 of the answer is not Unicode"),
            ("1", "the answer is a number, not an array of strings"),
            ("[true, nonsense", "item 1 of the answer is a boolean, not a string"),
        ] {
            assert_eq!(read(body.as_bytes()), Err(why.to_string()), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&body);
        }

        #[test]
        fn texts_come_back(texts in prop::collection::vec("\\PC{0,20}", 0..10)) {
            let body = serde_json::to_vec(&texts).unwrap();
            let expected: Vec<String> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
            prop_assert_eq!(read(&body), Ok(expected));
        }
    }
}
