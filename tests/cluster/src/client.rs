//! The client program kb-rag, as its users call it.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::pipeline::{Signal, signal};

/// How long a run may take before the test fails.
const LIMIT: Duration = Duration::from_secs(120);

/// What a run printed, and its exit status.
#[derive(Debug)]
pub struct Run {
    /// The exit status; None after a signal that ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

/// The program beside these tests.
fn program() -> PathBuf {
    let tests = env::current_exe().expect("the path of this test");
    let path = tests.ancestors().nth(2).expect("target/debug").join("kb-rag");
    assert!(path.exists(), "{} is missing: run cargo build -p kb_rag_client", path.display());
    path
}

/// A call of `kb-rag index` for a directory, as a role on a database, without the environment of the tests.
pub fn index(socket: &str, database: &str, role: &str, directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().envs([("PGHOST", socket), ("PGDATABASE", database), ("PGUSER", role)]);
    command.arg("index").arg(directory).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A call of `kb-rag mcp`, as a role on a database, without the environment of the tests.
pub fn mcp(socket: &str, database: &str, role: &str, arguments: &[&str]) -> Command {
    server("mcp", socket, database, role, arguments)
}

/// The same of `kb-rag serve`.
pub fn serve(socket: &str, database: &str, role: &str, arguments: &[&str]) -> Command {
    server("serve", socket, database, role, arguments)
}

/// A call of `kb-rag retrieve` or `kb-rag check`, with these variables and without the environment of the tests.
pub fn with_manifest(subcommand: &str, manifest: &Path, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().envs(variables.iter().copied()).arg(subcommand).arg("--manifest").arg(manifest);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A call of `kb-rag questions` or `kb-rag evaluate`, as a role on a database, without the environment of the tests.
pub fn quality(socket: &str, database: &str, role: &str, arguments: &[&str]) -> Command {
    let mut command = server(arguments[0], socket, database, role, &arguments[1..]);
    command.stdin(Stdio::null());
    command
}

fn server(subcommand: &str, socket: &str, database: &str, role: &str, arguments: &[&str]) -> Command {
    // Under nohup, it would ignore the signal.
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal=HUP").arg(program());
    command.env_clear().envs([("PGHOST", socket), ("PGDATABASE", database), ("PGUSER", role)]);
    command.arg(subcommand).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Run {
    /// Runs a command to its end.
    pub fn from_command(command: &mut Command) -> Run {
        Run::end(command.spawn().expect("kb-rag does not start"))
    }

    /// Runs a command that reads a text from standard input.
    pub fn with_input(command: &mut Command, input: &str) -> Run {
        let mut child = command.stdin(Stdio::piped()).spawn().expect("kb-rag does not start");
        let mut stdin = child.stdin.take().expect("standard input");
        stdin.write_all(input.as_bytes()).expect("kb-rag reads");
        drop(stdin);
        Run::end(child)
    }

    /// Waits for the end of a command. Fails after [`LIMIT`] instead of waiting for ever.
    pub fn end(child: Child) -> Run {
        let pid = child.id() as i32;
        let (ended, end) = mpsc::channel();
        thread::spawn(move || {
            if end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                signal(pid, Signal::KILL);
            }
        });
        let began = Instant::now();
        let output = child.wait_with_output().expect("kb-rag has no end");
        let _ = ended.send(());
        assert!(began.elapsed() < LIMIT, "kb-rag did not end within {LIMIT:?}: {output:?}");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Run { status: output.status.code(), output: text(output.stdout), errors: text(output.stderr) }
    }

    /// The last line without the time, such as `1 added, 0 changed, …`.
    pub fn sum(&self) -> &str {
        let last = self.output.lines().last().unwrap_or_default();
        last.split(", in ").next().unwrap_or_default()
    }

    /// Fails unless the run ended with this status and sum.
    pub fn expect(&self, status: i32, sum: &str) -> &Run {
        assert_eq!((self.status, self.sum()), (Some(status), sum), "{self:?}");
        self
    }

    /// Fails unless the run ended with this status and said all of this on standard error.
    pub fn fails(&self, status: i32, said: &[&str]) -> &Run {
        assert_eq!(self.status, Some(status), "{self:?}");
        for said in said {
            assert!(self.errors.contains(said), "no {said:?} in {self:?}");
        }
        self
    }
}

/// A directory with files, removed at the end.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a directory for the test"))
    }

    /// With these files.
    pub fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and makes its directory.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("below the directory")).expect("a directory");
        fs::write(&path, bytes).expect("a file");
        path
    }

    /// Deletes a file.
    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).expect("the file is there");
    }
}

impl Default for Folder {
    fn default() -> Folder {
        Folder::new()
    }
}
