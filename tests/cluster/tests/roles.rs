//! Roles with sessions of their own see what was granted to them.

use kb_rag_cluster_tests::{Database, Session, counts};
use uuid::Uuid;

#[test]
fn a_reader_finds_what_was_granted_and_nothing_else() {
    let (database, mut admin) = Database::with_base("open");
    let reader = database.create_role("reader");
    admin.run(&format!(
        "SELECT kb_create('closed', model => 'fake/test', dimensions => 8);
         SELECT kb_add('open', 'The public kiwi.'), kb_add('closed', 'The secret kiwi.');
         GRANT USAGE ON SCHEMA kb_open TO {reader}; GRANT SELECT ON ALL TABLES IN SCHEMA kb_open TO {reader}"
    ));
    let closed: Uuid = admin.value("SELECT id FROM kb_list() WHERE name = 'closed'", &[]);
    admin.run("SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'open')");
    admin.run("SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'closed')");

    let mut client = database.connect_as(&reader);
    for scope in ["'kiwi', 'open'", "'kiwi'"] {
        let found: Vec<String> =
            client.column(&format!("SELECT content FROM kb_hybrid_search({scope})"), &[]);
        assert_eq!(found, ["The public kiwi."], "kb_hybrid_search({scope})");
    }
    let names: Vec<String> = client.column("SELECT name FROM kb_list()", &[]);
    assert_eq!(names, ["open"]);
    for (statement, state) in [
        ("SELECT * FROM kb_hybrid_search('kiwi', 'closed')", "42501"),
        ("SELECT * FROM kb_search('kiwi', 'closed', 'keyword')", "42501"),
        (
            "SELECT * FROM kb_hybrid_search('kiwi', agent_id => 'a0000000-0000-0000-0000-000000000001')",
            "42501",
        ),
        ("SELECT content FROM kb_closed.chunk", "42501"),
        ("SELECT kb_add('open', 'x')", "42501"),
        ("SELECT kb_add('closed', 'x')", "42501"),
        ("INSERT INTO kb_open.document (content) VALUES ('x')", "42501"),
        ("UPDATE kb_open.document SET content = 'x'", "42501"),
        ("DELETE FROM kb_open.chunk", "42501"),
        ("COPY kb_open.document (content) FROM STDIN", "42501"),
        ("SELECT kb_drop('open')", "42501"),
        ("SELECT kb_create('mine', model => 'fake/test')", "42501"),
        ("SELECT * FROM kb_rag.knowledge_base", "42501"),
        ("SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'open')", "42501"),
    ] {
        assert_eq!(client.state_of(statement, &[]), state, "{statement}");
    }
    let match_closed = "SELECT * FROM match_knowledge_chunks($1, kb_embed('kiwi', 'fake/test', 8))";
    assert_eq!(client.state_of(match_closed, &[&closed]), "42501");
    assert_eq!(counts(&mut admin, "kb_open"), [1, 1, 1]);

    // Taken away again: also from a session that has searched before and kept its plans.
    admin.run(&format!("REVOKE SELECT ON kb_open.chunk FROM {reader}"));
    assert_eq!(client.state_of("SELECT * FROM kb_hybrid_search('kiwi', 'open')", &[]), "42501");
    admin.run(&format!(
        "GRANT SELECT ON kb_open.chunk TO {reader}; REVOKE USAGE ON SCHEMA kb_open FROM {reader}"
    ));
    assert_eq!(client.state_of("SELECT * FROM kb_hybrid_search('kiwi', 'open')", &[]), "42501");
    let names: Vec<String> = client.column("SELECT name FROM kb_list()", &[]);
    assert!(names.is_empty(), "{names:?}");
}
