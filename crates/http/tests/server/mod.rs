//! Servers on loopback with scripted behavior, and requests to them.
#![allow(clippy::unwrap_used, reason = "a test module")]
#![allow(dead_code, reason = "each test program uses a part")]

pub mod dns;

use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::panic::{UnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use kb_rag_http::{PrivateAddresses, Request};

/// Longer than anything takes on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

thread_local! {
    static CHECKS: Cell<usize> = const { Cell::new(0) };
    static STOP_AT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Counts, and unwinds at the call set with [`stop_at`].
pub fn check_interrupts() {
    CHECKS.set(CHECKS.get() + 1);
    if CHECKS.get() >= STOP_AT.get() {
        std::panic::resume_unwind(Box::new("stopped"));
    }
}

/// How often [`check_interrupts`] was called.
pub fn checks() -> usize {
    CHECKS.get()
}

/// Whether [`check_interrupts`] ended the call, and nothing else that unwinds.
pub fn is_stopped<T>(call: impl FnOnce() -> T + UnwindSafe) -> bool {
    catch_unwind(call).is_err_and(|thrown| thrown.downcast_ref() == Some(&"stopped"))
}

/// Makes [`check_interrupts`] unwind at its `count`th call from now.
pub fn stop_at(count: usize) {
    CHECKS.set(0);
    STOP_AT.set(count);
}

/// Serves the connections in turn with `serve`, each in a thread of its own.
pub struct Server {
    pub address: SocketAddr,
    connections: Receiver<()>,
}

impl Server {
    /// `serve` receives the number of the connection, from 0.
    pub fn start(serve: impl Fn(usize, TcpStream) + Send + Clone + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, connections) = channel();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let serve = serve.clone();
                if sender.send(()).is_err() {
                    return;
                }
                thread::spawn(move || serve(number, stream.unwrap()));
            }
        });
        Server { address, connections }
    }

    /// A server that answers every request with these bytes and then closes.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Server {
        let answer = answer.into();
        Server::start(move |_, mut stream| {
            if read_request(&mut stream).is_some() {
                // The client may have closed already.
                let _ = stream.write_all(&answer);
            }
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1/embeddings?key=SECRET", self.address)
    }

    /// The number of connections made so far.
    pub fn connections(&self) -> usize {
        self.connections.try_iter().count()
    }
}

/// Reads one request: its head and its body, which is empty without a length. None when the client closes.
pub fn read_request(stream: &mut impl Read) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head
        .to_ascii_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// An answer with status 200.
pub fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Bytes as gzip.
pub fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An answer with status 200 and a body that says it is gzip.
pub fn zipped(packed: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len());
    [head.as_bytes(), packed].concat()
}

/// Reads until the client closes.
pub fn drain(mut stream: impl Read) {
    let mut part = [0; 4096];
    while stream.read(&mut part).is_ok_and(|length| length > 0) {}
}

/// A request with timeouts for tests that should not reach them.
pub fn request<'a>(url: &'a str, headers: &'a [(String, String)]) -> Request<'a> {
    Request {
        url,
        headers,
        body: b"{\"input\":[]}",
        timeout: LONG,
        connect_timeout: LONG,
        body_limit: 1 << 20,
        private_addresses: PrivateAddresses::Allowed,
        certificates: None,
    }
}
