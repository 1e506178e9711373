//! From one provider's model to another's: searches never fail and never mix vectors of both, and a crash in
//! the middle repeats one batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use kb_rag_cluster_tests::mock::{Call, DIMENSIONS, Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    BATCH, RemoteSession, assert_embedded, note, remote_server, wait_until_idle, wait_until_no_worker,
    workers,
};
use kb_rag_cluster_tests::{Database, Session, assert_nothing_to_reconcile, counts, wait_until};
use postgres::Client;

const ROWS: i32 = 100;

/// The cosine of the vectors of two texts.
fn similarity(mock: &Mock, a: &str, b: &str) -> f64 {
    let (a, b) = (mock.vector(a, DIMENSIONS), mock.vector(b, DIMENSIONS));
    a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// The model, of two, whose vectors a search compared; fails unless all vectors came from one of them.
fn model_of(rows: &[postgres::Row], question: &str, old: &Mock, new: &Mock) -> &'static str {
    let is_of = |mock: &Mock| {
        rows.iter().all(|row| {
            let (content, given): (String, Option<f64>) = (row.get(0), row.get(1));
            (given.unwrap() - similarity(mock, question, &content)).abs() < 1e-4
        })
    };
    match (is_of(old), is_of(new)) {
        (true, false) => "old",
        (false, true) => "new",
        other => panic!("vectors are neither all old nor all new ({other:?}): {rows:?}"),
    }
}

/// Searches until told to stop; returns the models that answered, in order, without repetitions.
fn keep_searching(
    mut client: Client,
    old: Arc<Mock>,
    new: Arc<Mock>,
    stop: Arc<AtomicBool>,
) -> JoinHandle<(Vec<&'static str>, usize)> {
    thread::spawn(move || {
        let (mut models, mut searches) = (Vec::new(), 0);
        let mut is_last = false;
        while !is_last {
            // One search begins after the end of the change.
            is_last = stop.load(Ordering::Relaxed);
            // A different question each time: no cache answers in place of the provider.
            searches += 1;
            let question = format!("question {searches}");
            for mode in ["semantic", "hybrid"] {
                let rows = client
                    .query(
                        "SELECT content, similarity FROM kb_search($1, 'notes', mode => $2, match_count => 20) WHERE similarity IS NOT NULL",
                        &[&question, &mode],
                    )
                    .unwrap_or_else(|e| panic!("search {searches}: {:?}", e.as_db_error()));
                // The keyword half may find some that have no vector yet.
                let least = if mode == "semantic" { 20 } else { 10 };
                assert!(rows.len() >= least, "search {searches}: {} rows", rows.len());
                let model = model_of(&rows, &question, &old, &new);
                if models.last() != Some(&model) {
                    models.push(model);
                }
            }
        }
        (models, searches)
    })
}

fn status(client: &mut Client) -> Option<String> {
    client.value("SELECT model_change FROM kb_rag.status WHERE knowledge_base = 'notes'", &[])
}

#[test]
fn searches_see_the_old_vectors_until_the_new_are_complete() {
    let database = Database::create();
    let mut client = database.connect();
    let (old, new) = (Arc::new(Mock::openai()), Arc::new(Mock::openai_with_salt("new")));
    client.set_provider("old", &old);
    client.set_provider("new", &new);
    client.create_remote_base("notes", "old/small");
    client.insert_notes(1, ROWS);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &old);

    let stop = Arc::new(AtomicBool::new(false));
    let searching = keep_searching(database.connect(), old.clone(), new.clone(), stop.clone());
    // Half of the documents are embedded, then the new provider waits for the test.
    let gate = Gate::new();
    new.when(
        |call| call.texts.len() > 1 && call.number > ROWS as usize / BATCH / 2,
        Reply::right().held(&gate),
    );
    client.run("SELECT kb_configure('notes', model => 'new/small', dimensions => 8)");
    new.wait_until("the first half", |calls| {
        calls.iter().filter(|call| call.succeeded() && call.texts.len() > 1).count() >= 1
            && calls.iter().any(|call| call.texts.len() > 1 && call.ended.is_none())
    });
    let change = status(&mut client).expect("the status shows a model change");
    println!("half way: {change}");
    assert!(change.contains("new/small"), "{change}");
    // Writers continue: their documents are found at once by keyword, and after the change by the new
    // vectors.
    client.run("UPDATE kb_notes.document SET content = 'Changed in the middle.' WHERE source_key = '1'");
    client.insert_notes(ROWS + 1, ROWS + 20);
    client.run("DELETE FROM kb_notes.document WHERE source_key = '2'");
    let found: Vec<String> =
        client.column("SELECT content FROM kb_search('changed middle', 'notes', 'keyword', 1)", &[]);
    assert_eq!(found, ["Changed in the middle."]);
    let rows = client
        .query("SELECT content, similarity FROM kb_search('half way', 'notes', 'semantic', 20)", &[])
        .unwrap();
    assert_eq!(model_of(&rows, "half way", &old, &new), "old");
    gate.open();
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    // A search that begins now sees the new vectors.
    let rows = client
        .query("SELECT content, similarity FROM kb_search('afterwards', 'notes', 'semantic', 20)", &[])
        .unwrap();
    assert_eq!(model_of(&rows, "afterwards", &old, &new), "new");
    stop.store(true, Ordering::Relaxed);
    let (models, searches) = searching.join().unwrap();
    println!("{searches} searches by {models:?}");
    assert_eq!(models, ["old", "new"]);
    assert_embedded(&mut client, "kb_notes", &new);
    assert_eq!(counts(&mut client, "kb_notes"), [119, 119, 119]);
    let tables: Vec<String> = client.column(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relkind = 'r' AND relname LIKE 'embedding%'",
        &[],
    );
    assert_eq!(tables, ["embedding"]);
    let models: Vec<String> = client.column("SELECT model FROM kb_list()", &[]);
    assert_eq!(models, ["new/small"]);
}

/// A new model with other dimensions: its vectors cannot share a column with the old ones.
#[test]
fn a_model_of_other_dimensions_takes_over_too() {
    let database = Database::create();
    let mut client = database.connect();
    let (old, new) = (Mock::openai(), Mock::openai_with_salt("new"));
    client.set_provider("old", &old);
    client.set_provider("new", &new);
    client.create_remote_base("notes", "old/small");
    client.insert_notes(1, 25);
    wait_until_idle(&mut client);
    client.run("SELECT kb_expose('notes')");
    new.set_dimensions(12);
    client.run("SELECT kb_configure('notes', model => 'new/large', dimensions => 12)");
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &new);
    let dimensions: i32 = client.value("SELECT vector_dims(embedding) FROM kb_notes.embedding LIMIT 1", &[]);
    assert_eq!(dimensions, 12);
    // The worker took the view of kb_expose along.
    let dimensions: Vec<i32> = client.column("SELECT vector_dims(vec) FROM kb_notes.collection", &[]);
    assert_eq!(dimensions, [12; 25]);
}

/// From the local model and back, for a base that was embedded inline.
#[test]
fn a_local_base_changes_to_a_provider_and_back() {
    let (database, mut client) = Database::with_base("notes");
    let mock = Mock::openai();
    client.set_provider("mock", &mock);
    client.insert_notes(1, 30);
    client.run("SELECT kb_configure('notes', model => 'mock/small')");
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
    client.insert_notes(31, 40);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
    client.run("SELECT kb_configure('notes', model => 'fake/test')");
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    kb_rag_cluster_tests::assert_consistent(&mut client, "notes", "kb_notes");
    drop(client);
    drop(database);
}

/// The new provider rejects everything: the old vectors stay in use, the reason is shown, and the change can
/// be canceled.
#[test]
fn a_change_that_fails_can_be_canceled() {
    let database = Database::create();
    let mut client = database.connect();
    let (old, new) = (Mock::openai(), Mock::openai_with_salt("new"));
    client.set_provider("old", &old);
    client.set_provider("new", &new);
    client.create_remote_base("notes", "old/small");
    client.insert_notes(1, 25);
    wait_until_idle(&mut client);
    new.always(Reply::error(401, "no entry"));
    client.run("SELECT kb_configure('notes', model => 'new/small', dimensions => 8)");
    wait_until("the reason", || {
        client.value(
            "SELECT coalesce(paused LIKE '%no entry%', false) FROM kb_rag.status WHERE knowledge_base = 'notes'",
            &[],
        )
    });
    let rows = client
        .query("SELECT content, similarity FROM kb_search('meanwhile', 'notes', 'semantic', 20)", &[])
        .unwrap();
    assert_eq!((rows.len(), model_of(&rows, "meanwhile", &old, &new)), (20, "old"));
    // The old provider embeds new documents.
    client.insert_notes(26, 30);
    wait_until("the new rows' vectors of the old model", || {
        client.value("SELECT count(*) = 30 FROM kb_notes.embedding", &[])
    });
    client.run("SELECT kb_configure('notes', model => 'old/small')");
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &old);
    let tables: i64 = client.value(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relkind = 'r' AND relname LIKE 'embedding%'",
        &[],
    );
    assert_eq!(tables, 1);
}

/// A base of 25 documents with one model, changing to another whose provider rejects the calls selected by
/// `refused`.
fn change_with_refusals(refused: impl Fn(&Call) -> bool + Send + 'static) -> (Database, Client, Mock, Mock) {
    let database = Database::create();
    let mut client = database.connect();
    let (old, new) = (Mock::openai(), Mock::openai_with_salt("new"));
    client.set_provider("old", &old);
    client.set_provider("new", &new);
    client.create_remote_base("notes", "old/small");
    client.insert_notes(1, 25);
    wait_until_idle(&mut client);
    new.when(refused, Reply::error(400, "no"));
    client.run("SELECT kb_configure('notes', model => 'new/small', dimensions => 8)");
    (database, client, old, new)
}

/// The new provider rejects every text: the old vectors stay until the owner decides.
#[test]
fn failed_documents_do_not_lose_their_vectors() {
    let (_database, mut client, old, new) = change_with_refusals(|_| true);
    wait_until("all documents to fail", || {
        client.value("SELECT count(*) FILTER (WHERE failed) = 25 AND count(*) = 25 FROM kb_rag.job", &[])
    });
    // No worker keeps checking whether the change is complete.
    wait_until_no_worker(&mut client);
    assert_eq!(
        status(&mut client).unwrap(),
        "new/small: 0 %, 25 documents could not be embedded: fix or delete them and run kb_retry, or cancel with kb_configure"
    );
    assert_embedded(&mut client, "kb_notes", &old);
    let rows = client
        .query("SELECT content, similarity FROM kb_search('meanwhile', 'notes', 'semantic', 20)", &[])
        .unwrap();
    assert_eq!((rows.len(), model_of(&rows, "meanwhile", &old, &new)), (20, "old"));
    // Documents written in the meantime are embedded with the old model, and complete nothing.
    client.insert_notes(26, 27);
    wait_until("the new rows' vectors of the old model", || {
        client.value("SELECT count(*) = 27 FROM kb_notes.embedding", &[])
    });
    wait_until_no_worker(&mut client);
    assert!(status(&mut client).unwrap().contains(", 27 documents could not be embedded"));
    new.heal();
    assert_eq!(client.value::<i64>("SELECT kb_retry('notes')", &[]), 27);
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &new);
    assert_eq!(counts(&mut client, "kb_notes"), [27, 27, 27]);
}

/// Three documents that the new model rejects: one is deleted, one fixed, one retried.
#[test]
fn a_change_ends_when_failed_documents_are_fixed_or_deleted() {
    let (_database, mut client, old, new) =
        change_with_refusals(|call| ["number 3 ", "number 4 ", "number 5 "].iter().any(|n| call.mentions(n)));
    wait_until("three documents to fail", || {
        status(&mut client).is_some_and(|status| status.starts_with("new/small: 88 %, 3 documents could"))
    });
    wait_until_no_worker(&mut client);
    assert_embedded(&mut client, "kb_notes", &old);
    client.run("DELETE FROM kb_notes.document WHERE source_key = '3'");
    client.run("UPDATE kb_notes.document SET content = 'Mended.' WHERE source_key = '4'");
    wait_until("the vectors of the fixed document", || {
        status(&mut client).is_some_and(|status| status.contains(", 1 document could not be embedded"))
    });
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &old);
    client.run("DELETE FROM kb_notes.document WHERE source_key = '5'");
    client.run("SELECT kb_retry('notes')");
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &new);
    assert_eq!(counts(&mut client, "kb_notes"), [23, 23, 23]);
    assert_nothing_to_reconcile(&mut client, "notes");
}

#[test]
fn a_crash_in_the_middle_of_a_change_repeats_a_batch() {
    let (server, old) = remote_server(&[]);
    let new = Mock::openai_with_salt("new");
    let mut client = server.connect();
    // Not on the command line, because those settings are lost when the server restarts.
    client.run("ALTER SYSTEM SET kb_rag.workers = 1");
    client.run("SELECT pg_reload_conf()");
    wait_until("one worker at most", || {
        client.value("SELECT coalesce(current_setting('kb_rag.workers', true) = '1', false)", &[])
    });
    client.set_provider("new", &new);
    client.insert_notes(1, ROWS);
    wait_until_idle(&mut client);
    let crashes = 2;
    for crash in 0..crashes {
        let held = Gate::new();
        for _ in 0..3 {
            new.next(Reply::right());
        }
        new.next(Reply::right().held(&held));
        if crash == 0 {
            client.run("SELECT kb_configure('notes', model => 'new/small', dimensions => 8)");
        } else {
            client.run("SELECT count(*) FROM kb_list()");
        }
        new.wait_until("a call in the middle", |calls| {
            calls.len() == 4 * (crash + 1) && calls.iter().filter(|call| call.ended.is_none()).count() == 1
        });
        assert_eq!(workers(&mut client).len(), 1);
        server.crash();
        new.wait_until_quiet();
        client = server.connect();
        let rows = client
            .query("SELECT content, similarity FROM kb_search('after a crash', 'notes', 'semantic', 20)", &[])
            .unwrap();
        assert_eq!((rows.len(), model_of(&rows, "after a crash", &old, &new)), (20, "old"));
    }
    new.heal();
    client.run("SELECT count(*) FROM kb_list()");
    wait_until("the end of the change", || status(&mut client).is_none());
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &new);
    let again: usize = (1..=ROWS).map(|n| new.times_sent(&note(n)) - 1).sum();
    println!("{again} texts were sent again for {crashes} crashes");
    assert!(again <= crashes * BATCH, "{again} texts were sent again for {crashes} crashes");
}
