//! The log of kb_call_tool and kb_snippets: workers that shorten it, sessions that write it at the same time, standbys.

use std::thread;

use kb_rag_cluster_tests::{Database, Server, Session, wait_until};
use postgres::Client;
use postgres::types::Json;
use serde_json::Value;

/// A base with one document, and the log turned on.
fn logging() -> (Database, Client) {
    let (database, mut client) = Database::with_base("notes");
    client.run("SELECT kb_add('notes', 'The pump needs oil.', source_key => 'pump.md')");
    client.run(&format!("ALTER DATABASE {} SET kb_rag.log_searches = on", database.name()));
    let client = database.connect();
    (database, client)
}

const CALL: &str = "SELECT kb_call_tool('search_knowledge', '{\"query\": \"pump oil\", \"mode\": \"keyword\"}', session_id => $1)";

/// Rows that are older than the log is kept, of nobody's call.
fn age(client: &mut Client, count: i32) {
    client.run(&format!(
        "INSERT INTO kb_rag.search_log (at, role, tool, knowledge_bases, results, milliseconds)
         SELECT now() - interval '91 days', 'somebody', 'search_notes', '{{}}', '[]', '{{}}' FROM generate_series(1, {count})"
    ));
}

fn old(client: &mut Client) -> i64 {
    client.value("SELECT count(*) FROM kb_rag.search_log WHERE role = 'somebody'", &[])
}

#[test]
fn a_driver_sends_arguments_as_text_and_reads_json() {
    let (_database, mut client) = logging();
    // A statement of a driver has no types: the server infers them.
    let arguments = Json(serde_json::json!({"query": "pump oil", "limit": 1, "mode": "keyword"}));
    let Json(result): Json<Value> = client
        .value("SELECT kb_call_tool($1, $2, session_id => $3)", &[&"search_knowledge", &arguments, &"s 1"]);
    assert_eq!(result["isError"], false);
    assert_eq!(result["sources"][0]["filename"], "pump.md");
    let Json(logged): Json<Value> =
        client.value("SELECT results FROM kb_rag.search_history WHERE session_id = $1", &[&"s 1"]);
    assert_eq!(logged[0]["chunk_id"], result["sources"][0]["chunk_id"]);
    assert_eq!(logged[0]["content"], "The pump needs oil.");
}

#[test]
fn workers_delete_old_rows() {
    let (_database, mut client) = logging();
    client.query(CALL, &[&"s"]).unwrap();
    age(&mut client, 3);
    client
        .run("SELECT kb_configure('notes', embed => 'queued'); SELECT kb_add('notes', 'Work for a worker.')");
    wait_until("a worker that shortens the log", || old(&mut client) == 0);
    let left: i64 = client.value("SELECT count(*) FROM kb_rag.search_log", &[]);
    assert_eq!(left, 1, "a new row stays");
}

#[test]
fn calls_do_not_wait_for_each_other() {
    let (database, mut client) = logging();
    age(&mut client, 2_500);
    // It deletes the first thousand, and keeps them locked.
    let mut open = client.transaction().unwrap();
    open.query(CALL, &[&"open"]).unwrap();
    let mut other = database.connect();
    other.run("SET lock_timeout = '1ms'");
    other.query(CALL, &[&"other"]).unwrap();
    assert_eq!(old(&mut other), 1_500, "it deleted other rows");
    open.rollback().unwrap();
    let sessions: Vec<String> = other.column("SELECT session_id FROM kb_rag.search_history", &[]);
    assert_eq!(sessions, ["other"], "the call that was rolled back left no row");
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let mut client = database.connect();
            thread::spawn(move || {
                for _ in 0..25 {
                    client.query(CALL, &[&format!("writer {writer}")]).unwrap();
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let written: i64 =
        other.value("SELECT count(*) FROM kb_rag.search_history WHERE session_id LIKE 'writer%'", &[]);
    assert_eq!((written, old(&mut other)), (100, 0));
}

/// The setting of the base is the log of others from its commit on, whatever their sessions set.
#[test]
fn a_base_has_a_log_of_its_own() {
    let (database, mut owner) = Database::with_base("notes");
    owner.run("SELECT kb_add('notes', 'The pump needs oil.', source_key => 'pump.md')");
    let reader = database.create_role("reader");
    owner.run(&format!("SELECT kb_grant('notes', '{reader}', 'read')"));
    let mut other = database.connect_as(&reader);
    other.query(CALL, &[&"before"]).unwrap();
    let mut open = owner.transaction().unwrap();
    open.execute("SELECT kb_configure('notes', log_searches => true)", &[]).unwrap();
    other.query(CALL, &[&"meanwhile"]).unwrap();
    open.commit().unwrap();
    other.query(CALL, &[&"after"]).unwrap();
    other.run("BEGIN READ ONLY");
    other.query(CALL, &[&"read only"]).unwrap();
    other.run("COMMIT");
    let logged: Vec<String> = owner.column("SELECT session_id FROM kb_rag.search_history", &[]);
    assert_eq!(logged, ["after"]);
    owner.run("SELECT kb_configure('notes', log_searches => false)");
    other.query(CALL, &[&"at the end"]).unwrap();
    assert_eq!(owner.value::<i64>("SELECT count(*) FROM kb_rag.search_log", &[]), 1);
}

#[test]
fn transactions_that_keep_a_snapshot_do_not_fail_for_the_log() {
    let (database, mut first) = logging();
    let mut second = database.connect();
    for client in [&mut first, &mut second] {
        client.run("BEGIN ISOLATION LEVEL SERIALIZABLE");
        client.query(CALL, &[&"serializable"]).unwrap();
    }
    first.run("COMMIT");
    second.run("COMMIT");
    age(&mut first, 10);
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(old(&mut second), 10);
    first.query(CALL, &[&"deletes"]).unwrap();
    assert_eq!(old(&mut first), 0);
    second.query(CALL, &[&"keeps its snapshot"]).unwrap();
    second.run("COMMIT");
    let written: i64 = first.value("SELECT count(*) FROM kb_rag.search_history", &[]);
    assert_eq!(written, 4);
}

#[test]
fn calls_work_on_a_standby_and_are_not_logged() {
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    client.run("SELECT kb_add('notes', 'The pump needs oil.', source_key => 'pump.md')");
    client.run("ALTER DATABASE postgres SET kb_rag.log_searches = on");
    let standby = server.standby();
    standby.catch_up(&server);
    let mut reader = standby.connect();
    assert_eq!(reader.value::<String>("SHOW kb_rag.log_searches", &[]), "on");
    let Json(result): Json<Value> = reader.value(CALL, &[&"standby"]);
    assert_eq!(result["sources"][0]["filename"], "pump.md");
    let Json(snippets): Json<Value> =
        reader.value("SELECT kb_snippets('[{\"role\": \"user\", \"content\": \"pump oil\"}]')", &[]);
    assert!(snippets.is_array());
    let mut primary = server.connect();
    primary.query(CALL, &[&"primary"]).unwrap();
    let logged: Vec<String> = primary.column("SELECT session_id FROM kb_rag.search_history", &[]);
    assert_eq!(logged, ["primary"]);
}
