//! Cancel, timeouts, termination and lost connections in the middle of work: it ends within a second, and
//! nothing is stored.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::{
    Database, INTERRUPT_LIMIT, Outcome, Session, cancel, counts, socket_path, wait_until, wait_until_active,
};
use postgres::Client;

/// Minutes of work for the local encoder.
const INSERT: &str = "INSERT INTO kb_long.document (content) SELECT content FROM texts";
const BATCH: &str = "SELECT count(*) FROM (SELECT kb_embed_batch(array_agg(content)) FROM texts) s";

/// A base with the local model, and 1,000 texts of about 200 tokens.
fn local_base() -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    client.run(
        "SELECT kb_create('long');
         CREATE TABLE texts (content text);
         INSERT INTO texts SELECT 'Text ' || n || ': ' || repeat('the quick brown fox jumps over the lazy dog and ', 20)
         FROM generate_series(1, 1000) n",
    );
    (database, client)
}

/// Fails unless the statement ended in time and left nothing, and the session continues.
fn assert_stopped(mut outcome: Outcome, state: &str, asked: Instant, what: &str) {
    assert_eq!(outcome.state, state, "{what}");
    let took = outcome.at - asked;
    assert!(took < INTERRUPT_LIMIT, "{what} continued for {took:?}");
    assert_eq!(counts(&mut outcome.client, "kb_long"), [0, 0, 0], "{what}");
    outcome.client.run("SELECT kb_add('long', 'The session goes on.')");
    let found: Vec<String> =
        outcome.client.column("SELECT content FROM kb_hybrid_search('session', 'long')", &[]);
    assert_eq!(found, ["The session goes on."], "{what}");
    outcome.client.run("DELETE FROM kb_long.document");
}

#[test]
fn a_cancel_ends_embedding_within_a_second() {
    let (database, mut observer) = local_base();
    for statement in [INSERT, BATCH] {
        let mut client = database.connect();
        let pid = client.pid();
        let running = Outcome::spawn(client, statement);
        wait_until_active(&mut observer, pid, statement);
        let asked = Instant::now();
        cancel(&mut observer, pid);
        assert_stopped(running.join().unwrap(), "57014", asked, statement);
    }
}

#[test]
fn statement_timeout_ends_embedding_within_a_second() {
    let (database, _) = local_base();
    for statement in [INSERT, BATCH] {
        let mut client = database.connect();
        client.run("SET statement_timeout = '300ms'");
        let began = Instant::now();
        let mut outcome = Outcome::spawn(client, statement).join().unwrap();
        outcome.client.run("RESET statement_timeout");
        let due = began + Duration::from_millis(300);
        assert_stopped(outcome, "57014", due, statement);
    }
}

#[test]
fn termination_ends_embedding_within_a_second() {
    let (database, mut observer) = local_base();
    for statement in [INSERT, BATCH] {
        let mut client = database.connect();
        let pid = client.pid();
        let running = Outcome::spawn(client, statement);
        wait_until_active(&mut observer, pid, statement);
        let asked = Instant::now();
        observer.run(&format!("SELECT pg_terminate_backend({pid})"));
        let outcome = running.join().unwrap();
        assert!(["57P01", "08006"].contains(&outcome.state.as_str()), "ended in {}", outcome.state);
        let took = outcome.at - asked;
        assert!(took < INTERRUPT_LIMIT, "{statement} continued for {took:?}");
        wait_until("the backend is gone", || {
            !observer.value::<bool>("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", &[&pid])
        });
        assert_eq!(counts(&mut observer, "kb_long"), [0, 0, 0]);
    }
}

/// A huge text (55 MB) does not block interrupts: every function responds to a timeout while working on it.
/// Chunks are not read in FROM, where PostgreSQL itself would write them to a file without checking for
/// interrupts.
#[test]
fn statement_timeout_ends_work_on_a_huge_text() {
    let (database, mut client) = Database::with_base("huge");
    client.run(
        "SELECT kb_create('local');
         SELECT kb_create('tokens', chunk_size => 200, chunk_overlap => 40, chunk_unit => 'token');
         SELECT kb_create('semantic', model => 'fake/test', chunk_strategy => 'semantic');
         CREATE TABLE text (content text);
         INSERT INTO text VALUES (repeat('Words of a very long text, and more. ', 1500000))",
    );
    drop(client);
    let (mut late, mut quick) = (Vec::new(), Vec::new());
    for statement in [
        "SELECT kb_embed(content) FROM text",
        "SELECT kb_embed(content, 'fake/test', 8) FROM text",
        "SELECT count(*) FROM (SELECT kb_chunk(content) FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, strategy => 'markdown') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, 1000000, 0) FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, strategy => 'none') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, strategy => 'code') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, strategy => 'semantic') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, 254, 40, unit => 'token') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, 254, 40, unit => 'token', strategy => 'markdown') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, 254, 40, unit => 'token', strategy => 'code') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(content, 254, 40, unit => 'token', strategy => 'semantic') FROM text OFFSET 0) s",
        // One line of code per sentence; one word; only white space.
        "SELECT count(*) FROM (SELECT kb_chunk(replace(content, '. ', E'\\n'), strategy => 'code') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(replace(content, ' ', ''), 254, 40, unit => 'token') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(repeat('x', length(content)), 254, 40, unit => 'token') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(repeat(' ', length(content)) || 'x', 254, 40, unit => 'token', strategy => 'code') FROM text OFFSET 0) s",
        // Only headings; sentences that never end.
        "SELECT count(*) FROM (SELECT kb_chunk(repeat(E'# a\\n', 12500000), strategy => 'markdown') FROM text OFFSET 0) s",
        "SELECT count(*) FROM (SELECT kb_chunk(repeat('. ', 25000000)) FROM text OFFSET 0) s",
        "INSERT INTO kb_huge.document (content) SELECT content FROM text",
        "SELECT kb_add('huge', content, source_key => 'x.md') FROM text",
        "SELECT kb_add('huge', content, source_key => 'x.rs') FROM text",
        "SELECT kb_add('local', content) FROM text",
        "SELECT kb_add('local', content, source_key => 'x.md') FROM text",
        "SELECT kb_add('local', content, source_key => 'x.rs') FROM text",
        "SELECT kb_add('tokens', content) FROM text",
        "SELECT kb_add('semantic', content) FROM text",
    ] {
        let mut client = database.connect();
        // Excludes the cost of reading the text, which is not kb_rag's.
        client.run("SELECT length(content) FROM text; SET statement_timeout = '100ms'");
        let due = Instant::now() + Duration::from_millis(100);
        let mut outcome = Outcome::spawn(client, statement).join().unwrap();
        let over = outcome.at.saturating_duration_since(due);
        if over > INTERRUPT_LIMIT {
            late.push((statement, over, outcome.state));
        } else if outcome.state != "57014" {
            assert_eq!(outcome.state, "00000", "{statement}");
            quick.push(statement);
        }
        outcome.client.run("RESET statement_timeout");
        assert_eq!(counts(&mut outcome.client, "kb_huge"), [0, 0, 0], "{statement}");
    }
    assert!(late.is_empty(), "(statement, time after the timeout, state): {late:#?}");
    // They were long enough to be stopped; a fast machine may complete the shortest.
    assert!(quick.len() <= 2, "completed before the timeout: {quick:#?}");
}

/// A client that speaks just enough of the protocol to disappear in the middle of a statement.
fn vanish_during(database: &Database, observer: &mut Client, options: &str, statement: &str) -> i32 {
    let mut socket = UnixStream::connect(socket_path()).unwrap();
    let mut startup = 196_608u32.to_be_bytes().to_vec();
    for (name, value) in [
        ("user", "postgres"),
        ("database", database.name()),
        ("application_name", "vanishing"),
        ("options", options),
    ] {
        startup.extend([name.as_bytes(), b"\0", value.as_bytes(), b"\0"].concat());
    }
    startup.push(0);
    let mut query = statement.as_bytes().to_vec();
    query.push(0);
    for (kind, body) in [(None, startup), (Some(b'Q'), query)] {
        socket.write_all(kind.as_slice()).unwrap();
        socket.write_all(&(body.len() as u32 + 4).to_be_bytes()).unwrap();
        socket.write_all(&body).unwrap();
    }
    let mut pid = 0;
    wait_until("the statement of the client that will vanish", || {
        let found: Vec<i32> = observer.column(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'vanishing' AND datname = current_database()
             AND state = 'active' AND query LIKE '%INSERT INTO%'",
            &[],
        );
        found.first().inspect(|found| pid = **found).is_some()
    });
    pid
}

fn wait_until_gone(observer: &mut Client, pid: i32) {
    wait_until("the backend of the lost client is gone", || {
        !observer.value::<bool>("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", &[&pid])
    });
}

#[test]
fn a_lost_connection_leaves_nothing() {
    let (database, mut observer) = local_base();
    // Inside a transaction no client is left to commit, however far the statement came.
    let pid = vanish_during(
        &database,
        &mut observer,
        "",
        "BEGIN; INSERT INTO kb_long.document (content) SELECT content FROM texts LIMIT 20",
    );
    wait_until_gone(&mut observer, pid);
    assert_eq!(counts(&mut observer, "kb_long"), [0, 0, 0]);

    // With client_connection_check_interval the server notices while it embeds.
    let vanished = Instant::now();
    let pid = vanish_during(&database, &mut observer, "-c client_connection_check_interval=50", INSERT);
    wait_until_gone(&mut observer, pid);
    let took = vanished.elapsed();
    assert!(took.as_secs() < 10, "the backend noticed only after {took:?}");
    assert_eq!(counts(&mut observer, "kb_long"), [0, 0, 0]);
}

#[test]
fn a_base_can_be_dropped_while_a_writer_is_canceled() {
    let (database, mut observer) = local_base();
    let mut client = database.connect();
    let pid = client.pid();
    let running = Outcome::spawn(client, INSERT);
    wait_until_active(&mut observer, pid, INSERT);
    let dropper = database.connect();
    let dropping = thread::spawn(move || Outcome::spawn(dropper, "SELECT kb_drop('long')").join().unwrap());
    wait_until("kb_drop waits for the writer", || {
        observer.value(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%kb_drop(%'
             AND pid <> pg_backend_pid())",
            &[],
        )
    });
    cancel(&mut observer, pid);
    assert_eq!(running.join().unwrap().state, "57014");
    assert_eq!(dropping.join().unwrap().state, "00000");
    let bases: i64 = observer.value("SELECT count(*) FROM kb_list()", &[]);
    assert_eq!(bases, 0);
}
