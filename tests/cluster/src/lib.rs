//! The shared harness of the tests: a database of its own for each test, sessions by role, waiting for
//! conditions, and the invariants of a knowledge base. tests/README.md has a map.

pub mod client;
pub mod extractor;
pub mod http;
pub mod keyword;
pub mod mcp;
pub mod mock;
pub mod pipeline;
mod point;
pub mod reader;
pub mod relay;
pub mod serve;
mod server;
pub mod services;
mod session;
pub mod site;
pub mod tls;
mod trap;
pub mod web;

use std::env;
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use postgres::{Client, Config, NoTls};

pub use point::Point;
pub use server::Server;
pub use session::{Outcome, Session, sqlstate};
pub use trap::Trap;

/// How long a condition may take before the test fails: far more than any condition needs, even on a loaded
/// machine.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// How long an interrupted statement may continue at most.
pub const INTERRUPT_LIMIT: Duration = Duration::from_secs(1);

/// The directory of the server's Unix socket.
pub fn socket_directory() -> String {
    env::var("KB_RAG_TEST_SOCKET").unwrap_or_else(|_| {
        panic!(
            "KB_RAG_TEST_SOCKET is not set: it names the socket directory of a PostgreSQL with kb_rag installed; \
             run the tests with KB_RAG_TEST_SOCKET=$(dev/cluster start test)"
        )
    })
}

fn config(database: &str, user: &str) -> Config {
    config_at(&socket_directory(), database, user)
}

fn config_at(socket: &str, database: &str, user: &str) -> Config {
    let mut config = Config::new();
    config.host_path(socket).dbname(database).user(user).application_name("kb_rag tests");
    config
}

/// A session, and the messages that the server sends besides results.
fn listening(mut config: Config) -> (Client, pipeline::Notices) {
    let notices = pipeline::Notices::default();
    let listener = notices.clone();
    config.notice_callback(move |notice| {
        let parts = [Some(notice.message()), notice.detail(), notice.hint()];
        listener.push(parts.into_iter().flatten().collect::<Vec<_>>().join(" | "));
    });
    (config.connect(NoTls).expect("connection refused"), notices)
}

/// The directory of the server's programs.
pub fn program_directory() -> PathBuf {
    let directory = env::var("KB_RAG_TEST_BINDIR").unwrap_or_else(|_| {
        panic!("KB_RAG_TEST_BINDIR is not set: it names the directory of pg_dump and psql")
    });
    PathBuf::from(directory)
}

/// A client program of the server under test, such as pg_dump, with the server's address set.
pub fn client_program(name: &str) -> Command {
    program_at(name, &socket_directory())
}

fn program_at(name: &str, socket: &str) -> Command {
    let mut command = Command::new(program_directory().join(name));
    command.args(["-h", socket, "-U", "postgres"]);
    command
}

/// Restores a dump of a database into another one, by pg_dump and psql.
pub fn dump_and_restore(from: &Database, to: &Database) {
    let mut dump =
        client_program("pg_dump").args(["-d", from.name()]).stdout(Stdio::piped()).spawn().unwrap();
    let restore = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", to.name()])
        .stdin(dump.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(dump.wait().unwrap().success(), "pg_dump failed");
    assert!(restore.status.success(), "{}", String::from_utf8_lossy(&restore.stderr));
}

/// A name that no other test, program or earlier run on this cluster uses.
pub fn unique(prefix: &str) -> String {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    format!("{prefix}_{}_{}_{}", now.as_secs(), process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

/// A database with kb_rag. It is dropped at the end, with the roles created for it.
pub struct Database {
    name: String,
    roles: Mutex<Vec<String>>,
    /// The value of kb_rag.test_points.
    points: Mutex<Vec<String>>,
}

impl Database {
    /// Creates a database without the extension; `options` are those of CREATE DATABASE.
    pub fn bare(options: &str) -> Database {
        let name = unique("kb_test");
        // Tests of the workers set this themselves; all other tests embed everything in their statements.
        maintenance().run(&format!("CREATE DATABASE {name} {options}"));
        maintenance().run(&format!("ALTER DATABASE {name} SET kb_rag.inline_chunks = 1000000"));
        Database { name, roles: Mutex::default(), points: Mutex::default() }
    }

    /// Creates the database and the extension, or copies the database of both that `KB_RAG_TEST_TEMPLATE` names, which
    /// is faster.
    pub fn create() -> Database {
        if let Ok(template) = env::var("KB_RAG_TEST_TEMPLATE") {
            return Database::bare(&format!("TEMPLATE {template}"));
        }
        let database = Database::bare("");
        database.connect().run("CREATE EXTENSION kb_rag CASCADE");
        database
    }

    /// A database with one knowledge base that uses the fake model: 8 dimensions, chunks of at most 200
    /// characters.
    pub fn with_base(name: &str) -> (Database, Client) {
        let database = Database::create();
        let mut client = database.connect();
        client.create_base(name);
        (database, client)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A new session as superuser.
    pub fn connect(&self) -> Client {
        self.connect_as("postgres")
    }

    /// A new session as a role that may log in.
    pub fn connect_as(&self, role: &str) -> Client {
        let mut client = config(&self.name, role).connect(NoTls).expect("connection refused");
        client.run("SET client_min_messages = warning");
        client
    }

    /// A new session as a role, and the messages that the server sends besides results.
    pub fn connect_listening(&self, role: &str) -> (Client, pipeline::Notices) {
        listening(config(&self.name, role))
    }

    /// Sets a parameter for new sessions and workers of the database.
    pub fn set(&self, name: &str, value: &str) {
        maintenance().run(&format!("ALTER DATABASE {} SET {name} = '{value}'", self.name));
    }

    /// Holds new sessions and workers at one more place, given as name=key.
    fn add_point(&self, point: &str) {
        let mut points = self.points.lock().unwrap();
        points.push(point.to_string());
        self.set("kb_rag.test_points", &points.join(", "));
    }

    /// Creates a role that may log in, with a unique name that starts with `prefix`.
    pub fn create_role(&self, prefix: &str) -> String {
        let role = unique(&format!("kb_{prefix}"));
        self.connect().run(&format!("CREATE ROLE {role} LOGIN"));
        self.roles.lock().unwrap().push(role.clone());
        role
    }

    /// Creates a role that may also create knowledge bases.
    pub fn create_owner(&self, prefix: &str) -> String {
        let role = self.create_role(prefix);
        self.connect().run(&format!(
            "GRANT CREATE ON DATABASE {} TO {role}; SELECT kb_grant_admin('{role}')",
            self.name
        ));
        role
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the failure of the test.
        let Ok(mut client) = config("postgres", "postgres").connect(NoTls) else {
            return;
        };
        let _ = client.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
        for role in self.roles.lock().unwrap().iter() {
            let _ = client.batch_execute(&format!("DROP ROLE {role}"));
        }
    }
}

/// A superuser's session outside the test's database.
pub fn maintenance() -> Client {
    config("postgres", "postgres")
        .connect(NoTls)
        .unwrap_or_else(|e| panic!("no server in KB_RAG_TEST_SOCKET={}: {e}", socket_directory()))
}

/// The Unix socket of the server, for a client that implements the protocol itself.
pub fn socket_path() -> String {
    format!("{}/.s.PGSQL.5432", socket_directory())
}

/// Polls `condition` until it holds. Fails after [`DEADLINE`].
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < DEADLINE, "waited {DEADLINE:?} without success: {what}");
        // The interval between two polls, not an estimate of how long something takes.
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// Waits until the backend `pid` waits for a lock.
pub fn wait_for_lock(observer: &mut Client, pid: i32) {
    wait_until("a session that waits for a lock", || {
        observer.value(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock')",
            &[&pid],
        )
    });
}

/// Waits until the backend `pid` waits for others: for a lock, or in an interval between attempts, in which
/// it holds no lock.
pub fn wait_until_waiting(observer: &mut Client, pid: i32) {
    wait_until("a session that waits", || is_waiting(observer, pid));
}

fn is_waiting(observer: &mut Client, pid: i32) -> bool {
    observer.value(
        "SELECT EXISTS (
            SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND wait_event_type IN ('Lock', 'Extension')
         )",
        &[&pid],
    )
}

/// Waits until a statement of the backend `pid` waits for others as above, or has ended.
pub fn wait_until_waiting_or_ended(observer: &mut Client, pid: i32, running: &JoinHandle<Outcome>) {
    wait_until("a statement that waits or has ended", || running.is_finished() || is_waiting(observer, pid));
}

/// Waits until the backend `pid` runs a statement that starts with `text`.
pub fn wait_until_active(observer: &mut Client, pid: i32, text: &str) {
    wait_until("a session that runs its statement", || {
        observer.value(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND starts_with(query, $2))",
            &[&pid, &text],
        )
    });
}

/// How long a backend has run on a processor, which no other process of the machine makes longer.
pub fn processor_time(pid: i32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the server runs on this machine");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    let ticks = |field: usize| -> u64 { fields.split(' ').nth(field).unwrap().parse().unwrap() };
    // utime and stime, in hundredths of a second.
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

/// Cancels the statement of the backend `pid`. Up to PostgreSQL 17 a driver's cancel request signals twice,
/// and the second signal may hit the next statement; this signals once.
pub fn cancel(observer: &mut Client, pid: i32) {
    assert!(observer.value::<bool>("SELECT pg_cancel_backend($1)", &[&pid]), "no backend {pid}");
}

/// The numbers of documents, chunks and vectors of the base in `schema`.
pub fn counts(client: &mut Client, schema: &str) -> [i64; 3] {
    ["document", "chunk", "embedding"]
        .map(|table| client.value(&format!("SELECT count(*) FROM {schema}.{table}"), &[]))
}

/// Fails unless the segments of the keyword index add up to the chunks of the base, as seen by one snapshot: their
/// number, their length and their text search configurations. And unless each segment has its rows.
pub fn assert_figures(client: &mut impl Session, schema: &str) {
    let different: String = client.value(
        &format!(
            "WITH kept AS (
                SELECT 'chunks' AS what, coalesce(sum(sign * chunks), 0)::int8 AS n FROM {schema}.keyword_segment
                UNION ALL SELECT 'length', coalesce(sum(sign * length), 0)::int8 FROM {schema}.keyword_segment
                UNION ALL SELECT key, sum(value::int8)::int8 FROM {schema}.keyword_segment, jsonb_each_text(configs)
                GROUP BY key HAVING sum(value::int8) <> 0
            ), counted AS (
                SELECT 'chunks' AS what, count(*) AS n FROM {schema}.chunk
                UNION ALL SELECT 'length', coalesce(sum(length), 0)::int8 FROM {schema}.chunk
                UNION ALL SELECT text_config, count(*) FROM {schema}.chunk GROUP BY text_config
            ), damaged AS (
                SELECT concat_ws(' ', s.id, s.sign, s.chunks, s.runs, r.rows) AS segment
                FROM {schema}.keyword_segment s
                FULL JOIN (SELECT segment, count(*) AS rows FROM {schema}.keyword_run GROUP BY segment) r ON r.segment = s.id
                WHERE (s.sign IN (-1, 1) AND s.chunks BETWEEN 1 AND s.last - s.first + 1 AND s.runs = coalesce(r.rows, 0)
                    AND (s.data IS NULL) = (s.runs > 0)) IS NOT TRUE
            )
            SELECT concat_ws('; ',
                (SELECT 'kept ' || string_agg(k::text, ' ') FROM (TABLE kept EXCEPT TABLE counted) k),
                (SELECT 'counted ' || string_agg(c::text, ' ') FROM (TABLE counted EXCEPT TABLE kept) c),
                (SELECT 'damaged ' || string_agg(segment, ', ') FROM damaged))"
        ),
        &[],
    );
    assert_eq!(different, "", "segments of {schema} that differ from its chunks");
}

/// Fails unless the base contains exactly what its documents imply: the chunks of kb_chunk in order and at
/// their offsets, one correct vector each, the correct lexemes and hashes, a keyword index that matches, and nothing
/// else. For bases with a fake model and a fixed strategy.
pub fn assert_consistent(client: &mut Client, name: &str, schema: &str) {
    let different: i64 = client.value(
        &format!(
            "WITH base AS (SELECT * FROM kb_list() WHERE name = $1), expected AS (
                SELECT d.id, k.ordinal, k.content, k.start_char, k.end_char, k.heading, d.source_type,
                    l.config || CASE WHEN b.lexeme_format = 1 THEN '' WHEN b.fold_accents THEN '/2f' ELSE '/2' END AS text_config,
                    kb_rag.chunk_tsv(l.config::regconfig, d.title, k.heading, k.content, b.lexeme_format, b.fold_accents) AS tsv,
                    kb_embed(concat_ws(E'\\n', d.title, k.heading, k.content), b.model, b.dimensions, 'document')::text AS vector
                FROM base b, {schema}.document d, kb_rag.text_config(d.language, b.text_config) AS l (config),
                    kb_chunk(d.content, b.chunk_size, b.chunk_overlap, b.chunk_unit, b.chunk_strategy) k
            ), stored AS (
                SELECT c.document_id, c.ordinal, c.content, c.start_char, c.end_char, c.heading, c.source_type, c.text_config, c.tsv,
                    e.embedding::text
                FROM {schema}.chunk c LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
            )
            SELECT (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE stored) missing)
                + (SELECT count(*) FROM (TABLE stored EXCEPT ALL TABLE expected) surplus)"
        ),
        &[&name],
    );
    assert_eq!(different, 0, "chunks of {name} that differ from those of its documents");
    let wrong: Vec<String> = client.column(
        &format!(
            "SELECT concat_ws(', ', id, status, error_message, 'hash ' || coalesce((content_hash = h)::text, 'missing'),
                 source_type, source_key, (octet_length(content)) || ' bytes', 'updated ' || updated_at,
                 (SELECT count(*) || ' chunks' FROM {schema}.chunk c WHERE c.document_id = d.id))
             FROM {schema}.document d, sha256(convert_to(content, 'UTF8')) h
             WHERE status <> 'indexed' OR content_hash IS DISTINCT FROM h"
        ),
        &[],
    );
    assert!(wrong.is_empty(), "documents of {name} with a wrong status or hash: {wrong:#?}");
    let orphans: i64 = client.value(
        &format!(
            "SELECT count(*) FROM {schema}.chunk c FULL JOIN {schema}.embedding e ON e.chunk_id = c.id
             LEFT JOIN {schema}.document d ON d.id = c.document_id WHERE d.id IS NULL OR e.chunk_id IS NULL OR c.id IS NULL"
        ),
        &[],
    );
    assert_eq!(orphans, 0, "chunks of {name} without a document or vector, or vectors without a chunk");
    assert_figures(client, schema);
    assert_nothing_to_reconcile(client, name);
}

/// Fails if kb_reconcile finds anything to repair. A standby cannot repair anything, so it is not asked.
pub fn assert_nothing_to_reconcile(client: &mut Client, name: &str) {
    if !client.value::<bool>("SELECT pg_is_in_recovery()", &[]) {
        assert_eq!(client.value::<i64>("SELECT kb_reconcile($1)", &[&name]), 0, "repairs of {name}");
    }
}
