//! Web pages: what GET sends and takes, and the addresses that a page or a name server must not lead to.
#![allow(clippy::unwrap_used, reason = "clippy knows the functions marked as tests, not what they call")]

mod server;

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use kb_rag_http::{Error, Names, PrivateAddresses, Request, Response, get, get_by_names};
use server::dns::{NameServer, Zone, loopback, names};
use server::{
    Checks, LONG, SHORT, Server, TWO_CHECKS, check_interrupts, drain, drip, is_stopped, ok, read_request,
    request, stop_at, zip, zipped,
};

fn get_from(url: &str) -> Result<Response, Error> {
    get(&request(url, &[]), check_interrupts)
}

/// GET as a crawler does: private addresses are refused.
fn crawl(url: &str, names: &Names) -> Result<Response, Error> {
    let refused = Request {
        private_addresses: PrivateAddresses::Refused,
        connect_timeout: Duration::from_millis(100),
        ..request(url, &[])
    };
    get_by_names(&refused, names, check_interrupts)
}

/// The head of the request that a server receives with these headers, in lower case.
fn head_with(headers: &[(&str, &str)]) -> String {
    let (sender, requests) = channel();
    let server = Server::start(move |_, mut stream| {
        sender.send(read_request(&mut stream).unwrap()).unwrap();
        stream.write_all(&ok(b"abc")).unwrap();
    });
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let url = format!("http://{}/a/b?c=d", server.address);
    assert_eq!(get(&request(&url, &headers), check_interrupts).unwrap().body, b"abc");
    let (head, body) = requests.recv().unwrap();
    assert_eq!(body, b"", "GET sends no body, not even that of the request");
    head.to_ascii_lowercase()
}

#[test]
fn sends_a_get_request() {
    let head = head_with(&[]);
    assert!(head.starts_with("get /a/b?c=d http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nuser-agent: kb_rag/"), "{head}");
    assert!(head.contains("\r\naccept-encoding: gzip\r\n"), "{head}");
    for header in ["content-length", "transfer-encoding", "content-type"] {
        assert!(!head.contains(header), "{head}");
    }
}

#[test]
fn sends_the_headers_of_the_caller_once() {
    let headers = [
        ("User-Agent", "a crawler"),
        ("Accept", "text/html"),
        ("If-None-Match", "\"v1\""),
        ("If-Modified-Since", "Mon, 01 Jan 2024 00:00:00 GMT"),
        ("Authorization", "Bearer KEY"),
    ];
    let head = head_with(&headers);
    for (name, value) in headers {
        let line = format!("\r\n{name}: {value}\r\n").to_ascii_lowercase();
        assert!(head.contains(&line), "{line} is not in {head}");
        assert_eq!(head.matches(&format!("\r\n{}:", name.to_ascii_lowercase())).count(), 1, "{head}");
    }
}

#[test]
fn an_unchanged_page_has_no_body() {
    // The length is that of the page, not of this answer.
    let answers = ["Content-Length: 10000000000\r\n", "Content-Encoding: gzip\r\nContent-Length: 5\r\n", ""];
    for headers in answers {
        let server = Server::start(move |_, mut stream| {
            while read_request(&mut stream).is_some() {
                let answer = format!("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n{headers}\r\n");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        for _ in 0..2 {
            let response = get_from(&server.url()).unwrap();
            assert_eq!((response.status, response.body.len()), (304, 0), "{headers}");
            assert!(response.headers.contains(&("etag".to_owned(), "\"v1\"".to_owned())), "{headers}");
        }
        assert_eq!(server.connections(), 1, "the connection is kept: {headers}");
    }
}

#[test]
fn a_body_keeps_to_the_limit() {
    assert_eq!(get_from(&Server::answering(ok(&vec![b'a'; 1 << 20])).url()).unwrap().body.len(), 1 << 20);
    let plain = Server::answering(ok(&vec![b'a'; (1 << 20) + 1]));
    let unknown = Server::answering([b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &vec![b'a'; 2 << 20]].concat());
    // A megabyte that would be a gigabyte.
    let bomb = Server::answering(zipped(&zip(&vec![0; 10 << 20]).repeat(100)));
    for server in [plain, unknown, bomb] {
        assert_eq!(get_from(&server.url()).err(), Some(Error::TooLarge(1 << 20)));
    }
    let packed = Server::answering(zipped(&zip(&vec![b'a'; 1 << 20])));
    assert_eq!(get_from(&packed.url()).unwrap().body.len(), 1 << 20);
}

#[test]
fn a_redirect_is_returned() {
    let elsewhere = Server::answering(ok(b"no"));
    for status in [301, 302, 303, 307, 308] {
        let location = format!("http://{}/", elsewhere.address);
        let answer =
            format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 4\r\n\r\nmove");
        let response = get_from(&Server::answering(answer).url()).unwrap();
        assert_eq!((response.status, response.body.as_slice()), (status, b"move".as_slice()));
        assert!(response.headers.contains(&("location".to_owned(), location)));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn a_slow_page_keeps_to_the_deadline_and_heeds_interrupts() {
    let checks = Checks::of_this_thread();
    let slow = Server::start(move |_, mut stream| {
        read_request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").unwrap();
        drip(&checks, stream, "a");
    });
    for server in [slow, Server::start(|_, stream| drain(stream))] {
        let url = server.url();
        let within = |timeout| get(&Request { timeout, ..request(&url, &[]) }, check_interrupts);
        let start = Instant::now();
        stop_at(usize::MAX);
        assert_eq!(within(SHORT).err(), Some(Error::TimedOut(SHORT)));
        assert!(start.elapsed() < LONG / 2, "{:?}", start.elapsed());
        stop_at(2);
        assert!(is_stopped(|| within(TWO_CHECKS)));
        stop_at(usize::MAX);
    }
}

#[test]
fn a_kept_connection_that_closes_is_replaced() {
    // Closes on receiving the second request, so the client could not know.
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream).unwrap();
        stream.write_all(&ok(b"abc")).unwrap();
        read_request(&mut stream);
    });
    for _ in 0..3 {
        assert_eq!(get_from(&server.url()).unwrap().body, b"abc");
    }
    assert_eq!(server.connections(), 3);
}

#[test]
fn no_form_of_a_private_address_is_connected_to() {
    let server = Server::answering(ok(b"abc"));
    let port = server.address.port();
    let none = names(&[]);
    for host in [
        "127.0.0.1",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
        "localhost",
        "a.localhost",
        "0",
        "169.254.169.254",
        "0xa9fea9fe",
        "[::1]",
        "[::]",
        "[::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[fd00:ec2::254]",
    ] {
        let outcome = crawl(&format!("http://{host}:{port}/latest/meta-data/"), &none).err();
        assert!(matches!(outcome, Some(Error::PrivateAddress(_))), "{host}: {outcome:?}");
    }
    for host in ["user@127.0.0.1", "example.org@127.0.0.1", "127.0.0.1%2f", "0400.0.0.1"] {
        let outcome = crawl(&format!("http://{host}:{port}/"), &none).err();
        assert!(matches!(outcome, Some(Error::BadUrl(_))), "{host}: {outcome:?}");
    }
    assert_eq!(server.connections(), 0);
    // It listens, and would have accepted.
    for host in ["127.0.0.1", "2130706433", "0177.0.0.1", "localhost"] {
        assert_eq!(get_from(&format!("http://{host}:{port}/")).unwrap().body, b"abc", "{host}");
    }
    assert_eq!(server.connections(), 4);
}

/// A name whose addresses change between public and private at each query, as in DNS rebinding.
#[test]
fn a_name_that_changes_leads_to_no_private_address() {
    let server = Server::answering(ok(b"abc"));
    let url = format!("http://a.test:{}/", server.address.port());
    // Unallocated, so no host answers there.
    let public: IpAddr = "3ffe::1".parse().unwrap();
    let link_local: IpAddr = "169.254.169.254".parse().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    for private in [loopback(), vec![link_local], vec![public, loopback()[0]]] {
        // Changes at each query, or at each pair of queries, of which a look-up sends one.
        for pace in [1, 2] {
            let (counter, private) = (asked.clone(), private.clone());
            let changing =
                NameServer::start(move |_| match counter.fetch_add(1, Ordering::SeqCst) / pace % 2 {
                    0 => Zone::Addresses(vec![public]),
                    _ => Zone::Addresses(private.clone()),
                });
            let names = names(&[&changing]);
            for _ in 0..4 {
                let outcome = crawl(&url, &names).err();
                assert!(
                    matches!(outcome, Some(Error::PrivateAddress(_) | Error::Unreachable(_))),
                    "{outcome:?}"
                );
            }
        }
    }
    assert!(asked.load(Ordering::SeqCst) >= 24);
    assert_eq!(server.connections(), 0);
    // Where they are allowed, the same name leads there.
    let dns = NameServer::start(|_| Zone::Addresses(loopback()));
    let response = get_by_names(&request(&url, &[]), &names(&[&dns]), check_interrupts);
    assert_eq!(response.unwrap().body, b"abc");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_connection_that_was_allowed_is_not_kept_for_those_that_are_not() {
    let server = Server::start(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(&ok(b"abc")).unwrap();
        }
    });
    let dns = NameServer::start(|_| Zone::Addresses(loopback()));
    let names = names(&[&dns]);
    let url = format!("http://a.test:{}/", server.address.port());
    for _ in 0..2 {
        let response = get_by_names(&request(&url, &[]), &names, check_interrupts);
        assert_eq!(response.unwrap().body, b"abc");
        assert!(matches!(crawl(&url, &names), Err(Error::PrivateAddress(_))));
    }
    assert_eq!(server.connections(), 1);
}
