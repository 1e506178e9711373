use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// The answers to a message, which the protocol must not get.
fn replies(bytes: &[u8]) -> Vec<Value> {
    let Message::Bad(replies) = read(bytes) else {
        panic!("no answer to {}", String::from_utf8_lossy(bytes))
    };
    let parse = |reply: &Reply| {
        assert!(!reply.text.contains('\n'), "{}", reply.text);
        let value: Value = serde_json::from_str(&reply.text).unwrap();
        let id = reply.id.as_ref().map(|id| serde_json::from_str::<Value>(id).unwrap());
        assert_eq!((&value["jsonrpc"], &value["id"]), (&json!("2.0"), &id.unwrap_or(Value::Null)));
        value
    };
    replies.iter().map(parse).collect()
}

#[track_caller]
fn refused(bytes: &[u8], id: Value, code: i32, said: &str) {
    let replies = replies(bytes);
    let [reply] = replies.as_slice() else { panic!("{replies:?}") };
    let message = reply["error"]["message"].as_str().unwrap();
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&id, &json!(code)), "{reply}");
    assert!(message.contains(said), "{message}");
}

#[test]
fn what_is_no_request_is_refused() {
    let bad_utf8 = [&b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x"[..], &[0xff], &b"\"}"[..]].concat();
    refused(&bad_utf8, json!(5), PARSE_ERROR, "is not UTF-8 (byte 36)");
    refused(&[0xff, 0xfe], Value::Null, PARSE_ERROR, "is not UTF-8");
    for (line, id, code, said) in [
        ("{", Value::Null, PARSE_ERROR, "is not JSON: EOF"),
        ("", Value::Null, PARSE_ERROR, "is not JSON"),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","#, Value::Null, PARSE_ERROR, "is not JSON"),
        (r#"{"jsonrpc":"2.0","id":4,"method":"ping"}}"#, Value::Null, PARSE_ERROR, "trailing"),
        (r#"{'id': 1}"#, Value::Null, PARSE_ERROR, "is not JSON"),
        ("{\"id\":1,\"method\":\"a\u{0}\"}", Value::Null, PARSE_ERROR, "control character"),
        ("5", Value::Null, INVALID_REQUEST, "must be an object, not a number"),
        (r#""ping""#, Value::Null, INVALID_REQUEST, "must be an object, not a string"),
        ("null", Value::Null, INVALID_REQUEST, "must be an object, not null"),
        ("true", Value::Null, INVALID_REQUEST, "must be an object, not a boolean"),
        ("[]", Value::Null, INVALID_REQUEST, "one by one"),
        ("[1,2]", Value::Null, INVALID_REQUEST, "one by one"),
        (r#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#, json!(6), INVALID_REQUEST, "one by one"),
        ("{}", Value::Null, INVALID_REQUEST, "has no method"),
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), INVALID_REQUEST, "has no method"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            json!(1),
            INVALID_REQUEST,
            "must be a string, not a number",
        ),
        (r#"{"jsonrpc":"2.0","method":null}"#, Value::Null, INVALID_REQUEST, "must be a string, not null"),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), INVALID_REQUEST, "must be \"2.0\""),
        (r#"{"id":1,"method":"ping"}"#, json!(1), INVALID_REQUEST, "must be \"2.0\""),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, json!(2), INVALID_REQUEST, "\"id\" twice"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, json!(1), INVALID_REQUEST, "both"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, INVALID_REQUEST, "not null"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, Value::Null, INVALID_REQUEST, "not a boolean"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, Value::Null, INVALID_REQUEST, "not an array"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, INVALID_REQUEST, "not an object"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), INVALID_REQUEST, "whole number"),
        (
            r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#,
            json!(1e20),
            INVALID_REQUEST,
            "64 bits",
        ),
    ] {
        refused(line.as_bytes(), id, code, said);
    }
    let two = replies(br#"[{"jsonrpc":"2.0","id":1,"method":"a"}, {"id":"b"}, {"method":"c"}]"#);
    assert_eq!(two.iter().map(|reply| reply["id"].clone()).collect::<Vec<_>>(), [json!(1), json!("b")]);
    let kept = Reply::too_long(Some("7"), 99);
    assert_eq!(kept.id.as_deref(), Some("7"));
    assert!(kept.text.contains("longer than 99 bytes"), "{}", kept.text);
    assert_eq!(Reply::too_long(Some("{}"), 99).id, None);
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":3,"method":"{method}","params":{params}}}"#)
}

#[test]
fn wrong_params_are_named() {
    for (method, params, code, said) in [
        ("tools/call", "[]", INVALID_PARAMS, "the params of tools/call must be an object, not an array"),
        ("tools/call", "null", INVALID_PARAMS, "needs the name of a tool"),
        ("tools/call", "{}", INVALID_PARAMS, "needs the name of a tool"),
        ("tools/call", r#"{"name":5}"#, INVALID_PARAMS, "must be a string, not a number"),
        (
            "tools/call",
            r#"{"name":"a","arguments":"{\"query\":1}"}"#,
            INVALID_PARAMS,
            "not a string: send the object",
        ),
        (
            "tools/call",
            r#"{"name":"a","arguments":["q"]}"#,
            INVALID_PARAMS,
            "must be an object, not an array",
        ),
        ("tools/call", r#"{"name":"a","arguments":7}"#, INVALID_PARAMS, "must be an object, not a number"),
        (
            "tools/call",
            r#"{"name":"a","arguments":true}"#,
            INVALID_PARAMS,
            "must be an object, not a boolean",
        ),
        (
            "tools/call",
            r#"{"name":"a","_meta":5}"#,
            INVALID_PARAMS,
            "the _meta of tools/call must be an object",
        ),
        ("tools/call", r#"{"name":"a","arguments":{"n":1e400}}"#, INVALID_REQUEST, "number out of range"),
        ("tools/list", "7", INVALID_PARAMS, "the params of tools/list must be an object, not a number"),
        ("ping", r#""x""#, INVALID_PARAMS, "the params of ping must be an object, not a string"),
        ("initialize", "{}", INVALID_PARAMS, "missing field `protocolVersion`"),
        ("initialize", "null", INVALID_PARAMS, "missing field `protocolVersion`"),
        ("initialize", r#"{"protocolVersion":1}"#, INVALID_PARAMS, "the params of initialize cannot be read"),
        ("subscriptions/listen", "{}", INVALID_PARAMS, "the params of subscriptions/listen are not valid"),
        ("no/such/method", "[1]", METHOD_NOT_FOUND, "no such method"),
        ("ping\\ud83d", "{}", INVALID_PARAMS, "half of a character"),
        ("no/such/method", "[1]", METHOD_NOT_FOUND, "no such method"),
    ] {
        refused(request(method, params).as_bytes(), json!(3), code, said);
    }
    let deep = format!(r#"{{"name":"a","arguments":{{"a":{}{}}}}}"#, "[".repeat(500), "]".repeat(500));
    refused(request("tools/call", &deep).as_bytes(), json!(3), INVALID_REQUEST, "recursion limit");
}

#[test]
fn half_of_a_character_is_a_mistake_that_the_model_can_correct() {
    for arguments in [r#"{"query":"pump \ud83d"}"#, r#"{"\udc00":1}"#] {
        let params = format!(r#"{{"name":"search_knowledge","arguments":{arguments}}}"#);
        let replies = replies(request("tools/call", &params).as_bytes());
        assert_eq!((&replies[0]["id"], &replies[0]["result"]["isError"]), (&json!(3), &json!(true)));
        let text = replies[0]["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("half of a character, \\ud"), "{text}");
    }
    refused(
        br#"{"jsonrpc":"2.0","id":"\ud83d","method":"ping","x\ud83d":1}"#,
        json!("\u{fffd}"),
        INVALID_PARAMS,
        "half",
    );
}

#[test]
fn what_the_protocol_handles_is_left_to_it() {
    let whole = request("tools/call", r#"{"name":"a","arguments":{"query":"\ud83d\ude00 a\u0000b"}}"#);
    for line in [
        whole.as_str(),
        &request("tools/list", "null"),
        &request("ping", "null"),
        &request("tools/call", r#"{"name":"a","arguments":null}"#),
        &request("no/such/method", "{}"),
        r#" {"jsonrpc":"2.0","id":-1,"method":"ping"} "#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}",
        r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#,
    ] {
        let Message::Good(message) = read(line.as_bytes()) else { panic!("{line}") };
        assert!(matches!(*message, ClientJsonRpcMessage::Request(_)), "{line}");
    }
    let canceled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"\ud83d"}}"#;
    let Message::Good(message) = read(canceled.as_bytes()) else { panic!("{canceled}") };
    assert!(matches!(*message, ClientJsonRpcMessage::Notification(_)));
    // An answer must not be answered, as two programs that answer each other would never end.
    for line in [
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":5}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":5}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}"#,
    ] {
        assert!(!matches!(read(line.as_bytes()), Message::Bad(_)), "{line}");
    }
}

/// Parts of messages, good and bad.
fn part() -> impl Strategy<Value = String> {
    let known = [
        r#""jsonrpc":"2.0""#,
        r#""id":1"#,
        r#""id":"a""#,
        r#""id":null"#,
        r#""id":1.5"#,
        r#""method":"tools/call""#,
        r#""method":"ping""#,
        r#""method":7"#,
        r#""params":{}"#,
        r#""params":[1]"#,
        r#""result":{}"#,
        r#""error":{}"#,
        r#""params":{"name":"a","arguments":{"q":"\ud83d"}}"#,
        r#""params":{"name":"a","arguments":"{}"}"#,
        r#""params":{"name":"a","arguments":{}}"#,
        r#""\udfff":1"#,
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "\\",
        "\u{0}",
    ];
    prop::sample::select(known.to_vec()).prop_map(str::to_string)
}

proptest! {
    /// Whatever has an id is answered with it, by the protocol or here, and what is no JSON with null.
    #[test]
    fn whatever_has_an_id_is_answered(parts in prop::collection::vec(part(), 0..7), is_object in prop::bool::weighted(0.9)) {
        let line = parts.join(",");
        let line = if is_object { format!("{{{line}}}") } else { line };
        let message = read(line.as_bytes());
        if let Message::Bad(replies) = &message {
            prop_assert!(!replies.is_empty());
            for reply in replies {
                let value: Value = serde_json::from_str(&reply.text).unwrap();
                prop_assert!(value.get("error").is_some() || value.get("result").is_some());
            }
        }
        match serde_json::from_str::<Value>(&surrogate::replaced(&line)) {
            Ok(value) if value.get("method").is_some() && (value["id"].is_string() || value["id"].is_number()) => match message {
                Message::Good(message) => {
                    prop_assert!(matches!(*message, ClientJsonRpcMessage::Request(_)), "{line}");
                }
                Message::Bad(replies) => {
                    let id = replies[0].id.as_ref().map(|id| serde_json::from_str::<Value>(id).unwrap());
                    prop_assert_eq!((replies.len(), id), (1, Some(value["id"].clone())), "{}", line);
                }
                Message::Ignored => prop_assert!(false, "{line}"),
            },
            Ok(_) => {}
            Err(_) => {
                let Message::Bad(replies) = message else { panic!("{line}") };
                prop_assert!(replies[0].text.contains("-32700") && replies[0].id.is_none(), "{line}");
            }
        }
    }
}
