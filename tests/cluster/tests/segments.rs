//! The segments of the keyword index under writers of every kind: no writer waits or fails because of them, and they
//! match the chunks.

use std::io::Write;
use std::thread;

use kb_rag_cluster_tests::keyword::SMALL;
use kb_rag_cluster_tests::{
    Database, Session, assert_consistent, assert_figures, counts, sqlstate, wait_until,
};
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

/// The number of segments.
fn segments(client: &mut impl Session) -> i64 {
    client.value("SELECT count(*) FROM kb_notes.keyword_segment", &[])
}

/// The rows of larger segments.
fn runs(client: &mut impl Session) -> i64 {
    client.value("SELECT count(*) FROM kb_notes.keyword_run", &[])
}

/// Merges what a writer has queued. Fails unless the segments become few.
fn merge(client: &mut Client) {
    client.run("CALL kb_work()");
    let left = segments(client);
    assert!(left < 12, "{left} segments after a merge");
    let shown: i64 = client.value("SELECT unmerged_segments FROM kb_rag.status", &[]);
    assert!(shown <= left, "{shown} of {left} segments in kb_rag.status");
}

/// The results of a keyword search with their scores, best first.
fn answers(client: &mut impl Session, query: &str) -> Vec<String> {
    client.column(
        "SELECT chunk_id || ' ' || score FROM kb_search($1, 'notes', 'keyword', match_count => 20)",
        &[&query],
    )
}

/// A database with a base and no workers, so that only the test merges.
fn without_workers() -> (Database, Client) {
    let database = Database::create();
    database.set("kb_rag.workers", "0");
    let mut client = database.connect();
    client.create_base("notes");
    (database, client)
}

/// The same with merges of few segments.
fn merging_soon() -> (Database, Client) {
    let (database, _) = without_workers();
    database.set("kb_rag.test_limits", SMALL);
    let client = database.connect();
    (database, client)
}

/// Two sessions that would not wait long for each other.
fn two_writers() -> (Database, Client, Client) {
    as_two_writers(without_workers().0)
}

/// The same with merges of few segments.
fn two_writers_merging_soon() -> (Database, Client, Client) {
    as_two_writers(merging_soon().0)
}

fn as_two_writers(database: Database) -> (Database, Client, Client) {
    let (mut first, mut second) = (database.connect(), database.connect());
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
    assert_eq!(configs, ["pg_catalog.english/2f", "pg_catalog.french/2f"]);
    let before = counts(&mut client, "kb_notes")[1];
    let mut copy = client.copy_in("COPY kb_notes.document (source_key, content) FROM STDIN").unwrap();
    for n in 0..1500 {
        writeln!(copy, "copied {n}\tA copied text of some words, number {n}.").unwrap();
    }
    copy.finish().unwrap();
    assert_eq!(counts(&mut client, "kb_notes")[1], before + 1500);
    assert_figures(&mut client, "kb_notes");
    assert!(runs(&mut client) > 0, "a large segment");
    client.run("TRUNCATE kb_notes.document CASCADE");
    assert_figures(&mut client, "kb_notes");
    assert_eq!([segments(&mut client), runs(&mut client)], [0; 2]);
    add(&mut client, "again ", 10);
    client.run("BEGIN; TRUNCATE kb_notes.document CASCADE");
    add(&mut client, "never ", 20);
    assert_figures(&mut client, "kb_notes");
    client.run("ROLLBACK");
    assert_eq!(counts(&mut client, "kb_notes"), [10; 3]);
    assert_figures(&mut client, "kb_notes");
}

/// Two sessions write 96 statements while a third one checks.
fn many_small_statements(database: &Database, client: &mut Client) {
    const STATEMENTS: usize = 40;
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
        assert_figures(client, "kb_notes");
    }
    for writer in writers {
        writer.join().unwrap();
    }
    assert_figures(client, "kb_notes");
    assert_eq!(counts(client, "kb_notes"), [2 * (STATEMENTS - STATEMENTS / 5) as i64; 3]);
}

#[test]
fn two_sessions_of_many_small_statements_merge_the_segments() {
    let (database, mut client) = merging_soon();
    many_small_statements(&database, &mut client);
    let left = segments(&mut client);
    assert!(left <= 35, "{left} segments after 96 statements");
    merge(&mut client);
    assert_consistent(&mut client, "notes", "kb_notes");
}

#[test]
fn workers_merge_the_segments_of_many_small_statements() {
    let (database, _) = Database::with_base("notes");
    database.set("kb_rag.test_limits", SMALL);
    let mut client = database.connect();
    many_small_statements(&database, &mut client);
    wait_until("few segments", || segments(&mut client) < 12);
    assert_consistent(&mut client, "notes", "kb_notes");
}

/// A serializable transaction can only fail because of what it has read.
fn assert_reads_no_segment(client: &mut Client, level: &str) {
    let read: Vec<String> = client.column(
        "SELECT DISTINCT c.relname::text FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
         WHERE l.mode = 'SIReadLock' AND l.pid = pg_backend_pid() AND c.relname LIKE 'keyword%'",
        &[],
    );
    assert_eq!(read, [""; 0], "tables and indexes of the keyword index that a writer reads at {level}");
}

#[test]
fn writers_that_keep_their_snapshot_never_fail_because_of_the_segments() {
    let (_database, mut first, mut second) = two_writers_merging_soon();
    // Fewer than a writer merges, and more than a worker does.
    for n in 0..6 {
        add(&mut first, &format!("seed {n} "), 1);
    }
    assert_eq!(segments(&mut first), 6);
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        for client in [&mut first, &mut second] {
            client.run(&format!("BEGIN ISOLATION LEVEL {level}"));
            counts(client, "kb_notes");
        }
        // So many that each session has to merge.
        for n in 0..10 {
            add(&mut first, &format!("first {level} {n} "), 3);
            add(&mut second, &format!("second {level} {n} "), 4);
        }
        add(&mut first, &format!("first again {level} "), 5);
        for client in [&mut first, &mut second] {
            assert_reads_no_segment(client, level);
        }
        first.run("COMMIT");
        if level == "SERIALIZABLE" {
            // Other tables may be a cause: counts() above read chunks, and the other session wrote them.
            second.run("ROLLBACK");
        } else {
            assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000");
        }
        assert_figures(&mut first, "kb_notes");
    }
    // Another session merges the segments that one transaction sees.
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    counts(&mut second, "kb_notes");
    merge(&mut first);
    add(&mut second, "after the merge ", 6);
    second.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'seed 1%'");
    assert_figures(&mut second, "kb_notes");
    assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000");
    assert_figures(&mut first, "kb_notes");
    assert_consistent(&mut first, "notes", "kb_notes");
}

/// A writer that keeps its snapshot finds segments to merge that another session has merged since.
#[test]
fn a_merge_under_an_old_snapshot_is_undone_and_the_writer_goes_on() {
    let (_database, mut first, mut second) = two_writers_merging_soon();
    for n in 0..6 {
        add(&mut first, &format!("seed {n} "), 1);
    }
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    counts(&mut second, "kb_notes");
    merge(&mut first);
    for n in 0..4 {
        add(&mut second, &format!("second {n} "), 1);
    }
    assert_eq!(segments(&mut second), 6 + 4, "what the snapshot sees, none of it merged");
    assert_figures(&mut second, "kb_notes");
    assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000");
    assert_eq!(counts(&mut first, "kb_notes"), [10; 3]);
    assert_consistent(&mut first, "notes", "kb_notes");
}

#[test]
fn truncating_with_an_old_snapshot_also_removes_the_segments_of_later_rows() {
    let (_database, mut first, mut second) = two_writers_merging_soon();
    add(&mut first, "old ", 10);
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    counts(&mut second, "kb_notes");
    for n in 0..6 {
        add(&mut first, &format!("new {n} "), 1);
    }
    second.run("TRUNCATE kb_notes.document CASCADE");
    add(&mut second, "newest ", 3);
    second.run("COMMIT");
    assert_eq!(counts(&mut first, "kb_notes"), [3; 3]);
    assert_figures(&mut first, "kb_notes");
}

#[test]
fn a_snapshot_keeps_its_segments_and_scores() {
    for size in [100, 2100] {
        let (database, mut writer) = merging_soon();
        let mut reader = database.connect();
        add(&mut writer, "old ", size);
        reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        let before = ["note again", "note 7"].map(|query| answers(&mut reader, query));
        assert_eq!(before.each_ref().map(Vec::len), [20; 2]);
        // Enough statements for a merge, which deletes the rows that the snapshot sees.
        for n in 0..6 {
            add(&mut writer, &format!("new {n} "), 1);
        }
        add(&mut writer, "more ", size / 10);
        writer.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'old 1%'");
        merge(&mut writer);
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

/// Deleted rows of the keyword index that a snapshot keeps, more than a search passes over in the index.
fn leave_dead_segments(client: &mut Client) {
    client.run(
        "DO $$ DECLARE before bigint := (SELECT max(id) FROM kb_notes.keyword_segment); BEGIN
             INSERT INTO kb_notes.keyword_segment (tier, sign, chunks, length, configs, first, last, runs, version, data)
             SELECT tier, sign, chunks, length, configs, first, last, runs, version, data
             FROM (SELECT * FROM kb_notes.keyword_segment ORDER BY id LIMIT 1) s, generate_series(1, 3000);
             DELETE FROM kb_notes.keyword_segment WHERE id > before;
         END $$",
    );
}

/// The answers to two queries, and whether a search read the table of the segments as a whole.
fn answers_and_way(client: &mut Client) -> ([Vec<String>; 2], bool) {
    let found = ["note again", "note 7"].map(|query| answers(client, query));
    let scans = "SELECT coalesce(sum(seq_scan), 0)::int8 FROM pg_stat_xact_all_tables
                 WHERE relid = 'kb_notes.keyword_segment'::regclass";
    let before: i64 = client.value(scans, &[]);
    answers(client, "note");
    let after: i64 = client.value(scans, &[]);
    (found, after > before)
}

#[test]
fn dead_rows_that_a_snapshot_keeps_change_no_answer() {
    let (database, mut writer) = without_workers();
    let (mut holder, mut reader) = (database.connect(), database.connect());
    for n in 0..20 {
        add(&mut writer, &format!("old {n} "), 1);
    }
    holder.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    let of_holder = answers_and_way(&mut holder);
    assert!(!of_holder.1, "few rows are read by the index");
    leave_dead_segments(&mut writer);
    // Later segments, among them a negative one and one with rows of its own.
    for n in 0..10 {
        add(&mut writer, &format!("new {n} "), 1);
    }
    add(&mut writer, "more ", 2100);
    writer.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'old 1%'");
    assert_eq!(answers_and_way(&mut holder), (of_holder.0, true), "what the snapshot sees");
    reader.run("BEGIN");
    let (held, is_sequential) = answers_and_way(&mut reader);
    assert!(is_sequential, "the table is read as a whole");
    assert_figures(&mut reader, "kb_notes");
    reader.run("COMMIT");
    holder.run("COMMIT");
    wait_until("dead segments vacuumed", || {
        writer.run("VACUUM kb_notes.keyword_segment");
        reader.run("BEGIN");
        let (found, is_sequential) = answers_and_way(&mut reader);
        reader.run("COMMIT");
        assert_eq!(found, held);
        !is_sequential
    });
}

/// Serializable transactions that search and write conflict with each other, whichever way a search reads the segments. Those
/// that write beside one that only searches do not fail.
#[test]
fn serializable_searches_conflict_with_writers_as_often_with_dead_rows() {
    let (database, mut first, mut second) = two_writers();
    let mut holder = database.connect();
    for n in 0..20 {
        add(&mut first, &format!("old {n} "), 1);
    }
    holder.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    for is_sequential in [false, true] {
        if is_sequential {
            leave_dead_segments(&mut first);
        }
        for second_searches in [false, true] {
            for client in [&mut first, &mut second] {
                client.run("BEGIN ISOLATION LEVEL SERIALIZABLE");
            }
            assert_eq!(answers_and_way(&mut first).1, is_sequential);
            if second_searches {
                answers(&mut second, "note again");
            }
            add(&mut first, &format!("first {is_sequential} {second_searches} "), 1);
            let written = second.state_of(
                "INSERT INTO kb_notes.document (source_key, content)
                 VALUES (concat('second ', $1::bool, $2::bool), 'A note again.')",
                &[&is_sequential, &second_searches],
            );
            assert_eq!(sqlstate(&first.batch_execute("COMMIT")), "00000");
            let committed =
                if written == "00000" { sqlstate(&second.batch_execute("COMMIT")) } else { written };
            second.run("ROLLBACK");
            let expected = if second_searches { "40001" } else { "00000" };
            assert_eq!(committed, expected, "sequential: {is_sequential}, both search: {second_searches}");
        }
    }
    holder.run("COMMIT");
    assert_consistent(&mut first, "notes", "kb_notes");
}
