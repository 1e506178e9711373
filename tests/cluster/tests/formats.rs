//! Library and catalog of different versions and formats: what is refused, what triggers do, and the repair after the update. Here
//! SQL says that it has another format; builds.rs does the same with two builds.

use kb_rag_cluster_tests::pipeline::{Notices, Remote, RemoteSession, wait_until_idle, wait_until_no_worker};
use kb_rag_cluster_tests::{
    Database, Outcome, Session, assert_figures, assert_nothing_to_reconcile, wait_until,
};
use postgres::Client;

const SEARCH: &str = "SELECT * FROM kb_hybrid_search('x', 'notes')";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes another version of the extension into the catalog, as an update does.
fn set_version(client: &mut Client, version: &str) {
    client.run(&format!(
        "SET allow_system_table_mods = on;
         UPDATE pg_extension SET extversion = '{version}' WHERE extname = 'kb_rag';
         RESET allow_system_table_mods"
    ));
}

/// Replaces the format as an update does that raises it. 1 is that of the library.
fn set_format(client: &mut Client, format: i32) {
    client.run(&format!(
        "CREATE OR REPLACE FUNCTION kb_rag.format() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN {format}"
    ));
}

/// The message and the hint of a statement that is 55000.
fn refusal(client: &mut Client, sql: &str) -> (String, String) {
    let error = client.batch_execute(sql).unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!(error.code().code(), "55000", "{sql}: {error:?}");
    (error.message().to_string(), error.hint().unwrap_or_default().to_string())
}

#[test]
fn versions_of_one_format_work_together() {
    let (database, mut client) = Database::with_base("notes");
    let (mut open_before, notices) = database.connect_listening("postgres");
    open_before.run(SEARCH);
    // The base is empty.
    assert_eq!(notices.take().len(), 1);
    for version in ["0.0.1", "0.3.77", "0.4.0", "9.0.0"] {
        set_version(&mut client, version);
        for session in [&mut open_before, &mut database.connect()] {
            session.run(SEARCH);
            session.run("INSERT INTO kb_notes.document (content) VALUES ('a text'); SELECT kb_add('notes', 'another text')");
            session.run("CALL kb_work(1)");
            session.run("SELECT * FROM kb_rag.status");
        }
    }
    assert_eq!(
        client.value::<i64>("SELECT count(*) FROM kb_notes.document WHERE status = 'indexed'", &[]),
        16
    );
    assert_figures(&mut client, "kb_notes");
    assert_nothing_to_reconcile(&mut client, "notes");
    assert_eq!(notices.take(), [""; 0]);
}

#[test]
fn another_format_is_refused_even_in_an_open_session() {
    let (database, mut client) = Database::with_base("notes");
    let mut open_before = database.connect();
    let mut with_snapshot = database.connect();
    open_before.run(SEARCH);
    with_snapshot.run(SEARCH);
    let reconnect =
        "Reconnect to load the library again; if that does not help, install the library of kb_rag 9.0.0.";
    let update = "Run ALTER EXTENSION kb_rag UPDATE in this database.";
    for (format, version, hint) in [(2, "9.0.0", reconnect), (0, "0.0.7", update)] {
        with_snapshot.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        set_version(&mut client, version);
        set_format(&mut client, format);
        let said = (
            format!(
                "kb_rag library is version {VERSION}, but the extension in this database is version {version}"
            ),
            hint.to_string(),
        );
        for statement in [
            SEARCH,
            "SELECT kb_add('notes', 'text')",
            "SELECT kb_reconcile('notes')",
            "SELECT * FROM kb_rag.status",
            "CALL kb_work(1)",
        ] {
            assert_eq!(refusal(&mut open_before, statement), said, "{statement}");
        }
        // A snapshot from before the update does not hide it.
        refusal(&mut with_snapshot, SEARCH);
        with_snapshot.run("ROLLBACK");
        set_version(&mut client, VERSION);
        set_format(&mut client, 1);
        open_before.run(SEARCH);
        with_snapshot.run(SEARCH);
    }
}

/// A base with documents and four attached tables: with statement triggers, with row triggers, and partitioned.
fn base_with_tables() -> (Database, Client) {
    let (database, mut client) = Database::with_base("notes");
    client.run(
        "INSERT INTO kb_notes.document (source_key, title, content)
             SELECT 'n' || n, 'Note ' || n, 'Passage ' || n || ' of the notes' FROM generate_series(1, 20) n;
         CREATE TABLE article (id int PRIMARY KEY, body text);
         CREATE TABLE parted (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
         CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (100);
         CREATE TABLE emptied (id int PRIMARY KEY, body text);
         INSERT INTO article SELECT n, 'Article ' || n FROM generate_series(1, 20) n;
         INSERT INTO parted SELECT n, 'Part ' || n FROM generate_series(1, 20) n;
         INSERT INTO emptied SELECT n, 'Row ' || n FROM generate_series(1, 20) n;
         SELECT kb_attach(t::regclass, 'notes', 'body') FROM unnest(ARRAY['article', 'parted', 'emptied']) t",
    );
    client.run("CALL kb_work(20)");
    assert_eq!(
        client.value::<i64>("SELECT count(*) FROM kb_notes.document WHERE status = 'indexed'", &[]),
        80
    );
    (database, client)
}

/// Every kind of write, each in a transaction of its own.
const WRITES: [&str; 9] = [
    "INSERT INTO kb_notes.document (source_key, content) VALUES ('new', 'A platypus swims.')",
    "UPDATE kb_notes.document SET content = 'A wombat digs.' WHERE source_key = 'n1'",
    "UPDATE kb_notes.document SET title = 'An echidna' WHERE source_key = 'n2'",
    "DELETE FROM kb_notes.document WHERE source_key = 'n3'",
    "INSERT INTO article VALUES (21, 'A quokka smiles.')",
    "UPDATE article SET body = 'A numbat eats.' WHERE id = 1",
    "DELETE FROM article WHERE id = 2; DELETE FROM parted_low WHERE id = 3",
    "INSERT INTO parted VALUES (22, 'A bilby hides.'); UPDATE parted_low SET body = 'A dingo howls.' WHERE id = 1",
    "TRUNCATE emptied",
];

/// Fails unless searches find what [`WRITES`] wrote.
fn assert_written(client: &mut Client) {
    for word in ["platypus", "wombat", "echidna", "quokka", "numbat", "bilby", "dingo"] {
        let found: i64 =
            client.value(&format!("SELECT count(*) FROM kb_search('{word}', 'notes', 'keyword')"), &[]);
        assert_eq!(found, 1, "{word}");
    }
    let left: Vec<String> = client.column(
        "SELECT concat_ws(' ', coalesce(s.location, 'none'), count(*), bool_and(d.status = 'indexed'))
         FROM kb_notes.document d LEFT JOIN kb_rag.source_status s ON s.source_id = d.source_id GROUP BY s.location ORDER BY 1",
        &[],
    );
    assert_eq!(left, ["none 20 t", "public.article 20 t", "public.parted 20 t"]);
    let vectors = "SELECT count(*) FROM kb_notes.chunk c LEFT JOIN kb_notes.embedding e ON e.chunk_id = c.id WHERE e.chunk_id IS NULL";
    assert_eq!(client.value::<i64>(vectors, &[]), 0, "chunks without a vector");
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.missed_write", &[]), 0);
    assert_figures(client, "kb_notes");
    assert_nothing_to_reconcile(client, "notes");
}

/// Waits until workers, which any function wakes, have done what is noted.
fn wait_until_repaired(client: &mut Client) {
    wait_until("nothing noted", || {
        client.run(SEARCH);
        client.value("SELECT NOT EXISTS (SELECT FROM kb_rag.missed_write)", &[])
    });
    wait_until_idle(client);
}

/// Runs [`WRITES`] in a new session while SQL has another format; returns what it was told.
fn write_in_another_format(database: &Database, client: &mut Client, format: i32) -> Notices {
    set_format(client, format);
    let (mut writer, notices) = database.connect_listening("postgres");
    for write in WRITES {
        writer.run(write);
    }
    notices
}

/// An application goes on while the formats differ, and nothing that it wrote is lost.
#[test]
fn writers_go_on_and_a_call_of_kb_work_indexes_what_they_wrote() {
    for format in [0, 2] {
        let (database, mut client) = base_with_tables();
        let notices = write_in_another_format(&database, &mut client, format).take();
        assert_eq!(notices.len(), 1, "one warning a session: {notices:?}");
        assert!(notices[0].contains("kb_rag library is version"), "{notices:?}");
        assert!(notices[0].contains("documents and keyword index are updated later"), "{notices:?}");
        let state = "SELECT string_agg(concat_ws(' ', source_key, status, content_hash IS NULL), ', ' ORDER BY source_key)
             FROM kb_notes.document WHERE source_key IN ('new', 'n1', 'n2', 'n4')";
        let state: String = client.value(state, &[]);
        assert_eq!(state, "n1 pending t, n2 pending t, n4 indexed f, new pending t");

        set_format(&mut client, 1);
        client.run("CALL kb_work(30)");
        assert_written(&mut client);
    }
}

#[test]
fn workers_index_what_was_written_in_another_format() {
    let (database, mut client) = base_with_tables();
    write_in_another_format(&database, &mut client, 2);
    set_format(&mut client, 1);
    wait_until_repaired(&mut client);
    assert_written(&mut client);
}

#[test]
fn kb_reconcile_indexes_what_was_written_in_another_format() {
    let (database, mut client) = base_with_tables();
    client.run(&format!("ALTER DATABASE {} SET kb_rag.workers = 0", database.name()));
    client = database.connect();
    write_in_another_format(&database, &mut client, 2);
    set_format(&mut client, 1);
    assert!(client.value::<i64>("SELECT kb_reconcile('notes')", &[]) > 0);
    assert_written(&mut client);
}

/// Chunks that a user deletes or changes are not in the keyword index of the other library as they are now.
#[test]
fn writes_to_chunks_repair_the_keyword_index() {
    let (_database, mut client) = base_with_tables();
    set_format(&mut client, 2);
    client.run("DELETE FROM kb_notes.chunk WHERE document_id IN (SELECT id FROM kb_notes.document WHERE source_key IN ('n4', 'n5'))");
    client.run(
        "UPDATE kb_notes.chunk SET tsv = 'quoll:1'
         WHERE document_id = (SELECT id FROM kb_notes.document WHERE source_key = 'n6')",
    );
    set_format(&mut client, 1);
    client.run("CALL kb_work(30)");
    assert_figures(&mut client, "kb_notes");
    let found = "SELECT count(*) FROM kb_search('quoll', 'notes', 'keyword')";
    assert_eq!(client.value::<i64>(found, &[]), 1);
    let found = "SELECT count(*) FROM kb_search('passage', 'notes', 'keyword', 1000)";
    assert_eq!(client.value::<i64>(found, &[]), 17);
}

/// What the other library writes to its tables is not known here: columns may be missing.
#[test]
fn writers_go_on_with_tables_of_another_shape() {
    let (_database, mut client) = base_with_tables();
    set_format(&mut client, 2);
    client.run(
        "ALTER TABLE kb_notes.document DROP COLUMN content_hash, DROP COLUMN indexed_at;
         ALTER TABLE kb_notes.chunk DROP COLUMN keyword_number CASCADE",
    );
    for write in WRITES {
        client.run(write);
    }
    assert!(client.value::<i64>("SELECT count(*) FROM kb_rag.missed_write", &[]) > 5);
}

/// What is noted, as base and table.
const NOTED: &str = "SELECT coalesce(a.location, 'documents') || ' ' || count(*) FROM kb_rag.missed_write m
    LEFT JOIN kb_rag.attached_table a USING (source_id) GROUP BY a.location ORDER BY 1";

#[test]
fn a_transaction_notes_a_base_and_a_table_once() {
    let (_database, mut client) = base_with_tables();
    set_format(&mut client, 2);
    client.run(
        "BEGIN;
         INSERT INTO article VALUES (30, 'x'); INSERT INTO article VALUES (31, 'x'); UPDATE article SET body = 'y';
         INSERT INTO kb_notes.document (content) VALUES ('a'); INSERT INTO kb_notes.document (content) VALUES ('b');
         INSERT INTO parted SELECT n, 'z' FROM generate_series(40, 60) n;
         COMMIT",
    );
    let noted: Vec<String> = client.column(NOTED, &[]);
    assert_eq!(noted, ["documents 1", "public.article 1", "public.parted 1"]);
    client.run("DELETE FROM kb_rag.missed_write");
    client.run("BEGIN; INSERT INTO article VALUES (32, 'x'); ROLLBACK");
    assert_eq!(client.column::<String>(NOTED, &[]), [""; 0]);
    // The row that a savepoint takes back is written again.
    client.run(
        "BEGIN; SAVEPOINT a; SAVEPOINT b; INSERT INTO article VALUES (33, 'x'); RELEASE b; ROLLBACK TO a;
         INSERT INTO article VALUES (34, 'x'); COMMIT",
    );
    assert_eq!(client.column::<String>(NOTED, &[]), ["public.article 1"]);
    client.run("DELETE FROM kb_rag.missed_write");
    client.run(
        "BEGIN; SAVEPOINT a; INSERT INTO article VALUES (35, 'x'); RELEASE a; INSERT INTO article VALUES (36, 'x'); COMMIT",
    );
    assert_eq!(client.column::<String>(NOTED, &[]), ["public.article 1"]);
}

#[test]
fn writers_do_not_wait_for_each_other() {
    let (database, mut client) = base_with_tables();
    set_format(&mut client, 2);
    let write = |n: i32| {
        format!(
            "BEGIN; INSERT INTO article VALUES ({n}, 'x'); INSERT INTO kb_notes.document (content) VALUES ('x')"
        )
    };
    client.run(&write(30));
    let other = Outcome::spawn(database.connect(), &write(31)).join().unwrap();
    assert_eq!(other.state, "00000");
    drop(other);
    client.run("COMMIT");
    assert_eq!(client.column::<String>(NOTED, &[]), ["documents 1", "public.article 1"]);
}

/// A role without any privilege on kb_rag writes rows of an attached table.
#[test]
fn writing_rows_requires_no_privilege() {
    let (database, mut client) = base_with_tables();
    let role = database.create_role("writer");
    client.run(&format!("GRANT INSERT ON article TO {role}"));
    set_format(&mut client, 2);
    let mut writer = database.connect_as(&role);
    writer.run("INSERT INTO article VALUES (30, 'A platypus swims.')");
    assert_eq!(writer.state_of("SELECT FROM kb_rag.missed_write", &[]), "42501");
    set_format(&mut client, 1);
    client.run("CALL kb_work(30)");
    let found = "SELECT count(*) FROM kb_search('platypus', 'notes', 'keyword')";
    assert_eq!(client.value::<i64>(found, &[]), 1);
}

/// A worker whose work is under way when the format changes ends, and says so once. Nothing is lost, and nothing is written with
/// the old library.
#[test]
fn a_worker_of_another_format_ends() {
    let mut remote = Remote::start();
    let gate = remote.in_flight();
    set_format(&mut remote.client, 2);
    gate.open();
    wait_until_no_worker(&mut remote.client);
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_notes.embedding", &[]), 0);
    // A session of another format starts none.
    remote.client.insert_notes(11, 20);
    refusal(&mut remote.client, SEARCH);
    set_format(&mut remote.client, 1);
    remote.mock.heal();
    wait_until_repaired(&mut remote.client);
    remote.finish();
    assert_nothing_to_reconcile(&mut remote.client, "notes");
}

/// A dump that is made before the update keeps what is noted.
#[test]
fn a_dump_keeps_what_is_noted() {
    let (database, mut client) = base_with_tables();
    write_in_another_format(&database, &mut client, 2);
    let noted: i64 = client.value("SELECT count(*) FROM kb_rag.missed_write", &[]);
    assert!(noted > 0);
    let dump =
        kb_rag_cluster_tests::client_program("pg_dump").args(["-d", database.name()]).output().unwrap();
    let dump = String::from_utf8(dump.stdout).unwrap();
    let rows =
        dump.split("COPY kb_rag.missed_write").nth(1).and_then(|rest| rest.split("\\.").next()).unwrap();
    assert_eq!(rows.lines().count() as i64 - 1, noted, "{rows}");
}
