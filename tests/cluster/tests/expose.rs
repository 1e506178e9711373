//! The view of kb_expose while applications read it with SQL of their own, through what happens to its base.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kb_rag_cluster_tests::{Database, Session, sqlstate};
use postgres::Client;

const DOCUMENTS: i64 = 300;

/// How many rows, and the fewest and the most dimensions among them.
const SHAPE: &str = "SELECT count(*), min(vector_dims(vec)), max(vector_dims(vec)) FROM kb_shared.collection";

fn base() -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    client.run(&format!(
        "SELECT kb_create('shared', model => 'fake/one', dimensions => 8);
         INSERT INTO kb_shared.document (content) SELECT 'text number ' || n FROM generate_series(1, {DOCUMENTS}) n;
         SELECT kb_expose('shared')"
    ));
    (database, client)
}

fn shape(client: &mut impl Session) -> (i64, i32, i32) {
    let row = client.query_one(SHAPE, &[]).unwrap();
    (row.get(0), row.get(1), row.get(2))
}

/// They see all rows, with the vectors of one model.
#[test]
fn readers_never_fail_and_never_see_two_models_while_the_model_changes() {
    let (database, mut client) = base();
    let done = Arc::new(AtomicBool::new(false));
    let reader = database.create_role("reader");
    client.run(&format!("SELECT kb_grant('shared', '{reader}', 'read')"));
    let readers: Vec<_> = [false, true]
        .map(|is_prepared| {
            let (mut client, done) = (database.connect_as(&reader), done.clone());
            thread::spawn(move || {
                let statement = client.prepare(SHAPE).unwrap();
                let (mut reads, mut dimensions) = (0, Vec::new());
                while !done.load(Ordering::Relaxed) {
                    let row = match is_prepared {
                        true => client.query_one(&statement, &[]),
                        false => client.query_one(SHAPE, &[]),
                    };
                    let row = row.unwrap_or_else(|error| panic!("read {reads}: {:?}", error.as_db_error()));
                    let (rows, min, max): (i64, i32, i32) = (row.get(0), row.get(1), row.get(2));
                    assert_eq!((rows, min), (DOCUMENTS, max));
                    if dimensions.last() != Some(&max) {
                        dimensions.push(max);
                    }
                    reads += 1;
                }
                (reads, dimensions)
            })
        })
        .into();
    for round in 0..8 {
        let (model, dimensions) = [("fake/two", 16), ("fake/three", 16), ("fake/one", 8)][round % 3];
        client.run(&format!("SELECT kb_configure('shared', model => '{model}', dimensions => {dimensions})"));
        assert_eq!(shape(&mut client), (DOCUMENTS, dimensions, dimensions));
    }
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        let (reads, dimensions) = reader.join().unwrap();
        println!("{reads} reads: {dimensions:?}");
        assert!(dimensions.len() > 1, "read before and after a change");
    }
}

/// A transaction that has read the view uses the base: the change waits for it, or fails and leaves the view as it is. If it
/// then writes to the base, it takes precedence.
#[test]
fn a_change_waits_for_transactions_that_read_the_view() {
    let (database, mut client) = base();
    let mut reader = database.connect();
    let mut transaction = reader.transaction().unwrap();
    assert_eq!(shape(&mut transaction), (DOCUMENTS, 8, 8));
    client.run("SET lock_timeout = '300ms'");
    const CHANGE: &str = "SELECT kb_configure('shared', model => 'fake/two', dimensions => 16)";
    assert_eq!(sqlstate(&client.query(CHANGE, &[])), "55P03");
    assert_eq!(sqlstate(&client.query("SELECT kb_drop('shared')", &[])), "55P03");
    assert_eq!(shape(&mut transaction), (DOCUMENTS, 8, 8));

    client.run("RESET lock_timeout");
    let changing = thread::spawn(move || {
        client.run(CHANGE);
        client
    });
    transaction.run("INSERT INTO kb_shared.document (content) VALUES ('one more')");
    assert_eq!(shape(&mut transaction), (DOCUMENTS + 1, 8, 8));
    transaction.commit().unwrap();
    let mut client = changing.join().unwrap();
    assert_eq!(shape(&mut client), (DOCUMENTS + 1, 16, 16));
}

/// One of them makes the view, and it is not made again.
#[test]
fn sessions_that_expose_a_base_at_once_make_one_view() {
    let (database, mut client) = base();
    const VIEW: &str = "SELECT 'kb_shared.collection'::regclass::oid::int8";
    for _ in 0..10 {
        client.run("DROP VIEW kb_shared.collection");
        let sessions: Vec<_> = (0..4)
            .map(|number| {
                let mut client = database.connect();
                thread::spawn(move || {
                    if number == 3 {
                        client.run("SELECT kb_grant('shared', 'public', 'read')");
                    }
                    client.value::<String>("SELECT kb_expose('shared')", &[]);
                    client.value::<i64>(VIEW, &[])
                })
            })
            .collect();
        let views: Vec<i64> = sessions.into_iter().map(|session| session.join().unwrap()).collect();
        assert!(views.iter().all(|view| *view == views[0]), "{views:?}");
        let is_public: bool =
            client.value("SELECT has_table_privilege('public', 'kb_shared.collection', 'SELECT')", &[]);
        assert!(is_public);
        client.run("SELECT kb_revoke('shared', 'public', 'read')");
    }
}

/// kb_drop never ends in a deadlock with a reader, who is told that the view is gone.
#[test]
fn a_reader_survives_drops_of_the_base() {
    let (database, mut client) = base();
    let done = Arc::new(AtomicBool::new(false));
    let reader = {
        let (mut client, done) = (database.connect(), done.clone());
        thread::spawn(move || {
            let mut states = std::collections::BTreeMap::new();
            while !done.load(Ordering::Relaxed) {
                *states.entry(sqlstate(&client.query(SHAPE, &[]))).or_insert(0) += 1;
            }
            states
        })
    };
    for _ in 0..15 {
        client.run(
            "SELECT kb_drop('shared');
             SELECT kb_create('shared', model => 'fake/one', dimensions => 8);
             SELECT kb_add('shared', 'text'), kb_expose('shared')",
        );
    }
    done.store(true, Ordering::Relaxed);
    let states = reader.join().unwrap();
    println!("{states:?}");
    assert!(states.contains_key("00000"));
    assert!(states.keys().all(|state| ["00000", "42P01", "3F000"].contains(&&**state)), "{states:?}");
}
