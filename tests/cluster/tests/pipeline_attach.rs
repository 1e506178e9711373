//! Rows of an attached table with vectors from a provider: changes to a row while its vector is being
//! computed, and a worker killed while it reads a table.

use kb_rag_cluster_tests::mock::{Gate, Reply};
use kb_rag_cluster_tests::pipeline::{
    BATCH, Remote, RemoteSession, assert_embedded, remote_server, wait_until_idle, wait_until_no_worker,
    workers,
};
use kb_rag_cluster_tests::{
    Outcome, Point, Session, assert_figures, assert_nothing_to_reconcile, counts, wait_for_lock, wait_until,
};
use postgres::Client;

const TABLE: &str = "CREATE TABLE article (id int PRIMARY KEY, body text, price int)";

/// Inserts rows from one number to another.
fn insert(client: &mut Client, from: i32, to: i32) {
    client.run(&format!(
        "INSERT INTO article SELECT n, 'Article number ' || n, n FROM generate_series({from}, {to}) n"
    ));
}

/// Attaches a table without rows.
fn attach(remote: &mut Remote) {
    remote.client.run(TABLE);
    remote.client.run("SELECT kb_attach('article', 'notes', 'body')");
    wait_until_idle(&mut remote.client);
}

/// An attached table of ten rows, whose vectors are held back until the gate is opened.
fn in_flight() -> (Remote, Gate) {
    let mut remote = Remote::start();
    attach(&mut remote);
    let gate = ten_in_flight(&mut remote);
    (remote, gate)
}

/// Inserts ten rows and waits until their vectors are requested.
fn ten_in_flight(remote: &mut Remote) -> Gate {
    let gate = Gate::new();
    remote.mock.always(Reply::right().held(&gate));
    insert(&mut remote.client, 1, 10);
    remote.mock.wait_until("the call of the ten", |calls| {
        calls.iter().any(|call| call.ended.is_none() && call.texts.len() == BATCH)
    });
    gate
}

/// Opens the gate, waits for the end of all work, and checks documents against rows and vectors against
/// texts.
fn land(remote: &mut Remote, gate: &Gate) {
    gate.open();
    remote.mock.heal();
    remote.finish();
    assert_same_rows(&mut remote.client);
    assert_nothing_to_reconcile(&mut remote.client, "notes");
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
}

fn assert_same_rows(client: &mut Client) {
    let different: Vec<String> = client.column(
        "SELECT concat_ws(' | ', a.id, a.body, d.source_key, d.content) FROM article a
         FULL JOIN kb_notes.document d ON d.source_key = a.id::text WHERE a.body IS DISTINCT FROM d.content",
        &[],
    );
    assert!(different.is_empty(), "rows and documents that differ: {different:#?}");
}

#[test]
fn rows_changed_in_flight_get_the_vector_of_their_new_text() {
    let (mut remote, gate) = in_flight();
    for statement in [
        "UPDATE article SET body = 'Changed ' || id WHERE id <= 3",
        "DELETE FROM article WHERE id IN (4, 5)",
        "UPDATE article SET id = 106 WHERE id = 6",
        "UPDATE article SET price = price + 1",
        "INSERT INTO article VALUES (7, 'Upserted', 1) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
        // The keys of two rows are swapped.
        "UPDATE article SET id = CASE id WHEN 8 THEN 208 ELSE 8 END WHERE id = 8",
        "UPDATE article SET id = 8 WHERE id = 9",
        "UPDATE article SET id = 9 WHERE id = 208",
    ] {
        remote.client.run(statement);
    }
    land(&mut remote, &gate);
    assert_eq!(counts(&mut remote.client, "kb_notes"), [8, 8, 8]);
}

#[test]
fn a_table_emptied_or_dropped_in_flight_leaves_no_vector() {
    for statement in ["DELETE FROM article", "TRUNCATE article"] {
        let (mut remote, gate) = in_flight();
        remote.client.run(statement);
        gate.open();
        remote.mock.heal();
        wait_until_idle(&mut remote.client);
        assert_eq!(counts(&mut remote.client, "kb_notes"), [0, 0, 0], "{statement}");
        insert(&mut remote.client, 1, 5);
        land(&mut remote, &gate);
    }
    // Documents of a dropped or detached table stay, complete, until they are deleted.
    for statement in ["DROP TABLE article", "SELECT kb_detach('article', 'notes')"] {
        let (mut remote, gate) = in_flight();
        remote.client.run("SET statement_timeout = '5 s'");
        remote.client.run(statement);
        remote.client.run("RESET statement_timeout");
        gate.open();
        remote.mock.heal();
        remote.finish();
        wait_until_no_worker(&mut remote.client);
        assert_eq!(counts(&mut remote.client, "kb_notes"), [10, 10, 10], "{statement}");
    }
}

/// A worker has locked the documents of rows, to write vectors or a status. A writer has written one that the worker leaves
/// out, first or last in the worker's order, and writes another: it waits for the worker, which does not wait for it.
#[test]
fn writers_in_the_opposite_order_do_not_deadlock() {
    for place in ["embed.locked", "embed.looked"] {
        for keys in [[1, 10], [10, 1]] {
            let (mut remote, (mut before_end, mut point)) = Remote::prepared(|database| {
                (Point::hold(database, "embed.before_end"), Point::hold(database, place))
            });
            let mut writer = remote.database.connect();
            writer.run("SET deadlock_timeout = '10 ms'");
            let pid = writer.pid();
            attach(&mut remote);
            let gate = ten_in_flight(&mut remote);
            let update = |key: i32| format!("UPDATE article SET body = 'Changed {key}' WHERE id = {key}");
            if place == "embed.looked" {
                gate.open();
                before_end.wait_for(1);
            }
            writer.run("BEGIN");
            writer.run(&update(keys[0]));
            gate.open();
            before_end.open();
            point.wait_for(1);
            let writing = Outcome::spawn(writer, &format!("{}; COMMIT", update(keys[1])));
            wait_for_lock(&mut remote.client, pid);
            point.open();
            assert_eq!(writing.join().unwrap().state, "00000", "{place}, {keys:?}");
            land(&mut remote, &gate);
            assert_eq!(counts(&mut remote.client, "kb_notes"), [10, 10, 10]);
        }
    }
}

/// A session that has written rows of two tables, one of which is attached to two bases, keeps its transaction open. Another
/// whose rows lie between its rows writes the same tables in the other order. Neither waits for the other.
#[test]
fn transactions_over_rows_of_their_own_do_not_deadlock() {
    let mut remote = Remote::start();
    remote.client.create_remote_base("others", "mock/small");
    remote.client.run(TABLE);
    insert(&mut remote.client, 1, 20);
    remote.client.run(
        "CREATE TABLE product (LIKE article INCLUDING ALL);
         INSERT INTO product SELECT n, 'Product number ' || n, n FROM generate_series(1, 20) n;
         SELECT kb_attach('article', 'notes', 'body'), kb_attach('product', 'notes', 'body'),
             kb_attach('product', 'others', 'body')",
    );
    wait_until_idle(&mut remote.client);
    for (round, orders) in [["ASC", "DESC"], ["DESC", "ASC"]].into_iter().enumerate() {
        let mut sessions = [remote.database.connect(), remote.database.connect()];
        for (number, (session, order)) in sessions.iter_mut().zip(orders).enumerate() {
            let tables = if number == 0 { ["article", "product"] } else { ["product", "article"] };
            // Far longer than a statement takes that waits for nobody.
            session.run("SET lock_timeout = '10 s'; SET deadlock_timeout = '20 ms'; BEGIN");
            for table in tables {
                // Locked in the order of the sort, in which they are then joined and updated.
                session.run(&format!(
                    "WITH own AS MATERIALIZED (
                         SELECT id FROM {table} WHERE id % 2 = {number} ORDER BY id {order} FOR UPDATE
                     )
                     UPDATE {table} t SET body = 'Words of all, round {round} of {number} for ' || t.id, price = {round}
                     FROM own WHERE own.id = t.id"
                ));
                // Also a row that is deleted and inserted again.
                let away = 10 + number;
                session.run(&format!(
                    "DELETE FROM {table} WHERE id = {away}; INSERT INTO {table} VALUES ({away}, 'Words that come back', 0)"
                ));
            }
        }
        sessions.iter_mut().for_each(|session| session.run("COMMIT"));
    }
    remote.finish();
    assert_embedded(&mut remote.client, "kb_others", &remote.mock);
    for (table, schema, source) in [
        ("article", "kb_notes", "article"),
        ("product", "kb_notes", "product"),
        ("product", "kb_others", "product"),
    ] {
        let different: i64 = remote.client.value(
            &format!(
                "SELECT count(*) FROM {table} t FULL JOIN (
                     SELECT d.* FROM {schema}.document d JOIN {schema}.source s ON s.id = d.source_id
                     WHERE s.location ~ '{source}'
                 ) d ON d.source_key = t.id::text WHERE t.body IS DISTINCT FROM d.content"
            ),
            &[],
        );
        assert_eq!(different, 0, "rows of {table} and documents of {schema} that differ");
    }
    for name in ["notes", "others"] {
        assert_nothing_to_reconcile(&mut remote.client, name);
        assert_figures(&mut remote.client, &format!("kb_{name}"));
    }
}

#[test]
fn a_rollback_leaves_nothing() {
    let mut remote = Remote::start();
    remote.client.run(TABLE);
    remote.client.run("SELECT kb_attach('article', 'notes', 'body')");
    remote.client.run("BEGIN");
    insert(&mut remote.client, 1, 50);
    remote.client.run("SAVEPOINT s; UPDATE article SET body = 'x'; ROLLBACK TO s; ROLLBACK");
    wait_until_idle(&mut remote.client);
    wait_until_no_worker(&mut remote.client);
    assert_eq!(counts(&mut remote.client, "kb_notes"), [0, 0, 0]);
    assert!(remote.mock.calls().is_empty());
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.job", &[]), 0);
}

#[test]
fn changes_under_disabled_triggers_are_repaired_by_kb_reconcile() {
    let mut remote = Remote::start();
    remote.client.run(TABLE);
    insert(&mut remote.client, 1, 20);
    remote.client.run("SELECT kb_attach('article', 'notes', 'body')");
    remote.finish();
    remote.client.run(
        "ALTER TABLE article DISABLE TRIGGER USER;
         UPDATE article SET body = 'Unseen ' || id WHERE id <= 5;
         DELETE FROM article WHERE id > 15;
         INSERT INTO article SELECT n, 'Unseen ' || n, 0 FROM generate_series(21, 25) n;
         ALTER TABLE article ENABLE TRIGGER USER",
    );
    let repaired: i64 = remote.client.value("SELECT kb_reconcile('notes')", &[]);
    assert!(repaired > 0);
    remote.finish();
    assert_same_rows(&mut remote.client);
    assert_nothing_to_reconcile(&mut remote.client, "notes");
    assert_eq!(counts(&mut remote.client, "kb_notes"), [20, 20, 20]);
}

/// A worker reads the rows that existed when the table was attached, and is killed again and again.
#[test]
fn a_worker_killed_while_it_reads_a_table_loses_no_row() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
    let mut client = server.connect();
    client.run(TABLE);
    insert(&mut client, 1, 3000);
    client.run(
        "SELECT kb_provider_set('mock', batch_items => 100); SELECT kb_attach('article', 'notes', 'body')",
    );
    for kill in 0..5 {
        // At any point between the first and the last row.
        let least = kill * 300;
        wait_until("a worker at work", || {
            counts(&mut client, "kb_notes")[0] >= least && !workers(&mut client).is_empty()
        });
        let pid = workers(&mut client)[0];
        client = server.kill(pid);
        // Writers continue between the kills.
        client.run(&format!(
            "UPDATE article SET body = body || ' changed' WHERE id % 500 = {kill}; DELETE FROM article WHERE id = {}",
            2900 - kill
        ));
    }
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
    assert_same_rows(&mut client);
    assert_eq!(counts(&mut client, "kb_notes"), [2995, 2995, 2995]);
    assert_nothing_to_reconcile(&mut client, "notes");
}
