//! Concurrent writers: whatever they do, documents, chunks and vectors stay in sync.

use std::thread;

use kb_rag_cluster_tests::{Database, Outcome, Session, assert_consistent, counts, sqlstate, wait_for_lock};
use postgres::Client;

fn text(label: &str, sentences: usize) -> String {
    (0..sentences).map(|n| format!("Sentence {n} of {label} is here. ")).collect()
}

#[test]
fn the_second_writer_of_a_document_waits_for_the_first() {
    let (database, mut first) = Database::with_base("shared");
    let mut observer = database.connect();
    // First a new document, then one that both replace.
    for round in ["new", "again"] {
        let mut second = database.connect();
        let pid = second.pid();
        let mut transaction = first.transaction().unwrap();
        transaction
            .execute(
                "SELECT kb_add('shared', $1, source_key => 'k')",
                &[&text(&format!("the first writer, {round}"), 20)],
            )
            .unwrap();
        let content = text(&format!("the second writer, {round}"), 15);
        let running =
            Outcome::spawn(second, &format!("SELECT kb_add('shared', '{content}', source_key => 'k')"));
        wait_for_lock(&mut observer, pid);
        transaction.commit().unwrap();
        assert_eq!(running.join().unwrap().state, "00000");
        let contents: Vec<String> = observer.column("SELECT content FROM kb_shared.document", &[]);
        assert_eq!(contents, [content], "one document, of the writer that came last");
        assert_consistent(&mut observer, "shared", "kb_shared");
    }
}

#[test]
fn writers_of_different_documents_do_not_wait() {
    let (database, mut first) = Database::with_base("shared");
    let mut second = database.connect();
    let mut transaction = first.transaction().unwrap();
    transaction.run("SELECT kb_add('shared', 'Mine, not committed.', source_key => 'a')");
    second.run("SET lock_timeout = '5s'; SELECT kb_add('shared', 'Yours.', source_key => 'b')");
    second.run("INSERT INTO kb_shared.document (content) VALUES ('Without a key.')");
    second.run("DELETE FROM kb_shared.document WHERE source_key = 'b'");
    transaction.commit().unwrap();
    assert_eq!(counts(&mut second, "kb_shared"), [2, 2, 2]);
    assert_consistent(&mut second, "shared", "kb_shared");
}

#[test]
fn of_two_writers_that_insert_the_same_key_one_fails() {
    let (database, mut first) = Database::with_base("shared");
    let mut observer = database.connect();
    let mut second = database.connect();
    let pid = second.pid();
    let mut transaction = first.transaction().unwrap();
    transaction.run("SELECT kb_add('shared', 'Never committed.', source_key => 'k')");
    let running = Outcome::spawn(second, "SELECT kb_add('shared', 'The only one.', source_key => 'k')");
    wait_for_lock(&mut observer, pid);
    transaction.rollback().unwrap();
    assert_eq!(running.join().unwrap().state, "00000");
    let contents: Vec<String> = observer.column("SELECT content FROM kb_shared.chunk", &[]);
    assert_eq!(contents, ["The only one."]);
    assert_consistent(&mut observer, "shared", "kb_shared");
}

/// A fixed sequence of numbers (SplitMix64), so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

fn write_at_random(mut client: Client, seed: u64) -> Vec<(String, String)> {
    let mut numbers = Numbers(seed);
    let mut errors = Vec::new();
    for step in 0..50 {
        let key = format!("key {}", numbers.below(5));
        // Few different texts, so that writers also find nothing to do and chunks to keep.
        let content = text(&format!("version {}", numbers.below(4)), 1 + numbers.below(25) as usize);
        let result = match numbers.below(8) {
            0..=2 => client.execute("SELECT kb_add('shared', $1, source_key => $2)", &[&content, &key]),
            3 => client.execute(
                "UPDATE kb_shared.document SET content = $1 WHERE source_key = $2",
                &[&content, &key],
            ),
            4 => client.execute(
                "UPDATE kb_shared.document SET title = $1 || content_hash::text, metadata = '{\"by\": \"update\"}' \
                 WHERE source_key = $2",
                &[&content.get(..10), &key],
            ),
            5 => client.execute("DELETE FROM kb_shared.document WHERE source_key = $1", &[&key]),
            6 => client.execute(
                "SELECT kb_delete(id, 'shared') FROM kb_shared.document WHERE source_key = $1",
                &[&key],
            ),
            _ => client.execute(
                "SELECT kb_refresh(id, 'shared') FROM kb_shared.document WHERE source_key = $1",
                &[&key],
            ),
        };
        if result.is_err() {
            errors.push((format!("step {step}"), sqlstate(&result)));
        }
    }
    errors
}

#[test]
fn random_writers_leave_the_base_consistent() {
    let (database, mut observer) = Database::with_base("shared");
    for round in 0..3 {
        let writers = [1, 2].map(|seed| {
            let client = database.connect();
            thread::spawn(move || write_at_random(client, 10 * round + seed))
        });
        for writer in writers {
            let errors = writer.join().unwrap();
            assert!(errors.is_empty(), "single statements on single documents never fail: {errors:?}");
        }
        assert_consistent(&mut observer, "shared", "kb_shared");
    }
}

#[test]
fn opposite_orders_end_in_one_deadlock_error() {
    let (database, mut a) = Database::with_base("shared");
    let mut b = database.connect();
    a.run("SELECT kb_add('shared', 'One.', source_key => '1'), kb_add('shared', 'Two.', source_key => '2')");
    for client in [&mut a, &mut b] {
        // Sooner than the default second.
        client.run("SET deadlock_timeout = '100ms'; BEGIN");
    }
    a.run("UPDATE kb_shared.document SET content = 'One, by a.' WHERE source_key = '1'");
    b.run("SELECT kb_add('shared', 'Two, by b.', source_key => '2')");
    let pid = a.pid();
    let running = Outcome::spawn(a, "SELECT kb_add('shared', 'Two, by a.', source_key => '2')");
    let mut observer = database.connect();
    wait_for_lock(&mut observer, pid);
    let state = sqlstate(
        &b.batch_execute("UPDATE kb_shared.document SET content = 'One, by b.' WHERE source_key = '1'"),
    );
    // The victim of the deadlock must release its locks before the other can continue.
    if state != "00000" {
        b.run("ROLLBACK");
    }
    let mut outcome = running.join().unwrap();
    let mut states = [state.as_str(), outcome.state.as_str()];
    states.sort_unstable();
    assert_eq!(states, ["00000", "40P01"]);
    let (survivor, by) = if state == "00000" { (&mut b, "b") } else { (&mut outcome.client, "a") };
    survivor.run("COMMIT");
    let contents: Vec<String> = observer.column("SELECT content FROM kb_shared.chunk ORDER BY content", &[]);
    assert_eq!(contents, [format!("One, by {by}."), format!("Two, by {by}.")]);
    assert_consistent(&mut observer, "shared", "kb_shared");
}

/// An agent is removed while a base is dropped that has nothing to do with it, or is attached to it.
#[test]
fn an_agent_is_removed_beside_a_base_that_is_dropped() {
    for attached in [false, true] {
        let (database, mut client) = Database::with_base("kept");
        client.create_base("gone");
        let agent = "a0000000-0000-0000-0000-00000000000a";
        client.run(&format!(
            "SELECT kb_add('kept', 'A text.', metadata => '{{\"agent_id\": \"{agent}\"}}'), kb_add('gone', 'A text.')"
        ));
        if attached {
            client.run(&format!("SELECT kb_attach_agent('{agent}', 'gone')"));
        }
        let (mut dropping, mut removing) = (database.connect(), database.connect());
        let pid = removing.pid();
        let mut transaction = dropping.transaction().unwrap();
        transaction.run("SELECT kb_drop('gone')");
        let removed = Outcome::spawn(removing, &format!("SELECT kb_agent_drop('{agent}', true)"));
        wait_for_lock(&mut client, pid);
        transaction.commit().unwrap();
        assert_eq!(removed.join().unwrap().state, "00000", "attached: {attached}");
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_kept.document", &[]), 0);
    }
}
