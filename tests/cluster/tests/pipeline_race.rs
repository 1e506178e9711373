//! A writing session is never affected by a worker that embeds the same documents: no error, and exactly one
//! correct vector per chunk.

use kb_rag_cluster_tests::pipeline::{Remote, wait_until_idle, without_vector};
use kb_rag_cluster_tests::{Database, Session, assert_consistent, counts, wait_until};
use postgres::Client;

/// How often the race is run.
const ROUNDS: i32 = 200;

/// A text of many chunks, different for each number.
fn text(number: i32) -> String {
    format!(
        "(SELECT string_agg('Sentence ' || n || ' of text {number} speaks about subject ' || n * 7 || '. ', E'\\n\\n')
          FROM generate_series(1, 60) n)"
    )
}

/// The statement of a writer while a worker embeds document `number` of the base.
fn write(round: i32) -> String {
    let changed = format!("{} || E'\\n\\nOne more paragraph.'", text(round));
    match round % 10 {
        0 => format!("INSERT INTO kb_notes.document (source_key, content) VALUES ('new {round}', {changed})"),
        1 => format!("UPDATE kb_notes.document SET content = content || E'\\n\\nOne more.' WHERE source_key = 'd{round}'"),
        2 => format!("SELECT kb_add('notes', {changed}, source_key => 'd{round}')"),
        3 => format!("UPDATE articles SET body = body || E'\\n\\nOne more.' WHERE id = {round}"),
        4 => format!(
            "INSERT INTO kb_notes.document (source_key, source_type, content) VALUES ('d{round}', 'document', {changed})
             ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content"
        ),
        5 => "SELECT kb_reconcile('notes')".to_string(),
        6 => format!("SELECT kb_configure('notes', chunk_size => {})", 200 + round % 3),
        7 => "SELECT kb_import('notes', 'old_chunks', '{\"content\": \"body\", \"embedding\": \"vec\", \"document\": \"page\"}')"
            .to_string(),
        8 => format!("SELECT kb_refresh(id, 'notes') FROM kb_notes.document WHERE source_key = 'd{round}'"),
        _ => format!("SELECT kb_delete(id, 'notes') FROM kb_notes.document WHERE source_key = 'd{round}'"),
    }
}

#[test]
fn a_writer_never_notices_a_worker() {
    let database = Database::create();
    let mut queuing = database.connect();
    queuing.create_base("notes");
    queuing.run(
        "CREATE TABLE articles (id int PRIMARY KEY, body text);
         SELECT kb_attach('articles', 'notes', content => 'body');
         CREATE TABLE old_chunks (page text, body text, vec vector(8));
         INSERT INTO old_chunks SELECT 'page', 'An imported chunk.', kb_embed('An imported chunk.', 'fake/test', 8);
         SET kb_rag.inline_chunks = 0",
    );
    let mut writing = database.connect();
    for round in 0..ROUNDS {
        // A worker embeds what is queued here, while the other session writes the same and embeds it itself.
        let sql = match round % 10 {
            3 => format!("INSERT INTO articles VALUES ({round}, {})", text(round)),
            7 => "UPDATE kb_notes.document SET imported = false WHERE source_type = 'import'".to_string(),
            _ => format!(
                "INSERT INTO kb_notes.document (source_key, content) VALUES ('d{round}', {})",
                text(round)
            ),
        };
        queuing.run(&sql);
        writing.run(&write(round));
        if round % 25 == 24 {
            check(&mut queuing);
        }
    }
    check(&mut queuing);
}

/// Checks that everything follows from its documents, and that imported documents are complete.
fn check(client: &mut Client) {
    wait_until_idle(client);
    client.run("DELETE FROM kb_notes.document WHERE source_type = 'import'");
    assert_consistent(client, "notes", "kb_notes");
    client.run("DELETE FROM kb_notes.document WHERE source_id IS NULL; DELETE FROM articles");
}

/// Stops a writer between its search for chunks without a vector and its writing of vectors, while
/// `meanwhile` runs.
fn assert_writer_is_unaffected(
    client: &mut Client,
    database: &Database,
    meanwhile: impl FnOnce(&mut Client),
) {
    client.run(
        "CREATE FUNCTION kb_notes.gate() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END $$;
         CREATE TRIGGER gate BEFORE INSERT ON kb_notes.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_notes.gate();
         SELECT pg_advisory_lock(4711)",
    );
    let mut writer = database.connect();
    let pid = writer.pid();
    let writing = std::thread::spawn(move || {
        writer.run("UPDATE kb_notes.document SET content = content || E'\\n\\n' || repeat('Another paragraph. ', 12)");
    });
    kb_rag_cluster_tests::wait_for_lock(client, pid);
    meanwhile(client);
    client.run("SELECT pg_advisory_unlock(4711)");
    assert!(writing.join().is_ok(), "the writer failed");
    client.run("DROP FUNCTION kb_notes.gate() CASCADE");
}

#[test]
fn a_worker_skips_documents_that_are_being_written() {
    let database = Database::create();
    let mut client = database.connect();
    client.create_base("notes");
    client.run(&format!("ALTER DATABASE {} SET kb_rag.workers = 0", database.name()));
    client.run(&format!(
        "SET kb_rag.inline_chunks = 0; INSERT INTO kb_notes.document (content) VALUES ({})",
        text(1)
    ));
    assert_eq!(counts(&mut client, "kb_notes")[2], 0);
    let mut working = database.connect();
    assert_writer_is_unaffected(&mut client, &database, |client| {
        working.run("CALL kb_work(0)");
        // Sessions other than workers may write a vector too.
        client.run(
            "INSERT INTO kb_notes.embedding SELECT id, kb_embed(content, 'fake/test', 8, 'document') FROM kb_notes.chunk LIMIT 5",
        );
    });
    client.run("CALL kb_work(5)");
    assert_consistent(&mut client, "notes", "kb_notes");
}

/// The same where the worker waits for its provider in the meantime: the vector that was paid for is written
/// when the writer has finished.
#[test]
fn vectors_that_were_paid_for_survive_a_writer() {
    let mut remote = Remote::start();
    let gate = remote.in_flight();
    let mut writer = remote.database.connect();
    writer.run("BEGIN; UPDATE kb_notes.document SET metadata = '{\"a\": 1}'");
    gate.open();
    remote.mock.heal();
    remote.mock.wait_until("the end of the call", |calls| calls.iter().all(|call| call.ended.is_some()));
    // The worker records the call in the transaction of its first attempt to write. A worker that waited for the writer
    // would fail, record the call afterwards, and have to call again.
    wait_until("the end of the first attempt to write", || {
        remote.client.value("SELECT EXISTS (SELECT FROM kb_rag.usage_daily)", &[])
    });
    assert_eq!(without_vector(&mut remote.client, "kb_notes"), 10);
    writer.run("COMMIT");
    remote.finish();
    assert_eq!(remote.mock.calls().len(), 1, "paid for once");
}

/// A snapshot older than the worker's writes: a chunk that the worker has embedded since is not embedded
/// again.
#[test]
fn a_writer_with_an_old_snapshot_leaves_vectors_of_old_chunks_to_workers() {
    let database = Database::create();
    let mut client = database.connect();
    client.create_base("notes");
    client.run(&format!("ALTER DATABASE {} SET kb_rag.workers = 0", database.name()));
    client.run(&format!(
        "SET kb_rag.inline_chunks = 0; INSERT INTO kb_notes.document (content) VALUES ({})",
        text(1)
    ));
    let mut old = database.connect();
    old.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kb_notes.embedding");
    client.run(
        "INSERT INTO kb_notes.embedding SELECT id, kb_embed(content, 'fake/test', 8, 'document') FROM kb_notes.chunk",
    );
    // A paragraph that is a chunk of its own. If a chunk were deleted, PostgreSQL would refuse to delete a
    // vector that the snapshot does not see.
    old.run("UPDATE kb_notes.document SET content = content || E'\\n\\n' || repeat('Another paragraph. ', 10); COMMIT");
    client.run("CALL kb_work(5)");
    wait_until("no job", || client.value("SELECT NOT EXISTS (SELECT FROM kb_rag.job)", &[]));
    assert_consistent(&mut client, "notes", "kb_notes");
}
