//! The server cannot write for a while: a full disk, an I/O error. The base is paused with the reason, nothing is charged to the
//! documents, and the provider is not paid for vectors that cannot be written.

use kb_rag_cluster_tests::mock::Mock;
use kb_rag_cluster_tests::pipeline::{
    BATCH, Remote, RemoteSession, assert_embedded, is_idle, paused, wait_until_no_worker, wait_until_paused,
    without_vector,
};
use kb_rag_cluster_tests::{Session, assert_nothing_to_reconcile, wait_until};
use postgres::Client;

/// A trigger that raises the error that PostgreSQL would.
fn break_table(client: &mut Client, table: &str, event: &str, sqlstate: &str) {
    client.run(&format!(
        "CREATE OR REPLACE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'could not extend file \"base/1/2\": No space left on device' USING ERRCODE = '{sqlstate}'; END $$;
         CREATE TRIGGER fault BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION fault()"
    ));
}

fn repair(client: &mut Client) {
    client.run("DROP FUNCTION fault() CASCADE");
}

/// The work goes on after the time of a pause, which is not tested here.
fn end_pause(client: &mut Client) {
    client.run("UPDATE kb_rag.pause SET until = clock_timestamp()");
}

/// The numbers of texts of the calls, in their order.
fn batches(mock: &Mock) -> Vec<usize> {
    mock.wait_until_quiet();
    mock.calls().iter().map(|call| call.texts.len()).collect()
}

fn assert_nothing_is_charged(client: &mut Client, what: &str) {
    // A worker may still have a job for a moment.
    wait_until(&format!("{what}: no attempt is charged"), || {
        client.value(
            "SELECT coalesce(max(attempts), 0) = 0 AND NOT coalesce(bool_or(failed), false) FROM kb_rag.job",
            &[],
        )
    });
    let failed: i64 = client.value("SELECT count(*) FROM kb_notes.document WHERE status = 'failed'", &[]);
    assert_eq!(failed, 0, "{what}");
}

#[test]
fn vectors_that_cannot_be_written_pause_the_base() {
    for sqlstate in ["53000", "53100", "53200", "53400", "58030", "25006"] {
        let (mut remote, ()) = Remote::prepared(|database| database.set("kb_rag.test_limits", "max_wait=10"));
        break_table(&mut remote.client, "kb_notes.embedding", "INSERT", sqlstate);
        remote.client.insert_notes(1, 60);
        let reason = wait_until_paused(&mut remote.client);
        assert!(reason.starts_with("embed for ") && reason.ends_with("No space left on device"), "{reason}");
        // Two workers may have begun at the same time. Then one chunk is sent at a time.
        wait_until("four calls", || {
            end_pause(&mut remote.client);
            remote.mock.calls().len() >= 4
        });
        let batches = batches(&remote.mock);
        let full = batches.iter().take_while(|texts| **texts == BATCH).count();
        assert!((1..=2).contains(&full), "{sqlstate}: {batches:?}");
        assert!(batches[full..].iter().all(|texts| *texts == 1), "{sqlstate}: {batches:?}");
        let failures: i32 =
            remote.client.value("SELECT max(failures) FROM kb_rag.pause WHERE kind = 'embed'", &[]);
        assert!(failures >= 2, "the pause does not grow");
        assert_nothing_is_charged(&mut remote.client, sqlstate);
        repair(&mut remote.client);
        // By itself, after the last pause.
        wait_until("the end of the work", || {
            end_pause(&mut remote.client);
            is_idle(&mut remote.client)
        });
        remote.finish();
        assert_nothing_to_reconcile(&mut remote.client, "notes");
        assert_eq!(paused(&mut remote.client), None);
    }
}

/// The vectors are there, but no status can be written.
#[test]
fn a_status_that_cannot_be_written_pauses_the_base() {
    let mut remote = Remote::start();
    break_table(&mut remote.client, "kb_notes.document", "UPDATE", "53100");
    remote.client.insert_notes(1, 25);
    wait_until_paused(&mut remote.client);
    assert_nothing_is_charged(&mut remote.client, "status");
    repair(&mut remote.client);
    remote.finish();
    for number in 1..=25 {
        let text = kb_rag_cluster_tests::pipeline::note(number);
        assert_eq!(remote.mock.times_sent(&text), 1, "{text}");
    }
}

/// The work of another base goes on, and any other error of a trigger counts as before.
#[test]
fn only_the_base_that_cannot_be_written_is_paused() {
    let mut remote = Remote::start();
    remote.client.create_remote_base("others", "mock/small");
    break_table(&mut remote.client, "kb_notes.embedding", "INSERT", "53100");
    remote.client.insert_notes(1, 15);
    wait_until_paused(&mut remote.client);
    remote.client.run("SELECT kb_add('others', 'A text of another base.')");
    wait_until("the other base", || without_vector(&mut remote.client, "kb_others") == 0);
    repair(&mut remote.client);
    remote.finish();
    assert_embedded(&mut remote.client, "kb_others", &remote.mock);
    remote.client.run("DELETE FROM kb_notes.document");
    break_table(&mut remote.client, "kb_notes.embedding", "INSERT", "22000");
    remote.client.insert_notes(16, 20);
    wait_until("attempts", || {
        remote.client.value("SELECT count(*) = 5 FROM kb_rag.failed WHERE attempts >= 1", &[])
    });
    repair(&mut remote.client);
    remote.client.run("SELECT kb_retry('notes')");
    remote.finish();
}

/// In CALL kb_work() too, which says so once.
#[test]
fn kb_work_says_once_that_the_server_cannot_write() {
    let remote = Remote::start();
    remote.database.set("kb_rag.workers", "0");
    let (mut client, notices) = remote.database.connect_listening("postgres");
    // One that was started before would send a batch too.
    wait_until_no_worker(&mut client);
    break_table(&mut client, "kb_notes.embedding", "INSERT", "53100");
    client.insert_notes(1, 30);
    notices.take();
    client.run("CALL kb_work(0.2)");
    let said = notices.take();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("No space left on device; the knowledge base is paused"), "{said:?}");
    assert_eq!(batches(&remote.mock), [BATCH]);
    assert_nothing_is_charged(&mut client, "kb_work");
    repair(&mut client);
    client.run("SELECT kb_retry('notes')");
    client.run("CALL kb_work(20)");
    assert_embedded(&mut client, "kb_notes", &remote.mock);
}
