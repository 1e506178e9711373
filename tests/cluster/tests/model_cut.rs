//! Changes that cut documents differently: to another model, from a local one, which reads 256 tokens, to a provider's; or to another size
//! of chunks. They are complete when they take over, send each text once, and then all is as if the base had been made so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kb_rag_cluster_tests::mock::{Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{
    RemoteSession, assert_embedded, wait_until_idle, wait_until_no_worker, without_vector,
};
use kb_rag_cluster_tests::{
    Database, Outcome, Point, Session, assert_consistent, assert_figures, assert_nothing_to_reconcile,
    wait_until,
};
use postgres::Client;

/// A base `notes` with vectors of the local model: documents of some chunks, and of one chunk each.
fn local_base(long: i32, short: i32) -> (Database, Client, Mock) {
    let database = Database::create();
    let mut client = database.connect();
    let mock = Mock::openai();
    client.set_provider("mock", &mock);
    client.run(&format!(
        "SELECT kb_create('notes', chunk_size => 4000, chunk_overlap => 0, chunk_strategy => 'text');
         INSERT INTO kb_notes.document (source_key, content)
             SELECT 'long' || n, string_agg('word' || n || ' number ' || w || '.', ' ' ORDER BY w)
             FROM generate_series(1, {long}) n, generate_series(1, 90) w GROUP BY n;
         INSERT INTO kb_notes.document (source_key, content)
             SELECT 'short' || n, 'A short text ' || n FROM generate_series(1, {short}) n"
    ));
    wait_until_idle(&mut client);
    assert_eq!(without_vector(&mut client, "kb_notes"), 0);
    // Workers of the change are new ones, which know the points of a test.
    wait_until_no_worker(&mut client);
    (database, client, mock)
}

fn change(client: &mut Client) {
    client.run("SELECT kb_configure('notes', model => 'mock/small', dimensions => 8)");
}

/// The texts that the provider was asked to embed.
fn sent(mock: &Mock) -> Vec<String> {
    let texts = |call: &kb_rag_cluster_tests::mock::Call| match &call.json()["input"] {
        serde_json::Value::Array(texts) => {
            texts.iter().map(|text| text.as_str().unwrap().to_string()).collect()
        }
        other => vec![other.as_str().unwrap().to_string()],
    };
    mock.calls().iter().flat_map(texts).collect()
}

/// All that a base has of its chunks but their ids, and how many tokens the model counts that made them first.
fn chunks(client: &mut Client, schema: &str) -> Vec<String> {
    client.column(
        &format!(
            "SELECT concat_ws('|', d.source_key, c.ordinal, c.start_char, c.end_char, c.page, c.source_type, c.heading,
                 left(c.content, 20), md5(c.content), c.metadata, c.text_config, md5(c.tsv::text), c.length, encode(c.content_hash, 'hex'), c.context)
             FROM {schema}.chunk c JOIN {schema}.document d ON d.id = c.document_id ORDER BY d.source_key, c.ordinal"
        ),
        &[],
    )
}

/// Waits for the end of the change; returns the texts that were sent for it. Fails unless `notes` is then as a base that was made with the
/// new model.
fn finish(client: &mut Client, mock: &Mock) -> Vec<String> {
    wait_until("the end of the change", || {
        client.value("SELECT model = 'mock/small' FROM kb_list() WHERE name = 'notes'", &[])
    });
    wait_until_idle(client);
    let sent = sent(mock);
    assert_embedded(client, "kb_notes", mock);
    assert_consistent(client, "notes", "kb_notes");
    assert_figures(client, "kb_notes");
    assert_nothing_to_reconcile(client, "notes");
    client.run(
        "SELECT kb_create('fresh', model => 'mock/small', dimensions => 8, embed => 'off', chunk_size => 4000, chunk_overlap => 0,
             chunk_strategy => 'text');
         INSERT INTO kb_fresh.document (source_key, source_type, title, content, language, metadata)
             SELECT source_key, source_type, title, content, language, metadata FROM kb_notes.document",
    );
    assert_eq!(chunks(client, "kb_notes"), chunks(client, "kb_fresh"));
    let left: Vec<String> = client.column(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relname ~ '_8'",
        &[],
    );
    assert!(left.is_empty(), "{left:?}");
    let key: String = client.value(
        "SELECT pg_get_constraintdef(oid) || ' ' || convalidated FROM pg_constraint
         WHERE conrelid = 'kb_notes.embedding'::regclass AND conname = 'embedding_chunk_id_fkey'",
        &[],
    );
    assert_eq!(key, "FOREIGN KEY (chunk_id) REFERENCES kb_notes.chunk(id) ON DELETE CASCADE true");
    sent
}

/// Watches a base until it is told to stop: the least share of the chunks of indexed documents with a vector; 0 if a document lacks chunks.
struct Watch {
    ends: Arc<AtomicBool>,
    looking: thread::JoinHandle<f64>,
}

impl Watch {
    fn start(database: &Database) -> Watch {
        let ends = Arc::new(AtomicBool::new(false));
        let (mut session, until) = (database.connect(), ends.clone());
        let looking = thread::spawn(move || {
            let mut least = f64::INFINITY;
            while !until.load(Ordering::Relaxed) {
                let covered: f64 = session.value(
                    "SELECT count(e.chunk_id)::float8 / count(*) FROM kb_notes.document d
                     JOIN kb_notes.chunk c ON c.document_id = d.id LEFT JOIN kb_notes.embedding e ON e.chunk_id = c.id
                     WHERE d.status = 'indexed'
                     HAVING NOT EXISTS (
                         SELECT FROM kb_notes.document d WHERE NOT EXISTS (SELECT FROM kb_notes.chunk c WHERE c.document_id = d.id)
                     )
                     UNION ALL SELECT 0 ORDER BY 1 DESC LIMIT 1",
                    &[],
                );
                least = least.min(covered);
            }
            least
        });
        Watch { ends, looking }
    }

    fn end(self) -> f64 {
        self.ends.store(true, Ordering::Relaxed);
        self.looking.join().unwrap()
    }
}

/// At every moment each chunk has a vector, and each document a chunk. Texts are sent once; chunks with the same text stay.
#[test]
fn a_change_is_complete_when_it_takes_over() {
    let (database, mut client, mock) = local_base(8, 20);
    let before: i64 = client.value("SELECT count(*) FROM kb_notes.chunk", &[]);
    let kept = "SELECT array_agg(c.id ORDER BY c.id)::text FROM kb_notes.chunk c JOIN kb_notes.document d ON d.id = c.document_id
        WHERE d.source_key LIKE 'short%'";
    let ids: String = client.value(kept, &[]);
    let estimated: i64 = client.value("SELECT chunks FROM kb_estimate('notes', 'mock/small')", &[]);
    let watch = Watch::start(&database);
    change(&mut client);
    let mut texts = finish(&mut client, &mock);
    assert_eq!(watch.end(), 1.0);
    let after: i64 = client.value("SELECT count(*) FROM kb_notes.chunk", &[]);
    assert!(after < before, "nothing is cut differently: {before} and {after} chunks");
    assert_eq!(client.value::<String>(kept, &[]), ids);
    assert_eq!(texts.len(), usize::try_from(after).unwrap());
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), usize::try_from(after).unwrap(), "a text was sent twice");
    let found: String = client
        .value("SELECT source FROM kb_search('word3', 'notes', mode => 'keyword', match_count => 1)", &[]);
    assert_eq!(found, "long3");
    assert_eq!(estimated, after);

    // And back.
    let [estimated, tokens] = ["chunks", "tokens"].map(|column| {
        client.value::<i64>(
            &format!("SELECT {column} FROM kb_estimate('notes', 'local/all-minilm-l6-v2')"),
            &[],
        )
    });
    client.run("SELECT kb_configure('notes', model => 'local/all-minilm-l6-v2', dimensions => 384, embed => 'queued')");
    wait_until("the end of the change", || {
        client.value("SELECT model LIKE 'local/%' FROM kb_list() WHERE name = 'notes'", &[])
    });
    wait_until_idle(&mut client);
    let counted: Vec<i64> =
        client.column("SELECT unnest(ARRAY[count(*), sum(token_count)]) FROM kb_notes.chunk", &[]);
    assert_eq!(counted, [estimated, tokens]);
    assert_eq!(estimated, before);
}

/// What is written while the vectors are made counts, and unchanged texts are not sent again for it.
#[test]
fn writers_go_on_during_a_change() {
    let (_database, mut client, mock) = local_base(7, 6);
    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    change(&mut client);
    mock.wait_for_calls(1);
    client.run(
        "UPDATE kb_notes.document SET content = 'Now short.' WHERE source_key = 'long1';
         UPDATE kb_notes.document SET content = content || ' The end.' WHERE source_key = 'long2';
         UPDATE kb_notes.document SET metadata = '{\"k\": 1}' WHERE source_key = 'long3';
         UPDATE kb_notes.document SET language = 'de' WHERE source_key = 'long4';
         -- It has no other chunk than before, but fewer.
         UPDATE kb_notes.document d SET content = c.content FROM kb_notes.chunk c
             WHERE d.source_key = 'long7' AND c.document_id = d.id AND c.ordinal = 0;
         DELETE FROM kb_notes.document WHERE source_key IN ('long5', 'short1');
         INSERT INTO kb_notes.document (source_key, content)
             SELECT 'new', string_agg('fresh ' || w, ' ') FROM generate_series(1, 400) w;
         UPDATE kb_notes.document SET content = repeat('changed words ', 300) WHERE source_key = 'short2'",
    );
    gate.open();
    mock.heal();
    let texts = finish(&mut client, &mock);
    for unchanged in ["word3 number 90.", "word4 number 90.", "word6 number 90.", "A short text 3"] {
        let times = texts.iter().filter(|text| text.ends_with(unchanged)).count();
        assert_eq!(times, 1, "{unchanged}");
    }
}

/// A document that is written after its chunks were inserted, and before everybody is locked out, is not lost, nor is its text.
#[test]
fn a_writer_between_insert_and_lock_counts() {
    let (database, mut client, mock) = local_base(4, 2);
    let mut point = Point::hold(&database, "change.inserted");
    change(&mut client);
    point.wait_for(1);
    let mut writer = database.connect();
    writer.run("UPDATE kb_notes.document SET content = 'Short at last.' WHERE source_key = 'long2'");
    point.open();
    finish(&mut client, &mock);
    let texts: Vec<String> = client.column(
        "SELECT c.content FROM kb_notes.chunk c JOIN kb_notes.document d ON d.id = c.document_id WHERE d.source_key = 'long2'",
        &[],
    );
    assert_eq!(texts, ["Short at last."]);
}

/// A document that is written after its chunks were inserted, while another worker looks for work, keeps all of its chunks.
#[test]
fn another_worker_leaves_a_swap_alone() {
    let (database, mut client, mock) = local_base(4, 2);
    let mut point = Point::hold(&database, "change.inserted");
    change(&mut client);
    point.wait_for(1);
    database.connect().run(
        "UPDATE kb_notes.document SET content = repeat('written late ', 300) WHERE source_key = 'long2';
         INSERT INTO kb_notes.document (source_key, content) SELECT 'new', string_agg('added ' || n, ' ') FROM generate_series(1, 400) n",
    );
    database.connect().run("CALL kb_work(1)");
    let left: i64 = client.value("SELECT count(*) FROM kb_rag.job WHERE kind = 'change'", &[]);
    assert_eq!(left, 2, "documents were cut amid the swap");
    let pauses: i64 = client.value("SELECT count(*) FROM kb_rag.pause", &[]);
    assert_eq!(pauses, 0, "waiting for another worker is no failure");
    point.open();
    finish(&mut client, &mock);
}

/// A base that is written whenever its chunks were inserted gets its new model all the same. The documents written last are cut again under
/// the lock, whichever way they changed.
#[test]
fn a_change_ends_though_documents_are_written_all_the_time() {
    let (database, mut client, mock) = local_base(7, 4);
    let mut point = Point::hold(&database, "change.inserted");
    change(&mut client);
    let mut writer = database.connect();
    let mut rounds = 0;
    let is_over = |client: &mut Client| {
        client.value::<bool>("SELECT model = 'mock/small' FROM kb_list() WHERE name = 'notes'", &[])
    };
    loop {
        wait_until("chunks that are inserted, or the end", || {
            !point.waiting().is_empty() || is_over(&mut client)
        });
        if is_over(&mut client) {
            break;
        }
        rounds += 1;
        assert!(rounds <= 8, "the change does not end");
        writer.run(&format!(
            "UPDATE kb_notes.document SET content = content || ' Round {rounds}.' WHERE source_key = 'long1';
             UPDATE kb_notes.document SET content = 'Short in round {rounds}.' WHERE source_key = 'long2';
             UPDATE kb_notes.document SET title = 'Title {rounds}' WHERE source_key IN ('long3', 'short1');
             UPDATE kb_notes.document SET metadata = '{{\"round\": {rounds}}}' WHERE source_key IN ('long4', 'short2');
             UPDATE kb_notes.document SET content = repeat('longer {rounds} ', 300) WHERE source_key IN ('long5', 'short3');
             UPDATE kb_notes.document SET language = 'de' WHERE source_key = 'long6';
             INSERT INTO kb_notes.document (source_key, content)
                 SELECT 'new{rounds}', string_agg('added {rounds} ' || n, ' ') FROM generate_series(1, 400) n"
        ));
        point.step();
    }
    assert!(rounds >= 3, "the first rounds leave the late documents to the next one");
    point.release();
    finish(&mut client, &mock);
}

/// A deleted document does not come back with its new chunks.
#[test]
fn a_document_deleted_at_the_swap_stays_deleted() {
    let (database, mut client, mock) = local_base(4, 2);
    let mut point = Point::hold(&database, "change.inserted");
    change(&mut client);
    point.wait_for(1);
    // It waits for the chunks that refer to the document, and the swap gives way to it.
    let deleting =
        Outcome::spawn(database.connect(), "DELETE FROM kb_notes.document WHERE source_key = 'long2'");
    point.open();
    assert_eq!(deleting.join().unwrap().state, "00000");
    finish(&mut client, &mock);
    let there: i64 = client.value("SELECT count(*) FROM kb_notes.document WHERE source_key = 'long2'", &[]);
    assert_eq!(there, 0);
}

/// Nobody but the owner sees the chunks that are to come, and going back leaves nothing of them.
#[test]
fn a_change_that_is_canceled_leaves_everything() {
    let (database, mut client, mock) = local_base(4, 2);
    let reader = database.create_role("reader");
    client.run(&format!(
        "SELECT kb_grant('notes', '{reader}', 'read');
         ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {reader}"
    ));
    let before = chunks(&mut client, "kb_notes");
    mock.always(Reply::error(500, "not today"));
    change(&mut client);
    wait_until("chunks that are cut for the new model", || {
        client.value("SELECT count(*) = 4 FROM kb_notes.chunk_8", &[])
    });
    let mut session = database.connect_as(&reader);
    assert_eq!(session.value::<i64>("SELECT count(*) FROM kb_notes.chunk", &[]) as usize, before.len());
    for table in ["chunk_8", "embedding_8"] {
        let denied = session.query(&format!("SELECT FROM kb_notes.{table}"), &[]);
        assert_eq!(kb_rag_cluster_tests::sqlstate(&denied), "42501", "{table}");
    }
    client.run("SELECT kb_configure('notes', model => 'local/all-minilm-l6-v2', dimensions => 384)");
    wait_until_idle(&mut client);
    assert_eq!(chunks(&mut client, "kb_notes"), before);
    let left: bool = client.value("SELECT to_regclass('kb_notes.chunk_8') IS NULL", &[]);
    assert!(left);
    assert_nothing_to_reconcile(&mut client, "notes");
}

/// A change that lacks its table of chunks, as kb_rag 0.3 began it, begins again.
#[test]
fn a_change_of_an_earlier_version_begins_again() {
    let (_database, mut client, mock) = local_base(4, 2);
    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    change(&mut client);
    mock.wait_for_calls(1);
    client.run("DROP TABLE kb_notes.chunk_8");
    gate.open();
    mock.heal();
    finish(&mut client, &mock);
}

/// Another size of chunks, with a remote model: the present chunks serve until the new ones have their vectors. Texts that stay are not
/// sent again. A further change begins again, one back cancels.
#[test]
fn another_chunk_size_takes_over_when_it_is_complete() {
    let (database, mut client, mock) = local_base(5, 10);
    change(&mut client);
    finish(&mut client, &mock);
    client.run("SELECT kb_drop('fresh')");
    wait_until_no_worker(&mut client);
    mock.forget_calls();
    let size = |client: &mut Client| {
        client.value::<i32>("SELECT chunk_size FROM kb_list() WHERE name = 'notes'", &[])
    };
    let before = chunks(&mut client, "kb_notes");

    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    client.run("SELECT kb_configure('notes', chunk_size => 1000)");
    mock.wait_for_calls(1);
    assert_eq!(size(&mut client), 4000);
    client.run("SELECT kb_configure('notes', chunk_size => 4000)");
    gate.open();
    mock.heal();
    wait_until_idle(&mut client);
    assert_eq!((size(&mut client), chunks(&mut client, "kb_notes")), (4000, before.clone()));
    let left: bool = client.value("SELECT to_regclass('kb_notes.chunk_8') IS NULL", &[]);
    assert!(left);

    mock.forget_calls();
    let watch = Watch::start(&database);
    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    client.run("SELECT kb_configure('notes', chunk_size => 1000)");
    mock.wait_for_calls(1);
    // The size stays pending; another setting joins it.
    client.run(
        "SELECT kb_configure('notes', chunk_overlap => 50);
         UPDATE kb_notes.document SET content = repeat('written meanwhile ', 120) WHERE source_key = 'short1'",
    );
    gate.open();
    mock.heal();
    wait_until("the end of the change", || size(&mut client) == 1000);
    wait_until_idle(&mut client);
    let sent = sent(&mock);
    assert_eq!(watch.end(), 1.0);
    let again: Vec<&String> = sent.iter().filter(|text| text.starts_with("A short text")).collect();
    assert!(again.is_empty(), "{again:?}");
    assert_embedded(&mut client, "kb_notes", &mock);
    assert_consistent(&mut client, "notes", "kb_notes");
    assert_nothing_to_reconcile(&mut client, "notes");
    client.run(
        "SELECT kb_create('fresh', model => 'mock/small', dimensions => 8, embed => 'off', chunk_size => 1000, chunk_overlap => 50,
             chunk_strategy => 'text');
         INSERT INTO kb_fresh.document (source_key, content) SELECT source_key, content FROM kb_notes.document",
    );
    assert_eq!(chunks(&mut client, "kb_notes"), chunks(&mut client, "kb_fresh"));
}

/// A worker that ends in the middle of the swap leaves everything as it was, and the next one completes the change without sending a text
/// again.
#[test]
fn a_swap_that_is_interrupted_leaves_everything() {
    let (database, mut client, mock) = local_base(4, 4);
    let before = chunks(&mut client, "kb_notes");
    let mut point = Point::hold(&database, "change.inserted");
    change(&mut client);
    for _ in 0..2 {
        point.wait_for(1);
        let workers = point.waiting();
        client.run(&format!("SELECT pg_terminate_backend({})", workers[0]));
        wait_until("a worker that is gone", || !point.waiting().contains(&workers[0]));
        assert_eq!(chunks(&mut client, "kb_notes"), before);
        assert_eq!(without_vector(&mut client, "kb_notes"), 0);
        assert_figures(&mut client, "kb_notes");
        // The first function that a session calls wakes workers.
        database.connect().run("SELECT count(*) FROM kb_list()");
    }
    point.open();
    let mut sent = finish(&mut client, &mock);
    let count = sent.len();
    sent.sort();
    sent.dedup();
    assert_eq!(sent.len(), count, "a text was sent again");
}

/// Whatever is written and configured while it goes on, in any order: in the end all is as if it had been made so, and no text was lost.
#[test]
fn a_change_amid_any_writes_ends_as_made_new() {
    for seed in 1..=4_u64 {
        let (_database, mut client, mock) = local_base(5, 5);
        change(&mut client);
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for step in 0..12 {
            let key = ["long", "short"][next(2) as usize].to_string() + &(next(5) + 1).to_string();
            client.run(&match next(7) {
                0 => format!("UPDATE kb_notes.document SET content = 'Step {step}.' WHERE source_key = '{key}'"),
                1 => format!("UPDATE kb_notes.document SET content = content || ' More {step}.' WHERE source_key = '{key}'"),
                2 => format!("UPDATE kb_notes.document SET metadata = '{{\"step\": {step}}}' WHERE source_key = '{key}'"),
                3 => format!("DELETE FROM kb_notes.document WHERE source_key = '{key}'"),
                4 => format!(
                    "INSERT INTO kb_notes.document (source_key, content)
                     SELECT 'new{step}', string_agg('added{step} ' || n, ' ') FROM generate_series(1, {}) n",
                    1 + next(500)
                ),
                5 => format!("UPDATE kb_notes.document SET content = left(content, {}) WHERE source_key = '{key}'", 1 + next(1500)),
                _ => "SELECT kb_configure('notes', model => 'mock/small', dimensions => 8)".to_string(),
            });
        }
        println!("seed {seed}");
        finish(&mut client, &mock);
    }
}
