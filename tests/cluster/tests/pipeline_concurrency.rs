//! Workers and writers at the same time: whatever is changed, deleted or rolled back while its vector is
//! being computed, no vector is stale, none returns after a delete, no chunk is paid for twice, and no writer
//! waits or fails.

use std::collections::HashMap;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use kb_rag_cluster_tests::mock::{Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    PLACES, Remote, RemoteSession, assert_embedded, is_idle, note, wait_until_idle, wait_until_no_worker,
    without_vector, workers,
};
use kb_rag_cluster_tests::{
    Outcome, Point, Session, assert_nothing_to_reconcile, counts, wait_for_lock, wait_until,
    wait_until_waiting_or_ended,
};
use postgres::Client;

#[test]
fn two_workers_never_embed_the_same_chunk() {
    let remote = Remote::start();
    let database = remote.database.name().to_string();
    let Remote { client: mut superuser, mock, database: kept } = remote;
    superuser.run(&format!("ALTER DATABASE {database} SET kb_rag.workers = 4"));
    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let mut client = kept.connect();
            thread::spawn(move || {
                for part in 0..25 {
                    let from = writer * 250 + part * 10 + 1;
                    client.insert_notes(from, from + 9);
                }
            })
        })
        .collect();
    // One worker is kept free for other providers until this one has answered.
    mock.wait_for_calls(3);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    gate.open();
    wait_until_idle(&mut superuser);
    assert_embedded(&mut superuser, "kb_notes", &mock);
    assert_eq!(counts(&mut superuser, "kb_notes"), [1000, 1000, 1000]);
    let mut times: HashMap<String, usize> = HashMap::new();
    for text in mock.calls().into_iter().flat_map(|call| call.texts) {
        *times.entry(text).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{} texts were sent more than once: {twice:?}", twice.len());
    assert_eq!(times.len(), 1000);
    let at_once = mock.max_at_once();
    println!("{} calls, at most {at_once} at once", mock.calls().len());
    assert!((3..=4).contains(&at_once), "{at_once} concurrent calls by four workers");
}

#[test]
fn a_writer_never_waits_for_the_network() {
    let mut remote = Remote::start();
    let gate = remote.in_flight();
    remote.client.run("SET statement_timeout = '10 s'; SET lock_timeout = '1 s'");
    for statement in [
        "INSERT INTO kb_notes.document (content, source_key) VALUES ('One more.', 'm')",
        "SELECT kb_add('notes', 'Another.', source_key => 'a')",
        "UPDATE kb_notes.document SET content = content || ' Changed.'",
        "UPDATE kb_notes.document SET title = source_key WHERE source_key IN ('a', 'm')",
        "UPDATE kb_notes.document SET title = NULL WHERE source_key IN ('a', 'm')",
        "DELETE FROM kb_notes.document WHERE source_key = '1'",
        "SELECT kb_configure('notes', description => 'Notes.')",
        "TRUNCATE kb_notes.document CASCADE",
    ] {
        let began = Instant::now();
        remote.client.run(statement);
        println!("{statement}: {:?}", began.elapsed());
        let open = remote.mock.calls().iter().filter(|call| call.ended.is_none()).count();
        assert!(open > 0, "no call is running");
    }
    remote.client.insert_notes(11, 20);
    remote.land(&gate);
    assert_eq!(counts(&mut remote.client, "kb_notes"), [10, 10, 10]);
}

#[test]
fn rows_changed_in_flight_get_the_vector_of_their_new_text() {
    let mut remote = Remote::start();
    let gate = remote.in_flight();
    remote.client.run(
        "UPDATE kb_notes.document SET content = 'Changed ' || source_key WHERE source_key IN ('1', '2', '3');
         DELETE FROM kb_notes.document WHERE source_key IN ('4', '5');
         UPDATE kb_notes.document SET id = gen_random_uuid() WHERE source_key = '6';
         UPDATE kb_notes.document SET metadata = '{\"m\": 1}' WHERE source_key = '7'",
    );
    // Changed and changed back: the vector that was paid for may be used or not, but must exist.
    remote.client.run("UPDATE kb_notes.document SET content = 'Away' WHERE source_key = '8'");
    remote
        .client
        .run(&format!("UPDATE kb_notes.document SET content = '{}' WHERE source_key = '8'", note(8)));
    // Deleted and inserted with the same key.
    remote.client.run("DELETE FROM kb_notes.document WHERE source_key = '9'");
    remote.client.insert_notes(9, 9);
    remote.land(&gate);
    assert_eq!(counts(&mut remote.client, "kb_notes"), [8, 8, 8]);
}

#[test]
fn rows_deleted_before_their_vectors_arrive_stay_deleted() {
    for statement in [
        "DELETE FROM kb_notes.document",
        "TRUNCATE kb_notes.document CASCADE",
        "TRUNCATE kb_notes.document, kb_notes.chunk, kb_notes.embedding",
        "DELETE FROM kb_notes.chunk",
    ] {
        let (mut remote, ()) = Remote::prepared(|database| database.set("kb_rag.test_limits", "linger=100"));
        let gate = remote.in_flight();
        remote.client.run(statement);
        gate.open();
        remote.mock.wait_until_quiet();
        wait_until("the end of the work", || is_idle(&mut remote.client) || statement.contains(".chunk"));
        wait_until_no_worker(&mut remote.client);
        assert_eq!(counts(&mut remote.client, "kb_notes")[1..], [0, 0], "{statement}");
        remote.client.run("TRUNCATE kb_notes.document CASCADE");
        remote.client.insert_notes(11, 20);
        remote.land(&gate);
    }
}

/// A writer has not committed when the vectors arrive: its text counts if it commits, and the old text if
/// not.
#[test]
fn an_open_transaction_decides_the_vectors_when_it_ends() {
    for end in ["COMMIT", "ROLLBACK"] {
        let mut remote = Remote::start();
        let gate = remote.in_flight();
        let mut writer = remote.database.connect();
        writer.run(
            "BEGIN;
             UPDATE kb_notes.document SET content = 'Changed ' || source_key WHERE source_key IN ('1', '2');
             DELETE FROM kb_notes.document WHERE source_key = '3'",
        );
        gate.open();
        remote.mock.wait_until_quiet();
        wait_until("vectors that are not blocked, or a worker that waits", || {
            without_vector(&mut remote.client, "kb_notes") <= 3
                || remote.client.value::<bool>(
                    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type LIKE 'kb_rag%' AND wait_event_type = 'Lock')",
                    &[],
                )
        });
        writer.run(end);
        remote.land(&gate);
        let left = if end == "COMMIT" { 9 } else { 10 };
        assert_eq!(counts(&mut remote.client, "kb_notes"), [left, left, left], "{end}");
    }
}

/// A worker has locked the documents of a batch, to write vectors or a status. A writer has locked one that the worker
/// leaves out, first or last in the worker's order, and wants another: it waits for the worker, which does not wait for it.
#[test]
fn writers_in_the_opposite_order_do_not_deadlock() {
    for place in ["embed.locked", "embed.looked"] {
        for keys in [[1, 10], [10, 1]] {
            let (mut remote, (mut before_end, mut point)) = Remote::prepared(|database| {
                (Point::hold(database, "embed.before_end"), Point::hold(database, place))
            });
            let mut writer = remote.database.connect();
            writer.run("SET deadlock_timeout = '10 ms'");
            let pid = writer.pid();
            let gate = remote.in_flight();
            let update = |key: i32| {
                format!("UPDATE kb_notes.document SET content = 'Changed {key}' WHERE source_key = '{key}'")
            };
            if place == "embed.looked" {
                gate.open();
                before_end.wait_for(1);
            }
            writer.run("BEGIN");
            writer.run(&update(keys[0]));
            gate.open();
            before_end.open();
            point.wait_for(1);
            let writing = Outcome::spawn(writer, &format!("{}; COMMIT", update(keys[1])));
            wait_for_lock(&mut remote.client, pid);
            point.open();
            assert_eq!(writing.join().unwrap().state, "00000", "{place}, {keys:?}");
            remote.land(&gate);
            assert_eq!(counts(&mut remote.client, "kb_notes"), [10, 10, 10]);
        }
    }
}

#[test]
fn a_rollback_leaves_nothing() {
    let mut remote = Remote::start();
    remote.client.run("BEGIN");
    remote.client.insert_notes(1, 300);
    remote.client.run("SELECT kb_add('notes', 'Never.'); ROLLBACK");
    remote.client.run("BEGIN; SAVEPOINT s");
    remote.client.insert_notes(1, 20);
    remote.client.run("ROLLBACK TO s");
    remote.client.insert_notes(21, 25);
    remote.client.run("COMMIT");
    remote.finish();
    assert_eq!(counts(&mut remote.client, "kb_notes"), [5, 5, 5]);
    let texts: Vec<String> = remote.mock.calls().into_iter().flat_map(|call| call.texts).collect();
    assert_eq!(texts.len(), 5, "{texts:?}");
    // A statement that fails after its trigger has run.
    let failing = "INSERT INTO kb_notes.document (content, metadata) SELECT 'x' || n, jsonb_build_object('n', 1 / (5 - n)) FROM generate_series(1, 9) n";
    assert_eq!(remote.client.state_of(failing, &[]), "22012");
    wait_until_no_worker(&mut remote.client);
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.job", &[]), 0);
}

/// Two-phase commit: nothing is sent before COMMIT PREPARED, and everything is sent afterwards, though nobody calls kb_rag.
#[test]
fn prepared_documents_are_sent_when_they_are_committed() {
    let server = kb_rag_cluster_tests::Server::start_with(&["-c", "max_prepared_transactions=2"]);
    let mock = Mock::openai();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.set_provider("mock", &mock);
    client.create_remote_base("notes", "mock/small");
    for (name, from, end) in [("kept", 1, "COMMIT"), ("gone", 16, "ROLLBACK")] {
        client.run("BEGIN");
        client.insert_notes(from, from + 14);
        client.run(&format!("PREPARE TRANSACTION '{name}'"));
        // Documents committed by another session are processed in the meantime.
        let mut other = server.connect();
        other.run(&format!("SELECT kb_add('notes', 'Meanwhile, before {name}.')"));
        wait_until_idle(&mut other);
        assert_eq!(mock.times_sent(&note(from)), 0, "{name}");
        client.run(&format!("{end} PREPARED '{name}'"));
        wait_until("vectors", || {
            let lacking = "SELECT count(*) FROM kb_notes.chunk c WHERE NOT EXISTS (SELECT FROM kb_notes.embedding e WHERE e.chunk_id = c.id)";
            client.value::<i64>(lacking, &[]) == 0
        });
        wait_until_idle(&mut client);
        assert_embedded(&mut client, "kb_notes", &mock);
    }
    assert_eq!(counts(&mut client, "kb_notes"), [17, 17, 17]);
}

/// A worker is started when a transaction is prepared, and stays until it is committed, however long that takes.
#[test]
fn a_worker_waits_for_prepared_transactions() {
    let server = kb_rag_cluster_tests::Server::start_with(&["-c", "max_prepared_transactions=2"]);
    let mock = Mock::openai();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.set_provider("mock", &mock);
    client.create_remote_base("notes", "mock/small");
    wait_until_no_worker(&mut client);
    client.run("BEGIN");
    client.insert_notes(1, 10);
    client.run("PREPARE TRANSACTION 'later'");
    drop(client);
    let mut client = server.connect();
    wait_until("a worker", || !workers(&mut client).is_empty());
    // It stays longer than without a prepared transaction: that long lives a worker that starts later, in another database.
    client.run("CREATE DATABASE other");
    let mut other = server.connect_to("other", "postgres");
    other.run("CREATE EXTENSION kb_rag CASCADE");
    other.set_provider("mock", &mock);
    other.create_remote_base("notes", "mock/small");
    other.insert_notes(1, 10);
    wait_until("vectors", || other.value::<i64>("SELECT count(*) FROM kb_notes.embedding", &[]) == 10);
    wait_until_no_worker(&mut other);
    assert_eq!(workers(&mut client).len(), 1);
    client.run("COMMIT PREPARED 'later'");
    wait_until("vectors", || client.value::<i64>("SELECT count(*) FROM kb_notes.embedding", &[]) == 10);
    wait_until_no_worker(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
}

/// Wherever a worker stands between claiming ten documents and their end, writers of them come in between.
#[test]
fn writers_deleters_and_workers_leave_the_right_vectors() {
    for place in PLACES {
        let (mut remote, mut point) = Remote::prepared(|database| Point::hold(database, place));
        let mut sessions = [(); 5].map(|()| remote.database.connect()).into_iter();
        remote.client.insert_notes(1, 10);
        point.wait_for(1);
        let truncating =
            Held::begin(&mut remote.client, sessions.next().unwrap(), "TRUNCATE kb_notes.document CASCADE");
        point.step();
        truncating.assert_done(place);
        assert_eq!(counts(&mut remote.client, "kb_notes"), [0, 0, 0], "{place}");

        // Documents of one worker, and one that no worker has.
        remote.client.insert_notes(11, 20);
        point.wait_for(1);
        let statements = [
            "INSERT INTO kb_notes.document (source_key, content) SELECT n, 'Version 2 of ' || n FROM generate_series(11, 13) n
             ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content",
            "DELETE FROM kb_notes.document WHERE source_key IN ('14', '15')",
            "UPDATE kb_notes.document SET content = content || ', changed' WHERE source_key IN ('16', '17')",
            "INSERT INTO kb_notes.document (source_key, content) VALUES (21, 'Another.')",
        ];
        let writing: Vec<Held> = statements
            .iter()
            .zip(sessions)
            .map(|(sql, session)| Held::begin(&mut remote.client, session, sql))
            .collect();
        point.open();
        writing.into_iter().for_each(|writing| writing.assert_done(place));
        remote.finish();
        assert_eq!(counts(&mut remote.client, "kb_notes"), [9, 9, 9], "{place}");
        assert_nothing_to_reconcile(&mut remote.client, "notes");
    }
}

/// A statement that began while a worker was held.
struct Held(JoinHandle<Outcome>, String);

impl Held {
    /// It has ended, or waits for the worker.
    fn begin(observer: &mut Client, mut session: Client, sql: &str) -> Held {
        session.run("SET lock_timeout = '20 s'");
        let pid = session.pid();
        let running = Outcome::spawn(session, sql);
        wait_until_waiting_or_ended(observer, pid, &running);
        Held(running, sql.to_string())
    }

    fn assert_done(self, place: &str) {
        assert_eq!(self.0.join().unwrap().state, "00000", "{place}: {}", self.1);
    }
}
