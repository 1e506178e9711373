//! A base's schema that is dumped and restored on its own.

use kb_rag_cluster_tests::pipeline::wait_until_idle;
use kb_rag_cluster_tests::{
    Database, Session, assert_consistent, assert_figures, client_program, counts, sqlstate,
};
use postgres::Client;

const ANSWERS: &str = "SELECT chunk_id::text || ' ' || score FROM kb_hybrid_search('animal number 7', 'kept', match_count => 10)";

fn base() -> (Database, Client) {
    let (database, mut client) = Database::with_base("kept");
    client.run(
        "INSERT INTO kb_kept.document (title, content, source_key)
         SELECT 'Animal ' || n, 'Cats and dogs and animal number ' || n, n FROM generate_series(1, 50) n;
         SELECT kb_expose('kept'); SELECT kb_expose('kept', 'supabase')",
    );
    assert_eq!(client.column::<String>(ANSWERS, &[]).len(), 10);
    (database, client)
}

/// The view and the functions of kb_expose were restored too, and are the base's: kb_expose keeps them, and a change of the model takes
/// them along.
fn assert_exposed(client: &mut Client, name: &str, schema: &str) {
    let rows = format!("SELECT count(*) FROM {schema}.collection JOIN {schema}.chunk USING (id)");
    let rows: i64 = client.value(&rows, &[]);
    assert_eq!(rows, counts(client, schema)[2]);
    let view = format!("SELECT '{schema}.collection'::regclass::oid::int8");
    let before: i64 = client.value(&view, &[]);
    assert_eq!(
        client.value::<String>(&format!("SELECT kb_expose('{name}')"), &[]),
        format!("{schema}.collection")
    );
    assert_eq!(client.value::<i64>(&view, &[]), before);
    client.run(&format!("SELECT kb_configure('{name}', model => 'fake/other', dimensions => 12)"));
    let dimensions = format!("SELECT vector_dims(vec) FROM {schema}.collection LIMIT 1");
    assert_eq!(client.value::<i32>(&dimensions, &[]), 12);
    let found = format!(
        "SELECT vector_dims(embedding) FROM {schema}.match_documents(kb_embed('animal', 'fake/other', 12), 1)"
    );
    assert_eq!(client.value::<i32>(&found, &[]), 12);
    let functions = format!(
        "SELECT count(*), sum(p.oid::int8)::int8 FROM pg_proc p WHERE p.pronamespace = '{schema}'::regnamespace AND p.proname ~ 'match_documents$'"
    );
    let row = client.query_one(&functions, &[]).unwrap();
    let before: (i64, i64) = (row.get(0), row.get(1));
    assert_eq!(before.0, 2);
    client.run(&format!("SELECT kb_expose('{name}', 'supabase')"));
    let row = client.query_one(&functions, &[]).unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), before);
}

/// The schema in the form that pg_dump -n writes.
fn dump(database: &Database) -> String {
    dump_with(database, &["-n", "kb_kept"])
}

fn dump_with(database: &Database, options: &[&str]) -> String {
    let output = client_program("pg_dump").args(options).args(["-d", database.name()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // psql's own commands are not SQL.
    let dump = String::from_utf8(output.stdout).unwrap();
    assert!(dump.contains("CREATE TRIGGER"));
    dump
}

/// Restores it as a role; returns the errors.
fn restore(database: &Database, role: &str, dump: &str) -> String {
    let file = std::env::temp_dir().join(format!("{}.sql", database.name()));
    std::fs::write(&file, dump).unwrap();
    let output = client_program("psql")
        .args(["-q", "-X", "-U", role, "-d", database.name(), "-f"])
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_schema_restored_into_another_database_is_adopted() {
    let (from, mut client) = base();
    let answers: Vec<String> = client.column(ANSWERS, &[]);
    let id: String = client.value("SELECT id::text FROM kb_list()", &[]);
    let to = Database::create();
    assert_eq!(restore(&to, "postgres", &dump(&from)), "");
    let mut client = to.connect();
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_list()", &[]), 0);
    assert_eq!(client.value::<String>("SELECT kb_adopt('kb_kept')::text", &[]), id);
    assert_eq!(client.column::<String>(ANSWERS, &[]), answers);
    assert_eq!(client.value::<i64>("SELECT kb_reconcile('kept')", &[]), 0);
    assert_consistent(&mut client, "kept", "kb_kept");
    assert_figures(&mut client, "kb_kept");
    client.run("SELECT kb_add('kept', 'One more.'); UPDATE kb_kept.document SET title = 'All'; DELETE FROM kb_kept.document WHERE source_key = '9'");
    assert_consistent(&mut client, "kept", "kb_kept");
    assert_exposed(&mut client, "kept", "kb_kept");
    client.run("SELECT kb_drop('kept')");
}

/// A dump that is made during a change of the model: the base comes with the model in use, and nothing is left of the change.
#[test]
fn a_base_is_adopted_without_its_pending_model() {
    let (from, mut client) = base();
    let answers: Vec<String> = client.column(ANSWERS, &[]);
    from.set("kb_rag.workers", "0");
    let mut client = from.connect();
    client.run("SELECT kb_configure('kept', model => 'fake/other', dimensions => 12, embed => 'queued')");
    let dump = dump(&from);
    assert!(dump.contains("CREATE TABLE kb_kept.chunk_12"));
    let to = Database::create();
    assert_eq!(restore(&to, "postgres", &dump), "");
    let mut client = to.connect();
    client.run("SELECT kb_adopt('kb_kept')");
    let left: Vec<String> = client.column(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'kb_kept'::regnamespace AND relname ~ '_12'",
        &[],
    );
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(client.column::<String>(ANSWERS, &[]), answers);
    client.run("SELECT kb_drop('kept')");
}

/// An owner lacks the privilege to create the triggers; kb_adopt creates them.
#[test]
fn an_owner_adopts_a_base_it_restored() {
    let (from, mut client) = base();
    let answers: Vec<String> = client.column(ANSWERS, &[]);
    let dump = dump(&from);
    let to = Database::create();
    let owner = to.create_role("owner");
    to.connect().run(&format!("GRANT CREATE ON DATABASE {} TO {owner}", to.name()));
    let dump: String =
        dump.lines().filter(|line| !line.contains(" OWNER TO ")).map(|line| format!("{line}\n")).collect();
    let errors = restore(&to, &owner, &dump);
    let of_triggers = |line: &str| {
        line.contains("permission denied for function") || line.contains("ERROR:  trigger \"kb_rag_")
    };
    assert!(!errors.is_empty() && errors.lines().all(of_triggers), "{errors}");
    let mut client = to.connect_as(&owner);
    assert_eq!(sqlstate(&client.query("SELECT kb_adopt('kb_kept')", &[])), "42501");
    to.connect().run(&format!("SELECT kb_grant_admin('{owner}')"));
    client.run("SELECT kb_adopt('kb_kept')");
    assert_eq!(client.column::<String>(ANSWERS, &[]), answers);
    client.run("SELECT kb_add('kept', 'One more.')");
    assert_eq!(client.value::<i64>("SELECT kb_reconcile('kept')", &[]), 0);
    assert_consistent(&mut client, "kept", "kb_kept");
    assert_exposed(&mut client, "kept", "kb_kept");
    to.connect().run(&format!("SELECT kb_revoke_admin('{owner}')"));
}

/// In its own database the catalog still lists it.
#[test]
fn a_schema_restored_in_its_place_keeps_working() {
    let (database, mut client) = base();
    let answers: Vec<String> = client.column(ANSWERS, &[]);
    let dump = dump(&database);
    client.run("DROP SCHEMA kb_kept CASCADE");
    assert_eq!(client.state_of(ANSWERS, &[]), "42704");
    assert_eq!(restore(&database, "postgres", &dump), "");
    assert_eq!(client.column::<String>(ANSWERS, &[]), answers);
    assert_eq!(client.value::<i64>("SELECT kb_reconcile('kept')", &[]), 0);
    assert_eq!(counts(&mut client, "kb_kept"), [50, 50, 50]);

    // And beside the original under another name: a copy with its own id.
    client.run("ALTER SCHEMA kb_kept RENAME TO kb_moved");
    assert_eq!(restore(&database, "postgres", &dump), "");
    client.run("SELECT kb_adopt('kb_moved', 'moved')");
    let bases: Vec<String> = client.column("SELECT name || ' ' || schema FROM kb_list() ORDER BY 1", &[]);
    assert_eq!(bases, ["kept kb_kept", "moved kb_moved"]);
    client.run("SELECT kb_add('kept', 'A heron.'), kb_add('moved', 'A badger.')");
    assert_consistent(&mut client, "kept", "kb_kept");
    assert_consistent(&mut client, "moved", "kb_moved");
    assert_figures(&mut client, "kb_kept");
    assert_figures(&mut client, "kb_moved");
    for (schema, own) in [("kb_kept", "A heron."), ("kb_moved", "A badger.")] {
        let found = format!("SELECT content FROM {schema}.kw_match_documents('heron badger')");
        assert_eq!(client.column::<String>(&found, &[]), [own]);
        let found = format!(
            "SELECT count(*) FROM {schema}.match_documents(kb_embed('{own}', 'fake/test', 8), 100) m JOIN {schema}.chunk USING (id)"
        );
        assert_eq!(client.value::<i64>(&found, &[]), 51);
    }
    assert_exposed(&mut client, "kept", "kb_kept");
    assert_exposed(&mut client, "moved", "kb_moved");
}

/// As tools for migrations keep it: no rows, neither of the catalog nor of the base.
#[test]
fn a_dump_of_the_schema_alone_is_adopted_with_its_tables() {
    let (from, mut client) = Database::with_base("kept");
    client.run(
        "SELECT kb_configure('kept', chunk_size => 300, chunk_overlap => 30, text_config => 'german', part_weight => 0.5);
         CREATE TABLE article (id int PRIMARY KEY, gone int, body text, open boolean, lang text, extra jsonb);
         ALTER TABLE article DROP COLUMN gone;
         SELECT kb_attach('article', 'kept', 'body', metadata => '{extra}', language => '{lang}', condition => 'open', url => 'https://h/{id}');
         ALTER TABLE article RENAME COLUMN open TO is_open;
         CREATE TABLE note (a int, b int, body text, PRIMARY KEY (b, a));
         SELECT kb_attach('note', 'kept', 'body', source_type => 'note');
         CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no DDL'; END $$;
         CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION refuse()",
    );
    // A write that finds another name writes no comment.
    client.run("INSERT INTO article VALUES (1, 'Alte Pumpen.', true, 'de')");
    client.run("DROP EVENT TRIGGER refuse; DROP FUNCTION refuse(); SELECT kb_reconcile('kept')");
    let settings: String = client.value("SELECT (to_jsonb(l) - 'created_at')::text FROM kb_list() l", &[]);
    let columns = "SELECT concat_ws(' ', location, names, labels, uses, source_type, options) FROM kb_rag.attached_table ORDER BY 1";
    // The condition is read again with the present name of its column.
    let attached: Vec<String> = client
        .column::<String>(columns, &[])
        .iter()
        .map(|row| row.replace(",open}", ",is_open}").replace("\"open\"", "\"is_open\""))
        .collect();
    let dump = dump_with(&from, &["-s"]);
    let to = Database::bare("");
    assert_eq!(restore(&to, "postgres", &dump), "");
    let mut client = to.connect();
    client.run("INSERT INTO article VALUES (1, 'Pumpen.', true, 'de', '{\"team\": \"a\"}')");
    let hint = |client: &mut Client, sql: &str| {
        let error = client.batch_execute(sql).unwrap_err();
        error.as_db_error().and_then(|error| error.hint()).unwrap_or_default().to_string()
    };
    let adopt = "SELECT kb_adopt('kb_kept')";
    for sql in ["INSERT INTO kb_kept.document (content) VALUES ('x')", "SELECT * FROM kb_search('x', 'kept')"]
    {
        assert!(hint(&mut client, sql).ends_with(&format!("Run {adopt}.")), "{sql}");
    }
    client.run(adopt);
    assert_eq!(
        client.value::<String>("SELECT (to_jsonb(l) - 'created_at')::text FROM kb_list() l", &[]),
        settings
    );
    assert_eq!(client.column::<String>(columns, &[]), attached);
    client.run("INSERT INTO article VALUES (2, 'Ventile.', true, 'de'), (3, 'Geheime Ventile.', false, 'de'); INSERT INTO note VALUES (1, 2, 'Ventil')");
    let found: Vec<String> = client.column(
        "SELECT concat_ws(' ', source, metadata ->> 'team', metadata ->> 'source_url') FROM kb_search('Pumpe Ventil', 'kept', 'keyword', 20) ORDER BY 1",
        &[],
    );
    assert_eq!(found, ["1 a https://h/1", "2 https://h/2", "[\"2\", \"1\"]"]);
    // Workers make the vectors of what kb_adopt read.
    wait_until_idle(&mut client);
    assert_eq!(client.value::<i64>("SELECT kb_reconcile('kept')", &[]), 0);
    // Each table has the triggers of one attachment.
    let id: String = client.value("SELECT id::text FROM kb_list()", &[]);
    let triggers = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN ('article'::regclass, 'note'::regclass)";
    assert_eq!(client.value::<i64>(triggers, &[]), 8);
    // Under another id, the triggers of the old one are replaced.
    let other = Database::bare("");
    assert_eq!(restore(&other, "postgres", &dump.replace(&format!("\"id\":\"{id}\""), "\"id\":\"x\"")), "");
    let mut client = other.connect();
    client.run(adopt);
    assert_ne!(client.value::<String>("SELECT id::text FROM kb_list()", &[]), id);
    assert_eq!(client.value::<i64>(triggers, &[]), 8);
    client.run("INSERT INTO article VALUES (2, 'Ventile.', true, 'de')");
    assert_eq!(
        client.value::<i64>("SELECT count(*) FROM kb_search('Ventil', 'kept', 'keyword', 20)", &[]),
        1
    );
}
