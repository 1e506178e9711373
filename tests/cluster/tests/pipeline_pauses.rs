//! Providers that are overloaded, unreachable, or reject their caller: calls to them pause for as long as
//! they ask or is reasonable, nothing is charged to the texts, other work continues, and the operator sees
//! the reason and can end the pause.

use std::net::TcpListener;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::pipeline::{Remote, RemoteSession, assert_embedded, paused, wait_until_paused};
use kb_rag_cluster_tests::{Session, counts, wait_until};
use postgres::Client;

/// A fault that is not caused by the text does not count as an attempt. A worker may still hold a job for a
/// moment.
fn assert_no_attempt_is_charged(client: &mut Client, what: &str) {
    wait_until(&format!("{what}: no attempt is charged"), || {
        client.value("SELECT coalesce(max(attempts), 0) = 0 FROM kb_rag.job", &[])
    });
}

#[test]
fn an_unreachable_address_pauses_and_fails_no_document() {
    let mut remote = Remote::start();
    let right = remote.mock.base_url();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", closed.local_addr().unwrap());
    drop(closed);
    for (what, url) in [
        ("TLS garbage", remote.mock.https_url()),
        ("a closed port", nobody),
        ("a name that does not exist", "http://no-such-host.invalid/v1".to_string()),
    ] {
        remote.client.run(&format!("SELECT kb_provider_set('mock', base_url => '{url}')"));
        remote.client.insert_notes(1, 15);
        let reason = wait_until_paused(&mut remote.client);
        println!("{what}: {reason}");
        assert_no_attempt_is_charged(&mut remote.client, what);
        remote.client.run(&format!("SELECT kb_provider_set('mock', base_url => '{right}')"));
        remote.finish();
        remote.client.run("DELETE FROM kb_notes.document");
    }
}

/// The server's clock, in seconds since 1970.
fn clock(client: &mut Client) -> f64 {
    client.value("SELECT extract(epoch FROM clock_timestamp())::float8", &[])
}

/// Which waits an answer asks for is tested in `crates/core`; here, that a pause lasts as long and is obeyed.
#[test]
fn a_pause_lasts_as_long_as_the_provider_asks() {
    let google = r#"{"error": {"code": 429, "message": "Resource has been exhausted (e.g. check quota).", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1000s"}]}}"#;
    // Dates have whole seconds.
    let date = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 1000;
    let http_date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(date));
    for (mock, reply, until) in [
        (Mock::openai(), Reply::error(429, "slow down").header("Retry-After", "1000"), None),
        (Mock::openai(), Reply::error(503, "busy").header("retry-after", &http_date), Some(date as f64)),
        (Mock::google(), Reply::raw(429, "application/json", google), None),
    ] {
        let mut remote = Remote::from_mock(mock);
        let before = clock(&mut remote.client);
        remote.mock.next(reply);
        remote.client.insert_notes(1, 5);
        let reason = wait_until_paused(&mut remote.client);
        let taken = clock(&mut remote.client) - before;
        let ends: f64 =
            remote.client.value("SELECT extract(epoch FROM until)::float8 FROM kb_rag.pause", &[]);
        // The pause began after `before`, and has begun.
        let late = ends - until.unwrap_or(before + 1000.0);
        assert!((0.0..=taken).contains(&late), "{reason}: {late} s later, in {taken} s");
        assert_no_attempt_is_charged(&mut remote.client, &reason);
        remote.client.run("CALL kb_work(0)");
        assert_eq!(remote.mock.calls().len(), 1, "{reason}: the pause is not obeyed");
        // The worker goes on by itself when it is over.
        remote.client.run("UPDATE kb_rag.pause SET until = clock_timestamp()");
        remote.finish();
        assert_eq!(remote.mock.calls().len(), 2, "{reason}");
    }
}

/// No worker calls a paused provider, whatever work there is for it, and the operator can end the pause.
#[test]
fn a_pause_applies_to_the_whole_provider_until_it_is_ended() {
    let mut remote = Remote::start();
    for (what, reply, word, end) in [
        (
            "429",
            Reply::error(429, "slow down").header("retry-after", "100"),
            "slow down",
            "SELECT kb_retry('notes')",
        ),
        (
            "401",
            Reply::error(401, "who are you"),
            "who are you",
            "SELECT kb_provider_set('mock', timeout => '20 s')",
        ),
        ("403", Reply::error(403, "not for you"), "not for you", "SELECT kb_retry('notes')"),
        (
            "quota",
            Reply::error_with_code(429, "You exceeded your current quota", "insufficient_quota"),
            "quota",
            "SELECT kb_retry('notes')",
        ),
    ] {
        remote.mock.always(reply);
        remote.client.insert_notes(1, 15);
        let reason = wait_until_paused(&mut remote.client);
        assert!(reason.contains(word), "{what} is reported as: {reason}");
        // More work for the same provider, and kb_work too: the pause holds.
        for n in 1..=3 {
            remote.client.run(&format!("SELECT kb_add('notes', 'Text {n} for the paused provider.')"));
            remote.client.run("CALL kb_work(1)");
        }
        remote.mock.wait_until_quiet();
        let calls = remote.mock.calls().len();
        // The other worker may have been about to call when the first was rejected.
        assert!(calls <= 2, "{what}: {calls} calls, expected at most one for each of two workers");
        assert_no_attempt_is_charged(&mut remote.client, what);
        remote.mock.heal();
        remote.client.run(end);
        remote.finish();
        assert_eq!(paused(&mut remote.client), None, "{what}: the pause is shown after its end");
        remote.client.run("DELETE FROM kb_notes.document");
        remote.mock.wait_until_quiet();
        remote.mock.forget_calls();
    }
}

#[test]
fn a_missing_model_pauses_only_that_model() {
    let mut remote = Remote::start();
    remote.client.create_remote_base("others", "mock/large");
    remote.mock.when(|call| call.model == "small", Reply::error(404, "The model `small` does not exist"));
    remote.client.insert_notes(1, 15);
    let reason = wait_until_paused(&mut remote.client);
    assert!(reason.contains("does not exist"), "{reason}");
    remote.client.run("SELECT kb_add('others', 'A text of another model.')");
    wait_until("the base of the other model", || {
        remote.client.value("SELECT count(*) = 1 FROM kb_others.document WHERE status = 'indexed'", &[])
    });
    assert_embedded(&mut remote.client, "kb_others", &remote.mock);
    remote.mock.heal();
    remote.client.run("SELECT kb_retry('notes')");
    remote.finish();
}

/// Jobs of a provider that hangs occupy all workers for the time of one call at most.
#[test]
fn a_provider_that_is_down_does_not_stop_another() {
    let mut remote = Remote::start();
    let other = Mock::openai_with_salt("other");
    remote.client.set_provider("other", &other);
    remote.client.create_remote_base("others", "other/small");
    remote.client.run("SELECT kb_provider_set('mock', timeout => '3 s')");
    remote.mock.always(Reply::hang());
    remote.client.insert_notes(1, 200);
    remote.mock.wait_for_calls(2);
    remote.client.run(
        "INSERT INTO kb_others.document (content) SELECT 'Text ' || n || ' for the provider that works' FROM generate_series(1, 50) n",
    );
    // The status follows the last vectors.
    wait_until("the base whose provider works", || {
        remote.client.value("SELECT count(*) = 50 FROM kb_others.document WHERE status = 'indexed'", &[])
    });
    assert_embedded(&mut remote.client, "kb_others", &other);
    assert_eq!(counts(&mut remote.client, "kb_notes"), [200, 200, 0]);
}
