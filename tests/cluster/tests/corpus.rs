//! The BM25 statistics under writers of every kind: no writer waits or fails because of them, and they match
//! the chunks.

use std::io::Write;
use std::thread;

use kb_rag_cluster_tests::{Database, Session, assert_consistent, assert_figures, counts, sqlstate};
use postgres::Client;

/// Adds `count` documents of one chunk each, in one statement.
fn add(client: &mut impl Session, label: &str, count: i32) {
    client
        .execute(
            "INSERT INTO kb_notes.document (source_key, content)
             SELECT $1::text || n, concat('Note ', n, ' of ', $1::text, repeat(' again', n % 7))
             FROM generate_series(1, $2::int) n",
            &[&label, &count],
        )
        .unwrap();
}

fn corpus_rows(client: &mut impl Session) -> i64 {
    client.value("SELECT count(*) FROM kb_notes.corpus", &[])
}

/// The results of a keyword search with their scores, best first.
fn answers(client: &mut impl Session, query: &str) -> Vec<String> {
    client.column(
        "SELECT chunk_id || ' ' || score FROM kb_search($1, 'notes', 'keyword', match_count => 20)",
        &[&query],
    )
}

/// Two sessions that would not wait long for each other.
fn two_writers() -> (Database, Client, Client) {
    let (database, mut first) = Database::with_base("notes");
    let mut second = database.connect();
    for client in [&mut first, &mut second] {
        client.run("SET lock_timeout = '5s'");
    }
    (database, first, second)
}

#[test]
fn open_transactions_do_not_wait_for_each_other_and_end_in_any_order() {
    let (_database, mut first, mut second) = two_writers();
    for (of_first, of_second, first_ends_first) in [
        ("COMMIT", "COMMIT", true),
        ("COMMIT", "COMMIT", false),
        ("ROLLBACK", "COMMIT", true),
        ("COMMIT", "ROLLBACK", true),
    ] {
        let before = counts(&mut first, "kb_notes")[1];
        for client in [&mut first, &mut second] {
            client.run("BEGIN");
        }
        for round in 0..3 {
            add(&mut first, &format!("first {before} {round} "), 5);
            add(&mut second, &format!("second {before} {round} "), 7);
        }
        for client in [&mut first, &mut second] {
            assert_figures(client, "kb_notes");
        }
        let mut ends = [(&mut first, of_first), (&mut second, of_second)];
        if !first_ends_first {
            ends.reverse();
        }
        for (client, end) in ends {
            client.run(end);
            assert_figures(client, "kb_notes");
        }
        let added = [(of_first, 15), (of_second, 21)]
            .iter()
            .filter(|(end, _)| *end == "COMMIT")
            .map(|(_, n)| n)
            .sum::<i64>();
        assert_eq!(counts(&mut first, "kb_notes")[1], before + added);
    }
    assert_consistent(&mut first, "notes", "kb_notes");
}

#[test]
fn every_way_to_write_is_counted() {
    let (_database, mut client) = Database::with_base("notes");
    add(&mut client, "kept ", 50);
    for statement in [
        "BEGIN; SELECT kb_add('notes', 'Before the savepoint.'); SAVEPOINT s; DELETE FROM kb_notes.document; \
         SELECT kb_add('notes', 'After the savepoint.'); ROLLBACK TO SAVEPOINT s; \
         SELECT kb_add('notes', 'After its rollback.'); COMMIT",
        "DELETE FROM kb_notes.document WHERE source_key LIKE 'kept 1%'",
        "UPDATE kb_notes.document SET content = content || ' and more. ' || repeat('A sentence of the longer text. ', 20) \
         WHERE source_key LIKE 'kept 2%'",
        "UPDATE kb_notes.document SET content = 'Shorter.' WHERE source_key LIKE 'kept 2%'",
        "UPDATE kb_notes.document SET language = 'de' WHERE source_key LIKE 'kept 3%'",
        "UPDATE kb_notes.document SET language = CASE source_key WHEN 'kept 30' THEN 'fr' END WHERE source_key LIKE 'kept 3%'",
        "UPDATE kb_notes.document SET title = 'A title of five words' WHERE source_key LIKE 'kept 4%'",
        "UPDATE kb_notes.document SET metadata = '{\"n\": 1}', source_type = 'code'",
        "MERGE INTO kb_notes.document d USING (SELECT 'kept ' || n AS key FROM generate_series(35, 60) n) s \
         ON d.source_key = s.key WHEN MATCHED AND s.key < 'kept 40' THEN DELETE \
         WHEN MATCHED THEN UPDATE SET content = 'Merged.' \
         WHEN NOT MATCHED THEN INSERT (source_key, content) VALUES (s.key, 'Merged and new.')",
        "DELETE FROM kb_notes.chunk WHERE ordinal = 0 AND content LIKE 'Merged%'",
    ] {
        client.run(statement);
        assert_figures(&mut client, "kb_notes");
    }
    let configs: Vec<String> =
        client.column("SELECT DISTINCT text_config FROM kb_notes.chunk ORDER BY 1", &[]);
    assert_eq!(configs, ["pg_catalog.english", "pg_catalog.french"]);
    let before = counts(&mut client, "kb_notes")[1];
    let mut copy = client.copy_in("COPY kb_notes.document (source_key, content) FROM STDIN").unwrap();
    for n in 0..300 {
        writeln!(copy, "copied {n}\tA copied text of some words, number {n}.").unwrap();
    }
    copy.finish().unwrap();
    assert_eq!(counts(&mut client, "kb_notes")[1], before + 300);
    assert_figures(&mut client, "kb_notes");
    client.run("TRUNCATE kb_notes.document CASCADE");
    assert_figures(&mut client, "kb_notes");
    assert_eq!(corpus_rows(&mut client), 0);
    add(&mut client, "again ", 10);
    client.run("BEGIN; TRUNCATE kb_notes.document CASCADE");
    add(&mut client, "never ", 20);
    assert_figures(&mut client, "kb_notes");
    client.run("ROLLBACK");
    assert_eq!(counts(&mut client, "kb_notes"), [10; 3]);
    assert_figures(&mut client, "kb_notes");
}

#[test]
fn two_sessions_of_many_small_statements_merge_the_rows() {
    const STATEMENTS: usize = 450;
    let (database, mut client) = Database::with_base("notes");
    let writers: Vec<_> = ["left", "right"]
        .into_iter()
        .map(|label| {
            let mut client = database.connect();
            client.run("SET lock_timeout = '5s'");
            thread::spawn(move || {
                for n in 0..STATEMENTS {
                    add(&mut client, &format!("{label} {n} "), 1);
                    if n % 5 == 4 {
                        client.run(&format!(
                            "DELETE FROM kb_notes.document WHERE source_key = '{label} {n} 1'"
                        ));
                    }
                }
            })
        })
        .collect();
    while writers.iter().any(|writer| !writer.is_finished()) {
        assert_figures(&mut client, "kb_notes");
    }
    for writer in writers {
        writer.join().unwrap();
    }
    assert_figures(&mut client, "kb_notes");
    assert_eq!(counts(&mut client, "kb_notes"), [2 * (STATEMENTS - STATEMENTS / 5) as i64; 3]);
    let rows = corpus_rows(&mut client);
    assert!(rows <= 400, "{rows} rows after 1,080 statements");
}

#[test]
fn writers_that_keep_their_snapshot_never_fail_because_of_the_statistics() {
    let (_database, mut first, mut second) = two_writers();
    // More rows than the threshold for merging. A transaction that keeps its snapshot merges none.
    first.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    for n in 0..250 {
        add(&mut first, &format!("seed {n} "), 1);
    }
    first.run("COMMIT");
    assert!(corpus_rows(&mut first) > 200);
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        for client in [&mut first, &mut second] {
            client.run(&format!("BEGIN ISOLATION LEVEL {level}"));
            counts(client, "kb_notes");
        }
        add(&mut first, &format!("first {level} "), 3);
        add(&mut second, &format!("second {level} "), 4);
        add(&mut first, &format!("first again {level} "), 5);
        // A serializable transaction can only fail because of what it has read.
        let read: Vec<String> = first.column(
            "SELECT DISTINCT relation::regclass::text FROM pg_locks WHERE mode = 'SIReadLock'
             AND relation IN ('kb_notes.corpus'::regclass, 'kb_notes.term'::regclass)",
            &[],
        );
        assert_eq!(read, [""; 0], "tables of statistics that writers read at {level}");
        first.run("COMMIT");
        if level == "SERIALIZABLE" {
            // Other tables may be a cause: counts() above read chunks, and the other session wrote them.
            second.run("ROLLBACK");
        } else {
            assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000");
        }
        assert_figures(&mut first, "kb_notes");
    }
    // Another session merges the rows that one transaction sees.
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    counts(&mut second, "kb_notes");
    add(&mut first, "merging ", 1);
    assert!(corpus_rows(&mut first) < 100, "merged");
    add(&mut second, "after the merge ", 6);
    second.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'seed 1%'");
    assert_figures(&mut second, "kb_notes");
    assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000");
    assert_figures(&mut first, "kb_notes");
}

#[test]
fn truncating_with_an_old_snapshot_also_empties_the_statistics_of_later_rows() {
    let (_database, mut first, mut second) = two_writers();
    add(&mut first, "old ", 10);
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    counts(&mut second, "kb_notes");
    for n in 0..250 {
        add(&mut first, &format!("new {n} "), 1);
    }
    second.run("TRUNCATE kb_notes.document CASCADE");
    add(&mut second, "newest ", 3);
    second.run("COMMIT");
    assert_eq!(counts(&mut first, "kb_notes"), [3; 3]);
    assert_figures(&mut first, "kb_notes");
}

#[test]
fn a_snapshot_keeps_its_statistics_and_scores() {
    for size in [100, 2100] {
        let (database, mut writer) = Database::with_base("notes");
        let mut reader = database.connect();
        add(&mut writer, "old ", size);
        reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        let before = ["note again", "note 7"].map(|query| answers(&mut reader, query));
        assert_eq!(before.each_ref().map(Vec::len), [20; 2]);
        // Enough statements for a merge, and enough chunks for a new count of the common lexemes.
        for n in 0..250 {
            add(&mut writer, &format!("new {n} "), 1);
        }
        add(&mut writer, "more ", size / 10);
        writer.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'old 1%'");
        let after = ["note again", "note 7"].map(|query| answers(&mut writer, query));
        assert_ne!(after, before, "what the writer sees");
        let now = ["note again", "note 7"].map(|query| answers(&mut reader, query));
        assert_eq!(now, before, "what the snapshot sees, of {size} chunks");
        assert_figures(&mut reader, "kb_notes");
        reader.run("COMMIT");
        assert_eq!(["note again", "note 7"].map(|query| answers(&mut reader, query)), after);
        assert_figures(&mut reader, "kb_notes");
    }
}
