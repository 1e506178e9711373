//! Roles with their own sessions see what was granted to them.

use kb_rag_cluster_tests::{Database, Outcome, Session, counts, dump_and_restore, wait_for_lock};
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

    // Revoked again, even for a session that has searched before and has cached plans.
    admin.run(&format!("REVOKE SELECT ON kb_open.chunk FROM {reader}"));
    assert_eq!(client.state_of("SELECT * FROM kb_hybrid_search('kiwi', 'open')", &[]), "42501");
    admin.run(&format!(
        "GRANT SELECT ON kb_open.chunk TO {reader}; REVOKE USAGE ON SCHEMA kb_open FROM {reader}"
    ));
    assert_eq!(client.state_of("SELECT * FROM kb_hybrid_search('kiwi', 'open')", &[]), "42501");
    let names: Vec<String> = client.column("SELECT name FROM kb_list()", &[]);
    assert!(names.is_empty(), "{names:?}");
}

/// PostgreSQL's privileges store who may do what, so a dump contains it: privileges on a base and the
/// privilege to create bases.
#[test]
fn privileges_survive_dump_and_restore() {
    let from = Database::create();
    let mut admin = from.connect();
    let [owner, reader, writer] = ["owner", "reader", "writer"].map(|prefix| from.create_role(prefix));
    admin.run(&format!("SELECT kb_grant_admin('{owner}')"));
    let mut as_owner = from.connect_as(&owner);
    as_owner.create_base("theirs");
    as_owner.run(&format!(
        "SELECT kb_add('theirs', 'A kiwi.');
         SELECT kb_grant('theirs', '{reader}', 'read');
         SELECT kb_grant('theirs', '{writer}', 'admin'), kb_revoke('theirs', '{writer}', 'admin')"
    ));
    drop(as_owner);

    let to = Database::bare("");
    dump_and_restore(&from, &to);

    let rights = "SELECT coalesce(string_agg(o, E'\\n' ORDER BY o), '') FROM (
            SELECT nspname || nspacl::text AS o FROM pg_namespace WHERE nspname ~ '^kb_'
            UNION ALL SELECT relname || coalesce(relacl, acldefault('r', relowner))::text FROM pg_class
                WHERE relnamespace = 'kb_theirs'::regnamespace AND relkind = 'r'
            UNION ALL SELECT proname || proacl::text FROM pg_proc WHERE proname ~ '^kb_' AND proacl IS NOT NULL
        ) r (o)";
    let mut restored = to.connect();
    assert_eq!(restored.value::<String>(rights, &[]), admin.value::<String>(rights, &[]));
    let mut client = to.connect_as(&reader);
    let found: Vec<String> = client.column("SELECT content FROM kb_search('kiwi', 'theirs')", &[]);
    assert_eq!(found, ["A kiwi."]);
    assert_eq!(client.state_of("SELECT kb_add('theirs', 'x')", &[]), "42501");
    drop(client);
    let mut client = to.connect_as(&writer);
    client.run("SELECT kb_add('theirs', 'Another kiwi.')");
    assert_eq!(client.state_of("TRUNCATE kb_theirs.document CASCADE", &[]), "42501");
    drop(client);
    let mut client = to.connect_as(&owner);
    client.create_base("another");
    client.run("SELECT kb_drop('another'); SELECT kb_drop('theirs')");
    drop(client);
    // The functions for administrators are still known after a restore.
    restored.run(&format!("SELECT kb_revoke_admin('{owner}'), kb_grant_admin('{reader}')"));
    assert_eq!(to.connect_as(&owner).state_of("SELECT kb_create('x', model => 'fake/test')", &[]), "42501");
    to.connect_as(&reader).create_base("x");
    restored.run(&format!("SELECT kb_drop('x'), kb_revoke_admin('{reader}')"));
    drop(restored);
    drop(to);
}

/// PostgreSQL rejects the second of two concurrent GRANTs on an object; kb_grant waits.
#[test]
fn concurrent_grants_wait_for_each_other() {
    let (database, mut admin) = Database::with_base("open");
    let [first, second] = ["first", "second"].map(|prefix| database.create_role(prefix));
    let mut observer = database.connect();
    admin.run(&format!("BEGIN; SELECT kb_grant('open', '{first}', 'write')"));
    let mut other = database.connect();
    let pid = other.pid();
    let waiting = Outcome::spawn(other, &format!("SELECT kb_grant('open', '{second}', 'write')"));
    wait_for_lock(&mut observer, pid);
    admin.run("COMMIT");
    let outcome = waiting.join().unwrap();
    assert_eq!(outcome.state, "00000");
    for role in [first, second] {
        database.connect_as(&role).run("SELECT kb_add('open', 'A kiwi.')");
    }
    assert_eq!(counts(&mut admin, "kb_open"), [2, 2, 2]);
}
