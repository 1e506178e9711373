//! Workers and writers at the same time: whatever is changed, deleted or rolled back while its vector is
//! being computed, no vector is stale, none returns after a delete, no chunk is paid for twice, and no writer
//! waits or fails.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_embedded, assert_right_vectors, is_idle, note, wait_until_idle,
    wait_until_no_worker, without_vector,
};
use kb_rag_cluster_tests::{Outcome, Session, assert_nothing_to_reconcile, counts, sqlstate, wait_until};

#[test]
fn two_workers_never_embed_the_same_chunk() {
    let remote = Remote::start();
    let database = remote.database.name().to_string();
    let Remote { client: mut superuser, mock, database: kept } = remote;
    superuser.run(&format!("ALTER DATABASE {database} SET kb_rag.workers = 4"));
    // Calls take this long, so that all workers take part.
    mock.always(Reply::right().after(Duration::from_millis(30)));
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
    writers.into_iter().for_each(|writer| writer.join().unwrap());
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
    assert!((2..=4).contains(&at_once), "{at_once} concurrent calls by four workers");
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
        let mut remote = Remote::start();
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

/// A writer that visits the rows of a batch in the opposite order is neither a deadlock victim nor delayed
/// for long.
#[test]
fn writers_in_the_opposite_order_do_not_deadlock() {
    let mut remote = Remote::start();
    let [mut up, mut down] = [remote.database.connect(), remote.database.connect()];
    for client in [&mut up, &mut down] {
        client.run("SET deadlock_timeout = '10 ms'");
    }
    for (order, client) in [("1, 10", &mut up), ("10, 1", &mut down)] {
        let gate = remote.in_flight();
        let keys: Vec<&str> = order.split(", ").collect();
        client.run("BEGIN");
        client.run(&format!(
            "UPDATE kb_notes.document SET content = 'First {order}' WHERE source_key = '{}'",
            keys[0]
        ));
        gate.open();
        remote.mock.wait_until_quiet();
        wait_until("a worker that has written, or waits", || {
            without_vector(&mut remote.client, "kb_notes") < 10
                || remote.client.value::<bool>(
                    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type LIKE 'kb_rag%' AND wait_event_type = 'Lock')",
                    &[],
                )
        });
        client.run(&format!(
            "UPDATE kb_notes.document SET content = 'Second {order}' WHERE source_key = '{}'",
            keys[1]
        ));
        client.run("COMMIT");
        remote.land(&gate);
        remote.client.run("DELETE FROM kb_notes.document");
    }

    // The same under load: whole statements in both directions while workers write continuously.
    remote.client.insert_notes(1, 100);
    let began = Instant::now();
    let writers: Vec<_> = [("up", "ASC"), ("down", "DESC")]
        .into_iter()
        .map(|(label, order)| {
            let mut client = remote.database.connect();
            thread::spawn(move || {
                let (mut round, mut states) = (0, Vec::new());
                while began.elapsed() < Duration::from_secs(5) {
                    round += 1;
                    for key in (1..=100).map(|n| if order == "ASC" { n } else { 101 - n }) {
                        let result = client.execute(
                            "UPDATE kb_notes.document SET content = $1 WHERE source_key = $2::int::text",
                            &[&format!("Round {round} of {label} for {key}"), &key],
                        );
                        if result.is_err() {
                            states.push(sqlstate(&result));
                        }
                    }
                }
                states
            })
        })
        .collect();
    for writer in writers {
        assert_eq!(writer.join().unwrap(), Vec::<String>::new(), "states of writers");
    }
    remote.finish();
    assert_eq!(counts(&mut remote.client, "kb_notes"), [100, 100, 100]);
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

/// Two-phase commit: nothing is sent before COMMIT PREPARED, and everything is sent afterwards.
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
        client.run("SELECT count(*) FROM kb_list()");
        wait_until_idle(&mut client);
        assert_embedded(&mut client, "kb_notes", &mock);
    }
    assert_eq!(counts(&mut client, "kb_notes"), [17, 17, 17]);
}

/// Short-lived sessions, each with its own rows, for some seconds.
#[test]
fn writers_deleters_and_workers_leave_the_right_vectors() {
    let remote = Remote::start();
    let began = Instant::now();
    remote.mock.always(Reply::right().after(Duration::from_millis(5)));
    let sessions: Vec<_> = (0..3)
        .map(|session| {
            let mut client = remote.database.connect();
            thread::spawn(move || {
                for round in 0.. {
                    if began.elapsed() > Duration::from_secs(6) {
                        return;
                    }
                    let from = session * 1000 + round % 7 * 10;
                    let result = client.batch_execute(&format!(
                        "INSERT INTO kb_notes.document (source_key, content)
                         SELECT n, 'Version {round} of ' || n FROM generate_series({from}, {from} + 9) n
                         ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content;
                         DELETE FROM kb_notes.document WHERE source_key::int BETWEEN {from} AND {from} + 3;
                         UPDATE kb_notes.document SET content = content || ', changed' WHERE source_key::int = {from} + 5"
                    ));
                    assert_eq!(sqlstate(&result), "00000", "round {round} of session {session}: {result:?}");
                }
            })
        })
        .collect();
    let mut truncating = remote.database.connect();
    let truncated = Outcome::spawn(
        {
            truncating.run("SET lock_timeout = '20 s'");
            truncating
        },
        "TRUNCATE kb_notes.document CASCADE",
    );
    assert_eq!(truncated.join().unwrap().state, "00000");
    sessions.into_iter().for_each(|session| session.join().unwrap());
    let Remote { mut client, mock, database } = remote;
    wait_until_idle(&mut client);
    assert_right_vectors(&mut client, "kb_notes", &mock);
    assert_embedded(&mut client, "kb_notes", &mock);
    // For a failure, since a repair removes what was wrong.
    let figures: String = client.value(
        "SELECT format('%s chunks of length %s; segments: %s', count(*), sum(length),
             (SELECT string_agg(concat_ws(' ', id, sign, chunks, length, configs, first, last), ', ' ORDER BY id)
              FROM kb_notes.keyword_segment)) FROM kb_notes.chunk",
        &[],
    );
    println!("{figures}");
    assert_nothing_to_reconcile(&mut client, "notes");
    drop(database);
}
