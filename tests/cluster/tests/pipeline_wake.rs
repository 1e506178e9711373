//! Workers run while there is work: as many as are useful, and again after one was terminated.

use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    BATCH, Remote, RemoteSession, assert_embedded, wait_until_idle, without_vector, workers,
};
use kb_rag_cluster_tests::{Database, Session, wait_until};
use postgres::Client;

/// A worker that another has just started may appear in the meantime.
fn terminate_workers(remote: &mut Remote) {
    wait_until("the end of all workers", || {
        let pids = workers(&mut remote.client);
        for pid in &pids {
            remote.client.run(&format!("SELECT pg_terminate_backend({pid})"));
        }
        pids.is_empty()
    });
}

fn wait_until_none_pending(reader: &mut Client) {
    let pending = "SELECT pending FROM kb_rag.status WHERE knowledge_base = 'notes'";
    wait_until("the vectors", || reader.value::<i64>(pending, &[]) == 0);
}

/// A session that has called kb_rag before, and only reads.
#[test]
fn a_reading_session_wakes_a_worker_after_a_termination() {
    let mut remote = Remote::start();
    let mut reader = remote.database.connect();
    reader.run("SELECT count(*) FROM kb_search('anything', 'notes', 'keyword')");
    let gate = remote.in_flight();
    remote.mock.heal();
    terminate_workers(&mut remote);
    gate.open();
    wait_until_none_pending(&mut reader);
    remote.finish();
}

/// A session reads the queue to see whether a worker is needed. A fault of the queue fails neither searches nor their
/// transactions.
#[test]
fn a_search_succeeds_where_no_worker_can_be_woken() {
    let database = Database::create();
    let mut superuser = database.connect();
    superuser.run(
        "SELECT kb_create('notes', model => 'fake/test', dimensions => 8);
         INSERT INTO kb_notes.document (content) VALUES ('A text to find.');
         ALTER TABLE kb_rag.job RENAME TO job_elsewhere",
    );
    wait_until("the end of all workers", || workers(&mut superuser).is_empty());
    for search in [
        "SELECT count(*) FROM kb_search('text', 'notes')",
        "SELECT count(*) FROM kb_list()",
        "SELECT count(*) FROM match_knowledge_chunks((SELECT id FROM kb_rag.knowledge_base), kb_embed('A text to find.', 'fake/test', 8))",
    ] {
        // A session looks at most once a second.
        let mut reader = database.connect();
        reader.run("BEGIN");
        assert_eq!(reader.value::<i64>(search, &[]), 1, "{search}");
        reader.run("CREATE TEMP TABLE written (); COMMIT; SELECT FROM written");
    }
    // The control: the queue cannot be read.
    assert_eq!(superuser.state_of("SELECT kb_retry('notes')", &[]), "42P01");
}

/// Work need not be in the queue.
#[test]
fn a_session_wakes_a_worker_for_each_kind_of_work() {
    let database = Database::create();
    let mut superuser = database.connect();
    superuser.run("SELECT kb_create('notes', model => 'fake/test', dimensions => 8)");
    for (work, end) in [
        (
            "INSERT INTO kb_rag.missed_write SELECT id FROM kb_rag.knowledge_base",
            "DELETE FROM kb_rag.missed_write",
        ),
        (
            "INSERT INTO kb_rag.web_schedule (source_id, next_sync_at) VALUES (gen_random_uuid(), now())",
            "DELETE FROM kb_rag.web_schedule",
        ),
        (
            "INSERT INTO kb_rag.held_job SELECT id, 'embed', gen_random_uuid(), gen_random_uuid() FROM kb_rag.knowledge_base",
            "DELETE FROM kb_rag.held_job",
        ),
        (
            "INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT id, 'merge', id FROM kb_rag.knowledge_base",
            "DELETE FROM kb_rag.job",
        ),
    ] {
        wait_until("the end of all workers", || {
            workers(&mut superuser)
                .iter()
                .for_each(|pid| superuser.run(&format!("SELECT pg_terminate_backend({pid})")));
            workers(&mut superuser).is_empty()
        });
        superuser.run(work);
        // A session looks once a second.
        database.connect().run("SELECT count(*) FROM kb_search('text', 'notes')");
        wait_until(work, || !workers(&mut superuser).is_empty());
        superuser.run(end);
    }
}

/// Few documents occupy one worker: it waits for their provider, and work committed in the meantime gets
/// another worker.
#[test]
fn a_provider_that_hangs_delays_no_other() {
    let mut remote = Remote::start();
    let other = Mock::openai_with_salt("other");
    remote.client.set_provider("other", &other);
    remote.client.create_remote_base("others", "other/small");
    for count in [5, 300] {
        // No success of this provider is known: it gets one worker, however much work there is.
        remote.client.run("TRUNCATE kb_rag.usage; DELETE FROM kb_others.document");
        remote.mock.always(Reply::hang());
        remote.client.insert_notes(1, count);
        remote.mock.wait_until("a call that hangs", |calls| calls.iter().any(|call| call.ended.is_none()));
        remote.client.run(
            "INSERT INTO kb_others.document (content) SELECT 'Text ' || n || ' for the provider that works' FROM generate_series(1, 5) n",
        );
        wait_until("the base whose provider works", || {
            remote
                .client
                .value("SELECT NOT EXISTS (SELECT FROM kb_others.document WHERE status <> 'indexed')", &[])
        });
        assert_embedded(&mut remote.client, "kb_others", &other);
        let hanging = remote.mock.calls().iter().filter(|call| call.ended.is_none()).count();
        assert_eq!(hanging, 1, "unanswered calls for {count} documents");
        remote.mock.heal();
        terminate_workers(&mut remote);
        wait_until_none_pending(&mut remote.client);
        remote.finish();
        remote.client.run("DELETE FROM kb_notes.document");
        remote.mock.forget_calls();
    }
}

/// A hundred documents in ten calls: once the provider has answered, all workers take part.
#[test]
fn small_calls_are_shared_among_the_workers() {
    let mut remote = Remote::start();
    remote.client.insert_notes(500, 500);
    wait_until_idle(&mut remote.client);
    let gate = remote.in_flight();
    remote.client.insert_notes(11, 100);
    remote.mock.wait_until("two calls at once", |calls| {
        calls.iter().filter(|call| call.ended.is_none() && call.texts.len() == BATCH).count() == 2
    });
    remote.land(&gate);
}

/// A table owner's code releases the worker's place; there are never more workers than allowed.
#[test]
fn a_worker_that_lost_its_place_takes_it_again() {
    let mut remote = Remote::start();
    remote.client.run(
        "CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_unlock_all(); RETURN NULL; END $$;
         CREATE TRIGGER give_up AFTER INSERT ON kb_notes.embedding FOR EACH STATEMENT EXECUTE FUNCTION give_up()",
    );
    let mut max = 0;
    for n in 1..=40 {
        remote.client.insert_notes(n, n);
        wait_until("its vector", || {
            max = max.max(workers(&mut remote.client).len());
            without_vector(&mut remote.client, "kb_notes") == 0
        });
    }
    // Two, and those that just found their place taken.
    assert!(max <= 4, "{max} workers");
    remote.finish();
}
