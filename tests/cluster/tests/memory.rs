//! A long-lived session does not grow.

use std::fs;

use kb_rag_cluster_tests::{Database, Session, counts};
use postgres::Client;

/// Far below the total of one leaked copy of each text, vector or plan.
const MAX_CONTEXT_GROWTH: i64 = 1 << 20;
const MAX_PROCESS_GROWTH: i64 = 4 << 20;

/// Bytes in use in PostgreSQL's memory contexts (in all, they grow by doubled blocks), and private bytes of the whole process (including Rust's memory).
fn memory(client: &mut Client) -> (i64, i64) {
    let contexts = client.value("SELECT sum(used_bytes)::int8 FROM pg_backend_memory_contexts", &[]);
    let status = fs::read_to_string(format!("/proc/{}/status", client.pid()))
        .expect("the server runs on this machine");
    let kilobytes: i64 = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|number| number.trim().parse().ok())
        .expect("RssAnon in /proc");
    (contexts, kilobytes * 1024)
}

fn assert_no_growth(client: &mut Client, what: &str, mut step: impl FnMut(&mut Client, usize)) {
    for n in 0..200 {
        step(client, n);
    }
    let early = memory(client);
    for n in 200..2_000 {
        step(client, n);
    }
    let late = memory(client);
    let growth = (late.0 - early.0, late.1 - early.1);
    println!("{what}: contexts {} + {}, process {} + {}", early.0, growth.0, early.1, growth.1);
    assert!(growth.0 < MAX_CONTEXT_GROWTH, "{what}: memory contexts grew by {} bytes", growth.0);
    assert!(growth.1 < MAX_PROCESS_GROWTH, "{what}: the process grew by {} bytes", growth.1);
}

fn content(n: usize) -> String {
    format!("Document {n}. {}", format!("It speaks of subject {} at some length. ", n % 50).repeat(n % 12))
}

/// A base without a vector index, whose build and scans are not measured here.
fn base(database: &Database) -> Client {
    let mut client = database.connect();
    client.run("SELECT kb_create('kb', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, index_method => 'none')");
    client
}

#[test]
fn inserts_and_searches_do_not_grow_the_session() {
    let database = Database::create();
    let mut client = base(&database);
    assert_no_growth(&mut client, "inserts and searches", |client, n| {
        client
            .execute("INSERT INTO kb_kb.document (content, title) VALUES ($1, 'Title')", &[&content(n)])
            .unwrap();
        if n % 4 == 0 {
            client
                .query("SELECT * FROM kb_hybrid_search($1, 'kb')", &[&format!("subject {}", n % 50)])
                .unwrap();
        }
    });
    assert_eq!(counts(&mut client, "kb_kb")[0], 2_000);
}

#[test]
fn replacements_errors_and_odd_searches_do_not_grow_the_session() {
    let database = Database::create();
    let mut client = base(&database);
    assert_no_growth(&mut client, "replacements, errors and odd searches", |client, n| {
        let key = format!("key {}", n % 20);
        client.execute("SELECT kb_add('kb', $1, source_key => $2)", &[&content(n), &key]).unwrap();
        match n % 4 {
            // Errors before, inside and after the work; each unwinds through Rust.
            0 => assert_eq!(client.state_of("SELECT kb_add('kb', 'x', metadata => '[]')", &[]), "22023"),
            1 => assert_eq!(
                client.state_of("SELECT * FROM kb_hybrid_search('x', 'kb', query_embedding => '[1]')", &[]),
                "22000"
            ),
            2 => assert_eq!(
                client.state_of("SELECT kb_add('kb', 'x', metadata => '{}'), 1 / (SELECT 0)", &[]),
                "22012"
            ),
            // A different count is a different statement, so cached plans are replaced.
            _ => client
                .run(&format!("SELECT count(*) FROM kb_hybrid_search('subject', 'kb', {})", 1 + n % 500)),
        }
    });
}

#[test]
fn one_long_transaction_does_not_grow_beyond_its_trigger_queue() {
    let database = Database::create();
    let mut client = base(&database);
    client.run("BEGIN");
    assert_no_growth(&mut client, "one transaction", |client, n| {
        client
            .execute("SELECT kb_add('kb', $1, source_key => $2)", &[&content(n), &format!("key {}", n % 20)])
            .unwrap();
        client.run("SELECT count(*) FROM kb_hybrid_search('subject', 'kb')");
    });
    client.run("COMMIT");
}

#[test]
fn local_vectors_do_not_grow_the_session() {
    let database = Database::create();
    let mut client = database.connect();
    // The model's own memory is allocated by the first call.
    client.run("SELECT kb_embed('warm')");
    let mut longest = String::new();
    for n in 0..20 {
        longest += &content(n);
    }
    client.execute("SELECT kb_embed($1)", &[&longest]).unwrap();
    let early = memory(&mut client);
    for n in 0..300 {
        client.execute("SELECT kb_embed($1)", &[&format!("A short question, number {n}")]).unwrap();
    }
    let late = memory(&mut client);
    let growth = (late.0 - early.0, late.1 - early.1);
    println!("local vectors: contexts + {}, process + {}", growth.0, growth.1);
    assert!(growth.0 < MAX_CONTEXT_GROWTH, "memory contexts grew by {} bytes", growth.0);
    assert!(growth.1 < MAX_PROCESS_GROWTH, "the process grew by {} bytes", growth.1);
}
