//! Bases that are created and dropped while others use them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kb_rag_cluster_tests::{Database, Outcome, Session, sqlstate, wait_for_lock, wait_until};

/// The SQLSTATEs in which a statement may end if its base is dropped under it: no such base, table, or
/// schema. Anything else, especially an internal error (XX000), is a bug.
const GONE: [&str; 3] = ["42704", "42P01", "3F000"];

const CREATE: &str = "SELECT kb_create('twice', model => 'fake/test', dimensions => 8)";

/// Rust's strings are UTF-8: in another encoding, every accented letter would later be an error.
#[test]
fn create_extension_rejects_other_encodings() {
    let database = Database::bare("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    let mut client = database.connect();
    let error = client.batch_execute("CREATE EXTENSION kb_rag CASCADE").unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!(
        (error.code().code(), error.message()),
        ("55000", "database encoding \"LATIN1\" is not supported")
    );
}

#[test]
fn of_two_sessions_that_create_the_same_base_one_succeeds() {
    for (end, expected) in [("COMMIT", "42710"), ("ROLLBACK", "00000")] {
        let database = Database::create();
        let (mut first, mut second, mut observer) =
            (database.connect(), database.connect(), database.connect());
        let pid = second.pid();
        first.run(&format!("BEGIN; {CREATE}"));
        let running = Outcome::spawn(second, CREATE);
        wait_for_lock(&mut observer, pid);
        first.run(end);
        assert_eq!(running.join().unwrap().state, expected, "the other, after {end}");
        let schemas: Vec<String> =
            observer.column("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'kb\\_twice%'", &[]);
        assert_eq!(schemas, ["kb_twice"]);
        let bases: i64 = observer.value("SELECT count(*) FROM kb_rag.knowledge_base", &[]);
        assert_eq!(bases, 1);
        observer.run("SELECT kb_add('twice', 'It works.')");
    }
}

#[test]
fn names_of_the_same_slug_created_at_once_get_schemas_of_their_own() {
    let database = Database::create();
    let (mut first, mut second, mut observer) = (database.connect(), database.connect(), database.connect());
    let pid = second.pid();
    first.run("BEGIN; SELECT kb_create('a b', model => 'fake/test', dimensions => 8)");
    let running = Outcome::spawn(second, "SELECT kb_create('a-b', model => 'fake/test', dimensions => 8)");
    wait_for_lock(&mut observer, pid);
    first.run("COMMIT");
    assert_eq!(running.join().unwrap().state, "00000");
    observer.run("SELECT kb_add('a b', 'First.'), kb_add('a-b', 'Second.')");
    let schemas: Vec<String> = observer.column("SELECT DISTINCT schema FROM kb_list()", &[]);
    assert_eq!(schemas.len(), 2);
}

/// Every use of a base that encounters its drop half-way: it waits for the tables, which are gone when it
/// gets the lock.
#[test]
fn a_statement_that_waited_for_a_drop_says_that_the_base_is_gone() {
    let mut wrong = Vec::new();
    for statement in [
        "SELECT * FROM kb_hybrid_search('x', 'gone')",
        "SELECT * FROM kb_search('x', 'gone', 'keyword')",
        "SELECT * FROM kb_search('x', 'gone', 'semantic')",
        "SELECT match_knowledge_chunks((SELECT id FROM kb_list()), kb_embed('x', 'fake/test', 8))",
        "SELECT kb_add('gone', 'x')",
        "INSERT INTO kb_gone.document (content) VALUES ('x')",
        "SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'gone')",
        "SELECT kb_drop('gone')",
    ] {
        // Once in a fresh session, once in one that has used the base before and has cached plans.
        for used_before in [false, true] {
            let (database, mut admin) = Database::with_base("gone");
            admin.run("SELECT kb_add('gone', 'Here today.')");
            let mut client = database.connect();
            if used_before {
                client.run(
                    "SELECT kb_add('gone', 'Here too.'), count(*) FROM kb_hybrid_search('here', 'gone')",
                );
            }
            let pid = client.pid();
            admin.run("BEGIN; SELECT kb_drop('gone')");
            let running = Outcome::spawn(client, statement);
            let mut observer = database.connect();
            wait_for_lock(&mut observer, pid);
            admin.run("COMMIT");
            let mut outcome = running.join().unwrap();
            println!("{}: {statement}", outcome.state);
            if !GONE.contains(&outcome.state.as_str()) {
                wrong.push((statement, used_before, outcome.state));
            }
            assert_eq!(outcome.client.state_of("SELECT * FROM kb_hybrid_search('x', 'gone')", &[]), "42704");
        }
    }
    assert!(wrong.is_empty(), "(statement, base used before, state): {wrong:#?}");
}

#[test]
fn a_search_loop_survives_drops_and_creations() {
    let (database, mut admin) = Database::with_base("gone");
    let start = admin.server_start();
    let stop = Arc::new(AtomicBool::new(false));
    let mut searcher = database.connect();
    let pid = searcher.pid();
    let thread = thread::spawn({
        let stop = stop.clone();
        move || {
            let mut states = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                states.push(sqlstate(&searcher.query("SELECT * FROM kb_hybrid_search('here', 'gone')", &[])));
            }
            states
        }
    });
    let mut observer = database.connect();
    wait_until("the searcher has begun", || {
        observer.value(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%kb_hybrid_search%')",
            &[&pid],
        )
    });
    for _ in 0..25 {
        admin.run("SELECT kb_drop('gone')");
        admin.run("SELECT kb_create('gone', model => 'fake/test', dimensions => 8)");
        admin.run("SELECT kb_add('gone', 'Here today.')");
    }
    stop.store(true, Ordering::Relaxed);
    let mut states = thread.join().unwrap();
    assert_eq!(admin.server_start(), start, "the server crashed");
    states.sort_unstable();
    states.dedup();
    assert!(states.contains(&"00000".to_string()), "{states:?}");
    states.retain(|state| state != "00000" && !GONE.contains(&state.as_str()));
    assert!(states.is_empty(), "a search ended in {states:?}");
}
