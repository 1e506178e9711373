//! Writers of every isolation level beside merges, searches and administrators: the keyword index always has each chunk
//! once.

use std::thread::JoinHandle;

use kb_rag_cluster_tests::keyword::{answers, assert_notes, assert_scores, queue_merge, segments, small};
use kb_rag_cluster_tests::{Database, Outcome, Point, Session, assert_figures, wait_until};
use postgres::Client;

const LEVELS: [&str; 3] = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

/// Statements of single rows, some of them undone, that search what they have written.
fn mixed(from: usize, to: usize) -> String {
    format!(
        "DO $$
         DECLARE found bigint; held bigint;
         BEGIN FOR n IN {from}..{to} LOOP
             INSERT INTO kb_notes.document (source_key, content, title, language)
             VALUES ('k ' || n, 'common left word' || n % 10, 'topic' || n % 4, CASE n % 9 WHEN 0 THEN 'de' END);
             IF n % 5 = 0 THEN UPDATE kb_notes.document SET content = content || ' numbat' WHERE source_key = 'k ' || n - 3; END IF;
             IF n % 7 = 0 THEN DELETE FROM kb_notes.document WHERE source_key = 'k ' || n - 6; END IF;
             IF n % 10 = 0 THEN BEGIN
                 INSERT INTO kb_notes.document (content) SELECT 'common bulk word' || i FROM generate_series(1, 3) i;
                 DELETE FROM kb_notes.document WHERE source_key IN ('k ' || n - 1, 'k ' || n - 2);
                 RAISE division_by_zero;
             EXCEPTION WHEN division_by_zero THEN NULL; END; END IF;
             IF n % 25 = 0 THEN
                 SELECT count(*) INTO found FROM kb_search('common', 'notes', 'keyword', 10000);
                 SELECT count(*) INTO held FROM kb_notes.chunk;
                 IF found <> held THEN RAISE 'a search finds % of % chunks', found, held; END IF;
             END IF;
         END LOOP; END $$"
    )
}

#[test]
fn a_transaction_of_many_mixed_statements_is_right_inside_and_after() {
    const STATEMENTS: usize = 150;
    for level in LEVELS {
        let (database, mut client) = small();
        let mut other = database.connect();
        client.run(&mixed(1, 30));
        assert_scores(&mut other);
        let before: Vec<String> = client.column("SELECT c::text FROM kb_notes.chunk c ORDER BY id", &[]);
        for end in ["ROLLBACK", "COMMIT"] {
            client.run(&format!("BEGIN ISOLATION LEVEL {level}; {}", mixed(31, STATEMENTS)));
            let [many, _] = segments(&mut client);
            assert!(many < 40 || level == "SERIALIZABLE", "{many} segments at {level}");
            assert_figures(&mut client, "kb_notes");
            assert_scores(&mut client);
            assert_figures(&mut other, "kb_notes");
            assert_scores(&mut other);
            client.run(end);
            if end == "ROLLBACK" {
                assert_eq!(
                    client.column::<String>("SELECT c::text FROM kb_notes.chunk c ORDER BY id", &[]),
                    before
                );
            }
            assert_figures(&mut other, "kb_notes");
            assert_scores(&mut other);
        }
        queue_merge(&mut other);
        other.run("CALL kb_work()");
        let left = segments(&mut other)[0];
        assert!(left < 12, "{left} segments after merges");
        assert_notes(&mut client);
    }
}

/// Leaves the documents `k 1` to `k 6`, and their segments to merge.
fn begin_again(client: &mut Client) {
    client.run("TRUNCATE kb_notes.document CASCADE; DELETE FROM kb_rag.job");
    add_segments(client, "k");
}

/// Fails unless each chunk is in the index once, with its lexemes.
fn assert_right(client: &mut Client) {
    assert_figures(client, "kb_notes");
    assert_scores(client);
}

/// Adds six documents, with a segment each; a worker merges them, and a writer does not.
fn add_segments(client: &mut Client, label: &str) {
    for n in 1..=6 {
        client.run(&format!(
            "INSERT INTO kb_notes.document (source_key, content, language)
             VALUES ('{label} {n}', 'common left word{n} topic{}', CASE {n} WHEN 4 THEN 'fr' END)",
            n % 3
        ));
    }
    queue_merge(client);
}

/// A worker that merges, and is held at a point.
fn merge_at(database: &Database, point: &mut Point) -> JoinHandle<Outcome> {
    let mut worker = database.connect();
    worker.run(&point.setting());
    let running = Outcome::spawn(worker, "CALL kb_work(0)");
    point.wait_for(1);
    running
}

/// Fails unless a search finds all chunks that its snapshot has.
fn assert_finds_all(client: &mut Client, what: &str) {
    let (found, held): (i64, i64) = client
        .query_one(
            "SELECT (SELECT count(*) FROM kb_search('common', 'notes', 'keyword', 10000)), count(*) FROM kb_notes.chunk",
            &[],
        )
        .map(|row| (row.get(0), row.get(1)))
        .unwrap();
    assert_eq!(found, held, "{what}");
}

/// A merge with the plan, and one with all that it writes: before that, it has changed nothing that others can see.
const MERGES: [&str; 2] = ["merge.found", "merge.before_swap"];

/// Statements of a transaction: some write new documents, some change documents that are being merged, some are rolled back.
fn writes(label: &str) -> String {
    format!(
        "INSERT INTO kb_notes.document (source_key, content, language)
             VALUES ('{label} a', 'common right word1 topic1', NULL), ('{label} b', 'common right word2', 'fr');
         UPDATE kb_notes.document SET content = content || ' numbat' WHERE source_key IN ('k 1', '{label} a');
         DELETE FROM kb_notes.document WHERE source_key = 'k 2';
         SAVEPOINT s; DELETE FROM kb_notes.document; INSERT INTO kb_notes.document (content) VALUES ('common never');
         ROLLBACK TO s;
         DELETE FROM kb_notes.document WHERE source_key = '{label} b'"
    )
}

#[test]
fn every_isolation_level_writes_and_searches_beside_merges() {
    let (database, mut client) = small();
    for level in LEVELS {
        for at in MERGES {
            for writer_is_first in [true, false] {
                let what = format!("{level}, {at}, the writer is first: {writer_is_first}");
                begin_again(&mut client);
                let (mut writer, mut reader) = (database.connect(), database.connect());
                reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
                let before = answers(&mut reader, "notes");
                let mut point = Point::hold_by(database.connect(), at);
                let merging = merge_at(&database, &mut point);
                writer.run(&format!("BEGIN ISOLATION LEVEL {level}; {}", writes("w")));
                assert_finds_all(&mut writer, &what);
                assert_finds_all(&mut client, &what);
                if writer_is_first {
                    writer.run("COMMIT");
                    point.open();
                    assert_eq!(Outcome::joined(merging, "a merge").state, "00000", "{what}");
                } else {
                    point.open();
                    assert_eq!(Outcome::joined(merging, "a merge").state, "00000", "{what}");
                    assert_finds_all(&mut writer, &what);
                    writer.run("COMMIT");
                }
                assert_eq!(answers(&mut reader, "notes"), before, "{what}: the same snapshot");
                reader.run("COMMIT");
                let keys: Vec<String> =
                    client.column("SELECT source_key FROM kb_notes.document ORDER BY 1", &[]);
                assert_eq!(keys, ["k 1", "k 3", "k 4", "k 5", "k 6", "w a"], "{what}");
                assert_right(&mut client);
            }
        }
    }
    assert_notes(&mut client);
}

/// Writers look up chunks and documents, so they may conflict there, but not in the keyword tables.
#[test]
fn serializable_transactions_that_insert_read_no_keyword_table() {
    let (database, mut client) = small();
    begin_again(&mut client);
    let mut point = Point::hold_by(database.connect(), "merge.before_swap");
    let merging = merge_at(&database, &mut point);
    let mut writer = database.connect();
    writer.run("BEGIN ISOLATION LEVEL SERIALIZABLE");
    for _ in 0..10 {
        writer.run("INSERT INTO kb_notes.document (content) VALUES ('common left')");
    }
    let read: Vec<String> = writer.column(
        "SELECT relation::regclass::text FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid()",
        &[],
    );
    assert!(read.contains(&"kb_notes.document_pkey".to_string()), "{read:?}");
    assert!(!read.iter().any(|relation| relation.contains("keyword")), "{read:?}");
    point.open();
    assert_eq!(Outcome::joined(merging, "a merge").state, "00000");
    writer.run("COMMIT");
    assert_notes(&mut client);
}

/// A writer merges, and a worker at the same time: one of them has the segments, and the other goes on without.
#[test]
fn a_writer_and_a_worker_merge_the_same_segments() {
    let (database, mut client) = small();
    for level in &LEVELS[..2] {
        for at in MERGES {
            let what = format!("{level}, {at}");
            begin_again(&mut client);
            let mut writer = database.connect();
            let mut point = Point::hold_by(database.connect(), at);
            // The writer merges with fewer segments than a worker.
            writer.run(&format!(
                "SET kb_rag.test_limits = 'checked_every=1, of_writer=3'; {}",
                point.setting()
            ));
            let insert = "INSERT INTO kb_notes.document (source_key, content) VALUES ('w', 'common numbat')";
            let writing = Outcome::spawn(writer, &format!("BEGIN ISOLATION LEVEL {level}; {insert}; COMMIT"));
            point.wait_for(1);
            let [before, _] = segments(&mut client);
            client.run("CALL kb_work(0)");
            let merged = segments(&mut client)[0] < before;
            assert_eq!(merged, at == "merge.found", "{what}: whether the worker has merged them");
            point.open();
            assert_eq!(Outcome::joined(writing, "the writer").state, "00000", "{what}");
            assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_notes.document", &[]), 7, "{what}");
            assert_right(&mut client);
        }
    }
    assert_notes(&mut client);
}

/// Statements that lock out writers or lock the index, and what each leaves.
const ADMINISTRATORS: [&str; 7] = [
    "SELECT kb_reindex('notes')",
    "SELECT kb_configure('notes', heading_weight => 2)",
    "SELECT kb_configure('notes', title_weight => 3)",
    "SELECT kb_reconcile('notes')",
    "TRUNCATE kb_notes.document CASCADE",
    "SAVEPOINT s; TRUNCATE kb_notes.document CASCADE; INSERT INTO kb_notes.document (content) VALUES ('common never'); ROLLBACK TO s",
    "LOCK TABLE kb_notes.chunk",
];

/// Waits until a statement has ended, or waits for others.
fn wait_until_blocked(observer: &mut Client, pid: i32, running: &JoinHandle<Outcome>) {
    wait_until("a statement that ends or waits", || {
        running.is_finished()
            || observer.value::<bool>(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type IN ('Lock', 'Extension'))",
                &[&pid],
            )
    });
}

/// Starts statements in a new session, and waits until they have ended or wait for others.
fn begin(database: &Database, observer: &mut Client, sql: &str) -> JoinHandle<Outcome> {
    let mut client = database.connect();
    let pid = client.pid();
    let running = Outcome::spawn(client, sql);
    wait_until_blocked(observer, pid, &running);
    running
}

#[test]
fn administrators_beside_merges() {
    let (database, mut client) = small();
    for at in MERGES {
        for sql in ADMINISTRATORS {
            begin_again(&mut client);
            let mut point = Point::hold_by(database.connect(), at);
            let merging = merge_at(&database, &mut point);
            let administering = begin(&database, &mut client, &format!("BEGIN; {sql}; COMMIT"));
            point.open();
            assert_eq!(Outcome::joined(merging, "a merge").state, "00000", "{sql} at {at}");
            assert_eq!(Outcome::joined(administering, sql).state, "00000", "{sql} at {at}");
            assert_right(&mut client);
        }
    }
    assert_notes(&mut client);
}

/// A merge waits for no administrator, and comes again.
#[test]
fn merges_beside_administrators() {
    let (database, mut client) = small();
    for sql in ADMINISTRATORS {
        begin_again(&mut client);
        let mut administrator = database.connect();
        administrator.run(&format!("BEGIN; {sql}"));
        let merging = begin(&database, &mut client, "CALL kb_work(0)");
        administrator.run("COMMIT");
        assert_eq!(Outcome::joined(merging, "a merge").state, "00000", "{sql}");
        add_segments(&mut client, "again");
        client.run("CALL kb_work()");
        assert!(segments(&mut client)[0] < 4, "{sql}");
        assert_right(&mut client);
    }
    assert_notes(&mut client);
}

#[test]
fn administrators_beside_writers_and_readers() {
    let (database, mut client) = small();
    for level in &LEVELS[..2] {
        for sql in ADMINISTRATORS {
            let what = format!("{sql} beside {level}");
            begin_again(&mut client);
            let (mut writer, mut reader) = (database.connect(), database.connect());
            reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
            let before = answers(&mut reader, "notes");
            assert!(!before.is_empty());
            writer.run(&format!("BEGIN ISOLATION LEVEL {level}; {}", writes("w")));
            assert_finds_all(&mut writer, &what);
            let administering = begin(&database, &mut client, &format!("BEGIN; {sql}; COMMIT"));
            assert_eq!(answers(&mut reader, "notes"), before, "{what}: the same snapshot");
            writer.run("COMMIT");
            reader.run("COMMIT");
            assert_eq!(Outcome::joined(administering, sql).state, "00000", "{what}");
            assert_right(&mut client);
        }
    }
    assert_notes(&mut client);
}

#[test]
fn writers_and_readers_beside_administrators() {
    const SEARCH: &str = "SELECT count(*) FROM kb_search('common', 'notes', 'keyword', 10000)";
    let (database, mut client) = small();
    for level in &LEVELS[..2] {
        for sql in ADMINISTRATORS {
            let what = format!("{level} beside {sql}");
            begin_again(&mut client);
            let mut administrator = database.connect();
            administrator.run(&format!("BEGIN; {sql}"));
            let write = format!("BEGIN ISOLATION LEVEL {level}; {}; COMMIT", writes("w"));
            let writing = begin(&database, &mut client, &write);
            let reading = begin(&database, &mut client, SEARCH);
            administrator.run("COMMIT");
            let (written, read) =
                (Outcome::joined(writing, "a writer"), Outcome::joined(reading, "a search"));
            // A change by the administrator conflicts with a kept snapshot.
            let is_conflict = written.state == "40001" && *level != "READ COMMITTED";
            assert!(written.state == "00000" || is_conflict, "{what}: {}", written.state);
            // A search waits for locks for a short time only.
            assert!(["00000", "55P03"].contains(&read.state.as_str()), "{what}: {}", read.state);
            assert_right(&mut client);
        }
    }
    assert_notes(&mut client);
}
