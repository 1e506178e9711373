//! Conversations as applications hand them over: a JSON array of messages with `role` and `content`.

use serde_json::Value;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Who is served.
    Customer,
    /// The chat model, or a person in its place.
    Agent,
    /// The result of a tool.
    Tool,
}

impl Role {
    /// The role of this name, in any case. None for instructions to the model, and for unknown names.
    pub fn from_name(name: &str) -> Option<Role> {
        match name.trim().to_lowercase().as_str() {
            "customer" | "user" | "human" => Some(Role::Customer),
            "agent" | "assistant" | "bot" => Some(Role::Agent),
            "tool" | "function" => Some(Role::Tool),
            _ => None,
        }
    }

    /// Its name in the contract of search endpoints.
    pub fn name(self) -> &'static str {
        match self {
            Role::Customer => "customer",
            Role::Agent => "agent",
            Role::Tool => "tool",
        }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who wrote it.
    pub role: Role,
    /// Its text, which may be empty.
    pub content: String,
}

/// The messages of a conversation in their order, those of other roles left out. The error says what is wrong, with the
/// number of the message from 1.
pub fn parse(messages: &Value) -> Result<Vec<Message>, String> {
    let Value::Array(messages) = messages else {
        return Err("messages is not an array".to_string());
    };
    let mut parsed = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let number = place + 1;
        let Value::Object(members) = message else {
            return Err(format!("message {number} is not an object"));
        };
        let role = match members.get("role") {
            Some(Value::String(role)) => role,
            _ => return Err(format!("message {number} has no role")),
        };
        let Some(role) = Role::from_name(role) else { continue };
        let content = text_of(members.get("content")).ok_or_else(|| {
            format!("the content of message {number} is neither a text nor an array of texts")
        })?;
        parsed.push(Message { role, content });
    }
    Ok(parsed)
}

/// The text of a content: a string, or parts of which those of type `text` count, as chat APIs have them. A message that only
/// calls tools has null or none.
fn text_of(content: Option<&Value>) -> Option<String> {
    match content {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(parts)) => {
            let texts: Option<Vec<&str>> = parts
                .iter()
                .filter(|part| part.get("type").is_none_or(|kind| kind == "text"))
                .map(|part| part.as_str().or_else(|| part.get("text").and_then(Value::as_str)))
                .collect();
            texts.map(|texts| texts.join("\n"))
        }
        Some(_) => None,
    }
}

/// The last message of the customer that is not blank.
pub fn last_of_customer(messages: &[Message]) -> Option<&str> {
    let of_customer = messages.iter().rev().filter(|message| message.role == Role::Customer);
    of_customer.map(|message| message.content.trim()).find(|content| !content.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn roles_have_many_spellings() {
        let messages = json!([
            {"role": "system", "content": "a"}, {"role": "User", "content": "b"}, {"role": " human ", "content": "c"},
            {"role": "customer", "content": "d"}, {"role": "ASSISTANT", "content": "e"}, {"role": "bot", "content": "f"},
            {"role": "agent", "content": "g"}, {"role": "function", "content": "h"}, {"role": "tool", "content": "i"},
            {"role": "developer", "content": "j"}
        ]);
        let parsed = parse(&messages).unwrap();
        let found: Vec<(&str, &str)> = parsed.iter().map(|m| (m.role.name(), m.content.as_str())).collect();
        let expected = [
            ("customer", "b"),
            ("customer", "c"),
            ("customer", "d"),
            ("agent", "e"),
            ("agent", "f"),
            ("agent", "g"),
            ("tool", "h"),
            ("tool", "i"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_content_may_have_parts() {
        let messages = json!([
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {}}, "two"]},
            {"role": "assistant", "content": null},
            {"role": "assistant"},
            {"role": "user", "content": "  "}
        ]);
        let parsed = parse(&messages).unwrap();
        assert_eq!(parsed[0].content, "one\ntwo");
        assert_eq!((parsed[1].content.as_str(), parsed[2].content.as_str()), ("", ""));
        assert_eq!(last_of_customer(&parsed), Some("one\ntwo"));
    }

    #[test]
    fn mistakes_are_named() {
        for (messages, expected) in [
            (json!({}), "messages is not an array"),
            (json!(null), "messages is not an array"),
            (json!([{"role": "user"}, "text"]), "message 2 is not an object"),
            (json!([{"content": "text"}]), "message 1 has no role"),
            (json!([{"role": 1, "content": "text"}]), "message 1 has no role"),
            (
                json!([{"role": "user", "content": 1}]),
                "the content of message 1 is neither a text nor an array of texts",
            ),
            (
                json!([{"role": "user", "content": [{"type": "text", "text": 1}]}]),
                "the content of message 1 is neither a text nor an array of texts",
            ),
        ] {
            assert_eq!(parse(&messages).unwrap_err(), expected);
        }
    }

    proptest! {
        #[test]
        fn the_last_of_the_customer_is_after_all_others(contents in prop::collection::vec((0usize..3, "[ a-z]{0,4}"), 0..12)) {
            let roles = ["user", "assistant", "tool"];
            let messages: Vec<Value> =
                contents.iter().map(|(role, content)| json!({"role": roles[*role], "content": content})).collect();
            let parsed = parse(&Value::Array(messages)).unwrap();
            prop_assert_eq!(parsed.len(), contents.len());
            let expected = contents.iter().rfind(|(role, content)| *role == 0 && !content.trim().is_empty());
            prop_assert_eq!(last_of_customer(&parsed), expected.map(|(_, content)| content.trim()));
        }
    }
}
