//! Attached tables whose row security is followed: dumps, DROP EXTENSION, other sessions, and the programs that serve models and people.

use kb_rag_cluster_tests::mcp::Served;
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::{
    Database, Outcome, Session, client_program, dump_and_restore, socket_directory, wait_for_lock,
};
use postgres::Client;
use serde_json::json;

/// A base `notes` that follows the table `app.note`, with two tenants that see a row each; the owner is a superuser.
struct Tenants {
    database: Database,
    owner: Client,
    anna: String,
    bert: String,
}

fn tenants() -> Tenants {
    let database = Database::create();
    let (anna, bert) = (database.create_role("anna"), database.create_role("bert"));
    let mut owner = database.connect();
    owner.create_base("notes");
    owner.run(&format!(
        "CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO {anna}, {bert};
         CREATE TABLE app.note (id int PRIMARY KEY, tenant name, body text);
         ALTER TABLE app.note ENABLE ROW LEVEL SECURITY;
         CREATE POLICY own ON app.note USING (tenant = current_user);
         GRANT SELECT (id) ON app.note TO {anna}, {bert};
         INSERT INTO app.note VALUES (1, '{anna}', 'The kowari of anna.'), (2, '{bert}', 'The kowari of bert.');
         SELECT kb_attach('app.note', 'notes', 'body', wait => true), kb_add('notes', 'A kowari of nobody.');
         SELECT kb_grant('notes', '{anna}', 'read'), kb_grant('notes', '{bert}', 'read')"
    ));
    Tenants { database, owner, anna, bert }
}

const READ: &str = "SELECT content FROM kb_notes.document ORDER BY content";
const FOUND: &str = "SELECT content FROM kb_search('kowari', 'notes', match_count => 10) ORDER BY content";

/// What a role reads in the tables of a database.
fn read(database: &Database, role: &str) -> Vec<String> {
    let mut client = database.connect_as(role);
    let chunks: Vec<String> = client.column(&READ.replace("document", "chunk"), &[]);
    let documents: Vec<String> = client.column(READ, &[]);
    assert_eq!(documents, chunks);
    documents
}

/// Each tenant reads and finds its own documents, and the one of nobody.
fn assert_followed(database: &Database, t: &Tenants) {
    for (role, own) in [(&t.anna, "The kowari of anna."), (&t.bert, "The kowari of bert.")] {
        let expected = ["A kowari of nobody.", own];
        assert_eq!(read(database, role), expected, "{role}");
        assert_eq!(database.connect_as(role).column::<String>(FOUND, &[]), expected, "{role}");
    }
}

/// A dump of one schema, restored into another database without an error.
fn copy_schema(schema: &str, from: &Database, to: &Database) {
    let dump = client_program("pg_dump").args(["-n", schema, "-d", from.name()]).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let file = std::env::temp_dir().join(format!("{}-{schema}.sql", to.name()));
    std::fs::write(&file, dump.stdout).unwrap();
    let mut psql = client_program("psql");
    let restored = psql.args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", to.name(), "-f"]).arg(&file);
    let restored = restored.output().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
}

#[test]
fn a_base_restored_without_the_table_hides_its_documents() {
    let t = tenants();
    assert_followed(&t.database, &t);
    let to = Database::create();
    copy_schema("kb_notes", &t.database, &to);
    // Before it is adopted, after, and once the table is there without being attached.
    for step in ["SELECT", "SELECT kb_adopt('kb_notes')", "SELECT kb_reconcile('notes')"] {
        to.connect().run(step);
        for role in [&t.anna, &t.bert] {
            assert_eq!(read(&to, role), ["A kowari of nobody."], "{step}");
        }
        assert_eq!(to.connect().column::<String>(READ, &[]).len(), 3, "{step}");
    }
    for role in [&t.anna, &t.bert] {
        assert_eq!(to.connect_as(role).column::<String>(FOUND, &[]), ["A kowari of nobody."]);
    }
    let mut client = to.connect();
    let note: String = client.value("SELECT note FROM kb_rag.status", &[]);
    assert!(note.contains("documents of the attached table app.note are hidden"), "{note}");
    // Its rows may have other keys by now, although it has its triggers.
    copy_schema("app", &t.database, &to);
    client.run(&format!("INSERT INTO app.note VALUES (3, '{}', 'Another kowari of anna.')", t.anna));
    assert_eq!(read(&to, &t.anna), ["A kowari of nobody."]);
    client.run("DELETE FROM app.note WHERE id = 3");
    client.run("SELECT kb_attach('app.note', 'notes', 'body', wait => true)");
    assert_followed(&to, &t);
}

#[test]
fn a_whole_database_is_restored_with_what_it_follows() {
    let mut t = tenants();
    let to = Database::bare("");
    dump_and_restore(&t.database, &to);
    assert_followed(&to, &t);
    // It still follows changes.
    for database in [&to, &t.database] {
        database.connect().run(&format!("UPDATE app.note SET tenant = '{}'", t.anna));
        assert_eq!(read(database, &t.bert), ["A kowari of nobody."]);
    }
    t.owner.run("SELECT kb_drop('notes')");
}

#[test]
fn drop_extension_closes_the_base_and_kb_adopt_follows_again() {
    let mut t = tenants();
    t.owner.run("DROP EXTENSION kb_rag CASCADE");
    for role in [&t.anna, &t.bert] {
        let none: [String; 0] = [];
        assert_eq!(read(&t.database, role), none);
    }
    assert_eq!(t.owner.column::<String>(READ, &[]).len(), 3);
    t.owner.run("CREATE EXTENSION kb_rag; SELECT kb_adopt('kb_notes')");
    assert_followed(&t.database, &t);
    // The table has gone in between, or lost its row security.
    for change in ["ALTER TABLE app.note DISABLE ROW LEVEL SECURITY", "DROP TABLE app.note"] {
        t.owner.run("DROP EXTENSION kb_rag CASCADE");
        t.owner.run(change);
        let (mut owner, notices) = t.database.connect_listening("postgres");
        owner.run("CREATE EXTENSION kb_rag; SELECT kb_adopt('kb_notes')");
        let received = notices.take().join("\n");
        assert!(received.contains("table app.note is not attached again"), "{received}");
        for role in [&t.anna, &t.bert] {
            assert_eq!(read(&t.database, role), ["A kowari of nobody."], "{change}");
        }
    }
    t.owner.run("DELETE FROM kb_notes.source; SELECT kb_reconcile('notes')");
    let policies = "SELECT count(*) FROM pg_policies WHERE schemaname = 'kb_notes'";
    assert_eq!(t.owner.value::<i64>(policies, &[]), 0);
    assert_eq!(read(&t.database, &t.anna), ["A kowari of nobody."]);
}

/// A transaction that has read the base keeps what it may see; kb_attach waits for it.
#[test]
fn kb_attach_waits_for_readers() {
    let mut t = tenants();
    let mut reader = t.database.connect_as(&t.anna);
    for (choice, seen) in [("ignore", 3), ("follow", 2)] {
        reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        let before = reader.column::<String>(READ, &[]).len();
        let mut attaching = t.database.connect();
        let pid = attaching.pid();
        let attaching = Outcome::spawn(
            attaching,
            &format!(
                "SELECT kb_attach('app.note', 'notes', 'body', row_security => '{choice}', wait => true)"
            ),
        );
        wait_for_lock(&mut t.owner, pid);
        assert_eq!(reader.column::<String>(READ, &[]).len(), before, "{choice}");
        reader.run("COMMIT");
        assert_eq!(Outcome::joined(attaching, "kb_attach").state, "00000");
        assert_eq!(reader.column::<String>(READ, &[]).len(), seen, "{choice}");
        assert_eq!(reader.column::<String>(FOUND, &[]).len(), seen, "{choice}");
    }
}

/// A snapshot from before the table was attached must not see its documents as those of no table.
#[test]
fn an_old_snapshot_obeys_new_policies() {
    let mut t = tenants();
    t.owner.run("SELECT kb_detach('app.note', 'notes', delete_documents => true)");
    let mut reader = t.database.connect_as(&t.anna);
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current_snapshot()");
    t.owner.run("SELECT kb_attach('app.note', 'notes', 'body', wait => true)");
    assert_eq!(reader.column::<String>(READ, &[]), ["A kowari of nobody."]);
    reader.run("COMMIT");
    assert_followed(&t.database, &t);
}

/// One session, prepared statements, and roles that take turns; then a policy that depends on a setting.
#[test]
fn prepared_statements_ask_as_the_present_role() {
    let mut t = tenants();
    let (read, found) = (t.owner.prepare(READ).unwrap(), t.owner.prepare(FOUND).unwrap());
    for _ in 0..10 {
        for (role, own) in [(&t.anna, "anna"), (&t.bert, "bert")] {
            t.owner.run(&format!("SET ROLE {role}"));
            for statement in [&read, &found] {
                let rows = t.owner.query(statement, &[]).unwrap();
                let texts: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
                assert_eq!(texts, ["A kowari of nobody.".to_string(), format!("The kowari of {own}.")]);
            }
            t.owner.run("RESET ROLE");
            assert_eq!(t.owner.query(&read, &[]).unwrap().len(), 3);
        }
    }
    t.owner.run("ALTER POLICY own ON app.note USING (id = nullif(current_setting('app.id', true), '')::int)");
    let mut reader = t.database.connect_as(&t.anna);
    for (setting, own) in [("1", "anna"), ("2", "bert")] {
        reader.run(&format!("BEGIN; SET LOCAL app.id = '{setting}'"));
        for statement in [READ, FOUND] {
            let texts: Vec<String> = reader.column(statement, &[]);
            assert_eq!(texts, ["A kowari of nobody.".to_string(), format!("The kowari of {own}.")]);
        }
        reader.run("COMMIT");
    }
    assert_eq!(reader.column::<String>(FOUND, &[]), ["A kowari of nobody."]);
}

/// A policy that raises an error is an error of the statement, as in PostgreSQL; one that takes long can be canceled.
#[test]
fn errors_and_delays_of_policies_are_those_of_the_statement() {
    let mut t = tenants();
    t.owner.run("ALTER POLICY own ON app.note USING (1 / (id - 1) >= 0)");
    let mut reader = t.database.connect_as(&t.anna);
    assert_eq!(reader.state_of(READ, &[]), "22012");
    assert_eq!(reader.state_of(FOUND, &[]), "22012");
    t.owner.run("ALTER POLICY own ON app.note USING (pg_sleep(3600) IS NOT NULL)");
    reader.run("SET statement_timeout = '100ms'");
    assert_eq!(reader.state_of(READ, &[]), "57014");
    assert_eq!(reader.state_of(FOUND, &[]), "57014");
}

/// A statement that runs in parallel, and searches within it.
#[test]
fn parallel_statements_follow_too() {
    let mut t = tenants();
    t.owner.run(&format!(
        "CREATE TABLE numbers AS SELECT generate_series(1, 1000) AS n; GRANT SELECT ON numbers TO {}; ANALYZE numbers",
        t.anna
    ));
    let mut reader = t.database.connect_as(&t.anna);
    reader.run(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0",
    );
    let parallel = "SELECT count(*), (SELECT count(*) FROM kb_search('kowari', 'notes')), (SELECT count(*) FROM kb_notes.document) FROM numbers";
    let plan: Vec<String> = reader.column(&format!("EXPLAIN {parallel}"), &[]);
    assert!(plan.iter().any(|line| line.contains("Gather")), "{plan:?}");
    let row = reader.query_one(parallel, &[]).unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, i64>(2)), (1000, 2, 2));
}

#[test]
fn a_model_and_a_token_see_what_their_role_sees() {
    let mut t = tenants();
    let of_bert: String =
        t.owner.value("SELECT id::text FROM kb_notes.document WHERE content LIKE '%bert%'", &[]);
    let mut served = Served::ready(&socket_directory(), t.database.name(), &t.anna, &[]);
    for (tool, arguments) in [
        ("search_notes", json!({"query": "kowari of bert"})),
        ("search_knowledge", json!({"query": "kowari of bert"})),
        ("search", json!({"query": "kowari of bert"})),
        ("read_knowledge", json!({"id": of_bert})),
        ("fetch", json!({"id": of_bert})),
    ] {
        let (text, _) = served.text(tool, arguments);
        assert!(!text.contains("The kowari of bert."), "{tool}: {text}");
    }
    let (text, is_error) = served.text("search_notes", json!({"query": "The kowari of anna."}));
    assert!(!is_error && text.contains("The kowari of anna."), "{text}");

    let served = Serve::with_roles(&t.database, &[&t.anna, &t.bert], &[]);
    for (role, own, other) in [(&t.anna, "of anna.", "of bert."), (&t.bert, "of bert.", "of anna.")] {
        let search = json!({"query": "kowari", "knowledge_base": "notes", "match_count": 10});
        let found = served.post(role, "/api/v1/search", search).is(200).to_string();
        assert!(found.contains(own) && !found.contains(other), "{found}");
        let listed = served.get(role, "/api/v1/documents?knowledge_base=notes").is(200).to_string();
        assert!(!listed.contains(other), "{listed}");
    }
    let path = format!("/api/v1/documents/{of_bert}");
    assert!(served.get(&t.bert, &path).is(200).to_string().contains("of bert."));
    served.get(&t.anna, &path).refuses(404, "does not exist");
}
