//! The stored frequencies of common lexemes: never more than a tenth stale, and no writer waits for a count.

use kb_rag_cluster_tests::{Database, Session, assert_figures, sqlstate};
use postgres::Client;

/// A base without vectors, which would only slow down loading.
fn with_base() -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    client.run("SELECT kb_create('grown', model => 'fake/test', dimensions => 8, index_method => 'none')");
    (database, client)
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

/// The number of lexemes with stored frequencies; fails if one is missing or wrong by more than a tenth.
fn assert_frequencies(client: &mut impl Session) -> i64 {
    let wrong: Vec<String> = client.column(
        "WITH size AS (SELECT count(*) AS n FROM kb_grown.chunk)
         SELECT format('%s: %s kept for %s of %s', s.word, t.chunks * n / t.of_chunks, s.ndoc, n)
         FROM ts_stat('SELECT tsv FROM kb_grown.chunk') s CROSS JOIN size
         LEFT JOIN kb_grown.term t ON t.lexeme = s.word COLLATE \"C\"
         WHERE n > 2000 AND s.ndoc > n * 0.01 AND t.lexeme IS NULL
            OR abs(t.chunks * n / t.of_chunks - s.ndoc) > 0.1 * s.ndoc",
        &[],
    );
    assert_eq!(wrong, [""; 0]);
    assert_figures(client, "kb_grown");
    client.value("SELECT count(*) FROM kb_grown.term WHERE lexeme <> ''", &[])
}

/// The number of chunks among which the frequencies were counted.
fn counted(client: &mut impl Session) -> Option<i64> {
    client.value("SELECT min(of_chunks) FROM kb_grown.term", &[])
}

/// The best score of a keyword search.
fn score(client: &mut impl Session, query: &str) -> f64 {
    client.value("SELECT max(score) FROM kb_search($1, 'grown', 'keyword')", &[&query])
}

#[test]
fn frequencies_follow_a_base_that_grows_and_shrinks() {
    let (_database, mut client) = with_base();
    let mut size = 0;
    for step in [1000, 1000, 1, 150, 100, 300, 500, 1, 900] {
        add(&mut client, size + 1, size + step);
        size += step;
        let kept = assert_frequencies(&mut client);
        assert_eq!(kept, if size > 2000 { 4 } else { 0 }, "kept of {size} chunks");
    }
    for least in [3500, 2300, 1500, 10] {
        client.run(&format!("DELETE FROM kb_grown.document WHERE source_key::int > {least}"));
        let kept = assert_frequencies(&mut client);
        assert_eq!(kept, if least > 2000 { 4 } else { 0 }, "kept of {least} chunks");
    }
}

#[test]
fn a_count_does_not_block_another_writer() {
    let (database, mut first) = with_base();
    let mut second = database.connect();
    add(&mut first, 1, 2200);
    let before = counted(&mut first);
    for client in [&mut first, &mut second] {
        client.run("SET lock_timeout = '5s'; BEGIN");
    }
    add(&mut first, 2201, 2600);
    assert!(counted(&mut first) > before, "counted again, not committed");
    // As many again, so that a count is due in this session too, and later a count of both sessions' chunks.
    add(&mut second, 2601, 3000);
    assert_eq!(counted(&mut second), before);
    second.run("COMMIT");
    first.run("COMMIT");
    assert_figures(&mut first, "kb_grown");
    add(&mut second, 3001, 3001);
    assert_eq!(counted(&mut first), Some(3001));
    assert_frequencies(&mut first);
}

/// Writers that keep their snapshot leave the frequencies unchanged; searches ignore them once they are
/// stale.
#[test]
fn stale_frequencies_are_neither_a_failure_nor_used() {
    let (database, mut first) = with_base();
    let mut second = database.connect();
    add(&mut first, 1, 2200);
    for (level, size) in [("REPEATABLE READ", 2200), ("SERIALIZABLE", 3201)] {
        second.run(&format!("BEGIN ISOLATION LEVEL {level}"));
        second.value::<i64>("SELECT count(*) FROM kb_grown.term", &[]);
        add(&mut first, size + 1, size + 400);
        let before = counted(&mut first);
        assert!(before > Some(i64::from(size)));
        add(&mut second, size + 401, size + 1000);
        assert_eq!(sqlstate(&second.batch_execute("COMMIT")), "00000", "{level}");
        assert_figures(&mut first, "kb_grown");
        assert_eq!(counted(&mut first), before);
        // The same scores as without them.
        let stale = score(&mut first, "thousandth twentieth tenth");
        first.run("BEGIN; DELETE FROM kb_grown.term");
        let without = score(&mut first, "thousandth twentieth tenth");
        first.run("ROLLBACK");
        assert_eq!(stale, without, "{level}");
        add(&mut first, size + 1001, size + 1001);
        assert_frequencies(&mut first);
    }
}

/// A base that keeps its size while all of it is replaced, in one statement or a few documents at a time.
#[test]
fn replaced_texts_are_counted_again() {
    let (_database, mut client) = with_base();
    add(&mut client, 1, 2500);
    assert_eq!(assert_frequencies(&mut client), 4);
    client.run(
        "UPDATE kb_grown.document SET content = replace(replace(content, 'third', 'fourth'), 'tenth', 'third')",
    );
    assert_eq!(assert_frequencies(&mut client), 4);
    for from in (1..2500).step_by(100) {
        client.run(&format!(
            "DELETE FROM kb_grown.document WHERE source_key::int BETWEEN {from} AND {from} + 99"
        ));
        add(&mut client, from, from + 99);
    }
    let kept: Vec<String> =
        client.column("SELECT lexeme FROM kb_grown.term WHERE lexeme <> '' ORDER BY chunks DESC", &[]);
    assert_eq!(kept, ["everi", "third", "tenth", "twentieth"]);
}
