//! A server of HTTP/1.1 whose answers a function computes.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::wait_until;

/// How long a thread waits before it checks whether the test is over.
const LOOK: Duration = Duration::from_millis(10);

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// GET or POST.
    pub method: String,
    /// The path and query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Asked {
    /// The value of a header; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a body in JSON")
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Arc<[u8]>,
    /// The Content-Length, if it is not that of the body.
    length: Option<u64>,
}

impl Answer {
    /// Status 200 with a body.
    pub fn from_body(body: impl Into<Vec<u8>>) -> Answer {
        Answer::status(200, body)
    }

    /// A status with a body.
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status, headers: Vec::new(), body: body.into().into(), length: None }
    }

    /// Status 200 with JSON.
    pub fn json(value: &Value) -> Answer {
        Answer::from_body(value.to_string()).header("content-type", "application/json")
    }

    /// The same with a header.
    pub fn header(mut self, name: &str, value: &str) -> Answer {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// The same with the Content-Length of a longer body.
    pub fn as_if_long(mut self, length: u64) -> Answer {
        self.length = Some(length);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let length = self.length.unwrap_or(self.body.len() as u64);
        let mut head = format!("HTTP/1.1 {} Scripted\r\ncontent-length: {length}\r\n", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        [format!("{head}\r\n").as_bytes(), &self.body].concat()
    }
}

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    next: VecDeque<Answer>,
    /// Answers by a part of the path.
    rules: Vec<(String, Answer)>,
    /// Requests whose path has this part get no answer yet.
    held: Option<String>,
}

type Answering = dyn Fn(&Asked) -> Answer + Send + Sync;

struct Shared {
    answering: Box<Answering>,
    state: Mutex<State>,
    closing: AtomicBool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A test that failed elsewhere must not hide its cause behind a poisoned lock.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let mut state = self.state();
        state.asked.push(asked.clone());
        let rule = |rules: &[(String, Answer)]| {
            rules.iter().find(|(part, _)| asked.path.contains(part)).map(|(_, answer)| answer.clone())
        };
        let scripted = state.next.pop_front().or_else(|| rule(&state.rules));
        drop(state);
        scripted.unwrap_or_else(|| (self.answering)(asked))
    }

    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        stream.set_read_timeout(Some(LOOK)).ok()?;
        loop {
            let asked = self.read(&mut stream)?;
            let answer = self.answer(&asked);
            let is_held = || self.state().held.as_ref().is_some_and(|part| asked.path.contains(part));
            while is_held() {
                if self.closing.load(Ordering::Relaxed) {
                    return None;
                }
                thread::park_timeout(LOOK);
            }
            stream.write_all(&answer.bytes()).ok()?;
            if answer.length.is_some() {
                return None;
            }
        }
    }

    fn read(&self, stream: &mut TcpStream) -> Option<Asked> {
        let mut received = Vec::new();
        let mut buffer = [0; 1 << 16];
        loop {
            if let Some(asked) = parse(&received) {
                return Some(asked);
            }
            match stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(length) => received.extend(&buffer[..length]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.closing.load(Ordering::Relaxed) {
                        return None;
                    }
                }
                Err(_) => return None,
            }
        }
    }
}

/// A request, once it has arrived completely.
fn parse(received: &[u8]) -> Option<Asked> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&received[..end]).into_owned();
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ').map(str::to_string);
    let (method, path) = (words.next()?, words.next()?);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().expect("a length"));
    let body = received.get(end..end + length)?.to_vec();
    Some(Asked { method, path, headers, body })
}

/// A server; it stops when dropped.
pub struct Service {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Service {
    /// Starts one that answers as the function tells.
    pub fn start(answering: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").expect("no port on loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            answering: Box::new(answering),
            state: Mutex::default(),
            closing: AtomicBool::new(false),
        });
        let server = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if server.closing.load(Ordering::Relaxed) {
                    return;
                }
                let shared = server.clone();
                thread::spawn(move || shared.serve(stream));
            }
        });
        Service { shared, address }
    }

    /// Its host and port.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Its URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.state().asked.clone()
    }

    /// The methods and paths of the requests so far.
    pub fn paths(&self) -> Vec<String> {
        self.asked().iter().map(|asked| format!("{} {}", asked.method, asked.path)).collect()
    }

    /// Clears the log.
    pub fn forget(&self) {
        self.shared.state().asked.clear();
    }

    /// Answers the next request like this. Several answers queue up.
    pub fn next(&self, answer: Answer) {
        self.shared.state().next.push_back(answer);
    }

    /// Answers requests whose path has this part like this.
    pub fn when(&self, part: &str, answer: Answer) {
        self.shared.state().rules.push((part.to_string(), answer));
    }

    /// Answers as the service does from now on.
    pub fn heal(&self) {
        let mut state = self.shared.state();
        state.next.clear();
        state.rules.clear();
    }

    /// Holds back the answers to requests whose path has this part, until [`Service::release`].
    pub fn hold(&self, part: &str) {
        self.shared.state().held = Some(part.to_string());
    }

    /// Answers what was held back.
    pub fn release(&self) {
        self.shared.state().held = None;
    }

    /// Waits for a request whose path has this part.
    pub fn wait_for(&self, part: &str) {
        wait_until(&format!("a request for {part}"), || {
            self.shared.state().asked.iter().any(|asked| asked.path.contains(part))
        });
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections; the others check `closing` while they wait.
        let _ = TcpStream::connect(self.address);
    }
}
