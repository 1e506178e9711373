//! Logical replication of the tables of a base, within one server.

use kb_rag_cluster_tests::pipeline::wait_until_idle;
use kb_rag_cluster_tests::{Server, Session, assert_figures, assert_nothing_to_reconcile, wait_until};
use postgres::Client;

/// Two databases with the base `notes`.
struct Pair {
    server: Server,
    publisher: Client,
    subscriber: Client,
}

/// The texts of documents.
const DOCUMENTS: &str =
    "SELECT source_key || ' ' || content || ' ' || metadata FROM kb_notes.document ORDER BY source_key";
const CHUNKS: &str = "SELECT id::text FROM kb_notes.chunk ORDER BY id";
/// The results of a keyword search.
const FOUND: &str =
    "SELECT source || ' ' || content FROM kb_search('numbat wombat', 'notes', 'keyword', 1000) ORDER BY 1";
/// Documents that are not as their own chunks and vectors make them.
const INCOMPLETE: &str = "SELECT count(*) FROM kb_notes.document d WHERE status <> 'indexed' OR content_hash IS NULL
    OR NOT EXISTS (SELECT FROM kb_notes.chunk c JOIN kb_notes.embedding e ON e.chunk_id = c.id WHERE c.document_id = d.id)";

impl Pair {
    fn start() -> Pair {
        let server = Server::start_with(&["-c", "wal_level=logical"]);
        server.connect().run("CREATE DATABASE other");
        let mut pair = Pair { publisher: server.connect(), subscriber: connect(&server, "other"), server };
        for client in [&mut pair.publisher, &mut pair.subscriber] {
            client.run("CREATE EXTENSION kb_rag CASCADE");
            client.create_base("notes");
        }
        pair.publisher.run(
            "INSERT INTO kb_notes.document (source_key, content) SELECT n, 'A numbat ' || n FROM generate_series(1, 200) n",
        );
        pair
    }

    fn publish(&mut self, tables: &str) {
        self.publisher.run(&format!(
            "CREATE PUBLICATION notes FOR TABLE {tables} WITH (publish = 'insert, update, delete')"
        ));
        self.publisher.run("SELECT pg_create_logical_replication_slot('slot', 'pgoutput')");
        self.subscriber.run(&format!(
            "CREATE SUBSCRIPTION notes CONNECTION 'host={} dbname=postgres user=postgres' PUBLICATION notes
             WITH (create_slot = false, slot_name = 'slot')",
            self.server.socket()
        ));
    }

    fn wait_until_same(&mut self, sql: &str) {
        let expected: Vec<String> = self.publisher.column(sql, &[]);
        wait_until("the rows of the publisher", || self.subscriber.column::<String>(sql, &[]) == expected);
    }

    fn wait_until_complete(&mut self) {
        wait_until("chunks and vectors", || self.subscriber.value::<i64>(INCOMPLETE, &[]) == 0);
    }

    /// Fails unless the chunks of further writes are those of the publisher, also after kb_reconcile; ends the subscription.
    fn assert_chunks_are_replicated(&mut self) {
        self.write();
        self.wait_until_same(DOCUMENTS);
        self.wait_until_same(CHUNKS);
        self.wait_until_complete();
        self.subscriber.run("SELECT kb_reconcile('notes')");
        self.wait_until_same(CHUNKS);
        self.wait_until_same(FOUND);
        self.subscriber.run("DROP SUBSCRIPTION notes");
    }

    /// Inserts, updates and deletes.
    fn write(&mut self) {
        self.publisher.run(
            "INSERT INTO kb_notes.document (source_key, content) VALUES ('new', 'A wombat.');
             UPDATE kb_notes.document SET content = 'A wombat, too' WHERE source_key = '7';
             UPDATE kb_notes.document SET metadata = '{\"team\": \"a\"}' WHERE source_key = '8';
             UPDATE kb_notes.document SET source_key = 'moved' WHERE source_key = '9';
             UPDATE kb_notes.document SET id = kb_rag.uuid_v7() WHERE source_key = '12';
             DELETE FROM kb_notes.document WHERE source_key = '10'",
        );
    }
}

fn connect(server: &Server, database: &str) -> Client {
    let mut config = postgres::Config::new();
    config.host_path(server.socket()).dbname(database).user("postgres");
    config.connect(postgres::NoTls).expect("connection refused")
}

/// Workers of the subscriber make what is not replicated.
#[test]
fn a_subscriber_of_documents_alone_makes_their_chunks() {
    let mut pair = Pair::start();
    // As a restore with --disable-triggers leaves it.
    pair.subscriber.run("ALTER TABLE kb_notes.document ENABLE TRIGGER ALL; SELECT kb_reconcile('notes')");
    // Documents of a source that the subscriber does not have.
    pair.publisher.run(
        "CREATE TABLE article (id int PRIMARY KEY, body text);
         INSERT INTO article SELECT n, 'A numbat of a row ' || n FROM generate_series(1001, 1010) n;
         SELECT kb_attach('article', 'notes', 'body', wait => true)",
    );
    pair.publish("kb_notes.document");
    pair.wait_until_same(DOCUMENTS);
    pair.wait_until_complete();
    pair.wait_until_same(FOUND);
    pair.write();
    pair.wait_until_same(DOCUMENTS);
    pair.wait_until_complete();
    pair.wait_until_same(FOUND);
    pair.publisher.run(
        "UPDATE article SET body = 'A wombat of a row' WHERE id = 1001; DELETE FROM article WHERE id = 1002",
    );
    pair.wait_until_same(DOCUMENTS);
    pair.wait_until_complete();
    pair.wait_until_same(FOUND);
    let orphans = "SELECT count(*) FROM kb_notes.chunk c WHERE NOT EXISTS (SELECT FROM kb_notes.document d WHERE d.id = c.document_id)";
    wait_until("no chunks of deleted documents", || pair.subscriber.value::<i64>(orphans, &[]) == 0);
    let chunks: Vec<String> = pair.subscriber.column(CHUNKS, &[]);
    // Other work of the publisher, such as kb_reindex, changes nothing here.
    pair.publisher.run("SELECT kb_reindex('notes'); UPDATE kb_notes.document SET abstract = 'Short.' WHERE source_key = '11'");
    let summary = "SELECT abstract FROM kb_notes.document WHERE abstract IS NOT NULL";
    pair.wait_until_same(summary);
    pair.wait_until_complete();
    assert_eq!(pair.subscriber.column::<String>(CHUNKS, &[]), chunks);
    wait_until_idle(&mut pair.subscriber);
    assert_nothing_to_reconcile(&mut pair.subscriber, "notes");
    assert_figures(&mut pair.subscriber, "kb_notes");
    pair.subscriber.run("DROP SUBSCRIPTION notes");
    // Without a subscription, rows that a session writes as a replica stay as they are.
    pair.subscriber.run(
        "SET session_replication_role = replica;
         INSERT INTO kb_notes.document (source_key, content, status) VALUES ('by hand', 'x', 'indexed');
         RESET session_replication_role",
    );
    let status: String =
        pair.subscriber.value("SELECT status FROM kb_notes.document WHERE source_key = 'by hand'", &[]);
    assert_eq!(status, "indexed");
}

/// Chunks and vectors that are replicated are not made again.
#[test]
fn a_subscriber_of_all_tables_makes_no_chunks() {
    let mut pair = Pair::start();
    pair.publish("kb_notes.document, kb_notes.chunk, kb_notes.embedding");
    pair.wait_until_same(DOCUMENTS);
    pair.wait_until_same(CHUNKS);
    pair.assert_chunks_are_replicated();
}

/// Once chunks and vectors are added to the publication, those of the subscriber have to go.
#[test]
fn tables_are_added_to_a_publication_later() {
    let mut pair = Pair::start();
    pair.publish("kb_notes.document");
    pair.wait_until_same(DOCUMENTS);
    pair.wait_until_complete();
    // A worker that still has a document would make a vector that arrives, too.
    wait_until_idle(&mut pair.subscriber);
    pair.subscriber.run("TRUNCATE kb_notes.chunk CASCADE");
    pair.publisher.run("ALTER PUBLICATION notes ADD TABLE kb_notes.chunk, kb_notes.embedding");
    pair.subscriber.run("ALTER SUBSCRIPTION notes REFRESH PUBLICATION");
    pair.wait_until_same(CHUNKS);
    pair.assert_chunks_are_replicated();
}
