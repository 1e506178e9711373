//! Dumps restored into another cluster: in all formats, with and without the roles.

use std::env;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use kb_rag_cluster_tests::{Server, Session, assert_consistent, assert_figures, assert_nothing_to_reconcile};
use postgres::Client;

/// A directory of this test run; removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = env::temp_dir().join(format!("kb_rag_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a program that must succeed.
fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Two bases in the database `app`: one with the local model, created by its owner, and one with the fake
/// model.
fn filled() -> Server {
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE ROLE librarian LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN");
    client.run("CREATE DATABASE app");
    server.connect_to("app", "postgres").run(
        "CREATE EXTENSION kb_rag CASCADE; GRANT EXECUTE ON FUNCTION kb_create TO librarian;
         GRANT CREATE ON DATABASE app TO librarian",
    );
    server.connect_to("app", "librarian").run(
        "SELECT kb_create('handbook', 'how we work');
         INSERT INTO kb_handbook.document (title, content, metadata) VALUES
             ('Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.', '{\"team\": \"sales\"}'),
             ('Delivery', 'Parcels within Europe arrive in three to five working days.', '{}');
         GRANT USAGE ON SCHEMA kb_handbook TO reader;
         GRANT SELECT ON ALL TABLES IN SCHEMA kb_handbook TO reader",
    );
    let mut client = server.connect_to("app", "postgres");
    client.create_base("notes");
    client.run(
        "INSERT INTO kb_notes.document (title, content, source_key, language)
         SELECT 'Animal ' || n, CASE WHEN n % 9 = 0 THEN 'Katzen und Hunde, Nummer ' ELSE 'Cats and dogs and animal number ' END
            || n || repeat(' and more', n % 5), 'key ' || n, CASE WHEN n % 9 = 0 THEN 'de' END
         FROM generate_series(1, 2200) n;
         SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'notes')",
    );
    server
}

/// Every answer and every row that a dump must preserve, down to the last bit of each vector and index
/// definition.
fn everything(client: &mut Client) -> Vec<String> {
    client.column(
        "SELECT concat_ws(' ', q, chunk_id, score, similarity, keyword_score)
         FROM unnest(ARRAY['cats and dogs', 'number 77', 'Katzen', '\"number 12\"', 'my money']) q, unnest(ARRAY['hybrid', 'semantic', 'keyword']) mode,
             unnest(ARRAY['notes', 'handbook']) base, kb_search(q, base, mode, 20)
         UNION ALL SELECT md5(string_agg(e::text, ',' ORDER BY chunk_id)) FROM kb_notes.embedding e
         UNION ALL SELECT md5(string_agg(e::text, ',' ORDER BY chunk_id)) FROM kb_handbook.embedding e
         UNION ALL SELECT md5(string_agg(c::text, ',' ORDER BY id)) FROM kb_notes.chunk c
         UNION ALL SELECT md5(string_agg(d::text, ',' ORDER BY id)) FROM kb_notes.document d
         UNION ALL SELECT md5(string_agg(s::text, ',' ORDER BY id)) FROM kb_notes.keyword_segment s
         UNION ALL SELECT md5(string_agg(r::text, ',' ORDER BY segment, lexeme, ordinal)) FROM kb_notes.keyword_run r
         UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('kb_notes', 'kb_handbook')
         UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
         UNION ALL SELECT k::text FROM kb_rag.knowledge_base k
         UNION ALL SELECT a::text FROM kb_rag.agent_knowledge_base a
         ORDER BY 1",
        &[],
    )
}

/// The restored bases equal the dumped ones, and follow their documents.
fn assert_restored(client: &mut Client, expected: &[String]) {
    assert!(expected.len() > 200, "{expected:#?}");
    assert_eq!(everything(client), expected);
    let runs: i64 = client.value("SELECT count(*) FROM kb_notes.keyword_run", &[]);
    assert!(runs > 1, "{runs} rows of large segments");
    assert_figures(client, "kb_notes");
    for base in ["notes", "handbook"] {
        assert_nothing_to_reconcile(client, base);
    }
    client.run(
        "SELECT kb_add('notes', 'A platypus swims.', source_key => 'key 1');
         UPDATE kb_notes.document SET content = content || ' Changed.' WHERE source_key = 'key 2';
         DELETE FROM kb_notes.document WHERE source_key LIKE 'key 3%';
         INSERT INTO kb_handbook.document (content) VALUES ('A wombat digs.')",
    );
    let found: Vec<String> =
        client.column("SELECT content FROM kb_search('platypus', 'notes', 'keyword')", &[]);
    assert_eq!(found, ["A platypus swims."]);
    assert_consistent(client, "notes", "kb_notes");
    for schema in ["kb_notes", "kb_handbook"] {
        assert_figures(client, schema);
    }
}

/// A whole cluster by pg_dumpall, including the roles and their privileges.
#[test]
fn pg_dumpall_moves_bases_with_their_owners_and_readers() {
    let (from, to, scratch) = (filled(), Server::start(), Scratch::new("dumpall"));
    let expected = everything(&mut from.connect_to("app", "postgres"));
    run(from.program("pg_dumpall").args(["-f", &scratch.file("all.sql")]));
    // The role postgres exists already: the only error.
    let restored = to
        .program("psql")
        .args(["-q", "-X", "-d", "postgres"])
        .stdin(File::open(scratch.file("all.sql")).unwrap())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&restored.stderr).to_string();
    let unexpected: Vec<&str> = errors
        .lines()
        .filter(|line| line.contains("ERROR") && !line.contains("role \"postgres\" already exists"))
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");

    let question = "SELECT title FROM kb_search('do I get my money back?', 'handbook', 'semantic', 1)";
    assert_eq!(to.connect_to("app", "reader").column::<String>(question, &[]), ["Refunds"]);
    let mut librarian = to.connect_to("app", "librarian");
    librarian.run("SELECT kb_add('handbook', 'Expenses are paid within a week.', title => 'Expenses', source_key => 'e')");
    assert_eq!(
        librarian.column::<String>("SELECT title FROM kb_search('expenses', 'handbook', 'keyword')", &[]),
        ["Expenses"]
    );
    librarian.run("DELETE FROM kb_handbook.document WHERE source_key = 'e'; SELECT kb_create('own', model => 'fake/test', dimensions => 8); SELECT kb_drop('own')");
    let mut stranger = to.connect_to("app", "stranger");
    assert_eq!(stranger.state_of(question, &[]), "42501");
    assert_eq!(stranger.state_of("SELECT kb_create('mine')", &[]), "42501");
    assert_restored(&mut to.connect_to("app", "postgres"), &expected);
}

/// In a directory, with several jobs, into a cluster that has none of the roles.
#[test]
fn a_directory_restores_in_parallel_without_the_roles() {
    let (from, to, scratch) = (filled(), Server::start(), Scratch::new("directory"));
    let expected = everything(&mut from.connect_to("app", "postgres"));
    // A foreign key would exist before the rows, which several jobs restore in any order.
    let keys: Vec<String> = from.connect_to("app", "postgres").column(
        "SELECT conname::text FROM pg_constraint c, pg_extension e WHERE c.contype = 'f' AND c.conrelid = ANY (e.extconfig)",
        &[],
    );
    assert!(keys.is_empty(), "foreign keys of dumped tables: {keys:?}");
    run(from.program("pg_dump").args(["-Fd", "-j", "2", "-f", &scratch.file("app"), "app"]));
    to.connect().run("CREATE DATABASE app");
    run(to.program("pg_restore").args([
        "--no-owner",
        "--no-acl",
        "--exit-on-error",
        "-j",
        "2",
        "-d",
        "app",
        &scratch.file("app"),
    ]));
    let mut client = to.connect_to("app", "postgres");
    assert_restored(&mut client, &expected);
    // Its creator does not exist here; a superuser may do anything with it.
    assert_eq!(
        client.value::<String>("SELECT owner FROM kb_list() WHERE name = 'handbook'", &[]),
        "librarian"
    );
    client.run("SELECT kb_drop('handbook')");
}

/// Without the roles and with neither --no-owner nor --no-acl: pg_restore reports what it could not do, and
/// everything else is restored.
#[test]
fn missing_roles_only_cost_their_privileges() {
    let (from, to, scratch) = (filled(), Server::start(), Scratch::new("roles"));
    let expected = everything(&mut from.connect_to("app", "postgres"));
    run(from.program("pg_dump").args(["-Fc", "-f", &scratch.file("app.dump"), "app"]));
    to.connect().run("CREATE DATABASE app");
    let restored = to.program("pg_restore").args(["-d", "app", &scratch.file("app.dump")]).output().unwrap();
    let errors = String::from_utf8_lossy(&restored.stderr).to_string();
    assert!(!restored.status.success(), "the roles are missing");
    let unexpected: Vec<&str> = errors
        .lines()
        .filter(|line| {
            line.contains("ERROR")
                && !line.contains("role \"librarian\" does not exist")
                && !line.contains("role \"reader\" does not exist")
        })
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    assert_restored(&mut to.connect_to("app", "postgres"), &expected);
}
