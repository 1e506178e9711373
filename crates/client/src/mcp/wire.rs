//! Messages as they arrive. Whatever has an id gets an answer: what the library of the protocol drops or cannot name a reason for
//! is answered here, in the words of JSON-RPC 2.0 (<https://www.jsonrpc.org/specification>).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, InitializeRequestParams, RequestId};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::json;
use serde_json::value::RawValue;

use super::surrogate;

/// Codes of errors.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
/// The methods that this server has.
const METHODS: [&str; 6] =
    ["initialize", "ping", "tools/list", "tools/call", "server/discover", "subscriptions/listen"];

/// What becomes of a message.
pub enum Message {
    /// The protocol handles it.
    Good(Box<ClientJsonRpcMessage>),
    /// It gets these answers.
    Bad(Vec<Reply>),
    /// It needs no answer, and says nothing that the protocol knows.
    Ignored,
}

/// An answer to a message that the protocol does not handle.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    /// The id of the request, as JSON; None if it has no usable one.
    pub id: Option<String>,
    /// The answer, as JSON in one line.
    pub text: String,
}

impl Reply {
    fn new(id: Option<&str>, member: &str, value: &serde_json::Value) -> Reply {
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"{member}\":{value}}}", id.unwrap_or("null"));
        Reply { id: id.map(str::to_string), text }
    }

    fn error(id: Option<&str>, code: i32, message: &str) -> Reply {
        Reply::new(id, "error", &json!({"code": code, "message": message}))
    }

    /// To a request whose id another one has that is not answered yet: one of both would get no answer.
    pub fn in_use(id: &RequestId) -> Reply {
        let id = serde_json::to_string(id).ok();
        Reply::error(id.as_deref(), INVALID_REQUEST, "a request with this id is being answered")
    }

    /// To a message that is longer than what is read.
    pub fn too_long(id: Option<&str>, max: usize) -> Reply {
        Reply::error(usable(id), INVALID_REQUEST, &format!("the message is longer than {max} bytes"))
    }
}

impl From<Reply> for Message {
    fn from(reply: Reply) -> Message {
        Message::Bad(vec![reply])
    }
}

/// The members of an object, each as the text that it has; of members with the same name, the last.
struct Members<'a> {
    by_name: BTreeMap<Cow<'a, str>, &'a RawValue>,
    twice: Option<String>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let (mut by_name, mut twice) = (BTreeMap::new(), None);
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if by_name.insert(Cow::Owned(name.clone()), value).is_some() {
                        twice = Some(name);
                    }
                }
                Ok(Members { by_name, twice })
            }
        }
        deserializer.deserialize_map(Read)
    }
}

impl Members<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|value| value.get())
    }

    /// The id of a request, if an answer can have it.
    fn id(&self) -> Option<&str> {
        usable(self.get("id"))
    }
}

/// The text of an id, if an answer can have it: that of a string or number.
fn usable(id: Option<&str>) -> Option<&str> {
    id.filter(|id| kind(id) == "a string" || kind(id) == "a number")
}

/// What a JSON text is.
fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// How many bytes the mark has that some programs write before UTF-8.
pub fn mark(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}

/// Reads one message.
pub fn read(bytes: &[u8]) -> Message {
    let bytes = bytes[mark(bytes)..].trim_ascii();
    match str::from_utf8(bytes) {
        Ok(text) => read_text(text),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let members = serde_json::from_str::<Members>(&text).ok();
            let why = format!("the message is not UTF-8 (byte {})", error.valid_up_to() + 1);
            Reply::error(members.as_ref().and_then(Members::id), PARSE_ERROR, &why).into()
        }
    }
}

fn read_text(text: &str) -> Message {
    let half = surrogate::lone(text);
    // What is not JSON cannot have an id.
    let not_json = match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => None,
        Err(error) => Some(Reply::error(None, PARSE_ERROR, &format!("the message is not JSON: {error}"))),
    };
    if let Some(reply) = not_json {
        return reply.into();
    }
    match kind(text) {
        "an object" => {}
        "an array" => return batch(text),
        other => {
            return Reply::error(None, INVALID_REQUEST, &format!("a message must be an object, not {other}"))
                .into();
        }
    }
    // The name of a member can have half a character, too.
    let whole = half.as_ref().map(|_| surrogate::replaced(text));
    let members = serde_json::from_str::<Members>(text)
        .or_else(|_| serde_json::from_str::<Members>(whole.as_deref().unwrap_or(text)));
    match members {
        Ok(members) => read_object(text, &members, half),
        Err(error) => {
            Reply::error(None, INVALID_REQUEST, &format!("the message cannot be read: {error}")).into()
        }
    }
}

/// Several messages at once: the protocol has dropped that.
fn batch(text: &str) -> Message {
    let why = "messages must be sent one by one, not in an array";
    let parts: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    let id = |part: &&RawValue| {
        let members = serde_json::from_str::<Members>(part.get()).ok()?;
        members.id().map(str::to_string)
    };
    let mut replies: Vec<Reply> =
        parts.iter().filter_map(id).map(|id| Reply::error(Some(&id), INVALID_REQUEST, why)).collect();
    if replies.is_empty() {
        replies.push(Reply::error(None, INVALID_REQUEST, why));
    }
    Message::Bad(replies)
}

fn read_object(text: &str, members: &Members, half: Option<String>) -> Message {
    let id = members.id();
    let method = match members.get("method") {
        Some(method) => method,
        // An answer of the client. One that nobody has asked for must not be answered.
        None if members.get("result").is_some() || members.get("error").is_some() => return good(text),
        None => return Reply::error(id, INVALID_REQUEST, "the message has no method").into(),
    };
    if let Some(wrong) = wrong_envelope(members) {
        return Reply::error(id, INVALID_REQUEST, &wrong).into();
    }
    let method = serde_json::from_str::<String>(&surrogate::replaced(method)).unwrap_or_default();
    let Some(id) = id else { return good(&surrogate::replaced(text)) };
    if let Some(half) = half {
        let why =
            format!("a string has half of a character, {half}: send the whole character, or leave it out");
        return match method.as_str() {
            // The model can correct it.
            "tools/call" => {
                let content = json!({"content": [{"type": "text", "text": why}], "isError": true});
                Reply::new(Some(id), "result", &content).into()
            }
            _ => Reply::error(Some(id), INVALID_PARAMS, &why).into(),
        };
    }
    if let Some(wrong) = wrong_params(&method, members.get("params")) {
        return Reply::error(Some(id), INVALID_PARAMS, &wrong).into();
    }
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message) if !is_unread(&message) => Message::Good(Box::new(message)),
        // Too deep, or with a number that is too large.
        Err(error) if !error.is_data() => {
            Reply::error(Some(id), INVALID_REQUEST, &format!("the message cannot be read: {error}")).into()
        }
        _ if !METHODS.contains(&method.as_str()) => {
            Reply::error(Some(id), METHOD_NOT_FOUND, "there is no such method").into()
        }
        _ => Reply::error(Some(id), INVALID_PARAMS, &format!("the params of {method} are not valid")).into(),
    }
}

/// A message without an id: it is not answered.
fn good(text: &str) -> Message {
    match serde_json::from_str(text) {
        Ok(message) => Message::Good(Box::new(message)),
        Err(_) => Message::Ignored,
    }
}

/// What is wrong with the members that all requests have.
fn wrong_envelope(members: &Members) -> Option<String> {
    if let Some(name) = &members.twice {
        return Some(format!("the message has {} twice", json!(name)));
    }
    if members.get("jsonrpc") != Some("\"2.0\"") {
        return Some("\"jsonrpc\" must be \"2.0\"".to_string());
    }
    if let Some(method) = members.get("method").filter(|method| kind(method) != "a string") {
        return Some(format!("the method must be a string, not {}", kind(method)));
    }
    for answer in ["result", "error"] {
        if members.get(answer).is_some() {
            return Some(format!("the message has both a method and \"{answer}\""));
        }
    }
    let id = members.get("id")?;
    match kind(id) {
        "a string" => None,
        "a number" => match serde_json::from_str::<RequestId>(id) {
            Ok(_) => None,
            Err(_) => Some(format!("the id must be a string or a whole number of 64 bits, not {id}")),
        },
        other => Some(format!("the id must be a string or a whole number, not {other}")),
    }
}

/// What is wrong with the params of a request. Those of a method that there is not do not matter, and null is none.
fn wrong_params(method: &str, params: Option<&str>) -> Option<String> {
    let params = params.filter(|params| METHODS.contains(&method) && kind(params) != "null");
    if let Some(params) = params.filter(|params| kind(params) != "an object") {
        return Some(format!("the params of {method} must be an object, not {}", kind(params)));
    }
    let meta = |params| serde_json::from_str::<Members>(params).ok()?.get("_meta").map(kind);
    if let Some(other) = params.and_then(meta).filter(|kind| *kind != "an object") {
        return Some(format!("the _meta of {method} must be an object, not {other}"));
    }
    match method {
        "tools/call" => wrong_call(params.unwrap_or("{}")),
        "initialize" => serde_json::from_str::<InitializeRequestParams>(params.unwrap_or("{}"))
            .err()
            .map(|error| format!("the params of initialize cannot be read: {error}")),
        _ => None,
    }
}

fn wrong_call(params: &str) -> Option<String> {
    let params = serde_json::from_str::<Members>(params).ok()?;
    match params.get("name") {
        Some(name) if kind(name) == "a string" => {}
        Some(other) => return Some(format!("the name of a tool must be a string, not {}", kind(other))),
        None => return Some("tools/call needs the name of a tool".to_string()),
    }
    let arguments = params.get("arguments")?;
    match kind(arguments) {
        "an object" | "null" => None,
        "a string" => Some(
            "the arguments of a tool must be an object, not a string: send the object itself".to_string(),
        ),
        other => Some(format!("the arguments of a tool must be an object, not {other}")),
    }
}

/// Whether a request is one that the protocol has, with params that it does not have: the library takes it for an unknown one.
fn is_unread(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    let ClientRequest::CustomRequest(custom) = &request.request else { return false };
    METHODS.contains(&custom.method.as_str())
}

#[cfg(test)]
mod tests;
