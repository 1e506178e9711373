//! Prompts: versions that many sessions add at once, and that a dump keeps.

use std::thread;

use kb_rag_cluster_tests::{Database, Session};

#[test]
fn sessions_add_versions_one_after_the_other() {
    let database = Database::create();
    let mut client = database.connect();
    client.run("SELECT kb_prompt_set('rewrite', 'first')");
    thread::scope(|scope| {
        for writer in 0..6 {
            let mut session = database.connect();
            scope.spawn(move || {
                let level = ["READ COMMITTED", "REPEATABLE READ"][writer % 2];
                for n in 0..5 {
                    session.run(&format!("BEGIN ISOLATION LEVEL {level}"));
                    // The snapshot of the transaction is older than the versions of others.
                    session.run("SELECT count(*) FROM kb_prompt_list()");
                    let version: i32 = session
                        .value("SELECT kb_prompt_set('rewrite', $1)", &[&format!("{writer} {n}").as_str()]);
                    session.run("COMMIT");
                    assert!(version > 1);
                }
            });
        }
    });
    let versions: Vec<i32> = client.column("SELECT version FROM kb_prompt_list() ORDER BY version", &[]);
    assert_eq!(versions, (1..=31).collect::<Vec<_>>());
    let contents: i64 = client.value("SELECT count(DISTINCT content) FROM kb_prompt_list()", &[]);
    assert_eq!(contents, 31);
}
