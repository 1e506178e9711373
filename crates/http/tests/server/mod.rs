//! Servers on loopback with scripted behavior, and requests to them.
#![allow(clippy::unwrap_used, reason = "a test module")]
#![allow(dead_code, reason = "each test program uses a part")]

pub mod dns;

use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::panic::{UnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use kb_rag_http::{PrivateAddresses, Request};

/// Longer than anything takes on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

/// For what does not come: the time is waited out.
pub const SHORT: Duration = Duration::from_millis(200);

/// For a call that its second check for interrupts ends: it comes earlier.
pub const TWO_CHECKS: Duration = Duration::from_secs(1);

thread_local! {
    static CHECKS: Cell<usize> = const { Cell::new(0) };
    static STOP_AT: Cell<usize> = const { Cell::new(usize::MAX) };
    static ALL_CHECKS: Checks = Checks::default();
}

/// The checks of the calls of one thread, for servers that wait for the next.
#[derive(Clone, Default)]
pub struct Checks(Arc<(Mutex<usize>, Condvar)>);

impl Checks {
    /// Those of this thread.
    pub fn of_this_thread() -> Checks {
        ALL_CHECKS.with(Checks::clone)
    }

    /// How many there were so far.
    pub fn count(&self) -> usize {
        *self.0.0.lock().unwrap()
    }

    /// Waits until there were more than `before`.
    pub fn wait_for_more_than(&self, before: usize) -> usize {
        *self.0.1.wait_while(self.0.0.lock().unwrap(), |count| *count <= before).unwrap()
    }

    fn add(&self) {
        *self.0.0.lock().unwrap() += 1;
        self.0.1.notify_all();
    }
}

/// Counts, and unwinds at the call set with [`stop_at`].
pub fn check_interrupts() {
    CHECKS.set(CHECKS.get() + 1);
    ALL_CHECKS.with(Checks::add);
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
    /// Where each connection comes from.
    connections: Receiver<IpAddr>,
}

/// From here, [`Server::connections`] connects.
const COUNTER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 99);

impl Server {
    /// `serve` receives the number of the connection, from 0.
    pub fn start(serve: impl Fn(usize, TcpStream) + Send + Clone + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, connections) = channel();
        thread::spawn(move || {
            let mut number = 0;
            for stream in listener.incoming().map(Result::unwrap) {
                let from = stream.peer_addr().unwrap().ip();
                if sender.send(from).is_err() {
                    return;
                }
                if from != COUNTER {
                    let serve = serve.clone();
                    thread::spawn(move || serve(number, stream));
                    number += 1;
                }
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

    /// How many connections were made since the last call. Those that are not accepted yet come before the one that is made
    /// here.
    pub fn connections(&self) -> usize {
        let (family, kind) = (rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM);
        let socket = rustix::net::socket(family, kind, None).unwrap();
        rustix::net::bind(&socket, &SocketAddr::from((COUNTER, 0))).unwrap();
        rustix::net::connect(&socket, &self.address).unwrap();
        self.connections.iter().take_while(|from| *from != COUNTER).count()
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

/// Writes one byte after each check for interrupts, until the client disconnects: no single read takes long, and none ends
/// the answer.
pub fn drip(checks: &Checks, mut stream: impl Write, text: &str) {
    let mut before = checks.count();
    for byte in text.bytes().cycle() {
        if stream.write_all(&[byte]).is_err() {
            return;
        }
        before = checks.wait_for_more_than(before);
    }
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
        slowest: None,
        body_limit: 1 << 20,
        private_addresses: PrivateAddresses::Allowed,
        certificates: None,
    }
}
