//! A knowledge base whose vectors come from a scripted provider, and the invariants of its jobs and workers.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use postgres::Client;
pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

use super::mock::{DIMENSIONS, Gate, Mock, Reply};
use super::{Database, Server, Session, assert_nothing_to_reconcile, wait_until};

/// The points of a worker between claiming documents and their end, in their order.
pub const PLACES: [&str; 6] =
    ["embed.claimed", "embed.answered", "embed.locked", "embed.written", "embed.before_end", "embed.looked"];

/// The most texts in a call, so that a few rows make several calls.
pub const BATCH: usize = 10;

/// A database with the provider `mock` and the base `notes`, which uses its model `mock/small`.
pub struct Remote {
    /// A session as superuser.
    pub client: Client,
    /// The provider.
    pub mock: Mock,
    /// The database.
    pub database: Database,
}

impl Remote {
    /// Starts with a provider of the kind openai.
    pub fn start() -> Remote {
        Remote::from_mock(Mock::openai())
    }

    /// Starts with this provider.
    pub fn from_mock(mock: Mock) -> Remote {
        Remote::in_database(Database::create(), mock)
    }

    /// Starts with what `prepare` sets for all workers, such as places where they are held.
    pub fn prepared<T>(prepare: impl FnOnce(&Database) -> T) -> (Remote, T) {
        let database = Database::create();
        let prepared = prepare(&database);
        (Remote::in_database(database, Mock::openai()), prepared)
    }

    /// The first statement starts a worker.
    fn in_database(database: Database, mock: Mock) -> Remote {
        let mut client = database.connect();
        client.set_provider("mock", &mock);
        client.create_remote_base("notes", "mock/small");
        Remote { client, mock, database }
    }

    /// Waits until all work is done, and fails unless `notes` then has the correct vectors.
    pub fn finish(&mut self) {
        wait_until_idle(&mut self.client);
        assert_embedded(&mut self.client, "kb_notes", &self.mock);
    }

    /// Inserts ten documents and waits until their vectors are requested: one call, which ends when the gate
    /// is opened.
    pub fn in_flight(&mut self) -> Gate {
        let gate = Gate::new();
        self.mock.always(Reply::right().held(&gate));
        self.client.insert_notes(1, 10);
        self.mock.wait_until("the call of the ten", |calls| {
            calls.iter().any(|call| call.ended.is_none() && call.texts.len() == BATCH)
        });
        gate
    }

    /// Opens the gate, waits for the end of all work and checks the result.
    pub fn land(&mut self, gate: &Gate) {
        gate.open();
        self.mock.heal();
        self.finish();
        assert_nothing_to_reconcile(&mut self.client, "notes");
        let failed: i64 = self.client.value("SELECT count(*) FROM kb_rag.failed", &[]);
        assert_eq!(failed, 0, "documents in kb_rag.failed");
    }
}

/// A separate server with the same as [`Remote`], in the database postgres.
pub fn remote_server(settings: &[&str]) -> (Server, Mock) {
    let (server, mock) = (Server::start_with(settings), Mock::openai());
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.set_provider("mock", &mock);
    client.create_remote_base("notes", "mock/small");
    (server, mock)
}

/// Shorthands for bases with a remote model.
pub trait RemoteSession: Session {
    /// Makes the mock a provider: [`BATCH`] texts per call, and a timeout of 30 s.
    fn set_provider(&mut self, name: &str, mock: &Mock) {
        self.run(&format!(
            "SELECT kb_provider_set('{name}', kind => '{}', base_url => '{}', timeout => '30 s', batch_items => {BATCH})",
            mock.kind(),
            mock.base_url()
        ));
    }

    /// Creates a base with chunks of at most 200 characters.
    fn create_remote_base(&mut self, name: &str, model: &str) {
        self.run(&format!(
            "SELECT kb_create('{name}', model => '{model}', dimensions => {DIMENSIONS}, chunk_size => 200, \
             chunk_overlap => 20, chunk_strategy => 'text')"
        ));
    }

    /// Inserts documents of one chunk each into `notes`, with their numbers as keys.
    fn insert_notes(&mut self, from: i32, to: i32) {
        self.run(&format!(
            "INSERT INTO kb_notes.document (source_key, content)
             SELECT n, 'Passage number ' || n || ' of the notes.' FROM generate_series({from}, {to}) n"
        ));
    }
}

impl<S: Session> RemoteSession for S {}

/// The text that [`RemoteSession::insert_notes`] inserts.
pub fn note(number: i32) -> String {
    format!("Passage number {number} of the notes.")
}

/// Whether no work is left: no job except failed ones, and no waiting document.
pub fn is_idle(client: &mut Client) -> bool {
    client.value::<bool>("SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE NOT failed)", &[])
        && client.value::<bool>("SELECT coalesce(sum(pending), 0) = 0 FROM kb_rag.status", &[])
}

/// Waits until [`is_idle`].
pub fn wait_until_idle(client: &mut Client) {
    let began = Instant::now();
    while !is_idle(client) {
        // A failure reports everything that can be seen.
        if began.elapsed() > super::DEADLINE {
            let left: Vec<String> = client.column(
                "SELECT j::text FROM kb_rag.job j UNION ALL SELECT p::text FROM kb_rag.pause p
                 UNION ALL SELECT s::text FROM kb_rag.status s
                 UNION ALL SELECT concat_ws(' ', pid, backend_type, state, wait_event, query) FROM pg_stat_activity
                     WHERE datname = current_database() AND pid <> pg_backend_pid()",
                &[],
            );
            panic!("work does not end: {left:#?}");
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// Fails unless every document is indexed and every chunk has the vector that the provider returns for its
/// text.
pub fn assert_embedded(client: &mut Client, schema: &str, mock: &Mock) {
    let wrong: Vec<String> =
        client.column(&format!("SELECT d::text FROM {schema}.document d WHERE status <> 'indexed'"), &[]);
    assert!(wrong.is_empty(), "documents that are not indexed: {wrong:#?}");
    assert_eq!(without_vector(client, schema), 0, "chunks of {schema} without a vector");
    assert_right_vectors(client, schema, mock);
}

/// The number of chunks without a vector.
pub fn without_vector(client: &mut Client, schema: &str) -> i64 {
    client.value(
        &format!(
            "SELECT count(*) FROM {schema}.chunk c WHERE NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)"
        ),
        &[],
    )
}

/// Fails if a chunk has a vector that does not belong to its text, or a vector has no chunk, or there is no vector.
/// Texts must have no context.
pub fn assert_right_vectors(client: &mut Client, schema: &str, mock: &Mock) {
    let rows = client
        .query(
            &format!(
                "SELECT CASE WHEN c.id IS NOT NULL THEN concat_ws(E'\\n', d.title, c.heading, c.content) END, e.embedding::real[]
                 FROM {schema}.embedding e
                 LEFT JOIN {schema}.chunk c ON c.id = e.chunk_id LEFT JOIN {schema}.document d ON d.id = c.document_id"
            ),
            &[],
        )
        .expect("tables of a base");
    assert!(!rows.is_empty(), "{schema} has no vector");
    for row in rows {
        let content: Option<String> = row.get(0);
        let content = content.expect("a vector without a chunk");
        let stored: Vec<f32> = row.get(1);
        let right = mock.vector(&content, stored.len());
        let apart = stored.iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-5, "the vector of \"{content}\" is {stored:?}, expected {right:?}");
    }
}

/// The processes of kb_rag's workers in the session's database.
pub fn workers(client: &mut Client) -> Vec<i32> {
    client.column(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type LIKE 'kb_rag%' ORDER BY pid",
        &[],
    )
}

/// Waits until the session's database has no worker.
pub fn wait_until_no_worker(client: &mut Client) {
    wait_until("no worker", || workers(client).is_empty());
}

/// Sends a signal to a process that must exist.
pub fn signal(pid: i32, signal: Signal) {
    let process = Pid::from_raw(pid).expect("a process id");
    kill_process(process, signal).unwrap_or_else(|error| panic!("signal {signal:?} to {pid}: {error}"));
}

/// Whether a process is running.
pub fn runs(pid: i32) -> bool {
    // A zombie has ended, but its parent has not yet waited for it.
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until the process has ended; fails unless that was within `limit` of `since`.
pub fn assert_ends_within(pid: i32, since: Instant, limit: Duration, what: &str) {
    wait_until(what, || !runs(pid));
    let took = since.elapsed();
    assert!(took < limit, "{what}: ended after {took:?}");
}

/// The messages that a session received besides its results.
#[derive(Clone, Default)]
pub struct Notices(Arc<Mutex<Vec<String>>>);

impl Notices {
    pub(super) fn push(&self, notice: String) {
        self.0.lock().unwrap().push(notice);
    }

    /// The messages since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// What kb_rag.status says about pauses.
pub fn paused(client: &mut Client) -> Option<String> {
    client.value("SELECT paused FROM kb_rag.status WHERE knowledge_base = 'notes'", &[])
}

/// Waits until kb_rag.status reports a pause of the provider of `notes`; returns its text.
pub fn wait_until_paused(client: &mut Client) -> String {
    let mut reason = None;
    wait_until("a provider that is paused", || {
        reason = paused(client);
        reason.is_some()
    });
    reason.unwrap()
}
