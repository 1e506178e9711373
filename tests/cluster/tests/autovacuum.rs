//! Autovacuum gives way to what locks the tables of a base, as it does to ALTER TABLE.

use kb_rag_cluster_tests::{Server, Session, wait_until};
use postgres::Client;

/// The process of autovacuum that is working on the table of vectors, if there is one.
const AT_WORK: &str = "SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l USING (pid)
    WHERE a.backend_type = 'autovacuum worker' AND l.relation = 'kb_notes.embedding'::regclass AND l.mode = 'ShareUpdateExclusiveLock'";

fn at_work(client: &mut Client) -> Option<i32> {
    client.query_opt(AT_WORK, &[]).unwrap().map(|row| row.get(0))
}

/// A base with an IVFFlat index in a server whose autovacuum begins at once, and takes minutes for the table of vectors.
fn base() -> (Server, Client) {
    let server = Server::start_with(&["-c", "autovacuum_naptime=1s", "-c", "kb_rag.workers=0"]);
    let mut client = server.connect();
    client.run("CREATE EXTENSION vector; CREATE EXTENSION kb_rag");
    client.run(
        "SELECT kb_create('notes', model => 'fake/test', dimensions => 8, index_method => 'ivfflat');
         ALTER TABLE kb_notes.embedding SET (autovacuum_enabled = false, autovacuum_vacuum_cost_delay = 100,
             autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)",
    );
    add_vectors(&mut client, 12_000);
    client.run("CALL kb_work()");
    assert!(has_index(&mut client, "embedding_ivfflat"));
    (server, client)
}

/// Adds vectors without chunks, and a document, for whose vector the index is looked at.
fn add_vectors(client: &mut Client, count: i32) {
    client.run(&format!(
        "SET session_replication_role = replica;
         INSERT INTO kb_notes.embedding
         SELECT gen_random_uuid(), ARRAY[cos(n), sin(n), cos(n * 7.3), 0, 0, 0, 0, 1]::real[] FROM generate_series(1, {count}) n;
         RESET session_replication_role;
         SELECT kb_add('notes', 'text number {count}')"
    ));
}

/// Deletes some vectors, and waits until autovacuum works on their table.
fn wait_for_autovacuum(client: &mut Client) -> i32 {
    client.run("DELETE FROM kb_notes.embedding WHERE (embedding::real[])[1] > .5 AND chunk_id NOT IN (SELECT id FROM kb_notes.chunk)");
    client.run("ALTER TABLE kb_notes.embedding SET (autovacuum_enabled = true)");
    wait_until("autovacuum of the vectors", || at_work(client).is_some());
    at_work(client).unwrap()
}

fn has_index(client: &mut Client, name: &str) -> bool {
    client.value("SELECT to_regclass('kb_notes.' || $1) IS NOT NULL", &[&name])
}

#[test]
fn the_replacement_of_an_index_cancels_it() {
    let (_server, mut client) = base();
    add_vectors(&mut client, 120_000);
    client.run("CALL kb_work(0)");
    assert!(has_index(&mut client, "embedding_ivfflat_next"));
    let pid = wait_for_autovacuum(&mut client);
    client.run("CALL kb_work(10)");
    assert!(!has_index(&mut client, "embedding_ivfflat_next"));
    assert_ne!(at_work(&mut client), Some(pid));
}

#[test]
fn a_rebuild_cancels_it() {
    for rebuild in ["SELECT kb_reindex('notes')", "SELECT kb_configure('notes', index_method => 'none')"] {
        let (_server, mut client) = base();
        let pid = wait_for_autovacuum(&mut client);
        client.run("SET lock_timeout = '10s'");
        client.run(rebuild);
        assert_ne!(at_work(&mut client), Some(pid), "{rebuild}");
    }
}
