//! Sessions that idle in their own transactions delay workers only imperceptibly.

use kb_rag_cluster_tests::mock::Reply;
use kb_rag_cluster_tests::pipeline::{Remote, RemoteSession, wait_until_idle, without_vector};
use kb_rag_cluster_tests::{Session, wait_until};

/// kb_retry removes pauses of the provider, which other bases share; while its transaction is open, the
/// pauses stay in force.
#[test]
fn an_open_kb_retry_delays_no_worker() {
    let mut remote = Remote::start();
    let owner = remote.database.create_owner("owner");
    remote.client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    let mut as_owner = remote.database.connect_as(&owner);
    as_owner.create_remote_base("theirs", "mock/small");
    remote.mock.next(Reply::error(429, "slow down").header("retry-after", "0.2"));
    remote.client.insert_notes(1, 1);
    wait_until("a pause", || remote.client.value("SELECT EXISTS (SELECT FROM kb_rag.pause)", &[]));
    as_owner.run("BEGIN; SELECT kb_retry('theirs')");
    let pauses: i64 = as_owner.value("SELECT count(*) FROM kb_rag.status WHERE paused IS NOT NULL", &[]);
    assert_eq!(pauses, 0, "the pause is removed in this transaction");
    remote.client.insert_notes(2, 20);
    wait_until_idle(&mut remote.client);
    assert_eq!(without_vector(&mut remote.client, "kb_notes"), 0);
    // A new pause is not waited for either.
    remote.mock.next(Reply::error(429, "slow down").header("retry-after", "0.2"));
    remote.client.insert_notes(21, 30);
    wait_until_idle(&mut remote.client);
    as_owner.run("COMMIT");
    remote.finish();
}

/// A document that a session locks for long is neither sent nor waited for, and the others of its batch
/// continue.
#[test]
fn a_document_that_is_locked_for_long_is_not_sent() {
    let mut remote = Remote::start();
    let mut holder = remote.database.connect();
    remote.client.run("SELECT kb_configure('notes', embed => 'off')");
    remote.client.insert_notes(1, 10);
    remote.client.run("SELECT kb_configure('notes', embed => 'auto')");
    wait_until_idle(&mut remote.client);
    remote.client.run("ALTER TABLE kb_notes.embedding DISABLE TRIGGER USER; DELETE FROM kb_notes.embedding");
    holder.run("BEGIN; SELECT FROM kb_notes.document WHERE source_key = '3' FOR UPDATE");
    let before = remote.mock.calls().len();
    remote.client.run("SELECT pg_catalog.count(*) FROM kb_list()");
    let mut queue = remote.database.connect();
    queue.run(
        "INSERT INTO kb_rag.job (knowledge_base_id, kind, target)
         SELECT k.id, 'embed', d.id FROM kb_rag.knowledge_base k, kb_notes.document d WHERE k.name = 'notes';
         SELECT count(*) FROM kb_list()",
    );
    wait_until("nine vectors", || without_vector(&mut remote.client, "kb_notes") == 1);
    let sent = |remote: &Remote| {
        remote.mock.calls()[before..]
            .iter()
            .flat_map(|call| &call.texts)
            .filter(|text| text.contains("number 3 "))
            .count()
    };
    assert_eq!(sent(&remote), 0, "sent while it could not be written");
    let attempts: i32 = queue.value(
        "SELECT max(attempts) FROM kb_rag.job j JOIN kb_notes.document d ON d.id = j.target WHERE d.source_key = '3'",
        &[],
    );
    assert!(attempts <= 1, "{attempts} attempts");
    holder.run("COMMIT");
    remote.finish();
    assert_eq!(sent(&remote), 1);
}

/// Queue rows that a session has locked when a worker is finished with them are released later by that
/// worker.
#[test]
fn locked_queue_rows_are_released_later() {
    let mut remote = Remote::start();
    let gate = remote.in_flight();
    let mut holder = remote.database.connect();
    holder.run("BEGIN");
    let held = holder.execute("SELECT FROM kb_rag.job WHERE worker IS NOT NULL FOR UPDATE", &[]).unwrap();
    assert!(held > 0, "no row is claimed by a worker");
    gate.open();
    remote.mock.heal();
    wait_until("the vectors", || without_vector(&mut remote.client, "kb_notes") == 0);
    holder.run("ROLLBACK");
    remote.finish();
    assert_eq!(remote.mock.calls().len(), 1, "calls for ten documents");
}
