//! Transactions: what each session sees, what a rollback leaves, and that no setting or role leaks.

use kb_rag_cluster_tests::{Database, Outcome, Session, assert_consistent, cancel, counts, wait_for_lock};
use postgres::Client;
use uuid::Uuid;

fn found(client: &mut impl Session, query: &str) -> i64 {
    client.value("SELECT count(*) FROM kb_search($1, 'notes', 'keyword')", &[&query])
}

#[test]
fn a_document_is_visible_inside_its_transaction_and_outside_after_commit() {
    let (database, mut writer) = Database::with_base("notes");
    let mut reader = database.connect();
    let mut transaction = writer.transaction().unwrap();
    transaction.value::<Uuid>("SELECT kb_add('notes', 'A platypus swims.', title => 'Platypus')", &[]);
    transaction.run("INSERT INTO kb_notes.document (content) VALUES ('Another platypus.')");
    assert_eq!(found(&mut transaction, "platypus"), 2, "inside");
    assert_eq!(found(&mut reader, "platypus"), 0, "outside, before the commit");
    transaction.commit().unwrap();
    assert_eq!(found(&mut reader, "platypus"), 2, "outside, after the commit");
}

#[test]
fn a_rollback_leaves_nothing() {
    let (_database, mut client) = Database::with_base("notes");
    client.run("INSERT INTO kb_notes.document (content, source_key) VALUES ('Kept as it is.', 'kept')");
    let mut transaction = client.transaction().unwrap();
    transaction
        .run("INSERT INTO kb_notes.document (content) SELECT 'Echidna ' || n FROM generate_series(1, 300) n");
    transaction.run("UPDATE kb_notes.document SET content = 'Echidna.' WHERE source_key = 'kept'");
    transaction.run("SELECT kb_create('unborn', model => 'fake/test', dimensions => 8)");
    assert_eq!(found(&mut transaction, "echidna"), 5);
    transaction.rollback().unwrap();
    assert_eq!(counts(&mut client, "kb_notes"), [1, 1, 1]);
    assert_eq!(found(&mut client, "echidna"), 0);
    assert_eq!(found(&mut client, "kept"), 1);
    assert_eq!(client.state_of("SELECT * FROM kb_hybrid_search('x', 'unborn')", &[]), "42704");
    assert_consistent(&mut client, "notes", "kb_notes");
}

#[test]
fn rolling_back_to_a_savepoint_undoes_what_followed_it() {
    let (_database, mut client) = Database::with_base("notes");
    client.run(
        "BEGIN;
         SELECT kb_add('notes', 'The wombat digs.', source_key => 'w');
         SAVEPOINT s;
         SELECT kb_add('notes', 'The numbat digs.', source_key => 'w');
         DELETE FROM kb_notes.document WHERE source_key = 'w';
         SELECT kb_add('notes', 'The quokka smiles.');
         ROLLBACK TO SAVEPOINT s;
         SELECT kb_add('notes', 'The bilby hops.');
         COMMIT",
    );
    let contents: Vec<String> = client.column("SELECT content FROM kb_notes.chunk ORDER BY id", &[]);
    assert_eq!(contents, ["The wombat digs.", "The bilby hops."]);
    assert_consistent(&mut client, "notes", "kb_notes");
}

/// State that must be the same before and after every function call.
fn surroundings(client: &mut Client) -> Vec<String> {
    client.column(
        "SELECT s FROM unnest(ARRAY[current_user::text, session_user::text, current_setting('search_path'),
            current_setting('enable_seqscan'), current_setting('role'), current_setting('client_min_messages'),
            current_setting('hnsw.ef_search', true), current_setting('hnsw.iterative_scan', true),
            current_setting('hnsw.max_scan_tuples', true)]) WITH ORDINALITY AS u (s, n) ORDER BY n",
        &[],
    )
}

/// More rows than an exact search takes, so that the index and its settings are used.
fn fill(client: &mut Client) {
    client.run(
        "INSERT INTO kb_notes.document (content) SELECT 'Short note number ' || n FROM generate_series(1, 8000) n",
    );
}

#[test]
fn errors_in_a_savepoint_do_not_change_role_and_settings() {
    let (database, mut admin) = Database::with_base("notes");
    fill(&mut admin);
    let writer = database.create_role("writer");
    admin.run(&format!(
        "GRANT USAGE ON SCHEMA kb_notes TO {writer}; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA kb_notes TO {writer}"
    ));
    // Loads pgvector first, so that its settings exist.
    admin.run("SELECT '[1]'::vector");
    admin.run(&format!(
        "SET ROLE {writer}; SET search_path = kb_notes, public; SET hnsw.ef_search = 77; SET enable_seqscan = on"
    ));
    let before = surroundings(&mut admin);
    for statement in [
        "SELECT * FROM kb_hybrid_search('number 5', 'notes', 10)",
        "SELECT * FROM kb_search('number 5', 'notes', 'semantic', filter => '{\"chunkIndex\": 0}')",
        "SELECT kb_add('notes', 'One more note.', source_key => 'more')",
        "SELECT * FROM kb_search_documents('number 5', 'notes'), kb_browse('notes'), kb_stats('notes')",
        "SELECT kb_refresh((SELECT id FROM document LIMIT 1), 'notes')",
        "INSERT INTO document (content) VALUES ('Directly.')",
    ] {
        assert_eq!(admin.state_of(statement, &[]), "00000", "{statement}");
        assert_eq!(surroundings(&mut admin), before, "after {statement}");
    }
    for (statement, state) in [
        ("SELECT * FROM kb_hybrid_search('x', 'notes', 0)", "22023"),
        ("SELECT * FROM kb_hybrid_search('x', 'notes', query_embedding => '[1,2]')", "22000"),
        ("SELECT kb_add('notes', 'x', metadata => '[]')", "22023"),
        ("SELECT kb_add('none', 'x')", "42704"),
        ("SELECT * FROM kb_read('00000000-0000-0000-0000-000000000000')", "42704"),
        ("SELECT kb_delete((SELECT id FROM kb_notes.document LIMIT 1), 'notes')", "42501"),
        ("INSERT INTO kb_notes.document (content, metadata) VALUES ('x', '[]')", "23514"),
        ("SELECT kb_drop('notes')", "42501"),
    ] {
        admin.run("BEGIN");
        admin.run("SELECT kb_add('notes', 'Before the error.'); SAVEPOINT s");
        let result = admin.state_of(statement, &[]);
        assert_eq!(result, state, "{statement}");
        admin.run("ROLLBACK TO SAVEPOINT s");
        assert_eq!(surroundings(&mut admin), before, "after {statement} in a savepoint");
        assert_eq!(found(&mut admin, "error"), 1, "the search after {statement}");
        admin.run("SELECT kb_add('notes', 'After the error.'); ROLLBACK");

        // The same errors caught by PL/pgSQL, and not caught.
        admin.run(&format!(
            "DO $$ BEGIN EXECUTE {0}; RAISE 'no error'; EXCEPTION WHEN SQLSTATE '{state}' THEN NULL; END $$",
            format_args!("$q${statement}$q$")
        ));
        assert_eq!(surroundings(&mut admin), before, "after {statement} in a block");
        assert_eq!(admin.state_of(statement, &[]), state);
        assert_eq!(surroundings(&mut admin), before, "after {statement}");
    }
    // Nor does the restriction remain under which roles cannot be changed or temporary tables created.
    admin.run("RESET ROLE; CREATE TEMP TABLE free (id int)");
    assert_consistent(&mut admin, "notes", "kb_notes");
}

#[test]
fn a_cancel_in_the_middle_does_not_change_role_and_settings() {
    let (database, mut admin) = Database::with_base("notes");
    fill(&mut admin);
    let total = counts(&mut admin, "kb_notes");
    // Each statement stops at a lock that another session holds, inside the search or the write.
    for (table, statement) in [
        ("embedding", "SELECT * FROM kb_hybrid_search('number 5', 'notes')"),
        (
            "chunk",
            "SELECT * FROM kb_search('number 5', 'notes', 'semantic', filter => '{\"chunkIndex\": 0}')",
        ),
        ("chunk", "SELECT * FROM kb_search('number 5', 'notes', 'keyword')"),
        ("chunk", "SELECT kb_add('notes', 'Stopped before its chunks.')"),
        ("embedding", "INSERT INTO kb_notes.document (content) VALUES ('Stopped before its vectors.')"),
    ] {
        let mut client = database.connect();
        client.run("SELECT '[1]'::vector; SET hnsw.ef_search = 77; SET search_path = public, kb_notes");
        let before = surroundings(&mut client);
        let pid = client.pid();
        admin.run(&format!("BEGIN; LOCK TABLE kb_notes.{table} IN ACCESS EXCLUSIVE MODE"));
        let running = Outcome::spawn(client, statement);
        let mut observer = database.connect();
        wait_for_lock(&mut observer, pid);
        cancel(&mut observer, pid);
        let mut outcome = running.join().unwrap();
        admin.run("ROLLBACK");
        assert_eq!(outcome.state, "57014", "{statement}");
        assert_eq!(surroundings(&mut outcome.client), before, "after {statement}");
        assert_eq!(counts(&mut outcome.client, "kb_notes"), total, "after {statement}");
        outcome.client.run(statement);
        outcome.client.run("CREATE TEMP TABLE free (id int)");
        admin.run("DELETE FROM kb_notes.document WHERE content LIKE 'Stopped%'");
    }
}

#[test]
fn repeatable_read_sees_its_snapshot_and_cannot_overwrite_later_changes() {
    let (database, mut reader) = Database::with_base("notes");
    let mut writer = database.connect();
    writer.run("SELECT kb_add('notes', 'The first version.', source_key => 'k')");

    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(found(&mut reader, "version"), 1);
    writer.run("SELECT kb_add('notes', 'The second version, of the writer.', source_key => 'k')");
    writer.run("SELECT kb_add('notes', 'A later version of something else.')");
    let seen: Vec<String> =
        reader.column("SELECT content FROM kb_hybrid_search('version', 'notes', 10)", &[]);
    assert_eq!(seen, ["The first version."], "what the snapshot sees");
    assert_eq!(
        reader.state_of("SELECT kb_add('notes', 'The version of the snapshot.', source_key => 'k')", &[]),
        "40001"
    );
    reader.run("ROLLBACK");

    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(found(&mut reader, "version"), 2);
    writer.run("SELECT kb_add('notes', 'The third version, of the writer.', source_key => 'k')");
    assert_eq!(
        reader.state_of("UPDATE kb_notes.document SET content = 'Mine.' WHERE source_key = 'k'", &[]),
        "40001"
    );
    reader.run("ROLLBACK");
    // A key that was inserted after the snapshot.
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(found(&mut reader, "version"), 2);
    writer.run("SELECT kb_add('notes', 'A version nobody saw.', source_key => 'new')");
    assert_eq!(
        reader.state_of("SELECT kb_add('notes', 'A version of the snapshot.', source_key => 'new')", &[]),
        "40001"
    );
    reader.run("ROLLBACK");

    let contents: Vec<String> = writer.column(
        "SELECT content FROM kb_notes.document WHERE source_key IS NOT NULL ORDER BY source_key",
        &[],
    );
    assert_eq!(contents, ["The third version, of the writer.", "A version nobody saw."]);
    assert_consistent(&mut writer, "notes", "kb_notes");
}

#[test]
fn serializable_transactions_write_and_search() {
    let (database, mut a) = Database::with_base("notes");
    let mut b = database.connect();
    for client in [&mut a, &mut b] {
        client.run("BEGIN ISOLATION LEVEL SERIALIZABLE");
    }
    // Each reads what the other writes: at most one of them may commit.
    let mut states = Vec::new();
    for (client, key) in [(&mut a, "a"), (&mut b, "b")] {
        assert_eq!(found(client, "kowari"), 0);
        client.value::<Uuid>("SELECT kb_add('notes', 'A kowari.', source_key => $1)", &[&key]);
    }
    for client in [&mut a, &mut b] {
        states.push(kb_rag_cluster_tests::sqlstate(&client.batch_execute("COMMIT")));
    }
    assert_eq!(states, ["00000", "40001"]);
    b.run("ROLLBACK; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT kb_add('notes', 'A kowari.', source_key => 'b'); COMMIT");
    assert_eq!(found(&mut a, "kowari"), 2);
    assert_consistent(&mut a, "notes", "kb_notes");
}
