//! The requests that well-behaved servers receive, and their answers.

mod server;

use std::io::Write;
use std::sync::mpsc::channel;

use kb_rag_http::{Error, FRAMING_HEADERS, post};
use server::{Server, check_interrupts, ok, read_request, request};

#[test]
fn sends_the_request_and_takes_the_answer() {
    let (sender, requests) = channel();
    let server = Server::start(move |_, mut stream| {
        sender.send(read_request(&mut stream).unwrap()).unwrap();
        stream.write_all(b"HTTP/1.1 418 No\r\nX-One: a\r\nX-One: b\r\nContent-Length: 3\r\n\r\nabc").unwrap();
    });
    let headers = [("Authorization".to_owned(), "Bearer KEY".to_owned()), ("X-A".to_owned(), "1".to_owned())];
    let response = post(&request(&server.url(), &headers), check_interrupts).unwrap();
    assert_eq!((response.status, response.body.as_slice()), (418, b"abc".as_slice()));
    let ones: Vec<&str> = response
        .headers
        .iter()
        .filter(|(name, _)| name == "x-one")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(ones, ["a", "b"]);
    let (head, body) = requests.recv().unwrap();
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/embeddings?key=secret http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nauthorization: bearer key\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nhost: {}\r\n", server.address)), "{head}");
    assert!(head.contains("\r\naccept-encoding: gzip\r\n"), "{head}");
    assert!(head.contains("\r\nuser-agent: kb_rag/"), "{head}");
    assert_eq!(body, b"{\"input\":[]}");
}

#[test]
fn takes_chunks_and_bodies_that_end_with_the_connection() {
    let server = Server::answering(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    assert_eq!(post(&request(&server.url(), &[]), check_interrupts).unwrap().body, b"abcde");
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\nabc");
    assert_eq!(post(&request(&server.url(), &[]), check_interrupts).unwrap().body, b"abc");
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(post(&request(&server.url(), &[]), check_interrupts).unwrap().body, b"");
}

#[test]
fn skips_interim_answers() {
    for interim in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"] {
        let answer = [interim.repeat(2).as_bytes(), &ok(b"abc")].concat();
        let response = post(&request(&Server::answering(answer).url(), &[]), check_interrupts).unwrap();
        assert_eq!((response.status, response.body.as_slice()), (200, b"abc".as_slice()), "{interim}");
    }
}

#[test]
fn sends_large_bodies() {
    let (sender, requests) = channel();
    let server = Server::start(move |_, mut stream| {
        sender.send(read_request(&mut stream).unwrap().1).unwrap();
        stream.write_all(&ok(b"x")).unwrap();
    });
    let body: Vec<u8> = (0..20_000_000).map(|i| i as u8).collect();
    let url = server.url();
    let mut request = request(&url, &[]);
    request.body = &body;
    assert_eq!(post(&request, check_interrupts).unwrap().body, b"x");
    assert!(requests.recv().unwrap() == body);
}

#[test]
fn rejects_requests_that_cannot_be_sent() {
    for url in [
        "",
        "/v1",
        "example.org/v1",
        "ftp://example.org/",
        "http://",
        "http://:80/",
        "http://u:p@h/",
        "http://h:/",
        "http://exa mple/",
    ] {
        let outcome = post(&request(url, &[]), check_interrupts);
        assert!(matches!(outcome, Err(Error::BadUrl(_))), "{url}");
    }
    let framing = FRAMING_HEADERS.map(|name| (name, "1"));
    let invalid = [("Host", "a"), ("Transfer-Encoding", "chunked"), ("a b", "c"), ("a", "b\r\nc: d")];
    for (name, value) in framing.into_iter().chain(invalid) {
        let headers = [(name.to_owned(), value.to_owned())];
        let outcome = post(&request("http://127.0.0.1:1/", &headers), check_interrupts);
        assert!(matches!(outcome, Err(Error::BadUrl(_))), "{name}");
    }
}
