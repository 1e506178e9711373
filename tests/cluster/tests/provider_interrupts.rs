//! A provider that does not answer does not block cancels, timeouts, terminations, or databases that are
//! created and dropped in the meantime.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_ends_within, wait_until_no_worker, workers,
};
use kb_rag_cluster_tests::{INTERRUPT_LIMIT, Outcome, Server, Session, cancel, wait_until};
use postgres::Client;

/// All statements that call a provider in a session's own process.
const CALLS: [&str; 8] = [
    "SELECT kb_embed('a text', 'mock/small', 8)",
    "SELECT count(*) FROM kb_embed_batch(ARRAY['one', 'two'], 'mock/small', 8)",
    "SELECT count(*) FROM kb_search('a question', 'notes', 'semantic')",
    "SELECT count(*) FROM kb_hybrid_search('a question', 'notes')",
    "SELECT kb_warm_query('a question', 'notes')",
    "SELECT count(*) FROM kb_provider_test('mock', 'small')",
    "CALL kb_work(30)",
    "DO $$ BEGIN PERFORM kb_embed('a text', 'mock/small', 8); EXCEPTION WHEN OTHERS THEN RAISE; END $$",
];

/// Ways of not answering.
fn silences() -> [(&'static str, Reply); 2] {
    [("no answer", Reply::hang()), ("a drip", Reply::drip(Duration::from_millis(300)))]
}

/// Without workers: only the test's statements call the provider. There is work for kb_work.
fn base() -> Remote {
    let mut remote = Remote::start();
    let database = remote.database.name().to_string();
    remote.client.run(&format!("ALTER DATABASE {database} SET kb_rag.workers = 0"));
    remote.client = remote.database.connect();
    // A worker started before would stay for a moment and take the work.
    wait_until_no_worker(&mut remote.client);
    remote.client.insert_notes(1, 5);
    remote
}

/// Runs the statement until the provider has been called.
fn start(mock: &Mock, client: Client, statement: &str) -> JoinHandle<Outcome> {
    mock.wait_until_quiet();
    mock.forget_calls();
    let running = Outcome::spawn(client, statement);
    mock.wait_for_calls(1);
    running
}

/// Runs the statement with a timeout that comes after the provider has been called. When it comes is returned too.
fn time_out(remote: &Remote, statement: &str) -> (Outcome, Instant) {
    let mut time = Duration::from_millis(100);
    loop {
        remote.mock.wait_until_quiet();
        remote.mock.forget_calls();
        let mut client = remote.database.connect();
        client.run(&format!("SET statement_timeout = {}", time.as_millis()));
        let due = Instant::now() + time;
        let outcome = Outcome::joined(Outcome::spawn(client, statement), statement);
        if !remote.mock.calls().is_empty() {
            return (outcome, due);
        }
        // It came before.
        assert_eq!(outcome.state, "57014", "{statement}");
        time *= 4;
    }
}

/// Fails unless the statement ended in time and aborted its call, and the session continues.
fn assert_stopped(mock: &Mock, outcome: Outcome, asked: Instant, what: &str) {
    assert_eq!(outcome.state, "57014", "{what}");
    let took = outcome.at.saturating_duration_since(asked);
    assert!(took < INTERRUPT_LIMIT, "{what} continued for {took:?}");
    mock.wait_until_quiet();
    // The next call of the same session gets its own answer, not the rest of the aborted one.
    mock.heal();
    let mut client = outcome.client;
    client.run("RESET statement_timeout");
    let vector: Vec<f32> = client.value("SELECT kb_embed('another text', 'mock/small', 8)::real[]", &[]);
    let right = mock.vector("another text", 8);
    assert_eq!(vector.len(), right.len(), "{what}");
    assert!(vector.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-5), "{what}");
}

#[test]
fn a_cancel_ends_a_call_within_a_second() {
    let mut remote = base();
    for (how, silence) in silences() {
        for statement in CALLS {
            remote.mock.always(silence.clone());
            let mut client = remote.database.connect();
            let pid = client.pid();
            let running = start(&remote.mock, client, statement);
            let asked = Instant::now();
            cancel(&mut remote.client, pid);
            assert_stopped(&remote.mock, running.join().unwrap(), asked, &format!("{statement} with {how}"));
        }
    }
}

#[test]
fn statement_timeout_ends_a_call_within_a_second() {
    let remote = base();
    for (how, silence) in silences() {
        for statement in CALLS {
            remote.mock.always(silence.clone());
            let (outcome, due) = time_out(&remote, statement);
            assert_stopped(&remote.mock, outcome, due, &format!("{statement} with {how}"));
        }
    }
}

#[test]
fn termination_ends_a_call_within_a_second() {
    let mut remote = base();
    for statement in CALLS {
        remote.mock.always(Reply::hang());
        let mut client = remote.database.connect();
        let pid = client.pid();
        let running = start(&remote.mock, client, statement);
        let asked = Instant::now();
        remote.client.run(&format!("SELECT pg_terminate_backend({pid})"));
        let outcome = running.join().unwrap();
        assert!(
            ["57P01", "08006"].contains(&outcome.state.as_str()),
            "{statement} ended in {}",
            outcome.state
        );
        assert_ends_within(pid, asked, INTERRUPT_LIMIT, statement);
        remote.mock.wait_until_quiet();
        remote.mock.heal();
    }
}

/// The provider's own timeout ends a call that is not interrupted.
#[test]
fn the_timeout_of_a_provider_ends_a_call() {
    let mut remote = base();
    remote.client.run("SELECT kb_provider_set('mock', timeout => '700 ms')");
    for (how, silence) in silences() {
        remote.mock.always(silence);
        let began = Instant::now();
        let running = Outcome::spawn(remote.database.connect(), "SELECT kb_embed('a text', 'mock/small', 8)");
        let outcome = Outcome::joined(running, "the timeout of the provider");
        assert_eq!(outcome.state, "58000", "{how}");
        let took = outcome.at - began;
        assert!(took > Duration::from_millis(600), "{how}: {took:?}");
    }
}

/// All processes of the server must respond before these are done.
fn create_and_drop(server: &mut Client) {
    for statement in ["CREATE DATABASE kb_test_other", "DROP DATABASE kb_test_other"] {
        server.run(statement);
    }
}

/// They are done before a call ends that began as number `first` or later: a process that does not respond meanwhile would
/// delay them until then.
fn assert_undelayed(server: &mut Client, mock: &Mock, first: usize, what: &str) {
    create_and_drop(server);
    let calls = mock.calls();
    assert!(calls[first..].iter().any(|call| call.ended.is_none()), "{what}: a database waited for the call");
}

/// The databases share one name, so one test runs at a time, on a server without other tests' processes and
/// locks.
#[test]
fn databases_are_created_and_dropped_during_calls() {
    let server = Server::start();
    let mut maintenance = server.connect();
    maintenance.run("CREATE DATABASE busy");
    let mut client = server.connect_to("busy", "postgres");
    client.run("CREATE EXTENSION kb_rag CASCADE");
    let mock = Mock::openai();
    client.set_provider("mock", &mock);
    client.create_remote_base("notes", "mock/small");
    create_and_drop(&mut maintenance);
    for (how, silence) in silences() {
        mock.always(silence);
        // A call of a worker that was terminated may still look open.
        let earlier = mock.calls().len();
        client.insert_notes(1, 50);
        mock.wait_until("a call of a worker", |calls| {
            calls[earlier..].iter().any(|call| call.ended.is_none())
        });
        assert!(!workers(&mut client).is_empty());
        assert_undelayed(&mut maintenance, &mock, earlier, &format!("a worker has {how}"));
        for statement in CALLS {
            let mut session = server.connect_to("busy", "postgres");
            let pid = session.pid();
            let before = mock.calls().len();
            let running = Outcome::spawn(session, statement);
            // kb_work may find that the workers have taken all the work.
            let first = if statement.starts_with("CALL") {
                earlier
            } else {
                mock.wait_for_calls(before + 1);
                before
            };
            assert_undelayed(&mut maintenance, &mock, first, &format!("{statement} has {how}"));
            cancel(&mut client, pid);
            running.join().unwrap();
        }
        client.run("DELETE FROM kb_notes.document");
        mock.heal();
        wait_until("the end of the calls", || {
            client.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type LIKE 'kb_rag%'",
            );
            workers(&mut client).is_empty()
        });
    }
}

/// A session that waits for a provider shows as waiting.
#[test]
fn a_call_shows_as_a_wait_in_pg_stat_activity() {
    let mut remote = base();
    remote.mock.always(Reply::hang());
    let mut client = remote.database.connect();
    let pid = client.pid();
    let running = start(&remote.mock, client, CALLS[0]);
    wait_until("a wait event", || {
        // Before PostgreSQL 17, extensions cannot name their wait events.
        remote.client.value(
            "SELECT wait_event_type = 'Extension' AND (wait_event = 'KbRagProvider' OR current_setting('server_version_num')::int < 170000)
             FROM pg_stat_activity WHERE pid = $1",
            &[&pid],
        )
    });
    cancel(&mut remote.client, pid);
    running.join().unwrap();
}
