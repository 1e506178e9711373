//! `kb-rag mcp --http`: who is let in, and clients that are slow, broken or many.

use std::io::{Read, Write};
use std::net::TcpStream;

use kb_rag_cluster_tests::mcp::HttpServed;
use kb_rag_cluster_tests::{Database, Session, socket_directory};
use serde_json::{Value, json};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn base() -> Database {
    let (database, mut client) = Database::with_base("notes");
    client.run("SELECT kb_add('notes', 'The kowari eats insects at night.', title => 'Kowari')");
    database
}

fn serve(database: &Database, arguments: &[&str], variables: &[(&str, &str)]) -> HttpServed {
    HttpServed::start(&socket_directory(), database.name(), "postgres", arguments, variables)
}

/// The JSON of an answer, which may be an event.
fn message(body: &str) -> Value {
    let data = body.split_inclusive('\n').find_map(|line| {
        let text = line.trim().strip_prefix("data:").unwrap_or(line).trim();
        serde_json::from_str::<Value>(text).ok().filter(Value::is_object)
    });
    data.unwrap_or_else(|| panic!("no message: {body}"))
}

#[test]
fn a_client_without_a_session_lists_and_calls() {
    let database = base();
    let served = serve(&database, &[], &[]);
    let (status, body) = served.stateless(&[], "tools/list", None, json!({}));
    assert_eq!(status, 200, "{body}");
    assert_eq!(message(&body)["result"]["tools"][0]["name"], "search_notes");
    let arguments = json!({"name": "search_notes", "arguments": {"query": "What does the kowari eat?"}});
    let (status, body) = served.stateless(&[], "tools/call", Some("search_notes"), arguments);
    assert_eq!(status, 200, "{body}");
    let text = message(&body)["result"]["content"][0]["text"].as_str().unwrap().to_string();
    assert!(text.contains("insects") && text.contains("<passages "), "{text}");
}

#[test]
fn strangers_are_kept_out() {
    let database = base();
    let open = serve(&database, &["--allow-origin", "https://chat.example"], &[]);
    let listed = |served: &HttpServed, headers: &[(&str, &str)]| {
        served.stateless(headers, "tools/list", None, json!({})).0
    };
    for (headers, status) in [
        (vec![], 200),
        (vec![("Origin", "http://localhost:3000")], 200),
        (vec![("Origin", "https://chat.example")], 200),
        (vec![("Origin", "https://evil.example")], 403),
        (vec![("Origin", "null")], 403),
        // A page that reaches this machine by a name of its own.
        (vec![("Host", "evil.example")], 403),
    ] {
        assert_eq!(listed(&open, &headers), status, "{headers:?}");
    }
    let preflight = |served: &HttpServed, origin: &str| {
        let mut stream = served.connect();
        write!(stream, "OPTIONS /mcp HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n", served.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.to_ascii_lowercase()
    };
    let allowed = preflight(&open, "https://chat.example");
    let header = "access-control-allow-origin: https://chat.example";
    assert!(allowed.starts_with("http/1.1 204") && allowed.contains(header), "{allowed}");
    assert!(!preflight(&open, "https://evil.example").contains("access-control-allow-origin"));
    assert_eq!(open.post("/", &[], "{}").0, 404);
    assert_eq!(open.post("/mcp/../etc", &[], "{}").0, 404);

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let by_file = serve(&database, &["--token-file", file.to_str().unwrap()], &[]);
    let by_variable = serve(&database, &[], &[("KB_RAG_TOKEN", TOKEN)]);
    for served in [by_file, by_variable] {
        let with = |token: &str| listed(&served, &[("Authorization", token)]);
        assert_eq!(listed(&served, &[]), 401);
        assert_eq!(with("Bearer 0123456789abcdef0123456789abcdeF"), 401);
        assert_eq!(with(&format!("Basic {TOKEN}")), 401);
        assert_eq!(with(&format!("Bearer {TOKEN}")), 200);
        for method in ["GET", "DELETE", "OPTIONS"] {
            let mut stream = served.connect();
            write!(stream, "{method} /mcp HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: x\r\n\r\n", served.address)
                .unwrap();
            let mut answer = String::new();
            // The server ends the connection.
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 401"), "{method}: {answer}");
        }
        // Also for what does not exist.
        assert_eq!(served.post("/", &[], "{}").0, 401);
    }
}

#[test]
fn bad_requests_are_refused_and_harm_nobody() {
    let database = base();
    let served = serve(&database, &[], &[]);
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"search_notes","arguments":{arguments}}}}}"#
        )
    };
    for (body, status, id, said) in [
        ("{", 400, Value::Null, "is not JSON"),
        ("", 400, Value::Null, "is not JSON"),
        ("[]", 400, Value::Null, "one by one"),
        ("{}", 400, Value::Null, "has no method"),
        (r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#, 200, json!(2), "one by one"),
        (&call("\"{}\""), 200, json!(1), "must be an object, not a string"),
        (&call("{\"query\":\"pump \\ud83d\"}"), 200, json!(1), "half of a character"),
        (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call"}"#, 200, json!(3), "needs the name"),
    ] {
        let (given, answer) = served.post("/mcp", &[], body);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{body}: {answer}"));
        assert_eq!((given, &answer["id"]), (status, &id), "{body}: {answer}");
        assert!(answer.to_string().contains(said), "{body}: {answer}");
    }
    let nul = json!({"name": "search_notes", "arguments": {"query": "a\u{0}b"}});
    let (status, body) = served.stateless(&[], "tools/call", Some("search_notes"), nul);
    assert!(status == 200 && body.contains("has a NUL character"), "{body}");
    assert_eq!(
        served
            .post(
                "/mcp",
                &[("Mcp-Session-Id", "none")],
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
            )
            .0
            / 100,
        4
    );
    assert_eq!(served.post("/mcp", &[], &"x".repeat(3 << 20)).0, 413);
    let big = json!({"name": "search_notes", "arguments": {"query": "x".repeat(1_500_000)}});
    let (status, body) = served.stateless(&[], "tools/call", Some("search_notes"), big);
    assert_eq!((status, &message(&body)["result"]["isError"]), (200, &json!(true)));

    // Clients that send nothing, half a head, or half a body and then wait.
    let halves: Vec<TcpStream> = (0..100)
        .map(|n| {
            let mut stream = served.connect();
            let sent = ["", "POST /mcp HT", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n{"];
            stream.write_all(sent[n % 3].as_bytes()).unwrap();
            stream
        })
        .collect();
    let (status, _) = served.stateless(&[], "tools/list", None, json!({}));
    assert_eq!(status, 200);
    let mut garbage = served.connect();
    garbage.write_all(&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).unwrap();
    garbage.write_all(&[b'\n'; 9000]).ok();
    let mut answer = Vec::new();
    let _ = garbage.read_to_end(&mut answer);
    assert!(answer.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&answer));
    drop(halves);
    assert_eq!(served.stateless(&[], "tools/list", None, json!({})).0, 200);
}

/// Opens a session of the older protocol; returns its id.
fn open(served: &HttpServed) -> String {
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let mut stream = served.connect();
    let body = initialize.to_string();
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", served.address, body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let session = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_string())
    });
    let session = session.unwrap_or_else(|| panic!("no session: {answer}"));
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(served.post("/mcp", &of(&session), &ready).0, 202);
    session
}

/// The headers of a request in a session.
fn of(session: &str) -> [(&str, &str); 2] {
    [("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-06-18")]
}

#[test]
fn the_older_protocol_has_sessions() {
    let database = base();
    let served = serve(&database, &[], &[]);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let listed = |session: &str| served.post("/mcp", &of(session), &list);
    let (first, second) = (open(&served), open(&served));
    let (status, body) = listed(&first);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("search_notes"), "{body}");
    // A client that opens ever more of them shuts nobody out: the one that was not used for the longest time goes.
    for _ in 0..1_999 {
        open(&served);
    }
    assert_eq!((listed(&second).0, listed(&first).0), (404, 200));
}

/// Clients that only wait for notifications leave space for calls.
#[test]
fn streams_are_limited() {
    let database = base();
    let served = serve(&database, &[], &[]);
    let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": {"toolsListChanged": true},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}})
    .to_string();
    let mut statuses = Vec::new();
    let streams: Vec<TcpStream> = (0..260)
        .map(|_| {
            let mut stream = served.connect();
            write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{listen}", served.address, listen.len()).unwrap();
            let mut head = [0; 12];
            stream.read_exact(&mut head).unwrap();
            statuses.push(String::from_utf8_lossy(&head[9..]).into_owned());
            stream
        })
        .collect();
    let count = |status: &str| statuses.iter().filter(|one| *one == status).count();
    assert_eq!((count("200"), count("503")), (256, 4), "{statuses:?}");
    assert_eq!(served.stateless(&[], "tools/list", None, json!({})).0, 200);
    drop(streams);
}
