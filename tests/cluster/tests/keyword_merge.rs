//! Merges of the keyword index: no posting is lost or doubled, whatever they merge, and wherever they end.

use kb_rag_cluster_tests::keyword::{SMALL, answers, assert_notes, queue_merge, segments, small, unmerged};
use kb_rag_cluster_tests::{Outcome, Point, Server, Session, assert_figures, sqlstate};
use postgres::Client;

/// A document that the questions find.
fn content(label: &str, n: usize) -> String {
    format!("common {label} word{} word{} and some more", n % 10, n % 7)
}

fn add(client: &mut Client, label: &str, n: usize) -> String {
    let result = client.execute(
        "INSERT INTO kb_notes.document (source_key, content) VALUES ($1, $2)",
        &[&format!("{label} {n}"), &content(label, n)],
    );
    sqlstate(&result)
}

#[test]
fn a_transaction_of_many_statements_merges_its_own_segments() {
    const STATEMENTS: i64 = 600;
    let (database, mut client) = small();
    client.run("BEGIN");
    client.run(&format!(
        "DO $$ BEGIN FOR n IN 1..{STATEMENTS} LOOP
             INSERT INTO kb_notes.document (content) VALUES ('common left word' || n % 10);
         END LOOP; END $$"
    ));
    let [many, _] = segments(&mut client);
    assert!(many < 20, "{many} segments of one transaction");
    assert_figures(&mut client, "kb_notes");
    let found: i64 = client.value("SELECT count(*) FROM kb_search('word3', 'notes', 'keyword', 10000)", &[]);
    assert_eq!(found, STATEMENTS / 10, "within the transaction");
    let mut other = database.connect();
    assert_eq!(other.value::<i64>("SELECT count(*) FROM kb_search('word3', 'notes', 'keyword')", &[]), 0);
    client.run("COMMIT");
    assert_notes(&mut client);
    let before = answers(&mut client, "notes");
    client.run(
        "BEGIN; DO $$ BEGIN FOR n IN 1..60 LOOP
             INSERT INTO kb_notes.document (content) VALUES ('common never word' || n % 10);
             DELETE FROM kb_notes.document WHERE id = (SELECT id FROM kb_notes.document LIMIT 1);
         END LOOP; END $$; ROLLBACK",
    );
    assert_eq!(answers(&mut client, "notes"), before, "after a rollback");
    assert_notes(&mut client);
}

#[test]
fn updates_and_deletes_alone_are_merged_too() {
    let (_database, mut client) = small();
    for n in 0..10 {
        assert_eq!(add(&mut client, "left", n), "00000");
    }
    // Each update adds a segment of each sign.
    client.run(
        "DO $$ BEGIN FOR n IN 1..100 LOOP
             UPDATE kb_notes.document SET content = 'common changed word' || n WHERE source_key = 'left ' || n % 10;
         END LOOP; END $$",
    );
    let [many, _] = segments(&mut client);
    assert!(many < 20, "{many} segments after updates");
    assert_figures(&mut client, "kb_notes");
    queue_merge(&mut client);
    client.run("CALL kb_work()");
    let [many, _] = segments(&mut client);
    assert!(many < 6, "{many} segments after merges");
    assert_notes(&mut client);
    client.run("DO $$ BEGIN FOR n IN 0..9 LOOP DELETE FROM kb_notes.document WHERE source_key = 'left ' || n; END LOOP; END $$");
    assert_eq!(answers(&mut client, "notes"), Vec::<String>::new(), "of what is deleted");
    assert_figures(&mut client, "kb_notes");
    queue_merge(&mut client);
    client.run("CALL kb_work()");
    assert_notes(&mut client);
}

#[test]
fn serializable_transactions_that_only_write_do_not_conflict() {
    let (database, mut first) = unmerged();
    // Merging is due for each writer.
    for n in 0..12 {
        assert_eq!(add(&mut first, "left", n), "00000");
    }
    database.set("kb_rag.test_limits", SMALL);
    let (mut first, mut second) = (database.connect(), database.connect());
    for round in 0..3 {
        for client in [&mut first, &mut second] {
            client.run("BEGIN ISOLATION LEVEL SERIALIZABLE");
        }
        for (client, label) in [(&mut first, "left"), (&mut second, "right")] {
            assert_eq!(add(client, label, 1000 + round), "00000", "round {round}");
        }
        for client in [&mut first, &mut second] {
            assert_eq!(sqlstate(&client.batch_execute("COMMIT")), "00000", "round {round}");
        }
    }
    assert_notes(&mut first);
}

#[test]
fn a_kept_snapshot_gives_the_same_answers_whatever_others_do() {
    let (database, mut writer) = small();
    for n in 0..20 {
        assert_eq!(add(&mut writer, "left", n), "00000");
    }
    let mut reader = database.connect();
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    let before = answers(&mut reader, "notes");
    assert!(before.len() > 50, "{} answers", before.len());
    writer.run(
        "DO $$ BEGIN FOR n IN 1..100 LOOP
             INSERT INTO kb_notes.document (content) VALUES ('common right word' || n % 10);
         END LOOP; END $$",
    );
    assert_eq!(answers(&mut reader, "notes"), before, "after writes");
    queue_merge(&mut writer);
    writer.run("CALL kb_work()");
    writer.run("VACUUM kb_notes.keyword_segment, kb_notes.keyword_run");
    assert_eq!(answers(&mut reader, "notes"), before, "after merges");
    assert_figures(&mut reader, "kb_notes");
    writer.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'left 1%'");
    queue_merge(&mut writer);
    writer.run("CALL kb_work()");
    assert_eq!(answers(&mut reader, "notes"), before, "after deletions");
    assert_eq!(sqlstate(&reader.batch_execute("COMMIT")), "00000");
    assert_ne!(answers(&mut reader, "notes"), before);
    assert_notes(&mut writer);
}

#[test]
fn crashes_in_the_middle_of_merges_leave_the_index_right() {
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    client.run(&format!(
        "SELECT kb_configure('notes', embed => 'off', part_weight => 0);
         ALTER DATABASE postgres SET kb_rag.workers = 0; ALTER DATABASE postgres SET kb_rag.test_limits = '{SMALL}'"
    ));
    let mut documents = 0;
    for crash in [Some("merge.found"), Some("merge.before_swap"), None] {
        client = server.connect();
        // So few that no writer merges.
        for n in 0..5 {
            assert_eq!(add(&mut client, &format!("left {crash:?}"), n), "00000");
        }
        documents += 5;
        // The worker that crashed has the last one, until its lease ends.
        client.run("DELETE FROM kb_rag.job");
        queue_merge(&mut client);
        let (mut open, mut worker) = (server.connect(), server.connect());
        open.run("BEGIN");
        assert_eq!(add(&mut open, "never", documents), "00000");
        let mut point = crash.map(|name| Point::hold_by(server.connect(), name));
        point.iter().for_each(|point| worker.run(&point.setting()));
        let working = Outcome::spawn(worker, "CALL kb_work()");
        let end = match &mut point {
            Some(point) => {
                point.wait_for(1);
                // This is committed while the merge is under way.
                assert_eq!(add(&mut client, "during", documents), "00000");
                documents += 1;
                server.crash();
                working.join().unwrap().state
            }
            // The merge is committed.
            None => {
                let end = Outcome::joined(working, "merges").state;
                server.crash();
                end
            }
        };
        assert_eq!(end == "00000", crash.is_none(), "{crash:?}: {end}");
        client = server.connect();
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_notes.document", &[]), documents as i64);
        assert_figures(&mut client, "kb_notes");
        assert_notes(&mut client);
    }
}

/// A merge notes the text search configurations of all that it leaves with the positive segment. A later merge that leaves no
/// chunk must not lose them.
#[test]
fn merges_keep_the_sum_of_text_search_configurations() {
    let (_database, mut client) = unmerged();
    let one_by_one = |client: &mut Client, from: usize, to: usize, sql: &str| {
        client.run(&format!("DO $$ BEGIN FOR n IN {from}..{to} LOOP {sql}; END LOOP; END $$"));
    };
    let sums = "SELECT format('%s %s', sum(sign * chunks), sum((configs->>'pg_catalog.english/2f')::int)) FROM kb_notes.keyword_segment";
    let (insert, delete) = (
        "INSERT INTO kb_notes.document (source_key, content) VALUES (n, 'common left word' || n)",
        "DELETE FROM kb_notes.document WHERE source_key = n::text",
    );
    client.run(&insert.replace(
        "VALUES (n, 'common left word' || n)",
        "SELECT n, 'common left' FROM generate_series(1, 200) n",
    ));
    one_by_one(&mut client, 1001, 1060, insert);
    one_by_one(&mut client, 1, 70, delete);
    queue_merge(&mut client);
    client.run("CALL kb_work()");
    assert_eq!(
        client.value::<String>(sums, &[]),
        "190 190",
        "after a merge that leaves chunks of both signs"
    );
    one_by_one(&mut client, 1001, 1060, delete);
    one_by_one(&mut client, 2001, 2002, insert);
    one_by_one(&mut client, 2001, 2002, delete);
    queue_merge(&mut client);
    client.run("CALL kb_work()");
    assert_eq!(client.value::<String>(sums, &[]), "130 130", "after a merge that leaves none");
    assert_notes(&mut client);
}

/// A purge leaves alone the deletions that it does not end.
#[test]
fn a_purge_takes_only_deletions_from_the_segment_it_purges() {
    let (_database, mut client) = unmerged();
    for label in ["left", "right"] {
        client.run(&format!(
            "INSERT INTO kb_notes.document (source_key, content)
             SELECT '{label} ' || n, 'common {label} word' || n % 10 FROM generate_series(1, 3000) n"
        ));
    }
    client.run("DELETE FROM kb_notes.document WHERE source_key IN (SELECT 'left ' || n FROM generate_series(1, 500) n)");
    let listed = "SELECT string_agg(sign * chunks || CASE WHEN id <= 3 THEN ' kept' ELSE '' END, ', ' ORDER BY sign, chunks)
        FROM kb_notes.keyword_segment";
    assert_eq!(client.value::<String>(listed, &[]), "-500 kept, 3000 kept, 3000 kept");
    client.run("DELETE FROM kb_notes.document WHERE source_key IN (SELECT 'right ' || n FROM generate_series(1, 600) n)");
    queue_merge(&mut client);
    client.run("CALL kb_work()");
    assert_eq!(client.value::<String>(listed, &[]), "-500 kept, 2400, 3000 kept");
    assert_notes(&mut client);
}

/// A statement on `chunk` itself is collected in steps of 32 MB, as one on `document` is.
#[test]
fn a_statement_on_chunks_writes_a_segment_whenever_much_is_collected() {
    let (_database, mut client) = unmerged();
    client.run("INSERT INTO kb_notes.document (content) SELECT 'common ' || n FROM generate_series(1, 12) n");
    let before: i64 = client.value("SELECT max(id) FROM kb_notes.keyword_segment", &[]);
    client.run(
        "UPDATE kb_notes.chunk SET length = 40001, tsv = array_to_tsvector(ARRAY['common'] || ARRAY(
             SELECT right(id::text, 8) || n FROM generate_series(1, 40000) n))",
    );
    let sizes: Vec<i32> = client.column(
        "SELECT chunks FROM kb_notes.keyword_segment WHERE id > $1 AND sign > 0 ORDER BY chunks",
        &[&before],
    );
    assert!((2..12).contains(&sizes.len()), "{sizes:?} chunks in segments");
    assert_eq!(sizes.iter().sum::<i32>(), 12);
    let found: i64 = client.value("SELECT count(*) FROM kb_search('common', 'notes', 'keyword', 20)", &[]);
    assert_eq!(found, 12);
}
