//! Large loads: bounded memory, time proportional to the rows, and prompt response to interrupts.

use std::fs;
use std::io::Write;
use std::time::Duration;

use kb_rag_cluster_tests::{
    Database, INTERRUPT_LIMIT, Outcome, Point, Session, assert_figures, cancel, counts, processor_time,
};
use postgres::Client;

const MEGABYTE: i64 = 1 << 20;

/// The most memory that the backend used, without PostgreSQL's shared buffers, of which it may have touched
/// all.
fn peak_memory(client: &mut Client) -> i64 {
    let status = fs::read_to_string(format!("/proc/{}/status", client.pid()))
        .expect("the server runs on this machine");
    let peak: i64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|number| number.trim().parse().ok())
        .expect("VmHWM in /proc");
    let shared: i64 = client.value("SELECT pg_size_bytes(current_setting('shared_buffers'))", &[]);
    peak * 1024 - shared
}

/// 50 MB of text that is quick to parse.
fn fifty_megabytes() -> String {
    let sentence = format!("Words{}.\n", " ".repeat(54));
    sentence.repeat(50 * MEGABYTE as usize / sentence.len())
}

#[test]
fn fifty_megabytes_need_memory_for_a_few_copies_of_the_text() {
    let database = Database::create();
    let mut admin = database.connect();
    admin.run("SELECT kb_create('large', model => 'fake/test', dimensions => 8, chunk_size => 20000, chunk_overlap => 0, index_method => 'none')");
    let text = fifty_megabytes();
    let mut client = database.connect();
    let id: uuid::Uuid =
        client.value("INSERT INTO kb_large.document (content) VALUES ($1) RETURNING id", &[&text]);
    let inserted = peak_memory(&mut client);
    let [documents, chunks, vectors] = counts(&mut client, "kb_large");
    assert_eq!((documents, chunks), (1, vectors));
    assert!(chunks > 2_000, "{chunks} chunks");

    let mut client = database.connect();
    client
        .run(&format!("UPDATE kb_large.document SET content = 'A new start. ' || content WHERE id = '{id}'"));
    let updated = peak_memory(&mut client);
    let mut client = database.connect();
    let repaired: i64 = client.value("SELECT kb_reconcile('large')", &[]);
    assert_eq!(repaired, 0);
    let reconciled = peak_memory(&mut client);
    println!("peaks: {inserted} inserting, {updated} updating, {reconciled} reconciling");
    for (peak, what) in [(inserted, "inserting"), (updated, "updating"), (reconciled, "reconciling")] {
        assert!(peak < 6 * 50 * MEGABYTE, "{what} took {peak} bytes");
    }
    // A cancel in the middle ends it, and leaves the previous data.
    let before = counts(&mut client, "kb_large");
    let mut point = Point::hold(&database, "ingest.before_vectors");
    client.run(&point.setting());
    let pid = client.pid();
    let updating = Outcome::spawn(client, "UPDATE kb_large.document SET content = 'Once more. ' || content");
    point.wait_for(1);
    let used = processor_time(pid);
    cancel(&mut admin, pid);
    let outcome = updating.join().unwrap();
    assert_eq!(outcome.state, "57014");
    let over = processor_time(pid) - used;
    assert!(over < INTERRUPT_LIMIT, "continued for {over:?}");
    assert_eq!(counts(&mut admin, "kb_large"), before);
}

const ROWS: i64 = 100_000;

/// Rows read so far by sequential scans of a table of the base.
fn rows_scanned(client: &mut Client, table: &str) -> i64 {
    // The counters of this session are available at once if it requests that.
    client.run("SELECT pg_stat_force_next_flush()");
    client.value(
        "SELECT seq_tup_read FROM pg_stat_user_tables WHERE schemaname = 'kb_bulk' AND relname = $1",
        &[&table],
    )
}

#[test]
fn a_copy_of_a_hundred_thousand_rows_and_every_statement_over_them_end_in_time() {
    let database = Database::create();
    let mut client = database.connect();
    client.run("SELECT kb_create('bulk', model => 'fake/test', dimensions => 8, index_method => 'none')");
    // The plans for a small base exist before the load.
    for version in ["A", "Another"] {
        client.run(&format!(
            "SELECT kb_add('bulk', '{version} row from before.', source_key => 'before ' || n) FROM generate_series(1, 10) n;
             ANALYZE kb_bulk.document, kb_bulk.chunk, kb_bulk.embedding"
        ));
    }
    client.run("SELECT kb_add('bulk', 'The last row from before.', source_key => 'before ' || n) FROM generate_series(1, 10) n");
    let mut copy = client.copy_in("COPY kb_bulk.document (source_key, content) FROM STDIN").unwrap();
    for n in 10..ROWS {
        writeln!(copy, "key {n}\tRow {n} is about subject {}.", n % 997).unwrap();
    }
    assert_eq!(copy.finish().unwrap() as i64, ROWS - 10);
    // The common lexemes are counted again whenever a tenth was added: eleven times the rows. If every group
    // of documents looked at all rows, it would be hundreds of times.
    for table in ["document", "chunk", "embedding"] {
        let scanned = rows_scanned(&mut client, table);
        assert!(scanned < 20 * ROWS, "{table}: {scanned} rows read by sequential scans");
    }
    assert_eq!(counts(&mut client, "kb_bulk"), [ROWS; 3]);
    assert_figures(&mut client, "kb_bulk");
    let found: Vec<String> =
        client.column("SELECT content FROM kb_search('row 77777', 'bulk', 'keyword', 1)", &[]);
    assert_eq!(found, ["Row 77777 is about subject 11."]);
    statements_end_in_time(&database, &mut client);
}

fn statements_end_in_time(database: &Database, observer: &mut Client) {
    let timeout = Duration::from_millis(50);
    let mut late = Vec::new();
    for statement in [
        "DELETE FROM kb_bulk.document",
        "UPDATE kb_bulk.document SET title = 'A title'",
        "UPDATE kb_bulk.document SET metadata = '{\"a\": 1}'",
        "UPDATE kb_bulk.document SET language = 'de'",
        "UPDATE kb_bulk.document SET id = gen_random_uuid()",
        "INSERT INTO kb_bulk.document (content) SELECT content FROM kb_bulk.document",
        "SELECT kb_add('bulk', content, source_key => source_key) FROM kb_bulk.document",
        "SELECT kb_configure('bulk', chunk_size => 20, chunk_overlap => 0)",
        "SELECT kb_configure('bulk', model => 'fake/other')",
        "SELECT kb_configure('bulk', model => 'local/all-minilm-l6-v2')",
        "SELECT kb_configure('bulk', text_config => 'simple')",
        "SELECT kb_configure('bulk', index_method => 'hnsw')",
        "SELECT kb_reindex('bulk')",
        "SELECT kb_reconcile('bulk')",
        "SELECT count(*) FROM kb_hybrid_search('row subject about', 'bulk', 10000, fusion => 'relative')",
        "SELECT count(*) FROM generate_series(1, 1000) n, kb_search('row ' || n, 'bulk', 'keyword')",
    ] {
        let mut client = database.connect();
        client.run(&format!("SET statement_timeout = '{}ms'", timeout.as_millis()));
        let pid = client.pid();
        let before = processor_time(pid);
        let outcome = Outcome::spawn(client, statement).join().unwrap();
        assert_eq!(outcome.state, "57014", "{statement}");
        let over = (processor_time(pid) - before).saturating_sub(timeout);
        if over > INTERRUPT_LIMIT {
            late.push((statement, over));
        }
    }
    assert!(late.is_empty(), "(statement, went on after the timeout for): {late:#?}");
    assert_eq!(counts(observer, "kb_bulk"), [ROWS; 3]);
    // Schema changes and locks must be over at once, or wait for nothing.
    observer
        .run("BEGIN; TRUNCATE kb_bulk.document CASCADE; ROLLBACK; BEGIN; SELECT kb_drop('bulk'); ROLLBACK");
    assert_eq!(counts(observer, "kb_bulk"), [ROWS; 3]);
}
