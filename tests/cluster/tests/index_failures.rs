//! `kb-rag index` where something fails: files, rights, arguments, the connection, and interruption.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use kb_rag_cluster_tests::client::{Folder, Run, index};
use kb_rag_cluster_tests::pipeline::{Signal, signal};
use kb_rag_cluster_tests::relay::Relay;
use kb_rag_cluster_tests::{Database, Server, Session, socket_directory, wait_until};
use postgres::Client;

const NONE_FAILED: &str = "0 removed, 0 skipped, 0 failed";

fn run_as(database: &Database, role: &str, folder: &Folder, arguments: &[&str]) -> Run {
    Run::from_command(&mut index(&socket_directory(), database.name(), role, folder.path(), arguments))
}

fn run(database: &Database, folder: &Folder) -> Run {
    run_as(database, "postgres", folder, &["--base", "notes"])
}

fn documents(client: &mut Client) -> i64 {
    client.value("SELECT count(*) FROM kb_notes.document", &[])
}

#[test]
fn a_file_that_fails_stops_no_other() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a"), ("z.md", "z")]);
    folder.write("image.txt", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
    folder.write("nul.txt", b"a\0b");
    folder.write("film.ts", b"a\0b");
    folder.write("cut.pdf", "a PDF file once");
    folder.write("large.txt", "x".repeat(2000));
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), "x").unwrap();
    folder.write("esc\u{1b}[2J.md", "x");
    let run = run_as(&database, "postgres", &folder, &["--base", "notes", "--max-bytes", "1kB"]);
    run.expect(1, "3 added, 0 changed, 0 unchanged, 0 removed, 2 skipped, 4 failed").fails(
        1,
        &[
            "failed cut.pdf: file \"cut.pdf\" is damaged: ",
            "failed nul.txt: the file is damaged: its bytes are not text",
            "failed large.txt: the file has 2000 bytes, more than the limit of 1000 (--max-bytes)",
            "failed bad\u{fffd}.md: the name of the file is not UTF-8: rename it",
        ],
    );
    let skipped =
        "skipped: 1 unsupported (a PNG image), 1 unsupported (a binary file) (--verbose names them)\n";
    assert!(run.output.contains(skipped), "{run:?}");
    assert!(run.output.contains("added esc\\u{1b}[2J.md\n"), "{run:?}");
    let source: String = client.value("SELECT status || ': ' || error_message FROM kb_notes.source", &[]);
    assert!(source.starts_with("failed: 4 files failed: bad\u{fffd}.md: the name"), "{source}");
    // The others are not sent again.
    for name in ["image.txt", "nul.txt", "film.ts", "cut.pdf", "large.txt"] {
        folder.remove(name);
    }
    fs::remove_file(folder.path().join(std::ffi::OsStr::from_bytes(b"bad\xff.md"))).unwrap();
    run_again(&database, &folder, "0 added, 0 changed, 3 unchanged");
    let source: String =
        client.value("SELECT status || coalesce(error_message, '') FROM kb_notes.source", &[]);
    assert_eq!(source, "indexed");
}

fn run_again(database: &Database, folder: &Folder, sum: &str) {
    run(database, folder).expect(0, &format!("{sum}, {NONE_FAILED}"));
}

#[test]
fn a_file_that_never_stops_changing_fails() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a")]);
    // Large, so that reading it takes longer than the threads below may have to wait for a processor.
    let path = folder.write("busy.txt", "x".repeat(90_000_000));
    let stop = AtomicBool::new(false);
    let touch = || {
        while !stop.load(Ordering::Relaxed) {
            let now = fs::FileTimes::new().set_modified(std::time::SystemTime::now());
            fs::File::open(&path).and_then(|file| file.set_times(now)).unwrap();
            std::thread::park_timeout(std::time::Duration::from_micros(100));
        }
    };
    let run = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(touch);
        }
        let run = run(&database, &folder);
        stop.store(true, Ordering::Relaxed);
        run
    });
    run.expect(1, "1 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 1 failed")
        .fails(1, &["failed busy.txt: the file changed each time it was read"]);
    assert_eq!(documents(&mut client), 1);
}

#[test]
fn a_role_needs_the_privilege_to_write() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a"), ("b.md", "b")]);
    let [writer, reader, stranger] = ["writer", "reader", "stranger"].map(|name| database.create_role(name));
    client.run(&format!(
        "SELECT kb_grant('notes', '{writer}', 'write'), kb_grant('notes', '{reader}', 'read')"
    ));
    let base = ["--base", "notes"];
    run_as(&database, &stranger, &folder, &base)
        .fails(1, &["error: permission denied to read knowledge base \"notes\"", "hint: "]);
    let refused = run_as(&database, &reader, &folder, &base);
    refused.fails(
        1,
        &[
            "error: permission denied to write to knowledge base \"notes\"",
            "kb_grant('notes', 'role', 'write')",
        ],
    );
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_notes.source", &[]), 0);
    run_as(&database, &writer, &folder, &base)
        .expect(0, &format!("2 added, 0 changed, 0 unchanged, {NONE_FAILED}"));
    run_as(&database, &reader, &folder, &["--base", "notes", "--dry-run"])
        .expect(0, &format!("dry run, nothing was changed: 0 added, 0 changed, 2 unchanged, {NONE_FAILED}"));
    folder.remove("a.md");
    run_as(&database, &writer, &folder, &["--base", "notes", "--remove-missing"])
        .expect(0, "0 added, 0 changed, 1 unchanged, 1 removed, 0 skipped, 0 failed");
}

#[test]
fn what_cannot_be_found_is_named() {
    let (database, _client) = Database::with_base("notes");
    let bare = Database::bare("");
    let folder = Folder::with(&[("a.md", "a")]);
    let fails = |arguments: &[&str], status, said: &[&str]| {
        run_as(&database, "postgres", &folder, arguments).fails(status, said);
    };
    fails(
        &["--base", "note"],
        1,
        &["error: knowledge base \"note\" does not exist", "hint: Did you mean \"notes\"?"],
    );
    fails(&["--base", "notes", "--database", "kb_no_such"], 1, &["database \"kb_no_such\" does not exist"]);
    fails(&["--base", "notes", "--database", bare.name()], 1, &["kb_rag is not installed in this database"]);
    fails(
        &["--base", "notes", "--database", "host=/nowhere"],
        1,
        &["cannot connect to database", "/nowhere"],
    );
    fails(&[], 2, &["--base"]);
    fails(&["--base", "notes", "--glob", "a{"], 2, &["--glob \"a{\""]);
    fails(&["--base", "notes", "--jobs", "0"], 2, &["--jobs"]);
    fails(&["--base", "notes", "--database", "mysql://x"], 2, &["postgres://"]);
    let mut missing =
        index(&socket_directory(), database.name(), "postgres", "/no/such".as_ref(), &["--base", "notes"]);
    Run::from_command(&mut missing).fails(2, &["directory \"/no/such\" cannot be read"]);
    let file = folder.path().join("a.md");
    let mut of_file = index(&socket_directory(), database.name(), "postgres", &file, &["--base", "notes"]);
    Run::from_command(&mut of_file).fails(2, &["a.md\" is a file, not a directory", "--glob"]);
    // A pattern that nothing matches may be a mistake, but is no failure.
    let none = run_as(&database, "postgres", &folder, &["--base", "notes", "--glob", "*.none"]);
    assert_eq!((none.status, none.errors.trim()), (Some(0), "no file to load matches --glob"));
}

/// Starts the program while another session keeps it from writing, and returns when it waits.
fn waiting_run(
    database: &Database,
    locker: &mut Client,
    folder: &Folder,
    arguments: &[&str],
) -> std::process::Child {
    waiting_run_at(&socket_directory(), database, locker, folder, arguments)
}

fn waiting_run_at(
    socket: &str,
    database: &Database,
    locker: &mut Client,
    folder: &Folder,
    arguments: &[&str],
) -> std::process::Child {
    locker.run("BEGIN; LOCK TABLE kb_notes.document IN SHARE MODE");
    let arguments = [&["--base", "notes"], arguments].concat();
    let mut command = index(socket, database.name(), "postgres", folder.path(), &arguments);
    let child = command.spawn().unwrap();
    let mut observer = database.connect();
    wait_until("the program waits for the lock", || {
        observer.value(
            "SELECT EXISTS (
                SELECT FROM pg_stat_activity
                WHERE application_name = 'kb-rag' AND datname = current_database() AND wait_event_type = 'Lock'
             )",
            &[],
        )
    });
    child
}

#[test]
fn an_interrupted_run_ends_at_once() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
    for (name, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let child = waiting_run(&database, &mut client, &folder, &[]);
        signal(child.id() as i32, name);
        let run = Run::end(child);
        run.expect(status, &format!("0 added, 0 changed, 0 unchanged, {NONE_FAILED}"));
        run.fails(status, &["interrupted: 0 of 3 files are done; run the command again to continue"]);
        client.run("ROLLBACK");
    }
    run_again(&database, &folder, "3 added, 0 changed, 0 unchanged");
}

#[test]
fn an_interrupted_run_begins_no_statement() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a"), ("b.md", "b")]);
    // The run's first connection, that of its first worker, and later that of the second one.
    let relay = Relay::start(3, 0);
    let socket = relay.directory().to_str().unwrap();
    let child = waiting_run_at(socket, &database, &mut client, &folder, &[]);
    signal(child.id() as i32, Signal::INT);
    wait_until("the first worker is canceled", || relay.cancels() > 0);
    relay.release();
    Run::end(child).fails(130, &["interrupted: 0 of 2 files are done"]);
    client.run("ROLLBACK");
}

#[test]
fn an_interrupted_run_cancels_again() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a")]);
    // As if the first two requests had come before the statement.
    let relay = Relay::start(usize::MAX, 2);
    let socket = relay.directory().to_str().unwrap();
    let child = waiting_run_at(socket, &database, &mut client, &folder, &[]);
    signal(child.id() as i32, Signal::INT);
    Run::end(child).fails(130, &["interrupted: 0 of 1 files are done"]);
    assert_eq!(relay.cancels(), 3);
    client.run("ROLLBACK");
}

#[test]
fn an_interrupted_run_continues() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::new();
    for number in 0..400 {
        folder.write(&format!("{number}.txt"), format!("text {number}"));
    }
    for (name, status) in [(Signal::INT, Some(130)), (Signal::KILL, None)] {
        let before = documents(&mut client);
        let arguments = ["--base", "notes", "--quiet"];
        let mut command = index(&socket_directory(), database.name(), "postgres", folder.path(), &arguments);
        let child = command.spawn().unwrap();
        wait_until("some documents", || documents(&mut client) > before + 5);
        signal(child.id() as i32, name);
        assert_eq!(Run::end(child).status, status);
        // A server process may still be busy with its last file.
        let busy = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kb-rag' AND datname = current_database()";
        wait_until("no session of the program", || client.value::<i64>(busy, &[]) == 0);
    }
    let done = documents(&mut client);
    assert!((10..400).contains(&done), "{done}");
    run_again(&database, &folder, &format!("{} added, 0 changed, {done} unchanged", 400 - done));
}

#[test]
fn a_lost_connection_is_said() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
    let child = waiting_run(&database, &mut client, &folder, &[]);
    database.connect().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'kb-rag' AND datname = current_database()",
    );
    Run::end(child)
        .fails(1, &["error: terminating connection due to administrator command", "0 of 3 files are done"]);
    client.run("ROLLBACK");
    run_again(&database, &folder, "3 added, 0 changed, 0 unchanged");
}

#[test]
fn a_server_that_crashes_is_said() {
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    let folder = Folder::new();
    for number in 0..400 {
        folder.write(&format!("{number}.txt"), format!("text {number}"));
    }
    let command =
        || index(server.socket(), "postgres", "postgres", folder.path(), &["--base", "notes", "--quiet"]);
    let child = command().spawn().unwrap();
    wait_until("some documents", || documents(&mut client) > 5);
    server.crash();
    let run = Run::end(child);
    run.fails(1, &["error: ", " of 400 files are done; run the command again to continue"]);
    assert!(!run.errors.contains("failed "), "a file has no part in it: {run:?}");
    assert_eq!(Run::from_command(&mut command()).status, Some(0));
    assert_eq!(documents(&mut server.connect()), 400);
}

#[test]
fn a_password_is_not_among_the_arguments() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "a")]);
    let url = format!("postgres://postgres:se%20cret@/{}?application_name=kb-rag", database.name());
    let child = waiting_run(&database, &mut client, &folder, &["--database", &url]);
    let arguments = fs::read_to_string(format!("/proc/{}/cmdline", child.id())).unwrap();
    assert!(arguments.contains("--base") && !arguments.contains("cret"), "{arguments}");
    client.run("ROLLBACK");
    Run::end(child).expect(0, &format!("1 added, 0 changed, 0 unchanged, {NONE_FAILED}"));
}
