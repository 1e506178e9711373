//! Input that only a driver can send is rejected without a trace, and the session continues. Large but valid input is
//! accepted.

use kb_rag_cluster_tests::{Database, Session, assert_consistent, counts};

/// Only a driver can send it: what else is rejected, tests/pg_regress/sql/140_odd.sql shows.
#[test]
fn a_nul_character_is_rejected_and_the_session_continues() {
    let (_database, mut client) = Database::with_base("kb");
    client.run("SELECT kb_add('kb', 'There before.')");
    for statement in [
        "SELECT kb_add('kb', $1)",
        "SELECT kb_add('kb', 'x', title => $1)",
        "SELECT kb_add($1, 'x')",
        "INSERT INTO kb_kb.document (content) VALUES ($1)",
        "SELECT * FROM kb_hybrid_search($1, 'kb')",
        "SELECT kb_embed($1)",
    ] {
        assert_eq!(client.state_of(statement, &[&"a\0b"]), "22021", "{statement}");
        assert_eq!(counts(&mut client, "kb_kb"), [1, 1, 1], "after {statement}");
        let found: Vec<String> = client.column("SELECT content FROM kb_hybrid_search('before', 'kb')", &[]);
        assert_eq!(found, ["There before."], "after {statement}");
    }
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
