//! Tests the scripted provider itself over a plain socket, so that the tests that use it prove something.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use kb_rag_cluster_tests::mock::{Gate, Mock, Reply};
use serde_json::{Value, json};

/// A client that sends one request after the other over one connection.
struct Client(TcpStream);

impl Client {
    fn to(mock: &Mock) -> Client {
        let stream = TcpStream::connect(mock.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Client(stream)
    }

    fn send(&mut self, path: &str, header: &str, body: &Value) {
        let body = body.to_string();
        write!(
            self.0,
            "POST {path} HTTP/1.1\r\nHost: x\r\n{header}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
    }

    /// Status, head and body.
    fn receive(&mut self) -> (u16, String, Vec<u8>) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let length = head.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head, body)
    }

    fn ask(&mut self, path: &str, body: &Value) -> (u16, Value) {
        self.send(path, "", body);
        let (status, _, body) = self.receive();
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|n| n.as_f64().unwrap() as f32).collect()
}

#[test]
fn every_kind_answers_in_its_own_form() {
    let texts = json!(["one", "two"]);
    let google = |n: usize| {
        let request =
            json!({"model": "models/m", "content": {"parts": [{"text": "one"}]}, "outputDimensionality": 4});
        json!({"requests": vec![request; n]})
    };
    let cases = [
        (
            Mock::openai(),
            "/v1/embeddings",
            json!({"model": "m", "input": texts, "dimensions": 4}),
            "/data/0/embedding",
        ),
        (
            Mock::ollama(),
            "/api/embed",
            json!({"model": "m", "input": texts, "dimensions": 4}),
            "/embeddings/0",
        ),
        (Mock::google(), "/v1beta/models/m:batchEmbedContents", google(2), "/embeddings/0/values"),
        (
            Mock::cohere(),
            "/v2/embed",
            json!({"model": "m", "texts": texts, "input_type": "search_query", "output_dimension": 4}),
            "/embeddings/float/0",
        ),
        (
            Mock::voyage(),
            "/v1/embeddings",
            json!({"model": "m", "input": texts, "output_dimension": 4}),
            "/data/0/embedding",
        ),
        (
            Mock::mistral(),
            "/v1/embeddings",
            json!({"model": "m", "input": texts, "output_dimension": 4}),
            "/data/0/embedding",
        ),
        (Mock::tei(), "/embed", json!({"inputs": texts, "dimensions": 4}), "/0"),
    ];
    for (mock, path, body, place) in cases {
        let (status, answer) = Client::to(&mock).ask(path, &body);
        assert_eq!(status, 200, "{answer}");
        let given = numbers(answer.pointer(place).unwrap());
        assert_eq!(given, mock.vector("one", 4), "{}", mock.kind());
        let length: f32 = given.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5);
        mock.wait_until_quiet();
        let calls = mock.calls();
        assert_eq!(calls.len(), 1);
        assert_eq!((calls[0].texts.len(), calls[0].dimensions), (2, Some(4)), "{}", mock.kind());
        assert!(calls[0].succeeded() && calls[0].sent > 100);
    }
}

#[test]
fn base64_contains_the_same_numbers_as_an_array() {
    let mock = Mock::openai();
    let (_, answer) = Client::to(&mock)
        .ask("/v1/embeddings", &json!({"model": "m", "input": "text", "encoding_format": "base64"}));
    let packed = STANDARD.decode(answer["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let given: Vec<f32> = packed.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(given, mock.vector("text", 8));
    assert_ne!(given, Mock::openai_with_salt("other").vector("text", 8));
}

#[test]
fn limits_keys_and_routes_are_those_of_the_services() {
    let (google, tei, mistral, ollama, openai) =
        (Mock::google(), Mock::tei(), Mock::mistral(), Mock::ollama(), Mock::openai());
    let request = json!({"model": "models/m", "content": {"parts": [{"text": "one"}]}});
    let many = json!({"requests": vec![request; 101]});
    assert_eq!(Client::to(&google).ask("/v1beta/models/m:batchEmbedContents", &many).0, 400);
    assert_eq!(Client::to(&tei).ask("/embed", &json!({"inputs": vec!["x"; 33]})).0, 413);
    let unknown = json!({"model": "m", "input": ["x"], "dimensions": 4});
    assert_eq!(Client::to(&mistral).ask("/v1/embeddings", &unknown).0, 422);
    assert_eq!(Client::to(&openai).ask("/v1/embeddings", &json!({"model": "m", "input": [""]})).0, 400);
    assert_eq!(Client::to(&openai).ask("/v1/other", &json!({})).0, 404);

    ollama.legacy_only();
    let mut client = Client::to(&ollama);
    assert_eq!(client.ask("/api/embed", &json!({"model": "m", "input": ["x"]})).0, 404);
    let (status, answer) = client.ask("/api/embeddings", &json!({"model": "m", "prompt": "x"}));
    assert_eq!((status, numbers(&answer["embedding"])), (200, ollama.vector("x", 8)));

    openai.require_key("sk-right");
    let body = json!({"model": "m", "input": ["x"]});
    let mut client = Client::to(&openai);
    assert_eq!(client.ask("/v1/embeddings", &body).0, 401);
    client.send("/v1/embeddings", "Authorization: Bearer sk-right\r\n", &body);
    assert_eq!(client.receive().0, 200);
    assert_eq!(openai.calls().last().unwrap().header("authorization"), Some("Bearer sk-right"));
}

#[test]
fn replies_come_from_the_script_then_from_the_rules_then_from_the_service() {
    let mock = Mock::openai();
    mock.next(Reply::error(429, "slow down").header("retry-after", "3"));
    mock.next(Reply::raw(200, "text/html", "<html>"));
    mock.when(|call| call.mentions("poison"), Reply::error(400, "bad text"));
    let mut client = Client::to(&mock);
    let ask = |text: &str| json!({"model": "m", "input": [text]});
    client.send("/v1/embeddings", "", &ask("poison"));
    let (status, head, body) = client.receive();
    assert_eq!(status, 429);
    assert!(head.contains("retry-after: 3\r\n"), "{head}");
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["error"]["message"], "slow down");
    client.send("/v1/embeddings", "", &ask("poison"));
    assert_eq!(client.receive().2, b"<html>");
    assert_eq!(client.ask("/v1/embeddings", &ask("poison")).0, 400);
    assert_eq!(client.ask("/v1/embeddings", &ask("good")).0, 200);
    mock.heal();
    assert_eq!(client.ask("/v1/embeddings", &ask("poison")).0, 200);
    assert_eq!((mock.calls().len(), mock.connections(), mock.times_sent("poison")), (5, 1, 4));
    mock.wait_until_quiet();
    let statuses: Vec<Option<u16>> = mock.calls().iter().map(|call| call.status).collect();
    assert_eq!(statuses, [429, 200, 400, 200, 200].map(Some));
}

#[test]
fn a_gate_holds_replies_back_and_the_log_records_disconnects() {
    let mock = Mock::openai();
    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    let body = json!({"model": "m", "input": ["x"]});
    let mut clients = [Client::to(&mock), Client::to(&mock), Client::to(&mock)];
    for client in &mut clients {
        client.send("/v1/embeddings", "", &body);
    }
    mock.wait_for_calls(3);
    assert_eq!(mock.max_at_once(), 3);
    assert!(mock.calls().iter().all(|call| call.ended.is_none()));
    let [left, mut stays, mut stays_too] = clients;
    drop(left);
    mock.wait_until("an aborted call", |calls| calls.iter().any(|call| call.ended.is_some()));
    gate.open();
    assert_eq!((stays.receive().0, stays_too.receive().0), (200, 200));
    mock.wait_until_quiet();
    let answered = mock.calls().iter().filter(|call| call.succeeded()).count();
    assert_eq!(answered, 2);
}

#[test]
fn faults_match_their_names() {
    let mock = Mock::openai();
    let body = json!({"model": "m", "input": ["x"]});
    let after = |reply: Reply| {
        mock.next(reply);
        let mut client = Client::to(&mock);
        client.send("/v1/embeddings", "", &body);
        client
    };
    let all = |mut client: Client| {
        let mut bytes = Vec::new();
        let result = client.0.read_to_end(&mut bytes);
        (bytes, result.map_err(|e| e.kind()))
    };
    assert_eq!(all(after(Reply::reset())), (Vec::new(), Err(ErrorKind::ConnectionReset)));
    let (bytes, result) = all(after(Reply::reset_midway()));
    // Data in transit may be lost with the connection.
    assert!(result == Err(ErrorKind::ConnectionReset) && !bytes.ends_with(b"}"));
    let (bytes, result) = all(after(Reply::cut()));
    assert!(result.is_ok() && bytes.starts_with(b"HTTP/1.1 200") && !bytes.ends_with(b"}"));
    let (bytes, _) = all(after(Reply::garbage()));
    assert!(bytes.len() == 700 && !bytes.starts_with(b"HTTP"));
    let (status, _, truncated) = after(Reply::truncated()).receive();
    assert!(status == 200 && serde_json::from_slice::<Value>(&truncated).is_err());

    let began = Instant::now();
    let (_, _, dripped) = after(Reply::drip(Duration::from_millis(1))).receive();
    assert!(
        serde_json::from_slice::<Value>(&dripped).is_ok() && began.elapsed() > Duration::from_millis(200)
    );

    let mut hanging = after(Reply::hang());
    hanging.0.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    assert!(hanging.0.read(&mut [0]).is_err());

    let (_, _, changed) = after(Reply::changed(|vectors| vectors[0].vector[0] = f32::NAN)).receive();
    assert!(serde_json::from_slice::<Value>(&changed).unwrap()["data"][0]["embedding"][0].is_null());

    let (_, head, packed) = after(Reply::gzip_bomb(20 << 20)).receive();
    assert!(head.contains("content-encoding: gzip") && packed.len() < 1 << 20, "{head}, {}", packed.len());
    let mut unpacked = GzDecoder::new(packed.as_slice()).take(20 << 20);
    assert_eq!(std::io::copy(&mut unpacked, &mut std::io::sink()).unwrap(), 20 << 20);

    let endless = after(Reply::endless(10 << 30));
    let mut start = vec![0; 1 << 20];
    (&endless.0).read_exact(&mut start).unwrap();
    drop(endless);
    mock.wait_until("an answer that is not read", |calls| {
        calls.last().is_some_and(|call| call.ended.is_some() && call.status.is_none() && call.sent < 1 << 30)
    });
}

#[test]
fn non_http_is_answered_with_garbage_and_is_not_a_call() {
    let mock = Mock::openai();
    let mut client = Client::to(&mock);
    client.0.write_all(&[0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]).unwrap();
    let mut bytes = Vec::new();
    client.0.read_to_end(&mut bytes).unwrap();
    assert!(bytes.len() == 700 && mock.calls().is_empty());
}

#[test]
fn a_dropped_mock_disconnects_its_clients() {
    let mock = Mock::openai();
    mock.always(Reply::hang());
    let mut client = Client::to(&mock);
    client.send("/v1/embeddings", "", &json!({"model": "m", "input": ["x"]}));
    mock.wait_for_calls(1);
    thread::spawn(move || drop(mock));
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
}
