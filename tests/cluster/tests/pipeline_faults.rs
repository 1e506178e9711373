//! Providers that are broken, hostile or wrong: no row is lost, no wrong vector is stored, and the reason is
//! shown where the operator looks.

use std::fs;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::{Embedding, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_right_vectors, is_idle, note, paused, wait_until_idle, without_vector,
    workers,
};
use kb_rag_cluster_tests::{Session, wait_until};
use postgres::Client;

/// The reason that kb_rag.failed gives for its first document.
fn reason(client: &mut Client) -> Option<String> {
    let reasons: Vec<Option<String>> =
        client.column("SELECT reason FROM kb_rag.failed ORDER BY source_key LIMIT 1", &[]);
    reasons.into_iter().flatten().next()
}

/// Gives this reply to every call until the fault is seen, then heals the provider. Fails unless nothing wrong is
/// stored, and every row is embedded in the end. Returns the description of the fault.
fn survived(remote: &mut Remote, what: &str, reply: Reply) -> String {
    remote.mock.always(reply);
    remote.client.insert_notes(1, 5);
    let mut seen = None;
    wait_until(what, || {
        seen = reason(&mut remote.client).or_else(|| reason_of_pause(&mut remote.client));
        seen.is_some()
    });
    let seen = seen.unwrap();
    assert!(seen.len() < 1000, "{what} is reported at length: {seen}");
    assert_eq!(without_vector(&mut remote.client, "kb_notes"), 5, "{what} gave a vector");
    remote.mock.heal();
    remote.client.run("SELECT kb_retry('notes')");
    remote.finish();
    println!("{what}: {seen}");
    remote.client.run("DELETE FROM kb_notes.document");
    remote.mock.wait_until_quiet();
    remote.mock.forget_calls();
    seen
}

/// The reason in "embed for 1 s: reason", as kb_rag.status gives it.
fn reason_of_pause(client: &mut Client) -> Option<String> {
    let pause = paused(client)?;
    let (_, reason) = pause.split_once(" s: ").unwrap_or_else(|| panic!("a pause without a reason: {pause}"));
    Some(reason.to_string())
}

/// The time between the arrival of each call, which is answered at once, and that of the next, in milliseconds. The mock
/// may record the end of a call after the worker has read the answer.
fn waits(mock: &Mock) -> Vec<u128> {
    mock.wait_until_quiet();
    mock.calls().windows(2).map(|pair| (pair[1].arrived - pair[0].arrived).as_millis()).collect()
}

/// Waits until all chunks have vectors, with only the workers acting; returns what kb_rag.failed showed for
/// documents waiting for a retry: attempts, seconds until then as first seen, reason.
fn wait_for_vectors(client: &mut Client) -> Vec<(i32, f64, String)> {
    let mut seen = Vec::new();
    wait_until("vectors that come by themselves", || {
        // A running attempt has no next one yet.
        let rows = client.query(
            "SELECT f.attempts, extract(epoch FROM f.next_try - clock_timestamp())::float8, f.reason, d.status
             FROM kb_rag.failed f JOIN kb_notes.document d ON d.id = f.document_id
             WHERE NOT EXISTS (SELECT FROM kb_rag.job j WHERE j.target = d.id AND j.worker IS NOT NULL)",
            &[],
        );
        for row in rows.unwrap() {
            assert_eq!(row.get::<_, String>(3), "pending", "status of a document that waits for a retry");
            let (attempts, reason): (i32, String) = (row.get(0), row.get(2));
            let seconds = row.get::<_, Option<f64>>(1).expect("a next try");
            let is_known = |(a, _, r): &(i32, f64, String)| *a == attempts && *r == reason;
            if !seen.last().is_some_and(is_known) {
                seen.push((attempts, seconds, reason));
            }
        }
        without_vector(client, "kb_notes") == 0
    });
    seen
}

/// Without kb_retry, kb_work or another session, each retry happens by itself, later each time, and only
/// once.
#[test]
fn faults_are_waited_out_without_help() {
    // One worker, since each has a connection of its own: another one would try over a new connection.
    let (mut remote, ()) = Remote::prepared(|database| database.set("kb_rag.workers", "1"));
    for fault in [
        Reply::error(500, "the first fault"),
        Reply::error(500, "the second fault"),
        Reply::reset(),
        Reply::reset(),
        Reply::raw(200, "text/html", "<html>The last fault</html>"),
    ] {
        remote.mock.next(fault);
    }
    remote.client.insert_notes(1, 1);
    let seen = wait_for_vectors(&mut remote.client);
    remote.finish();
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);

    let waits = waits(&remote.mock);
    println!("waits of {waits:?} ms");
    assert_eq!(waits.len(), 5, "one call for each fault, and one for the answer");
    // One second, doubled with each attempt, minus a random part of up to a half. A connection that was used
    // before may have broken long ago, so another is tried at once; if that breaks too, it counts as an
    // attempt.
    for (wait, least) in waits.iter().zip([490, 990, 0, 1990, 3990]) {
        assert!(*wait >= least, "waits of {waits:?} ms");
    }

    let reported = |attempts: i32, max: f64, words: &str| {
        seen.iter().any(|(tried, seconds, reason)| {
            *tried == attempts && *seconds > 0.0 && *seconds <= max && reason.contains(words)
        })
    };
    assert!(reported(2, 2.0, "the second fault"), "{seen:?}");
    assert!(reported(3, 4.0, "no answer"), "{seen:?}");
    assert!(reported(4, 8.0, "JSON"), "{seen:?}");
    assert!(seen.iter().all(|(attempts, _, _)| (1..=4).contains(attempts)), "{seen:?}");
}

/// The same for a batch, which is split after a while, and with silence among the faults.
#[test]
fn a_batch_outlasts_faults_without_help() {
    let mut remote = Remote::start();
    remote.client.run("SELECT kb_provider_set('mock', timeout => '500 ms')");
    for fault in [Reply::error(500, "broken"), Reply::hang(), Reply::truncated(), Reply::cut()] {
        remote.mock.next(fault);
    }
    remote.client.insert_notes(1, 5);
    let seen = wait_for_vectors(&mut remote.client);
    remote.finish();
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
    assert!(seen.iter().any(|(attempts, seconds, _)| *attempts >= 1 && *seconds > 0.0), "{seen:?}");
    let waits = waits(&remote.mock);
    println!("waits of {waits:?} ms");
    assert!(waits[0] >= 490 && waits[1] >= 490, "waits of {waits:?} ms");
    // Four faults, and at most every part of five texts.
    assert!(waits.len() < 4 + 9, "{} calls", waits.len() + 1);
}

#[test]
fn answers_with_an_error_status_are_retried() {
    let mut remote = Remote::start();
    for status in [500, 502, 504, 520, 408, 409] {
        let reply = Reply::error(status, "something broke inside");
        assert_eq!(survived(&mut remote, &format!("status {status}"), reply), "something broke inside");
    }
    let page = "<html><body>502 Bad Gateway</body></html>";
    assert_eq!(survived(&mut remote, "a gateway's page", Reply::raw(502, "text/html", page)), page);
}

#[test]
fn connections_that_break_are_retried() {
    let mut remote = Remote::start();
    let address = remote.mock.address();
    for (what, reply, expected) in [
        ("a reset before the answer", Reply::reset(), "no answer from {address}: connection reset by peer"),
        (
            "a reset in the answer",
            Reply::reset_midway(),
            "invalid response from {address}: connection reset by peer",
        ),
        ("an answer that breaks off", Reply::cut(), "invalid response from {address}: connection closed"),
        ("no HTTP", Reply::garbage(), "invalid response from {address}: the answer is not HTTP/1.1"),
    ] {
        let expected = expected.replace("{address}", &address.to_string());
        assert_eq!(survived(&mut remote, what, reply), expected, "{what}");
    }
}

#[test]
fn answers_that_do_not_come_in_time_are_retried() {
    let mut remote = Remote::start();
    remote.client.run("SELECT kb_provider_set('mock', timeout => '500 ms')");
    let drip = Reply::drip(Duration::from_millis(20));
    for (what, reply) in [("no answer", Reply::hang()), ("a drip", drip)] {
        assert_eq!(survived(&mut remote, what, reply), "no complete answer within 500ms", "{what}");
    }
}

#[test]
fn answers_that_are_not_embeddings_are_retried() {
    let mut remote = Remote::start();
    let deep = [b"[".repeat(1 << 20), b"]".repeat(1 << 20)].concat();
    let deep_object = [b"{\"data\":".repeat(200_000), b"0".to_vec(), b"}".repeat(200_000)].concat();
    let inside = r#"{"error": {"message": "upstream is sad", "type": "server_error", "code": null}}"#;
    let page = "<!doctype html><html>Sign in</html>";
    let not_documented = "the provider's answer is not as documented: ";
    // The rest of some messages is serde_json's.
    for (what, reply, beginning) in [
        ("HTML", Reply::raw(200, "text/html", page), &*format!("the provider's answer is not JSON: {page}")),
        (
            "truncated JSON",
            Reply::truncated(),
            "the provider's answer is not JSON: it ends within a value, after ",
        ),
        ("an empty body", Reply::json(""), "the provider's answer is not JSON: it is empty"),
        ("deep JSON", Reply::json(deep), not_documented),
        ("deep JSON of objects", Reply::json(deep_object), not_documented),
        (
            "an error inside",
            Reply::json(inside),
            "the provider answered with an error in a successful response: upstream is sad",
        ),
        ("another shape", Reply::json(r#"{"embeddings": [[1, 2]]}"#), not_documented),
        ("null", Reply::json("null"), not_documented),
        (
            "not UTF-8",
            Reply::json(b"{\"data\": \"\xff\xfe\"}"),
            "the provider's answer is not JSON: invalid unicode code point",
        ),
    ] {
        let seen = survived(&mut remote, what, reply);
        assert!(seen.starts_with(beginning), "{what} is reported as: {seen}");
    }
}

#[test]
fn wrong_vectors_are_never_stored() {
    let mut remote = Remote::start();
    type Change = fn(&mut Vec<Embedding>);
    let changes: [(&str, Change, &str); 12] = [
        ("too few", |v| v.truncate(v.len() - 1), "the provider answered 5 texts with 4 vectors"),
        ("none", Vec::clear, "the provider answered 5 texts with 0 vectors"),
        ("too many", |v| v.push(v[0].clone()), "the provider answered 5 texts with 6 vectors"),
        (
            "an index twice",
            |v| v[1].index = 0,
            "the provider's vectors are out of order: not exactly one is for text 1",
        ),
        (
            "an index too large",
            |v| v[4].index = 1_000_000_000,
            "the provider's vectors are out of order: not exactly one is for text 5",
        ),
        (
            "too short",
            |v| v.iter_mut().for_each(|e| e.vector.truncate(7)),
            "the provider answered with 7 dimensions where 8 were expected",
        ),
        (
            "too long",
            |v| v.iter_mut().for_each(|e| e.vector.push(0.5)),
            "the provider answered with 9 dimensions where 8 were expected",
        ),
        (
            "twice as long",
            |v| v.iter_mut().for_each(|e| e.vector.extend_from_within(..)),
            "the provider answered with 16 dimensions where 8 were expected",
        ),
        (
            "one too short",
            |v| v[3].vector.truncate(3),
            "the provider answered with 3 dimensions where 8 were expected",
        ),
        (
            "not a number",
            |v| v.iter_mut().for_each(|e| e.vector[1] = f32::NAN),
            "the provider's vector for text 1 holds a number that is not finite",
        ),
        (
            "a zero vector",
            |v| v.iter_mut().for_each(|e| e.vector.fill(0.0)),
            "the provider's vector for text 1 is zero",
        ),
        (
            "infinity",
            |v| v.iter_mut().for_each(|e| e.vector[0] = f32::INFINITY),
            "the provider's vector for text 1 holds a number that is not finite",
        ),
    ];
    for (what, change, expected) in changes {
        assert_eq!(survived(&mut remote, what, Reply::changed(change)), expected, "{what}");
    }
}

/// The index identifies the text of a vector, not its position.
#[test]
fn vectors_in_another_order_find_their_texts() {
    let mut remote = Remote::start();
    remote.mock.always(Reply::changed(|vectors| vectors.reverse()));
    remote.client.insert_notes(1, 25);
    remote.finish();
}

/// The process's peak private memory.
fn peak_memory(pid: i32) -> Option<u64> {
    // A worker that has nothing to do ends.
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace()
        .nth(1)
        .and_then(|number| number.parse::<u64>().ok())
        .map(|kilobytes| kilobytes * 1024)
}

#[test]
fn huge_answers_are_rejected_before_they_are_stored() {
    let mut remote = Remote::start();
    for (what, reply) in [("10 GB", Reply::endless(10 << 30)), ("a gzip bomb", Reply::gzip_bomb(10 << 30))] {
        remote.mock.always(reply);
        remote.client.insert_notes(1, 5);
        // The worker ends a second after its work, and another one may come for what the deletion left.
        let mut peak = None;
        wait_until(what, || {
            let is_known = reason(&mut remote.client).is_some();
            peak = peak.max(workers(&mut remote.client).into_iter().filter_map(peak_memory).max());
            is_known && peak.is_some()
        });
        let (reason, peak) = (reason(&mut remote.client).unwrap(), peak.unwrap());
        let is_length = reason.starts_with("the answer is longer than ") && reason.ends_with(" bytes");
        assert!(is_length, "{what} is reported as: {reason}");
        println!("{what}: {reason}");
        assert!(peak < 1 << 29, "{what}: a worker grew to {peak} bytes");
        let taken = remote.mock.calls().iter().map(|call| call.sent).max().unwrap();
        assert!(taken < 1 << 29, "{what}: {taken} bytes were read");
        remote.mock.heal();
        remote.client.run("SELECT kb_retry('notes')");
        remote.finish();
        remote.client.run("DELETE FROM kb_notes.document");
        remote.mock.wait_until_quiet();
        remote.mock.forget_calls();
    }
}

#[test]
fn one_poison_row_among_a_hundred_fails_alone() {
    for status in [400, 413, 422] {
        let mut remote = Remote::start();
        remote.client.run("SELECT kb_provider_set('mock', batch_items => 100)");
        remote.mock.when(|call| call.mentions("number 42 "), Reply::error(status, "I will not read this"));
        remote.client.insert_notes(1, 100);
        wait_until_idle(&mut remote.client);
        assert_eq!(without_vector(&mut remote.client, "kb_notes"), 1);
        assert_right_vectors(&mut remote.client, "kb_notes", &remote.mock);
        let failed: Vec<String> = remote
            .client
            .column("SELECT concat_ws(': ', knowledge_base, source_key, reason) FROM kb_rag.failed", &[]);
        assert!(failed.len() == 1 && failed[0].starts_with("notes: 42: "), "{failed:?}");
        assert!(failed[0].contains("I will not read this"), "{failed:?}");
        let states: Vec<String> = remote.client.column(
            "SELECT concat_ws(' ', status, count(*), max(error_message)) FROM kb_notes.document GROUP BY status ORDER BY status",
            &[],
        );
        assert!(
            states[0].starts_with("failed 1 ") && states[0].contains("I will not read this"),
            "{states:?}"
        );
        assert_eq!(states[1], "indexed 99");
        let calls = remote.mock.calls().len();
        assert!(calls <= 16, "splitting 100 texts in halves takes {calls} calls");
        assert!(remote.mock.times_sent(&note(42)) <= 8, "the poison row was sent too often");
        // It can be found by keyword.
        let found: Vec<String> =
            remote.client.column("SELECT content FROM kb_search('number 42', 'notes', 'keyword', 1)", &[]);
        assert_eq!(found, [note(42)]);
        // The operator has the provider or the text fixed.
        remote.mock.heal();
        let retried: i64 = remote.client.value("SELECT kb_retry('notes')", &[]);
        assert_eq!(retried, 1);
        remote.finish();
        assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
    }
}

/// A new text is tried again, without action by the operator.
#[test]
fn a_poison_row_that_is_changed_is_embedded() {
    let mut remote = Remote::start();
    remote.mock.when(|call| call.mentions("number 3 "), Reply::error(400, "no"));
    remote.client.insert_notes(1, 5);
    wait_until_idle(&mut remote.client);
    assert_eq!(without_vector(&mut remote.client, "kb_notes"), 1);
    remote.client.run("UPDATE kb_notes.document SET content = 'A harmless text.' WHERE source_key = '3'");
    remote.finish();
    assert_eq!(remote.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
}

/// A text that makes the provider fail (500) instead of being rejected by it delays the others for a while,
/// not for good.
#[test]
fn a_row_that_makes_the_provider_fail_ends_up_failing_alone() {
    let mut remote = Remote::start();
    remote.mock.when(|call| call.mentions("number 3 "), Reply::error(500, "crashed"));
    remote.client.insert_notes(1, 10);
    let began = Instant::now();
    while !is_idle(&mut remote.client) {
        assert!(began.elapsed() < Duration::from_secs(60), "nine rows wait for the tenth");
        // Skips the waiting time, because the back-off is not tested here.
        remote.client.run("UPDATE kb_rag.job SET due_at = now() WHERE NOT failed AND worker IS NULL");
        remote.client.run("CALL kb_work(1)");
    }
    assert_eq!(without_vector(&mut remote.client, "kb_notes"), 1);
    assert_right_vectors(&mut remote.client, "kb_notes", &remote.mock);
    let failed: Vec<String> =
        remote.client.column("SELECT concat_ws(' ', source_key, attempts, reason) FROM kb_rag.failed", &[]);
    assert!(
        failed.len() == 1 && failed[0].starts_with("3 8 ") && failed[0].contains("crashed"),
        "{failed:?}"
    );
    assert!(remote.mock.times_sent(&note(3)) <= 16, "{} times", remote.mock.times_sent(&note(3)));
}

#[test]
fn every_kind_of_provider_is_called_in_its_protocol() {
    // More rows than any provider except the largest takes in one call.
    for mock in [
        Mock::openai(),
        Mock::ollama(),
        Mock::google(),
        Mock::cohere(),
        Mock::voyage(),
        Mock::mistral(),
        Mock::tei(),
    ] {
        let kind = mock.kind();
        let mut remote = Remote::from_mock(mock);
        // The known limits of the service apply, not those of the other tests.
        remote.client.run("UPDATE kb_rag.provider SET batch_items = NULL WHERE name = 'mock'");
        remote.client.insert_notes(1, 150);
        remote.finish();
        remote.mock.wait_until_quiet();
        let calls = remote.mock.calls();
        assert!(calls.iter().all(|call| call.succeeded()), "{kind} refused a call: {calls:#?}");
        let types: Vec<Option<String>> = calls.iter().map(|call| call.input_type.clone()).collect();
        // The question finds the text with its vector, and is sent as a query.
        let question = note(77);
        let found: Vec<String> =
            remote.client.column("SELECT content FROM kb_search($1, 'notes', 'semantic', 1)", &[&question]);
        assert_eq!(found, [question], "{kind}");
        let asked = remote.mock.calls().last().unwrap().input_type.clone();
        println!("{kind}: {} calls, documents as {:?}, a query as {asked:?}", calls.len(), types[0]);
        if ["google", "cohere", "voyage"].contains(&kind) {
            assert!(
                types.iter().all(|t| t.as_ref().is_some_and(|t| t.to_lowercase().contains("document"))),
                "{types:?}"
            );
            assert!(asked.is_some_and(|t| t.to_lowercase().contains("query")));
        }
    }
}

#[test]
fn an_old_ollama_is_asked_over_its_old_route() {
    let mut remote = Remote::from_mock(Mock::ollama());
    remote.mock.legacy_only();
    remote.client.insert_notes(1, 25);
    remote.finish();
    let sent: usize = remote.mock.calls().iter().filter(|call| call.path == "/api/embeddings").count();
    assert!(sent >= 25, "{sent} calls");
}
