//! kb_refresh and kb_delete beside other sessions.

use kb_rag_cluster_tests::{
    Database, Outcome, Session, assert_consistent, assert_nothing_to_reconcile, counts, wait_for_lock,
};
use postgres::Client;
use uuid::Uuid;

/// A base with a document of some chunks.
fn base() -> (Database, Client, Uuid) {
    let (database, mut client) = Database::with_base("shared");
    let id = client.value("SELECT kb_add('shared', repeat('One sentence of it. ', 100))", &[]);
    (database, client, id)
}

#[test]
fn a_refresh_takes_the_settings_of_a_change_that_it_waited_for() {
    let (database, mut first, id) = base();
    let mut observer = database.connect();
    let [_, before, _] = counts(&mut observer, "kb_shared");
    let mut second = database.connect();
    let pid = second.pid();
    let mut transaction = first.transaction().unwrap();
    transaction.run("SELECT kb_configure('shared', chunk_size => 60, chunk_overlap => 0)");
    let running = Outcome::spawn(second, &format!("SELECT kb_refresh('{id}', 'shared')"));
    wait_for_lock(&mut observer, pid);
    transaction.commit().unwrap();
    assert_eq!(running.join().unwrap().state, "00000");
    let [documents, chunks, vectors] = counts(&mut observer, "kb_shared");
    assert!(documents == 1 && chunks > 2 * before && chunks == vectors, "{before} {chunks} {vectors}");
    assert_consistent(&mut observer, "shared", "kb_shared");
    assert_nothing_to_reconcile(&mut observer, "shared");
}

#[test]
fn a_document_that_was_deleted_meanwhile_is_not_there() {
    for call in ["kb_refresh", "kb_delete"] {
        let (database, mut first, id) = base();
        let mut observer = database.connect();
        observer.run("CREATE TABLE results (result boolean)");
        let mut second = database.connect();
        let pid = second.pid();
        let mut transaction = first.transaction().unwrap();
        transaction.run(&format!("SELECT kb_delete('{id}', 'shared')"));
        let running = Outcome::spawn(second, &format!("INSERT INTO results SELECT {call}('{id}', 'shared')"));
        wait_for_lock(&mut observer, pid);
        transaction.commit().unwrap();
        assert_eq!(running.join().unwrap().state, "00000", "{call}");
        assert!(!observer.value::<bool>("SELECT result FROM results", &[]), "{call}");
        assert_eq!(counts(&mut observer, "kb_shared"), [0, 0, 0]);
        assert_consistent(&mut observer, "shared", "kb_shared");
    }
}

/// A deletion that is rolled back leaves the document to the other session.
#[test]
fn a_document_that_was_not_deleted_after_all_is_cut_again() {
    let (database, mut first, id) = base();
    let mut observer = database.connect();
    let before: Vec<Uuid> = observer.column("SELECT id FROM kb_shared.chunk", &[]);
    observer.run("UPDATE kb_shared.chunk SET content = 'Changed.'");
    let mut second = database.connect();
    let pid = second.pid();
    let mut transaction = first.transaction().unwrap();
    transaction.run(&format!("SELECT kb_delete('{id}', 'shared')"));
    let running = Outcome::spawn(second, &format!("SELECT kb_refresh('{id}', 'shared')"));
    wait_for_lock(&mut observer, pid);
    transaction.rollback().unwrap();
    assert_eq!(running.join().unwrap().state, "00000");
    let after: Vec<Uuid> = observer.column("SELECT id FROM kb_shared.chunk", &[]);
    assert_eq!(after.len(), before.len());
    assert!(after.iter().all(|id| !before.contains(id)), "every chunk is new");
    assert_consistent(&mut observer, "shared", "kb_shared");
}

/// In a transaction that keeps its snapshot, a document that another one has changed is a serialization failure.
#[test]
fn a_transaction_that_keeps_its_snapshot_fails_where_it_would_overwrite() {
    for call in ["kb_refresh", "kb_delete"] {
        let (database, mut first, id) = base();
        let mut second = database.connect();
        let call = format!("SELECT {call}('{id}', 'shared')");
        second.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kb_shared.document");
        first.run("UPDATE kb_shared.document SET content = content || 'More.'");
        assert_eq!(second.state_of(&call, &[]), "40001", "{call}");
        second.run("ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ");
        assert_eq!(second.state_of(&call, &[]), "00000", "{call}");
        second.run("COMMIT");
        assert_consistent(&mut first, "shared", "kb_shared");
    }
}
