//! Locks, settings and triggers on one base do not affect the workers' other bases.

use kb_rag_cluster_tests::mock::{DIMENSIONS, Gate, Reply};
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_embedded, paused, wait_until_idle, wait_until_no_worker, wait_until_paused,
    without_vector,
};
use kb_rag_cluster_tests::{Database, Session, sqlstate, wait_until};

#[test]
fn a_locked_base_is_skipped() {
    let mut remote = Remote::start();
    remote.client.create_remote_base("theirs", "mock/small");
    let mut theirs = remote.database.connect();
    theirs.run("BEGIN; SELECT kb_add('theirs', 'A text.'); COMMIT; BEGIN; LOCK TABLE kb_theirs.document IN SHARE MODE");
    // Work is queued while the table is locked, which a writer could not do.
    remote.client.run(
        "DELETE FROM kb_theirs.embedding; INSERT INTO kb_rag.job (knowledge_base_id, kind, target)
             SELECT k.id, 'embed', d.id FROM kb_rag.knowledge_base k, kb_theirs.document d WHERE k.name = 'theirs'",
    );
    for n in 1..=20 {
        remote.client.insert_notes(n, n);
        wait_until("the other base's vector", || without_vector(&mut remote.client, "kb_notes") == 0);
    }
    assert_eq!(without_vector(&mut remote.client, "kb_theirs"), 1);
    theirs.run("COMMIT");
    wait_until_idle(&mut remote.client);
    assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
}

/// A transaction that has searched and stays open delays the new model, but no other base for long.
#[test]
fn a_new_model_that_waits_for_readers_does_not_delay_others() {
    let mut remote = Remote::start();
    remote.client.insert_notes(1, 20);
    wait_until_idle(&mut remote.client);
    let search = "SELECT count(*) FROM kb_search('Passage number 7', 'notes', 'semantic', 5)";
    let mut reader = remote.database.connect();
    reader.run("BEGIN");
    assert_eq!(reader.value::<i64>(search, &[]), 5);
    let change = format!("SELECT kb_configure('notes', model => 'mock/other', dimensions => {DIMENSIONS})");
    remote.client.run(&change);
    wait_until("a worker that waited for the reader", || {
        paused(&mut remote.client).is_some_and(|reason| reason.starts_with("change for"))
    });
    // Each may encounter a worker that waits, for a second. Without a limit on that they would wait for the reader.
    remote.client.run("SET statement_timeout = '30 s'");
    for n in 21..=25 {
        assert_eq!(remote.client.value::<i64>(search, &[]), 5);
        remote.client.insert_notes(n, n);
    }
    reader.run("COMMIT");
    wait_until("the new model", || {
        remote
            .client
            .value("SELECT model = 'mock/other' FROM kb_rag.status WHERE knowledge_base = 'notes'", &[])
    });
    remote.finish();
    assert_eq!(paused(&mut remote.client), None);
}

/// A session setting made by an owner's trigger ends with the statement on that table.
#[test]
fn settings_of_a_trigger_do_not_outlive_it() {
    let mut remote = Remote::start();
    remote.client.create_remote_base("theirs", "mock/small");
    remote.client.run(
        "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             PERFORM set_config('search_path', 'kb_theirs, pg_catalog', false);
             PERFORM set_config('default_transaction_read_only', 'on', false);
             RETURN NULL;
         END $$;
         CREATE TRIGGER spoil_document AFTER INSERT ON kb_theirs.document FOR EACH STATEMENT EXECUTE FUNCTION spoil();
         CREATE TRIGGER spoil_embedding AFTER INSERT ON kb_theirs.embedding FOR EACH STATEMENT EXECUTE FUNCTION spoil()",
    );
    remote.client.run("SELECT kb_add('theirs', 'A text.')");
    for (name, value) in [("search_path", "\"$user\", public"), ("default_transaction_read_only", "off")] {
        assert_eq!(remote.client.value::<String>(&format!("SHOW {name}"), &[]), value);
    }
    wait_until_idle(&mut remote.client);
    assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
    remote.client.insert_notes(1, 5);
    remote.finish();
}

/// A trigger removes vectors that were paid for: they are requested again now and then, not continuously, and
/// the reason is visible.
#[test]
fn vectors_that_are_not_kept_are_not_requested_continuously() {
    let mut remote = Remote::start();
    remote.client.run(
        "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER lose BEFORE INSERT ON kb_notes.embedding FOR EACH ROW EXECUTE FUNCTION lose()",
    );
    remote.client.insert_notes(1, 1);
    wait_until("two attempts", || {
        remote.client.value("SELECT coalesce(max(attempts), 0) >= 2 FROM kb_rag.failed", &[])
    });
    let (calls, attempts) = (
        remote.mock.calls().len(),
        remote.client.value::<i32>("SELECT max(attempts) FROM kb_rag.failed", &[]),
    );
    assert!(calls <= attempts as usize + 2, "{calls} calls in {attempts} attempts");
    let reason: String = remote.client.value("SELECT reason FROM kb_rag.failed", &[]);
    assert_eq!(reason, "a vector that was written is not in the table");
    remote.client.run("DROP TRIGGER lose ON kb_notes.embedding; SELECT kb_retry('notes')");
    remote.finish();
}

/// A base whose schema was dropped in the middle of a change gives a worker nothing to do.
#[test]
fn a_dropped_base_occupies_no_worker() {
    let mut remote = Remote::start();
    remote.client.insert_notes(1, 20);
    wait_until_idle(&mut remote.client);
    let gate = Gate::new();
    remote.mock.always(Reply::right().held(&gate));
    remote
        .client
        .run(&format!("SELECT kb_configure('notes', model => 'mock/other', dimensions => {DIMENSIONS})"));
    remote
        .mock
        .wait_until("a call for the new model", |calls| calls.iter().any(|call| call.model == "other"));
    remote.client.run("SET client_min_messages = error; DROP SCHEMA kb_notes CASCADE");
    gate.open();
    remote.mock.heal();
    wait_until_no_worker(&mut remote.client);
}

/// A worker stays while work is due later, as after a call that failed; not for a base that is gone.
#[test]
fn a_dropped_base_whose_work_is_due_later_occupies_no_worker() {
    let mut remote = Remote::start();
    remote.mock.always(Reply::error(503, "busy"));
    remote.client.insert_notes(1, 10);
    wait_until_paused(&mut remote.client);
    remote.client.run("UPDATE kb_rag.pause SET until = now() + interval '1 hour'");
    remote.client.run("UPDATE kb_rag.job SET due_at = now() + interval '1 hour'");
    remote.client.run("SET client_min_messages = error; DROP SCHEMA kb_notes CASCADE");
    wait_until_no_worker(&mut remote.client);
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.job", &[]), 0);
}

/// As left by a DELETE that fired no trigger: the chunk is not embedded, and nothing waits for it.
#[test]
fn a_chunk_without_its_document_does_not_block_a_change() {
    let mut remote = Remote::start();
    remote.client.insert_notes(1, 20);
    wait_until_idle(&mut remote.client);
    remote.client.run("SET session_replication_role = replica");
    remote.client.run("DELETE FROM kb_notes.document WHERE source_key = '7'");
    remote.client.run("RESET session_replication_role");
    remote
        .client
        .run(&format!("SELECT kb_configure('notes', model => 'mock/other', dimensions => {DIMENSIONS})"));
    wait_until("the new model", || {
        remote
            .client
            .value("SELECT model = 'mock/other' FROM kb_rag.status WHERE knowledge_base = 'notes'", &[])
    });
    wait_until_idle(&mut remote.client);
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_notes.embedding", &[]), 19);
}

/// A different change while one is in progress, and back: nothing is left of either.
#[test]
fn a_canceled_change_leaves_nothing_behind() {
    let mut remote = Remote::start();
    remote.client.insert_notes(1, 40);
    wait_until_idle(&mut remote.client);
    for _ in 0..5 {
        for (model, dimensions) in [("other", 8), ("another", 16), ("other", 4)] {
            remote.client.run(&format!(
                "SELECT kb_configure('notes', model => 'mock/{model}', dimensions => {dimensions})"
            ));
        }
        remote
            .client
            .run(&format!("SELECT kb_configure('notes', model => 'mock/small', dimensions => {DIMENSIONS})"));
        remote.client.run("SELECT kb_configure('notes', dimensions => 16)");
        // Setting the dimensions in use cancels the change, just as setting the model does.
        remote.client.run(&format!("SELECT kb_configure('notes', dimensions => {DIMENSIONS})"));
        let change: Option<String> =
            remote.client.value("SELECT model_change FROM kb_rag.status WHERE knowledge_base = 'notes'", &[]);
        assert_eq!(change, None);
    }
    remote.finish();
    let tables: i64 = remote.client.value(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relkind = 'r' AND relname LIKE 'embedding%'",
        &[],
    );
    assert_eq!(tables, 1);
}

/// A worker that waits for a row of the user's, in a trigger of theirs, while it holds what they want next.
#[test]
fn a_worker_in_a_deadlock_gives_way_to_the_user() {
    let (database, mut client) = Database::with_base("notes");
    client.run(
        "CREATE TABLE item (id int PRIMARY KEY, body text);
         INSERT INTO item SELECT n, 'Item ' || n FROM generate_series(1, 600) n;
         CREATE TABLE counter AS SELECT 0 AS documents;
         CREATE FUNCTION count_documents() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN UPDATE public.counter SET documents = documents + 1; RETURN NULL; END $$;
         CREATE TRIGGER count_documents AFTER INSERT ON kb_notes.document
             FOR EACH ROW WHEN (NEW.source_key::int > 500) EXECUTE FUNCTION count_documents()",
    );
    let mut user = database.connect();
    user.run("SET deadlock_timeout = '900ms'; BEGIN; UPDATE counter SET documents = 0");
    // The call reads the first 50 rows itself.
    client.run("SELECT kb_attach('item', 'notes', 'body')");
    wait_until("a worker that waits for the counter", || {
        client.value(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                 AND backend_type = 'kb_rag worker' AND wait_event_type = 'Lock')",
            &[],
        )
    });
    let updated = user.batch_execute("UPDATE item SET body = 'Mine ' || id WHERE id > 500; COMMIT");
    assert_eq!(sqlstate(&updated), "00000", "{updated:?}");
    wait_until_idle(&mut client);
    let indexed: i64 = client.value(
        "SELECT count(*) FROM kb_notes.document WHERE content LIKE 'Mine %' AND status = 'indexed'",
        &[],
    );
    assert_eq!(indexed, 100);
}
