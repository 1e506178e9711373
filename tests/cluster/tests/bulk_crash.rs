//! A crash in the middle of bulk loads: committed data is complete, uncommitted data is gone, and every index
//! matches its table.

use std::io::Write;
use std::thread::{self, JoinHandle};

use kb_rag_cluster_tests::{
    Server, Session, assert_consistent, assert_figures, counts, sqlstate, wait_until,
};
use postgres::Client;

/// The number of documents in one load.
const LOAD: i64 = 400;

/// Loads documents whose keys begin with a label; returns the SQLSTATE.
type Load = fn(&mut Client, &str) -> String;

/// Loads in one session until the server is gone, one transaction per load; returns how many were committed.
fn load_until_gone(mut client: Client, label: &str, load: Load) -> JoinHandle<i64> {
    let label = label.to_string();
    thread::spawn(move || {
        for committed in 0.. {
            let state = load(&mut client, &format!("{label} {committed}"));
            if state != "00000" {
                // The server ended the statement, or was gone already.
                assert!(["57P01", "57P02", "08006"].contains(&state.as_str()), "{label}: {state}");
                return committed;
            }
        }
        unreachable!("the server goes first")
    })
}

fn by_copy(client: &mut Client, label: &str) -> String {
    let copy = |client: &mut Client| {
        let mut writer =
            client.copy_in("COPY kb_notes.document (title, source_key, content, metadata) FROM STDIN")?;
        let io_failed = (0..LOAD).any(|n| {
            writeln!(writer, "Copied {n}\t{label} {n}\tText number {n} of {label} by copy, cats and dogs.\t{{\"way\": \"copy\"}}").is_err()
        });
        // The error of the server, if any, comes at the end.
        let finished = writer.finish();
        assert!(!io_failed || finished.is_err(), "a write failed and the copy did not");
        finished
    };
    sqlstate(&copy(client))
}

fn by_insert(client: &mut Client, label: &str) -> String {
    sqlstate(&client.batch_execute(&format!(
        "INSERT INTO kb_notes.document (title, source_key, content, metadata)
         SELECT 'Inserted ' || n, '{label} ' || n, repeat(format('Text number %s of {label} by insert. ', n), 1 + n % 12), '{{\"way\": \"insert\"}}'
         FROM generate_series(1, {LOAD}) n"
    )))
}

/// One long transaction of many statements, with savepoints, updates and deletes.
fn by_long_transaction(client: &mut Client, label: &str) -> String {
    let statements: String = (0..8)
        .map(|part| {
            format!(
                "SAVEPOINT s;
                 INSERT INTO kb_notes.document (title, source_key, content, metadata)
                 SELECT 'Long ' || n, '{label} {part} ' || n, 'Text number ' || n || ' in a long transaction.', '{{\"way\": \"long\"}}'
                 FROM generate_series(1, {LOAD} / 8) n;
                 UPDATE kb_notes.document SET content = content || ' Changed.' WHERE source_key = '{label} {part} 1';
                 SAVEPOINT undone;
                 DELETE FROM kb_notes.document WHERE source_key LIKE '{label} {part} %';
                 ROLLBACK TO undone;"
            )
        })
        .collect();
    sqlstate(&client.batch_execute(&format!("BEGIN; {statements} COMMIT")))
}

/// Compares answers from scans of the tables with answers from their indexes.
fn assert_indexes_match_their_tables(client: &mut Client) {
    let questions = [
        (
            "documents by key",
            "SELECT count(*) FROM kb_notes.document WHERE source_key = ANY (SELECT source_key FROM kb_notes.document)",
        ),
        (
            "documents by id",
            "SELECT count(*) FROM unnest(ARRAY(SELECT id FROM kb_notes.document)) u JOIN kb_notes.document d ON d.id = u",
        ),
        (
            "chunks by id",
            "SELECT count(*) FROM unnest(ARRAY(SELECT id FROM kb_notes.chunk)) u JOIN kb_notes.chunk c ON c.id = u",
        ),
        (
            "chunks by document",
            "SELECT count(*) FROM unnest(ARRAY(SELECT id FROM kb_notes.document)) u JOIN kb_notes.chunk c ON c.document_id = u",
        ),
        (
            "vectors by chunk",
            "SELECT count(*) FROM unnest(ARRAY(SELECT id FROM kb_notes.chunk)) u JOIN kb_notes.embedding e ON e.chunk_id = u",
        ),
        (
            "chunks by metadata",
            "SELECT sum((SELECT count(*) FROM kb_notes.chunk WHERE metadata @> jsonb_build_object('way', w))) FROM unnest(ARRAY['copy', 'insert', 'long']) w",
        ),
    ];
    for (what, question) in questions {
        let mut by = |index: bool| -> String {
            let (scan, other) = if index { ("off", "on") } else { ("on", "off") };
            client.run(&format!(
                "SET enable_seqscan = {scan}; SET enable_hashjoin = {scan}; SET enable_mergejoin = {scan};
                 SET enable_indexscan = {other}; SET enable_indexonlyscan = {other}; SET enable_bitmapscan = {other}"
            ));
            client.value(&format!("SELECT ({question})::text"), &[])
        };
        let (indexed, scanned) = (by(true), by(false));
        assert_eq!(indexed, scanned, "{what}");
    }
    client.run("RESET ALL");
    // By keyword: the index against the formula's own condition on every row.
    for word in ["copy", "insert", "transaction", "cats", "7"] {
        let found: i64 =
            client.value("SELECT count(*) FROM kb_search($1, 'notes', 'keyword', 10000)", &[&word]);
        let held: i64 = client.value(
            "SELECT least(count(*), 10000) FROM kb_notes.chunk WHERE tsv @@ plainto_tsquery('english', $1)",
            &[&word],
        );
        assert_eq!(found, held, "chunks with {word}");
    }
    // By vector: the vector index finds each of these vectors by itself. It is approximate, so one may be
    // missed.
    client.run("SET enable_seqscan = off; SET enable_sort = off; SET hnsw.ef_search = 400");
    let themselves: i64 = client.value(
        "SELECT count(*) FROM (SELECT embedding FROM kb_notes.embedding ORDER BY chunk_id LIMIT 40) s
         WHERE (SELECT e.embedding <=> s.embedding FROM kb_notes.embedding e ORDER BY e.embedding <=> s.embedding LIMIT 1) < 1e-6",
        &[],
    );
    assert!(themselves >= 38, "the vector index finds {themselves} of 40 vectors");
    client.run("RESET ALL");
    // If the server has it (the private 16 and 18 do not).
    let amcheck: bool =
        client.value("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'amcheck')", &[]);
    println!("amcheck: {amcheck}");
    if amcheck {
        client.run(
            "CREATE EXTENSION IF NOT EXISTS amcheck;
             SELECT bt_index_check(i.indexrelid, true) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
             WHERE a.amname = 'btree' AND c.relnamespace = 'kb_notes'::regnamespace",
        );
    }
}

#[test]
fn a_crash_in_bulk_loads_leaves_complete_documents_and_correct_indexes() {
    let server = Server::start();
    server.connect().run("CREATE EXTENSION kb_rag CASCADE");
    server.connect().create_base("notes");
    // Also after the restart, which loses the settings.
    server.connect().run("SELECT kb_configure('notes', embed => 'inline')");
    let mut before = 0;
    for crash in 1..=2 {
        let loads: [(&str, Load); 4] = [
            ("copy", by_copy),
            ("another copy", by_copy),
            ("insert", by_insert),
            ("long", by_long_transaction),
        ];
        let loaders =
            loads.map(|(label, load)| load_until_gone(server.connect(), &format!("{label} {crash}"), load));
        let mut observer = server.connect();
        wait_until("some finished loads and others in progress", || {
            counts(&mut observer, "kb_notes")[0] >= before + 3 * LOAD
                && observer.value::<bool>(
                    "SELECT count(*) >= 3 FROM pg_stat_activity WHERE state = 'active' AND backend_xid IS NOT NULL",
                    &[],
                )
        });
        server.crash();
        let committed: i64 = loaders.into_iter().map(|loader| loader.join().unwrap()).sum();
        let mut client = server.connect();
        let documents = counts(&mut client, "kb_notes")[0];
        // A commit whose answer did not arrive counts; a part of a load never does.
        assert_eq!(documents % LOAD, 0, "half a load");
        assert!(documents >= before + committed * LOAD, "{documents} of {before} + {committed} loads");
        assert_figures(&mut client, "kb_notes");
        assert_consistent(&mut client, "notes", "kb_notes");
        assert_indexes_match_their_tables(&mut client);
        let status: (i64, i64) = {
            let row = client.query_one("SELECT documents, embedded FROM kb_rag.status", &[]).unwrap();
            (row.get(0), row.get(1))
        };
        assert_eq!(status, (documents, counts(&mut client, "kb_notes")[1]));
        before = documents;
    }
    let mut client = server.connect();
    client.run("VACUUM kb_notes.document, kb_notes.chunk, kb_notes.embedding");
    client.run("SELECT kb_add('notes', 'After the crash.')");
    let found: i64 = client.value("SELECT count(*) FROM kb_search('after the crash', 'notes', 'keyword', 1) WHERE content = 'After the crash.'", &[]);
    assert_eq!(found, 1);
    assert_indexes_match_their_tables(&mut client);
}
