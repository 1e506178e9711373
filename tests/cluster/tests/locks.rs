//! Administrative statements and workers end no user's transaction by a deadlock: not one that has searched
//! and then writes, nor one that writes several rows or an attached table.

use std::thread::{self, JoinHandle};

use kb_rag_cluster_tests::pipeline::wait_until_idle;
use kb_rag_cluster_tests::{
    Database, Outcome, Point, Session, assert_consistent, assert_figures, counts, wait_for_lock, wait_until,
    wait_until_waiting, wait_until_waiting_or_ended,
};
use postgres::Client;

const SEARCH: &str = "SELECT count(*) FROM kb_search('text number 7', 'shared')";

/// A base whose documents are written with the correct vectors, with the keys 1 to 50.
fn base() -> (Database, Client) {
    let (database, mut client) = Database::with_base("shared");
    client.run(
        "INSERT INTO kb_shared.document (content, source_key) SELECT 'text number ' || n, n FROM generate_series(1, 50) n",
    );
    (database, client)
}

/// The statements that rebuild something while writers wait, and put it in the place of what readers use.
const REBUILDS: [&str; 3] = [
    "SELECT kb_configure('shared', index_method => CASE index_method WHEN 'none' THEN 'hnsw' ELSE 'none' END) FROM kb_list()",
    "SELECT kb_configure('shared', model => 'fake/' || md5(random()::text))",
    "SELECT kb_reindex('shared')",
];

/// Rebuilds the lexemes; does not wait for readers.
const TEXT_CONFIG: &str = "SELECT kb_configure('shared', text_config => CASE WHEN text_config LIKE '%simple' THEN 'english'::regconfig ELSE 'simple' END) FROM kb_list()";

#[test]
fn a_transaction_that_searched_can_write_and_the_rebuild_waits() {
    for rebuild in REBUILDS {
        for read in [SEARCH, "SELECT count(*) FROM (SELECT FROM kb_shared.document FOR UPDATE) d"] {
            let (database, mut client) = base();
            let (mut user, mut admin) = (database.connect(), database.connect());
            let pid = admin.pid();
            user.run("BEGIN");
            assert!(user.value::<i64>(read, &[]) > 0);
            let rebuilding = Outcome::spawn(admin, rebuild);
            wait_until_waiting(&mut client, pid);
            // Whether the rebuild gives way or has not begun, the user's transaction must succeed.
            user.run("UPDATE kb_shared.document SET content = content || ', changed' WHERE source_key = '7'");
            user.run("INSERT INTO kb_shared.document (content) VALUES ('text number 51'); COMMIT");
            assert_eq!(rebuilding.join().unwrap().state, "00000", "{rebuild}");
            assert_consistent(&mut client, "shared", "kb_shared");
            assert_figures(&mut client, "kb_shared");
            assert_eq!(counts(&mut client, "kb_shared")[0], 51);
        }
    }
}

#[test]
fn a_rebuild_that_cannot_lock_names_the_processes_and_changes_nothing() {
    let (database, mut client) = base();
    let mut user = database.connect();
    let user_pid = user.pid();
    for rebuild in REBUILDS {
        let before: String = client.value("SELECT l::text FROM kb_list() l", &[]);
        user.run("BEGIN");
        user.run(SEARCH);
        client.run("SET lock_timeout = '500ms'");
        let error = client.query(rebuild, &[]).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "55P03", "{error:?}");
        assert_eq!(error.message(), "could not lock knowledge base \"shared\": other transactions use it");
        assert_eq!(error.detail(), Some(format!("It is in use by processes {user_pid}.").as_str()));
        assert!(error.hint().is_some());
        user.run("INSERT INTO kb_shared.document (content) VALUES ('Not waited for.'); COMMIT");
        client.run("RESET lock_timeout");
        assert_eq!(client.value::<String>("SELECT l::text FROM kb_list() l", &[]), before);
        assert_consistent(&mut client, "shared", "kb_shared");
        client.run(rebuild);
    }
}

/// A search that comes while a rebuild keeps others out for a moment waits for the end of that moment, not for the rebuild; one
/// that comes later does not wait. A rebuild that could begin now goes before searches that come later.
#[test]
fn searches_continue_while_a_rebuild_waits() {
    for rebuild in REBUILDS {
        let (database, mut client) = base();
        let mut idle = database.connect();
        let mut moment = Point::hold(&database, "lock.gate_closed");
        let mut later = Point::hold(&database, "lock.given_back");
        let mut admin = database.connect();
        admin.run("SET lock_timeout = '60 s'");
        idle.run("BEGIN");
        idle.run(SEARCH);
        let before: String = client.value("SELECT l::text FROM kb_list() l", &[]);
        let rebuilding = Outcome::spawn(admin, rebuild);
        wait_for_moment(&mut moment, &mut later);
        let searching = search_that_waits(&database, &mut client);
        moment.step();
        later.wait_for(1);
        assert_eq!(searching.join().unwrap().state, "00000", "{rebuild}");
        assert_eq!(client.value::<i64>(SEARCH, &[]), 5, "{rebuild}");
        assert!(!rebuilding.is_finished(), "{rebuild}");

        later.step();
        wait_for_moment(&mut moment, &mut later);
        let searching = search_that_waits(&database, &mut client);
        idle.run("COMMIT");
        moment.open();
        later.open();
        assert_eq!(searching.join().unwrap().state, "00000", "{rebuild}");
        if rebuild != "SELECT kb_reindex('shared')" {
            // The rebuild has committed, or the search would have gone first.
            assert_ne!(client.value::<String>("SELECT l::text FROM kb_list() l", &[]), before, "{rebuild}");
        }
        assert_eq!(rebuilding.join().unwrap().state, "00000", "{rebuild}");
        assert_consistent(&mut client, "shared", "kb_shared");
    }
}

/// Waits until a rebuild keeps others out. On a loaded machine it may give an attempt up before.
fn wait_for_moment(moment: &mut Point, later: &mut Point) {
    wait_until("a rebuild that keeps others out", || {
        if !later.waiting().is_empty() {
            later.step();
        }
        !moment.waiting().is_empty()
    });
}

/// A search in a session that is held nowhere, and that waits for a rebuild.
fn search_that_waits(database: &Database, observer: &mut Client) -> JoinHandle<Outcome> {
    let mut searcher = database.connect();
    searcher.run("SET kb_rag.test_points = ''; SET lock_timeout = '20 s'");
    let pid = searcher.pid();
    let searching = Outcome::spawn(searcher, SEARCH);
    wait_for_lock(observer, pid);
    searching
}

/// The workers try twice to switch to the new model while a transaction that has searched is open. Others write in the middle
/// of each attempt.
#[test]
fn a_switch_by_the_workers_ends_no_transaction() {
    let database = Database::create();
    let (mut client, mut idle) = (database.connect(), database.connect());
    let mut writers = [database.connect(), database.connect()];
    let searchers = [database.connect(), database.connect()];
    let mut moment = Point::hold(&database, "lock.gate_closed");
    client.run("SELECT kb_create('shared', model => 'fake/one', dimensions => 8, embed => 'queued')");
    client.run(
        "INSERT INTO kb_shared.document (content) SELECT 'text number ' || n FROM generate_series(1, 20) n",
    );
    wait_until_idle(&mut client);
    idle.run("BEGIN");
    idle.run(SEARCH);
    writers.iter_mut().for_each(|writer| writer.run("BEGIN"));
    writers.iter_mut().for_each(|writer| writer.run(SEARCH));
    client.run("SELECT kb_configure('shared', model => 'fake/two', dimensions => 8)");
    for (writer, mut searcher) in writers.iter_mut().zip(searchers) {
        wait_until("an attempt of the worker", || {
            // The pause after the attempt before is not tested here.
            client.run("DELETE FROM kb_rag.pause");
            !moment.waiting().is_empty()
        });
        writer.run("SET lock_timeout = '10 s'; INSERT INTO kb_shared.document (content) VALUES ('text number 77'); COMMIT");
        let pid = searcher.pid();
        let searching = Outcome::spawn(searcher, SEARCH);
        wait_for_lock(&mut client, pid);
        moment.step();
        assert_eq!(searching.join().unwrap().state, "00000");
        assert_eq!(client.value::<String>("SELECT model FROM kb_list()", &[]), "fake/one");
    }
    idle.run("COMMIT");
    moment.open();
    wait_until("the new model", || {
        client.run("DELETE FROM kb_rag.pause");
        client.value("SELECT model = 'fake/two' FROM kb_list()", &[])
    });
    wait_until_idle(&mut client);
    assert_eq!(client.value::<i64>("SELECT kb_reconcile('shared')", &[]), 0);
}

/// A base, and a partitioned table whose first partition is older than the table itself.
fn partitioned() -> (Database, Client) {
    let (database, mut client) = base();
    client.run(
        "CREATE TABLE item_1 (id int PRIMARY KEY, body text);
         CREATE TABLE item (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
         ALTER TABLE item ATTACH PARTITION item_1 FOR VALUES FROM (0) TO (50);
         CREATE TABLE item_2 PARTITION OF item FOR VALUES FROM (50) TO (100);
         INSERT INTO item SELECT n, 'Item ' || n FROM generate_series(0, 99) n",
    );
    (database, client)
}

const ATTACH: &str = "SELECT kb_attach('item', 'shared', 'body', wait => true)";

#[test]
fn a_table_is_locked_before_its_partitions() {
    for statement in [
        ATTACH,
        "SELECT kb_detach('item', 'shared')",
        "SELECT kb_detach('item', 'shared', delete_documents => true)",
        "SELECT kb_drop('shared')",
    ] {
        let (database, mut client) = partitioned();
        client.run(ATTACH);
        let (mut writer, mut admin) = (database.connect(), database.connect());
        let pid = admin.pid();
        // Like a statement that has not yet reached a partition.
        writer.run("BEGIN; LOCK TABLE ONLY item IN ROW EXCLUSIVE MODE");
        let running = Outcome::spawn(admin, statement);
        wait_until_waiting(&mut client, pid);
        for n in [7, 70] {
            writer.run(&format!(
                "INSERT INTO item VALUES ({n}, 'Again') ON CONFLICT (id) DO UPDATE SET body = excluded.body"
            ));
        }
        writer.run("COMMIT");
        assert_eq!(running.join().unwrap().state, "00000", "{statement}");
        let triggers: i64 =
            client.value("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'kb_rag_attached_%'", &[]);
        assert_eq!(triggers > 0, statement == ATTACH, "{statement}");
    }
}

/// kb_drop needs the base and the attached table: a session that has locked one and is about to lock the
/// other takes precedence.
#[test]
fn kb_drop_does_not_end_a_transaction_that_searched_and_writes_an_attached_table() {
    let (database, mut client) = partitioned();
    client.run(ATTACH);
    let (mut user, mut admin) = (database.connect(), database.connect());
    let pid = admin.pid();
    user.run("BEGIN");
    user.run(SEARCH);
    let dropping = Outcome::spawn(admin, "SELECT kb_drop('shared')");
    wait_until_waiting(&mut client, pid);
    user.run("UPDATE item SET body = 'Changed' WHERE id IN (7, 70); COMMIT");
    assert_eq!(dropping.join().unwrap().state, "00000");
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_list()", &[]), 0);
}

/// Two documents need a repair; another session is writing the second and then writes the first.
#[test]
fn kb_reconcile_does_not_wait_for_a_row_while_it_locks_others() {
    let (database, mut client) = base();
    let spoil = |client: &mut Client| {
        client.run(
            "SET session_replication_role = replica;
             UPDATE kb_shared.document SET content = content || ', unseen';
             RESET session_replication_role",
        );
    };
    spoil(&mut client);
    let mut writer = database.connect();
    let (mut reconciler, notices) = database.connect_listening("postgres");
    let pid = reconciler.pid();
    let in_order = "SELECT id::text FROM kb_shared.document ORDER BY id";
    let ids: Vec<String> = client.column(in_order, &[]);
    let write =
        |id: &String| format!("UPDATE kb_shared.document SET content = content || '.' WHERE id = '{id}'");
    writer.run("BEGIN");
    writer.run(&write(ids.last().unwrap()));
    let reconciling =
        thread::spawn(move || (reconciler.value::<i64>("SELECT kb_reconcile('shared')", &[]), reconciler));
    wait_until_waiting(&mut client, pid);
    writer.run(&write(ids.first().unwrap()));
    let (repaired, reconciler) = reconciling.join().unwrap();
    assert_eq!(repaired, 49);
    let received = notices.take();
    assert!(
        received
            .iter()
            .any(|notice| notice.starts_with("could not lock 1 document of knowledge base \"shared\"")),
        "{received:?}"
    );
    writer.run("COMMIT");
    assert_consistent(&mut client, "shared", "kb_shared");

    // kb_reconcile waits for the writer if no other session waits for kb_reconcile.
    spoil(&mut client);
    writer.run("BEGIN");
    writer.run(&write(ids.last().unwrap()));
    let reconciling = Outcome::spawn(reconciler, "SELECT kb_reconcile('shared')");
    wait_until_waiting(&mut client, pid);
    writer.run("COMMIT");
    assert_eq!(reconciling.join().unwrap().state, "00000");
    assert_eq!(notices.take(), Vec::<String>::new());
    assert_consistent(&mut client, "shared", "kb_shared");
}

/// The same for documents of an attached table: some to be deleted, some to be written.
#[test]
fn kb_reconcile_does_not_wait_for_a_document_of_a_row_while_it_locks_others() {
    let (database, mut client) = base();
    client.run(
        "CREATE TABLE item (id int PRIMARY KEY, body text);
         INSERT INTO item SELECT n, 'Item ' || n FROM generate_series(10, 30) n",
    );
    client.run(ATTACH);
    for spoil in [
        "UPDATE item SET body = body || ', unseen' WHERE id IN (11, 12)",
        "DELETE FROM item WHERE id IN (11, 12)",
    ] {
        client.run(&format!(
            "ALTER TABLE item DISABLE TRIGGER USER; {spoil}; ALTER TABLE item ENABLE TRIGGER USER"
        ));
        let (mut writer, mut reconciler) = (database.connect(), database.connect());
        let pid = reconciler.pid();
        let title = |key: i32| {
            format!(
                "UPDATE kb_shared.document SET title = 'Mine' WHERE source_type = 'table' AND source_key = '{key}'"
            )
        };
        writer.run("BEGIN");
        writer.run(&title(12));
        let reconciling = Outcome::spawn(reconciler, "SELECT kb_reconcile('shared')");
        wait_until_waiting(&mut client, pid);
        writer.run(&title(11));
        assert_eq!(reconciling.join().unwrap().state, "00000");
        writer.run("COMMIT");
        client.run("SELECT kb_reconcile('shared')");
        assert_eq!(client.value::<i64>("SELECT kb_reconcile('shared')", &[]), 0);
        assert_consistent(&mut client, "shared", "kb_shared");
    }
}

/// A writer of two documents in its own order continues, and their deletion comes afterwards.
#[test]
fn kb_detach_does_not_wait_for_a_document_while_it_locks_others() {
    let (database, mut client) = base();
    client.run(
        "CREATE TABLE item (id int PRIMARY KEY, body text);
         INSERT INTO item SELECT n, 'Item ' || n FROM generate_series(10, 30) n",
    );
    for (first, second) in [(12, 11), (11, 12)] {
        client.run(ATTACH);
        let (mut writer, mut admin) = (database.connect(), database.connect());
        let pid = admin.pid();
        let title = |key: i32| {
            format!(
                "UPDATE kb_shared.document SET title = 'Mine' WHERE source_type = 'table' AND source_key = '{key}'"
            )
        };
        writer.run("BEGIN");
        writer.run(&title(first));
        let detaching = Outcome::spawn(admin, "SELECT kb_detach('item', 'shared', delete_documents => true)");
        wait_until_waiting(&mut client, pid);
        writer.run(&title(second));
        writer.run("COMMIT");
        assert_eq!(detaching.join().unwrap().state, "00000");
        let left: i64 =
            client.value("SELECT count(*) FROM kb_shared.document WHERE source_id IS NOT NULL", &[]);
        assert_eq!(left, 0);
        assert_consistent(&mut client, "shared", "kb_shared");
    }
}

/// In the order of TRUNCATE … CASCADE and VACUUM FULL from table to table, and against sessions that join
/// them in the opposite order.
#[test]
fn kb_reconcile_locks_documents_before_chunks() {
    let (database, mut client) = base();
    let (mut user, mut reconciler) = (database.connect(), database.connect());
    let pid = reconciler.pid();
    user.run("BEGIN; LOCK TABLE kb_shared.document IN ACCESS EXCLUSIVE MODE");
    let reconciling = Outcome::spawn(reconciler, "SELECT kb_reconcile('shared')");
    wait_for_lock(&mut client, pid);
    user.run("TRUNCATE kb_shared.document CASCADE; COMMIT");
    assert_eq!(reconciling.join().unwrap().state, "00000");
    assert_consistent(&mut client, "shared", "kb_shared");
}

/// The administrative statements of [`users_meet_no_deadlock`].
const ADMINS: [&str; 7] = [
    REBUILDS[0],
    TEXT_CONFIG,
    "SELECT kb_configure('shared', chunk_size => CASE chunk_size WHEN 150 THEN 160 ELSE 150 END) FROM kb_list()",
    "SELECT kb_reconcile('shared')",
    REBUILDS[2],
    "SELECT kb_detach('item', 'shared', true)",
    ATTACH,
];

/// Every administrative statement against every kind of a user's transaction: it begins in the middle of the transaction, and
/// the transaction begins when it has the first of its locks.
#[test]
fn users_meet_no_deadlock() {
    let (database, mut client) = partitioned();
    client.run("CREATE TABLE note (id int PRIMARY KEY, body text); INSERT INTO note SELECT n, 'Note ' || n FROM generate_series(1, 20) n");
    client.run(ATTACH);
    client.run("SELECT kb_attach('note', 'shared', 'body', wait => true)");
    database.set("kb_rag.test_limits", "short=5");
    let upsert = |table: &str, id: i32| {
        format!(
            "INSERT INTO {table} VALUES ({id}, random()::text) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
        )
    };
    let users = [
        [SEARCH.to_string(), "UPDATE kb_shared.document SET content = content || '.' WHERE source_key = '7' AND source_id IS NULL".to_string()],
        [SEARCH.to_string(), upsert("item", 70)],
        [upsert("item", 7), upsert("item", 71)],
        [upsert("note", 7), "DELETE FROM item WHERE id = 72".to_string()],
    ];
    let (mut user, mut admin) = (database.connect(), database.connect());
    user.run("SET lock_timeout = '20 s'");
    admin.run("SET lock_timeout = '20 s'");
    let [user_pid, admin_pid] = [user.pid(), admin.pid()];
    for statement in ADMINS {
        for [first, second] in &users {
            client.run(ATTACH);
            user.run("BEGIN");
            user.run(first);
            let running = Outcome::spawn(admin, statement);
            wait_until_waiting_or_ended(&mut client, admin_pid, &running);
            user.run(second);
            user.run("COMMIT");
            let ended = running.join().unwrap();
            assert_eq!(ended.state, "00000", "{statement} in the middle of {first}; {second}");
            admin = ended.client;
        }
        for [first, second] in &users {
            client.run(ATTACH);
            let mut point = Point::hold(&database, "lock.first_taken");
            admin.run(&point.setting());
            let running = Outcome::spawn(admin, statement);
            wait_until("a statement that has its first lock, or none", || {
                running.is_finished() || !point.waiting().is_empty()
            });
            let using = Outcome::spawn(user, &format!("BEGIN; {first}; {second}; COMMIT"));
            wait_until_waiting_or_ended(&mut client, user_pid, &using);
            point.open();
            let (used, ended) = (using.join().unwrap(), running.join().unwrap());
            assert_eq!([used.state, ended.state], ["00000", "00000"], "{first}; {second} in {statement}");
            (user, admin) = (used.client, ended.client);
        }
    }
    client.run("SELECT kb_reconcile('shared')");
    assert_consistent(&mut client, "shared", "kb_shared");
    assert_figures(&mut client, "kb_shared");
}
