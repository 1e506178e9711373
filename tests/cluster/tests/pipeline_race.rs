//! A writing session is never affected by a worker that embeds the same documents: no error, and exactly one
//! correct vector per chunk.

use kb_rag_cluster_tests::pipeline::{Notices, PLACES, Remote, wait_until_idle, without_vector};
use kb_rag_cluster_tests::{
    Database, Outcome, Point, Session, assert_consistent, counts, wait_until, wait_until_waiting_or_ended,
};
use postgres::Client;

/// A text of some chunks, different for each number.
fn text(number: usize) -> String {
    format!(
        "(SELECT string_agg('Sentence ' || n || ' of text {number} speaks about subject ' || n * 7 || '. ', E'\\n\\n')
          FROM generate_series(1, 12) n)"
    )
}

/// The kinds of [`queue`] and [`write`].
const KINDS: usize = 10;
/// The kinds of [`write`] that write vectors.
const EMBEDDING: [usize; 8] = [0, 1, 2, 3, 4, IMPORT, 8, REBUILD];
/// The kind that locks the tables of the base.
const REBUILD: usize = 6;
/// The kind whose documents are imported, with vectors that are given.
const IMPORT: usize = 7;
const IMPORTING: &str = r#"SELECT kb_import('notes', 'old_chunks', '{"content": "body", "embedding": "vec", "document": "page"}')"#;

/// The statement that leaves something to embed to the workers.
fn queue(kind: usize, number: usize) -> String {
    match kind {
        3 => format!("INSERT INTO articles VALUES ({number}, {})", text(number)),
        IMPORT => {
            format!(
                "{IMPORTING};
                 UPDATE kb_notes.document SET imported = false, content = content || ' Changed.' WHERE source_type = 'import'"
            )
        }
        _ => format!(
            "INSERT INTO kb_notes.document (source_key, content) VALUES ('d{number}', {})",
            text(number)
        ),
    }
}

/// The statement of a writer that writes the same, and embeds it itself.
fn write(kind: usize, number: usize) -> String {
    let changed = format!("{} || E'\\n\\nOne more paragraph.'", text(number));
    match kind {
        0 => format!("INSERT INTO kb_notes.document (source_key, content) VALUES ('new {number}', {changed})"),
        1 => format!("UPDATE kb_notes.document SET content = content || E'\\n\\nOne more.' WHERE source_key = 'd{number}'"),
        2 => format!("SELECT kb_add('notes', {changed}, source_key => 'd{number}')"),
        3 => format!("UPDATE articles SET body = body || E'\\n\\nOne more.' WHERE id = {number}"),
        4 => format!(
            "INSERT INTO kb_notes.document (source_key, source_type, content) VALUES ('d{number}', 'document', {changed})
             ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content"
        ),
        5 => "SELECT kb_reconcile('notes')".to_string(),
        REBUILD => format!("SELECT kb_configure('notes', chunk_size => {})", 201 + number / KINDS % 2),
        IMPORT => IMPORTING.to_string(),
        8 => format!("SELECT kb_refresh(id, 'notes') FROM kb_notes.document WHERE source_key = 'd{number}'"),
        9 => format!("SELECT kb_delete(id, 'notes') FROM kb_notes.document WHERE source_key = 'd{number}'"),
        _ => unreachable!("there are {KINDS} kinds"),
    }
}

/// A base whose work is done by `CALL kb_work` alone.
struct Race {
    database: Database,
    /// Leaves all vectors to the workers.
    queuing: Client,
    /// How many rounds were run.
    rounds: usize,
}

impl Race {
    fn start() -> Race {
        let database = Database::create();
        database.set("kb_rag.workers", "0");
        let mut queuing = database.connect();
        queuing.create_base("notes");
        queuing.run(
            "CREATE TABLE articles (id int PRIMARY KEY, body text);
             SELECT kb_attach('articles', 'notes', content => 'body');
             CREATE TABLE old_chunks (page text, body text, vec vector(8));
             INSERT INTO old_chunks SELECT 'page', 'An imported chunk.', kb_embed('An imported chunk.', 'fake/test', 8);
             SET kb_rag.inline_chunks = 0",
        );
        Race { database, queuing, rounds: 0 }
    }

    /// Queues work of a kind; returns the writer's statement.
    fn begin(&mut self, kind: usize) -> String {
        let number = self.rounds * KINDS + kind;
        self.queuing.run(&queue(kind, number));
        write(kind, number)
    }

    /// A session that works, and what it is told.
    fn worker(&self) -> (Client, Notices) {
        self.database.connect_listening("postgres")
    }

    /// Checks that everything follows from its documents. Imported ones are complete, but not what their text gives.
    fn end_round(&mut self) {
        self.rounds += 1;
        self.queuing.run("CALL kb_work(20)");
        wait_until_idle(&mut self.queuing);
        self.queuing.run("DELETE FROM kb_notes.document WHERE source_type = 'import'");
        assert_consistent(&mut self.queuing, "notes", "kb_notes");
    }
}

/// In every place where a worker has read what to embed and has not written all of it, the writer comes in between.
#[test]
fn a_writer_never_notices_a_worker() {
    let mut race = Race::start();
    for place in PLACES {
        for kind in 0..KINDS {
            let (mut writer, (mut worker, notices)) = (race.database.connect(), race.worker());
            writer.run("SET lock_timeout = '20 s'");
            let (sql, pid) = (race.begin(kind), writer.pid());
            let mut point = Point::hold(&race.database, place);
            worker.run(&point.setting());
            notices.take();
            let working = Outcome::spawn(worker, "CALL kb_work(20)");
            point.wait_for(1);
            let writing = Outcome::spawn(writer, &sql);
            wait_until_waiting_or_ended(&mut race.queuing, pid, &writing);
            point.open();
            let states = [writing.join().unwrap().state, working.join().unwrap().state];
            assert_eq!(states, ["00000", "00000"], "{place}: {sql}");
            assert_eq!(notices.take(), Vec::<String>::new(), "{place}: {sql}");
        }
        race.end_round();
    }
}

/// The writer has found chunks without a vector; before it writes the vectors a worker does, or tries to.
#[test]
fn a_worker_never_notices_a_writer() {
    let mut race = Race::start();
    for kind in EMBEDDING {
        let (mut writer, (worker, notices)) = (race.database.connect(), race.worker());
        let sql = race.begin(kind);
        let mut point = Point::hold(&race.database, "ingest.before_vectors");
        writer.run(&point.setting());
        notices.take();
        let writing = Outcome::spawn(writer, &sql);
        point.wait_for(1);
        // Documents that the writer has locked are left to the writer.
        let worked = Outcome::spawn(worker, "CALL kb_work(0)").join().unwrap();
        assert_eq!(worked.state, "00000", "{sql}");
        let told = notices.take();
        let is_locked = |told: &String| told.starts_with("a table of knowledge base \"notes\" is locked");
        assert_eq!(
            told.iter().filter(|told| kind != REBUILD || !is_locked(told)).count(),
            0,
            "{sql}: {told:?}"
        );
        point.open();
        assert_eq!(writing.join().unwrap().state, "00000", "{sql}");
    }
    race.end_round();
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

/// A writer has a document whose vectors are complete: the worker leaves the end of its job for later.
#[test]
fn a_worker_does_not_wait_to_complete_a_document() {
    let mut race = Race::start();
    race.begin(1);
    let mut point = Point::hold(&race.database, "embed.before_end");
    let (mut worker, notices) = race.worker();
    worker.run(&point.setting());
    notices.take();
    let working = Outcome::spawn(worker, "CALL kb_work(0)");
    point.wait_for(1);
    assert_eq!(without_vector(&mut race.queuing, "kb_notes"), 0);
    let mut writer = race.database.connect();
    writer.run("BEGIN; UPDATE kb_notes.document SET metadata = '{\"a\": 1}'");
    point.open();
    assert_eq!(working.join().unwrap().state, "00000");
    assert_eq!(notices.take(), Vec::<String>::new());
    let waits: String = race
        .queuing
        .value("SELECT concat(count(*), ' ', min(error)) FROM kb_rag.job WHERE kind = 'embed'", &[]);
    assert_eq!(waits, "1 ", "the job is left without an error");
    writer.run("COMMIT");
    race.end_round();
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
