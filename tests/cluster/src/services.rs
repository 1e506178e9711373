//! Services on loopback that fetch for kb_rag: GitHub and Firecrawl. They keep a log of the requests.

mod firecrawl;
mod github;
mod http;

use postgres::Client;
use uuid::Uuid;

use super::pipeline::wait_until_no_worker;
use super::{Database, Session, wait_until};
pub use firecrawl::{Firecrawl, RemotePage};
pub use github::{Entry, GitHub, packed};
pub use http::{Answer, Asked, Service};

/// A database with the base `notes`, which may fetch from these addresses, and in which nothing waits between two requests.
pub fn fetching_base(allowed: &[String]) -> (Database, Client) {
    // Before any worker can start.
    let database = Database::bare("");
    let mut client = database.connect();
    client.run(&format!("ALTER DATABASE {} SET kb_rag.crawl_delay = 0", database.name()));
    allow_hosts(&mut client, &database, allowed);
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    (database, client)
}

/// Lets the session, and workers, fetch from these addresses.
pub fn allow_hosts(client: &mut Client, database: &Database, addresses: &[String]) {
    let list = addresses.join(",");
    client.run(&format!("ALTER DATABASE {} SET kb_rag.allowed_hosts = '{list}'", database.name()));
    client.run(&format!("SET kb_rag.allowed_hosts = '{list}'"));
    // Those that run have the old setting.
    wait_until_no_worker(client);
}

/// Adds a URL to `notes`; `more` are further arguments of kb_add_url, each after a comma.
pub fn add(client: &mut Client, url: &str, more: &str) -> Uuid {
    client.value(&format!("SELECT kb_add_url('notes', '{url}'{more})"), &[])
}

/// Fetches a source again, and waits until that has ended.
pub fn sync(client: &mut Client, source: Uuid, force: bool) -> (String, String) {
    client.value::<i64>("SELECT kb_source_sync($1, $2)", &[&source, &force]);
    ended(client, source)
}

/// Waits until a source has been fetched; returns its status and error_message.
pub fn ended(client: &mut Client, source: Uuid) -> (String, String) {
    wait_until("the end of a crawl", || is_fetched(client));
    state(client, source)
}

/// Whether no source is being fetched, or waits for it.
pub fn is_fetched(client: &mut Client) -> bool {
    // It starts a worker where the server had no process left for one.
    client.run("SELECT count(*) FROM kb_source_list()");
    client.value(
        "SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE kind IN ('source', 'fetch') AND NOT failed)",
        &[],
    )
}

/// The status and error_message of a source.
pub fn state(client: &mut Client, source: Uuid) -> (String, String) {
    let row = client
        .query_one(
            "SELECT status, coalesce(error_message, '') FROM kb_source_list('notes') WHERE source_id = $1",
            &[&source],
        )
        .expect("the source");
    (row.get(0), row.get(1))
}

/// The keys of the documents of `notes`, in order.
pub fn keys(client: &mut Client) -> Vec<String> {
    client.column("SELECT source_key FROM kb_notes.document ORDER BY source_key COLLATE \"C\"", &[])
}

/// Calls, pages and errors that were counted for a provider.
pub fn usage(client: &mut Client, provider: &str) -> (i64, i64, i64) {
    let row = client
        .query_one(
            "SELECT coalesce(sum(calls), 0)::int8, coalesce(sum(items), 0)::int8, coalesce(sum(errors), 0)::int8
             FROM kb_rag.usage WHERE model = $1",
            &[&provider],
        )
        .expect("the usage");
    (row.get(0), row.get(1), row.get(2))
}

/// Makes the waiting jobs of sources due.
pub fn make_due(client: &mut Client) {
    client.run(
        "UPDATE kb_rag.job SET due_at = now() - interval '1 s' WHERE kind = 'source' AND worker IS NULL",
    );
}
