//! Merges of the keyword index beside writers and readers of every kind: no posting is lost or doubled, and nobody
//! fails because of them.

use std::thread::{self, JoinHandle};

use kb_rag_cluster_tests::keyword::{answers, assert_notes, create_notes, queue_merge, segments, unmerged};
use kb_rag_cluster_tests::{Database, Server, Session, assert_figures, sqlstate, wait_until};
use postgres::Client;

fn base() -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    create_notes(&mut client);
    (database, client)
}

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

/// Runs a statement until it does not fail for a conflict, and panics at any other error.
fn without_conflict(client: &mut Client, sql: &str) {
    loop {
        match sqlstate(&client.batch_execute(sql)).as_str() {
            "00000" => return,
            "40001" => client.run("ROLLBACK"),
            state => panic!("{state}: {sql}"),
        }
    }
}

#[test]
fn a_transaction_of_many_statements_merges_its_own_segments() {
    const STATEMENTS: i64 = 12_000;
    let (database, mut client) = base();
    client.run("BEGIN");
    client.run(&format!(
        "DO $$ BEGIN FOR n IN 1..{STATEMENTS} LOOP
             INSERT INTO kb_notes.document (content) VALUES ('common left word' || n % 10);
         END LOOP; END $$"
    ));
    let [many, _] = segments(&mut client);
    assert!(many < 600, "{many} segments of one transaction");
    assert_figures(&mut client, "kb_notes");
    let found: i64 = client.value("SELECT count(*) FROM kb_search('word3', 'notes', 'keyword', 10000)", &[]);
    assert_eq!(found, STATEMENTS / 10, "within the transaction");
    let mut other = database.connect();
    assert_eq!(other.value::<i64>("SELECT count(*) FROM kb_search('word3', 'notes', 'keyword')", &[]), 0);
    client.run("COMMIT");
    assert_notes(&mut client);
    let before = answers(&mut client, "notes");
    client.run(
        "BEGIN; DO $$ BEGIN FOR n IN 1..600 LOOP
             INSERT INTO kb_notes.document (content) VALUES ('common never word' || n % 10);
             DELETE FROM kb_notes.document WHERE id = (SELECT id FROM kb_notes.document LIMIT 1);
         END LOOP; END $$; ROLLBACK",
    );
    assert_eq!(answers(&mut client, "notes"), before, "after a rollback");
    assert_notes(&mut client);
}

#[test]
fn updates_and_deletes_alone_are_merged_too() {
    let (_database, mut client) = base();
    for n in 0..60 {
        assert_eq!(add(&mut client, "left", n), "00000");
    }
    // Each update adds a segment of each sign.
    client.run(
        "DO $$ BEGIN FOR n IN 1..500 LOOP
             UPDATE kb_notes.document SET content = 'common changed word' || n WHERE source_key = 'left ' || n % 60;
         END LOOP; END $$",
    );
    let [many, _] = segments(&mut client);
    assert!(many < 400, "{many} segments after updates");
    assert_figures(&mut client, "kb_notes");
    client.run("CALL kb_work()");
    let [many, _] = segments(&mut client);
    assert!(many < 70, "{many} segments after merges");
    assert_notes(&mut client);
    client.run("DO $$ BEGIN FOR n IN 0..59 LOOP DELETE FROM kb_notes.document WHERE source_key = 'left ' || n; END LOOP; END $$");
    assert_eq!(answers(&mut client, "notes"), Vec::<String>::new(), "of what is deleted");
    assert_figures(&mut client, "kb_notes");
    client.run("CALL kb_work()");
    assert_notes(&mut client);
}

#[test]
fn transactions_of_every_isolation_level_write_beside_merges() {
    const STATEMENTS: usize = 150;
    let (database, mut client) = base();
    let levels = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "READ COMMITTED"];
    let writers: Vec<JoinHandle<()>> = (0..)
        .zip(levels)
        .map(|(writer, level)| {
            let mut client = database.connect();
            client.run(&format!("SET default_transaction_isolation = '{level}'"));
            thread::spawn(move || {
                let label = if writer % 2 == 0 { "left" } else { "right" };
                for n in 0..STATEMENTS {
                    let key = format!("{label} {writer} {n}");
                    let text = content(label, n);
                    without_conflict(
                        &mut client,
                        &format!(
                            "BEGIN; INSERT INTO kb_notes.document (source_key, content) VALUES ('{key}', '{text}'); SAVEPOINT s;
                             DELETE FROM kb_notes.document WHERE source_key LIKE '{label} {writer} %'; ROLLBACK TO s; COMMIT"
                        ),
                    );
                    if n % 4 == 3 {
                        without_conflict(
                            &mut client,
                            &format!("UPDATE kb_notes.document SET content = content || ' changed' WHERE source_key = '{key}'"),
                        );
                    }
                    if n % 9 == 8 {
                        without_conflict(
                            &mut client,
                            &format!("DELETE FROM kb_notes.document WHERE source_key = '{key}'"),
                        );
                    }
                }
            })
        })
        .collect();
    let mut worker = database.connect();
    while writers.iter().any(|writer| !writer.is_finished()) {
        worker.run("CALL kb_work()");
        assert_figures(&mut worker, "kb_notes");
        answers(&mut client, "notes");
    }
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let there: i64 = client.value("SELECT count(*) FROM kb_notes.document", &[]);
    assert_eq!(there as usize, levels.len() * (STATEMENTS - STATEMENTS / 9), "documents");
    assert_notes(&mut client);
}

#[test]
fn serializable_transactions_that_only_write_do_not_conflict() {
    let (database, mut first) = base();
    let mut second = database.connect();
    // Merging is due for each writer.
    for n in 0..300 {
        assert_eq!(add(&mut first, "left", n), "00000");
    }
    for round in 0..40 {
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
    let (database, mut writer) = base();
    for n in 0..200 {
        assert_eq!(add(&mut writer, "left", n), "00000");
    }
    let mut reader = database.connect();
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    let before = answers(&mut reader, "notes");
    assert!(before.len() > 300, "{} answers", before.len());
    writer.run(
        "DO $$ BEGIN FOR n IN 1..3000 LOOP
             INSERT INTO kb_notes.document (content) VALUES ('common right word' || n % 10);
         END LOOP; END $$",
    );
    assert_eq!(answers(&mut reader, "notes"), before, "after writes");
    writer.run("CALL kb_work()");
    writer.run("VACUUM kb_notes.keyword_segment, kb_notes.keyword_run");
    assert_eq!(answers(&mut reader, "notes"), before, "after merges");
    assert_figures(&mut reader, "kb_notes");
    writer.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'left 1%'");
    writer.run("CALL kb_work()");
    assert_eq!(answers(&mut reader, "notes"), before, "after deletions");
    assert_eq!(sqlstate(&reader.batch_execute("COMMIT")), "00000");
    assert_ne!(answers(&mut reader, "notes"), before);
    assert_notes(&mut writer);
}

#[test]
fn writers_readers_and_administrators_lose_no_posting() {
    const ROUNDS: usize = 40;
    const CLIENTS: usize = 8;
    let (database, mut client) = base();
    let writers = (0..CLIENTS).map(|writer| {
        let mut client = database.connect();
        thread::spawn(move || {
            let label = if writer % 2 == 0 { "left" } else { "right" };
            for n in 0..ROUNDS {
                let (key, text) = (format!("{writer} {n}"), content(label, n));
                // A writer may wait for an administrator, and be chosen to end a deadlock with one.
                let sql = match n % 5 {
                    0 => format!(
                        "INSERT INTO kb_notes.document (source_key, content) SELECT '{key} ' || n, '{text}' FROM generate_series(1, 20) n"
                    ),
                    4 => format!("DELETE FROM kb_notes.document WHERE source_key LIKE '{writer} {} %'", n - 4),
                    3 => format!(
                        "UPDATE kb_notes.document SET content = content || ' changed' WHERE source_key LIKE '{writer} {} 1%'",
                        n - 3
                    ),
                    _ => format!("INSERT INTO kb_notes.document (source_key, content) VALUES ('{key}', '{text}')"),
                };
                let state = sqlstate(&client.batch_execute(&sql));
                assert!(["00000", "40P01", "55P03"].contains(&state.as_str()), "{state}: {sql}");
            }
        })
    });
    let writers: Vec<JoinHandle<()>> = writers.collect();
    let readers: Vec<JoinHandle<()>> = (0..CLIENTS)
        .map(|_| {
            let mut client = database.connect();
            thread::spawn(move || {
                for _ in 0..ROUNDS {
                    let sql = "SELECT count(*) FROM kb_search('common word3 left', 'notes', 'keyword', 50)";
                    let state = client.state_of(sql, &[]);
                    assert!(["00000", "55P03", "40P01"].contains(&state.as_str()), "a search: {state}");
                }
            })
        })
        .collect();
    let mut administrator = database.connect();
    let statements = [
        "SELECT kb_reindex('notes')",
        "CALL kb_work()",
        "SELECT kb_configure('notes', title_weight => 3)",
        "SELECT kb_reconcile('notes')",
        "TRUNCATE kb_notes.document CASCADE",
        "BEGIN; TRUNCATE kb_notes.document CASCADE; INSERT INTO kb_notes.document (content) VALUES ('common never'); ROLLBACK",
        "CALL kb_work()",
    ];
    for sql in statements.iter().cycle() {
        if writers.iter().chain(&readers).all(JoinHandle::is_finished) {
            break;
        }
        let state = sqlstate(&administrator.batch_execute(sql));
        assert!(["00000", "40P01", "55P03"].contains(&state.as_str()), "{state}: {sql}");
        if state != "00000" && sql.starts_with("BEGIN") {
            administrator.run("ROLLBACK");
        }
    }
    writers.into_iter().chain(readers).for_each(|session| session.join().unwrap());
    assert_notes(&mut client);
}

#[test]
fn crashes_in_the_middle_of_merges_leave_the_index_right() {
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    client.run("SELECT kb_configure('notes', embed => 'off')");
    for crash in 0..6i64 {
        let mut loader = server.connect();
        let loading = thread::spawn(move || {
            // Until the server is gone.
            for n in 0.. {
                if add(&mut loader, &format!("left {crash}"), n) != "00000" {
                    return n;
                }
            }
            unreachable!("the server goes first")
        });
        let mut worker = server.connect();
        let working = thread::spawn(move || while worker.state_of("CALL kb_work()", &[]) == "00000" {});
        let mut observer = server.connect();
        let begun: i64 = observer.value("SELECT coalesce(max(id), 0) FROM kb_notes.keyword_segment", &[]);
        wait_until("merges", || {
            observer.value::<bool>(
                "SELECT count(*) > 0 FROM kb_notes.keyword_segment WHERE chunks > 1 AND id > $1 + 40 * $2::int8",
                &[&begun, &(crash + 1)],
            )
        });
        server.crash();
        let added = loading.join().unwrap();
        working.join().unwrap();
        client = server.connect();
        let there: i64 = client.value(
            "SELECT count(*) FROM kb_notes.document WHERE source_key LIKE $1",
            &[&format!("left {crash} %")],
        );
        // The commit of the last one may have been lost with its answer.
        assert!([added as i64, added as i64 + 1].contains(&there), "{there} documents of {added}");
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
    let sums = "SELECT format('%s %s', sum(sign * chunks), sum((configs->>'pg_catalog.english')::int)) FROM kb_notes.keyword_segment";
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
