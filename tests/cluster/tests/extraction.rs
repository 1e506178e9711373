//! The program kb-rag-extract: what it may do, and its end in the middle of a file. A program that is stopped (SIGSTOP) takes
//! as long as a test needs.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Instant;

use kb_rag_cluster_tests::extractor::{extractor_of, extractors_of, has_greeted, is_stopped};
use kb_rag_cluster_tests::pipeline::{Signal, runs, signal};
use kb_rag_cluster_tests::{
    Database, INTERRUPT_LIMIT, Outcome, Point, Server, Session, cancel, maintenance, program_directory,
    unique, wait_for_lock, wait_until,
};
use postgres::Client;
use rustix::process::{Pid, kill_process};

const READ: &str = "SELECT count(*) FROM kb_extract('some words', 'a.txt')";

/// A session that reads a file with a program that is stopped.
struct Reading {
    outcome: thread::JoinHandle<Outcome>,
    backend: i32,
    program: i32,
}

impl Reading {
    fn begin(database: &Database, client: Client) -> Reading {
        Self::begin_with(database.connect(), client, READ)
    }

    /// The program is stopped when it has entered its sandbox and greeted the server, before it is sent the file. The session
    /// then waits for its answer.
    fn begin_with(holder: Client, mut client: Client, statement: &str) -> Reading {
        let mut started = Point::hold_by(holder, "extract.started");
        let backend = client.pid();
        client.run(&started.setting());
        let outcome = Outcome::spawn(client, statement);
        started.wait_for(1);
        let program = extractor_of(backend);
        wait_until("a program that greets", || has_greeted(program));
        signal(program, Signal::STOP);
        wait_until("a program that is stopped", || is_stopped(program));
        // Interrupts are noticed where the session waits for the program from here on.
        started.release();
        Reading { outcome, backend, program }
    }

    /// The outcome, which must come within a second, and take the program along.
    fn assert_ended(self, state: &str, asked: Instant, what: &str) -> Client {
        let outcome = Outcome::joined(self.outcome, what);
        // The driver may find the connection closed before it reads why.
        let is_closed = state == "57P01" && outcome.state == "08006";
        assert!(outcome.state == state || is_closed, "{what}: {} instead of {state}", outcome.state);
        let took = outcome.at.saturating_duration_since(asked);
        assert!(took < INTERRUPT_LIMIT, "{what}: it continued for {took:?}");
        wait_until("the end of the program", || !runs(self.program));
        outcome.client
    }
}

#[test]
fn it_can_open_neither_files_nor_sockets() {
    let server = Server::start();
    let mut client = server.connect();
    let data: String = client.value("SHOW data_directory", &[]);
    let library: String = client.value("SELECT setting FROM pg_config() WHERE name = 'PKGLIBDIR'", &[]);
    let program = Path::new(&library).join("kb-rag-extract");
    // The tests can read the file: the program could, too.
    let file = Path::new(&data).join("PG_VERSION");
    assert!(fs::read(&file).is_ok());
    let output = Command::new(&program).arg("--check-sandbox").arg(&file).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "Landlock: on, seccomp: on");
    let whats: Vec<&str> = lines[1..].iter().map(|line| line.split(':').next().unwrap()).collect();
    let expected = [
        "read the file",
        "create a file",
        "open a TCP socket",
        "open a Unix socket",
        "start a program",
        "signal another process",
    ];
    assert_eq!(whats, expected);
    assert!(lines[1..].iter().all(|line| line.contains(": denied (")), "{printed}");
}

#[test]
fn it_runs_without_environment_descriptors_and_privileges() {
    let database = Database::create();
    let reading = Reading::begin(&database, database.connect());
    let proc = |name: &str| fs::read(format!("/proc/{}/{name}", reading.program)).unwrap();
    assert!(proc("environ").is_empty(), "{}", String::from_utf8_lossy(&proc("environ")));
    let status = String::from_utf8_lossy(&proc("status")).into_owned();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(&format!("{name}:"))).unwrap();
        line.split_whitespace().nth(1).unwrap().to_string()
    };
    assert_eq!([field("NoNewPrivs"), field("Seccomp")], ["1", "2"]);
    let limits = String::from_utf8_lossy(&proc("limits")).into_owned();
    for (name, value) in [("Max file size", "0"), ("Max core file size", "0"), ("Max open files", "3")] {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(line[name.len()..].split_whitespace().next(), Some(value), "{line}");
    }
    let mut descriptors: Vec<String> = fs::read_dir(format!("/proc/{}/fd", reading.program))
        .unwrap()
        .map(|entry| fs::read_link(entry.unwrap().path()).unwrap().display().to_string())
        .collect();
    descriptors.sort();
    assert_eq!(descriptors.len(), 3, "{descriptors:?}");
    assert_eq!(descriptors[0], "/dev/null");
    assert!(descriptors[1..].iter().all(|target| target.starts_with("pipe:")), "{descriptors:?}");
    signal(reading.program, Signal::CONT);
    assert_eq!(reading.outcome.join().unwrap().state, "00000");
}

#[test]
fn a_cancel_and_a_timeout_end_it() {
    let database = Database::create();
    let mut observer = database.connect();
    let reading = Reading::begin(&database, database.connect());
    let asked = Instant::now();
    cancel(&mut observer, reading.backend);
    let mut client = reading.assert_ended("57014", asked, "cancel");
    // Its place is free again, and the session goes on.
    client.run("SET kb_rag.extract_workers = 1; SELECT * FROM kb_extract('text', 'a.txt')");

    // A program that greets and never answers: only the timeout ends it.
    let hello = r#"{"protocol":1,"version":"9.0.0","sandbox":{"files":true,"calls":true}}"#;
    let directory = directory_with(
        "kb-rag-extract",
        &program_that_says(&[hello]).replace("exec cat >/dev/null", "sleep 3600"),
    );
    let mut client = database.connect();
    let read = extract_in(&mut client, &directory);
    let pid = client.pid();
    for (setting, state) in [("kb_rag.extract_timeout", "54000"), ("statement_timeout", "57014")] {
        client.run(&format!("SET {setting} = '300ms'"));
        let outcome = Outcome::joined(Outcome::spawn(client, &read), setting);
        assert_eq!(outcome.state, state, "{setting}");
        assert_eq!(extractors_of(pid), [0; 0], "{setting}");
        client = outcome.client;
        client.run(&format!("RESET {setting}"));
    }
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn the_end_of_the_session_ends_it() {
    let database = Database::create();
    let mut observer = database.connect();
    let start = observer.server_start();
    let reading = Reading::begin(&database, database.connect());
    let asked = Instant::now();
    observer.run(&format!("SELECT pg_terminate_backend({})", reading.backend));
    reading.assert_ended("57P01", asked, "pg_terminate_backend");
    assert_eq!(observer.server_start(), start);
}

#[test]
fn drop_database_ends_it() {
    let database = Database::create();
    let mut observer = maintenance();
    let start = observer.server_start();
    let reading = Reading::begin(&database, database.connect());
    let asked = Instant::now();
    observer.run(&format!("DROP DATABASE {} WITH (FORCE)", database.name()));
    reading.assert_ended("57P01", asked, "DROP DATABASE");
    assert_eq!(observer.server_start(), start);
    observer.run(&format!("CREATE DATABASE {}", database.name()));
}

#[test]
fn its_crash_is_an_error_of_the_file() {
    let database = Database::create();
    let mut observer = database.connect();
    let start = observer.server_start();
    observer.create_base("files");
    for (name, state) in [(Signal::KILL, "22000"), (Signal::ABORT, "22000"), (Signal::XCPU, "54000")] {
        let add = "SELECT kb_add_file('files', 'some words', 'a.txt')";
        let reading = Reading::begin_with(database.connect(), database.connect(), add);
        let asked = Instant::now();
        signal(reading.program, name);
        // Fails where the program has ended already.
        let _ = kill_process(Pid::from_raw(reading.program).unwrap(), Signal::CONT);
        let mut client = reading.assert_ended(state, asked, &format!("{name:?}"));
        let documents: i64 = client.value("SELECT count(*) FROM kb_files.document", &[]);
        assert_eq!(documents, 0);
        client.run("SELECT kb_add_file('files', 'Short text.', 'short.txt'); DELETE FROM kb_files.document");
    }
    assert_eq!(observer.server_start(), start);
}

/// A server that adopts processes, as process 1 of a container does, would restart if one of them ended by a signal.
#[test]
fn a_server_that_adopts_processes_goes_on() {
    let postgres = program_directory().join("postgres");
    // PR_SET_CHILD_SUBREAPER, which is kept when a program is replaced.
    let script = format!(
        "#!/usr/bin/env python3\nimport ctypes, os, sys\nctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n\
         os.execv('{0}', ['{0}'] + sys.argv[1:])\n",
        postgres.display()
    );
    let directory = directory_with("server", &script);
    let program = directory.join("server").display().to_string();
    let server = Server::start_in(&[("KB_RAG_SERVER_PROGRAM", &program)], &[]);
    let mut observer = server.connect();
    observer.run("CREATE EXTENSION kb_rag CASCADE");
    let start = observer.server_start();
    for _ in 0..3 {
        let reading = Reading::begin_with(server.connect(), server.connect(), READ);
        let asked = Instant::now();
        observer.run(&format!("SELECT pg_terminate_backend({})", reading.backend));
        reading.assert_ended("57P01", asked, "pg_terminate_backend");
    }
    assert_eq!(observer.server_start(), start);
    // The test can tell: a program that is left to the server ends by a signal.
    observer
        .run("CREATE TABLE t (pid int); COPY t FROM PROGRAM 'setsid sleep 1000 >/dev/null 2>&1 & echo $!'");
    let child: i32 = observer.value("SELECT pid FROM t", &[]);
    server.kill(child);
}

#[test]
fn as_many_files_are_read_at_once_as_allowed() {
    let database = Database::create();
    let mut observer = database.connect();
    let connect = || {
        let mut client = database.connect();
        client.run("SET kb_rag.extract_workers = 1");
        client
    };
    // Another test may hold the place for a moment.
    let first = Reading::begin(&database, connect());
    let mut waiting = connect();
    let pid = waiting.pid();
    let second = Outcome::spawn(waiting, "SELECT * FROM kb_extract('text', 'a.txt')");
    wait_for_lock(&mut observer, pid);
    assert!(extractors_of(pid).is_empty());
    // It can be canceled, and others then go on.
    let third = connect();
    let third = Outcome::spawn(third, "SELECT * FROM kb_extract('text', 'a.txt')");
    cancel(&mut observer, pid);
    assert_eq!(second.join().unwrap().state, "57014");
    signal(first.program, Signal::CONT);
    assert_eq!(first.outcome.join().unwrap().state, "00000");
    assert_eq!(third.join().unwrap().state, "00000");
}

/// A statement that reads bytes that are a PDF file by their beginning, but have no pages.
const READ_PDF: &str = "SELECT * FROM kb_extract('%PDF-1.7', 'a.pdf')";

#[test]
fn text_does_not_wait_for_pdf_files() {
    let (database, other) = (Database::create(), Database::create());
    let mut observer = database.connect();
    let reading = Reading::begin_with(database.connect(), database.connect(), READ_PDF);
    // It holds the place for such files, for which another database waits, too.
    let mut waiting = other.connect();
    let pid = waiting.pid();
    let waiting = Outcome::spawn(waiting, READ_PDF);
    wait_for_lock(&mut observer, pid);
    for database in [&database, &other] {
        for name in ["a.txt", "a.md", "a.json", "a.csv", "a.py"] {
            let read = format!("SELECT * FROM kb_extract('some words', '{name}')");
            assert_eq!(Outcome::spawn(database.connect(), &read).join().unwrap().state, "00000");
        }
    }
    assert!(extractors_of(pid).is_empty());
    signal(reading.program, Signal::CONT);
    assert_eq!(reading.outcome.join().unwrap().state, "22000");
    assert_eq!(waiting.join().unwrap().state, "22000");
}

#[test]
fn one_database_does_not_take_all_places() {
    let (database, other) = (Database::create(), Database::create());
    let mut observer = database.connect();
    let connect = |database: &Database| {
        let mut client = database.connect();
        client.run("SET kb_rag.extract_workers = 3");
        client
    };
    let reading = Reading::begin_with(database.connect(), connect(&database), READ_PDF);
    // Of two places for such files, the database has one. The other one is for other databases.
    let mut waiting = connect(&database);
    let pid = waiting.pid();
    let waiting = Outcome::spawn(waiting, READ_PDF);
    wait_for_lock(&mut observer, pid);
    assert_eq!(Outcome::spawn(connect(&other), READ_PDF).join().unwrap().state, "22000");
    assert!(extractors_of(pid).is_empty());
    signal(reading.program, Signal::CONT);
    assert_eq!(reading.outcome.join().unwrap().state, "22000");
    assert_eq!(waiting.join().unwrap().state, "22000");
}

/// A directory that the server can read, with a file that it can execute.
fn directory_with(name: &str, program: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(unique("kb_rag"));
    fs::create_dir(&directory).unwrap();
    if !name.is_empty() {
        fs::write(directory.join(name), program).unwrap();
        fs::set_permissions(directory.join(name), Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
    directory
}

/// A program that sends these messages, each shorter than 256 bytes.
fn program_that_says(messages: &[&str]) -> String {
    let sent: String =
        messages.iter().map(|json| format!("printf '\\{:03o}\\0\\0\\0%s' '{json}'\n", json.len())).collect();
    format!("#!/bin/sh\n{sent}exec cat >/dev/null\n")
}

/// Another function kb_extract, of a copy of the library in this directory. Returns a statement that calls it.
fn extract_in(client: &mut Client, directory: &Path) -> String {
    let library: String =
        client.value("SELECT setting || '/kb_rag.so' FROM pg_config() WHERE name = 'PKGLIBDIR'", &[]);
    fs::copy(library, directory.join("kb_rag.so")).unwrap();
    client.run(&format!(
        "CREATE FUNCTION pg_temp.kb_extract(bytea, text, text, text)
         RETURNS TABLE (page int, title text, content text, error text, mime_type text, language text)
         LANGUAGE c AS '{}', 'kb_extract_wrapper'",
        directory.join("kb_rag.so").display()
    ));
    "SELECT * FROM pg_temp.kb_extract('text', 'a.txt', NULL, NULL)".to_string()
}

/// The library in another directory, with another program beside it.
#[test]
fn a_missing_or_other_program_is_reported() {
    let database = Database::create();
    let sandbox = r#""sandbox":{"files":true,"calls":true}"#;
    let other = program_that_says(&[&format!(r#"{{"version":"0.0.1",{sandbox}}}"#)]);
    let newer = program_that_says(&[&format!(r#"{{"protocol":99,"version":"9.0.0",{sandbox}}}"#)]);
    // Of the same protocol: its answer counts.
    let same = program_that_says(&[
        &format!(r#"{{"protocol":1,"version":"9.0.0",{sandbox}}}"#),
        r#"{"Failure":{"Damaged":"so it says"}}"#,
    ]);
    for (program, state, words) in [
        (None, "55000", "is missing"),
        (
            Some(other.as_str()),
            "55000",
            concat!(
                "has version 0.0.1, which does not work with the library of version ",
                env!("CARGO_PKG_VERSION")
            ),
        ),
        (
            Some(newer.as_str()),
            "55000",
            concat!(
                "has version 9.0.0, which does not work with the library of version ",
                env!("CARGO_PKG_VERSION")
            ),
        ),
        (Some(same.as_str()), "22000", "is damaged: so it says"),
        (Some("#!/bin/sh\nexit 3\n"), "55000", "does not run: exit status: 3"),
        (Some("#!/none\n"), "55000", "is missing"),
    ] {
        let directory =
            directory_with(if program.is_some() { "kb-rag-extract" } else { "" }, program.unwrap_or(""));
        let mut client = database.connect();
        let read = extract_in(&mut client, &directory);
        let error = client.query(&read, &[]).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), state, "{error:?}");
        assert!(error.message().contains(words), "{error:?}");
        fs::remove_dir_all(directory).unwrap();
    }
}
