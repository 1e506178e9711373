//! A server whose environment asks for backtraces of Rust programs, as in many containers: clients and the log get none.

use std::env;

use kb_rag_cluster_tests::{Server, Session, wait_until};
use postgres::Client;
use postgres::error::DbError;

/// Part of every backtrace, whatever its format: the start of a thread, or the function that unwinds.
const MARKS: [&str; 4] = ["begin_unwind", "panicking", "pgrx", "  0: "];

fn has_backtrace(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

fn error(client: &mut Client, sql: &str) -> DbError {
    let error = client.batch_execute(sql).expect_err(sql);
    error.as_db_error().unwrap_or_else(|| panic!("{sql}: {error}")).clone()
}

/// The values of the variables in the environment of the session's process.
fn variables(client: &mut Client) -> String {
    client.run("CREATE TEMPORARY TABLE IF NOT EXISTS variable (value text); TRUNCATE variable");
    client.run("COPY variable FROM PROGRAM 'echo \"$RUST_LIB_BACKTRACE,$RUST_BACKTRACE\"'");
    client.value("SELECT value FROM variable", &[])
}

fn check(environment: &[(&str, &str)], settings: &[&str]) {
    let what = format!("{environment:?} {settings:?}");
    let server = Server::start_in(environment, &[settings, &["-c", "kb_rag.inline_chunks=0"]].concat());
    let mut client = server.connect();
    let values = variables(&mut client);
    let expected = ["RUST_LIB_BACKTRACE", "RUST_BACKTRACE"].map(|name| {
        let given = environment.iter().find(|(set, _)| *set == name).map(|(_, value)| value.to_string());
        given.or_else(|| env::var(name).ok()).unwrap_or_default()
    });
    assert_eq!(values, expected.join(","), "{what}: the server has the variables");
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    client.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
         CREATE FUNCTION wrong() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM 1 / 0; RETURN NEW; END'",
    );
    // A session of its own loads the library by its first call.
    for (sql, state) in [
        ("SELECT kb_chunk('x', -1)", "22023"),
        ("SELECT * FROM kb_search('x', 'nowhere')", "42704"),
        (
            "CREATE TRIGGER slow BEFORE INSERT ON kb_notes.chunk FOR EACH ROW EXECUTE FUNCTION slow();
             SET LOCAL statement_timeout = '300ms'; INSERT INTO kb_notes.document (content) VALUES ('A text.')",
            "57014",
        ),
        (
            "CREATE TRIGGER wrong BEFORE INSERT ON kb_notes.chunk FOR EACH ROW EXECUTE FUNCTION wrong();
             INSERT INTO kb_notes.document (content) VALUES ('A text.')",
            "22012",
        ),
        (
            "SET LOCAL statement_timeout = '300ms';
             SELECT kb_embed_batch(array_fill(repeat('hello world ', 80), ARRAY[4000]))",
            "57014",
        ),
    ] {
        let mut client = server.connect();
        let error = error(&mut client, sql);
        assert_eq!(error.code().code(), state, "{what} {sql}: {error:?}");
        let parts = [Some(error.message()), error.detail(), error.hint(), error.where_()];
        let reported = parts.map(Option::unwrap_or_default).join("\n");
        assert!(!has_backtrace(&reported), "{what} {sql}: {reported}");
        assert_eq!(variables(&mut client), values, "{what}: others find the variables as they were");
    }
    // A worker logs what fails.
    client.run(
        "CREATE TRIGGER wrong BEFORE INSERT ON kb_notes.embedding FOR EACH ROW EXECUTE FUNCTION wrong()",
    );
    client.run("INSERT INTO kb_notes.document (content) VALUES ('A text.')");
    wait_until("a worker has failed", || client.value("SELECT EXISTS (SELECT FROM kb_rag.failed)", &[]));
    let log = server.log();
    assert!(log.contains("division by zero"), "{what}: {log}");
    assert!(!has_backtrace(&log), "{what}: {log}");
}

#[test]
fn no_backtrace_for_clients() {
    let of_libraries = [("RUST_LIB_BACKTRACE", "full"), ("RUST_BACKTRACE", "0")];
    for environment in [&[("RUST_BACKTRACE", "1")][..], &of_libraries] {
        check(environment, &[]);
        check(environment, &["-c", "shared_preload_libraries=kb_rag"]);
        check(environment, &["-c", "session_preload_libraries=kb_rag"]);
    }
    check(&[("RUST_BACKTRACE", "full"), ("RUST_LIB_BACKTRACE", "1")], &[]);
}
