//! Two-phase commit: prepared changes are invisible, survive a crash, and then take effect completely or not
//! at all.

use kb_rag_cluster_tests::{
    Outcome, Server, Session, assert_consistent, assert_figures, counts, wait_for_lock,
};
use postgres::Client;

fn found(client: &mut Client, query: &str) -> i64 {
    client.value("SELECT count(*) FROM kb_search($1, 'notes', 'keyword')", &[&query])
}

#[test]
fn a_prepared_transaction_takes_effect_completely_or_not_at_all() {
    let server = Server::start();
    // In a file, because it must still apply after the crash below.
    server.connect().run("ALTER SYSTEM SET max_prepared_transactions = 5");
    server.crash();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    // Also after the restart, which loses the settings.
    client.run("SELECT kb_configure('notes', embed => 'inline')");
    client.run("SELECT kb_add('notes', 'There before.', source_key => 'k')");
    // Temporary tables of other names do not interfere.
    client.run("CREATE TEMP TABLE chunk (nothing int)");
    client.run("SELECT count(*) FROM kb_hybrid_search('before', 'notes')");
    for (name, animal) in [("kept", "bandicoot"), ("taken back", "potoroo")] {
        client.run(&format!(
            "BEGIN;
             SELECT kb_add('notes', 'A {animal} digs.', source_key => '{name}');
             INSERT INTO kb_notes.document (content) SELECT 'Another {animal}, number ' || n FROM generate_series(1, 300) n;
             SAVEPOINT s;
             DELETE FROM kb_notes.document WHERE content LIKE '%number 1';
             ROLLBACK TO s;
             SELECT count(*) FROM kb_hybrid_search('{animal}', 'notes');
             SELECT kb_create('base of {animal}', model => 'fake/test', dimensions => 8);
             SELECT kb_add('base of {animal}', 'In a base of its own.');
             PREPARE TRANSACTION '{name}'"
        ));
        assert_eq!(found(&mut client, animal), 0, "{name}, only prepared");
    }
    assert_eq!(counts(&mut client, "kb_notes"), [1, 1, 1]);
    assert_figures(&mut client, "kb_notes");
    // A writer of the same key waits; a writer of another key does not.
    client.run("SELECT kb_add('notes', 'Not in the way.', source_key => 'other')");
    let mut writer = server.connect();
    let (pid, mut observer) = (writer.pid(), server.connect());
    let waiting =
        Outcome::spawn(writer, "SELECT kb_add('notes', 'A wombat digs.', source_key => 'taken back')");
    wait_for_lock(&mut observer, pid);
    client.run("ROLLBACK PREPARED 'taken back'");
    assert_eq!(waiting.join().map(|outcome| outcome.state).ok().as_deref(), Some("00000"));

    drop((client, observer));
    server.crash();
    let mut client = server.connect();
    assert_eq!(counts(&mut client, "kb_notes"), [3, 3, 3]);
    client.run("COMMIT PREPARED 'kept'");
    assert_eq!(counts(&mut client, "kb_notes"), [304, 304, 304]);
    assert_eq!(found(&mut client, "bandicoot"), 5);
    assert_eq!(found(&mut client, "potoroo"), 0);
    let bases: Vec<String> = client.column("SELECT name FROM kb_list() ORDER BY name", &[]);
    assert_eq!(bases, ["base of bandicoot", "notes"]);
    for (name, schema) in [("notes", "kb_notes"), ("base of bandicoot", "kb_base_of_bandicoot")] {
        assert_consistent(&mut client, name, schema);
        assert_figures(&mut client, schema);
    }
}
