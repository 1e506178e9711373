//! Attached tables with row security that is not followed: refused, or the base is closed to the roles to which it applies.

use kb_rag_cluster_tests::{Database, Session, client_program, wait_until};
use postgres::Client;

/// A base `notes` with an attached table and a reader without any privilege on the table.
struct Tenants {
    database: Database,
    owner: Client,
    owner_name: String,
    reader: Client,
    reader_name: String,
}

/// A table of this definition.
fn tenants(table: &str) -> Tenants {
    let database = Database::create();
    let owner_name = database.create_owner("owner");
    let reader_name = database.create_role("reader");
    database.connect().run(&format!("GRANT CREATE ON SCHEMA public TO {owner_name}"));
    let mut owner = database.connect_as(&owner_name);
    owner.create_base("notes");
    owner.run(table);
    owner.run(&format!(
        "INSERT INTO article VALUES (1, 'a', 'A platypus swims.'), (2, 'b', 'A wombat digs.');
         SELECT kb_attach('article', 'notes', 'body', wait => true), kb_grant('notes', '{reader_name}', 'read'),
             kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'notes')"
    ));
    owner.create_base("others");
    owner.run(&format!(
        "INSERT INTO kb_others.document (content) VALUES ('A platypus elsewhere.');
         SELECT kb_grant('others', '{reader_name}', 'read'), kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'others')"
    ));
    let reader = database.connect_as(&reader_name);
    Tenants { database, owner, owner_name, reader, reader_name }
}

const TABLE: &str = "CREATE TABLE article (id int PRIMARY KEY, tenant text, body text)";
const SECURE: &str = "ALTER TABLE article ENABLE ROW LEVEL SECURITY";

/// Statements that name the base.
const NAMED: [&str; 12] = [
    "SELECT * FROM kb_search('platypus', 'notes')",
    "SELECT * FROM kb_search('platypus', 'notes', 'keyword')",
    "SELECT * FROM kb_hybrid_search('platypus', 'notes')",
    "SELECT * FROM kb_search_documents('platypus', 'notes')",
    "SELECT kb_context('platypus', 'notes')",
    "SELECT * FROM kb_browse('notes')",
    "SELECT * FROM kb_stats('notes')",
    "SELECT * FROM kb_estimate('notes')",
    "SELECT * FROM kb_source_list('notes')",
    "SELECT kb_warm_query('platypus', 'notes')",
    "SELECT * FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'notes'), kb_embed('platypus', 'fake/test', 8))",
    "SELECT * FROM kb_search('platypus', 'notes', agent_id => 'a0000000-0000-0000-0000-00000000000a')",
];

/// Statements over several bases, whose rows name or contain what they found.
const UNNAMED: [&str; 5] = [
    "SELECT content FROM kb_search('platypus wombat')",
    "SELECT content FROM kb_hybrid_search('platypus wombat', agent_id => 'a0000000-0000-0000-0000-00000000000a')",
    "SELECT content FROM match_knowledge_chunks('a0000000-0000-0000-0000-00000000000a', kb_embed('wombat', 'fake/test', 8), 10, -1)",
    "SELECT knowledge_base FROM kb_rag.status",
    "SELECT coalesce(kb_context('platypus wombat', mode => 'keyword', match_threshold => -1), '')",
];

/// What a chat model calls, over all bases that are safe to name.
const TOOLS: [&str; 2] = [
    "SELECT kb_tools()::text",
    "SELECT kb_call_tool('search_knowledge', '{\"query\": \"platypus wombat\"}')::text",
];

fn is_of_notes(client: &mut Client, sql: &str) -> bool {
    let rows: Vec<String> = client.column(sql, &[]);
    rows.iter().any(|row| {
        row.contains("swims") || row.contains("digs") || row == "notes" || row.contains("\"notes\"")
    })
}

/// For superusers: statements that name no base leave out those of roles which they need not trust.
fn assert_open_by_name(client: &mut Client) {
    for statement in NAMED {
        assert_eq!(client.state_of(statement, &[]), "00000", "{statement}");
    }
}

fn assert_open(client: &mut Client) {
    assert_open_by_name(client);
    for statement in UNNAMED.into_iter().chain(TOOLS) {
        assert!(is_of_notes(client, statement), "{statement}");
    }
}

fn assert_closed(client: &mut Client) {
    for statement in NAMED {
        let error = client.query(statement, &[]).expect_err(statement);
        let error = error.as_db_error().expect("an error of the server");
        assert_eq!(error.code().code(), "55000", "{statement}: {error:?}");
        assert!(
            error.message().contains("is closed to you: row security of the attached table"),
            "{error:?}"
        );
        assert!(error.hint().is_some_and(|hint| hint.contains("notes")), "{error:?}");
    }
    for statement in UNNAMED.into_iter().chain(TOOLS) {
        assert!(!is_of_notes(client, statement), "{statement}");
    }
}

#[test]
fn a_table_with_row_security_is_refused() {
    let mut t = tenants(TABLE);
    t.owner.run(
        "CREATE TABLE plain (id int PRIMARY KEY, body text); ALTER TABLE plain ENABLE ROW LEVEL SECURITY;
         CREATE TABLE forced (id int PRIMARY KEY, body text);
         ALTER TABLE forced ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         CREATE TABLE above (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
         CREATE TABLE middle PARTITION OF above FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id);
         CREATE TABLE leaf PARTITION OF middle FOR VALUES FROM (0) TO (10);
         CREATE TABLE other PARTITION OF middle FOR VALUES FROM (10) TO (20);
         INSERT INTO plain VALUES (1, 'A quokka.')",
    );
    let attach = |table: &str| {
        format!("SELECT kb_attach('{table}', 'notes', 'body', row_security => 'refuse', wait => true)")
    };
    let mut superuser = t.database.connect();
    for secured in ["above", "middle", "leaf"] {
        t.owner.run(&format!("ALTER TABLE {secured} ENABLE ROW LEVEL SECURITY"));
        for table in ["above", "middle", "leaf"] {
            assert_eq!(t.owner.state_of(&attach(table), &[]), "0A000", "{table} below or above {secured}");
            assert_eq!(superuser.state_of(&attach(table), &[]), "0A000", "{table}");
        }
        // A policy of a sibling does not concern it.
        let expected = if secured == "leaf" { "00000" } else { "0A000" };
        assert_eq!(t.owner.state_of(&attach("other"), &[]), expected, "{secured}");
        t.owner.run(&format!("ALTER TABLE {secured} DISABLE ROW LEVEL SECURITY"));
    }
    for table in ["plain", "forced"] {
        assert_eq!(t.owner.state_of(&attach(table), &[]), "0A000", "{table}");
    }
    let unknown = "SELECT kb_attach('plain', 'notes', 'body', row_security => 'no', wait => true)";
    assert_eq!(t.owner.state_of(unknown, &[]), "22023");
    let (mut listening, notices) = t.database.connect_listening(&t.owner_name);
    listening.run("SELECT kb_attach('plain', 'notes', 'body', row_security => 'ignore', wait => true)");
    let received = notices.take().join("\n");
    assert!(received.contains("row security of table public.plain is ignored"), "{received}");
    let shown = "SELECT string_agg(location || ' ' || row_security, ', ' ORDER BY location) FROM kb_rag.source_status";
    assert_eq!(
        t.owner.value::<String>(shown, &[]),
        "public.article follow, public.other refuse, public.plain ignore"
    );
    // The reader has no SELECT on the table, which is what publishing is for.
    assert_eq!(t.reader.state_of("SELECT FROM plain", &[]), "42501");
    let found = "SELECT count(*) FROM kb_search('quokka', 'notes', 'keyword')";
    assert_eq!(t.reader.value::<i64>(found, &[]), 1);
    // Attached again without it, it is refused, and stays as it was.
    assert_eq!(t.owner.state_of(&attach("plain"), &[]), "0A000");
    assert_eq!(t.reader.value::<i64>(found, &[]), 1);
}

#[test]
fn row_security_that_is_enabled_later_closes_the_base() {
    let mut t = tenants(TABLE);
    assert_open(&mut t.reader);
    t.owner.run(SECURE);
    assert_closed(&mut t.reader);
    // Policies do not apply to these.
    assert_open(&mut t.owner);
    assert_open_by_name(&mut t.database.connect());
    t.database.connect().run(&format!("ALTER ROLE {} BYPASSRLS", t.reader_name));
    assert_open(&mut t.reader);
    t.database.connect().run(&format!("ALTER ROLE {} NOBYPASSRLS", t.reader_name));
    assert_closed(&mut t.reader);
    t.owner.run("ALTER TABLE article FORCE ROW LEVEL SECURITY");
    assert_closed(&mut t.owner);
    assert_open_by_name(&mut t.database.connect());
    t.owner.run("ALTER TABLE article NO FORCE ROW LEVEL SECURITY");
    // A superuser that acts as the reader.
    let mut as_reader = t.database.connect();
    as_reader.run(&format!("SET ROLE {}", t.reader_name));
    assert_closed(&mut as_reader);
    // A snapshot from before does not help.
    t.owner.run("ALTER TABLE article DISABLE ROW LEVEL SECURITY");
    t.reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM kb_search('platypus', 'notes')");
    t.owner.run(SECURE);
    assert_eq!(t.reader.state_of(NAMED[0], &[]), "55000");
    t.reader.run("ROLLBACK");
    t.owner.run("SELECT kb_attach('article', 'notes', 'body', row_security => 'ignore', wait => true)");
    assert_open(&mut t.reader);
}

#[test]
fn a_statement_over_several_bases_warns() {
    let mut t = tenants(TABLE);
    t.owner.run(SECURE);
    let (mut reader, notices) = t.database.connect_listening(&t.reader_name);
    for statement in UNNAMED {
        reader.run(statement);
        let received = notices.take().join("\n");
        assert!(received.contains("knowledge base \"notes\" is closed to you"), "{statement}: {received}");
        assert!(received.contains("it is left out"), "{statement}: {received}");
    }
}

/// A statement that runs in parallel takes no further snapshot.
#[test]
fn parallel_statements_are_checked_too() {
    let mut t = tenants(TABLE);
    let parallel = "SELECT count(*), (SELECT count(*) FROM kb_search('platypus', 'notes', 'keyword')),
            (SELECT count(note) FROM kb_rag.status) FROM numbers";
    let settings =
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0";
    t.owner.run("CREATE TABLE numbers AS SELECT generate_series(1, 1000) AS n; GRANT SELECT ON numbers TO PUBLIC; ANALYZE numbers");
    for client in [&mut t.reader, &mut t.owner] {
        client.run(settings);
        let plan: Vec<String> = client.column(&format!("EXPLAIN {parallel}"), &[]);
        assert!(plan.iter().any(|line| line.contains("Gather")), "{plan:?}");
        client.run(parallel);
    }
    t.owner.run(SECURE);
    assert_eq!(t.reader.state_of(parallel, &[]), "55000");
    t.owner.run(parallel);
}

/// A policy of a table above or below the attached one.
#[test]
fn partitions_close_the_base_too() {
    let table = "CREATE TABLE root (id int PRIMARY KEY, tenant text, body text) PARTITION BY RANGE (id);
         CREATE TABLE article PARTITION OF root FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id);
         CREATE TABLE leaf PARTITION OF article FOR VALUES FROM (0) TO (10);
         CREATE TABLE aunt PARTITION OF root FOR VALUES FROM (100) TO (200)";
    let mut t = tenants(table);
    for secured in ["root", "article", "leaf"] {
        assert_open(&mut t.reader);
        t.owner.run(&format!("ALTER TABLE {secured} ENABLE ROW LEVEL SECURITY"));
        assert_closed(&mut t.reader);
        t.owner.run(&format!("ALTER TABLE {secured} DISABLE ROW LEVEL SECURITY"));
    }
    t.owner.run("ALTER TABLE aunt ENABLE ROW LEVEL SECURITY");
    assert_open(&mut t.reader);
    // A partition that comes with row security.
    t.owner.run("CREATE TABLE late (id int PRIMARY KEY, tenant text, body text); ALTER TABLE late ENABLE ROW LEVEL SECURITY");
    // PostgreSQL wants a privilege on the function of the triggers, which only superusers have.
    t.database.connect().run("ALTER TABLE article ATTACH PARTITION late FOR VALUES FROM (10) TO (20)");
    assert_closed(&mut t.reader);
}

#[test]
fn the_documents_do_not_stay_without_the_table() {
    let mut t = tenants(TABLE);
    t.owner.run(SECURE);
    assert_eq!(t.owner.state_of("SELECT kb_detach('article', 'notes')", &[]), "55000");
    assert_closed(&mut t.reader);
    // The trigger and the workers record that the table has row security.
    t.owner.run("INSERT INTO article VALUES (3, 'c', 'A numbat eats.')");
    let noted = "SELECT row_secured FROM kb_rag.attached_table";
    assert!(t.database.connect().value::<bool>(noted, &[]));
    t.owner.run("DROP TRIGGER IF EXISTS none ON article; DROP TABLE article");
    assert_closed(&mut t.reader);
    assert_closed(&mut t.owner);
    assert_open_by_name(&mut t.database.connect());
    t.owner.run("DELETE FROM kb_notes.source; SELECT kb_reconcile('notes')");
    assert_eq!(t.reader.value::<i64>("SELECT count(*) FROM kb_search('platypus', 'notes')", &[]), 0);
    // The same by a worker that a refused reader has started.
    let mut t = tenants(TABLE);
    t.owner.run(SECURE);
    let mut superuser = t.database.connect();
    wait_until("a worker that has noted it", || {
        assert_eq!(t.reader.state_of(NAMED[0], &[]), "55000");
        superuser.value(noted, &[])
    });
    t.owner.run("DROP TABLE article");
    assert_closed(&mut t.reader);
    // A table that never had any may go.
    let mut t = tenants(TABLE);
    t.owner.run("DROP TABLE article");
    assert_open(&mut t.reader);
}

#[test]
fn detaching_with_the_documents_opens_the_base() {
    let mut t = tenants(TABLE);
    t.owner.run(SECURE);
    t.owner.run("SELECT kb_detach('article', 'notes', delete_documents => true)");
    assert_eq!(t.reader.value::<i64>("SELECT count(*) FROM kb_search('platypus', 'notes')", &[]), 0);
    assert_eq!(t.reader.state_of(NAMED[0], &[]), "00000");
}

/// A function cannot close the tables to those who may read them, so they are named.
#[test]
fn roles_with_privileges_on_the_tables_are_named() {
    let mut t = tenants(TABLE);
    let note = "SELECT note FROM kb_rag.status WHERE knowledge_base = 'notes'";
    assert_eq!(t.owner.value::<Option<String>>(note, &[]), None);
    t.owner.run(SECURE);
    let received: Option<String> = t.owner.value(note, &[]);
    let received = received.unwrap();
    assert!(received.contains("row security of the attached table public.article applies"), "{received}");
    assert!(received.contains(&t.reader_name) && !received.contains(&t.owner_name), "{received}");
    let (mut owner, notices) = t.database.connect_listening(&t.owner_name);
    owner.run("SELECT kb_reconcile('notes')");
    let received = notices.take().join("\n");
    assert!(received.contains(&t.reader_name) && received.contains("kb_revoke"), "{received}");
    owner.run("ALTER TABLE article DISABLE ROW LEVEL SECURITY");
    assert_eq!(owner.value::<Option<String>>(note, &[]), None);
}

/// The choice survives DROP EXTENSION and kb_adopt, and a dump.
#[test]
fn the_choice_is_kept() {
    let mut t = tenants(TABLE);
    t.owner.run(SECURE);
    t.owner.run("SELECT kb_attach('article', 'notes', 'body', row_security => 'ignore', wait => true)");
    t.owner.run(
        "CREATE TABLE second (id int PRIMARY KEY, tenant text, body text);
         INSERT INTO second VALUES (1, 'a', 'A quokka smiles.');
         SELECT kb_attach('second', 'others', 'body', wait => true)",
    );
    let mut superuser = t.database.connect();
    superuser.run("DROP EXTENSION kb_rag CASCADE; CREATE EXTENSION kb_rag");
    t.owner.run("ALTER TABLE second ENABLE ROW LEVEL SECURITY");
    superuser.run("SELECT kb_adopt('kb_notes'), kb_adopt('kb_others')");
    let kept = "SELECT string_agg(location || ' ' || row_security, ', ' ORDER BY location) FROM kb_rag.attached_table";
    assert_eq!(superuser.value::<String>(kept, &[]), "public.article ignore, public.second refuse");
    let found = "SELECT count(*) FROM kb_search('platypus', 'notes', 'keyword')";
    assert_eq!(t.reader.value::<i64>(found, &[]), 1);
    let closed = "SELECT count(*) FROM kb_search('quokka', 'others', 'keyword')";
    assert_eq!(t.reader.state_of(closed, &[]), "55000");

    let dump = client_program("pg_dump").args(["-d", t.database.name()]).output().unwrap();
    let restored = Database::bare("");
    let mut psql = client_program("psql");
    psql.args(["-q", "-X", "-d", restored.name()]).stdin(std::process::Stdio::piped());
    let mut psql =
        psql.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(psql.stdin.as_mut().unwrap(), &dump.stdout).unwrap();
    assert!(psql.wait().unwrap().success());
    assert_eq!(restored.connect().value::<String>(kept, &[]), "public.article ignore, public.second refuse");
    let mut reader = restored.connect_as(&t.reader_name);
    assert_eq!(reader.value::<i64>(found, &[]), 1);
    assert_eq!(reader.state_of(closed, &[]), "55000");
}
