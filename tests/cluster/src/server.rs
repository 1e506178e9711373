//! Servers of a test's own, to crash, copy and promote.

use std::fs;
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
    run_script(&mut script(arguments))
}

fn run_script(command: &mut Command) -> String {
    let output = command.output().expect("dev/cluster does not run");
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let arguments: Vec<_> = command.get_args().collect();
    assert!(output.status.success(), "dev/cluster {arguments:?}\n{printed}{errors}");
    printed.trim().to_string()
}

/// A running server that no other test uses; removed at the end.
pub struct Server {
    name: String,
    socket: String,
}

impl Server {
    /// Starts a new, empty server, in which statements embed all that they write themselves.
    pub fn start() -> Server {
        Server::start_with(&["-c", "kb_rag.inline_chunks=1000000"])
    }

    /// The same with settings, each as `-c` and `name=value`.
    pub fn start_with(settings: &[&str]) -> Server {
        Server::start_in(&[], settings)
    }

    /// The same with variables in the environment of the server.
    pub fn start_in(environment: &[(&str, &str)], settings: &[&str]) -> Server {
        Server::named(unique("own"), |name| {
            let mut command = script(&[&["start", name], settings].concat());
            run_script(command.envs(environment.iter().copied()))
        })
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

    /// The process of the server itself.
    pub fn pid(&self) -> i32 {
        let data: String = self.connect().value("SHOW data_directory", &[]);
        let file = fs::read_to_string(Path::new(&data).join("postmaster.pid")).expect("a server that runs");
        file.lines().next().and_then(|line| line.parse().ok()).expect("a process id")
    }

    /// Starts the server after its process ended, or was stopped.
    pub fn restart(&self) {
        dev_cluster(&["start", &self.name]);
    }

    /// Waits until the server, which restarts its processes by itself after one crashed, takes connections.
    pub fn wait_until_up(&self) -> Client {
        let mut client = None;
        wait_until("a server that takes connections", || {
            client = config_at(&self.socket, "postgres", "postgres").connect(NoTls).ok();
            // It may have been on its way down when it took this one.
            client
                .as_mut()
                .is_some_and(|client| client.batch_execute("SET client_min_messages = warning").is_ok())
        });
        client.expect("a session")
    }

    /// All it has written to its log.
    pub fn log(&self) -> String {
        let data: String = self.connect().value("SHOW data_directory", &[]);
        let log = Path::new(&data).with_file_name("log");
        String::from_utf8_lossy(&fs::read(log).expect("a log")).into_owned()
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
