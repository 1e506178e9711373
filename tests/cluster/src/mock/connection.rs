//! One client connection of the scripted provider, and the answers on it.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::{Compress, Compression, FlushCompress};

use super::protocol::{Asked, Embedding, Refused};
use super::reply::{Action, Reply};
use super::wire::{Gone, Request, Wire, head};
use super::{Call, Shared};

pub(super) struct Connection {
    shared: Arc<Shared>,
    wire: Wire,
    number: usize,
}

impl Connection {
    /// Answers requests until the client disconnects.
    pub fn serve(shared: Arc<Shared>, stream: TcpStream, number: usize) {
        if let Ok(wire) = Wire::new(shared.closing.clone(), stream) {
            let mut connection = Connection { shared, wire, number };
            while connection.answer_next().is_ok() {}
        }
    }

    fn answer_next(&mut self) -> Result<(), Gone> {
        let Some(request) = self.wire.read_request()? else {
            self.wire.write(&garbage())?;
            return Err(Gone);
        };
        let asked = match request.method.as_str() {
            "POST" => self.shared.kind.read(&request.path, &request.body),
            other => Err((405, format!("method {other}"))),
        };
        let (call, reply) = self.note(&request, asked.as_ref().ok());
        let asked = self.admit(&request, asked);
        self.wire.written = 0;
        let result = self.reply(&reply, asked);
        let mut state = self.shared.state();
        // The test may have cleared the log in the meantime.
        if let Some(call) = state.calls.iter_mut().find(|noted| noted.number == call) {
            call.ended = Some(Instant::now());
            call.status = result.as_ref().ok().copied();
            call.sent = self.wire.written;
        }
        drop(state);
        self.shared.news.notify_all();
        result.map(|_| ())
    }

    /// Adds the call to the log; returns its number and the reply that the test has set.
    fn note(&self, request: &Request, asked: Option<&Asked>) -> (usize, Reply) {
        let mut state = self.shared.state();
        state.arrivals += 1;
        let call = Call {
            number: state.arrivals,
            connection: self.number,
            path: request.path.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            model: asked.map(|asked| asked.model.clone()).unwrap_or_default(),
            texts: asked.map(|asked| asked.texts.clone()).unwrap_or_default(),
            dimensions: asked.and_then(|asked| asked.dimensions),
            input_type: asked.and_then(|asked| asked.input_type.clone()),
            at_once: 1 + state.calls.iter().filter(|call| call.ended.is_none()).count(),
            arrived: Instant::now(),
            ended: None,
            status: None,
            sent: 0,
        };
        let scripted = match state.next.pop_front() {
            Some(reply) => Some(reply),
            None => {
                state.rules.iter().find(|(condition, _)| condition(&call)).map(|(_, reply)| reply.clone())
            }
        };
        let number = call.number;
        state.calls.push(call);
        drop(state);
        self.shared.news.notify_all();
        (number, scripted.unwrap_or_else(Reply::right))
    }

    /// Applies the service's own checks.
    fn admit(&self, request: &Request, asked: Result<Asked, Refused>) -> Result<Asked, Refused> {
        let state = self.shared.state();
        if let Some(key) = &state.key {
            match self.shared.kind.key_of(&request.headers) {
                Some(given) if given == *key => {}
                // Like a careless proxy, with the whole key.
                Some(given) => return Err((401, format!("Incorrect API key provided: {given}."))),
                None => return Err((401, "You didn't provide an API key.".to_string())),
            }
        }
        if state.legacy_only && request.path.ends_with("/api/embed") {
            return Err((404, "404 page not found".to_string()));
        }
        asked
    }

    /// Writes one reply; returns its status.
    fn reply(&mut self, reply: &Reply, asked: Result<Asked, Refused>) -> Result<u16, Gone> {
        self.wait(reply)?;
        let kind = self.shared.kind;
        match &reply.action {
            Action::Error { status, message, code } => {
                return self.write(*status, JSON, reply, &kind.error(*status, message, code.as_deref()));
            }
            Action::Raw { status, content_type, body } => {
                return match reply.pace {
                    Some(every) => self.drip(every, reply, body),
                    None => self.write(*status, content_type, reply, body),
                };
            }
            Action::Endless { bytes, gzip } => return self.write_endless(*bytes, *gzip),
            Action::Reset { midway: false } => return Err(self.wire.reset()),
            Action::Garbage => {
                self.wire.write(&garbage())?;
                return Err(Gone);
            }
            Action::Hang => loop {
                self.wire.check_client()?;
            },
            _ => {}
        }
        let asked = match asked {
            Ok(asked) => asked,
            Err((status, message)) => {
                return self.write(status, JSON, reply, &kind.error(status, &message, None));
            }
        };
        let mut embeddings = self.embed(&asked);
        if let Action::Changed(change) = &reply.action {
            change(&mut embeddings);
        }
        let body = kind.answer(&asked, &embeddings);
        let half = &body[..body.len() / 2];
        match &reply.action {
            Action::Half { whole: true } => self.write(200, JSON, reply, half),
            Action::Half { whole: false } | Action::Reset { .. } => {
                self.wire.write(&head(200, JSON, &reply.headers, body.len() as u64))?;
                self.wire.write(half)?;
                let resets = matches!(reply.action, Action::Reset { .. });
                Err(if resets { self.wire.reset() } else { Gone })
            }
            Action::Drip(every) => self.drip(*every, reply, &body),
            _ => self.write(200, JSON, reply, &body),
        }
    }

    fn wait(&mut self, reply: &Reply) -> Result<(), Gone> {
        if let Some(gate) = &reply.gate {
            while !gate.is_open() {
                self.wire.check_client()?;
            }
        }
        match reply.delay {
            Some(delay) => self.pause(delay),
            None => Ok(()),
        }
    }

    fn pause(&mut self, time: Duration) -> Result<(), Gone> {
        let due = Instant::now() + time;
        while Instant::now() < due {
            self.wire.check_client()?;
        }
        Ok(())
    }

    fn embed(&self, asked: &Asked) -> Vec<Embedding> {
        let dimensions = asked.dimensions.unwrap_or(self.shared.state().dimensions);
        let embed = |(index, text): (usize, &String)| Embedding {
            index,
            vector: super::vector(&self.shared.salt, text, dimensions),
        };
        asked.texts.iter().enumerate().map(embed).collect()
    }

    fn write(&mut self, status: u16, content_type: &str, reply: &Reply, body: &[u8]) -> Result<u16, Gone> {
        let mut whole = head(status, content_type, &reply.headers, body.len() as u64);
        whole.extend(body);
        self.wire.write(&whole)?;
        Ok(status)
    }

    fn drip(&mut self, every: Duration, reply: &Reply, body: &[u8]) -> Result<u16, Gone> {
        let mut whole = head(200, JSON, &reply.headers, body.len() as u64);
        whole.extend(body);
        for byte in whole {
            self.wire.write(&[byte])?;
            self.pause(every)?;
        }
        Ok(200)
    }

    /// `[0,0,0,…` without an end, one block at a time.
    fn write_endless(&mut self, bytes: u64, gzip: bool) -> Result<u16, Gone> {
        let block = b"0,".repeat(1 << 20);
        let mut headers = Vec::new();
        let (start, repeated) = if gzip {
            headers.push(("content-encoding".to_string(), "gzip".to_string()));
            // A block that ends in a full flush can be repeated unchanged.
            let mut deflate = Compress::new(Compression::best(), false);
            let mut packed = Vec::with_capacity(1 << 16);
            deflate.compress_vec(&block, &mut packed, FlushCompress::Full).map_err(|_| Gone)?;
            (vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], packed)
        } else {
            (b"[".to_vec(), block.clone())
        };
        let times = bytes.div_ceil(block.len() as u64);
        let length = start.len() as u64 + times * repeated.len() as u64;
        self.wire.write(&head(200, JSON, &headers, length))?;
        self.wire.write(&start)?;
        for _ in 0..times {
            self.wire.write(&repeated)?;
        }
        Ok(200)
    }
}

const JSON: &str = "application/json";

/// Bytes that start neither an HTTP answer nor a TLS record.
fn garbage() -> Vec<u8> {
    (0u32..700).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}
