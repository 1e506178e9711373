//! Errors as a client receives them.

use kb_rag_cluster_tests::{Database, Session, counts};

/// An error neither returns nor logs a megabyte of invalid input.
#[test]
fn errors_quote_no_more_than_a_reader_can_use() {
    let (_database, mut client) = Database::with_base("kb");
    let megabyte = "x".repeat(1 << 20);
    let mut long = Vec::new();
    for statement in [
        "SELECT kb_add($1, 'x')",
        "SELECT * FROM kb_hybrid_search('x', $1)",
        "SELECT kb_drop($1)",
        "SELECT kb_create($1)",
        "SELECT kb_create('x', model => $1)",
        "SELECT kb_embed('x', $1)",
        "SELECT kb_embed('x', input_type => $1)",
        "SELECT * FROM kb_search('x', 'kb', $1)",
        "SELECT * FROM kb_search_documents('x', 'kb', level => $1)",
        "SELECT * FROM kb_browse($1)",
        "SELECT * FROM kb_stats($1)",
        "SELECT kb_add_output($1, 'x')",
        "SELECT kb_add_file($1, 'x', 'x')",
        "SELECT kb_add_file('kb', '\\x89504e470d0a1a0a0000000d49484452', $1)",
        "SELECT kb_add_url($1, 'https://example.com/')",
        "SELECT kb_add_url('kb', $1)",
        "SELECT kb_add_url('kb', 'https://example.com/' || $1)",
        "SELECT kb_add_url('kb', 'https://example.com/', content_type => $1)",
        "SELECT kb_add_url('kb', 'https://example.com/', scrape_method => $1)",
        "SELECT kb_add_url('kb', 'https://example.com/', exclude_patterns => ARRAY[$1])",
        "SELECT * FROM kb_source_list($1)",
        "SELECT * FROM kb_extract('\\x89504e470d0a1a0a0000000d49484452', $1)",
        "SELECT * FROM kb_chunk('x', strategy => $1)",
        "SELECT kb_check_search(jsonb_build_object('type', $1))",
        "SELECT kb_check_search(jsonb_build_object('type', 'external', 'hostname', $1, 'path', $1, $1, 1))",
        "SELECT kb_check_search(jsonb_build_object('type', 'pgvector', 'hostname', 'h', 'port', 1, 'password', '${P}', 'collection', 't', 'embedding_model', 'fake/' || $1, 'embedding_dimensions', 8, 'dbname', $1))",
        "SELECT kb_prompt_set($1, 'x')",
        "SELECT kb_prompt_set('x', $1)",
        "SELECT kb_rewrite_query(jsonb_build_array(jsonb_build_object('role', 'system', 'content', $1)))",
    ] {
        let error = client.query(statement, &[&megabyte]).unwrap_err();
        let error = error.as_db_error().unwrap();
        let length =
            error.message().len() + error.detail().map_or(0, str::len) + error.hint().map_or(0, str::len);
        if length > 2_000 {
            long.push((statement, error.code().code().to_string(), length));
        }
    }
    assert!(long.is_empty(), "(statement, state, bytes): {long:#?}");
}

/// An error that a user's trigger or constraint raises below kb_rag reaches the client with its SQLSTATE,
/// message, detail and hint. (pgrx drops the other fields of an error that passes through Rust: see the
/// limits in docs/guide/documents.md.)
#[test]
fn errors_from_below_come_through() {
    let (_database, mut client) = Database::with_base("kb");
    client.run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF NEW.content LIKE '%refuse%' THEN
                 RAISE 'refused' USING ERRCODE = '22P02', DETAIL = 'some detail', HINT = 'some hint';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER refuse BEFORE INSERT ON kb_kb.chunk FOR EACH ROW EXECUTE FUNCTION refuse();
         ALTER TABLE kb_kb.chunk ADD CONSTRAINT decent CHECK (content NOT LIKE '%indecent%')",
    );
    for write in ["SELECT kb_add('kb', $1)", "INSERT INTO kb_kb.document (content) VALUES ($1)"] {
        let error = client.execute(write, &[&"Please refuse this."]).unwrap_err();
        let error = error.as_db_error().unwrap();
        let whole = (error.code().code(), error.message(), error.detail(), error.hint());
        assert_eq!(whole, ("22P02", "refused", Some("some detail"), Some("some hint")), "{write}");
        let error = client.execute(write, &[&"An indecent text."]).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "23514", "{write}");
        assert!(error.message().contains("\"decent\""), "{write}: {}", error.message());
    }
    assert_eq!(counts(&mut client, "kb_kb"), [0, 0, 0]);
}
