//! Two builds of the library, of different versions and formats, while an application writes and workers run. Ignored by default:
//! KB_RAG_TEST_NEXT names the second library, which dev/build makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use kb_rag_cluster_tests::pipeline::{wait_until_idle, workers};
use kb_rag_cluster_tests::{
    Server, Session, assert_figures, assert_nothing_to_reconcile, program_directory, unique, wait_until,
};
use postgres::Client;

/// The version of the second build. Its format is 2, that of the first one is 1.
const NEXT: &str = "0.99.0";
const SEARCH: &str = "SELECT * FROM kb_search('platypus', 'notes', 'keyword')";

/// A copy of the PostgreSQL under test, in which the library can be replaced as a package manager does.
struct Installation {
    home: PathBuf,
    programs: PathBuf,
    library: PathBuf,
    first: PathBuf,
}

impl Installation {
    fn copy() -> Installation {
        let programs = program_directory();
        let tree = programs
            .ancestors()
            .find(|above| above.parent().and_then(Path::file_name).is_some_and(|name| name == "target"))
            .expect("a private PostgreSQL below target/");
        let home = tree.with_file_name(unique("builds"));
        // Hard links: nothing in the copy is written in place.
        let copied = Command::new("cp").arg("-al").args([tree, home.as_path()]).status().expect("cp");
        assert!(copied.success());
        let programs = home.join(programs.strip_prefix(tree).expect("a path below it"));
        let asked = |what: &str| {
            let output = Command::new(programs.join("pg_config")).arg(what).output().expect("pg_config");
            PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
        };
        let (library, scripts) =
            (asked("--pkglibdir").join("kb_rag.so"), asked("--sharedir").join("extension"));
        assert!(library.starts_with(&home) && scripts.starts_with(&home), "{}", library.display());
        let first = home.join("first.so");
        fs::hard_link(&library, &first).unwrap();
        for (name, script) in SCRIPTS {
            fs::write(scripts.join(name), script).unwrap();
        }
        Installation { home, programs, library, first }
    }

    fn start(&self) -> Server {
        Server::start_from(&self.programs, &["-c", "kb_rag.inline_chunks=4"])
    }

    fn install(&self, library: &Path) {
        let new = self.home.join("new.so");
        fs::copy(library, &new).unwrap();
        fs::rename(new, &self.library).unwrap();
    }

    fn install_next(&self) {
        self.install(Path::new(&std::env::var("KB_RAG_TEST_NEXT").expect("KB_RAG_TEST_NEXT")));
    }

    fn install_first(&self) {
        self.install(&self.first);
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.home);
    }
}

/// Update scripts: to a version with a new function and new columns but the same format, to one of the next format, and from there
/// to the second build's version, which keeps it.
const SCRIPTS: [(&str, &str); 3] = [
    (
        concat!("kb_rag--", env!("CARGO_PKG_VERSION"), "--0.97.0.sql"),
        "CREATE FUNCTION kb_rag.something_new(text) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1;
         ALTER TABLE kb_rag.knowledge_base ADD COLUMN something_new text;
         ALTER TABLE kb_rag.attached_table ADD COLUMN something_new text;
         DO $$ BEGIN ALTER TABLE kb_notes.document ADD COLUMN something_new text; END $$;",
    ),
    (
        concat!("kb_rag--", env!("CARGO_PKG_VERSION"), "--0.98.0.sql"),
        "-- Writers first lock an attached table, then the tables of the base.
         DO $$
         DECLARE
             t text;
         BEGIN
             FOR t IN SELECT location FROM kb_rag.attached_table
                 UNION ALL SELECT schema || '.document' FROM kb_rag.knowledge_base
                 UNION ALL SELECT schema || '.chunk' FROM kb_rag.knowledge_base
             LOOP
                 EXECUTE 'LOCK TABLE ' || t || ' IN SHARE ROW EXCLUSIVE MODE';
             END LOOP;
         END
         $$;
         CREATE OR REPLACE FUNCTION kb_rag.format() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;",
    ),
    ("kb_rag--0.98.0--0.99.0.sql", "SELECT 1;"),
];

/// An application: threads that write until they are told to stop. None of their statements may fail.
struct Application {
    stop: Arc<AtomicBool>,
    rounds: Vec<Arc<AtomicU32>>,
    threads: Vec<JoinHandle<()>>,
}

impl Application {
    /// One writer keeps its session, one connects for each round of writes.
    fn start(server: &Server) -> Application {
        let mut application = Application { stop: Arc::default(), rounds: Vec::new(), threads: Vec::new() };
        for keeps_session in [true, false] {
            let (stop, rounds) = (application.stop.clone(), Arc::new(AtomicU32::new(0)));
            let connect = connector(server);
            application.rounds.push(rounds.clone());
            application.threads.push(thread::spawn(move || {
                let mut client = connect();
                while !stop.load(Ordering::Relaxed) {
                    if !keeps_session {
                        client = connect();
                    }
                    let n = rounds.load(Ordering::Relaxed) * 2 + u32::from(keeps_session) + 1000;
                    client.run(&format!(
                        "INSERT INTO article VALUES ({n}, 'A platypus numbered {n}.'), (-{n}, 'A wombat.')"
                    ));
                    client.run(&format!("UPDATE article SET body = 'A platypus too.' WHERE id = -{n}"));
                    client.run(&format!(
                        "INSERT INTO kb_notes.document (source_key, content) VALUES ('own {n}', 'A platypus at {n}.'), ('gone {n}', 'x')"
                    ));
                    client.run(&format!("DELETE FROM kb_notes.document WHERE source_key = 'gone {n}'; DELETE FROM article WHERE id = {n} AND {n} % 5 = 0"));
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            }));
        }
        application
    }

    /// Waits until each writer has begun and ended a round of writes.
    fn goes_on(&self) {
        let before: Vec<u32> = self.rounds.iter().map(|rounds| rounds.load(Ordering::Relaxed)).collect();
        wait_until("two rounds of each writer", || {
            assert!(!self.threads.iter().any(JoinHandle::is_finished), "a writer has failed");
            self.rounds
                .iter()
                .zip(&before)
                .all(|(rounds, before)| rounds.load(Ordering::Relaxed) > before + 1)
        });
    }

    fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().expect("a writer");
        }
    }
}

/// Connects as superuser, from any thread.
fn connector(server: &Server) -> impl Fn() -> Client + Send + 'static {
    let socket = server.socket().to_string();
    move || {
        let mut config = postgres::Config::new();
        config.host_path(&socket).dbname("postgres").user("postgres");
        config.connect(postgres::NoTls).expect("connection refused")
    }
}

/// Creates the base and the attached table.
fn set_up(client: &mut Client) {
    client.run(concat!("CREATE EXTENSION kb_rag VERSION '", env!("CARGO_PKG_VERSION"), "' CASCADE"));
    client.create_base("notes");
    client.run(
        "CREATE TABLE article (id int PRIMARY KEY, body text);
         INSERT INTO article SELECT n, 'A numbat ' || n FROM generate_series(1, 30) n;
         SELECT kb_attach('article', 'notes', 'body', wait => true)",
    );
}

/// ALTER EXTENSION UPDATE while others write and work: it changes tables that they have locked. Of two that wait for each other it is
/// this session that gives way, and tries again.
fn update(client: &mut Client, version: &str) {
    client.run("SET deadlock_timeout = '10ms'");
    wait_until("an update", || {
        let state = client.state_of(&format!("ALTER EXTENSION kb_rag UPDATE TO '{version}'"), &[]);
        assert!(["00000", "40P01"].contains(&state.as_str()), "{state}");
        state == "00000"
    });
}

/// The hint of a search that is refused.
fn refusal(client: &mut Client) -> String {
    let error = client.batch_execute(SEARCH).unwrap_err();
    let error = error.as_db_error().expect("an error of the server");
    assert_eq!(error.code().code(), "55000", "{error:?}");
    assert!(error.message().contains("kb_rag library is version"), "{error:?}");
    error.hint().unwrap_or_default().to_string()
}

/// Fails unless every row that was written, and no other, is found with its vector.
fn assert_complete(client: &mut Client) {
    wait_until("nothing noted", || {
        client.run(SEARCH);
        client.value("SELECT NOT EXISTS (SELECT FROM kb_rag.missed_write)", &[])
    });
    wait_until_idle(client);
    let wrong: Vec<String> = client.column(
        "SELECT concat_ws(' ', d.source_key, d.status, d.content, a.body, c.n, c.vectors)
         FROM (SELECT * FROM kb_notes.document WHERE source_id IS NOT NULL) d
         FULL JOIN article a ON d.source_key = a.id::text
         LEFT JOIN LATERAL (
             SELECT count(*) AS n, count(e.chunk_id) AS vectors FROM kb_notes.chunk c LEFT JOIN kb_notes.embedding e ON e.chunk_id = c.id
             WHERE c.document_id = d.id
         ) c ON true
         WHERE d.content IS DISTINCT FROM a.body OR d.status <> 'indexed' OR c.n <> 1 OR c.vectors <> 1",
        &[],
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    let found = "SELECT count(*) FROM kb_search('platypus', 'notes', 'keyword', 10000)";
    let written = "SELECT (SELECT count(*) FROM kb_notes.document WHERE content ~ 'platypus')";
    assert_eq!(client.value::<i64>(found, &[]), client.value::<i64>(written, &[]));
    let failed = "SELECT count(*) FROM kb_notes.document WHERE status <> 'indexed' OR content = 'x'";
    assert_eq!(client.value::<i64>(failed, &[]), 0);
    assert_figures(client, "kb_notes");
    assert_nothing_to_reconcile(client, "notes");
}

/// A function, a procedure and a view.
fn use_all(client: &mut Client) {
    for statement in ["SELECT kb_add('notes', 'A text.')", "CALL kb_work(1)", "SELECT * FROM kb_rag.status"] {
        client.run(statement);
    }
}

/// How often the log says that a worker ended because of its format.
fn ended(server: &Server) -> usize {
    server.log().matches("kb_rag worker ends: kb_rag library is version").count()
}

/// An unattended update of the package comes first, ALTER EXTENSION UPDATE later.
#[test]
#[ignore = "needs a second build"]
fn a_newer_library_does_not_stop_an_application() {
    let installation = Installation::copy();
    let server = installation.start();
    let mut open_before = server.connect();
    set_up(&mut open_before);
    wait_until_idle(&mut open_before);
    let application = Application::start(&server);
    application.goes_on();
    let began = Instant::now();
    installation.install_next();
    application.goes_on();
    // Sessions with the first library go on as before, and start workers, which have the second one. A worker of the first library,
    // which the application may keep busy, would stay and do all their work.
    open_before.run(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type LIKE 'kb_rag%'",
    );
    open_before.run(SEARCH);
    open_before.run(
        "SELECT kb_create('more', model => 'fake/test', dimensions => 8, embed => 'queued');
         INSERT INTO kb_more.document (content) SELECT 'text ' || n FROM generate_series(1, 10) n",
    );
    wait_until("a worker that has ended", || {
        open_before.run(SEARCH);
        ended(&server) > 0
    });
    // Each session may have seen just before that workers are welcome, and believes it for a second.
    let mut known = 0;
    wait_until("sessions that start no more workers", || {
        known = ended(&server);
        application.goes_on();
        ended(&server) == known
    });
    let hint = "Run ALTER EXTENSION kb_rag UPDATE in this database.";
    assert_eq!(refusal(&mut server.connect()), hint);
    application.goes_on();
    update(&mut server.connect(), NEXT);
    // Now it is the old sessions that have another format.
    let reconnect = format!(
        "Reconnect to load the library again; if that does not help, install the library of kb_rag {NEXT}."
    );
    assert_eq!(refusal(&mut open_before), reconnect);
    application.goes_on();
    application.end();
    let mut client = server.connect();
    client.run(SEARCH);
    assert_complete(&mut client);
    client.run("SELECT kb_reconcile('more')");
    // Besides one line for each worker that was there then, at most max_worker_processes, and for those of each further minute.
    let max = known + 8 * (1 + began.elapsed().as_secs() as usize / 60);
    assert!(ended(&server) <= max, "{known} {}", server.log());
    wait_until("no worker", || workers(&mut client).is_empty());
}

/// The first library is installed again, though the database was updated.
#[test]
#[ignore = "needs a second build"]
fn an_older_library_does_not_stop_an_application() {
    let installation = Installation::copy();
    let server = installation.start();
    set_up(&mut server.connect());
    installation.install_next();
    let mut client = server.connect();
    update(&mut client, NEXT);
    client.run(SEARCH);
    let application = Application::start(&server);
    application.goes_on();
    installation.install_first();
    application.goes_on();
    client.run(SEARCH);
    let hint = refusal(&mut server.connect());
    assert!(hint.ends_with(&format!("install the library of kb_rag {NEXT}.")), "{hint}");
    assert_eq!(server.connect().state_of("CALL kb_work(1)", &[]), "55000");
    application.goes_on();
    installation.install_next();
    application.goes_on();
    application.end();
    let mut client = server.connect();
    client.run("CALL kb_work(30)");
    assert_complete(&mut client);
}

/// The version alone says nothing: with equal formats, functions, triggers and workers do everything, in both directions.
#[test]
#[ignore = "needs a second build"]
fn builds_of_the_same_format_work_together() {
    let installation = Installation::copy();
    let server = installation.start();
    let mut open_before = server.connect();
    set_up(&mut open_before);
    let application = Application::start(&server);
    application.goes_on();
    // The catalog becomes newer than the library.
    update(&mut server.connect(), "0.97.0");
    application.goes_on();
    for client in [&mut open_before, &mut server.connect()] {
        client.run(SEARCH);
        use_all(client);
    }
    application.end();
    assert_complete(&mut open_before);
    assert_eq!(ended(&server), 0);

    // The library becomes newer than the catalog.
    let server = installation.start();
    let mut client = server.connect();
    set_up(&mut client);
    wait_until_idle(&mut client);
    wait_until("no worker", || workers(&mut client).is_empty());
    installation.install_next();
    let mut client = server.connect();
    update(&mut client, "0.98.0");
    let application = Application::start(&server);
    application.goes_on();
    client.run(SEARCH);
    use_all(&mut client);
    application.end();
    assert_complete(&mut client);
    assert_eq!(ended(&server), 0);
}
