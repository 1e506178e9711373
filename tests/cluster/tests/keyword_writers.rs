//! Writers of every isolation level beside merges, searches and administrators: the keyword index always has each chunk
//! once.

use std::thread::{self, JoinHandle};

use kb_rag_cluster_tests::keyword::{assert_notes, assert_scores, queue_merge, segments, unmerged};
use kb_rag_cluster_tests::{Database, Session, assert_figures, sqlstate};
use postgres::Client;

const LEVELS: [&str; 3] = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

/// What a statement may end with where an administrator locks the tables: a deadlock, or no lock in time.
const LOCKED: [&str; 2] = ["40P01", "55P03"];

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
             IF n % 250 = 0 THEN
                 SELECT count(*) INTO found FROM kb_search('common', 'notes', 'keyword', 10000);
                 SELECT count(*) INTO held FROM kb_notes.chunk;
                 IF found <> held THEN RAISE 'a search finds % of % chunks', found, held; END IF;
             END IF;
         END LOOP; END $$"
    )
}

#[test]
fn a_transaction_of_thousands_of_mixed_statements_is_right_inside_and_after() {
    const STATEMENTS: usize = 3_000;
    for level in LEVELS {
        let (database, mut client) = unmerged();
        let mut other = database.connect();
        client.run(&mixed(1, 300));
        assert_scores(&mut other);
        let before: Vec<String> = client.column("SELECT c::text FROM kb_notes.chunk c ORDER BY id", &[]);
        for end in ["ROLLBACK", "COMMIT"] {
            client.run(&format!("BEGIN ISOLATION LEVEL {level}; {}", mixed(301, STATEMENTS)));
            let [many, _] = segments(&mut client);
            assert!(many < 600 || level == "SERIALIZABLE", "{many} segments at {level}");
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
        assert!(left < 100, "{left} segments after merges");
        assert_notes(&mut client);
    }
}

/// Merges whatever is due until the others have ended.
fn merge_beside(database: &Database, others: &[JoinHandle<()>]) {
    let mut worker = database.connect();
    while others.iter().any(|other| !other.is_finished()) {
        queue_merge(&mut worker);
        worker.run("CALL kb_work()");
        assert_figures(&mut worker, "kb_notes");
        assert_scores(&mut worker);
    }
}

/// Writers look up chunks and documents, so they may conflict there, but not in the keyword tables.
#[test]
fn serializable_transactions_that_insert_read_no_keyword_table() {
    const WRITERS: usize = 4;
    const TRANSACTIONS: usize = 100;
    let (database, mut client) = unmerged();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let mut client = database.connect();
            thread::spawn(move || {
                for n in 0..TRANSACTIONS {
                    let insert = format!(
                        "INSERT INTO kb_notes.document (content) VALUES ('common left word{writer} topic{}')",
                        n % 5
                    );
                    repeated(&mut client, "SERIALIZABLE", &format!("{insert}; {insert}; {insert}"));
                }
                let read = tables_read_by_an_insert(&mut client);
                assert!(read.contains(&"kb_notes.document_pkey".to_string()), "{read:?}");
                assert!(!read.iter().any(|relation| relation.contains("keyword")), "{read:?}");
            })
        })
        .collect();
    merge_beside(&database, &writers);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let there: i64 = client.value("SELECT count(*) FROM kb_notes.chunk", &[]);
    assert_eq!(there as usize, 3 * WRITERS * TRANSACTIONS);
    assert_notes(&mut client);
}

/// The relations that a serializable transaction of one INSERT has read.
fn tables_read_by_an_insert(client: &mut Client) -> Vec<String> {
    while !succeeds(client, "SERIALIZABLE", "INSERT INTO kb_notes.document (content) VALUES ('common')") {}
    let read = client.column(
        "SELECT relation::regclass::text FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid()",
        &[],
    );
    client.run("ROLLBACK");
    read
}

/// Repeats a transaction while it fails because of a conflict.
fn repeated(client: &mut Client, level: &str, sql: &str) {
    while !succeeds(client, level, &format!("{sql}; COMMIT")) {}
}

/// Begins a transaction with these statements; false if it was rolled back because of a conflict with other writers.
fn succeeds(client: &mut Client, level: &str, sql: &str) -> bool {
    let state = sqlstate(&client.batch_execute(&format!("BEGIN ISOLATION LEVEL {level}; {sql}")));
    match state.as_str() {
        "00000" => true,
        "40001" if level != "READ COMMITTED" => {
            client.run("ROLLBACK");
            false
        }
        state => panic!("{state} at {level}: {sql}"),
    }
}

#[test]
fn every_isolation_level_writes_and_searches_beside_merges() {
    const ROUNDS: usize = 60;
    let (database, mut client) = unmerged();
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let mut client = database.connect();
            thread::spawn(move || {
                let level = LEVELS[writer % 3];
                for n in 0..ROUNDS {
                    let key = |n: usize| format!("{writer} {n}");
                    let mut sql = format!(
                        "INSERT INTO kb_notes.document (source_key, content, language)
                         VALUES ('{}', 'common right word{} topic{}', CASE {n} % 4 WHEN 0 THEN 'fr' END)",
                        key(n), n % 10, n % 3
                    );
                    if n % 3 == 2 {
                        sql += &format!("; UPDATE kb_notes.document SET content = content || ' numbat' WHERE source_key = '{}'", key(n - 1));
                    }
                    if n % 4 == 3 {
                        sql += &format!("; SAVEPOINT s; DELETE FROM kb_notes.document WHERE source_key LIKE '{writer} %'; ROLLBACK TO s;
                             DELETE FROM kb_notes.document WHERE source_key = '{}'", key(n - 2));
                    }
                    if n % 5 == 4 {
                        // The same snapshot, so the same number.
                        sql += "; DO $$ BEGIN
                             IF (SELECT (SELECT count(*) FROM kb_search('common', 'notes', 'keyword', 10000)) <> count(*) FROM kb_notes.chunk)
                             THEN RAISE 'a search finds another number of chunks'; END IF; END $$";
                    }
                    repeated(&mut client, level, &sql);
                }
            })
        })
        .collect();
    merge_beside(&database, &writers);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let there: Vec<(String, i64)> = client
        .query(
            "SELECT split_part(source_key, ' ', 1), count(*) FROM kb_notes.document GROUP BY 1 ORDER BY 1",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    let expected: Vec<_> = (0..6).map(|writer| (writer.to_string(), (ROUNDS - ROUNDS / 4) as i64)).collect();
    assert_eq!(there, expected, "documents by writer");
    assert_notes(&mut client);
}

/// Writes, in one transaction each time, what an administrator may remove at any time.
fn write(client: &mut Client, writer: usize, rounds: usize) {
    for n in 0..rounds {
        let (level, label) = (LEVELS[writer % 2], ["left", "right"][writer % 2]);
        let sql = match n % 4 {
            0 => format!(
                "INSERT INTO kb_notes.document (source_key, content, language)
                 SELECT '{writer} {n} ' || i, 'common {label} bulk word' || i % 10, CASE i % 6 WHEN 0 THEN 'de' END FROM generate_series(1, 150) i"
            ),
            1 => format!(
                "INSERT INTO kb_notes.document (content) VALUES ('common {label} word{n}'); SAVEPOINT s;
                 DELETE FROM kb_notes.document WHERE source_key LIKE '{writer} %';
                 INSERT INTO kb_notes.document (content) VALUES ('common never word{n}'); ROLLBACK TO s;
                 INSERT INTO kb_notes.document (content) VALUES ('common {label} topic{n}')"
            ),
            2 => format!("UPDATE kb_notes.document SET content = content || ' numbat' WHERE source_key LIKE '{writer} {} 1%'", n - 2),
            _ => format!("DELETE FROM kb_notes.document WHERE source_key LIKE '{writer} {} %3'", n - 3),
        };
        let state = sqlstate(&client.batch_execute(&format!("BEGIN ISOLATION LEVEL {level}; {sql}; COMMIT")));
        assert!(state == "00000" || LOCKED.contains(&state.as_str()), "{state} at {level}: {sql}");
        if state != "00000" {
            client.run("ROLLBACK");
        }
    }
}

/// Searches twice with one snapshot, whose answers must not change.
fn read(client: &mut Client, rounds: usize) {
    const SEARCH: &str = "SELECT md5(string_agg(chunk_id || ' ' || score, ',' ORDER BY chunk_id)), count(*),
        (SELECT count(*) FROM kb_notes.chunk) FROM kb_search('common', 'notes', 'keyword', 10000)";
    for _ in 0..rounds {
        client.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        // The tables are locked from here on, so that TRUNCATE cannot empty them for this snapshot.
        let locked = client.state_of("SELECT count(*) FROM kb_notes.chunk", &[]);
        assert!(locked == "00000" || LOCKED.contains(&locked.as_str()), "{locked}");
        if locked == "00000" {
            let answers: Vec<_> = (0..2).map(|_| client.query_one(SEARCH, &[])).collect();
            let rows: Vec<(Option<String>, i64, i64)> =
                answers.iter().flatten().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
            for answer in &answers {
                let state = sqlstate(answer);
                // 25P02: the first of the two has failed.
                assert!(
                    ["00000", "25P02"].contains(&state.as_str()) || LOCKED.contains(&state.as_str()),
                    "a search: {state}"
                );
            }
            if let [first, second] = rows.as_slice() {
                assert_eq!(first, second, "two searches with one snapshot");
                assert_eq!(first.1, first.2.min(10_000), "chunks found");
            }
        }
        client.run("ROLLBACK");
    }
}

#[test]
fn eight_writers_and_eight_readers_beside_two_administrators() {
    const ROUNDS: usize = 24;
    let (database, mut client) = unmerged();
    let writers = (0..8usize).map(|writer| {
        let mut client = database.connect();
        thread::spawn(move || write(&mut client, writer, ROUNDS))
    });
    let mut sessions: Vec<JoinHandle<()>> = writers.collect();
    sessions.extend((0..8).map(|_| {
        let mut client = database.connect();
        thread::spawn(move || read(&mut client, ROUNDS))
    }));
    let mut administrators: Vec<(Client, usize)> = (0..2).map(|n| (database.connect(), n)).collect();
    let statements = [
        "SELECT kb_reindex('notes')",
        "CALL kb_work()",
        "SELECT kb_configure('notes', heading_weight => 2)",
        "SELECT kb_reconcile('notes')",
        "TRUNCATE kb_notes.document CASCADE",
        "CALL kb_work()",
        "BEGIN; TRUNCATE kb_notes.document CASCADE; INSERT INTO kb_notes.document (content) VALUES ('common never'); ROLLBACK",
    ];
    thread::scope(|scope| {
        for (administrator, n) in &mut administrators {
            let sessions = &sessions;
            scope.spawn(move || {
                for turn in *n * 3.. {
                    if sessions.iter().all(JoinHandle::is_finished) {
                        break;
                    }
                    let sql = statements[turn % statements.len()];
                    if sql.starts_with("CALL") {
                        queue_merge(administrator);
                    }
                    let state = sqlstate(&administrator.batch_execute(sql));
                    assert!(state == "00000" || LOCKED.contains(&state.as_str()), "{state}: {sql}");
                    if state != "00000" && sql.starts_with("BEGIN") {
                        administrator.run("ROLLBACK");
                    }
                }
            });
        }
    });
    sessions.into_iter().for_each(|session| session.join().unwrap());
    assert_notes(&mut client);
}
