//! Objects dropped in the middle of a job: the extension, a base, its schema, its provider, its queue, its
//! triggers. The session that drops them neither waits nor gets an error, no trace of the work is left, and
//! what can be repaired is repaired.

use kb_rag_cluster_tests::mock::Reply;
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_embedded, assert_right_vectors, wait_until_idle, wait_until_no_worker,
    workers,
};
use kb_rag_cluster_tests::{Session, assert_nothing_to_reconcile, counts, wait_until};

/// Drops objects in the middle of a job: the session gets no error, nothing is left, and the server stays up.
fn assert_can_be_dropped(statement: &str, then: impl FnOnce(&mut Remote)) {
    let mut remote = Remote::start();
    let start = remote.client.server_start();
    let gate = remote.in_flight();
    let pids = workers(&mut remote.client);
    assert!(!pids.is_empty());
    remote.client.run("SET statement_timeout = '2 s'");
    remote.client.run(statement);
    remote.client.run("RESET statement_timeout");
    gate.open();
    remote.mock.heal();
    wait_until_no_worker(&mut remote.client);
    assert_eq!(remote.client.server_start(), start, "{statement}: the server crashed");
    let calls = remote.mock.calls().len();
    assert!(calls <= 3, "{statement}: {calls} calls");
    then(&mut remote);
    assert_eq!(remote.client.server_start(), start, "{statement}: the server crashed");
}

fn assert_no_job(remote: &mut Remote) {
    let client = &mut remote.client;
    client.run("SELECT count(*) FROM kb_list()");
    client.run("CALL kb_work(1)");
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.job", &[]), 0);
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
}

#[test]
fn the_extension_can_be_dropped_in_the_middle_of_a_job() {
    assert_can_be_dropped("DROP EXTENSION kb_rag CASCADE", |remote| {
        assert_eq!(counts(&mut remote.client, "kb_notes"), [10, 10, 0]);
        remote.client.run("CREATE EXTENSION kb_rag");
        remote.client.set_provider("mock", &remote.mock);
        remote.client.run("SELECT kb_adopt('kb_notes')");
        remote.finish();
        assert_eq!(counts(&mut remote.client, "kb_notes"), [10, 10, 10]);
        assert_nothing_to_reconcile(&mut remote.client, "notes");
    });
}

#[test]
fn a_base_can_be_dropped_in_the_middle_of_a_job() {
    assert_can_be_dropped("SELECT kb_drop('notes')", assert_no_job);
}

#[test]
fn the_schema_of_a_base_can_be_dropped_in_the_middle_of_a_job() {
    assert_can_be_dropped("DROP SCHEMA kb_notes CASCADE", assert_no_job);
}

/// A running call may finish; later work waits, with the reason shown, until the provider exists again.
#[test]
fn a_provider_can_be_dropped_in_the_middle_of_a_job() {
    let mut remote = Remote::start();
    let start = remote.client.server_start();
    let gate = remote.in_flight();
    remote.client.run("SET statement_timeout = '2 s'; SELECT kb_provider_drop('mock')");
    remote.client.insert_notes(11, 20);
    remote.client.run("RESET statement_timeout");
    gate.open();
    remote.mock.heal();
    wait_until("a reason that names the provider", || {
        let reasons: Vec<String> = remote.client.column(
            "SELECT reason FROM kb_rag.failed WHERE knowledge_base = 'notes' AND source_key::int > 10",
            &[],
        );
        reasons.len() == 10 && reasons.iter().all(|reason| reason == "provider \"mock\" does not exist")
    });
    let waiting: i64 = remote.client.value(
        "SELECT count(*) FROM kb_notes.document WHERE source_key::int > 10 AND status IN ('pending', 'failed')",
        &[],
    );
    assert_eq!(waiting, 10);
    assert!(
        !remote.mock.calls().iter().any(|call| call.mentions("number 11 ")),
        "these texts must not be sent"
    );
    assert_right_vectors(&mut remote.client, "kb_notes", &remote.mock);
    assert_eq!(remote.client.server_start(), start, "the server crashed");

    remote.client.set_provider("mock", &remote.mock);
    remote.client.run("SELECT kb_retry('notes')");
    remote.finish();
    assert_eq!(counts(&mut remote.client, "kb_notes"), [20, 20, 20]);
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
    assert_nothing_to_reconcile(&mut remote.client, "notes");
    assert_eq!(remote.client.server_start(), start, "the server crashed");
}

#[test]
fn the_schema_of_a_base_can_be_renamed_in_the_middle_of_a_job() {
    let mut remote = Remote::start();
    let gate = remote.in_flight();
    remote.client.run("SET statement_timeout = '2 s'; ALTER SCHEMA kb_notes RENAME TO kb_moved");
    remote.client.run("RESET statement_timeout");
    gate.open();
    remote.mock.heal();
    wait_until_idle(&mut remote.client);
    assert_embedded(&mut remote.client, "kb_moved", &remote.mock);
}

#[test]
fn changes_without_triggers_are_repaired_by_kb_reconcile() {
    let mut remote = Remote::start();
    remote.client.insert_notes(1, 30);
    remote.finish();
    for (what, fault) in [
        (
            "replica",
            "SET session_replication_role = replica;
             UPDATE kb_notes.document SET content = 'Unseen ' || source_key WHERE source_key::int <= 5;
             DELETE FROM kb_notes.document WHERE source_key::int > 25;
             INSERT INTO kb_notes.document (source_key, content) SELECT n, 'Unseen ' || n FROM generate_series(26, 35) n;
             RESET session_replication_role",
        ),
        (
            "disabled",
            "ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
             UPDATE kb_notes.document SET content = 'Not seen either ' || source_key WHERE source_key::int BETWEEN 3 AND 8;
             INSERT INTO kb_notes.document (source_key, content) SELECT n, 'Not seen either ' || n FROM generate_series(36, 40) n;
             ALTER TABLE kb_notes.document ENABLE TRIGGER USER",
        ),
        ("vectors", "DELETE FROM kb_notes.embedding WHERE chunk_id IN (SELECT chunk_id FROM kb_notes.embedding LIMIT 7)"),
    ] {
        remote.client.run(fault);
        let repaired: i64 = remote.client.value("SELECT kb_reconcile('notes')", &[]);
        assert!(repaired > 0, "{what}: nothing was repaired");
        wait_until_idle(&mut remote.client);
        assert_embedded(&mut remote.client, "kb_notes", &remote.mock);
        assert_nothing_to_reconcile(&mut remote.client, "notes");
    }
    let documents: i64 = remote.client.value("SELECT count(*) FROM kb_notes.document", &[]);
    let embedded: i64 = remote.client.value("SELECT count(*) FROM kb_notes.embedding", &[]);
    assert_eq!(documents, embedded);
}

/// The queue is only a hint; the truth is a chunk without a vector.
#[test]
fn a_queue_that_was_lost_is_rebuilt_by_kb_reconcile() {
    let mut remote = Remote::start();
    remote.mock.always(Reply::error(429, "slow down").header("retry-after", "100"));
    remote.client.insert_notes(1, 30);
    wait_until("a pause", || remote.client.value("SELECT EXISTS (SELECT FROM kb_rag.pause)", &[]));
    remote.client.run("DELETE FROM kb_rag.job; DELETE FROM kb_rag.pause");
    remote.mock.heal();
    remote.client.run("SELECT kb_reconcile('notes')");
    remote.finish();
    assert_eq!(counts(&mut remote.client, "kb_notes"), [30, 30, 30]);
}
