//! Separate servers for a test, to crash, copy and promote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use postgres::{Client, NoTls};

use super::pipeline::{Notices, Signal, signal};
use super::session::SERVER_START;
use super::{Session, config_at, listening, program_at, program_directory, unique, wait_until};

/// dev/cluster for the PostgreSQL with these programs.
fn script(programs: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/cluster"));
    command.args(arguments).env("PG_CONFIG", programs.join("pg_config"));
    command
}

fn run_script(command: &mut Command) -> String {
    let output = command.output().expect("dev/cluster does not run");
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let arguments: Vec<_> = command.get_args().collect();
    assert!(output.status.success(), "dev/cluster {arguments:?}\n{printed}{errors}");
    printed.trim().to_string()
}

/// A running server that no other test uses. It is removed at the end.
pub struct Server {
    name: String,
    socket: String,
    /// The directory of its programs.
    programs: PathBuf,
}

impl Server {
    /// Starts a new, empty server in which statements embed everything that they write.
    pub fn start() -> Server {
        Server::start_with(&["-c", "kb_rag.inline_chunks=1000000"])
    }

    /// The same with settings, each as `-c` and `name=value`.
    pub fn start_with(settings: &[&str]) -> Server {
        Server::start_in(&[], settings)
    }

    /// The same with variables in the server's environment.
    pub fn start_in(environment: &[(&str, &str)], settings: &[&str]) -> Server {
        Server::from_programs(&program_directory(), environment, settings)
    }

    /// The same with the programs and the library of another PostgreSQL.
    pub fn start_from(programs: &Path, settings: &[&str]) -> Server {
        Server::from_programs(programs, &[], settings)
    }

    fn from_programs(programs: &Path, environment: &[(&str, &str)], settings: &[&str]) -> Server {
        Server::named(programs, unique("own"), |name| {
            let mut command = script(programs, &[&["start", name], settings].concat());
            run_script(command.envs(environment.iter().copied()))
        })
    }

    /// The directory of its Unix socket.
    pub fn socket(&self) -> &str {
        &self.socket
    }

    /// Starts a hot standby of this server.
    pub fn standby(&self) -> Server {
        Server::named(&self.programs, unique("standby"), |name| self.script(&["standby", name, &self.name]))
    }

    fn named(programs: &Path, name: String, start: impl FnOnce(&str) -> String) -> Server {
        let mut server = Server { name, socket: String::new(), programs: programs.to_path_buf() };
        server.socket = start(&server.name);
        server
    }

    /// Runs dev/cluster; returns its output.
    fn script(&self, arguments: &[&str]) -> String {
        run_script(&mut script(&self.programs, arguments))
    }

    /// Stops the server as in a crash, and starts it again.
    pub fn crash(&self) {
        self.script(&["stop", &self.name, "immediate"]);
        self.script(&["start", &self.name]);
    }

    /// A new session as superuser.
    pub fn connect(&self) -> Client {
        self.connect_to("postgres", "postgres")
    }

    /// A new session as a role in a database.
    pub fn connect_to(&self, database: &str, role: &str) -> Client {
        let mut client = config_at(&self.socket, database, role).connect(NoTls).expect("connection refused");
        client.run("SET client_min_messages = warning");
        client
    }

    /// A new session as superuser in a database, and the messages that the server sends besides results.
    pub fn connect_listening(&self, database: &str) -> (Client, Notices) {
        listening(config_at(&self.socket, database, "postgres"))
    }

    /// The process id of the server.
    pub fn pid(&self) -> i32 {
        let data: String = self.connect().value("SHOW data_directory", &[]);
        let file = fs::read_to_string(Path::new(&data).join("postmaster.pid")).expect("a server that runs");
        file.lines().next().and_then(|line| line.parse().ok()).expect("a process id")
    }

    /// Starts the server after its process has ended or was stopped.
    pub fn restart(&self) {
        self.script(&["start", &self.name]);
    }

    /// Kills one of the server's processes as `kill -9` does, and waits until the server has restarted all of them.
    pub fn kill(&self, pid: i32) -> Client {
        let start = self.connect().server_start();
        signal(pid, Signal::KILL);
        let mut client = None;
        wait_until("a server that has restarted", || {
            // The server may still accept a connection and end it again.
            client = config_at(&self.socket, "postgres", "postgres").connect(NoTls).ok();
            let now = client.as_mut().and_then(|client| client.query_one(SERVER_START, &[]).ok());
            now.is_some_and(|row| row.get::<_, &str>(0) != start)
        });
        let mut client = client.expect("a session");
        client.run("SET client_min_messages = warning");
        client
    }

    /// The text of its log.
    pub fn log(&self) -> String {
        let data: String = self.connect().value("SHOW data_directory", &[]);
        let log = Path::new(&data).with_file_name("log");
        String::from_utf8_lossy(&fs::read(log).expect("a log")).into_owned()
    }

    /// A client program such as pg_dump, with this server's address set.
    pub fn program(&self, name: &str) -> Command {
        program_at(name, &self.socket)
    }

    /// Waits until this server, a standby, has caught up with `primary`.
    pub fn catch_up(&self, primary: &Server) {
        let written: String = primary.connect().value("SELECT pg_current_wal_lsn()::text", &[]);
        let mut client = self.connect();
        wait_until("a standby that has caught up with the primary", || {
            client.value("SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", &[&written])
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the failure of the test.
        let _ = script(&self.programs, &["remove", &self.name]).output();
    }
}
