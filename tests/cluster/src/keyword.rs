//! Comparing the answers of keyword searches with those of an index that was just rebuilt.

use postgres::Client;

use crate::{Database, Session, assert_figures, assert_nothing_to_reconcile};

/// The scores of keyword searches, with the chunks where all are listed: of equal scores, any may be among the first.
pub fn answers(client: &mut impl Session, base: &str) -> Vec<String> {
    client.column(
        "SELECT concat_ws(' ', q, round(s.score::numeric, 9), CASE WHEN count(*) OVER (PARTITION BY q) < 200 THEN s.chunk_id END) AS answer
         FROM unnest(ARRAY['common', 'common left', 'right word7', '\"common word3\"', 'word1 word2 word3', 'changed', 'common -left']) q,
             kb_search(q, $1, 'keyword', 200, syntax => 'web') s
         ORDER BY 1",
        &[&base],
    )
}

/// Fails unless the keyword index has exactly the chunks: by number, in its totals, and in its answers.
fn assert_index_is_right(client: &mut Client, base: &str, schema: &str) {
    assert_figures(client, schema);
    assert_nothing_to_reconcile(client, base);
    let before = answers(client, base);
    client.run(&format!("SELECT kb_reindex('{base}')"));
    assert_eq!(before, answers(client, base), "answers before and after kb_reindex");
    let (found, held): (i64, i64) = (
        client.value("SELECT count(*) FROM kb_search('common', $1, 'keyword', 10000)", &[&base]),
        client.value(&format!("SELECT count(*) FROM {schema}.chunk WHERE tsv @@ 'common'"), &[]),
    );
    assert_eq!(found, held.min(10_000), "chunks with the common word");
}

/// A database with the base `notes`, which has no vectors, and no workers: only the test merges.
pub fn unmerged() -> (Database, Client) {
    let database = Database::create();
    database.set("kb_rag.workers", "0");
    let mut client = database.connect();
    create_notes(&mut client);
    (database, client)
}

/// The value of `kb_rag.test_limits` with which every statement looks whether to merge, and few segments are merged.
pub const SMALL: &str = "checked_every=1, of_worker=4, of_writer=8";

/// As [`unmerged`], with merges of [`SMALL`] segments.
pub fn small() -> (Database, Client) {
    let (database, _) = unmerged();
    database.set("kb_rag.test_limits", SMALL);
    let client = database.connect();
    (database, client)
}

/// Creates the base `notes`, which has no vectors, and ranks no parts of words: word3 would find word4.
pub fn create_notes(client: &mut impl Session) {
    client.create_base("notes");
    client.run("SELECT kb_configure('notes', embed => 'off', part_weight => 0)");
}

/// Numbers of segments and of rows of larger ones.
pub fn segments(client: &mut impl Session) -> [i64; 2] {
    ["keyword_segment", "keyword_run"]
        .map(|table| client.value(&format!("SELECT count(*) FROM kb_notes.{table}"), &[]))
}

/// Queues a merge of `notes`, as a writer does.
pub fn queue_merge(client: &mut impl Session) {
    client.run(
        "INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT id, 'merge', id FROM kb_list() WHERE name = 'notes'",
    );
}

/// Questions of words that all text search configurations leave as they are.
const QUESTIONS: [&str; 5] = ["common", "left word3", "right word7 common", "bulk topic1 word2", "numbat"];

/// Fails unless searches in `notes` find what BM25, computed in SQL over every chunk, finds, with the same scores. All of it is
/// seen by one snapshot.
pub fn assert_scores(client: &mut impl Session) {
    for question in QUESTIONS {
        assert_scores_of(client, question);
    }
}

/// The same for one question, whose words must be lexemes.
pub fn assert_scores_of(client: &mut impl Session, question: &str) {
    let different: Vec<String> = client.column(
        "WITH setting AS (SELECT title_weight AS a, heading_weight AS b, bm25_k1 AS k1, bm25_b AS by_length FROM kb_list() WHERE name = 'notes'),
         size AS (SELECT count(*)::float8 AS n, avg(length)::float8 AS mean FROM kb_notes.chunk),
         posting AS (
            SELECT c.id, c.length, u.lexeme,
                (SELECT sum(CASE w WHEN 'A' THEN a WHEN 'B' THEN b ELSE 1 END)::float8 FROM unnest(u.weights) w, setting) AS tf
            FROM kb_notes.chunk c, unnest(c.tsv) u WHERE u.lexeme = ANY (string_to_array($1, ' '))
         ), frequency AS (
            SELECT lexeme, count(*)::float8 AS df FROM posting GROUP BY lexeme
         ), expected AS (
            SELECT id, sum(ln(1 + (n - df + 0.5) / (df + 0.5)) * tf * (k1 + 1) / (tf + k1 * (1 - by_length + by_length * length / mean))) AS score
            FROM posting JOIN frequency USING (lexeme), size, setting GROUP BY id
         ), best AS (
            SELECT id, score, row_number() OVER (ORDER BY score DESC) AS place FROM expected ORDER BY score DESC LIMIT 10000
         ), found AS (
            SELECT chunk_id AS id, score, row_number() OVER (ORDER BY score DESC) AS place FROM kb_search($1, 'notes', 'keyword', 10000)
         )
         SELECT concat_ws(' ', coalesce(b.id, f.id), 'expected', b.score, 'found', f.score)
         FROM best b FULL JOIN found f ON f.place = b.place
         WHERE (abs(b.score - f.score) <= 1e-12 + 1e-9 * b.score) IS NOT TRUE
         UNION ALL
         SELECT concat_ws(' ', f.id, 'found', f.score, 'instead of', e.score)
         FROM found f LEFT JOIN expected e USING (id) WHERE (abs(e.score - f.score) <= 1e-12 + 1e-9 * e.score) IS NOT TRUE
         LIMIT 10",
        &[&question],
    );
    assert!(different.is_empty(), "scores of {question:?}: {different:#?}");
}

/// Fails unless the keyword index of `notes` is right now, and after it was rebuilt.
pub fn assert_notes(client: &mut Client) {
    assert_scores(client);
    assert_index_is_right(client, "notes", "kb_notes");
    assert_scores(client);
}
