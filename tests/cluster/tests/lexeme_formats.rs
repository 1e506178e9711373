//! The change of a base's lexemes to another format: writers, administrators and several workers beside it, crashes in the middle
//! of it, and dumps of each format.

use std::thread;

use kb_rag_cluster_tests::pipeline::{wait_until_idle, workers};
use kb_rag_cluster_tests::{
    Database, Outcome, Point, Server, Session, assert_consistent, assert_figures, dump_and_restore,
    wait_for_lock, wait_until, wait_until_waiting_or_ended,
};
use postgres::Client;

/// Documents of the base.
const DOCUMENTS: usize = 60;
/// So many chunks are rewritten in a transaction.
const BATCH: &str = "lexeme_batch=7";

/// Makes the base `notes` one of kb_rag 0.3, whose chunks have format 1.
const MAKE_OLD: &str = "UPDATE kb_rag.knowledge_base SET lexeme_format = DEFAULT WHERE name = 'notes';
    DELETE FROM kb_notes.setting WHERE name IN ('fold_accents', 'part_weight', 'lexeme_format')";

/// Chunks by analyzer.
const FORMATS: &str =
    "SELECT text_config || ' ' || count(*) FROM kb_notes.chunk GROUP BY text_config ORDER BY text_config";

const CHANGE: &str = "SELECT kb_configure('notes', lexeme_format => 2)";

/// Creates the base `notes` with chunks in format 1.
fn create_old(client: &mut Client) {
    client.create_base("notes");
    client.run(&format!(
        "{MAKE_OLD};
         INSERT INTO kb_notes.document (source_key, content, language)
         SELECT 'd' || n, 'Café number ' || n || ' has a numbat. ' || repeat('Common text. ', 25), CASE n % 9 WHEN 0 THEN 'de' END
         FROM generate_series(1, {DOCUMENTS}) n"
    ));
}

/// A database with such a base, in which only sessions work.
fn old() -> (Database, Client) {
    let database = Database::create();
    database.set("kb_rag.workers", "0");
    database.set("kb_rag.test_limits", BATCH);
    let mut client = database.connect();
    create_old(&mut client);
    (database, client)
}

/// Chunks in format 1.
fn left(client: &mut Client) -> i64 {
    client.value("SELECT count(*) FROM kb_notes.chunk WHERE text_config !~ '/2f?$'", &[])
}

/// Chunks that keyword search finds, of those it should find.
fn found(client: &mut Client) -> (i64, i64) {
    let of_search = "SELECT count(*) FROM kb_search('numbat common', 'notes', 'keyword', 10000)";
    (client.value(of_search, &[]), client.value("SELECT count(*) FROM kb_notes.chunk", &[]))
}

/// Works until the change is done; then everything is as the settings want.
fn assert_changed(client: &mut Client) {
    client.run("CALL kb_work(60)");
    wait_until_idle(client);
    assert_eq!(left(client), 0);
    let (found, held) = found(client);
    assert_eq!(found, held);
    assert_consistent(client, "notes", "kb_notes");
    let jobs: i64 = client.value("SELECT count(*) FROM kb_rag.job WHERE kind = 'lexemes'", &[]);
    assert_eq!(jobs, 0, "jobs");
}

/// Statements of writers and administrators.
const BESIDE: [&str; 12] = [
    "INSERT INTO kb_notes.document (source_key, content) VALUES ('new', 'One more numbat')",
    "SELECT kb_add('notes', 'Another numbat, and more', source_key => 'd2')",
    "UPDATE kb_notes.document SET content = content || E'\\n\\nOne more numbat.'",
    "UPDATE kb_notes.document SET language = CASE WHEN language IS NULL THEN 'de' END",
    "UPDATE kb_notes.document SET metadata = '{\"a\": 1}'",
    "DELETE FROM kb_notes.document WHERE source_key LIKE '%1%'",
    "DELETE FROM kb_notes.document",
    "TRUNCATE kb_notes.document CASCADE",
    "SELECT kb_configure('notes', fold_accents => false)",
    "SELECT kb_configure('notes', text_config => 'simple')",
    "SELECT kb_reindex('notes')",
    "SELECT kb_reconcile('notes')",
];

/// Before a batch is rewritten, and before that is committed, another session writes.
#[test]
fn writers_never_notice_the_change() {
    for place in ["lexemes.locked", "lexemes.written"] {
        for sql in BESIDE {
            let (database, mut client) = old();
            client.run(CHANGE);
            let (mut writer, (mut worker, notices)) =
                (database.connect(), database.connect_listening("postgres"));
            writer.run("SET lock_timeout = '20 s'");
            let pid = writer.pid();
            let mut point = Point::hold_by(database.connect(), place);
            worker.run(&point.setting());
            notices.take();
            let working = Outcome::spawn(worker, "CALL kb_work(60)");
            point.wait_for(1);
            let writing = Outcome::spawn(writer, sql);
            wait_until_waiting_or_ended(&mut client, pid, &writing);
            point.open();
            let states = [writing, working].map(|running| Outcome::joined(running, sql).state);
            assert_eq!(states, ["00000", "00000"], "{place}: {sql}");
            let said = notices.take();
            assert!(said.iter().all(|notice| notice.contains("will be retried")), "{place}: {sql}: {said:?}");
            assert_changed(&mut client);
        }
    }
}

/// Documents that a transaction has locked are left until it has ended; nothing waits for it.
#[test]
fn locked_documents_are_left_for_later() {
    let (database, mut client) = old();
    client.run(CHANGE);
    let held: i64 = client.value(
        "SELECT count(*) FROM kb_notes.chunk c JOIN kb_notes.document d ON d.id = c.document_id WHERE source_key IN ('d1', 'd30')",
        &[],
    );
    let mut writer = database.connect();
    writer
        .run("BEGIN; UPDATE kb_notes.document SET metadata = '{\"a\": 1}' WHERE source_key IN ('d1', 'd30')");
    client.run("CALL kb_work(0.5)");
    wait_until("all but the locked documents", || {
        client.run("CALL kb_work(0)");
        left(&mut client) == held
    });
    let (of_search, all) = found(&mut client);
    assert_eq!(of_search, all);
    writer.run("COMMIT");
    assert_changed(&mut client);
}

/// Two sessions that work rewrite each chunk once.
#[test]
fn workers_share_the_change() {
    let (database, mut client) = old();
    let chunks: i64 = client.value("SELECT count(*) FROM kb_notes.chunk", &[]);
    let number = "SELECT last_value FROM kb_notes.chunk_keyword_number_seq";
    let before: i64 = client.value(number, &[]);
    client.run(CHANGE);
    let working: Vec<_> = (0..3).map(|_| Outcome::spawn(database.connect(), "CALL kb_work(60)")).collect();
    for worker in working {
        assert_eq!(Outcome::joined(worker, "a worker").state, "00000");
    }
    assert_changed(&mut client);
    assert_eq!(client.value::<i64>(number, &[]) - before, chunks, "numbers that were given");
}

/// A writer that began before kb_configure is waited for: what it writes is changed too.
#[test]
fn an_earlier_writer_is_waited_for() {
    let (database, mut client) = old();
    let mut writer = database.connect();
    writer.run(
        "BEGIN; INSERT INTO kb_notes.document (source_key, content) VALUES ('earlier', 'A numbat before')",
    );
    let mut administrator = database.connect();
    let pid = administrator.pid();
    let configuring = Outcome::spawn(administrator, CHANGE);
    wait_for_lock(&mut client, pid);
    writer.run("COMMIT");
    assert_eq!(Outcome::joined(configuring, "kb_configure").state, "00000");
    writer.run("INSERT INTO kb_notes.document (source_key, content) VALUES ('later', 'A numbat afterwards')");
    let of_later: String = client.value(
        "SELECT text_config FROM kb_notes.chunk c JOIN kb_notes.document d ON d.id = c.document_id WHERE source_key = 'later'",
        &[],
    );
    assert!(of_later.ends_with("/2f"), "{of_later}");
    assert_changed(&mut client);
}

/// The worker is killed, and so is the whole server: what was committed stays, and the rest follows.
#[test]
fn a_change_goes_on_after_a_crash() {
    for place in ["lexemes.locked", "lexemes.written"] {
        let server = Server::start();
        let mut client = server.connect();
        client.run(&format!(
            "ALTER DATABASE postgres SET kb_rag.test_limits = '{BATCH}'; ALTER DATABASE postgres SET kb_rag.workers = 0;
             CREATE EXTENSION vector; CREATE EXTENSION kb_rag"
        ));
        let mut client = server.connect();
        create_old(&mut client);
        let chunks = left(&mut client);
        client.run(CHANGE);
        client.run("CALL kb_work(0)");
        assert_eq!(left(&mut client), chunks - 7, "one batch");
        let mut point = Point::hold_by(server.connect(), place);
        let mut worker = server.connect();
        worker.run(&point.setting());
        let pid = worker.pid();
        let working = Outcome::spawn(worker, "CALL kb_work(60)");
        point.wait_for(1);
        let mut client = server.kill(pid);
        assert_ne!(Outcome::joined(working, "the killed worker").state, "00000");
        assert_eq!(left(&mut client), chunks - 7, "what was not committed is undone");
        assert_figures(&mut client, "kb_notes");
        assert_changed(&mut client);
    }
}

/// Background workers do it all.
#[test]
fn background_workers_change_a_base() {
    let database = Database::create();
    database.set("kb_rag.test_limits", BATCH);
    let mut client = database.connect();
    create_old(&mut client);
    client.run(CHANGE);
    wait_until("the change", || left(&mut client) == 0);
    wait_until_idle(&mut client);
    wait_until("no worker", || workers(&mut client).is_empty());
    assert_changed(&mut client);
}

/// A database that a dump was restored into, without workers.
fn restored(from: &Database) -> (Database, Client) {
    let to = Database::bare("");
    to.set("kb_rag.workers", "0");
    dump_and_restore(from, &to);
    let client = to.connect();
    (to, client)
}

const SETTINGS: &str = "SELECT concat_ws(' ', fold_accents::text, part_weight, lexeme_format) FROM kb_list()";

/// A restored base has its format, in the middle of a change too, which goes on.
#[test]
fn dumps_keep_the_format() {
    let (database, mut client) = old();
    let answers =
        "SELECT chunk_id || ' ' || score FROM kb_search('numbat café', 'notes', 'keyword', 10000) ORDER BY 1";
    for (change, settings) in [
        ("SELECT 1", "true 0.25 1"),
        ("SELECT kb_configure('notes', lexeme_format => 2, part_weight => 0.75)", "true 0.75 2"),
        ("CALL kb_work(0)", "true 0.75 2"),
        ("CALL kb_work(60)", "true 0.75 2"),
        ("SELECT kb_configure('notes', fold_accents => false)", "false 0.75 2"),
    ] {
        client.run(change);
        let (_restored, mut other) = restored(&database);
        assert_eq!(other.column::<String>(SETTINGS, &[]), [settings], "{change}");
        for sql in [FORMATS, answers] {
            assert_eq!(
                other.column::<String>(sql, &[]),
                client.column::<String>(sql, &[]),
                "{change}: {sql}"
            );
        }
        other.run("CALL kb_work(60)");
        wait_until_idle(&mut other);
        let is_new = settings.ends_with('2');
        let old_left = left(&mut other);
        assert_eq!(old_left == 0, is_new, "{change}: {old_left} chunks in format 1");
        assert_consistent(&mut other, "notes", "kb_notes");
    }
}

/// Writers that come and go while a worker changes the base.
#[test]
fn many_writers_beside_the_change() {
    let (database, mut client) = old();
    client.run(CHANGE);
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let mut session = database.connect();
            thread::spawn(move || {
                for n in 0..15 {
                    let key = 1 + (n * 7 + writer * 20) % DOCUMENTS;
                    session.run(&format!(
                        "UPDATE kb_notes.document SET content = content || ' Again a numbat.' WHERE source_key = 'd{key}';
                         INSERT INTO kb_notes.document (source_key, content) VALUES ('w{writer} {n}', 'A numbat, and more');
                         DELETE FROM kb_notes.document WHERE source_key = 'w{writer} {}'",
                        n as i64 - 3
                    ));
                }
            })
        })
        .collect();
    let working = Outcome::spawn(database.connect(), "CALL kb_work(60)");
    for writer in writers {
        writer.join().expect("a writer");
    }
    assert_eq!(Outcome::joined(working, "the worker").state, "00000");
    assert_changed(&mut client);
}
