//! `kb-rag serve`, as the roles of its tokens.

use std::net::TcpStream;
use std::process::Child;
use std::sync::LazyLock;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::client::{Folder, serve};
use crate::http::{self, Answer, Log, listening};
use crate::pipeline::{Signal, signal};
use crate::{Database, Session, socket_directory};

/// The OpenAPI document.
static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../crates/client/src/serve/openapi.json");
    serde_json::from_str(text).expect("the description")
});

/// Whether the description of an endpoint has the status that it answered with. What is no endpoint is not described.
fn is_described(method: &str, path: &str, status: u16) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let parts =
        |path: &str| -> Vec<String> { path.trim_end_matches('/').split('/').map(str::to_string).collect() };
    let given = parts(path);
    let is_of = |template: &str| {
        let template = parts(template);
        template.len() == given.len()
            && template.iter().zip(&given).all(|(a, b)| a == b || a.starts_with('{'))
    };
    let paths = DESCRIPTION["paths"].as_object().expect("the paths");
    // A path without variables takes precedence.
    let found =
        paths.get(path).or_else(|| paths.iter().find(|(path, _)| is_of(path)).map(|(_, methods)| methods));
    let Some(responses) = found.and_then(|methods| methods[method.to_lowercase()]["responses"].as_object())
    else {
        return true;
    };
    responses.contains_key(&status.to_string())
}

/// A running `kb-rag serve` on a free port of this machine.
pub struct Serve {
    child: Child,
    /// Where it listens, such as `127.0.0.1:40123`.
    pub address: String,
    /// What it has written to standard error since.
    pub log: Log,
}

impl Serve {
    /// Starts it as a role on a database. `variables` are set in its environment.
    pub fn start(database: &Database, role: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Serve {
        let arguments = [&["--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = serve(&socket_directory(), database.name(), role, &arguments);
        let (child, url, log) = listening(command.envs(variables.iter().copied()));
        let address = url.split("://").last().expect("an address").to_string();
        Serve { child, address, log }
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
        http::connect(&self.address)
    }

    /// Sends a request with these headers besides Host and Content-Length.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let answer = http::send(&self.address, method, path, headers, body);
        let is_plain = answer.head.contains("text/plain");
        assert!(
            is_plain || is_described(method, path, answer.status),
            "not in openapi.json: {method} {path}: {answer:?}"
        );
        answer
    }

    /// A request as a role of [`Serve::with_roles`].
    pub fn call(&self, role: &str, method: &str, path: &str, body: &str) -> Answer {
        self.send(method, path, &[("Authorization", &format!("Bearer {role}-token"))], body.as_bytes())
    }

    /// The same with more headers.
    pub fn call_with(
        &self,
        role: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let token = format!("Bearer {role}-token");
        let headers = [&[("Authorization", token.as_str())], headers].concat();
        self.send(method, path, &headers, body.as_bytes())
    }

    /// A GET as a role.
    pub fn get(&self, role: &str, path: &str) -> Answer {
        self.call(role, "GET", path, "")
    }

    /// A POST of JSON as a role.
    pub fn post(&self, role: &str, path: &str, body: Value) -> Answer {
        self.call(role, "POST", path, &body.to_string())
    }

    /// A PATCH of JSON as a role.
    pub fn patch(&self, role: &str, path: &str, body: Value) -> Answer {
        self.call(role, "PATCH", path, &body.to_string())
    }

    /// Sends it a signal.
    pub fn signal(&self, which: Signal) {
        signal(self.child.id() as i32, which);
    }

    /// Ends it with a signal; returns the exit status.
    pub fn end(mut self, how: Signal) -> Option<i32> {
        signal(self.child.id() as i32, how);
        http::wait(&mut self.child)
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
