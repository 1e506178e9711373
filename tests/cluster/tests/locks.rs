//! Administrative statements and workers end no user's transaction by a deadlock: not one that has searched
//! and then writes, nor one that writes several rows or an attached table.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::pipeline::wait_until_idle;
use kb_rag_cluster_tests::{
    Database, Outcome, Session, assert_consistent, assert_figures, counts, wait_for_lock, wait_until,
    wait_until_waiting,
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

/// Waits until the backend `pid` locks out writers of a table.
fn wait_until_locked(observer: &mut Client, pid: i32, table: &str) {
    wait_until("a table that is locked", || {
        observer.value(
            "SELECT EXISTS (
                SELECT FROM pg_locks WHERE pid = $1 AND relation = $2::text::regclass AND granted
                    AND mode IN ('ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
             )",
            &[&pid, &table],
        )
    });
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

/// Searches wait only briefly, and the waiting rebuild gets its turn under continuous load.
#[test]
fn searches_continue_while_a_rebuild_waits() {
    let (database, mut client) = base();
    let (mut idle, mut admin) = (database.connect(), database.connect());
    let pid = admin.pid();
    idle.run("BEGIN");
    idle.run(SEARCH);
    let rebuilding = Outcome::spawn(admin, REBUILDS[0]);
    wait_until_locked(&mut client, pid, "kb_shared.document");
    let began = Instant::now();
    let mut longest = Duration::ZERO;
    while began.elapsed() < Duration::from_secs(3) {
        let search = Instant::now();
        assert_eq!(client.value::<i64>(SEARCH, &[]), 5);
        longest = longest.max(search.elapsed());
    }
    println!("the longest search took {longest:?}");
    assert!(longest < Duration::from_secs(2), "a search took {longest:?}");
    idle.run("COMMIT");
    assert_eq!(rebuilding.join().unwrap().state, "00000");

    let done = Arc::new(AtomicBool::new(false));
    let searchers: Vec<_> = (0..6).map(|_| repeat(database.connect(), &[SEARCH], done.clone())).collect();
    let began = Instant::now();
    for rebuild in REBUILDS {
        client.run(rebuild);
    }
    println!("three rebuilds under load took {:?}", began.elapsed());
    done.store(true, Ordering::Relaxed);
    for searcher in searchers {
        let (good, other) = searcher.join().unwrap();
        assert!(good > 0 && other.is_empty(), "{good} searches, errors {other:?}");
    }
}

/// Repeats statements as one transaction; returns how often that succeeded, and the SQLSTATEs of failures.
fn repeat(
    mut client: Client,
    statements: &[&str],
    done: Arc<AtomicBool>,
) -> JoinHandle<(usize, Vec<String>)> {
    let statements: Vec<String> = statements.iter().map(|statement| statement.to_string()).collect();
    thread::spawn(move || {
        let (mut good, mut other) = (0, Vec::new());
        while !done.load(Ordering::Relaxed) {
            let mut state = "00000".to_string();
            for statement in &statements {
                state = kb_rag_cluster_tests::sqlstate(&client.batch_execute(statement));
                if state != "00000" {
                    client.run("ROLLBACK");
                    break;
                }
            }
            if state == "00000" { good += 1 } else { other.push(state) }
        }
        (good, other)
    })
}

/// The workers repeatedly try to switch to the new model while a transaction that has searched is open.
#[test]
fn a_switch_by_the_workers_ends_no_transaction() {
    let database = Database::create();
    let mut client = database.connect();
    client.run("SELECT kb_create('shared', model => 'fake/one', dimensions => 8, embed => 'queued')");
    client.run(
        "INSERT INTO kb_shared.document (content) SELECT 'text number ' || n FROM generate_series(1, 20) n",
    );
    wait_until_idle(&mut client);
    let mut idle = database.connect();
    idle.run("BEGIN");
    idle.run(SEARCH);
    client.run("SELECT kb_configure('shared', model => 'fake/two', dimensions => 8)");
    let done = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let statements = [
                "BEGIN",
                SEARCH,
                "SELECT pg_sleep(0.05)",
                "INSERT INTO kb_shared.document (content) VALUES ('text number 77')",
                "COMMIT",
            ];
            repeat(database.connect(), &statements, done.clone())
        })
        .collect();
    let attempts = AtomicUsize::new(0);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(5) {
        // Prevents the pause from growing each time.
        let ended = client.execute("DELETE FROM kb_rag.pause", &[]).unwrap();
        attempts.fetch_add(ended as usize, Ordering::Relaxed);
        thread::park_timeout(Duration::from_millis(20));
    }
    done.store(true, Ordering::Relaxed);
    for writer in writers {
        let (good, other) = writer.join().unwrap();
        assert!(good > 0 && other.is_empty(), "{good} transactions, errors {other:?}");
    }
    let attempts = attempts.into_inner();
    println!("{attempts} attempts");
    assert!(attempts >= 2, "{attempts} attempts of the workers");
    assert_eq!(client.value::<String>("SELECT model FROM kb_list()", &[]), "fake/one");
    idle.run("COMMIT");
    wait_until("the new model", || {
        client.execute("DELETE FROM kb_rag.pause", &[]).unwrap();
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

const ATTACH: &str = "SELECT kb_attach('item', 'shared', 'body')";

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

/// All of it at once, for some seconds.
#[test]
fn users_meet_no_deadlock() {
    let (database, mut client) = partitioned();
    client.run("CREATE TABLE note (id int PRIMARY KEY, body text); INSERT INTO note SELECT n, 'Note ' || n FROM generate_series(1, 20) n");
    client.run(ATTACH);
    client.run("SELECT kb_attach('note', 'shared', 'body')");
    let done = Arc::new(AtomicBool::new(false));
    let upsert = "ON CONFLICT (id) DO UPDATE SET body = excluded.body";
    let item = format!("INSERT INTO item VALUES ((random() * 99)::int, random()::text) {upsert}");
    let note = format!("INSERT INTO note VALUES ((random() * 19)::int, random()::text) {upsert}");
    let document = "UPDATE kb_shared.document SET content = 'text number ' || random() WHERE source_key = (1 + (random() * 49)::int)::text AND source_id IS NULL";
    let users: Vec<_> = [
        vec!["BEGIN", SEARCH, document, "COMMIT"],
        vec!["BEGIN", SEARCH, item.as_str(), "COMMIT"],
        vec![item.as_str()],
        vec![
            note.as_str(),
            "DELETE FROM item WHERE id = (random() * 99)::int",
            "SELECT count(*) FROM kb_rag.status",
        ],
    ]
    .iter()
    .map(|statements| repeat(database.connect(), statements, done.clone()))
    .collect();
    let admins: Vec<_> = [
        vec![
            REBUILDS[0],
            TEXT_CONFIG,
            "SELECT kb_configure('shared', chunk_size => 100 + (random() * 100)::int)",
        ],
        vec!["SELECT kb_reconcile('shared')", REBUILDS[2]],
        vec![ATTACH, "SELECT kb_detach('item', 'shared', random() < 0.5)"],
    ]
    .iter()
    .map(|statements| {
        let mut client = database.connect();
        client.run("SET lock_timeout = '5s'");
        repeat(client, statements, done.clone())
    })
    .collect();
    thread::park_timeout(Duration::from_secs(6));
    done.store(true, Ordering::Relaxed);
    for user in users {
        let (good, other) = user.join().unwrap();
        println!("user: {good} transactions");
        assert!(good > 0 && other.is_empty(), "{good} transactions, errors {other:?}");
    }
    for admin in admins {
        let (good, other) = admin.join().unwrap();
        println!("admin: {good} rounds, {} without a lock", other.len());
        assert!(good > 0 && other.iter().all(|state| state == "55P03"), "{good} rounds, errors {other:?}");
    }
    client.run("SELECT kb_reconcile('shared')");
    assert_consistent(&mut client, "shared", "kb_shared");
    assert_figures(&mut client, "kb_shared");
}
