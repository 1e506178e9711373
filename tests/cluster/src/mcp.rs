//! A client of the Model Context Protocol over standard input and output, and of HTTP, that can also break the rules.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::mcp;
use crate::http::{self, LIMIT, listening};

/// A running `kb-rag mcp`.
pub struct Served {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Notifications that nobody has waited for yet.
    notifications: Vec<Value>,
    last: u64,
}

impl Served {
    /// Starts it as a role on a database, without a handshake.
    pub fn start(socket: &str, database: &str, role: &str, arguments: &[&str]) -> Served {
        let mut command = mcp(socket, database, role, arguments);
        let mut child =
            command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("kb-rag does not start");
        let output = child.stdout.take().expect("standard output");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Served { child, input, lines, notifications: Vec::new(), last: 0 }
    }

    /// The same, and shakes hands.
    pub fn ready(socket: &str, database: &str, role: &str, arguments: &[&str]) -> Served {
        let mut served = Served::start(socket, database, role, arguments);
        let answer = served.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "kb-rag", "{answer}");
        assert_eq!(answer["result"]["capabilities"]["tools"]["listChanged"], true, "{answer}");
        served.notify("notifications/initialized", json!({}));
        served
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("standard input");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("kb-rag has ended");
    }

    /// Sends a line, which may be anything; returns the answer that has this id.
    pub fn line(&mut self, line: &[u8], id: &Value) -> Value {
        let input = self.input.as_mut().expect("standard input");
        input.write_all(&[line, b"\n"].concat()).and_then(|()| input.flush()).expect("kb-rag has ended");
        let until = Instant::now() + LIMIT;
        while let Some(message) = self.next(until) {
            match message.get("id") {
                Some(given) if given == id => return message,
                Some(_) => panic!("an answer with another id than {id}: {message}"),
                None => self.notifications.push(message),
            }
        }
        panic!("no answer to {} within {LIMIT:?}", String::from_utf8_lossy(line));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    fn next(&mut self, until: Instant) -> Option<Value> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("kb-rag has ended"),
        }
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        let until = Instant::now() + LIMIT;
        while let Some(message) = self.next(until) {
            if message["id"] == id {
                return message;
            }
            assert!(message.get("id").is_none(), "an answer to another request: {message}");
            self.notifications.push(message);
        }
        panic!("no answer to request {id} within {LIMIT:?}");
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool; returns the result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool; returns its text and whether it is an error.
    pub fn text(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let result = self.call(tool, arguments);
        (result["content"][0]["text"].as_str().expect("a text").to_string(), result["isError"] == true)
    }

    /// The names of all tools.
    pub fn tools(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_string()).collect()
    }

    /// Waits for a notification.
    pub fn wait_for(&mut self, method: &str) {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(place) = self.notifications.iter().position(|one| one["method"] == method) {
                self.notifications.remove(place);
                return;
            }
            match self.next(until) {
                Some(message) => self.notifications.push(message),
                None => panic!("no {method} within {LIMIT:?}"),
            }
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes standard input; returns the exit status.
    pub fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        http::wait(&mut self.child)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A `kb-rag mcp --http` on a free port of this machine.
pub struct HttpServed {
    child: Child,
    /// Where it listens, such as `127.0.0.1:40123`.
    pub address: String,
}

impl HttpServed {
    /// Starts it. `variables` are set in its environment.
    pub fn start(
        socket: &str,
        database: &str,
        role: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> HttpServed {
        let arguments = [&["--http", "127.0.0.1:0"], arguments].concat();
        let mut command = mcp(socket, database, role, &arguments);
        let (child, url, _) = listening(command.envs(variables.iter().copied()));
        let address = url.split("://").last().and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.expect("an address").to_string();
        HttpServed { child, address }
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        http::connect(&self.address)
    }

    /// Sends a request with these further headers; returns status and body.
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let accept =
            [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let answer = http::send(&self.address, "POST", path, &[&accept, headers].concat(), body.as_bytes());
        (answer.status, answer.body)
    }

    /// A request of the protocol without a session (2026-07-28); returns status and body.
    pub fn stateless(
        &self,
        headers: &[(&str, &str)],
        method: &str,
        name: Option<&str>,
        params: Value,
    ) -> (u16, String) {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let mut all = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        all.extend(name.map(|name| ("Mcp-Name", name)));
        all.extend(headers);
        self.post(
            "/mcp",
            &all,
            &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string(),
        )
    }
}

impl Drop for HttpServed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of `kb-rag mcp` that is expected to fail at once: its exit status and standard error.
pub fn refused(command: &mut Command) -> (Option<i32>, String) {
    let output = command.stdin(Stdio::null()).output().expect("kb-rag does not start");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}
