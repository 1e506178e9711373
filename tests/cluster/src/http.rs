//! Servers of HTTP that a test starts, and a client of them that can break the rules.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long an answer, or the end of a program, may take before the test fails.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What a program has written to standard error, line by line.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().expect("the lines").clone()
    }

    /// Those that contain a text.
    pub fn with(&self, text: &str) -> Vec<String> {
        self.lines().into_iter().filter(|line| line.contains(text)).collect()
    }
}

/// Starts a program that tells where it listens on standard error; returns it with the URL, and what it writes from then on.
pub fn listening(command: &mut Command) -> (Child, String, Log) {
    let mut child = command.spawn().expect("kb-rag does not start");
    let errors = BufReader::new(child.stderr.take().expect("standard error"));
    let mut lines = errors.lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains("listens on")).expect("the line with the address");
    let log = Log::default();
    let own = log.clone();
    thread::spawn(move || lines.for_each(|line| own.0.lock().expect("the lines").push(line)));
    let url = line.split(' ').next_back().expect("an address").to_string();
    (child, url, log)
}

/// Waits for the end of a program; returns the exit status.
pub fn wait(child: &mut Child) -> Option<i32> {
    let until = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait().expect("the exit status") {
            return status.code();
        }
        assert!(Instant::now() < until, "kb-rag has not ended");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A connection.
pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(LIMIT)).expect("a time limit");
    stream
}

/// Sends a request with these headers besides Host and Content-Length.
pub fn send(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    send_on(&mut connect(address), address, method, path, headers, body)
}

/// The same on a connection, which the server then closes.
pub fn send_on(
    stream: &mut (impl Read + Write),
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head += &format!("Host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    // A server that has refused may not read the body.
    let _ = stream.write_all(format!("{head}\r\n").as_bytes()).and_then(|()| stream.write_all(body));
    answer(stream)
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The body as JSON, after checking the status.
    #[track_caller]
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// Checks a refusal: the status and a part of the message.
    #[track_caller]
    pub fn refuses(&self, status: u16, said: &str) {
        let error = self.is(status);
        let text = error["error"].as_str().unwrap_or_else(|| panic!("no error: {self:?}"));
        assert!(text.contains(said), "{text}");
    }
}

/// Reads the answer of a connection that the server then closes.
pub fn answer(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_string() }
}
