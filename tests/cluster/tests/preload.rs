//! kb_rag in shared_preload_libraries: a launcher starts with the server.

// Clippy knows the functions marked as tests, not what they call.
#![allow(clippy::unwrap_used)]

use kb_rag_cluster_tests::{Server, wait_until};

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
