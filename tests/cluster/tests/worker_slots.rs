//! The processes of max_worker_processes, which all databases share: slow providers of some do not keep the work of another waiting,
//! and work that waits for a process says so.

use kb_rag_cluster_tests::mock::{Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{BATCH, Notices, RemoteSession, wait_until_paused, workers};
use kb_rag_cluster_tests::{Server, Session, wait_until};
use postgres::Client;

/// A server with this many processes for kb_rag, and none for others.
fn server(processes: usize, more: &[&str]) -> Server {
    let processes = format!("max_worker_processes={processes}");
    let settings =
        ["-c", &processes, "-c", "max_logical_replication_workers=0", "-c", "max_parallel_workers=0"];
    Server::start_with(&[&settings, more].concat())
}

/// A database whose workers leave a slow provider after any call.
fn create(server: &Server, name: &str) -> Client {
    server.connect().run(&format!("CREATE DATABASE {name}"));
    server.connect().run(&format!("ALTER DATABASE {name} SET kb_rag.test_limits = 'slow_work=0'"));
    let mut client = server.connect_to(name, "postgres");
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client
}

/// A database with a worker in a call to each of its providers, which hold back what is to be embedded.
struct Busy {
    client: Client,
    name: &'static str,
    mocks: Vec<Mock>,
    /// Of the calls under way, and of all that follow.
    first: Gate,
    rest: Gate,
}

/// The chunks of each of its bases: two calls.
const CHUNKS: usize = 2 * BATCH;

impl Busy {
    fn start(server: &Server, name: &'static str, providers: usize) -> Busy {
        let mut client = create(server, name);
        let (first, rest) = (Gate::new(), Gate::new());
        let mocks: Vec<Mock> = (0..providers).map(|_| Mock::openai()).collect();
        for (number, mock) in mocks.iter().enumerate() {
            mock.always(Reply::right().held(&rest));
            mock.next(Reply::right().held(&first));
            client.set_provider(&format!("mock{number}"), mock);
            // No call ends before its gate opens.
            client.run(&format!("SELECT kb_provider_set('mock{number}', timeout => '300 s')"));
            client.create_remote_base(&format!("b{number}"), &format!("mock{number}/small"));
            // One document, so that one piece of work takes two calls.
            client.run(&format!(
                "INSERT INTO kb_b{number}.document (content)
                 SELECT string_agg(repeat('Passage number ' || n || '. ', 8), E'\\n\\n') FROM generate_series(1, {CHUNKS}) n"
            ));
            mock.wait_until("a call", |calls| calls.iter().any(|call| call.ended.is_none()));
        }
        assert_eq!(workers(&mut client).len(), providers);
        Busy { client, name, mocks, first, rest }
    }

    /// Waits until everything is embedded; nothing was sent twice, and no call was cut off.
    fn finish(&mut self) {
        self.first.open();
        self.rest.open();
        for (number, mock) in self.mocks.iter().enumerate() {
            let name = format!("b{number}");
            wait_until(&format!("all of {}", self.name), || {
                embedded(&mut self.client, &name) == CHUNKS as i64
            });
            let mut sent: Vec<String> = mock.calls().into_iter().flat_map(|call| call.texts).collect();
            sent.sort();
            sent.dedup();
            let texts: usize = mock.calls().iter().map(|call| call.texts.len()).sum();
            assert_eq!((sent.len(), texts), (CHUNKS, CHUNKS), "{} {number}", self.name);
        }
    }
}

/// Counts vectors without a function of kb_rag: the session starts no worker.
fn embedded(client: &mut Client, base: &str) -> i64 {
    client.value(&format!("SELECT count(*) FROM kb_{base}.embedding"), &[])
}

/// A database with a document that no worker embeds: a session that watches, and one that has written it.
fn waiting(server: &Server, slots: &str) -> (Client, Client, Notices) {
    create(server, "waiting");
    let (mut writer, notices) = server.connect_listening("waiting");
    writer.run("SELECT kb_create('v', model => 'fake/test', dimensions => 8, embed => 'queued')");
    notices.take();
    writer.run("INSERT INTO kb_v.document (content) VALUES ('hello')");
    let said = notices.take().concat();
    assert!(said.starts_with(&format!("no worker could be started, queued work waits: {slots}")), "{said}");
    assert!(said.contains("max_worker_processes, and restart"), "{said}");
    (server.connect_to("waiting", "postgres"), writer, notices)
}

fn wait_until_embedded(client: &mut Client) {
    wait_until("the document of the other database", || embedded(client, "v") == 1);
}

const SLOTS: &str = "3 of 3 processes of max_worker_processes are in use, 3 of them by kb_rag";

#[test]
fn a_further_worker_leaves_after_its_call() {
    let server = server(3, &[]);
    let mut two = Busy::start(&server, "two", 2);
    let mut one = Busy::start(&server, "one", 1);
    let (mut client, mut writer, notices) = waiting(&server, SLOTS);
    // It says so, for everybody; the names of other databases are for few.
    writer.run("CREATE ROLE reader LOGIN; SELECT kb_grant('v', 'reader', 'read')");
    writer.run("CREATE ROLE monitor LOGIN IN ROLE reader, pg_read_all_stats");
    let paused = "SELECT paused FROM kb_rag.status WHERE knowledge_base = 'v'";
    let short = format!("no worker could be started: {SLOTS}");
    let long = format!("{short} (2 in database \"two\", 1 in database \"one\")");
    for (role, expected) in [("reader", &short), ("monitor", &long), ("postgres", &long)] {
        assert_eq!(&server.connect_to("waiting", role).value::<String>(paused, &[]), expected, "{role}");
    }
    // Once a minute in the log, and in each session.
    writer.run(
        "INSERT INTO kb_v.document (content) SELECT 'again' WHERE false; SELECT count(*) FROM kb_list()",
    );
    assert_eq!(notices.take().concat(), "");
    let oid: u32 = client.value("SELECT oid FROM pg_database WHERE datname = current_database()", &[]);
    let line = format!("no kb_rag worker could be started for the database with OID {oid}: ");
    let log = server.log();
    assert_eq!(log.matches(&line).count(), 1, "{log}");
    // None ends within its call.
    assert_eq!(workers(&mut two.client).len() + workers(&mut one.client).len(), 3);
    two.first.open();
    wait_until_embedded(&mut client);
    assert_eq!(writer.value::<Option<String>>(paused, &[]), None);
    two.finish();
    one.finish();
}

/// The only worker of a database leaves a slow provider too, and its work goes on afterwards.
#[test]
fn the_only_worker_leaves_a_slow_provider() {
    let server = server(2, &[]);
    let mut busy = ["one", "another"].map(|name| Busy::start(&server, name, 1));
    let slots = SLOTS.replace('3', "2");
    let (mut client, _, _) = waiting(&server, &slots);
    busy[0].first.open();
    wait_until_embedded(&mut client);
    for busy in &mut busy {
        busy.finish();
    }
}

/// A worker that waits for its next attempt makes room too, and comes back when that is due.
#[test]
fn a_worker_that_waits_for_a_retry_leaves() {
    let server = server(2, &[]);
    let mut paused: Vec<(Client, Mock)> = ["one", "another"]
        .into_iter()
        .map(|name| {
            let (mut client, mock) = (create(&server, name), Mock::openai());
            mock.always(Reply::error(429, "slow down").header("retry-after", "1000"));
            client.set_provider("mock", &mock);
            client.create_remote_base("notes", "mock/small");
            client.insert_notes(1, 1);
            wait_until_paused(&mut client);
            (client, mock)
        })
        .collect();
    let (mut client, _, _) = waiting(&server, &SLOTS.replace('3', "2"));
    wait_until_embedded(&mut client);
    for (client, mock) in &mut paused {
        mock.heal();
        client.run("SELECT kb_provider_set('mock', batch_items => 5)");
        wait_until("the end of the pause", || embedded(client, "notes") == 1);
    }
}

/// A database that waits alone is started by its next statement, whatever that is.
#[test]
fn the_next_statement_tries_again() {
    let server = server(1, &[]);
    let busy = Busy::start(&server, "busy", 1);
    let slots = "1 of 1 processes of max_worker_processes are in use, 1 of them by kb_rag";
    let (mut client, mut writer, _) = waiting(&server, slots);
    drop(busy.client);
    server.connect().run("DROP DATABASE busy WITH (FORCE)");
    wait_until("the document", || {
        writer.run("SELECT 1");
        embedded(&mut client, "v") == 1
    });
}

/// The launcher starts it without any statement.
#[test]
fn the_launcher_tries_again() {
    let server = server(2, &["-c", "shared_preload_libraries=kb_rag"]);
    let busy = Busy::start(&server, "busy", 1);
    let slots = "2 of 2 processes of max_worker_processes are in use, 2 of them by kb_rag";
    let (mut client, writer, _) = waiting(&server, slots);
    drop((busy.client, writer));
    server.connect().run("DROP DATABASE busy WITH (FORCE)");
    wait_until_embedded(&mut client);
}
