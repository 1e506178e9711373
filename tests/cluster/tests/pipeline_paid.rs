//! No text is paid for endlessly: whatever an owner's triggers do to rows, a text is sent at most eight times
//! until something is changed.

use std::collections::HashMap;

use kb_rag_cluster_tests::pipeline::{Remote, assert_embedded, wait_until_no_worker};
use kb_rag_cluster_tests::{Session, wait_until};

/// The most times that a text may be sent.
const MAX_SENDS: usize = 8;

/// A trigger function on `embedding`, and how many calls may be made in total: one for each new text if the
/// trigger changes the text.
struct Trap {
    name: &'static str,
    body: &'static str,
    timing: &'static str,
    max_calls: usize,
}

const fn trap(name: &'static str, timing: &'static str, body: &'static str) -> Trap {
    Trap { name, body, timing, max_calls: 8 }
}

const AFTER: &str = "AFTER INSERT ON kb_notes.embedding";

const TRAPS: [Trap; 14] = [
    trap("deletes the vector", AFTER, "DELETE FROM kb_notes.embedding WHERE chunk_id = NEW.chunk_id"),
    // Three chunks in three calls per attempt.
    Trap {
        name: "deletes the other vectors",
        timing: AFTER,
        body: "DELETE FROM kb_notes.embedding WHERE chunk_id <> NEW.chunk_id",
        max_calls: 24,
    },
    trap(
        "replaces the chunk",
        AFTER,
        "INSERT INTO kb_notes.chunk SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
             FROM kb_notes.chunk c WHERE c.id = NEW.chunk_id;
         DELETE FROM kb_notes.chunk WHERE id = NEW.chunk_id",
    ),
    trap(
        "adds a chunk",
        AFTER,
        "INSERT INTO kb_notes.chunk SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
             FROM kb_notes.chunk c WHERE c.id = NEW.chunk_id",
    ),
    Trap {
        name: "changes the text",
        timing: AFTER,
        body: "UPDATE kb_notes.document d SET content = content || ' more' FROM kb_notes.chunk c
             WHERE c.id = NEW.chunk_id AND d.id = c.document_id",
        max_calls: 30,
    },
    Trap {
        name: "adds a document",
        timing: AFTER,
        body: "INSERT INTO kb_notes.document (content) VALUES ('Another text ' || gen_random_uuid())",
        max_calls: 30,
    },
    Trap {
        name: "changes the title of what is indexed",
        timing: "AFTER UPDATE ON kb_notes.document",
        body: "IF NEW.status = 'indexed' AND OLD.status <> 'indexed' THEN
                 UPDATE kb_notes.document SET title = coalesce(title, '') || 'x' WHERE id = NEW.id; END IF",
        max_calls: 30,
    },
    trap("keeps the vector away", "BEFORE INSERT ON kb_notes.embedding", "RETURN NULL"),
    trap("raises 40001", AFTER, "RAISE EXCEPTION 'trap' USING ERRCODE = '40001'"),
    trap("raises 40P01", AFTER, "RAISE EXCEPTION 'trap' USING ERRCODE = '40P01'"),
    trap("raises 55P03", AFTER, "RAISE EXCEPTION 'trap' USING ERRCODE = '55P03'"),
    trap("raises 57014", AFTER, "RAISE EXCEPTION 'trap' USING ERRCODE = '57014'"),
    trap("raises P0001", AFTER, "RAISE EXCEPTION 'trap'"),
    trap("takes long", AFTER, "PERFORM pg_sleep(10)"),
];

/// Three chunks of one document, and one of another.
const DOCUMENTS: &str = "INSERT INTO kb_notes.document (source_key, content) VALUES
    ('long', repeat('The first part. ', 12) || E'\\n\\n' || repeat('The second part. ', 11) || E'\\n\\n' || repeat('The third part. ', 11)),
    ('short', 'A short text.')";

fn assert_is_bounded(trap: &Trap) {
    let mut remote = Remote::start();
    remote.client.run(&format!(
        "ALTER DATABASE {0} SET kb_rag.workers = 0;
         ALTER DATABASE {0} SET kb_rag.worker_statement_timeout = '100 ms'",
        remote.database.name()
    ));
    // The trap belongs to another role, and no session cancels it.
    let owner = remote.database.create_owner("owner");
    remote.client.run("SELECT kb_drop('notes')");
    remote.client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    wait_until_no_worker(&mut remote.client);
    let mut as_owner = remote.database.connect_as(&owner);
    as_owner.run(
        "SELECT kb_create('notes', model => 'mock/small', dimensions => 8, chunk_size => 200, chunk_overlap => 0,
             chunk_strategy => 'text')",
    );
    as_owner.run(&format!(
        "CREATE FUNCTION kb_notes.trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {}; RETURN NULL; END $$;
         CREATE TRIGGER trap {} FOR EACH ROW EXECUTE FUNCTION kb_notes.trap()",
        trap.body, trap.timing
    ));
    as_owner.run(DOCUMENTS);
    let mut superuser = remote.database.connect();
    // Skips all waiting: jobs that wait for another attempt become due, and every pause is short.
    wait_until(trap.name, || {
        superuser.run(
            "UPDATE kb_rag.job SET due_at = clock_timestamp() WHERE worker IS NULL; DELETE FROM kb_rag.pause",
        );
        superuser.run("CALL kb_work(0)");
        let calls = remote.mock.calls();
        let mut sent: HashMap<&str, usize> = HashMap::new();
        for text in calls.iter().flat_map(|call| &call.texts) {
            *sent.entry(text).or_default() += 1;
        }
        let max = sent.values().max().copied().unwrap_or(0);
        assert!(max <= MAX_SENDS, "{}: a text was sent {max} times", trap.name);
        // If the texts differ each time, each generation is sent some times.
        assert!(calls.len() <= trap.max_calls * 2, "{}: {} calls", trap.name, calls.len());
        superuser.value("SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE NOT failed)", &[])
    });
    println!("{}: {} calls", trap.name, remote.mock.calls().len());
    assert!(!remote.mock.calls().is_empty(), "{}: nothing was sent", trap.name);

    // After a change the work continues, and succeeds.
    as_owner.run("DROP FUNCTION kb_notes.trap() CASCADE");
    as_owner.run("SELECT kb_retry('notes'); SELECT kb_reconcile('notes')");
    superuser.run("DELETE FROM kb_rag.pause");
    superuser.run("CALL kb_work(10)");
    assert_embedded_whatever_the_title(&mut remote);
}

fn assert_embedded_whatever_the_title(remote: &mut Remote) {
    remote.client.run("UPDATE kb_notes.document SET title = NULL WHERE title IS NOT NULL");
    remote.client.run("CALL kb_work(10)");
    assert_embedded(&mut remote.client, "kb_notes", &remote.mock);
}

#[test]
fn whatever_triggers_do_to_rows_a_text_is_sent_at_most_eight_times() {
    TRAPS.iter().for_each(assert_is_bounded);
}

/// A document whose trigger fails costs the other documents of its batch nothing: their vectors are stored.
#[test]
fn a_document_that_cannot_be_written_costs_the_others_nothing() {
    let mut remote = Remote::start();
    remote.client.run(
        "CREATE FUNCTION kb_notes.trap() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF (SELECT content LIKE '%number 3 of%' FROM kb_notes.chunk WHERE id = NEW.chunk_id) THEN RAISE EXCEPTION 'not this one'; END IF;
             RETURN NULL;
         END $$;
         CREATE TRIGGER trap AFTER INSERT ON kb_notes.embedding FOR EACH ROW EXECUTE FUNCTION kb_notes.trap();
         INSERT INTO kb_notes.document (source_key, content)
         SELECT n, 'Passage number ' || n || ' of the notes.' FROM generate_series(1, 10) n",
    );
    wait_until("nine documents", || {
        remote.client.value("SELECT count(*) = 9 FROM kb_notes.document WHERE status = 'indexed'", &[])
    });
    let calls = remote.mock.calls();
    for number in (1..=10).filter(|number| *number != 3) {
        let text = format!("Passage number {number} of the notes.");
        let sent = calls.iter().flat_map(|call| &call.texts).filter(|sent| **sent == text).count();
        assert_eq!(sent, 1, "{text}");
    }
    let reasons: Vec<String> = remote.client.column("SELECT reason FROM kb_rag.failed", &[]);
    assert_eq!(reasons, ["not this one"]);
    remote.client.run("DROP TRIGGER trap ON kb_notes.embedding; SELECT kb_retry('notes')");
    remote.finish();
}
