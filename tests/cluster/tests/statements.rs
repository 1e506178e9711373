//! Prepared statements, cached plans, read-only transactions and parallel workers: the same answers
//! everywhere.

use kb_rag_cluster_tests::{Database, Session, assert_consistent, counts};
use postgres::{Client, SimpleQueryMessage};
use serde_json::json;
use uuid::Uuid;

/// More than the five executions after which PostgreSQL considers a generic plan.
const REPEATS: usize = 12;

fn animals(client: &mut Client) {
    for (title, text) in [
        ("Cats", "Cats sleep most of the day and hunt at night."),
        ("Dogs", "Dogs guard the house and like long walks."),
        ("Birds", "Birds sing at dawn and sleep in trees."),
        ("Fish", "Fish do not close their eyes."),
    ] {
        client.value::<Uuid>("SELECT kb_add('animals', $1, title => $2)", &[&text, &title]);
    }
}

#[test]
fn prepared_statements_give_the_same_answers_with_generic_plans() {
    let (_database, mut client) = Database::with_base("animals");
    animals(&mut client);

    let add = client.prepare("SELECT kb_add($1, $2, title => $3, source_key => $4, metadata => $5)").unwrap();
    for n in 0..REPEATS {
        let (content, key) = (format!("Horse number {n} eats grass."), format!("horse/{n}"));
        let metadata = json!({"n": n});
        let id: Uuid =
            client.query_one(&add, &[&"animals", &content, &Some("Horses"), &key, &metadata]).unwrap().get(0);
        let again: Uuid =
            client.query_one(&add, &[&"animals", &content, &Some("Horses"), &key, &metadata]).unwrap().get(0);
        assert_eq!(id, again, "the same key is the same document");
    }
    assert_eq!(counts(&mut client, "kb_animals"), [4 + REPEATS as i64; 3]);
    assert_consistent(&mut client, "animals", "kb_animals");

    let search = client
        .prepare(
            "SELECT chunk_id, score, content, metadata FROM kb_hybrid_search(query => $1, knowledge_base => $2, \
             match_count => $3, filter => $4, source_type => $5, rrf_k => $6, max_per_document => $7, syntax => $8)",
        )
        .unwrap();
    let ask = |client: &mut Client| -> Vec<(Uuid, f64, String, serde_json::Value)> {
        client
            .query(
                &search,
                // NULL, which drivers send for "none", stands for the default.
                &[
                    &"who eats grass",
                    &"animals",
                    &7i64,
                    &json!({"n": 3}),
                    &None::<&str>,
                    &None::<i64>,
                    &Some(2i64),
                    &None::<&str>,
                ],
            )
            .unwrap()
            .iter()
            .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
            .collect()
    };
    let first = ask(&mut client);
    assert_eq!(first.len(), 1, "the filter leaves one horse");
    assert_eq!(first[0].2, "Horse number 3 eats grass.");
    for n in 0..REPEATS {
        assert_eq!(ask(&mut client), first, "execution {n}");
    }
    let generic: i64 = client.value(
        "SELECT sum(generic_plans)::int8 FROM pg_prepared_statements WHERE statement LIKE '%kb_hybrid_search%'",
        &[],
    );
    assert!(generic > 0, "no execution used a generic plan");
}

#[test]
fn a_vector_may_be_passed_as_text_or_as_a_literal() {
    let (_database, mut client) = Database::with_base("animals");
    animals(&mut client);
    let base: Uuid = client.value("SELECT id FROM kb_list()", &[]);
    let text: String = client.value("SELECT kb_embed('Birds Birds sing', 'fake/test', 8)::text", &[]);

    let by_text = client
        .prepare("SELECT id, content, similarity FROM match_knowledge_chunks($1, $2::text::vector, $3, $4)")
        .unwrap();
    let ask = |client: &mut Client| -> Vec<(Uuid, String, f64)> {
        client
            .query(&by_text, &[&base, &text, &3i64, &-1.0f64])
            .unwrap()
            .iter()
            .map(|row| (row.get(0), row.get(1), row.get(2)))
            .collect()
    };
    let expected = ask(&mut client);
    assert_eq!(expected.len(), 3);
    assert!(expected[0].1.starts_with("Birds"), "nearest: {}", expected[0].1);
    for n in 0..REPEATS {
        assert_eq!(ask(&mut client), expected, "execution {n}");
    }

    // The simple protocol, literals of unknown type and named arguments, as PostgREST and ORMs use them.
    let literal = format!(
        "SELECT id, content FROM match_knowledge_chunks(p_agent_id => '{base}', p_query_embedding => '{text}', \
         p_match_count => 3, p_match_threshold => -1)"
    );
    let contents: Vec<String> = client
        .simple_query(&literal)
        .unwrap()
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(1).map(str::to_string),
            _ => None,
        })
        .collect();
    assert_eq!(contents, expected.iter().map(|row| row.1.clone()).collect::<Vec<_>>());
    let by_search: String = client.value(
        &format!("SELECT content FROM kb_search('', 'animals', 'semantic', 1, query_embedding => '{text}')"),
        &[],
    );
    assert_eq!(by_search, expected[0].1);
}

#[test]
fn cached_plans_survive_a_base_that_is_dropped_and_created_again() {
    let (_database, mut client) = Database::with_base("animals");
    for dimensions in [8, 16, 2500, 4] {
        client.run("SELECT kb_drop('animals')");
        client.run(&format!("SELECT kb_create('animals', model => 'fake/test', dimensions => {dimensions})"));
        animals(&mut client);
        let found: Vec<String> = client.column(
            "SELECT title FROM kb_hybrid_search('Birds sing', 'animals') UNION ALL \
             SELECT title FROM kb_search('Birds', 'animals', 'keyword')",
            &[],
        );
        assert_eq!(found.len(), 5, "with {dimensions} dimensions");
    }
    // The same for the extension: what a session cached of the old one is no longer used.
    client
        .run("DROP EXTENSION kb_rag CASCADE; DROP EXTENSION vector CASCADE; DROP SCHEMA kb_animals CASCADE");
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.run("SELECT kb_create('animals', model => 'fake/test', dimensions => 8)");
    animals(&mut client);
    let found: Vec<String> =
        client.column("SELECT title FROM kb_hybrid_search('Birds sing', 'animals', 1)", &[]);
    assert_eq!(found, ["Birds"]);
}

/// A session caches a limited number of plans. If kb_add reaches the limit while its triggers run statements,
/// the plan of kb_add's own running statement must not be freed: using it afterwards may crash.
#[test]
fn a_running_statement_keeps_its_plan() {
    const BASES: usize = 40;
    let (database, mut admin) = Database::with_base("animals");
    let start = admin.server_start();
    admin.run(
        "CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF NOT EXISTS (
                 SELECT FROM pg_backend_memory_contexts
                 WHERE name = 'CachedPlanSource' AND ident LIKE 'INSERT INTO ' || TG_TABLE_SCHEMA || '.document AS d%'
             ) THEN
                 RAISE 'the plan under way is gone';
             END IF;
             RETURN NULL;
         END $$",
    );
    for n in 0..BASES {
        admin.run(&format!(
            "SELECT kb_create('b{n}', model => 'fake/test', dimensions => 8, chunk_strategy => 'text', index_method => 'none');
             CREATE TRIGGER look AFTER INSERT ON kb_b{n}.embedding EXECUTE FUNCTION look()"
        ));
    }
    // Each base needs about ten plans. The preceding searches vary the plan at which the limit is reached.
    let mut failed = Vec::new();
    for searches in 0..8 {
        let mut client = database.connect();
        for n in 0..searches {
            client.run(&format!("SELECT kb_search('horse', 'animals', 'keyword', {})", 100 + n));
        }
        for n in 0..BASES {
            let added = client.query(&format!("SELECT kb_add('b{n}', 'A horse.')"), &[]);
            if let Err(error) = added {
                failed.push(format!("{searches} searches, base {n}: {error:?}"));
            }
            client.run(&format!("SELECT kb_hybrid_search('horse', 'b{n}')"));
        }
    }
    assert_eq!(admin.server_start(), start, "the server crashed");
    assert!(failed.is_empty(), "{failed:#?}");
    for n in 0..BASES {
        assert_consistent(&mut admin, &format!("b{n}"), &format!("kb_b{n}"));
    }
}

/// Texts, their chunks, their vectors and searches, each folded into one value.
const QUESTIONS: [&str; 8] = [
    // Embedded below the aggregate, where parallel workers do it in every version.
    "SELECT md5(string_agg(vector, ',' ORDER BY id)) FROM (SELECT id, kb_embed(content, 'fake/test', 8)::text AS vector FROM texts OFFSET 0) t",
    "SELECT kb_embed('a cat sat on the mat')::text",
    "SELECT md5(string_agg(k::text, ',' ORDER BY id, k.ordinal)) FROM texts, kb_chunk(content, 40, 5) k",
    "SELECT md5(string_agg(h::text, ',')) FROM kb_hybrid_search('who sleeps at night', 'animals', 50) h",
    "SELECT md5(string_agg(d::text, ',')) FROM kb_search_documents('who sleeps at night', 'animals', 50, level => 'content') d",
    "SELECT md5(string_agg(r::text, ',')) FROM kb_browse('animals') b, kb_read(b.document_id, knowledge_base => 'animals') r",
    "SELECT md5(string_agg(s::text, ',')) FROM kb_stats('animals') s",
    "SELECT md5(string_agg(m::text, ',')) FROM kb_list() l, match_knowledge_chunks(l.id, kb_embed('birds', 'fake/test', 8), 50, -1) m",
];

fn answers(client: &mut Client) -> Vec<String> {
    QUESTIONS.iter().map(|question| client.value(question, &[])).collect()
}

fn texts(client: &mut Client) {
    client.run(
        "CREATE TABLE texts (id int, content text);
         INSERT INTO texts SELECT n, repeat('text number ' || n || '. ', 1 + n % 7) FROM generate_series(1, 3000) n;
         ANALYZE texts",
    );
}

#[test]
fn read_only_transactions_give_the_same_answers() {
    let (_database, mut client) = Database::with_base("animals");
    animals(&mut client);
    texts(&mut client);
    let expected = answers(&mut client);
    for mode in ["READ ONLY", "ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE"] {
        client.run(&format!("BEGIN TRANSACTION {mode}"));
        assert_eq!(answers(&mut client), expected, "{mode}");
        assert_eq!(client.state_of("SELECT kb_add('animals', 'x')", &[]), "25006");
        client.run("ROLLBACK");
    }
    assert_eq!(counts(&mut client, "kb_animals"), [4, 4, 4]);
}

#[test]
fn parallel_workers_give_the_same_answers() {
    let (_database, mut client) = Database::with_base("animals");
    animals(&mut client);
    texts(&mut client);
    let expected = answers(&mut client);
    let version: i32 = client.value("SELECT current_setting('server_version_num')::int", &[]);
    let debug = if version >= 160_000 { "debug_parallel_query" } else { "force_parallel_mode" };
    client.run(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
         SET max_parallel_workers_per_gather = 2",
    );
    for forced in ["off", "on"] {
        client.run(&format!("SET {debug} = {forced}"));
        assert_eq!(answers(&mut client), expected, "{debug} = {forced}");
        let plan: Vec<String> = client.column(&format!("EXPLAIN {}", QUESTIONS[0]), &[]);
        assert!(plan.iter().any(|line| line.contains("Gather")), "not parallel:\n{}", plan.join("\n"));
    }
    // Writing continues under the same settings.
    client.value::<Uuid>("SELECT kb_add('animals', 'Written with parallel plans forced.')", &[]);
    client.run("INSERT INTO kb_animals.document (content) SELECT content FROM texts WHERE id <= 100");
    assert_eq!(counts(&mut client, "kb_animals")[0], 105);
    assert_consistent(&mut client, "animals", "kb_animals");
}
