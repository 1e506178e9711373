//! Keyword searches of a base with a history have the answers of a base that was built at once: frequencies and lengths
//! are exact whatever was added, deleted, replaced and merged before.

use kb_rag_cluster_tests::{Database, Session, assert_figures, sqlstate};
use postgres::Client;

/// A base without workers, and without vectors, which would only slow down loading.
fn with_base() -> (Database, Client) {
    let database = Database::create();
    database.set("kb_rag.workers", "0");
    let mut client = database.connect();
    create_base(&mut client, "grown");
    (database, client)
}

fn create_base(client: &mut Client, name: &str) {
    client.run(&format!(
        "SELECT kb_create('{name}', model => 'fake/test', dimensions => 8, index_method => 'none')"
    ));
}

/// Adds documents numbered `from` to `to` in one statement; some words are in all, some in every third, tenth, …
fn add(client: &mut impl Session, from: i32, to: i32) {
    client
        .execute(
            "INSERT INTO kb_grown.document (source_key, content)
             SELECT n::text, concat_ws(' ', 'every', CASE WHEN n % 3 = 0 THEN 'third' END,
                CASE WHEN n % 10 = 0 THEN 'tenth' END, CASE WHEN n % 20 = 0 THEN 'twentieth' END,
                CASE WHEN n % 1000 = 0 THEN 'thousandth' END, 'number' || n)
             FROM generate_series($1::int, $2::int) n",
            &[&from, &to],
        )
        .unwrap();
}

/// The answers to common words, rare words and both. Of those with the same score, as many documents are returned in any
/// base, but not the same ones: all answers have the document, the best 20 only the score.
fn answers(client: &mut impl Session, name: &str) -> Vec<String> {
    client.column(
        &format!(
            "WITH query AS (
                SELECT unnest(ARRAY['every', 'third tenth', 'thousandth twentieth tenth', 'fourth', 'number7 number1500', 'every number77']) AS q
            )
            SELECT concat_ws(' ', q, d.source_key, round(s.score::numeric, 9))
            FROM query, kb_search(q, '{name}', 'keyword', match_count => 10000) s JOIN kb_{name}.document d ON d.id = s.document_id
            UNION ALL
            SELECT concat_ws(' ', q, 'best', round(s.score::numeric, 9))
            FROM query, kb_search(q, '{name}', 'keyword', match_count => 20) s
            ORDER BY 1"
        ),
        &[],
    )
}

/// Fails unless the base gives the answers of one with the same documents that was built at once. Returns how many.
fn assert_answers(client: &mut Client) -> usize {
    assert_figures(client, "kb_grown");
    create_base(client, "built");
    client.run("INSERT INTO kb_built.document (source_key, content) SELECT source_key, content FROM kb_grown.document");
    let (grown, built) = (answers(client, "grown"), answers(client, "built"));
    client.run("SELECT kb_drop('built')");
    let different = grown.iter().zip(&built).find(|(grown, built)| grown != built);
    assert_eq!(different, None, "the first answer that differs from that of a base built at once");
    assert_eq!(grown.len(), built.len());
    grown.len()
}

fn segments(client: &mut impl Session) -> i64 {
    client.value("SELECT count(*) FROM kb_grown.keyword_segment", &[])
}

#[test]
fn answers_follow_a_base_that_grows_and_shrinks() {
    let (_database, mut client) = with_base();
    let mut size = 0;
    for step in [1000, 1000, 1, 150, 100, 300, 500, 1, 900] {
        add(&mut client, size + 1, size + step);
        size += step;
        assert!(assert_answers(&mut client) > size as usize);
    }
    for least in [3500, 2300, 1500, 10] {
        client.run(&format!("DELETE FROM kb_grown.document WHERE source_key::int > {least}"));
        assert!(assert_answers(&mut client) > least as usize);
    }
    // The same in many small statements, before and after their segments are merged.
    for n in 11..=200 {
        add(&mut client, n, n);
        if n % 4 == 0 {
            client.run(&format!("DELETE FROM kb_grown.document WHERE source_key = '{}'", n - 3));
        }
    }
    let (answered, before) = (assert_answers(&mut client), segments(&mut client));
    client.run("CALL kb_work()");
    assert!(segments(&mut client) < before / 2, "{before} segments, merged");
    assert_eq!(assert_answers(&mut client), answered);
}

/// Two sessions have the same segments to merge: neither waits for the other, nor for one that merges for a worker.
#[test]
fn a_merge_does_not_block_another_writer() {
    let (database, mut first) = with_base();
    let (mut second, mut third) = (database.connect(), database.connect());
    for n in 1..=250 {
        add(&mut first, n, n);
    }
    assert_eq!(segments(&mut first), 250);
    for client in [&mut first, &mut second, &mut third] {
        client.run("SET lock_timeout = '5s'");
    }
    // A transaction that has only written does not keep a merge from taking the segments of others.
    second.run("BEGIN");
    add(&mut second, 251, 251);
    // At 256 segments, and then at the next check, a writer merges some.
    first.run("BEGIN");
    for n in 252..=290 {
        add(&mut first, n, n);
    }
    let merged = segments(&mut first);
    assert!(merged < 250 + 39, "{merged} segments: merged, not committed");
    // As many again, so that a merge is due in this session too, and in a third one.
    for n in 291..=360 {
        add(&mut second, n, n);
    }
    third.run("CALL kb_work(0)");
    assert_figures(&mut third, "kb_grown");
    second.run("COMMIT");
    assert_eq!(first.value::<i64>("SELECT count(*) FROM kb_grown.chunk", &[]), 360);
    assert_figures(&mut first, "kb_grown");
    first.run("COMMIT");
    assert_answers(&mut first);
    third.run("CALL kb_work()");
    assert!(segments(&mut third) < 100);
    assert_answers(&mut first);
}

/// Writers that keep their snapshot leave the segments as they are; the next ones merge them.
#[test]
fn writers_that_keep_their_snapshot_change_no_answer() {
    let (database, mut first) = with_base();
    let mut second = database.connect();
    add(&mut first, 1, 2200);
    for (level, size) in [("REPEATABLE READ", 2200), ("SERIALIZABLE", 3201)] {
        second.run(&format!("BEGIN ISOLATION LEVEL {level}"));
        second.value::<i64>("SELECT count(*) FROM kb_rag.knowledge_base", &[]);
        add(&mut first, size + 1, size + 400);
        for from in (size + 401..size + 1000).step_by(6) {
            add(&mut second, from, from + 5);
        }
        second.run("UPDATE kb_grown.document SET content = content || ' fourth' WHERE source_key LIKE '7%'");
        assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000", "{level}");
        assert_answers(&mut first);
        first.run("CALL kb_work()");
        add(&mut first, size + 1001, size + 1001);
        assert_answers(&mut first);
    }
}

/// A base that keeps its size while all of it is replaced, in one statement or a few documents at a time.
#[test]
fn replaced_texts_are_found_and_earlier_ones_are_not() {
    let (_database, mut client) = with_base();
    add(&mut client, 1, 2500);
    assert_answers(&mut client);
    client.run(
        "UPDATE kb_grown.document SET content = replace(replace(content, 'third', 'fourth'), 'tenth', 'third')",
    );
    assert_answers(&mut client);
    for from in (1..2500).step_by(100) {
        client.run(&format!(
            "DELETE FROM kb_grown.document WHERE source_key::int BETWEEN {from} AND {from} + 99"
        ));
        add(&mut client, from, from + 99);
    }
    assert_answers(&mut client);
    let found: Vec<i64> = client.column(
        "SELECT (SELECT count(*) FROM kb_search(q, 'grown', 'keyword', match_count => 10000))
         FROM unnest(ARRAY['every', 'third', 'tenth', 'twentieth', 'fourth']) q",
        &[],
    );
    assert_eq!(found, [2500, 833, 250, 125, 0]);
    client.run("CALL kb_work()");
    assert_answers(&mut client);
}
