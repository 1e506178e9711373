//! From older versions to this one: ALTER EXTENSION UPDATE, dumps of older versions, and a library that meets the SQL of
//! another version. Wants dev's with_old_versions: the install scripts of tests/upgrade beside that of this version.

use std::fs::File;
use std::path::{Path, PathBuf};

use kb_rag_cluster_tests::{Database, Session, assert_figures, client_program, counts};
use postgres::Client;

/// Rows of the catalogue: object, property, value.
const CATALOGUE: &str = include_str!("../../upgrade/catalogue.sql");
/// The shape of one base.
const SHAPE: &str = include_str!("../../upgrade/base.sql");

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../upgrade").join(name)
}

/// Restores a dump with two bases that version 0.1.0 made.
#[allow(clippy::unwrap_used)]
fn restore_old_bases(database: &Database) {
    let restored = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", database.name()])
        .stdin(File::open(fixture("bases-0.1.0.sql")).unwrap())
        .output()
        .unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
}

/// A database as 0.1.0 left it, but with the library of today.
fn old() -> Database {
    let database = Database::bare("");
    database.connect().run("CREATE EXTENSION vector; CREATE EXTENSION kb_rag VERSION '0.1.0'");
    restore_old_bases(&database);
    database
}

fn catalogue(client: &mut Client) -> Vec<String> {
    let sql = format!("SELECT concat_ws(' | ', object, property, value) FROM ({CATALOGUE}) c");
    client.column(&sql, &[])
}

/// What one list has and the other lacks, for an assertion that can be read.
fn difference(of: &[String], without: &[String]) -> Vec<String> {
    of.iter().filter(|line| !without.contains(line)).cloned().collect()
}

fn assert_same(updated: &[String], fresh: &[String]) {
    let (surplus, missing) = (difference(updated, fresh), difference(fresh, updated));
    assert!(
        surplus.is_empty() && missing.is_empty() && updated.len() == fresh.len(),
        "only where it was updated: {surplus:#?}\nonly where it was installed: {missing:#?}"
    );
}

#[test]
fn an_updated_catalogue_is_that_of_an_installation() {
    let (database, installed) = (old(), Database::create());
    let mut client = database.connect();
    client.run("ALTER EXTENSION kb_rag UPDATE");
    let fresh = catalogue(&mut installed.connect());
    assert!(fresh.len() > 100, "{fresh:#?}");
    assert_same(&catalogue(&mut client), &fresh);
}

/// The message and the hint of a statement that fails.
#[allow(clippy::unwrap_used)]
fn refusal(client: &mut Client, sql: &str) -> (String, String) {
    let error = client.batch_execute(sql).unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!(error.code().code(), "55000", "{sql}: {error:?}");
    (error.message().to_string(), error.hint().unwrap_or_default().to_string())
}

/// Titles in the order they were found.
fn titles(client: &mut Client, search: &str) -> Vec<String> {
    client.column(&format!("SELECT title FROM {search}"), &[])
}

/// The bases of the dump answer, from both arms and by agent, and follow what is written.
fn assert_old_bases_work(client: &mut Client) {
    assert_eq!(titles(client, "kb_hybrid_search('how do refunds work?', 'handbook', 1)"), ["Refunds"]);
    assert_eq!(titles(client, "kb_search('when does it arrive', 'handbook', 'semantic', 1)"), ["Delivery"]);
    assert_eq!(titles(client, "kb_search('Katzen im Haus', 'Old notes', 'keyword')"), ["Tiere"]);
    assert_eq!(
        titles(
            client,
            "kb_hybrid_search('changed', agent_id => 'a0000000-0000-0000-0000-00000000000a', match_count => 1)"
        ),
        ["Note 3"]
    );
    for schema in ["kb_handbook", "kb_old_notes"] {
        assert_figures(client, schema);
    }
    let before = counts(client, "kb_old_notes");
    client.run(
        "SELECT kb_add('Old notes', 'A platypus swims.', title => 'New', source_key => 'notes/1.md');
         INSERT INTO kb_old_notes.document (title, content) VALUES ('Newer', 'A wombat digs.')",
    );
    assert_eq!(counts(client, "kb_old_notes"), before.map(|count| count + 1));
    assert_eq!(titles(client, "kb_search('platypus', 'Old notes', 'keyword')"), ["New"]);
    assert_figures(client, "kb_old_notes");
}

#[test]
fn bases_of_the_first_version_go_on_after_the_update() {
    let database = old();
    let role = database.create_role("creator");
    let mut client = database.connect();
    client.run(&format!("GRANT EXECUTE ON FUNCTION kb_create TO {role}"));
    let message = format!(
        "kb_rag library is version {}, but the extension in this database is version 0.1.0",
        env!("CARGO_PKG_VERSION")
    );
    let mut open_before = database.connect();
    for statement in [
        "SELECT * FROM kb_hybrid_search('refunds', 'handbook')",
        "SELECT * FROM kb_list()",
        "SELECT * FROM kb_rag.status",
        "SELECT kb_add('handbook', 'text')",
        "INSERT INTO kb_handbook.document (content) VALUES ('text')",
        "UPDATE kb_handbook.document SET content = 'text'",
        "DELETE FROM kb_handbook.document",
        "SELECT kb_create('another', model => 'fake/test', dimensions => 8)",
        "SELECT kb_drop('handbook')",
    ] {
        let (said, hint) = refusal(&mut open_before, statement);
        assert_eq!(
            (said.as_str(), hint.as_str()),
            (message.as_str(), "Run ALTER EXTENSION kb_rag UPDATE in this database."),
            "{statement}"
        );
    }
    // What needs no catalogue works, so that dumps, indexes and statistics of such a database do.
    client.run(
        "REINDEX TABLE kb_old_notes.chunk; ANALYZE kb_old_notes.chunk; SELECT kb_chunk('text'), kb_embed('text', 'fake/test', 8)",
    );
    let dump = client_program("pg_dump").args(["-d", database.name()]).output();
    assert!(dump.is_ok_and(|dump| dump.status.success()), "pg_dump failed");

    client.run("ALTER EXTENSION kb_rag UPDATE");
    // No need to connect anew.
    assert_old_bases_work(&mut open_before);
    let granted: bool =
        client.value("SELECT bool_and(has_function_privilege($1, oid, 'EXECUTE')) FROM pg_proc WHERE proname = 'kb_create'", &[&role]);
    assert!(granted, "a privilege granted before the update");
    client.run(&format!("DROP OWNED BY {role}"));
}

/// What kb_create made then has the shape of what it makes now.
#[test]
fn bases_of_the_first_version_have_the_shape_of_new_ones() {
    let database = old();
    let mut client = database.connect();
    client.run(
        "ALTER EXTENSION kb_rag UPDATE;
         SELECT kb_create('new notes', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20,
             chunk_strategy => 'markdown', text_config => 'english', title_weight => 3)",
    );
    let old: Vec<String> = client.column(SHAPE, &[&"kb_old_notes"]);
    let new: Vec<String> = client.column(SHAPE, &[&"kb_new_notes"]);
    assert!(new.len() > 50, "{new:#?}");
    let renamed: Vec<String> = old.iter().map(|line| line.replace("kb_old_notes", "kb_new_notes")).collect();
    assert_same(&renamed, &new);
}

#[test]
fn a_dump_of_the_first_version_restores_into_this_one() {
    let database = Database::bare("");
    restore_old_bases(&database);
    assert_old_bases_work(&mut database.connect());
}

/// Writes another version of the extension into the catalogue, as an update by a newer library does, and changes a
/// function, as every update does.
fn pretend(client: &mut Client, version: &str) {
    client.run(&format!(
        "SET allow_system_table_mods = on;
         UPDATE pg_extension SET extversion = '{version}' WHERE extname = 'kb_rag';
         RESET allow_system_table_mods;
         ALTER FUNCTION kb_list() CALLED ON NULL INPUT"
    ));
}

#[test]
fn an_older_library_says_so_also_in_a_session_that_is_open() {
    let (database, mut client) = Database::with_base("notes");
    let mut open_before = database.connect();
    let search = "SELECT * FROM kb_hybrid_search('x', 'notes')";
    open_before.run(search);
    let (major, minor) = {
        let mut parts =
            env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse::<u32>().unwrap_or_default());
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
    };
    pretend(&mut client, &format!("{major}.{minor}.77"));
    open_before.run(search);
    for newer in [format!("{major}.{}.0", minor + 1), format!("{}.0.0", major + 1)] {
        pretend(&mut client, &newer);
        let (message, hint) = refusal(&mut open_before, search);
        assert_eq!(
            message,
            format!(
                "kb_rag library is version {}, but the extension in this database is version {newer}",
                env!("CARGO_PKG_VERSION")
            )
        );
        assert_eq!(
            hint,
            format!(
                "Reconnect, to load the library anew; if that does not help, install that of kb_rag {newer}."
            )
        );
    }
    pretend(&mut client, env!("CARGO_PKG_VERSION"));
    open_before.run(search);
}

/// A snapshot from before the update shows the old version; what is seen in it must not be kept.
#[test]
fn an_old_snapshot_does_not_hide_an_update() {
    let (database, mut client) = Database::with_base("notes");
    let mut reader = database.connect();
    let search = "SELECT * FROM kb_hybrid_search('x', 'notes')";
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    pretend(&mut client, "99.0.0");
    reader.run(search);
    reader.run("COMMIT");
    refusal(&mut reader, search);
}
