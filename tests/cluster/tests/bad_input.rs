//! Invalid input is rejected with the right SQLSTATE and without a trace, and the session continues. Large
//! but valid input is accepted.

use kb_rag_cluster_tests::{Database, Session, assert_consistent, counts, sqlstate};
use postgres::types::ToSql;
use uuid::Uuid;

#[test]
fn invalid_values_are_rejected_and_the_session_continues() {
    let (_database, mut client) = Database::with_base("kb");
    client.run("SELECT kb_add('kb', 'There before.')");
    let base: Uuid = client.value("SELECT id FROM kb_list()", &[]);
    let megabyte = "x".repeat(1 << 20);
    let nobody = Uuid::from_u128(7);
    let cases: &[(&str, &[&(dyn ToSql + Sync)], &str)] = &[
        ("SELECT kb_add('kb', $1)", &[&"a\0b"], "22021"),
        ("SELECT kb_add('kb', 'x', title => $1)", &[&"a\0b"], "22021"),
        ("SELECT kb_add($1, 'x')", &[&"k\0b"], "22021"),
        ("INSERT INTO kb_kb.document (content) VALUES ($1)", &[&"a\0b"], "22021"),
        ("SELECT * FROM kb_hybrid_search($1, 'kb')", &[&"a\0b"], "22021"),
        ("SELECT kb_embed($1)", &[&"a\0b"], "22021"),
        ("SELECT kb_add($1, 'x')", &[&"no such base"], "42704"),
        ("SELECT kb_add($1, 'x')", &[&""], "42704"),
        ("SELECT kb_add($1, 'x')", &[&None::<&str>], "22004"),
        ("SELECT * FROM kb_hybrid_search('x', $1)", &[&"no such base"], "42704"),
        ("SELECT * FROM kb_hybrid_search('x', $1)", &[&"kb_kb"], "42704"),
        ("SELECT kb_drop($1)", &[&"no such base"], "42704"),
        ("SELECT * FROM match_knowledge_chunks($1, $2::text::vector)", &[&base, &"[1,2,3]"], "22000"),
        (
            "SELECT * FROM match_knowledge_chunks($1, $2::text::vector)",
            &[&base, &"[0,0,0,0,0,0,0,0]"],
            "22000",
        ),
        (
            "SELECT * FROM match_knowledge_chunks($1, $2::text::vector)",
            &[&base, &"[NaN,0,0,0,0,0,0,1]"],
            "22000",
        ),
        ("SELECT * FROM match_knowledge_chunks($1, $2::text::vector)", &[&base, &"1,2"], "22P02"),
        (
            "SELECT * FROM kb_hybrid_search('x', 'kb', query_embedding => $1::text::vector)",
            &[&"[1,2,3]"],
            "22000",
        ),
        ("INSERT INTO kb_kb.embedding VALUES ($1, $2::text::vector)", &[&base, &"[1,2,3]"], "22000"),
        ("SELECT * FROM kb_hybrid_search($1, 'kb')", &[&megabyte], "54000"),
        ("SELECT * FROM kb_search($1, 'kb', 'keyword')", &[&megabyte], "54000"),
        ("SELECT kb_create($1, model => 'fake/test', dimensions => 8)", &[&megabyte], "54000"),
        (
            "SELECT * FROM match_knowledge_chunks($1, kb_embed('x', 'fake/test', 8))",
            &[&None::<Uuid>],
            "22004",
        ),
        (
            "SELECT * FROM match_knowledge_chunks($1::text::uuid, kb_embed('x', 'fake/test', 8))",
            &[&""],
            "22P02",
        ),
        ("SELECT * FROM kb_hybrid_search('x', 'kb', agent_id => $1)", &[&nobody], "42501"),
        ("SELECT kb_attach_agent($1, 'kb', '[]')", &[&nobody], "22023"),
        ("SELECT kb_attach_agent($1, 'no such base')", &[&nobody], "42704"),
        ("SELECT kb_embed('x', $1)", &[&megabyte], "42704"),
        ("SELECT kb_embed('x', 'fake/test', $1)", &[&0i32], "22023"),
        ("SELECT * FROM kb_chunk('x', $1, 0)", &[&i32::MIN], "22023"),
        ("SELECT * FROM kb_chunk('x', $1, $1)", &[&i32::MAX], "22023"),
        ("SELECT * FROM kb_hybrid_search('x', 'kb', $1)", &[&i64::MAX], "22023"),
        ("SELECT * FROM kb_hybrid_search('x', 'kb', $1)", &[&((1i64 << 32) + 5)], "22023"),
        ("SELECT * FROM kb_hybrid_search('x', 'kb', rrf_k => $1)", &[&i64::MIN], "22023"),
        ("SELECT * FROM kb_hybrid_search('x', 'kb', rrf_k => $1)", &[&(1i64 << 32)], "22023"),
        (
            "SELECT * FROM kb_hybrid_search('x', 'kb', max_per_document => $1)",
            &[&((1i64 << 32) + 1)],
            "22023",
        ),
        (
            "SELECT * FROM match_knowledge_chunks($1, kb_embed('x', 'fake/test', 8), $2)",
            &[&base, &((1i64 << 32) + 5)],
            "22023",
        ),
        ("SELECT * FROM kb_hybrid_search('x', 'kb', keyword_weight => $1)", &[&f64::NAN], "22023"),
    ];
    for (statement, parameters, state) in cases {
        assert_eq!(&client.state_of(statement, parameters), state, "{statement}");
        assert_eq!(counts(&mut client, "kb_kb"), [1, 1, 1], "after {statement}");
        let found: Vec<String> = client.column("SELECT content FROM kb_hybrid_search('before', 'kb')", &[]);
        assert_eq!(found, ["There before."], "after {statement}");
    }
    let nothing: i64 = client.value("SELECT count(*) FROM kb_hybrid_search('x', agent_id => $1)", &[&nobody]);
    assert_eq!(nothing, 0, "an agent with no base finds nothing");
}

#[test]
fn keyword_queries_of_any_characters_are_safe() {
    let (_database, mut client) = Database::with_base("kb");
    client.run("SELECT kb_add('kb', 'It''s a test & more | less ! (really):* <-> \\ done.')");
    for query in [
        "'",
        "''",
        "\\",
        "\\'",
        "a & | b",
        "!",
        "a:*",
        "<->",
        "(((",
        "\"unclosed",
        "-",
        "--",
        "or",
        "or or",
        "%",
        "_",
        "$1",
        "{schema}",
        "{limit}",
        "'; DROP TABLE kb_kb.chunk; --",
        "\u{1}\u{2}",
        "\u{fffd}",
        "\u{202e}x",
        "👩‍👩‍👧",
        "東京",
        "it's",
        "test & more",
        "a\tb\nc",
        "<b>html</b>",
        "user@example.org/path?x=1#y",
        "1e309 -0 NaN",
    ] {
        for mode in ["hybrid", "keyword", "semantic"] {
            for syntax in ["plain", "web"] {
                let search = "SELECT * FROM kb_search($1, 'kb', $2, syntax => $3)";
                let result = client.query(search, &[&query, &mode, &syntax]);
                assert_eq!(sqlstate(&result), "00000", "{query:?} in mode {mode}, syntax {syntax}");
            }
        }
    }
    // The longest query allowed, of distinct words only.
    let words: String = (0..9_000).map(|n| format!("w{n} ")).collect();
    let found: i64 = client.value("SELECT count(*) FROM kb_hybrid_search($1, 'kb')", &[&words]);
    assert_eq!(found, 1);
    assert_eq!(counts(&mut client, "kb_kb"), [1, 1, 1]);
}

#[test]
fn a_document_of_eight_megabytes_is_added_in_one_statement() {
    let database = Database::create();
    let mut client = database.connect();
    client.run("SELECT kb_create('big', model => 'fake/test', dimensions => 8, chunk_strategy => 'text', index_method => 'none')");
    let mut content = String::with_capacity(9 << 20);
    let mut n = 0;
    while content.len() < 8 << 20 {
        n += 1;
        content += &format!("Sentence number {n} of a large document says größe and 東京 {}. ", n % 97);
        if n % 50 == 0 {
            content += "\n\n";
        }
    }
    let inserted = client
        .execute("INSERT INTO kb_big.document (content, source_key) VALUES ($1, 'big')", &[&content])
        .unwrap();
    assert_eq!(inserted, 1);
    let [documents, chunks, vectors] = counts(&mut client, "kb_big");
    assert_eq!((documents, chunks), (1, vectors));
    assert!(chunks > 8_000, "{chunks} chunks");
    let (start, end): (i32, i32) = {
        let row = client.query_one("SELECT min(start_char), max(end_char) FROM kb_big.chunk", &[]).unwrap();
        (row.get(0), row.get(1))
    };
    assert_eq!((start, end), (0, content.trim_end().chars().count() as i32));
    // Another sentence at the end leaves all chunks but the last ones unchanged.
    client.run("CREATE TEMP TABLE before AS SELECT id FROM kb_big.chunk");
    content += "And an afterword.";
    client.execute("SELECT kb_add('big', $1, source_key => 'big')", &[&content]).unwrap();
    let fresh: i64 =
        client.value("SELECT count(*) FROM kb_big.chunk WHERE id NOT IN (SELECT id FROM before)", &[]);
    assert!((1..=2).contains(&fresh), "{fresh} new chunks for one more sentence");
    assert_consistent(&mut client, "big", "kb_big");
}
