//! The IVFFlat index that workers build: beside searches and writers, and what becomes of it in a dump.

use std::process::Stdio;

use kb_rag_cluster_tests::pipeline::{paused, wait_until_idle};
use kb_rag_cluster_tests::{Database, Outcome, Session, client_program, wait_for_lock, wait_until};
use postgres::Client;

const SEARCH: &str =
    "SELECT count(*) FROM kb_search('', 'notes', 'semantic', 5, query_embedding => '[1,0,0,0,0,0,0,0]')";

/// An empty base whose method is IVFFlat.
fn base() -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    client.run("SELECT kb_create('notes', model => 'fake/test', dimensions => 8, index_method => 'ivfflat')");
    (database, client)
}

/// Adds documents of one chunk each with vectors, without triggers, and one that is written as usual.
fn add(client: &mut Client, count: i32) {
    client.run(&format!(
        "SET session_replication_role = replica;
         WITH text AS MATERIALIZED (SELECT kb_rag.uuid_v7() AS id, n FROM generate_series(1, {count}) n), document AS (
             INSERT INTO kb_notes.document (id, content, content_hash, status) SELECT id, 'x', sha256('x'), 'indexed' FROM text
         ), chunk AS (
             INSERT INTO kb_notes.chunk (id, document_id, length, tsv, text_config, ordinal, start_char, end_char, source_type, content,
                 metadata, content_hash)
             SELECT id, id, 1, '', 'pg_catalog.simple', 0, 0, 1, 'document', 'x', '{{}}', '' FROM text
         )
         INSERT INTO kb_notes.embedding SELECT id, ARRAY[cos(n), sin(n), cos(n * 7.3), sin(n * 7.3), 0, 0, cos(n / 7.0), 1]::real[] FROM text;
         RESET session_replication_role"
    ));
    client.run("SELECT kb_add('notes', 'One that is written as usual.')");
}

/// The lists of the IVFFlat indexes of the base.
fn lists(client: &mut Client) -> Vec<String> {
    client.column(
        "SELECT relname || ' ' || (SELECT option_value FROM pg_options_to_table(reloptions) WHERE option_name = 'lists')
         FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relkind = 'i' AND relname ~ 'ivfflat' ORDER BY 1",
        &[],
    )
}

fn wait_for_lists(client: &mut Client, expected: &str) {
    wait_until("the index", || lists(client) == [format!("embedding_ivfflat {expected}")]);
    wait_until_idle(client);
}

/// Makes every CREATE INDEX wait, at its end, while `holder` has the advisory lock 1.
fn hold_builds(holder: &mut Client) {
    holder.run(
        "CREATE FUNCTION hold() RETURNS event_trigger LANGUAGE plpgsql AS $$
         BEGIN
             WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(.01); END LOOP;
         END $$;
         CREATE EVENT TRIGGER hold ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION hold();
         SELECT pg_advisory_lock(1)",
    );
}

#[test]
fn a_worker_builds_it_and_builds_it_again() {
    let (_database, mut client) = base();
    client.run("SELECT kb_add('notes', 'A first one.')");
    wait_until_idle(&mut client);
    assert!(lists(&mut client).is_empty());
    add(&mut client, 10_500);
    wait_for_lists(&mut client, "10");
    add(&mut client, 98_000);
    wait_for_lists(&mut client, "108");
    assert_eq!(client.value::<i64>(SEARCH, &[]), 5);
    client.run("TRUNCATE kb_notes.document CASCADE");
    assert!(lists(&mut client).is_empty());
}

#[test]
fn writers_wait_while_it_is_built_and_searches_do_not() {
    let (database, mut client) = base();
    let mut holder = database.connect();
    hold_builds(&mut holder);
    add(&mut client, 10_000);
    wait_until("the build", || {
        client.value(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'kb_notes.embedding'::regclass AND mode = 'ShareLock' AND granted)",
            &[],
        )
    });
    let mut writer = database.connect();
    let pid = writer.pid();
    let writing = Outcome::spawn(writer, "SELECT kb_add('notes', 'One that waits.')");
    wait_for_lock(&mut client, pid);
    for _ in 0..5 {
        assert_eq!(client.value::<i64>(SEARCH, &[]), 5);
    }
    // A document without a vector of its own waits for nobody.
    client.run(
        "UPDATE kb_notes.document SET abstract = 'short' WHERE content = 'One that is written as usual.'",
    );
    assert!(!writing.is_finished());
    assert!(lists(&mut client).is_empty());
    holder.run("SELECT pg_advisory_unlock(1)");
    assert_eq!(writing.join().unwrap().state, "00000");
    wait_for_lists(&mut client, "10");
}

#[test]
fn a_build_that_waits_for_a_writer_is_tried_again() {
    let (database, mut client) = base();
    let mut writer = database.connect();
    writer.run("BEGIN; SELECT kb_add('notes', 'One that is not committed yet.')");
    add(&mut client, 10_000);
    wait_until("a worker that waited for the writer", || {
        paused(&mut client)
            .is_some_and(|reason| reason.starts_with("index for") && reason.contains("lock timeout"))
    });
    // Others that come after the worker wait a second at most. Without a limit on that they would wait for the writer.
    client.run("SET statement_timeout = '30 s'");
    for _ in 0..5 {
        assert_eq!(client.value::<i64>(SEARCH, &[]), 5);
        client.run("SELECT kb_add('notes', 'Another one.')");
    }
    assert!(lists(&mut client).is_empty());
    writer.run("COMMIT");
    wait_for_lists(&mut client, "10");
    assert_eq!(paused(&mut client), None);
}

#[test]
fn an_index_that_is_built_waits_for_readers_without_being_lost() {
    let (database, mut client) = base();
    add(&mut client, 10_000);
    wait_for_lists(&mut client, "10");
    let mut reader = database.connect();
    reader.run("BEGIN");
    assert_eq!(reader.value::<i64>(SEARCH, &[]), 5);
    add(&mut client, 95_000);
    wait_until("a worker that waited for the reader", || {
        paused(&mut client).is_some_and(|reason| reason.starts_with("index for"))
    });
    assert_eq!(lists(&mut client), ["embedding_ivfflat 10", "embedding_ivfflat_next 105"]);
    client.run("SELECT kb_add('notes', 'A writer does not wait.')");
    assert_eq!(client.value::<i64>(SEARCH, &[]), 5);
    assert_eq!(reader.value::<i64>(SEARCH, &[]), 5);
    reader.run("COMMIT");
    wait_for_lists(&mut client, "105");
    assert_eq!(paused(&mut client), None);
}

#[test]
fn changes_by_the_owner_meanwhile() {
    let (database, mut client) = base();
    let mut holder = database.connect();
    hold_builds(&mut holder);
    add(&mut client, 10_000);
    wait_until("the build", || {
        client.value(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'kb_notes.embedding'::regclass AND mode = 'ShareLock' AND granted)",
            &[],
        )
    });
    let mut owner = database.connect();
    let pid = owner.pid();
    let changing = Outcome::spawn(owner, "SELECT kb_configure('notes', index_method => 'none')");
    wait_for_lock(&mut client, pid);
    holder.run("SELECT pg_advisory_unlock(1)");
    assert_eq!(changing.join().unwrap().state, "00000");
    wait_until_idle(&mut client);
    assert!(lists(&mut client).is_empty());
    // Two sessions and the workers at once: the last method holds, and nothing else is left.
    let sessions: Vec<_> = ["ivfflat", "hnsw"]
        .map(|method| {
            let changes = format!("SELECT kb_configure('notes', index_method => '{method}');").repeat(3);
            Outcome::spawn(database.connect(), &format!("{changes} SELECT kb_add('notes', 'More.')"))
        })
        .into();
    for session in sessions {
        let state = session.join().unwrap().state;
        assert!(["00000", "55P03"].contains(&state.as_str()), "{state}");
    }
    client.run("SELECT kb_configure('notes', index_method => 'ivfflat')");
    wait_for_lists(&mut client, "10");
    assert_eq!(
        client.value::<i64>(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relkind = 'i' AND relname ~ 'hnsw'",
            &[]
        ),
        0
    );
}

#[test]
fn a_restored_index_is_known() {
    let (database, mut client) = base();
    add(&mut client, 10_000);
    wait_for_lists(&mut client, "10");
    let restored = Database::bare("");
    let mut dump =
        client_program("pg_dump").args(["-d", database.name()]).stdout(Stdio::piped()).spawn().unwrap();
    let restore = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", restored.name()])
        .stdin(dump.stdout.take().unwrap())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(dump.wait().unwrap().success() && restore.success());
    let mut client = restored.connect();
    assert_eq!(lists(&mut client), ["embedding_ivfflat 10"]);
    // Nothing is built again: the index stays the same object.
    let index = "SELECT 'kb_notes.embedding_ivfflat'::regclass::oid";
    let before: u32 = client.value(index, &[]);
    client.run("SELECT kb_add('notes', 'One more.')");
    wait_until_idle(&mut client);
    assert_eq!(client.value::<u32>(index, &[]), before);
    assert_eq!(client.value::<i64>(SEARCH, &[]), 5);
    // Without it, the next writer has it built.
    client.run("DROP INDEX kb_notes.embedding_ivfflat");
    client.run("SELECT kb_add('notes', 'Two more.')");
    wait_for_lists(&mut client, "10");
}
