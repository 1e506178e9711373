//! Rows that arrive without triggers.

use std::thread;

use kb_rag_cluster_tests::Database;
use kb_rag_cluster_tests::pipeline::Remote;
use kb_rag_cluster_tests::{
    Outcome, Server, Session, assert_consistent, assert_figures, counts, wait_until, wait_until_waiting,
};

/// Triggers do not fire for changes applied by logical replication, but the one by which workers index them: it is off here.
#[test]
fn replicated_rows_are_indexed_by_kb_reconcile() {
    let server = Server::start_with(&["-c", "wal_level=logical"]);
    let mut publisher = server.connect();
    publisher.run("CREATE DATABASE subscriber");
    let mut subscriber = server.connect_to("subscriber", "postgres");
    for client in [&mut publisher, &mut subscriber] {
        client.run("CREATE EXTENSION kb_rag CASCADE");
        client.create_base("copied");
    }
    subscriber.run("ALTER TABLE kb_copied.document DISABLE TRIGGER kb_rag_replicated");
    publisher.run(
        "CREATE PUBLICATION documents FOR TABLE kb_copied.document;
         INSERT INTO kb_copied.document (title, content, source_key)
         SELECT 'Title ' || n, 'A text of number ' || n, n FROM generate_series(1, 100) n",
    );
    publisher.run("SELECT pg_create_logical_replication_slot('documents', 'pgoutput')");
    subscriber.run(&format!(
        "CREATE SUBSCRIPTION documents CONNECTION 'host={} dbname=postgres user=postgres'
         PUBLICATION documents WITH (create_slot = false, slot_name = 'documents')",
        server.socket()
    ));
    wait_until("the first rows", || counts(&mut subscriber, "kb_copied")[0] == 100);
    let repaired: i64 = subscriber.value("SELECT kb_reconcile('copied')", &[]);
    assert_eq!(repaired, 100);
    assert_consistent(&mut subscriber, "copied", "kb_copied");

    publisher.run(
        "UPDATE kb_copied.document SET content = content || ', changed' WHERE source_key::int <= 10;
         DELETE FROM kb_copied.document WHERE source_key::int > 90;
         SELECT kb_add('copied', 'The last one.', source_key => 'last')",
    );
    wait_until("the changes", || {
        subscriber.value("SELECT EXISTS (SELECT FROM kb_copied.document WHERE source_key = 'last')", &[])
    });
    let repaired: i64 = subscriber.value("SELECT kb_reconcile('copied')", &[]);
    assert!(repaired >= 21, "{repaired} repaired: 10 changed, 10 deleted with chunk and vector, 1 new");
    assert_eq!(subscriber.value::<i64>("SELECT kb_reconcile('copied')", &[]), 0);
    assert_consistent(&mut subscriber, "copied", "kb_copied");
    assert_figures(&mut subscriber, "kb_copied");
    assert_eq!(counts(&mut subscriber, "kb_copied"), counts(&mut publisher, "kb_copied"));
    subscriber.run("ALTER SUBSCRIPTION documents DISABLE; ALTER SUBSCRIPTION documents SET (slot_name = NONE); DROP SUBSCRIPTION documents");
}

/// A worker makes the vectors of documents while kb_reconcile, which has begun before, waits: they need no repair.
#[test]
fn a_worker_that_ends_during_kb_reconcile_is_no_fault() {
    let mut remote = Remote::start();
    remote.client.run(
        "CREATE TABLE article (id int PRIMARY KEY, body text);
         SELECT kb_attach('article', 'notes', 'body')",
    );
    let gate = remote.in_flight();
    let (mut holder, mut observer) = (remote.database.connect(), remote.database.connect());
    let mut reconciler = remote.database.connect();
    holder.run("BEGIN; LOCK TABLE article IN ACCESS EXCLUSIVE MODE");
    let pid = reconciler.pid();
    let running = thread::spawn(move || reconciler.value::<i64>("SELECT kb_reconcile('notes')", &[]));
    wait_until_waiting(&mut observer, pid);
    gate.open();
    remote.mock.heal();
    let jobs = "SELECT count(*) FROM kb_rag.job WHERE kind = 'embed'";
    wait_until("the end of the work", || observer.value::<i64>(jobs, &[]) == 0);
    holder.run("COMMIT");
    assert_eq!(running.join().unwrap(), 0);
    remote.finish();
}

/// An uncommitted writer is not a fault, and is waited for only if its document needs a repair.
#[test]
fn writers_continue_during_kb_reconcile() {
    let (database, mut client) = Database::with_base("busy");
    client.run(
        "INSERT INTO kb_busy.document (content, source_key) SELECT 'Text ' || n, n FROM generate_series(1, 200) n",
    );
    let (mut observer, mut reconciler) = (database.connect(), database.connect());
    client.run("BEGIN; UPDATE kb_busy.document SET content = content || ' changed' WHERE source_key = '1'");
    assert_eq!(reconciler.value::<i64>("SELECT kb_reconcile('busy')", &[]), 0);
    client.run("COMMIT");
    assert_consistent(&mut client, "busy", "kb_busy");

    // Another session is writing the document that is out of sync: kb_reconcile waits for it, and its text is
    // kept.
    client.run(
        "SET session_replication_role = replica;
         UPDATE kb_busy.document SET content = 'Unseen by triggers' WHERE source_key = '2';
         RESET session_replication_role",
    );
    client.run("BEGIN; UPDATE kb_busy.document SET content = 'Seen by triggers' WHERE source_key = '2'");
    let pid = reconciler.pid();
    let running = Outcome::spawn(reconciler, "SELECT kb_reconcile('busy')");
    wait_until_waiting(&mut observer, pid);
    client.run("COMMIT");
    assert_eq!(running.join().unwrap().state, "00000");
    assert_consistent(&mut client, "busy", "kb_busy");
    assert_figures(&mut client, "kb_busy");
}

/// A row is inserted again while kb_reconcile looks for documents without a row: it waits for the insert, and
/// looks again.
#[test]
fn the_document_of_a_row_inserted_again_stays() {
    for (text, end, expected) in [
        ("Another text.", "COMMIT", Some("Another text.")),
        // Unchanged: its document is only locked.
        ("Text 7", "COMMIT", Some("Text 7")),
        ("Another text.", "ROLLBACK", None),
    ] {
        let (database, mut client) = Database::with_base("rows");
        client.run(
            "CREATE TABLE item (id int PRIMARY KEY, body text);
             INSERT INTO item SELECT n, 'Text ' || n FROM generate_series(1, 10) n",
        );
        client.run("SELECT kb_attach('item', 'rows', 'body', wait => true)");
        client.run(
            "ALTER TABLE item DISABLE TRIGGER USER; DELETE FROM item WHERE id = 7; ALTER TABLE item ENABLE TRIGGER USER",
        );
        assert_eq!(counts(&mut client, "kb_rows")[0], 10);
        let (mut observer, mut reconciler) = (database.connect(), database.connect());
        let pid = reconciler.pid();
        client.run(&format!("BEGIN; INSERT INTO item VALUES (7, '{text}')"));
        let reconciling = Outcome::spawn(reconciler, "SELECT kb_reconcile('rows')");
        wait_until_waiting(&mut observer, pid);
        client.run(end);
        assert_eq!(reconciling.join().unwrap().state, "00000");
        let left: Vec<String> =
            client.column("SELECT content FROM kb_rows.document WHERE source_key = '7'", &[]);
        assert_eq!(left, Vec::from_iter(expected), "{text} {end}");
        assert_consistent(&mut client, "rows", "kb_rows");
    }
}
