//! What the operator sees: progress, rate, remaining time, and costs.

use kb_rag_cluster_tests::mock::{Call, Gate, Reply};
use kb_rag_cluster_tests::pipeline::{BATCH, Remote, RemoteSession, assert_embedded, wait_until_idle};
use kb_rag_cluster_tests::{Session, wait_until};
use postgres::Client;

/// A price at which the cost of any number of tokens is exact.
const PRICE_PER_MILLION: f64 = 2e6;

/// Calls, items, tokens, errors and cost of a base and a model, in the view and in its table.
type Spent = (i64, i64, i64, i64, f64);

fn spent(client: &mut Client, base: &str, model: &str, since: &str) -> [Spent; 2] {
    [
        "SELECT sum(calls)::int8, sum(items)::int8, sum(tokens)::int8, sum(errors)::int8, sum(cost) FROM kb_rag.usage_daily
         WHERE knowledge_base = $1 AND model = $2
             AND day BETWEEN ($3::text::timestamptz AT TIME ZONE 'UTC')::date AND (now() AT TIME ZONE 'UTC')::date",
        "SELECT sum(calls)::int8, sum(items)::int8, sum(tokens)::int8, sum(errors)::int8, sum(cost) FROM kb_rag.usage u
         WHERE knowledge_base_id = (SELECT id FROM kb_list() WHERE name = $1) AND knowledge_base = $1 AND model = $2
             AND at BETWEEN $3::text::timestamptz AND clock_timestamp()",
    ]
    .map(|sql| {
        let row = client.query_one(sql, &[&base, &model, &since]).unwrap();
        (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4))
    })
}

/// The same according to the provider's own log.
fn answered(calls: &[Call], model: &str, is_right: impl Fn(&Call) -> bool) -> Spent {
    let of_model: Vec<&Call> = calls.iter().filter(|call| call.model == model).collect();
    let right: Vec<&Call> = of_model.iter().copied().filter(|call| is_right(call)).collect();
    let tokens = right.iter().map(|call| call.tokens()).sum::<usize>();
    (
        of_model.len() as i64,
        right.iter().map(|call| call.texts.len() as i64).sum(),
        tokens as i64,
        (of_model.len() - right.len()) as i64,
        tokens as f64 * PRICE_PER_MILLION / 1e6,
    )
}

#[test]
fn what_workers_spend_is_counted_to_the_last_token() {
    let mut remote = Remote::start();
    remote.client.run(&format!("SELECT kb_provider_set('mock', price_per_million => {PRICE_PER_MILLION})"));
    remote.client.create_remote_base("others", "mock/large");
    let since: String = remote.client.value("SELECT clock_timestamp()::text", &[]);
    // The first three calls fail in different ways, and one text is rejected.
    remote.mock.when(|call| call.mentions("number 7 "), Reply::error(400, "not this one"));
    for fault in [
        Reply::error(500, "broken"),
        Reply::error(429, "slow down").header("retry-after", "0.2"),
        Reply::raw(200, "text/html", "<html>Sign in</html>"),
    ] {
        remote.mock.next(fault);
    }
    remote.client.insert_notes(8, 52);
    wait_until_idle(&mut remote.client);
    remote.client.insert_notes(7, 7);
    wait_until_idle(&mut remote.client);
    // Texts of different lengths, and with more bytes than characters.
    remote.client.run(
        "INSERT INTO kb_others.document (content) SELECT repeat('ä', n) || ' ' || n FROM generate_series(1, 25) n",
    );
    wait_until_idle(&mut remote.client);
    assert_embedded(&mut remote.client, "kb_others", &remote.mock);

    remote.mock.wait_until_quiet();
    let calls = remote.mock.calls();
    // The third call was answered, but not with vectors.
    let is_right = |call: &Call| call.succeeded() && call.number != 3;
    let (notes, others) = (answered(&calls, "small", is_right), answered(&calls, "large", is_right));
    println!("notes: {notes:?}, others: {others:?}");
    assert_eq!((notes.1, others.1), (45, 25), "texts that were answered");
    assert_eq!((notes.3, others.3), (4, 0), "calls that failed");
    assert_eq!(spent(&mut remote.client, "notes", "mock/small", &since), [notes; 2]);
    assert_eq!(spent(&mut remote.client, "others", "mock/large", &since), [others; 2]);
    // Nothing is counted under another name, and a day has one row.
    let rows: Vec<String> = remote.client.column(
        "SELECT DISTINCT concat_ws(' ', knowledge_base, model) FROM kb_rag.usage_daily ORDER BY 1",
        &[],
    );
    assert_eq!(rows, ["notes mock/small", "others mock/large"]);
    let days: i64 = remote
        .client
        .value("SELECT count(*) - count(DISTINCT (day, knowledge_base, model)) FROM kb_rag.usage_daily", &[]);
    assert_eq!(days, 0);
}

/// A batch that is split costs calls; an answer costs the same even if it is no longer needed.
#[test]
fn calls_without_a_result_are_counted_too() {
    let mut remote = Remote::start();
    remote.client.run(&format!("SELECT kb_provider_set('mock', price_per_million => {PRICE_PER_MILLION})"));
    let since: String = remote.client.value("SELECT clock_timestamp()::text", &[]);
    remote.mock.when(|call| call.mentions("number 7 "), Reply::error(400, "not this one"));
    remote.client.insert_notes(1, 10);
    wait_until_idle(&mut remote.client);
    remote.client.run("DELETE FROM kb_notes.document");
    remote.mock.heal();
    let gate = remote.in_flight();
    remote.client.run("SELECT kb_configure('notes', embed => 'off')");
    gate.open();
    wait_until_idle(&mut remote.client);

    remote.mock.wait_until_quiet();
    let calls = remote.mock.calls();
    let all = answered(&calls, "small", Call::succeeded);
    assert!(all.3 >= 4 && all.1 == 19, "{all:?}");
    // The jobs were removed with the mode; the worker that was in the call records it a moment later.
    wait_until("the last call is noted", || {
        spent(&mut remote.client, "notes", "mock/small", &since) == [all; 2]
    });
}

/// What kb_rag.status says of `notes`; times in seconds.
#[derive(Debug)]
struct Progress {
    pending: i64,
    indexed: i64,
    embedded: i64,
    coverage: f64,
    oldest_pending: Option<f64>,
    chunks_per_second: Option<f64>,
    time_to_go: Option<f64>,
}

fn progress(client: &mut Client) -> Progress {
    let row = client
        .query_one(
            "SELECT pending, indexed, embedded, coverage, extract(epoch FROM oldest_pending)::float8, chunks_per_second,
                 extract(epoch FROM time_to_go)::float8
             FROM kb_rag.status WHERE knowledge_base = 'notes'",
            &[],
        )
        .unwrap();
    Progress {
        pending: row.get(0),
        indexed: row.get(1),
        embedded: row.get(2),
        coverage: row.get(3),
        oldest_pending: row.get(4),
        chunks_per_second: row.get(5),
        time_to_go: row.get(6),
    }
}

#[test]
fn status_shows_progress_and_remaining_time() {
    let mut remote = Remote::start();
    let before = progress(&mut remote.client);
    assert_eq!((before.pending, before.coverage), (0, 100.0), "{before:?}");
    assert_eq!((before.oldest_pending, before.time_to_go), (None, None), "{before:?}");

    // Two of five batches are answered, and the next ones are held back.
    let gate = Gate::new();
    remote.mock.always(Reply::right().held(&gate));
    remote.mock.next(Reply::right());
    remote.mock.next(Reply::right());
    remote.client.insert_notes(1, 50);
    remote.mock.wait_until("a call that is held", |calls| {
        calls.len() > 2 && calls[2..].iter().any(|call| call.ended.is_none())
    });
    let written = 2 * BATCH as i64;
    let mut seen = None;
    wait_until("two batches of vectors", || {
        let now = progress(&mut remote.client);
        let is_there = now.embedded == written;
        seen = Some(now);
        is_there
    });
    let now = seen.unwrap();
    println!("{now:?}");
    assert_eq!(now.coverage, 40.0, "{now:?}");
    assert_eq!(now.pending + now.indexed, 50, "{now:?}");
    assert!(now.pending >= 30, "{now:?}");
    // The rate over at least a second, and the remaining time at this rate.
    let rate = now.chunks_per_second.expect("a rate while work is in progress");
    assert!(rate > 0.0 && rate <= written as f64, "{now:?}");
    let to_go = now.time_to_go.expect("a remaining time while work is in progress");
    assert!((to_go * rate / 30.0 - 1.0).abs() < 0.01, "{now:?}");

    // While work is blocked, the age of the oldest document grows with the clock.
    let first = now.oldest_pending.expect("something is pending");
    assert!(first > 0.0, "{now:?}");
    let mut later = first;
    wait_until("an older one", || {
        later = progress(&mut remote.client).oldest_pending.expect("something is pending");
        later > first + 0.2
    });
    gate.open();
    remote.mock.heal();
    remote.finish();
    let end = progress(&mut remote.client);
    println!("{end:?}");
    assert_eq!((end.pending, end.indexed, end.embedded, end.coverage), (0, 50, 50, 100.0), "{end:?}");
    assert_eq!((end.oldest_pending, end.time_to_go), (None, None), "{end:?}");
    assert!(end.chunks_per_second.is_some_and(|rate| rate > 0.0), "{end:?}");
}
