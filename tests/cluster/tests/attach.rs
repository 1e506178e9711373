//! Attached tables: which roles may attach them, as which role their rows are read, concurrent writers, and
//! the effects of dumps, restores and DROP EXTENSION.

use std::process::Stdio;
use std::thread;

use kb_rag_cluster_tests::{
    Database, Outcome, Session, assert_consistent, assert_nothing_to_reconcile, client_program, sqlstate,
    wait_for_lock, wait_until,
};
use postgres::Client;

/// A base of one role and a table of another, which administers the base; a third role only writes rows.
struct Attached {
    database: Database,
    superuser: Client,
    keeper: String,
    as_keeper: Client,
    app: String,
    as_app: Client,
    as_writer: Client,
}

fn attached() -> Attached {
    let database = Database::create();
    let (keeper, app) = (database.create_owner("keeper"), database.create_role("app"));
    let writer = database.create_role("writer");
    let mut superuser = database.connect();
    superuser.run(&format!("GRANT CREATE ON DATABASE {} TO {app}", database.name()));
    let mut as_keeper = database.connect_as(&keeper);
    as_keeper.create_base("kept");
    as_keeper.run(&format!("SELECT kb_grant('kept', '{app}', 'admin')"));
    let mut as_app = database.connect_as(&app);
    as_app.run(&format!(
        "CREATE SCHEMA shop;
         GRANT USAGE ON SCHEMA shop TO {writer};
         CREATE TABLE shop.article (id int PRIMARY KEY, title text, body text, price text);
         GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON shop.article TO {writer};
         INSERT INTO shop.article VALUES (1, 'Kettle', 'Boils water.', '12');
         SELECT kb_attach('shop.article', 'kept', 'body', 'title', wait => true)"
    ));
    let as_writer = database.connect_as(&writer);
    Attached { database, superuser, keeper, as_keeper, app, as_app, as_writer }
}

const CONTENTS: &str = "SELECT source_key || ' ' || content FROM kb_kept.document ORDER BY 1";

fn assert_same_rows(client: &mut Client, table: &str) {
    let different: i64 = client.value(
        &format!(
            "SELECT count(*) FROM (SELECT id::text, body FROM {table} WHERE coalesce(body, '') <> '') t (key, body)
             FULL JOIN kb_kept.document d ON d.source_key = t.key
             WHERE t.body IS DISTINCT FROM d.content OR d.metadata #>> '{{key,id}}' IS DISTINCT FROM t.key"
        ),
        &[],
    );
    assert_eq!(different, 0, "rows of {table} and documents that differ");
    assert_consistent(client, "kept", "kb_kept");
}

#[test]
fn a_writer_needs_no_privilege_on_the_base() {
    let mut it = attached();
    for statement in [
        "INSERT INTO shop.article VALUES (2, 'Pan', 'Fries eggs.'), (3, 'Pot', 'Cooks soup.')",
        "UPDATE shop.article SET body = body || ' Fast.' WHERE id < 3",
        "UPDATE shop.article SET id = 30 WHERE id = 3",
        "DELETE FROM shop.article WHERE id = 1",
    ] {
        assert_eq!(it.as_writer.state_of(statement, &[]), "00000", "{statement}");
    }
    assert_eq!(it.as_writer.state_of("SELECT * FROM kb_kept.document", &[]), "42501");
    let contents: Vec<String> = it.superuser.column(CONTENTS, &[]);
    assert_eq!(contents, ["2 Fries eggs. Fast.", "30 Cooks soup."]);
    assert_same_rows(&mut it.superuser, "shop.article");
    it.as_writer.run("TRUNCATE shop.article");
    assert!(it.superuser.column::<String>(CONTENTS, &[]).is_empty());
}

#[test]
fn attaching_takes_owner_and_administrator_and_either_detaches() {
    let mut it = attached();
    // The base's owner has no privilege on the table; the writer neither owns it nor administers the base.
    let attach = "SELECT kb_attach('shop.article', 'kept', 'price', wait => true)";
    it.as_app.run(&format!("GRANT USAGE ON SCHEMA shop TO {}", it.keeper));
    for client in [&mut it.as_keeper, &mut it.as_writer] {
        assert_eq!(client.state_of(attach, &[]), "42501");
    }
    assert_eq!(it.as_writer.state_of("SELECT kb_detach('shop.article', 'kept')", &[]), "42501");
    // The table's owner may detach it even when it no longer administers the base.
    it.as_keeper.run(&format!("SELECT kb_revoke('kept', '{}', 'read')", it.app));
    assert_eq!(it.as_app.state_of(attach, &[]), "42501");
    it.as_app.run("SELECT kb_detach('shop.article', 'kept', true)");
    assert!(it.superuser.column::<String>(CONTENTS, &[]).is_empty());
    // An administrator of the base may detach it too.
    it.as_keeper.run(&format!("SELECT kb_grant('kept', '{}', 'admin')", it.app));
    it.as_app.run(attach);
    assert_eq!(it.superuser.column::<String>(CONTENTS, &[]), ["1 12"]);
    it.as_keeper.run("SELECT kb_detach('shop.article', 'kept')");
    it.as_app.run("UPDATE shop.article SET price = '13'");
    assert_eq!(it.superuser.column::<String>(CONTENTS, &[]), ["1 12"]);
    // So does kb_drop, by a role without privileges on the table.
    it.as_app.run(attach);
    it.as_keeper.run("SELECT kb_drop('kept')");
    let triggers: i64 =
        it.superuser.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'shop.article'::regclass", &[]);
    assert_eq!(triggers, 0);
}

/// Casts and output functions of the table's owner run as that owner, and triggers of the base's owner as the
/// base's owner.
#[test]
fn code_of_either_owner_runs_as_that_owner() {
    let mut it = attached();
    it.as_app.run(
        "CREATE TABLE shop.witness (who text);
         GRANT INSERT ON shop.witness TO PUBLIC;
         GRANT USAGE ON SCHEMA shop TO PUBLIC;
         CREATE TYPE shop.mood AS ENUM ('good', 'bad');
         CREATE FUNCTION shop.spy(shop.mood) RETURNS text LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO shop.witness VALUES (current_user); RETURN 'mood'; END $$;
         CREATE FUNCTION shop.spy_json(shop.mood) RETURNS json LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO shop.witness VALUES (current_user); RETURN '1'; END $$;
         CREATE CAST (shop.mood AS text) WITH FUNCTION shop.spy(shop.mood);
         CREATE CAST (shop.mood AS json) WITH FUNCTION shop.spy_json(shop.mood);
         CREATE TABLE shop.diary (id int PRIMARY KEY, day shop.mood, note shop.mood, tag shop.mood);
         CREATE TABLE shop.part (id int PRIMARY KEY, day shop.mood, note shop.mood) PARTITION BY LIST (id);
         CREATE TABLE shop.part_1 PARTITION OF shop.part FOR VALUES IN (1, 2);
         INSERT INTO shop.diary VALUES (9, 'bad', 'good', 'bad');
         SELECT kb_attach('shop.diary', 'kept', 'note', 'note', '{tag}', wait => true);
         SELECT kb_attach('shop.part', 'kept', 'note', wait => true)",
    );
    it.as_keeper.run(
        "CREATE TABLE kb_kept.witness (who text);
         CREATE FUNCTION kb_kept.spy() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO kb_kept.witness VALUES (current_user); RETURN coalesce(NEW, OLD); END $$;
         CREATE TRIGGER spy BEFORE INSERT OR UPDATE OR DELETE ON kb_kept.document FOR EACH ROW EXECUTE FUNCTION kb_kept.spy()",
    );
    for table in ["diary", "part"] {
        it.superuser.run(&format!(
            "TRUNCATE shop.witness, kb_kept.witness;
             INSERT INTO shop.{table} (id, day, note) VALUES (1, 'good', 'bad');
             UPDATE shop.{table} SET note = 'good';
             UPDATE shop.{table} SET id = 2 WHERE id = 1;
             ALTER TABLE shop.{table} DISABLE TRIGGER USER;
             DELETE FROM shop.{table} WHERE id = 2;
             INSERT INTO shop.{table} (id, day, note) VALUES (1, 'bad', 'bad');
             ALTER TABLE shop.{table} ENABLE TRIGGER USER;
             SELECT kb_reconcile('kept');
             DELETE FROM shop.{table}"
        ));
        for (witness, owner) in [("shop.witness", &it.app), ("kb_kept.witness", &it.keeper)] {
            let who: Vec<String> = it.superuser.column(&format!("SELECT DISTINCT who FROM {witness}"), &[]);
            assert_eq!(who, std::slice::from_ref(owner), "{witness} of {table}");
        }
    }
    // An attempt to become another role fails, and the statement is rolled back.
    it.as_app.run(
        "CREATE OR REPLACE FUNCTION shop.spy(shop.mood) RETURNS text LANGUAGE plpgsql AS $$
         BEGIN RESET ROLE; RETURN 'mood'; END $$",
    );
    let state = it.superuser.state_of("INSERT INTO shop.diary VALUES (5, 'good', 'bad', NULL)", &[]);
    assert_eq!(state, "42501");
}

/// The owner of the table decides which columns are read; writers of the base cannot change that.
#[test]
fn a_writer_of_the_base_cannot_ask_for_other_columns() {
    let mut it = attached();
    let clerk = it.database.create_role("clerk");
    it.as_keeper.run(&format!("SELECT kb_grant('kept', '{clerk}', 'write')"));
    let mut as_clerk = it.database.connect_as(&clerk);
    as_clerk.run(
        "UPDATE kb_kept.source SET options = '{\"content\": \"price\", \"title\": \"price\", \"metadata\": [\"price\"], \"key\": [\"id\"]}',
             location = 'shop.other', kind = 'table'",
    );
    it.as_writer.run("INSERT INTO shop.article VALUES (2, 'Pan', 'Fries eggs.', 'secret')");
    it.superuser.run("SELECT kb_reconcile('kept')");
    let documents: Vec<String> = it.superuser.column("SELECT d::text FROM kb_kept.document d", &[]);
    assert!(documents.iter().all(|document| !document.contains("secret")), "{documents:?}");
    assert_eq!(it.superuser.column::<String>(CONTENTS, &[]), ["1 Boils water.", "2 Fries eggs."]);
}

#[test]
fn concurrent_writers_leave_documents_that_match_the_rows() {
    let mut it = attached();
    let mut threads = Vec::new();
    for writer in 0..4 {
        let mut client = it.database.connect();
        threads.push(thread::spawn(move || {
            for round in 0..40 {
                let row = (writer * 7 + round * 5) % 12;
                let statement = match (writer + round) % 5 {
                    0 | 1 => format!(
                        "INSERT INTO shop.article VALUES ({row}, 'T', 'Text {writer} {round}')
                         ON CONFLICT (id) DO UPDATE SET body = excluded.body"
                    ),
                    2 => format!("UPDATE shop.article SET body = body || ' {writer}' WHERE id = {row}"),
                    3 => format!("DELETE FROM shop.article WHERE id = {row}"),
                    _ => format!("UPDATE shop.article SET body = NULL WHERE id = {row}"),
                };
                assert_eq!(client.state_of(&statement, &[]), "00000", "{statement}");
            }
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_same_rows(&mut it.superuser, "shop.article");
}

/// Statements over many rows wait for each other at rows of the table, in whose order documents are locked.
/// They lock the rows in key order; otherwise two UPDATEs of a whole table may visit them in different
/// orders.
#[test]
fn statements_over_all_rows_take_turns() {
    let mut it = attached();
    it.superuser.run("INSERT INTO shop.article SELECT n, 'T', 'Text ' || n FROM generate_series(2, 60) n");
    let threads: Vec<_> = (0..3)
        .map(|writer| {
            let mut client = it.database.connect();
            thread::spawn(move || {
                for round in 0..8 {
                    let statement = format!(
                        "WITH locked AS MATERIALIZED (SELECT id FROM shop.article ORDER BY id FOR UPDATE)
                         UPDATE shop.article a SET body = 'Text ' || a.id || ' {writer} {round}'
                         FROM locked WHERE locked.id = a.id"
                    );
                    assert_eq!(client.state_of(&statement, &[]), "00000");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_same_rows(&mut it.superuser, "shop.article");
}

/// While the rows of a long table are read, others write them: no change is lost, and no deleted row returns.
#[test]
fn rows_written_while_the_table_is_read_are_correct() {
    let (database, mut client) = Database::with_base("kept");
    client.run(&format!(
        "ALTER DATABASE {} SET kb_rag.workers = 0; SET kb_rag.workers = 0;
         CREATE TABLE long (id int PRIMARY KEY, body text, views int DEFAULT 0);
         INSERT INTO long SELECT n, 'Text ' || n FROM generate_series(1, 3000) n;
         SELECT kb_attach('long', 'kept', 'body')",
        database.name()
    ));
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_kept.document", &[]), 50);
    // Another session is writing a row that comes soon: the rows before it are read, then the read waits for
    // that session.
    let mut holder = database.connect();
    let mut transaction = holder.transaction().unwrap();
    transaction.run("UPDATE long SET views = 1 WHERE id = 700");
    let mut worker = database.connect();
    let pid = worker.pid();
    let working = Outcome::spawn(worker, "CALL kb_work(120)");
    wait_for_lock(&mut client, pid);
    let mut writer = database.connect();
    writer.run(
        "DELETE FROM long WHERE id % 10 = 3 AND id <> 700; UPDATE long SET body = 'Changed ' || id WHERE id % 10 = 4;
         UPDATE long SET id = id + 10000 WHERE id % 10 = 5; INSERT INTO long VALUES (0, 'Zero')",
    );
    transaction.commit().unwrap();
    let mut round = 0;
    while !working.is_finished() {
        round += 1;
        writer.run(&format!(
            "UPDATE long SET body = 'Round {round} of ' || id WHERE id BETWEEN {0} AND {0} + 20;
             DELETE FROM long WHERE id = {0} + 30",
            (round * 137) % 3000
        ));
    }
    assert_eq!(working.join().unwrap().state, "00000");
    // The documents that were left to workers.
    client.run("CALL kb_work(120)");
    let status: String = client.value("SELECT status FROM kb_rag.source_status", &[]);
    assert_eq!(status, "indexed");
    assert_same_rows(&mut client, "long");
}

/// The same with background workers.
#[test]
fn background_workers_read_a_long_table() {
    let (_database, mut client) = Database::with_base("kept");
    client.run(
        "CREATE TABLE long (id text PRIMARY KEY, body text);
         INSERT INTO long SELECT 'key ' || n, 'Text ' || n FROM generate_series(1, 1600) n;
         SELECT kb_attach('long', 'kept', 'body')",
    );
    wait_until("a table that has been read", || {
        client.value("SELECT status = 'indexed' FROM kb_rag.source_status", &[])
    });
    wait_until("documents with their vectors", || {
        client.value("SELECT count(*) = 1600 FROM kb_kept.document WHERE status = 'indexed'", &[])
    });
    assert_same_rows(&mut client, "long");
}

/// A transaction with a snapshot from before the table was attached is told to run again.
#[test]
fn an_older_snapshot_loses_no_row() {
    let (database, mut client) = Database::with_base("kept");
    client.run("CREATE TABLE plain (id int PRIMARY KEY, body text)");
    let mut other = database.connect();
    let mut transaction =
        other.build_transaction().isolation_level(postgres::IsolationLevel::RepeatableRead).start().unwrap();
    transaction.run("SELECT count(*) FROM plain");
    client.run("SELECT kb_attach('plain', 'kept', 'body', wait => true)");
    let state = transaction.state_of("INSERT INTO plain VALUES (1, 'Text')", &[]);
    assert_eq!(state, "40001");
    transaction.rollback().unwrap();
    other.run("BEGIN ISOLATION LEVEL REPEATABLE READ; INSERT INTO plain VALUES (1, 'Text'); COMMIT");
    assert_same_rows(&mut client, "plain");
}

/// Dumps a database and restores it into a new one.
fn restored(from: &Database, options: &[&str]) -> Database {
    let to = Database::bare("");
    let mut dump = client_program("pg_dump")
        .args(["-d", from.name()])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let restore = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", to.name()])
        .stdin(dump.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(dump.wait().unwrap().success(), "pg_dump failed");
    assert!(restore.status.success(), "{}", String::from_utf8_lossy(&restore.stderr));
    to
}

/// Column numbers and the table's OID change in a restore, and the new names count.
#[test]
fn a_restored_table_is_followed() {
    let (from, mut client) = Database::with_base("kept");
    client.run(
        "CREATE TABLE plain (gone int, id int PRIMARY KEY, text text, body text, other text);
         ALTER TABLE plain DROP COLUMN gone;
         SELECT kb_attach('plain', 'kept', 'text', metadata => '{other}', wait => true);
         ALTER TABLE plain RENAME COLUMN body TO not_used;
         ALTER TABLE plain RENAME COLUMN text TO body;
         INSERT INTO plain (id, body, not_used, other) VALUES (1, 'One', 'secret', 'o'), (2, 'Two', 'secret', NULL);
         CREATE TABLE part (region text, id int, body text, PRIMARY KEY (region, id)) PARTITION BY LIST (region);
         CREATE TABLE part_1 PARTITION OF part FOR VALUES IN ('r');
         SELECT kb_create('parts', model => 'fake/test', dimensions => 8);
         SELECT kb_attach('part', 'parts', 'body', wait => true);
         INSERT INTO part_1 VALUES ('r', 1, 'Part')",
    );
    let to = restored(&from, &[]);
    let mut client = to.connect();
    assert_same_rows(&mut client, "plain");
    assert_nothing_to_reconcile(&mut client, "parts");
    client.run(
        "INSERT INTO plain (id, body, not_used, other) VALUES (3, 'Three', 'secret', 'o');
         UPDATE plain SET body = 'Uno' WHERE id = 1;
         UPDATE plain SET id = 20 WHERE id = 2;
         CREATE TABLE part_2 PARTITION OF part FOR VALUES IN ('s');
         INSERT INTO part_2 VALUES ('s', 1, 'Another');
         UPDATE part_1 SET body = 'Parted'",
    );
    assert_eq!(client.column::<String>(CONTENTS, &[]), ["1 Uno", "20 Two", "3 Three"]);
    assert_same_rows(&mut client, "plain");
    let parts: Vec<String> = client.column("SELECT content FROM kb_parts.document ORDER BY 1", &[]);
    assert_eq!(parts, ["Another", "Parted"]);
    let statuses: Vec<String> =
        client.column("SELECT location || ' ' || status FROM kb_rag.source_status ORDER BY 1", &[]);
    assert_eq!(statuses, ["public.part indexed", "public.plain indexed"]);
}

/// DROP EXTENSION drops the triggers. kb_adopt restores them for tables that the caller may attach and whose
/// columns the base's owner may read.
#[test]
fn an_adopted_base_follows_its_tables_again() {
    let mut it = attached();
    it.superuser.run(
        "CREATE TABLE public.open (id int PRIMARY KEY, body text);
         CREATE TABLE public.closed (id int PRIMARY KEY, body text);
         INSERT INTO public.open VALUES (7, 'Open'); INSERT INTO public.closed VALUES (8, 'Closed')",
    );
    it.superuser.run(&format!("GRANT SELECT ON public.open TO {}", it.keeper));
    for table in ["open", "closed"] {
        it.superuser.run(&format!("SELECT kb_attach('{table}', 'kept', 'body', wait => true)"));
    }
    it.superuser.run("DROP EXTENSION kb_rag CASCADE");
    it.as_app.run("UPDATE shop.article SET body = 'Boils milk.'; INSERT INTO shop.article VALUES (2, 'Pan', 'Fries eggs.')");
    it.superuser.run("CREATE EXTENSION kb_rag; SELECT kb_adopt('kb_kept')");
    let documents: i64 = it.superuser.value("SELECT count(*) FROM kb_kept.document", &[]);
    assert_eq!(documents, 3);
    // Only the tables that the base's owner may read; others must be attached by their owner.
    let attached: Vec<String> = it.as_keeper.column("SELECT location FROM kb_rag.source_status", &[]);
    assert_eq!(attached, ["public.open"]);
    it.superuser.run("UPDATE open SET body = 'Opened'; UPDATE closed SET body = 'Opened'");
    assert_eq!(it.superuser.column::<String>(CONTENTS, &[]), ["1 Boils water.", "7 Opened", "8 Closed"]);
    it.as_app.run("SELECT kb_attach('shop.article', 'kept', 'body', 'title', wait => true)");
    let contents: Vec<String> = it.superuser.column(CONTENTS, &[]);
    assert_eq!(contents, ["1 Boils milk.", "2 Fries eggs.", "7 Opened", "8 Closed"]);
    let sources: i64 = it.superuser.value("SELECT count(*) FROM kb_kept.source", &[]);
    assert_eq!(sources, 3, "each table has the source it had");
}

/// A base restored without its table, and a table without its base.
#[test]
fn a_partial_dump_reports_what_is_missing() {
    let (from, mut client) = Database::with_base("kept");
    client.run(
        "CREATE SCHEMA shop; CREATE TABLE shop.article (id int PRIMARY KEY, body text);
         SELECT kb_attach('shop.article', 'kept', 'body', wait => true); INSERT INTO shop.article VALUES (1, 'One')",
    );
    let to = Database::create();
    for (schema, expected) in [("kb_kept", "kb_adopt"), ("shop", "")] {
        let dump = client_program("pg_dump").args(["-n", schema, "-d", from.name()]).output().unwrap();
        let sql = String::from_utf8(dump.stdout).unwrap();
        let file = std::env::temp_dir().join(format!("{}-{schema}.sql", to.name()));
        std::fs::write(&file, sql).unwrap();
        let restore =
            client_program("psql").args(["-q", "-X", "-d", to.name(), "-f"]).arg(&file).output().unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(restore.status.success(), "{}", String::from_utf8_lossy(&restore.stderr));
        if expected == "kb_adopt" {
            let mut client = to.connect();
            client.run("SELECT kb_adopt('kb_kept')");
            assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_kept.document", &[]), 1);
            assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.source_status", &[]), 0);
        }
    }
    // The table came later, with triggers that belong to no source in the catalog.
    let mut client = to.connect();
    client.run("INSERT INTO shop.article VALUES (2, 'Two')");
    assert_eq!(client.column::<String>(CONTENTS, &[]), ["1 One"]);
    client.run("SELECT kb_attach('shop.article', 'kept', 'body', wait => true)");
    assert_eq!(client.column::<String>(CONTENTS, &[]), ["1 One", "2 Two"]);
    let triggers: i64 =
        client.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'shop.article'::regclass", &[]);
    assert_eq!(triggers, 4);
}

#[test]
fn the_triggers_of_a_base_that_is_gone_are_dropped_as_the_hint_says() {
    let (database, mut client) = Database::with_base("kept");
    client.run(
        "CREATE TABLE \"Odd table\" (id int PRIMARY KEY, body text);
         SELECT kb_attach('\"Odd table\"', 'kept', 'body');
         DELETE FROM kb_rag.knowledge_base; DROP SCHEMA kb_kept CASCADE",
    );
    let (mut writer, notices) = database.connect_listening("postgres");
    writer.run("INSERT INTO \"Odd table\" VALUES (1, 'One')");
    let told = notices.take().join("\n");
    let (_, statements) = told.split_once("Drop these triggers: ").unwrap_or_else(|| panic!("{told}"));
    writer.run(statements);
    let left: i64 =
        writer.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = '\"Odd table\"'::regclass", &[]);
    assert_eq!(left, 0);
    writer.run("INSERT INTO \"Odd table\" VALUES (2, 'Two')");
    assert_eq!(notices.take(), Vec::<String>::new());
}

/// A call that waits holds the table. Whoever holds a document and writes to the table waits for the call, so it must end.
#[test]
fn a_call_that_waits_for_all_rows_ends() {
    let (database, mut client) = Database::with_base("kept");
    client.run(
        "CREATE TABLE plain (id int PRIMARY KEY, body text); INSERT INTO plain VALUES (1, 'One'), (2, 'Two');
         SELECT kb_attach('plain', 'kept', 'body', wait => true); SELECT kb_detach('plain', 'kept')",
    );
    let mut holder = database.connect();
    let mut transaction = holder.transaction().unwrap();
    transaction.run("UPDATE kb_kept.document SET abstract = 'held' WHERE source_key = '2'");
    let attached = client.batch_execute("SELECT kb_attach('plain', 'kept', 'body', wait => true)");
    assert_eq!(sqlstate(&attached), "55P03", "{attached:?}");
    transaction.rollback().unwrap();
    client.run("SELECT kb_attach('plain', 'kept', 'body', wait => true)");
    assert_same_rows(&mut client, "plain");
}

/// Two migrations at once create the same base.
#[test]
fn of_two_that_create_a_base_if_there_is_none_both_succeed() {
    let database = Database::create();
    let (mut first, second) = (database.connect(), database.connect());
    let mut observer = database.connect();
    let create = "SELECT kb_create('race', model => 'fake/a', dimensions => 8, if_not_exists => true)";
    let mut transaction = first.transaction().unwrap();
    transaction.run(create);
    let mut second = second;
    let pid = second.pid();
    let creating = Outcome::spawn(second, create);
    wait_for_lock(&mut observer, pid);
    transaction.commit().unwrap();
    assert_eq!(creating.join().unwrap().state, "00000");
    assert_eq!(observer.value::<i64>("SELECT count(*) FROM kb_list()", &[]), 1);
}
