//! Settings that change while others search and write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kb_rag_cluster_tests::{
    Database, Outcome, Session, assert_consistent, assert_figures, counts, wait_for_lock, wait_until_active,
};
use postgres::Client;

/// Enough vectors for the index to be used.
const DOCUMENTS: i64 = 6_000;

const OWN_WORDS: &str = "SELECT content || ' ' || round(similarity::numeric, 4)
    FROM kb_search('text number 77', 'shared', 'semantic', 1)";

fn base() -> (Database, Client) {
    let (database, mut client) = Database::with_base("shared");
    client.run(
        "INSERT INTO kb_shared.document (content, source_key) SELECT 'text number ' || n, n FROM generate_series(1, 50) n",
    );
    (database, client)
}

/// A chunk has similarity 1 to its own words only if both were embedded by the same model.
#[test]
fn searches_never_fail_and_never_mix_models_while_the_model_changes() {
    let (database, mut client) = Database::with_base("shared");
    client.run(&format!(
        "INSERT INTO kb_shared.document (content) SELECT 'text number ' || n FROM generate_series(1, {DOCUMENTS}) n"
    ));
    let done = Arc::new(AtomicBool::new(false));
    let searchers: Vec<_> = ["READ COMMITTED", "REPEATABLE READ"]
        .map(|isolation| {
            let (mut client, done) = (database.connect(), done.clone());
            client.run(&format!("SET default_transaction_isolation = '{isolation}'"));
            thread::spawn(move || {
                let mut searches = 0;
                while !done.load(Ordering::Relaxed) {
                    let mut transaction = client.transaction().unwrap();
                    transaction.run("SELECT 1");
                    let found: Vec<String> = transaction.column(OWN_WORDS, &[]);
                    assert_eq!(found, ["text number 77 1.0000"]);
                    let similar: Vec<Option<f64>> = transaction.column(
                        "SELECT similarity FROM kb_hybrid_search('text number 5', 'shared', 20)",
                        &[],
                    );
                    assert_eq!(similar.len(), 20);
                    assert!(similar.iter().any(Option::is_some), "vector search found nothing");
                    transaction.commit().unwrap();
                    searches += 1;
                }
                searches
            })
        })
        .into();
    for round in 0..6 {
        let (model, dimensions) = [("fake/one", 8), ("fake/two", 8), ("fake/three", 16)][round % 3];
        client.run(&format!("SELECT kb_configure('shared', model => '{model}', dimensions => {dimensions})"));
    }
    done.store(true, Ordering::Relaxed);
    for searcher in searchers {
        assert!(searcher.join().unwrap() > 0);
    }
    assert_eq!(counts(&mut client, "kb_shared"), [DOCUMENTS; 3]);
}

#[test]
fn a_search_that_waited_for_the_new_vectors_finds_them() {
    let (database, mut client) = base();
    let (mut observer, mut searcher) = (database.connect(), database.connect());
    let pid = searcher.pid();
    client.run("BEGIN; SELECT kb_configure('shared', model => 'fake/other', dimensions => 16)");
    let running = thread::spawn(move || searcher.column::<String>(OWN_WORDS, &[]));
    wait_for_lock(&mut observer, pid);
    client.run("COMMIT");
    let found = running.join().unwrap();
    assert_eq!(found.len(), 1, "a semantic search must find the document");
    assert_eq!(found, client.column::<String>(OWN_WORDS, &[]));
}

#[test]
fn a_transaction_that_keeps_an_older_snapshot_searches_and_may_not_write() {
    let (database, mut client) = base();
    let mut old = database.connect();
    for _ in 0..2 {
        old.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_database");
        client.run("SELECT kb_configure('shared', model => 'fake/' || md5(random()::text))");
        let found: Vec<String> =
            old.column("SELECT content FROM kb_search('text number 7', 'shared', 'semantic', 1)", &[]);
        assert_eq!(found, ["text number 7"]);
        assert_eq!(old.state_of("SELECT kb_add('shared', 'Too late.')", &[]), "40001");
        old.run("ROLLBACK; SELECT kb_add('shared', 'In time.', source_key => 'late')");
    }
    assert_consistent(&mut client, "shared", "kb_shared");
}

#[test]
fn writers_wait_and_continue_with_the_new_settings() {
    let (database, mut client) = base();
    let mut observer = database.connect();
    let long = "A sentence of some length here. ".repeat(10);
    for isolation in ["READ COMMITTED", "REPEATABLE READ"] {
        client.run("SELECT kb_configure('shared', chunk_size => 200)");
        let mut writer = database.connect();
        let pid = writer.pid();
        client.run("BEGIN; SELECT kb_configure('shared', chunk_size => 40, chunk_overlap => 0, text_config => 'simple')");
        writer.run(&format!("BEGIN ISOLATION LEVEL {isolation}; SELECT 1"));
        let running = Outcome::spawn(
            writer,
            &format!("SELECT kb_add('shared', '{long}', source_key => 'long'); COMMIT"),
        );
        wait_for_lock(&mut observer, pid);
        client.run("COMMIT");
        assert_eq!(running.join().unwrap().state, "00000");
        assert_consistent(&mut client, "shared", "kb_shared");
        assert_figures(&mut client, "kb_shared");
        client.run("DELETE FROM kb_shared.document WHERE source_key = 'long'");
    }
}

#[test]
fn a_rollback_or_a_cancel_changes_nothing() {
    let (database, mut client) = base();
    let before: Vec<String> = client.column("SELECT l::text FROM kb_list() l", &[]);
    client.run("BEGIN; SELECT kb_configure('shared', model => 'fake/other', dimensions => 3, chunk_size => 50, title_weight => 9); ROLLBACK");
    assert_eq!(client.column::<String>("SELECT l::text FROM kb_list() l", &[]), before);
    assert_consistent(&mut client, "shared", "kb_shared");

    client.run("INSERT INTO kb_shared.document (content) SELECT repeat('many words to embed ', 10) || n FROM generate_series(1, 2000) n");
    let statement = "SELECT kb_configure('shared', model => 'local/all-minilm-l6-v2')";
    let mut worker = database.connect();
    let (pid, cancel) = (worker.pid(), worker.cancel_token());
    let running = Outcome::spawn(worker, statement);
    wait_until_active(&mut client, pid, statement);
    cancel.cancel_query(postgres::NoTls).unwrap();
    assert_eq!(running.join().unwrap().state, "57014");
    assert_eq!(client.column::<String>("SELECT l::text FROM kb_list() l", &[]), before);
    let tables: i64 = client.value(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_shared'::regnamespace AND relname ~ '^embedding_[0-9]'",
        &[],
    );
    assert_eq!(tables, 0);
    assert_consistent(&mut client, "shared", "kb_shared");
}

#[test]
fn of_two_concurrent_kb_configure_the_second_builds_on_the_first() {
    let (database, mut first) = base();
    let (mut observer, mut second) = (database.connect(), database.connect());
    let pid = second.pid();
    first.run("BEGIN; SELECT kb_configure('shared', chunk_size => 100)");
    let running = Outcome::spawn(second, "SELECT kb_configure('shared', ranker => 'ts_rank')");
    wait_for_lock(&mut observer, pid);
    first.run("COMMIT");
    assert_eq!(running.join().unwrap().state, "00000");
    let set: String = first.value("SELECT chunk_size || ' ' || ranker FROM kb_list()", &[]);
    assert_eq!(set, "100 ts_rank");
    assert_consistent(&mut first, "shared", "kb_shared");
}
