//! Servers that break off, hang, send slowly, flood or lie.
#![allow(clippy::unwrap_used, reason = "clippy knows the functions marked as tests, not what they call")]

mod server;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use kb_rag_http::{Error, Request, Response, Slowest, close_idle, get, post};
use server::{
    Checks, LONG, SHORT, Server, TWO_CHECKS, check_interrupts, drain, drip, is_stopped, ok, read_request,
    request, stop_at, zip, zipped,
};

fn post_to(url: &str, timeout: Duration) -> Result<Response, Error> {
    let outcome = post(&Request { timeout, ..request(url, &[]) }, check_interrupts);
    if let Err(error) = &outcome {
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error:?}");
    }
    outcome
}

/// Calls a server that never finishes: with a deadline, and with a check for interrupts that unwinds.
#[track_caller]
fn hangs(server: &Server) {
    let start = Instant::now();
    stop_at(usize::MAX);
    assert_eq!(post_to(&server.url(), SHORT).err(), Some(Error::TimedOut(SHORT)));
    assert!(start.elapsed() >= SHORT && start.elapsed() < LONG / 2, "{:?}", start.elapsed());
    stop_at(2);
    let url = server.url();
    assert!(is_stopped(|| post_to(&url, TWO_CHECKS)));
    stop_at(usize::MAX);
    // Nothing is left behind.
    assert_eq!(post_to(&Server::answering(ok(b"abc")).url(), LONG).unwrap().body, b"abc");
}

/// Closes with a reset.
fn reset(stream: TcpStream) {
    rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
}

/// Writes the head and then repeats the part until the client disconnects.
fn flood(head: &'static str, part: Vec<u8>) -> Server {
    Server::start(move |_, mut stream| {
        if read_request(&mut stream).is_some() {
            let mut outcome = stream.write_all(head.as_bytes());
            while outcome.is_ok() {
                outcome = stream.write_all(&part);
            }
        }
    })
}

#[test]
fn a_closed_port() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = post_to(&format!("http://{address}/?key=SECRET"), LONG).err();
    assert_eq!(error, Some(Error::Unreachable(format!("{address}: connection refused (127.0.0.1)"))));
}

#[test]
fn a_connection_that_is_not_accepted() {
    let flags = rustix::net::SocketFlags::CLOEXEC;
    let family = rustix::net::AddressFamily::INET;
    let socket = rustix::net::socket_with(family, rustix::net::SocketType::STREAM, flags, None).unwrap();
    rustix::net::bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    // The queue is full when another connection is not accepted.
    let mut queue = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
        queue.push(stream);
    }
    let url = format!("http://{address}/");
    assert_eq!(post_to(&url, SHORT).err(), Some(Error::TimedOut(SHORT)));
    let start = Instant::now();
    let error = post(&Request { connect_timeout: SHORT, ..request(&url, &[]) }, check_interrupts).err();
    assert_eq!(error, Some(Error::Unreachable(format!("{address}: no connection within {SHORT:?}"))));
    assert!(start.elapsed() < LONG / 2);
    stop_at(2);
    assert!(is_stopped(|| post_to(&url, TWO_CHECKS)));
}

#[test]
fn silence_before_the_headers() {
    hangs(&Server::start(|_, stream| drain(stream)));
}

#[test]
fn silence_in_the_headers() {
    hangs(&Server::start(|_, mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-").unwrap();
        drain(stream);
    }));
}

#[test]
fn silence_in_the_body() {
    hangs(&Server::start(|_, mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc").unwrap();
        drain(stream);
    }));
}

#[test]
fn a_request_that_is_not_read() {
    let (done, wait) = channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let server = Server::start(move |_, stream| {
        let _ = wait.lock().unwrap().recv();
        drop(stream);
    });
    let url = server.url();
    let body = vec![0; 50_000_000];
    let send = |timeout| post(&Request { timeout, body: &body, ..request(&url, &[]) }, check_interrupts);
    stop_at(usize::MAX);
    assert_eq!(send(SHORT).err(), Some(Error::TimedOut(SHORT)));
    stop_at(2);
    assert!(is_stopped(|| send(TWO_CHECKS)));
    drop(done);
}

#[test]
fn an_answer_byte_by_byte() {
    let checks = Checks::of_this_thread();
    let of_head = checks.clone();
    hangs(&Server::start(move |_, stream| {
        let head = "HTTP/1.1 200 OK\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        drip(&of_head, stream, head);
    }));
    hangs(&Server::start(move |_, mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").unwrap();
        drip(&checks, stream, "a");
    }));
}

/// A head or a body that drips is not waited for until the deadline.
#[test]
fn a_drip_is_too_slow() {
    const SLOWEST: Slowest = Slowest { bytes: 1000, over: Duration::from_millis(500) };
    const ENOUGH: Slowest = Slowest { bytes: 1, ..SLOWEST };
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
    stop_at(usize::MAX);
    for in_head in [true, false] {
        let checks = Checks::of_this_thread();
        let server = Server::start(move |_, mut stream| {
            if read_request(&mut stream).is_some() {
                let outcome = stream.write_all(if in_head { &[] } else { head.as_bytes() });
                if outcome.is_ok() {
                    drip(&checks, stream, if in_head { head } else { "a" });
                }
            }
        });
        let get_at = |slowest: Option<Slowest>, timeout: Duration| {
            get(&Request { slowest, timeout, ..request(&server.url(), &[]) }, check_interrupts).err()
        };
        assert_eq!(get_at(Some(SLOWEST), LONG), Some(Error::TooSlow(SLOWEST)), "in the head: {in_head}");
        // Fast enough, or not asked about: only the deadline ends it. A dripping head is at its end by then.
        if !in_head {
            let timeout = 4 * SLOWEST.over;
            for slowest in [Some(ENOUGH), None] {
                assert_eq!(get_at(slowest, timeout), Some(Error::TimedOut(timeout)));
            }
        }
    }
}

/// Silence after the head, and silence before any answer, which only the deadline ends.
#[test]
fn silence_is_too_slow_once_an_answer_has_begun() {
    const SLOWEST: Slowest = Slowest { bytes: 1000, over: Duration::from_millis(500) };
    stop_at(usize::MAX);
    for (sent, expected) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", Error::TooSlow(SLOWEST)),
        ("H", Error::TooSlow(SLOWEST)),
        ("", Error::TimedOut(4 * SLOWEST.over)),
    ] {
        let server = Server::start(move |_, mut stream| {
            if read_request(&mut stream).is_some() && stream.write_all(sent.as_bytes()).is_ok() {
                drain(stream);
            }
        });
        let timeout = if sent.is_empty() { 4 * SLOWEST.over } else { LONG };
        let url = server.url();
        let request = Request { slowest: Some(SLOWEST), timeout, ..request(&url, &[]) };
        assert_eq!(get(&request, check_interrupts).err(), Some(expected), "{sent:?}");
    }
}

#[test]
fn a_flood_without_end_keeps_to_the_deadline() {
    // Data is always available.
    hangs(&flood("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", zip(b"").repeat(1000)));
}

#[test]
fn a_reset_before_the_answer() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        reset(stream);
    });
    let error = post_to(&server.url(), LONG).err();
    assert_eq!(error, Some(Error::NoAnswer(format!("{}: connection reset by peer", server.address))));
    let server = Server::answering("");
    let error = post_to(&server.url(), LONG).err();
    assert_eq!(error, Some(Error::NoAnswer(format!("{}: connection closed", server.address))));
    assert_eq!(server.connections(), 1, "sent again though the connection was new");
}

#[test]
fn an_answer_that_breaks_off() {
    for head in [
        "Content-Length: 10\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\na\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\n",
        "\r\n",
        "X-A",
    ] {
        let server = Server::start(move |_, mut stream| {
            read_request(&mut stream).unwrap();
            stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}abc").as_bytes()).unwrap();
            reset(stream);
        });
        let outcome = post_to(&server.url(), LONG);
        assert!(matches!(outcome, Err(Error::Broken(_) | Error::NoAnswer(_))), "{head}: reset");
        if head != "\r\n" {
            let server = Server::answering(format!("HTTP/1.1 200 OK\r\n{head}abc"));
            assert!(matches!(post_to(&server.url(), LONG), Err(Error::Broken(_))), "{head}: closed");
        }
    }
}

#[test]
fn an_answer_that_is_not_http() {
    for garbage in [
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "\0\0\0\0\0\0\0\0\0\0",
        "HTTP/1.1 200 OK\r\nContent-Length: SECRET\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nSECRET\r\n",
    ] {
        let outcome = post_to(&Server::answering(garbage).url(), LONG);
        assert!(matches!(outcome, Err(Error::Broken(_))), "{garbage}");
    }
}

#[test]
fn headers_without_end() {
    for part in ["X-A: SECRET\r\n", "SECRET"] {
        let server = flood("HTTP/1.1 200 OK\r\nX-B: ", part.repeat(1000).into_bytes());
        assert!(matches!(post_to(&server.url(), LONG), Err(Error::Broken(_))), "{part}");
    }
    let server = flood("", b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000));
    assert!(matches!(post_to(&server.url(), LONG), Err(Error::Broken(_))));
}

#[test]
fn bodies_longer_than_the_limit() {
    let announced = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nabc");
    let counted = flood("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", vec![b'a'; 1 << 16]);
    let chunked = flood(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        [b"10000\r\n", vec![b'a'; 1 << 16].as_slice(), b"\r\n"].concat(),
    );
    let endless = flood("HTTP/1.1 200 OK\r\n\r\n", vec![b'a'; 1 << 16]);
    // A gigabyte in about a megabyte.
    let bomb = Server::answering(zipped(&zip(&vec![0; 10 << 20]).repeat(100)));
    for server in [announced, counted, chunked, endless, bomb] {
        assert_eq!(post_to(&server.url(), LONG).err(), Some(Error::TooLarge(1 << 20)));
    }
    let exact = Server::answering(ok(&vec![b'a'; 1 << 20]));
    assert_eq!(post_to(&exact.url(), LONG).unwrap().body.len(), 1 << 20);
    let over = Server::answering(zipped(&zip(&vec![b'a'; (1 << 20) + 1])));
    assert_eq!(post_to(&over.url(), LONG).err(), Some(Error::TooLarge(1 << 20)));
}

#[test]
fn compressed_bodies() {
    let packed = zip(b"abc");
    let response = post_to(&Server::answering(zipped(&packed)).url(), LONG).unwrap();
    assert_eq!((response.body.as_slice(), response.headers.len()), (b"abc".as_slice(), 0));
    for bad in [&packed[..packed.len() - 4], &packed[..12], b"not gzip at all"] {
        let outcome = post_to(&Server::answering(zipped(bad)).url(), LONG);
        assert!(matches!(outcome, Err(Error::Broken(_))), "{bad:?}");
    }
    // As proxies mark their own errors.
    assert_eq!(post_to(&Server::answering(zipped(b"")).url(), LONG).unwrap().body, b"");
    let other = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\na";
    assert!(matches!(post_to(&Server::answering(other).url(), LONG), Err(Error::Broken(_))));
}

#[test]
fn a_redirect_is_an_answer() {
    let elsewhere = Server::answering(ok(b"no"));
    for status in [301, 302, 303, 307, 308] {
        let answer = format!(
            "HTTP/1.1 {status} Moved\r\nLocation: http://{}/\r\nContent-Length: 4\r\n\r\nmove",
            elsewhere.address
        );
        let response = post_to(&Server::answering(answer).url(), LONG).unwrap();
        assert_eq!((response.status, response.body.as_slice()), (status, b"move".as_slice()));
        assert_eq!(response.headers[0], ("location".to_owned(), format!("http://{}/", elsewhere.address)));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn a_refusal_before_everything_was_sent() {
    let server = Server::start(|_, mut stream| {
        stream.read_exact(&mut [0; 1000]).unwrap();
        stream
            .write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
            .unwrap();
        // Closing with unread bytes resets the connection.
    });
    let url = server.url();
    let body = vec![0; 50_000_000];
    let response = post(&Request { body: &body, ..request(&url, &[]) }, check_interrupts).unwrap();
    assert_eq!((response.status, response.body.as_slice()), (413, b"big".as_slice()));
}

#[test]
fn one_connection_serves_many_calls() {
    let server = Server::start(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(&ok(b"abc")).unwrap();
        }
    });
    for _ in 0..5 {
        assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
    }
    assert_eq!(server.connections(), 1);
    close_idle();
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_kept_connection_that_closes_is_replaced() {
    // Closes on receiving the second request, so the client could not know.
    let server = Server::start(|number, mut stream| {
        read_request(&mut stream).unwrap();
        stream.write_all(&ok(b"abc")).unwrap();
        if number > 0 {
            read_request(&mut stream).unwrap();
            stream.write_all(&ok(b"def")).unwrap();
        }
        read_request(&mut stream);
    });
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"def");
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_kept_connection_that_answers_in_part_is_not_replaced() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream).unwrap();
        stream.write_all(&ok(b"abc")).unwrap();
        read_request(&mut stream).unwrap();
        stream.write_all(b"HTTP").unwrap();
    });
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
    assert!(matches!(post_to(&server.url(), LONG), Err(Error::Broken(_))));
    assert_eq!(server.connections(), 1);
}

#[test]
fn an_answer_without_a_request_is_not_used() {
    let (sent, wait) = channel();
    let server = Server::start(move |number, mut stream| {
        read_request(&mut stream).unwrap();
        stream.write_all(&ok(b"abc")).unwrap();
        if number == 0 {
            stream.write_all(&ok(b"evil")).unwrap();
            sent.send(()).unwrap();
        }
        drain(stream);
    });
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
    wait.recv().unwrap();
    assert_eq!(post_to(&server.url(), LONG).unwrap().body, b"abc");
}

#[test]
fn unwinding_in_mid_answer_leaves_no_half_used_connection() {
    let server = Server::start(|number, mut stream| {
        while read_request(&mut stream).is_some() {
            if number == 0 {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc").unwrap();
            } else {
                stream.write_all(&ok(b"def")).unwrap();
            }
        }
    });
    let url = server.url();
    stop_at(2);
    assert!(is_stopped(|| post_to(&url, LONG)));
    stop_at(usize::MAX);
    assert_eq!(post_to(&url, LONG).unwrap().body, b"def");
    assert_eq!(post_to(&url, LONG).unwrap().body, b"def");
    assert_eq!(server.connections(), 2);
}
