//! kb_rag in shared_preload_libraries: workers start with the server, without a call by any session.

use kb_rag_cluster_tests::pipeline::workers;
use kb_rag_cluster_tests::{Server, Session, wait_until};

#[test]
fn pending_work_continues_when_the_server_starts() {
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE DATABASE without");
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.run("ALTER SYSTEM SET kb_rag.workers = 0");
    client.run("SELECT pg_reload_conf()");
    client.run("SELECT kb_create('notes', model => 'fake/test', dimensions => 8, embed => 'queued')");
    let none = "SELECT coalesce(current_setting('kb_rag.workers', true) = '0', false)";
    wait_until("no workers wanted", || server.connect().value(none, &[]));
    let write = "INSERT INTO kb_notes.document (content) SELECT 'note ' || i FROM generate_series(1, 300) i";
    server.connect().run(write);
    let pending = "SELECT count(*) FROM kb_notes.document WHERE status = 'pending'";
    assert_eq!(client.value::<i64>(pending, &[]), 300);
    client.run("ALTER SYSTEM RESET kb_rag.workers");
    // Settings on the command line are lost when the server restarts.
    client.run("ALTER SYSTEM SET shared_preload_libraries = 'kb_rag'");
    drop(client);

    server.crash();
    let mut client = server.connect();
    // Only PostgreSQL's own functions and tables are used, so nothing here wakes a worker.
    wait_until("all embedded", || client.value::<i64>(pending, &[]) == 0);
    wait_until("no worker left", || workers(&mut client).is_empty());
    let launchers = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'kb_rag launcher'";
    assert_eq!(client.value::<i64>(launchers, &[]), 1);
    assert!(!server.log().contains("PANIC"), "{}", server.log());
}

/// After a crash of the server the launcher starts again.
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
    let mut client = server.kill(first.unwrap());
    wait_until("another launcher", || {
        let found = client.query_opt(launcher, &[]).unwrap().map(|row| row.get::<_, i32>(0));
        found.is_some() && found != first
    });
}
