//! pg_dump and restore.

use kb_rag_cluster_tests::{Database, Session, assert_consistent, assert_figures, counts, dump_and_restore};

/// By both arms, and by BM25 alone with common words, rare words and both.
const ANSWERS: &str = "SELECT chunk_id::text || ' ' || score FROM kb_hybrid_search('cats and dogs', match_count => 10)
    UNION ALL
    SELECT concat_ws(' ', q, chunk_id, score) FROM unnest(ARRAY['cats and dogs', '1234', 'number 77', 'more animals']) q,
        kb_search(q, 'kept', 'keyword', 50)";

/// Every base with its settings.
const SETTINGS: &str = "SELECT l::text FROM kb_list() l";

/// The keyword index, down to the last bit.
const INDEX: &str = "SELECT s::text FROM kb_kept.keyword_segment s UNION ALL SELECT r::text FROM kb_kept.keyword_run r ORDER BY 1";

/// What an application reads by SQL of its own, from the view of kb_expose.
const EXPOSED: &str =
    "SELECT id || ' ' || metadata FROM kb_kept.collection WHERE metadata @> '{\"chunk_index\": 0}'
    ORDER BY vec <=> kb_embed('animal number 77', 'fake/test', 8), id LIMIT 5";

/// What an application finds by the functions of kb_expose.
const CALLED: &str = "SELECT id || ' ' || similarity || ' ' || embedding FROM match_documents(kb_embed('animal number 77', 'fake/test', 8), 5)
    UNION ALL SELECT id || ' ' || content FROM kw_match_documents('animal 77', 5)";

/// The restored base gives the same answers, embeds nothing again, and keeps following its documents.
#[test]
fn a_restored_base_is_the_same_and_keeps_working() {
    let (from, mut client) = Database::with_base("kept");
    client.run(
        "INSERT INTO kb_kept.document (title, content, source_key)
         SELECT 'Animal ' || n, 'Cats and dogs and animal number ' || n || repeat(' and more', n % 5), 'key ' || n
         FROM generate_series(1, 2200) n;
         UPDATE kb_kept.document SET metadata = '{\"team\": \"b\"}' WHERE title IN ('Animal 7', 'Animal 70');
         SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'kept');
         SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000b', 'kept', '{\"team\": \"b\"}');
         SELECT kb_configure('kept', match_threshold => -0.99);
         SELECT kb_expose('kept'); SELECT kb_expose('kept', 'supabase', 'public.match_documents'); SELECT kb_grant('kept', 'public', 'read')",
    );
    let settings: Vec<String> = client.column(SETTINGS, &[]);
    assert!(settings[0].contains(",-0.99,"), "{settings:?}");
    let answers: Vec<String> = client.column(ANSWERS, &[]);
    let exposed: Vec<String> = client.column(EXPOSED, &[]);
    assert_eq!(exposed.len(), 5);
    let called: Vec<String> = client.column(CALLED, &[]);
    assert_eq!(called.len(), 10);
    let index: Vec<String> = client.column(INDEX, &[]);
    assert!(index.len() > 4, "{} rows", index.len());
    let before = counts(&mut client, "kb_kept");

    let to = Database::bare("");
    dump_and_restore(&from, &to);

    let mut client = to.connect();
    assert_eq!(client.column::<String>(SETTINGS, &[]), settings);
    assert_eq!(client.column::<String>(ANSWERS, &[]), answers);
    assert_eq!(client.column::<String>(EXPOSED, &[]), exposed);
    assert_eq!(client.column::<String>(CALLED, &[]), called);
    let is_public: bool =
        client.value("SELECT has_table_privilege('public', 'kb_kept.collection', 'SELECT')", &[]);
    assert!(is_public);
    let callable = "SELECT has_function_privilege('public', 'match_documents(vector,int,jsonb)', 'EXECUTE')";
    assert!(client.value::<bool>(callable, &[]));
    client.run("SELECT kb_revoke('kept', 'public', 'read')");
    assert!(!client.value::<bool>(callable, &[]), "they are still the base's");
    client.run("SELECT kb_grant('kept', 'public', 'read')");
    let of_agent: i64 = client.value(
        "SELECT count(*) FROM kb_hybrid_search('cats', agent_id => 'a0000000-0000-0000-0000-00000000000a')",
        &[],
    );
    assert_eq!(of_agent, 5);
    let titles: Vec<String> = client.column(
        "SELECT title FROM kb_hybrid_search('cats', agent_id => 'a0000000-0000-0000-0000-00000000000b') ORDER BY title",
        &[],
    );
    assert_eq!(titles, ["Animal 7", "Animal 70"], "the filter of the agent");
    assert_eq!(counts(&mut client, "kb_kept"), before);
    assert!(client.column::<String>(INDEX, &[]) == index, "the keyword index");
    assert_figures(&mut client, "kb_kept");
    client.run(
        "SELECT kb_add('kept', 'Cats and dogs and animal number 1 and more', title => 'Animal 1', source_key => 'key 1');
         SELECT kb_add('kept', 'A bird of another feather.')",
    );
    assert_eq!(counts(&mut client, "kb_kept"), before.map(|count| count + 1));
    assert_consistent(&mut client, "kept", "kb_kept");
    assert_figures(&mut client, "kb_kept");
    // The number of a segment or chunk is not given again, and what is deleted is no longer found.
    client.run("DELETE FROM kb_kept.document WHERE title LIKE 'Animal 1%'");
    assert_figures(&mut client, "kb_kept");
    assert_consistent(&mut client, "kept", "kb_kept");
    let found: i64 = client.value(
        "SELECT count(*) FROM kb_search('animal', 'kept', 'keyword', 10000) WHERE title LIKE 'Animal 1%'",
        &[],
    );
    assert_eq!(found, 0, "deleted");
    assert_ne!(client.column::<String>(ANSWERS, &[]), answers, "frequencies after a deletion");
    // The view is still the base's: a change of the model takes it along, and kb_drop removes it.
    client.run("SELECT kb_configure('kept', model => 'fake/other', dimensions => 12)");
    let dimensions: i32 = client.value("SELECT vector_dims(vec) FROM kb_kept.collection LIMIT 1", &[]);
    assert_eq!(dimensions, 12);
    client.run("SELECT kb_drop('kept')");
}
