//! The transport over standard input and output: one message a line.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::scan::Scan;
use super::wire::{self, Message, Reply};

/// The longest message, in bytes. The arguments of a tool have at most 1 MiB.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A client that sends lines and reads lines.
pub struct Stdio<R, W> {
    lines: Lines<R>,
    output: Arc<Mutex<Output<W>>>,
    /// Answers that are not written yet.
    replies: VecDeque<Reply>,
    /// The requests that are being answered.
    running: Arc<SyncMutex<HashSet<RequestId>>>,
    /// Whether the client has begun to speak the protocol. The library ends at what comes before.
    has_begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Stdio<R, W> {
    pub fn new(input: R, output: W) -> Stdio<R, W> {
        Stdio {
            lines: Lines::new(input, MAX_BYTES),
            output: Arc::new(Mutex::new(Output { writer: output, bytes: BytesMut::new() })),
            replies: VecDeque::new(),
            running: Arc::default(),
            has_begun: false,
        }
    }

    /// Writes the answers. Nothing is lost if this is dropped before its end.
    async fn write_replies(&mut self) -> io::Result<()> {
        let mut output = self.output.lock().await;
        while let Some(reply) = self.replies.pop_front() {
            output.add(reply.text.as_bytes());
        }
        output.write().await
    }

    /// Whether the protocol can handle a message at this point.
    fn may_handle(&mut self, message: &ClientJsonRpcMessage) -> bool {
        self.has_begun |= begins(message);
        let mut running = ids(&self.running);
        match message {
            ClientJsonRpcMessage::Request(request) => {
                let is_new = running.insert(request.id.clone());
                if !is_new {
                    self.replies.push_back(Reply::in_use(&request.id));
                }
                is_new
            }
            ClientJsonRpcMessage::Notification(notification) => {
                // It gets no answer.
                if let ClientNotification::CancelledNotification(canceled) = &notification.notification
                    && let Some(id) = &canceled.params.request_id
                {
                    running.remove(id);
                }
                self.has_begun
            }
            _ => self.has_begun,
        }
    }
}

fn ids(running: &SyncMutex<HashSet<RequestId>>) -> MutexGuard<'_, HashSet<RequestId>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a message opens the protocol: that of the older one, or a request of the newer one.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            ids(&self.running).remove(id);
        }
        async move {
            let line = serde_json::to_vec(&message)?;
            let mut output = output.lock().await;
            output.add(&line);
            output.write().await
        }
    }

    /// Polled again and again: what was read and written before stays.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.write_replies().await.ok()?;
            let message = match self.lines.next().await {
                Ok(Some(Line::Whole(line))) if line.trim_ascii().is_empty() => continue,
                Ok(Some(Line::Whole(line))) => wire::read(&line),
                Ok(Some(Line::TooLong(id))) => Reply::too_long(id.as_deref(), MAX_BYTES).into(),
                Ok(None) | Err(_) => return None,
            };
            match message {
                Message::Good(message) if self.may_handle(&message) => return Some(*message),
                Message::Good(_) | Message::Ignored => {}
                Message::Bad(replies) => self.replies.extend(replies),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.write().await
    }
}

/// Lines that are written whole, in their order.
struct Output<W> {
    writer: W,
    /// What is not written yet.
    bytes: BytesMut,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    fn add(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.bytes.extend_from_slice(b"\n");
    }

    async fn write(&mut self) -> io::Result<()> {
        while !self.bytes.is_empty() {
            if self.writer.write_buf(&mut self.bytes).await? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        self.writer.flush().await
    }
}

/// The lines of an input.
struct Lines<R> {
    input: BufReader<R>,
    max: usize,
    line: Vec<u8>,
    /// Goes over a line that is too long to be kept.
    scan: Option<Scan>,
}

enum Line {
    Whole(Vec<u8>),
    /// One that is too long, and its id.
    TooLong(Option<String>),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R, max: usize) -> Lines<R> {
        Lines { input: BufReader::new(input), max, line: Vec::new(), scan: None }
    }

    /// The next line. The last one may lack its end. Nothing is lost if this is dropped before its end.
    async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let read = self.input.fill_buf().await?;
            let end = read.iter().position(|byte| *byte == b'\n');
            let is_end = end.is_some() || read.is_empty();
            let length = end.map_or(read.len(), |end| end + 1);
            let part = &read[..end.unwrap_or(length)];
            match &mut self.scan {
                Some(scan) => scan.feed(part),
                None if self.line.len() + part.len() > self.max => {
                    let mut scan = Scan::default();
                    scan.feed(&std::mem::take(&mut self.line));
                    scan.feed(part);
                    self.scan = Some(scan);
                }
                None => self.line.extend_from_slice(part),
            }
            self.input.consume(length);
            match self.scan.take_if(|_| is_end) {
                Some(scan) => return Ok(Some(Line::TooLong(scan.id()))),
                None if end.is_some() || (is_end && !self.line.is_empty()) => {
                    return Ok(Some(Line::Whole(std::mem::take(&mut self.line))));
                }
                None if is_end => return Ok(None),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{DuplexStream, ReadHalf, WriteHalf, duplex, split};

    use super::*;

    fn connect(max: usize) -> (Stdio<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>, DuplexStream) {
        let (client, server) = duplex(1 << 16);
        let (input, output) = split(server);
        let mut stdio = Stdio::new(input, output);
        stdio.lines.max = max;
        (stdio, client)
    }

    async fn line(client: &mut BufReader<DuplexStream>) -> Value {
        let mut line = String::new();
        client.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"))
    }

    #[tokio::test]
    async fn what_the_protocol_does_not_get_is_answered() {
        let (mut stdio, client) = connect(200);
        let mut client = BufReader::new(client);
        let long = format!(r#"{{"method":"ping","x":"{}","id":4}}"#, "x".repeat(10_000));
        let sent = [
            "\r\n",
            "{broken\r\n",
            // Before the protocol begins, there is nothing to notify of.
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
            &format!("{long}\n"),
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\r\n",
            // Without an end.
            "{\"jsonrpc\":\"2.0\",\"id\":6}",
        ];
        client.write_all(sent.concat().as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let message = stdio.receive().await.unwrap();
        assert_eq!(serde_json::to_value(&message).unwrap()["id"], 5);
        assert!(stdio.receive().await.is_none());
        for (id, code) in [(Value::Null, -32700), (json!(4), -32600), (json!(6), -32600)] {
            let reply = line(&mut client).await;
            assert_eq!((&reply["id"], &reply["error"]["code"]), (&id, &json!(code)), "{reply}");
        }
    }

    #[tokio::test]
    async fn requests_with_the_same_id_are_all_answered() {
        let (mut stdio, client) = connect(MAX_BYTES);
        let mut client = BufReader::new(client);
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let cancel =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        let begin = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}\n";
        client.write_all([begin, ping, ping, cancel, ping].concat().as_bytes()).await.unwrap();
        let mut received = 0;
        while received < 4 {
            assert!(stdio.receive().await.is_some());
            received += 1;
        }
        let refused = line(&mut client).await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
        let done = TxJsonRpcMessage::<RoleServer>::error(
            rmcp::model::ErrorData::invalid_request("x", None),
            Some(RequestId::Number(1)),
        );
        stdio.send(done).await.unwrap();
        assert_eq!(line(&mut client).await["error"]["message"], "x");
        client.write_all(ping.as_bytes()).await.unwrap();
        assert!(stdio.receive().await.is_some(), "the id is free again");
    }

    #[tokio::test]
    async fn nothing_is_lost_where_receiving_is_interrupted() {
        let (mut stdio, mut client) = connect(MAX_BYTES);
        let mut received = Vec::new();
        for byte in b"{broken\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n" {
            client.write_all(&[*byte]).await.unwrap();
            tokio::select! {
                biased;
                message = stdio.receive() => received.push(message.unwrap()),
                () = std::future::ready(()) => {}
            }
        }
        assert_eq!(received.len(), 1);
        let reply = line(&mut BufReader::new(client)).await;
        assert_eq!(reply["error"]["code"], -32700, "{reply}");
    }

    #[tokio::test]
    async fn lines_are_read_whole() {
        for (sent, expected) in [
            ("a\nbc\n", vec!["a", "bc"]),
            ("\n\nabcd", vec!["", "", "abcd"]),
            ("abcde\nf\n", vec!["too long", "f"]),
            ("abcdefghijkl", vec!["too long"]),
            ("", vec![]),
        ] {
            let mut lines = Lines::new(sent.as_bytes(), 4);
            let mut found = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                found.push(match line {
                    Line::Whole(line) => String::from_utf8(line).unwrap(),
                    Line::TooLong(_) => "too long".to_string(),
                });
            }
            assert_eq!(found, expected, "{sent:?}");
        }
    }
}
