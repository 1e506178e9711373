//! Workers and servers that are killed or stopped in the middle of a call: nothing is lost, little is
//! repeated, and there is no delay.
//! kill -9 of a worker makes the server restart all its processes, so each of these tests has its own server.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::{Call, Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    BATCH, RemoteSession, Signal, assert_embedded, assert_ends_within, remote_server, runs, signal,
    wait_until_idle, wait_until_no_worker, workers,
};
use kb_rag_cluster_tests::{Server, Session, counts, wait_for_lock, wait_until};
use postgres::Client;

/// The time limit for a worker or a server to stop.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// The first function of kb_rag that a session calls wakes the workers, both after a restart and after they
/// were terminated.
const WAKE: &str = "SELECT count(*) FROM kb_list()";

/// Waits until exactly `count` calls are running.
fn wait_for_open_calls(mock: &Mock, count: usize) {
    mock.wait_until("calls under way", |calls| {
        calls.iter().filter(|call| call.ended.is_none()).count() == count
    });
}

/// How many times texts were sent again in total.
fn sent_again(mock: &Mock) -> usize {
    times_sent(mock, |_| true).values().map(|times| times - 1).sum()
}

/// How often each text was sent in the selected calls.
fn times_sent(mock: &Mock, which: impl Fn(&Call) -> bool) -> HashMap<String, usize> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for text in mock.calls().into_iter().filter(which).flat_map(|call| call.texts) {
        *times.entry(text).or_default() += 1;
    }
    times
}

/// Fails if a text was sent again after it had been answered: a stop repeats the call that it interrupts, and
/// nothing earlier.
fn assert_answered_once(mock: &Mock, when: &str) {
    let answered = times_sent(mock, Call::succeeded);
    let twice: Vec<_> = answered.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{when}: texts that were answered more than once: {twice:?}");
}

/// The server's only worker.
fn only_worker(client: &mut Client) -> i32 {
    let mut found = Vec::new();
    wait_until("a worker", || {
        found = workers(client);
        !found.is_empty()
    });
    assert_eq!(found.len(), 1, "workers");
    found[0]
}

/// 500 documents and one worker, stopped twenty times. Two batches finish, then `stop` interrupts the third,
/// and returns a session of the running server. A stop costs the call that it interrupts, one batch, and
/// nothing else.
fn assert_repeats_a_batch_for_each_stop(stop: impl Fn(&Server, Client) -> Client) {
    let (server, mock) = remote_server(&[]);
    let mut client = server.connect();
    // In the server's configuration file, so that it survives a restart.
    client.run("ALTER SYSTEM SET kb_rag.workers = 1");
    client.run("SELECT pg_reload_conf()");
    wait_until("one worker at most", || {
        client.value("SELECT coalesce(current_setting('kb_rag.workers', true) = '1', false)", &[])
    });
    let stops = 20;
    for round in 0..stops {
        let held = Gate::new();
        mock.next(Reply::right());
        mock.next(Reply::right());
        mock.next(Reply::right().held(&held));
        if round == 0 {
            client.insert_notes(1, 500);
        } else {
            client.run(WAKE);
        }
        mock.wait_until("the call of this round", |calls| {
            calls.len() == 3 * (round + 1) && calls.iter().filter(|call| call.ended.is_none()).count() == 1
        });
        only_worker(&mut client);
        client = stop(&server, client);
        mock.wait_until_quiet();
        let when = format!("stop {round}");
        let lost: Vec<usize> = mock.calls()[3 * round..]
            .iter()
            .filter(|call| !call.succeeded())
            .map(|call| call.texts.len())
            .collect();
        assert!(lost.len() == 1 && lost[0] <= BATCH, "{when}: {lost:?} texts were not answered");
        assert_answered_once(&mock, &when);
        let answered = times_sent(&mock, Call::succeeded).len() as i64;
        assert_eq!(counts(&mut client, "kb_notes"), [500, 500, answered], "{when}");
    }
    mock.heal();
    client.run(WAKE);
    wait_until_idle(&mut client);
    assert_eq!(counts(&mut client, "kb_notes"), [500, 500, 500]);
    assert_embedded(&mut client, "kb_notes", &mock);
    assert_answered_once(&mock, "in the end");
    let again = sent_again(&mock);
    println!("{again} texts were sent again for {stops} stops");
    assert!(again <= stops * BATCH, "{again} texts were sent again for {stops} stops");
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
}

#[test]
fn a_worker_killed_twenty_times_loses_nothing_and_repeats_a_batch_each_time() {
    assert_repeats_a_batch_for_each_stop(|server, mut client| {
        let pid = only_worker(&mut client);
        server.kill(pid)
    });
}

#[test]
fn a_server_stopped_at_once_twenty_times_loses_nothing_and_repeats_a_batch_each_time() {
    assert_repeats_a_batch_for_each_stop(|server, client| {
        drop(client);
        server.crash();
        server.connect()
    });
}

/// Two workers are killed together: the server restarts all of its processes.
#[test]
fn two_workers_killed_repeatedly_lose_nothing() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=2"]);
    let mut client = server.connect();
    // Two workers serve a provider that has answered before.
    client.insert_notes(301, 301);
    wait_until_idle(&mut client);
    client.insert_notes(1, 300);
    for _ in 0..5 {
        let held = Gate::new();
        mock.always(Reply::right().held(&held));
        client.run(WAKE);
        wait_for_open_calls(&mock, 2);
        let pids = workers(&mut client);
        assert_eq!(pids.len(), 2);
        client = server.kill(pids[1]);
        assert!(pids.iter().all(|pid| !runs(*pid)));
        mock.wait_until_quiet();
        mock.heal();
    }
    client.run(WAKE);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
    let again = sent_again(&mock);
    assert!(again <= 5 * 2 * BATCH, "{again} texts were sent again");
}

/// A worker in a call that takes 30 s.
fn in_a_call(server: &Server, mock: &Mock) -> (i32, Client) {
    mock.always(Reply::hang());
    let mut client = server.connect();
    client.insert_notes(1, 50);
    wait_for_open_calls(mock, 1);
    (only_worker(&mut client), client)
}

/// A worker that has received its vectors and runs a trigger of the owner, which waits for a row that the
/// session has locked. The worker itself waits for no row.
fn in_a_row_lock_wait(server: &Server, mock: &Mock) -> (i32, Client) {
    let held = Gate::new();
    mock.always(Reply::right().held(&held));
    let mut client = server.connect();
    client.run(
        "CREATE TABLE kb_notes.gate (id int); INSERT INTO kb_notes.gate VALUES (1);
         CREATE FUNCTION kb_notes.pass() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN PERFORM FROM kb_notes.gate FOR UPDATE; RETURN NULL; END $$;
         CREATE TRIGGER pass AFTER INSERT ON kb_notes.embedding EXECUTE FUNCTION kb_notes.pass()",
    );
    client.insert_notes(1, 50);
    wait_for_open_calls(mock, 1);
    let pid = only_worker(&mut client);
    client.run("BEGIN; SELECT FROM kb_notes.gate FOR UPDATE");
    held.open();
    let mut observer = server.connect();
    wait_until("a worker that waits for a row", || {
        observer.value(
            "SELECT EXISTS (
                 SELECT FROM pg_stat_activity
                 WHERE pid = $1 AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')
             )",
            &[&pid],
        )
    });
    (pid, client)
}

/// A worker that waits for a table that the session has locked.
fn in_a_lock_wait(server: &Server, mock: &Mock) -> (i32, Client) {
    let held = Gate::new();
    mock.always(Reply::right().held(&held));
    let mut client = server.connect();
    client.insert_notes(1, 50);
    wait_for_open_calls(mock, 1);
    let pid = only_worker(&mut client);
    // A table of the catalog, because a worker waits for no lock on tables of a base.
    client.run("BEGIN; LOCK TABLE kb_rag.usage IN SHARE ROW EXCLUSIVE MODE");
    let mut observer = server.connect();
    held.open();
    wait_for_lock(&mut observer, pid);
    (pid, client)
}

#[test]
fn sigterm_ends_a_worker_in_a_call() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
    let (pid, mut client) = in_a_call(&server, &mock);
    let began = Instant::now();
    signal(pid, Signal::TERM);
    assert_ends_within(pid, began, STOP_LIMIT, "a worker in a call");
    mock.heal();
    server.connect().run(WAKE);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
    assert!(
        server.log().contains("terminating background worker"),
        "PostgreSQL's own handler must end the worker"
    );
}

#[test]
fn a_worker_that_waits_for_a_lock_can_be_terminated() {
    type Wait = fn(&Server, &Mock) -> (i32, Client);
    for (what, wait) in [("a table", in_a_lock_wait as Wait), ("a row", in_a_row_lock_wait as Wait)] {
        for how in ["SIGTERM", "pg_terminate_backend"] {
            let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
            let (pid, mut client) = wait(&server, &mock);
            let mut observer = server.connect();
            let began = Instant::now();
            match how {
                "SIGTERM" => signal(pid, Signal::TERM),
                _ => observer.run(&format!("SELECT pg_terminate_backend({pid})")),
            }
            assert_ends_within(pid, began, STOP_LIMIT, &format!("a worker that waits for {what}, by {how}"));
            client.run("ROLLBACK");
            server.connect().run(WAKE);
            wait_until_idle(&mut client);
            assert_embedded(&mut client, "kb_notes", &mock);
        }
    }
}

#[test]
fn a_fast_shutdown_does_not_wait_for_a_call() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
    let (pid, client) = in_a_call(&server, &mock);
    assert_fast_shutdown(&server, pid, client, &mock);
}

#[test]
fn a_fast_shutdown_does_not_wait_for_a_lock() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
    let (pid, client) = in_a_lock_wait(&server, &mock);
    assert_fast_shutdown(&server, pid, client, &mock);
}

#[test]
fn a_fast_shutdown_does_not_wait_for_a_row() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
    let (pid, client) = in_a_row_lock_wait(&server, &mock);
    assert_fast_shutdown(&server, pid, client, &mock);
}

fn assert_fast_shutdown(server: &Server, worker: i32, client: Client, mock: &Mock) {
    let postmaster = server.pid();
    // The time that a shutdown needs to write to disk is not measured here.
    server.connect().run("CHECKPOINT");
    let began = Instant::now();
    signal(postmaster, Signal::INT);
    assert_ends_within(worker, began, STOP_LIMIT, "a worker in a fast shutdown");
    assert_ends_within(postmaster, began, STOP_LIMIT, "a server in a fast shutdown");
    drop(client);
    mock.heal();
    server.restart();
    let mut client = server.connect();
    client.run(WAKE);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", mock);
}

/// A worker ends with its database, and is not started again and again.
#[test]
fn a_worker_whose_database_disappears_does_not_loop() {
    let (server, mock) = remote_server(&["-c", "log_min_messages=info"]);
    let mut client = server.connect();
    let mut mocks = Vec::new();
    for (number, how) in ["in a call", "before a retry", "paused"].into_iter().enumerate() {
        client.run(&format!("CREATE DATABASE doomed{number}"));
        let mut doomed = server.connect_to(&format!("doomed{number}"), "postgres");
        doomed.run("CREATE EXTENSION kb_rag CASCADE");
        let other = Mock::openai();
        doomed.set_provider("mock", &other);
        doomed.create_remote_base("notes", "mock/small");
        other.always(match how {
            "in a call" => Reply::hang(),
            "before a retry" => Reply::error(500, "broken"),
            _ => Reply::error(429, "slow down").header("retry-after", "60"),
        });
        doomed.insert_notes(1, 50);
        other.wait_for_calls(1);
        if how != "in a call" {
            other.wait_until_quiet();
        }
        let pids = workers(&mut doomed);
        drop(doomed);
        let began = Instant::now();
        client.run(&format!("DROP DATABASE doomed{number} WITH (FORCE)"));
        for pid in pids {
            assert_ends_within(pid, began, STOP_LIMIT, "a worker of a database that is dropped");
        }
        println!("{how}: dropped after {:?}", began.elapsed());
        mocks.push((how, other.calls().len(), other));
    }
    // Time for a restarted worker to show itself.
    let logged = server.log().len();
    let until = Instant::now() + Duration::from_secs(3);
    wait_until("three seconds", || {
        assert_eq!(
            client.value::<i64>(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'kb_rag%' AND datname IS DISTINCT FROM 'postgres'",
                &[]
            ),
            0,
            "a worker without a database"
        );
        Instant::now() > until
    });
    let log = server.log()[logged..].to_string();
    assert!(!log.contains("does not exist") && log.lines().count() < 20, "{log}");
    for (how, calls, other) in mocks {
        assert_eq!(other.calls().len(), calls, "{how}");
    }
    // Other databases' workers continue.
    client.insert_notes(1, 20);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
}

/// A worker without work exits, so that its database can be dropped.
#[test]
fn an_idle_worker_leaves() {
    let (server, mock) = remote_server(&[]);
    let mut client = server.connect();
    client.insert_notes(1, 20);
    wait_until_idle(&mut client);
    wait_until_no_worker(&mut client);
    client.insert_notes(21, 40);
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
}

/// If others have taken all worker slots, that is no error: work waits for a slot, or for kb_work.
#[test]
fn no_slot_for_a_worker_is_no_error() {
    let (server, mock) = remote_server(&["-c", "max_worker_processes=1"]);
    let mut client = server.connect();
    // The launcher of logical replication occupies the only slot.
    client.insert_notes(1, 20);
    assert_eq!(counts(&mut client, "kb_notes")[..2], [20, 20]);
    client.run("CALL kb_work(20)");
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
}

#[test]
fn without_workers_kb_work_does_it() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=0"]);
    let mut client = server.connect();
    client.insert_notes(1, 35);
    assert_eq!(workers(&mut client).len(), 0);
    assert!(mock.calls().is_empty(), "a writer called the provider");
    client.run("CALL kb_work(20)");
    assert_embedded(&mut client, "kb_notes", &mock);
    assert_eq!(mock.calls().len(), 4);
}

/// A worker keeps its place when one of its transactions fails; otherwise more and more workers would be
/// started.
#[test]
fn a_worker_keeps_its_place_when_a_transaction_fails() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=1"]);
    let mut client = server.connect();
    client.run(
        "CREATE FUNCTION kb_notes.trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
         CREATE TRIGGER trap AFTER INSERT ON kb_notes.embedding EXECUTE FUNCTION kb_notes.trap()",
    );
    client.insert_notes(1, 5);
    wait_until("a transaction that failed", || server.log().contains("trapped"));
    // The worker waits before it retries; a session that commits more work in the meantime starts no other.
    let pid = only_worker(&mut client);
    for n in 6..12 {
        client.insert_notes(n, n);
        assert_eq!(workers(&mut client), [pid]);
    }
    client.run("DROP TRIGGER trap ON kb_notes.embedding");
    client.run("SELECT kb_retry('notes')");
    wait_until_idle(&mut client);
    assert_embedded(&mut client, "kb_notes", &mock);
    wait_until_no_worker(&mut client);
    let log = server.log();
    assert!(!log.contains("you don't own a lock"), "{log}");
}
