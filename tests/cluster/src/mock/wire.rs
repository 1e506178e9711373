//! HTTP/1.1 on one connection, as far as the tests need it. Every wait ends when the test is over.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long a thread waits before it checks whether the test is over.
const LOOK: Duration = Duration::from_millis(10);

/// The client has disconnected, or the test is over.
pub(crate) struct Gone;

/// The head and the body of a request.
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

pub(crate) struct Wire {
    /// Set when the test is over.
    closing: Arc<AtomicBool>,
    stream: TcpStream,
    received: Vec<u8>,
    /// The bytes written since it was set to 0.
    pub written: u64,
}

impl Wire {
    pub fn new(closing: Arc<AtomicBool>, stream: TcpStream) -> io::Result<Wire> {
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(LOOK))?;
        stream.set_nodelay(true)?;
        Ok(Wire { closing, stream, received: Vec::new(), written: 0 })
    }

    /// Reads one request; None if it is not HTTP, such as a TLS handshake.
    pub fn read_request(&mut self) -> Result<Option<Request>, Gone> {
        let end = loop {
            if let Some(at) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            if self.received.first().is_some_and(|first| !first.is_ascii_uppercase()) {
                return Ok(None);
            }
            self.receive()?;
        };
        let text = String::from_utf8_lossy(&self.received[..end]).into_owned();
        let mut lines = text.lines();
        let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_string);
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .and_then(|(_, value)| value.parse::<usize>().ok())
            .unwrap_or(0);
        while self.received.len() < end + length {
            self.receive()?;
        }
        let body = self.received[end..end + length].to_vec();
        self.received.drain(..end + length);
        Ok(Some(Request { method, path, headers, body }))
    }

    fn receive(&mut self) -> Result<(), Gone> {
        let mut buffer = [0; 1 << 16];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(Gone),
                Ok(n) => {
                    self.received.extend(&buffer[..n]);
                    return Ok(());
                }
                Err(e) if passes(&e) => self.check_closing()?,
                Err(_) => return Err(Gone),
            }
        }
    }

    /// Writes, however slowly the client reads.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<(), Gone> {
        while !bytes.is_empty() {
            match self.stream.write(bytes) {
                Ok(0) => return Err(Gone),
                Ok(n) => {
                    bytes = &bytes[n..];
                    self.written += n as u64;
                }
                Err(e) if passes(&e) => self.check_closing()?,
                Err(_) => return Err(Gone),
            }
        }
        Ok(())
    }

    /// Closes the connection with a reset: closing without lingering does that, whatever was sent and read.
    pub fn reset(&mut self) -> Gone {
        let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        Gone
    }

    /// Fails when the test is over.
    pub fn check_closing(&self) -> Result<(), Gone> {
        if self.closing.load(Ordering::Relaxed) { Err(Gone) } else { Ok(()) }
    }

    /// Waits a moment; fails if the client has disconnected in the meantime.
    pub fn check_client(&mut self) -> Result<(), Gone> {
        self.check_closing()?;
        match self.stream.peek(&mut [0]) {
            Ok(0) => Err(Gone),
            // The client has sent another request already, so it is still connected.
            Ok(_) => {
                thread::park_timeout(LOOK);
                Ok(())
            }
            Err(e) if passes(&e) => Ok(()),
            Err(_) => Err(Gone),
        }
    }
}

/// The head of an answer.
pub(crate) fn head(status: u16, content_type: &str, headers: &[(String, String)], length: u64) -> Vec<u8> {
    let mut head =
        format!("HTTP/1.1 {status} Scripted\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    head.into_bytes()
}

/// Whether an error is only a timeout, which says nothing about the client.
fn passes(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
