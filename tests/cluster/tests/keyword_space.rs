//! The space of the keyword index: what merges leave is used again, or returned.

use kb_rag_cluster_tests::keyword::{answers, assert_notes, create_notes, queue_merge};
use kb_rag_cluster_tests::pipeline::{wait_until_idle, wait_until_no_worker};
use kb_rag_cluster_tests::{Database, Point, Session, assert_figures, wait_until};
use postgres::Client;

/// Small tables are compacted, after a short wait. Statements make few segments, whose merges make larger ones.
const LIMITS: &str = "checked_every=1, of_worker=4, compact_pages=16, compact_wait=40, linger=100";

/// A database with the base `notes`, which has no vectors. Nobody vacuums its keyword index but kb_rag.
fn notes() -> (Database, Client) {
    let database = Database::create();
    database.set("kb_rag.test_limits", LIMITS);
    let mut client = database.connect();
    create_notes(&mut client);
    client.run("ALTER TABLE kb_notes.keyword_run SET (autovacuum_enabled = false)");
    (database, client)
}

/// Adds documents in statements of 100, each with ten words of its own.
fn load(client: &mut Client, label: &str, statements: i32) {
    for statement in 0..statements {
        client.run(&format!(
            "INSERT INTO kb_notes.document (content)
             SELECT concat_ws(' ', 'common {label} word' || n % 10, string_agg('own' || md5(concat(m, n, '{label}', {statement})), ' '))
             FROM generate_series(1, 100) n, generate_series(1, 10) m GROUP BY n"
        ));
    }
}

/// Pages of the table, and how many its rows need.
fn pages(client: &mut Client) -> (i64, i64) {
    (
        client.value("SELECT pg_relation_size('kb_notes.keyword_run') / 8192", &[]),
        client
            .value("SELECT ceil(sum(pg_column_size(r.*) + 4) / 8192)::int8 FROM kb_notes.keyword_run r", &[]),
    )
}

fn assert_dense(client: &mut Client, when: &str) {
    let (pages, live) = pages(client);
    assert!(live > 60, "{live} pages are too few for a test");
    assert!(live * 5 >= pages * 4, "{when}: {pages} pages, of which {live} are in use");
}

#[test]
fn most_of_the_space_is_in_use_after_a_load_and_after_kb_reindex() {
    let (_database, mut client) = notes();
    load(&mut client, "left", 40);
    queue_merge(&mut client);
    wait_until_idle(&mut client);
    assert_dense(&mut client, "after a load");
    client.run("SELECT kb_reindex('notes')");
    let (before, live) = pages(&mut client);
    assert!(before > live * 3 / 2, "{before} pages for {live} right after kb_reindex");
    wait_until_idle(&mut client);
    assert_dense(&mut client, "after kb_reindex");
    assert_notes(&mut client);
}

#[test]
fn many_small_merges_in_a_second_count_together() {
    let (database, mut client) = notes();
    load(&mut client, "left", 40);
    wait_until_idle(&mut client);
    database.set("kb_rag.workers", "0");
    database.set("kb_rag.test_limits", "checked_every=1, of_writer=2, compact_pages=16");
    wait_until_no_worker(&mut client);
    let mut writer = database.connect();
    load(&mut writer, "right", 3);
    writer.run("SELECT pg_stat_force_next_flush()");
    client.run("VACUUM kb_notes.keyword_run");
    client.run("DELETE FROM kb_rag.job");
    // PostgreSQL reports statistics after transactions, and once a second at most.
    writer.run("BEGIN");
    let mut is_queued = false;
    for _ in 0..10 {
        load(&mut writer, "right", 1);
        let (pages, _) = pages(&mut writer);
        let deleted: i64 =
            writer.value("SELECT pg_stat_get_xact_tuples_deleted('kb_notes.keyword_run'::regclass)", &[]);
        is_queued = writer.value("SELECT EXISTS (SELECT FROM kb_rag.job WHERE kind = 'compact')", &[]);
        // Two rows fill a page.
        assert!(is_queued || deleted / 2 < pages / 10, "{deleted} rows of {pages} pages were deleted");
    }
    assert!(is_queued, "nothing was queued");
    let jobs: i64 = writer.value("SELECT count(*) FROM kb_rag.job WHERE kind = 'compact'", &[]);
    assert_eq!(jobs, 1, "jobs of one transaction");
    writer.run("COMMIT");
}

#[test]
fn space_that_is_freed_while_a_worker_ends_is_returned() {
    let (database, mut client) = notes();
    load(&mut client, "left", 20);
    wait_until_idle(&mut client);
    wait_until_no_worker(&mut client);
    let mut looked = Point::hold(&database, "compact.looked");
    client.run(
        "INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT id, 'compact', id FROM kb_rag.knowledge_base",
    );
    // A session's first call wakes a worker.
    database.connect().run("SELECT count(*) FROM kb_list()");
    looked.wait_for(1);
    client.run("SELECT kb_reindex('notes')");
    looked.open();
    wait_until_idle(&mut client);
    assert_dense(&mut client, "after kb_reindex");
    assert_notes(&mut client);
}

#[test]
fn rows_that_others_hold_are_moved_later() {
    let (database, mut client) = notes();
    load(&mut client, "left", 20);
    wait_until_idle(&mut client);
    wait_until_no_worker(&mut client);
    let mut looked = Point::hold(&database, "compact.looked");
    client.run("SELECT kb_reindex('notes')");
    looked.wait_for(1);
    let mut holder = database.connect();
    holder.run("BEGIN; SELECT FROM kb_notes.keyword_segment FOR UPDATE");
    looked.open();
    let tried = "SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE kind = 'compact')
                     OR EXISTS (SELECT FROM kb_rag.job WHERE kind = 'compact' AND attempts > 2)";
    wait_until("a worker that cannot move the rows", || client.value(tried, &[]));
    holder.run("COMMIT");
    wait_until_idle(&mut client);
    assert_dense(&mut client, "once the rows are free");
    assert_notes(&mut client);
}

#[test]
fn an_old_snapshot_sees_its_rows_and_only_delays_the_return_of_space() {
    let (database, mut client) = notes();
    load(&mut client, "left", 20);
    wait_until_idle(&mut client);
    let mut reader = database.connect();
    // A search would lock the base.
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    let before = answers(&mut client, "notes");
    client.run("SELECT kb_reindex('notes')");
    let waits = "SELECT EXISTS (SELECT FROM kb_rag.job WHERE kind = 'compact' AND attempts > 1)";
    wait_until("a worker that waits for the snapshot", || client.value(waits, &[]));
    let (pages, live) = pages(&mut client);
    assert!(pages > live * 3 / 2, "{pages} pages for {live} while the snapshot is held");
    assert_eq!(answers(&mut reader, "notes"), before, "of the old snapshot");
    reader.run("COMMIT");
    wait_until_idle(&mut client);
    assert_dense(&mut client, "once the snapshot is gone");
    assert_notes(&mut client);
}

#[test]
fn rows_that_are_being_moved_are_found_while_others_write() {
    let (database, mut client) = notes();
    load(&mut client, "left", 20);
    wait_until_idle(&mut client);
    let before = answers(&mut client, "notes");
    // A point holds workers that begin later.
    wait_until_no_worker(&mut client);
    let mut moving = Point::hold(&database, "compact.moved");
    client.run("SELECT kb_reindex('notes')");
    moving.wait_for(1);
    assert_eq!(answers(&mut client, "notes"), before, "while rows are moved");
    load(&mut client, "right", 10);
    assert_figures(&mut client, "kb_notes");
    let found: i64 = client.value("SELECT count(*) FROM kb_search('right', 'notes', 'keyword', 10000)", &[]);
    assert_eq!(found, 1000, "of what was written meanwhile");
    moving.open();
    wait_until_idle(&mut client);
    assert_dense(&mut client, "at the end");
    assert_notes(&mut client);
}
