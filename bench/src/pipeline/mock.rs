//! A provider of embeddings on loopback that costs next to nothing. It speaks OpenAI's protocol, its vectors
//! are encoded in advance, and it reads only the number of texts in a request.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// When and how long it refuses calls.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The number of requests after which refusals begin.
    pub after_calls: usize,
    /// The value of Retry-After, in seconds, which is also how long it refuses.
    pub seconds: u64,
}

/// Its behavior from now on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Behavior {
    /// The time that each answer takes.
    pub latency: Duration,
    pub limit: Option<Limit>,
}

/// Its calls since its behavior was last set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Requests answered with vectors.
    pub calls: usize,
    /// The texts in these requests.
    pub texts: usize,
    /// Requests answered with 429.
    pub refused: usize,
    /// Those of them that came before the end of the wait in the first one's Retry-After.
    pub too_early: usize,
    /// When the first request came.
    pub first: Option<Instant>,
    /// When the last answer with vectors was sent.
    pub last: Option<Instant>,
}

struct State {
    behavior: Behavior,
    tally: Tally,
    requests: usize,
    refuses_until: Option<Instant>,
}

struct Shared {
    /// As base64, in quotes.
    vectors: Vec<String>,
    next: AtomicUsize,
    state: Mutex<State>,
    closing: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs until dropped.
pub struct Mock {
    shared: Arc<Shared>,
    address: SocketAddr,
    acceptor: Option<JoinHandle<()>>,
}

impl Mock {
    /// Answers with these vectors in turn.
    pub fn start(vectors: impl Iterator<Item = Vec<f32>>) -> Result<Mock> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port on loopback")?;
        let address = listener.local_addr()?;
        let state = State {
            behavior: Behavior::default(),
            tally: Tally::default(),
            requests: 0,
            refuses_until: None,
        };
        let shared = Arc::new(Shared {
            vectors: vectors.map(|vector| packed(&vector)).collect(),
            next: AtomicUsize::new(0),
            state: Mutex::new(state),
            closing: AtomicBool::new(false),
            connections: Mutex::new(Vec::new()),
        });
        let accepting = Arc::clone(&shared);
        let acceptor = thread::spawn(move || accept(&listener, &accepting));
        Ok(Mock { shared, address, acceptor: Some(acceptor) })
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Sets the behavior and resets the tally.
    pub fn behave(&self, behavior: Behavior) {
        let mut state = self.shared.state();
        *state = State { behavior, tally: Tally::default(), requests: 0, refuses_until: None };
    }

    pub fn tally(&self) -> Tally {
        self.shared.state().tally
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
        for stream in self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the thread that waits for the next connection.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

/// 32-bit floats, little endian.
fn packed(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    format!("\"{}\"", STANDARD.encode(bytes))
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closing.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { continue };
        if let Ok(clone) = stream.try_clone() {
            shared.connections.lock().unwrap_or_else(PoisonError::into_inner).push(clone);
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // An error means that the client has disconnected, as a worker does.
            let _ = serve(&stream, &shared);
            let _ = stream.shutdown(Shutdown::Both);
        });
    }
}

fn serve(mut stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::with_capacity(1 << 20);
    loop {
        let end = read_head(stream, &mut received)?;
        let length = content_length(&received[..end]);
        while received.len() < end + length {
            receive(stream, &mut received)?;
        }
        let answer = answer(shared, count_texts(&received[end..end + length]));
        received.drain(..end + length);
        stream.write_all(&answer)?;
    }
}

/// Reads to the end of the head of a request; returns its position.
fn read_head(stream: &TcpStream, received: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        if let Some(at) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            return Ok(at + 4);
        }
        receive(stream, received)?;
    }
}

fn receive(mut stream: &TcpStream, received: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 1 << 16];
    match stream.read(&mut buffer)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        n => {
            received.extend_from_slice(&buffer[..n]);
            Ok(())
        }
    }
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// The number of strings in the array `input`, or 1 if `input` is a string.
fn count_texts(body: &[u8]) -> usize {
    const INPUT: &[u8] = b"\"input\":";
    let Some(at) = body.windows(INPUT.len()).position(|window| window == INPUT) else { return 0 };
    let mut rest = &body[at + INPUT.len()..];
    let Some(b'[') = rest.first() else { return 1 };
    let mut texts = 0;
    while let Some(at) = rest.iter().position(|&byte| byte == b'"' || byte == b']') {
        if rest[at] == b']' {
            break;
        }
        texts += 1;
        rest = after_string(&rest[at + 1..]);
    }
    texts
}

/// The text after the closing quote of a string.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = rest.iter().position(|&byte| byte == b'"' || byte == b'\\') {
        let is_end = rest[at] == b'"';
        rest = rest.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            break;
        }
    }
    rest
}

fn answer(shared: &Shared, texts: usize) -> Vec<u8> {
    let now = Instant::now();
    let latency = {
        let mut state = shared.state();
        state.tally.first.get_or_insert(now);
        state.requests += 1;
        if let Some(limit) = state.behavior.limit
            && state.requests > limit.after_calls
        {
            let end = now + Duration::from_secs(limit.seconds);
            let is_first = state.refuses_until.is_none();
            let until = *state.refuses_until.get_or_insert(end);
            if now < until {
                state.tally.refused += 1;
                state.tally.too_early += usize::from(!is_first);
                return refusal(until - now);
            }
        }
        state.behavior.latency
    };
    if !latency.is_zero() {
        thread::sleep(latency);
    }
    let answer = vectors(shared, texts);
    let mut state = shared.state();
    state.tally.calls += 1;
    state.tally.texts += texts;
    state.tally.last = Some(Instant::now());
    answer
}

/// A refusal with the remaining seconds, rounded up as services do.
fn refusal(left: Duration) -> Vec<u8> {
    let body = r#"{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}"#;
    let seconds = left.as_secs_f64().ceil();
    let head = format!(
        "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: {seconds}\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

fn vectors(shared: &Shared, texts: usize) -> Vec<u8> {
    let first = shared.next.fetch_add(texts, Ordering::Relaxed);
    let mut body = Vec::with_capacity(256 + texts * (64 + shared.vectors.first().map_or(0, String::len)));
    body.extend_from_slice(br#"{"object":"list","data":["#);
    for index in 0..texts {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(format!(r#"{{"object":"embedding","index":{index},"embedding":"#).as_bytes());
        body.extend_from_slice(shared.vectors[(first + index) % shared.vectors.len()].as_bytes());
        body.push(b'}');
    }
    body.extend_from_slice(
        format!(r#"],"model":"mock","usage":{{"prompt_tokens":{texts},"total_tokens":{texts}}}}}"#)
            .as_bytes(),
    );
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    answer.append(&mut body);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_texts() {
        assert_eq!(
            count_texts(br#"{"encoding_format":"base64","input":["a","b \"], [\" c","\\"],"model":"m"}"#),
            3
        );
        assert_eq!(count_texts(br#"{"input":[],"model":"m"}"#), 0);
        assert_eq!(count_texts(br#"{"input":"one","model":"m"}"#), 1);
        assert_eq!(count_texts(br#"{"model":"m"}"#), 0);
        assert_eq!(count_texts(br#"{"input":["never ends \"#), 1);
    }

    #[test]
    fn answers_and_refuses() {
        let mock = Mock::start([vec![1.0, 0.0], vec![0.0, 1.0]].into_iter()).expect("a port");
        mock.behave(Behavior { limit: Some(Limit { after_calls: 1, seconds: 60 }), ..Behavior::default() });
        let ask = || {
            let mut stream = TcpStream::connect(mock.address).expect("a connection");
            let body = r#"{"input":["a","b","c"]}"#;
            let head = format!("POST /v1/embeddings HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).expect("a request");
            stream.shutdown(Shutdown::Write).expect("an end");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        };
        let answer = ask();
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.matches("AACAPwAAAAA=").count() == 2,
            "{answer}"
        );
        let refusal = ask();
        assert!(refusal.starts_with("HTTP/1.1 429 ") && refusal.contains("Retry-After: 60\r\n"), "{refusal}");
        assert!(ask().starts_with("HTTP/1.1 429 "));
        let tally = mock.tally();
        assert_eq!((tally.calls, tally.texts, tally.refused, tally.too_early), (1, 3, 2, 1));
    }
}
