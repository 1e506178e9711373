//! `kb-rag serve`, and a client of it that can break the rules of HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::client::{Folder, serve};
use crate::pipeline::signal;
use crate::{Database, Session, socket_directory};

/// How long an answer may take before the test fails.
const LIMIT: Duration = Duration::from_secs(60);

/// A running `kb-rag serve` on a free port of this machine.
pub struct Serve {
    child: Child,
    /// Where it listens, such as `127.0.0.1:40123`.
    pub address: String,
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

impl Serve {
    /// Starts it as a role on a database. `variables` are set in its environment.
    pub fn start(database: &Database, role: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Serve {
        let arguments = [&["--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = serve(&socket_directory(), database.name(), role, &arguments);
        let mut child = command.envs(variables.iter().copied()).spawn().expect("kb-rag does not start");
        let mut lines =
            BufReader::new(child.stderr.take().expect("standard error")).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("listens on")).expect("the line with the address");
        thread::spawn(move || lines.for_each(drop));
        let address = line.split("http://").nth(1).expect("an address").to_string();
        Serve { child, address }
    }

    /// The same with a login role that may be these roles, each with its name and `-token` as token.
    pub fn with_roles(database: &Database, roles: &[&str], arguments: &[&str]) -> Serve {
        let login = database.create_role("login");
        let mut client = database.connect();
        client.run(&format!("ALTER ROLE {login} NOINHERIT; GRANT {} TO {login}", roles.join(", ")));
        let lines: String = roles
            .iter()
            .map(|role| {
                let hash = Sha256::digest(format!("{role}-token"));
                let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{hash} {role}\n")
            })
            .collect();
        let folder = Folder::with(&[("tokens", &lines)]);
        let path = folder.path().join("tokens");
        let tokens = ["--tokens", path.to_str().expect("a path")];
        // Read before it listens.
        Serve::start(database, &login, &[&tokens, arguments].concat(), &[])
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(LIMIT)).expect("a time limit");
        stream
    }

    /// Sends a request with these headers besides Host and Content-Length.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        // A server that has refused may not read the body.
        let _ = stream.write_all(format!("{head}\r\n").as_bytes()).and_then(|()| stream.write_all(body));
        answer(&mut stream)
    }

    /// A request as a role of [`Serve::with_roles`].
    pub fn call(&self, role: &str, method: &str, path: &str, body: &str) -> Answer {
        self.send(method, path, &[("Authorization", &format!("Bearer {role}-token"))], body.as_bytes())
    }

    /// A GET as a role.
    pub fn get(&self, role: &str, path: &str) -> Answer {
        self.call(role, "GET", path, "")
    }

    /// A POST of JSON as a role.
    pub fn post(&self, role: &str, path: &str, body: Value) -> Answer {
        self.call(role, "POST", path, &body.to_string())
    }

    /// Ends it with a signal; returns the exit status.
    pub fn end(mut self, name: &str) -> Option<i32> {
        signal(self.child.id() as i32, name);
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().expect("the exit status") {
                return status.code();
            }
            assert!(Instant::now() < until, "kb-rag has not ended");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Reads the answer of a connection that the server then closes.
pub fn answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_string() }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
