//! `kb-rag serve` and `kb-rag mcp` over TLS: certificates that change, and clients that are slow or speak plain HTTP.

use std::io::{Read, Write};

use kb_rag_cluster_tests::client::{Folder, Run, mcp, serve};
use kb_rag_cluster_tests::http::{self, answer};
use kb_rag_cluster_tests::mcp::HttpServed;
use kb_rag_cluster_tests::pipeline::Signal;
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::tls::{Certificate, Client, protocol};
use kb_rag_cluster_tests::{Database, socket_directory, wait_until};
use rustls::version::{TLS12, TLS13};
use serde_json::json;

use crate::serve::base;

const HEALTH: &str = "/api/v1/health";

#[test]
fn requests_over_tls() {
    let (database, _client, reader, _) = base();
    let (folder, own) = (Folder::new(), Certificate::create());
    let served = Serve::with_roles(&database, &[&reader], &own.write(&folder).arguments());
    let (token, origin) = (format!("Bearer {reader}-token"), format!("https://{}", served.address));
    let headers = [("Authorization", token.as_str()), ("Origin", origin.as_str())];
    let search = |client: &Client, query: &str| {
        let body = json!({"query": query, "knowledge_base": "notes"}).to_string();
        client.send(&served.address, "POST", "/api/v1/search", &headers, body.as_bytes())
    };
    for version in [&TLS12, &TLS13] {
        let client = Client::with(&own, &[version], &["h2", "http/1.1"]);
        let stream = client.connect(&served.address).unwrap();
        let chosen = (stream.conn.protocol_version(), protocol(&stream));
        assert_eq!(chosen, (Some(version.version), Some("http/1.1")));
        assert_eq!(client.send(&served.address, "GET", HEALTH, &[], b"").is(200)["status"], "ok");
        assert_eq!(search(&client, "kowari").is(200)["results"][0]["title"], "Kowari");
        client.send(&served.address, "GET", "/api/v1/bases", &[], b"").refuses(401, "token");
    }
    // Several requests on a connection, and a large body.
    let client = Client::new(&own);
    let mut stream = client.connect(&served.address).unwrap();
    let ask = format!("GET {HEALTH} HTTP/1.1\r\nHost: {}\r\n", served.address);
    write!(stream, "{ask}\r\n{ask}Connection: close\r\n\r\n").unwrap();
    let mut read = String::new();
    let _ = stream.read_to_string(&mut read);
    assert_eq!(read.matches("HTTP/1.1 200 OK").count(), 2, "{read}");
    search(&client, &"x".repeat(300_000)).refuses(413, "the query has 300000 bytes");
    // Another protocol, and a client that does not trust the certificate.
    assert!(Client::with(&own, &[&TLS13], &["h2"]).connect(&served.address).is_err());
    assert!(Client::new(&Certificate::create()).connect(&served.address).is_err());
    // Plain HTTP.
    let plain = served.send("GET", HEALTH, &[], b"");
    assert_eq!((plain.status, plain.body.contains("https://")), (400, true), "{plain:?}");
    let mut noise = served.connect();
    noise.write_all(b"\x00\x01\x02\r\n\r\n").unwrap();
    assert_eq!(answer(&mut noise).status, 400);
}

/// SIGHUP has the certificate read again, and connections go on.
#[test]
fn a_new_certificate_is_used_without_a_restart() {
    let (database, _client, reader, _) = base();
    let (folder, first, second) = (Folder::new(), Certificate::create(), Certificate::create());
    let served = Serve::with_roles(&database, &[&reader], &first.write(&folder).arguments());
    let is_served = |certificate: &Certificate| {
        Client::new(certificate).connect(&served.address).is_ok_and(|mut stream| {
            http::send_on(&mut stream, &served.address, "GET", HEALTH, &[], b"").status == 200
        })
    };
    assert!(is_served(&first) && !is_served(&second));
    let files = second.write(&folder);
    // Not before.
    assert!(is_served(&first));
    let mut old = Client::new(&first).connect(&served.address).unwrap();
    served.signal(Signal::HUP);
    wait_until("the second certificate", || is_served(&second));
    assert!(!is_served(&first));
    assert_eq!(http::send_on(&mut old, &served.address, "GET", HEALTH, &[], b"").status, 200);

    // Files that cannot be used change nothing.
    let mut failures = 0;
    let mut fails = |said: &str| {
        served.signal(Signal::HUP);
        failures += 1;
        let lines = || served.log.with("error: the certificate stays as it was: ");
        wait_until("the line of the log", || lines().len() == failures);
        let last = lines().pop().unwrap();
        assert!(last.contains(said), "{last}");
        assert!(is_served(&second) && !is_served(&first), "{said}");
    };
    files.set_mode(0o640);
    fails("has group or world access");
    files.set_mode(0o600);
    folder.write("server.crt", &first.pem);
    fails("check of private key failed");
    folder.write("server.crt", "nothing");
    fails("could not load server certificate file");
    folder.remove("server.key");
    folder.write("server.crt", &second.pem);
    fails("could not load private key file");
    // And again.
    first.write(&folder);
    served.signal(Signal::HUP);
    wait_until("the first certificate", || is_served(&first));
    wait_until("its line", || served.log.with("is used from now on").len() == 2);
    assert_eq!(served.end(Signal::TERM), Some(143));
}

/// Without TLS, SIGHUP ends the program, as it does any other.
#[test]
fn a_hangup_without_tls() {
    let (database, _client, reader, _) = base();
    assert_eq!(Serve::with_roles(&database, &[&reader], &[]).end(Signal::HUP), None);
}

#[test]
fn half_a_handshake_keeps_nobody_out() {
    let (database, _client, reader, _) = base();
    let (folder, own) = (Folder::new(), Certificate::create());
    let served = Serve::with_roles(&database, &[&reader], &own.write(&folder).arguments());
    let mut half = Vec::new();
    for _ in 0..520 {
        let mut stream = served.connect();
        stream.write_all(b"\x16\x03\x01").unwrap();
        half.push(stream);
    }
    assert_eq!(Client::new(&own).send(&served.address, "GET", HEALTH, &[], b"").status, 200);
    // Each of them ends by itself.
    for stream in &mut half {
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

#[test]
fn certificates_that_cannot_be_used_are_refused() {
    let database = Database::create();
    let (folder, own) = (Folder::new(), Certificate::create());
    let files = own.write(&folder);
    let run = |arguments: &[&str]| {
        let arguments = [&["--listen", "127.0.0.1:0"], arguments].concat();
        Run::from_command(&mut serve(&socket_directory(), database.name(), "postgres", &arguments))
    };
    let arguments = files.arguments();
    files.set_mode(0o644);
    let mode = ["private key file \"", "\" has group or world access", "detail: File must have", "hint: "];
    run(&arguments).fails(2, &mode);
    files.set_mode(0o600);
    folder.write("server.crt", Certificate::create().pem);
    run(&arguments).fails(2, &["check of private key failed", "hint: "]);
    run(&arguments[..2]).fails(2, &["--tls-key"]);
    run(&arguments[2..]).fails(2, &["--tls-certificate"]);
    let mut command = mcp(&socket_directory(), database.name(), "postgres", &arguments);
    Run::from_command(&mut command).fails(2, &["--tls-certificate is for --http"]);
}

#[test]
fn models_over_tls() {
    let (database, _client, _, _) = base();
    let (folder, own) = (Folder::new(), Certificate::create());
    let files = own.write(&folder);
    let served = HttpServed::start(&socket_directory(), database.name(), "postgres", &files.arguments(), &[]);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "clientInfo": {"name": "test", "version": "1"}, "capabilities": {}}})
    .to_string();
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let client = Client::new(&own);
    let listed = client.send(&served.address, "POST", "/mcp", &headers, body.as_bytes());
    assert!(listed.status == 200 && listed.body.contains("serverInfo"), "{listed:?}");
    let (status, said) = served.post("/mcp", &[], &body);
    assert_eq!((status, said.contains("https://")), (400, true), "{said}");
}
