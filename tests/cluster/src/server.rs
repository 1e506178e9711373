//! Servers of a test's own, to crash, copy and promote.

use std::path::Path;
use std::process::Command;

use postgres::{Client, NoTls};

use super::{Session, config_at, program_at, program_directory, unique, wait_until};

/// dev/cluster for the PostgreSQL under test.
fn script(arguments: &[&str]) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/cluster"));
    command.args(arguments).env("PG_CONFIG", program_directory().join("pg_config"));
    command
}

/// Runs it; what it prints.
fn dev_cluster(arguments: &[&str]) -> String {
    let output = script(arguments).output().expect("dev/cluster does not run");
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "dev/cluster {arguments:?}\n{printed}{errors}");
    printed.trim().to_string()
}

/// A running server that no other test uses; removed at the end.
pub struct Server {
    name: String,
    socket: String,
}

impl Server {
    /// Starts a new, empty server.
    pub fn start() -> Server {
        Server::start_with(&[])
    }

    /// The same with settings, each as `-c` and `name=value`.
    pub fn start_with(settings: &[&str]) -> Server {
        Server::named(unique("own"), |name| dev_cluster(&[&["start", name], settings].concat()))
    }

    /// The directory of its Unix socket.
    pub fn socket(&self) -> &str {
        &self.socket
    }

    /// Starts a hot standby of this server.
    pub fn standby(&self) -> Server {
        Server::named(unique("standby"), |name| dev_cluster(&["standby", name, &self.name]))
    }

    fn named(name: String, start: impl FnOnce(&str) -> String) -> Server {
        let mut server = Server { name, socket: String::new() };
        server.socket = start(&server.name);
        server
    }

    /// Stops the server as a crash does, and starts it again.
    pub fn crash(&self) {
        dev_cluster(&["stop", &self.name, "immediate"]);
        dev_cluster(&["start", &self.name]);
    }

    /// A new session of the superuser.
    pub fn connect(&self) -> Client {
        self.connect_to("postgres", "postgres")
    }

    /// A new session of a role in a database.
    pub fn connect_to(&self, database: &str, role: &str) -> Client {
        let mut client = config_at(&self.socket, database, role).connect(NoTls).expect("connection refused");
        client.run("SET client_min_messages = warning");
        client
    }

    /// A client program such as pg_dump, told where this server is.
    pub fn program(&self, name: &str) -> Command {
        program_at(name, &self.socket)
    }

    /// Waits until this server, a standby, has what `primary` has.
    pub fn catch_up(&self, primary: &Server) {
        let written: String = primary.connect().value("SELECT pg_current_wal_lsn()::text", &[]);
        let mut client = self.connect();
        wait_until("a standby that has what the primary has", || {
            client.value("SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", &[&written])
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the one of the test.
        let _ = script(&["remove", &self.name]).output();
    }
}
