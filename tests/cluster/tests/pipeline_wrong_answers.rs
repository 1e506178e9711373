//! Answers that are paid for and cannot be used: the base is paused after the first batch, one chunk is sent when the pause
//! ends, and no text is sent more than eight times until something is changed.

use kb_rag_cluster_tests::mock::{DIMENSIONS, Embedding, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    BATCH, Remote, RemoteSession, assert_right_vectors, is_idle, note, paused, wait_until_paused,
    without_vector,
};
use kb_rag_cluster_tests::{Session, wait_until};
use postgres::Client;

/// The most times that a text may be sent.
const MAX_SENDS: usize = 8;
/// Documents of a test, each of one chunk.
const DOCUMENTS: i32 = 60;

fn changed(change: fn(&mut Vec<Embedding>)) -> Reply {
    Reply::changed(change)
}

/// Data of OpenAI's form in which each of many vectors is this JSON.
fn vectors(vector: &str) -> Reply {
    let items: Vec<String> =
        (0..BATCH).map(|index| format!(r#"{{"index":{index},"embedding":{vector}}}"#)).collect();
    Reply::json(format!(r#"{{"data":[{}]}}"#, items.join(",")))
}

/// Answers that cannot be right for any text, and a part of the reason that is shown.
fn wrong_answers() -> Vec<(&'static str, Reply, &'static str)> {
    vec![
        ("half a body", Reply::cut(), "connection closed"),
        ("half a body of its own length", Reply::truncated(), "it ends within a value"),
        ("fewer", changed(|v| v.truncate(v.len() - 1)), "vector"),
        ("more", changed(|v| v.extend_from_within(..)), "vectors"),
        ("an empty array", changed(Vec::clear), "0 vectors"),
        ("wrong dimensions", changed(|v| v.iter_mut().for_each(|e| e.vector.truncate(4))), "4 dimensions"),
        ("NaN", changed(|v| v.iter_mut().for_each(|e| e.vector.fill(f32::NAN))), "not finite"),
        ("zeros", changed(|v| v.iter_mut().for_each(|e| e.vector.fill(0.0))), "is zero"),
        ("wrong index", changed(|v| v.iter_mut().for_each(|e| e.index += 1)), "out of order"),
        ("strings", vectors(r#"["1","1"]"#), "not as documented"),
        ("null vectors", vectors("null"), "not as documented"),
        ("broken base64", vectors(r#""AAAA""#), "not as documented"),
        ("HTML", Reply::raw(200, "text/html", "<html>Sign in</html>"), "not JSON"),
        ("204", Reply::raw(204, "application/json", ""), "HTTP status 204"),
        ("206", Reply::raw(206, "application/json", r#"{"data":[]}"#), r#"{"data":[]}"#),
    ]
}

/// How often the text that was sent most was sent.
fn max_sent(mock: &Mock) -> usize {
    (1..=DOCUMENTS).map(|number| mock.times_sent(&note(number))).max().unwrap_or(0)
}

/// Skips the waiting time: what waits is due, and pauses end, but are not forgotten.
fn skip_waiting(client: &mut Client) {
    client.run(
        "UPDATE kb_rag.pause SET until = clock_timestamp() - interval '1 s' WHERE until > clock_timestamp();
         UPDATE kb_rag.job SET due_at = clock_timestamp() WHERE worker IS NULL AND NOT failed",
    );
}

/// The largest batch of the calls after the first `calls`.
fn largest_after(mock: &Mock, calls: usize) -> usize {
    mock.calls().iter().skip(calls).map(|call| call.texts.len()).max().unwrap_or(0)
}

#[test]
fn a_wrong_answer_pauses_the_base_after_the_first_batch() {
    let mut remote = Remote::start();
    for (what, reply, reason) in wrong_answers() {
        remote.mock.always(reply);
        remote.client.insert_notes(1, DOCUMENTS);
        let shown = wait_until_paused(&mut remote.client);
        assert!(shown.starts_with("embed for ") && shown.contains(reason), "{what} is shown as: {shown}");
        // Two workers may have begun at the same time. Then one chunk is sent at a time.
        remote.mock.wait_for_calls(3);
        remote.mock.wait_until_quiet();
        let calls = remote.mock.calls();
        let batches: Vec<usize> = calls.iter().map(|call| call.texts.len()).collect();
        let full = batches.iter().take_while(|texts| **texts == BATCH).count();
        assert!((1..=2).contains(&full), "{what}: {batches:?}");
        assert!(batches[full..].iter().all(|texts| *texts == 1), "{what}: {batches:?}");
        assert!(calls[full..].iter().all(|call| call.at_once == 1), "{what}: more than one chunk at a time");
        remote.mock.heal();
        remote.client.run("SELECT kb_retry('notes')");
        remote.finish();
        assert_eq!(paused(&mut remote.client), None, "{what}");
        remote.client.run("DELETE FROM kb_notes.document");
        remote.mock.wait_until_quiet();
        remote.mock.forget_calls();
    }
}

/// Without time to wait, as if hours had passed.
#[test]
fn a_text_is_sent_at_most_eight_times() {
    for (what, reply, _) in wrong_answers() {
        let remote = Remote::start();
        remote.database.set("kb_rag.workers", "0");
        let mut client = remote.database.connect();
        remote.mock.always(reply);
        client.insert_notes(1, 12);
        wait_until(what, || {
            skip_waiting(&mut client);
            client.run("CALL kb_work(0)");
            assert!(max_sent(&remote.mock) <= MAX_SENDS, "{what}: sent {} times", max_sent(&remote.mock));
            client.value("SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE NOT failed)", &[])
        });
        assert_eq!(max_sent(&remote.mock), MAX_SENDS, "{what}");
        assert!(largest_after(&remote.mock, 2) == 1, "{what}");
        let failed: i64 = client.value("SELECT count(*) FROM kb_notes.document WHERE status = 'failed'", &[]);
        assert_eq!(failed, 12, "{what}");
        remote.mock.heal();
        client.run("SELECT kb_retry('notes')");
        client.run("CALL kb_work(10)");
        assert_eq!(without_vector(&mut client, "kb_notes"), 0, "{what}");
    }
}

/// Right and wrong answers in turn, by the number of the call, for documents of one chunk and of many.
#[test]
fn a_mix_of_answers_embeds_everything_and_pays_no_text_for_ever() {
    let remote = Remote::start();
    remote.database.set("kb_rag.workers", "0");
    let mut client = remote.database.connect();
    let wrong = wrong_answers();
    let kinds = wrong.len();
    for (kind, (_, reply, _)) in wrong.into_iter().enumerate() {
        remote.mock.when(move |call| call.number % 3 == 0 && call.number / 3 % kinds == kind, reply);
    }
    client.insert_notes(1, DOCUMENTS);
    client.run(
        "INSERT INTO kb_notes.document (source_key, content)
         SELECT 'long', string_agg(format('Part %s of the long text. %s', n, repeat('word ', 30)), E'\\n\\n') FROM generate_series(1, 40) n",
    );
    wait_until("the end of all work", || {
        skip_waiting(&mut client);
        client.run("CALL kb_work(0)");
        is_idle(&mut client)
    });
    assert_eq!(without_vector(&mut client, "kb_notes"), 0);
    assert_right_vectors(&mut client, "kb_notes", &remote.mock);
    let calls = remote.mock.calls();
    let texts: Vec<&String> = calls.iter().flat_map(|call| &call.texts).collect();
    for text in &texts {
        let sent = texts.iter().filter(|sent| *sent == text).count();
        assert!(sent <= MAX_SENDS, "sent {sent} times: {text}");
    }
}

/// The vector that is not finite costs its own chunk an attempt, and the base is not paused.
#[test]
fn vectors_that_cannot_be_used_cost_the_others_nothing() {
    let mut remote = Remote::start();
    // The third of five, and then the same one alone.
    remote.mock.always(Reply::changed(|vectors| {
        let place = vectors.len().min(3) - 1;
        vectors[place].vector.fill(f32::NAN);
    }));
    remote.client.insert_notes(1, 5);
    wait_until("the other vectors", || without_vector(&mut remote.client, "kb_notes") == 1);
    wait_until("a document that waits", || {
        remote.client.value("SELECT count(*) = 1 FROM kb_rag.failed WHERE reason LIKE '%not finite'", &[])
    });
    assert_right_vectors(&mut remote.client, "kb_notes", &remote.mock);
    let sent: Vec<usize> = (1..=5).map(|number| remote.mock.times_sent(&note(number))).collect();
    assert!(sent.iter().filter(|times| **times == 1).count() >= 4, "{sent:?}");
    remote.mock.heal();
    remote.client.run("SELECT kb_retry('notes')");
    remote.finish();
}

/// The mistake is corrected where it was made, and the work goes on at once: the pause is one of the base.
#[test]
fn a_correction_of_the_provider_ends_the_pause() {
    let mut remote = Remote::start();
    let right = remote.mock.base_url();
    let other = Mock::openai();
    other.always(Reply::changed(|vectors| vectors.iter_mut().for_each(|e| e.vector.truncate(4))));
    remote.client.run(&format!("SELECT kb_provider_set('mock', base_url => '{}')", other.base_url()));
    remote.client.insert_notes(1, 15);
    let shown = wait_until_paused(&mut remote.client);
    assert!(shown.contains(&format!("4 dimensions where {DIMENSIONS} were expected")), "{shown}");
    // As after hours.
    other.wait_for_calls(3);
    remote.client.run("UPDATE kb_rag.pause SET until = clock_timestamp() + interval '15 minutes'");
    remote.client.run(&format!("SELECT kb_provider_set('mock', base_url => '{right}')"));
    remote.finish();
    assert_eq!(paused(&mut remote.client), None);
}
