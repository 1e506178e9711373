//! Vectors that rows bring along, beside changes of the model, and TRUNCATE in a kept snapshot.

use kb_rag_cluster_tests::{Database, Outcome, Session, assert_nothing_to_reconcile, wait_for_lock};
use postgres::{Client, IsolationLevel};

/// A table with one row and its vector, attached to a base of three dimensions.
fn attached() -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    client.run(
        "SELECT kb_create('kept', model => 'fake/a', dimensions => 3);
         CREATE TABLE note (id int PRIMARY KEY, body text, vec vector(3));
         INSERT INTO note VALUES (1, 'One', '[1,0,0]');
         SELECT kb_attach('note', 'kept', 'body', embedding => 'vec', wait => true)",
    );
    (database, client)
}

/// Runs a statement that waits for a change of the model.
fn written_beside(model: &str, statement: &'static str) -> (Database, Client) {
    let (database, mut client) = attached();
    let (mut changing, mut writer) = (database.connect(), database.connect());
    let mut change = changing.transaction().unwrap();
    change.run(&format!("SELECT kb_configure('kept', {model})"));
    let pid = writer.pid();
    let writing = Outcome::spawn(writer, statement);
    wait_for_lock(&mut client, pid);
    change.commit().unwrap();
    let outcome = writing.join().unwrap();
    assert_eq!(outcome.state, "00000");
    (database, client)
}

const TAKEN: &str = "SELECT count(*) FROM kb_kept.document WHERE imported AND source_key = $1";

/// The vector of the row is not of the new model.
#[test]
fn a_row_that_waits_for_another_model_is_embedded() {
    let insert = "INSERT INTO note VALUES (2, 'Two', '[0,1,0]')";
    for model in ["model => 'fake/b'", "model => 'fake/b', dimensions => 4"] {
        let (_database, mut client) = written_beside(model, insert);
        assert_eq!(client.value::<i64>(TAKEN, &[&"2"]), 0, "{model}");
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_kept.embedding", &[]), 2, "{model}");
        assert_nothing_to_reconcile(&mut client, "kept");
    }
}

/// Another change of the base does not keep the vector from being taken.
#[test]
fn a_row_that_waits_for_another_change_keeps_its_vector() {
    let update = "UPDATE note SET vec = '[0,0,1]', body = 'Other' WHERE id = 1";
    let (_database, mut client) = written_beside("chunk_size => 500", update);
    assert_eq!(client.value::<i64>(TAKEN, &[&"1"]), 1);
    let vector: String = client.value("SELECT embedding::text FROM kb_kept.embedding", &[]);
    assert_eq!(vector, "[0,0,1]");
    assert_nothing_to_reconcile(&mut client, "kept");
}

/// TRUNCATE removes rows that the snapshot does not show; their documents cannot be deleted.
#[test]
fn truncate_in_an_older_snapshot_leaves_no_document() {
    let (database, mut client) = attached();
    let mut other = database.connect();
    let mut transaction =
        other.build_transaction().isolation_level(IsolationLevel::RepeatableRead).start().unwrap();
    transaction.run("SELECT count(*) FROM note");
    client.run("INSERT INTO note VALUES (2, 'Two', '[0,1,0]'), (3, 'Three', NULL)");
    assert_eq!(transaction.state_of("TRUNCATE note", &[]), "40001");
    transaction.rollback().unwrap();
    let mut again =
        other.build_transaction().isolation_level(IsolationLevel::RepeatableRead).start().unwrap();
    again.run("SELECT count(*) FROM note");
    assert_eq!(again.state_of("TRUNCATE note", &[]), "00000");
    again.commit().unwrap();
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_kept.document", &[]), 0);
    assert_nothing_to_reconcile(&mut client, "kept");
}
