//! kb_rag in shared_preload_libraries: workers start with the server, and nobody has to call anything.

// Clippy knows the functions marked as tests, not what they call.
#![allow(clippy::unwrap_used)]

use kb_rag_cluster_tests::pipeline::workers;
use kb_rag_cluster_tests::{Server, Session, wait_until};

#[test]
fn work_left_from_before_goes_on_when_the_server_starts() {
    let server = Server::start_with(&["-c", "shared_preload_libraries=kb_rag"]);
    server.connect().run("CREATE DATABASE without");
    let mut client = server.connect();
    client.run(
        "CREATE EXTENSION kb_rag CASCADE;
         ALTER SYSTEM SET kb_rag.workers = 0; SELECT pg_reload_conf();
         SELECT kb_create('notes', model => 'fake/test', dimensions => 8, embed => 'queued')",
    );
    wait_until("no workers wanted", || {
        let mut other = server.connect();
        other.query_one("SHOW kb_rag.workers", &[]).unwrap().get::<_, String>(0) == "0"
    });
    let mut writer = server.connect();
    writer.run("INSERT INTO kb_notes.document (content) SELECT 'note ' || i FROM generate_series(1, 300) i");
    drop(writer);
    let pending = "SELECT count(*) FROM kb_notes.document WHERE status = 'pending'";
    assert_eq!(client.query_one(pending, &[]).unwrap().get::<_, i64>(0), 300);
    client.run("ALTER SYSTEM RESET kb_rag.workers");
    drop(client);

    server.restart();
    let mut client = server.wait_until_up();
    // Only PostgreSQL's own functions and tables: nothing here wakes a worker.
    wait_until("all embedded", || client.query_one(pending, &[]).unwrap().get::<_, i64>(0) == 0);
    wait_until("no worker left", || workers(&mut client).is_empty());
    let launchers = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'kb_rag launcher'";
    assert_eq!(client.query_one(launchers, &[]).unwrap().get::<_, i64>(0), 1);
    assert!(!server.log().contains("PANIC"), "{}", server.log());
}

/// A crash of the server starts the launcher again.
#[test]
fn the_launcher_comes_back_after_a_crash() {
    let server = Server::start_with(&["-c", "shared_preload_libraries=kb_rag"]);
    let mut client = server.connect();
    let launcher = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'kb_rag launcher'";
    let mut first = None;
    wait_until("a launcher", || {
        first = client.query_opt(launcher, &[]).unwrap().map(|row| row.get::<_, i32>(0));
        first.is_some()
    });
    kb_rag_cluster_tests::pipeline::signal(first.unwrap(), "KILL");
    wait_until("another launcher", || {
        let mut client = server.wait_until_up();
        let found = client.query_opt(launcher, &[]).ok().flatten().map(|row| row.get::<_, i32>(0));
        found.is_some() && found != first
    });
}
