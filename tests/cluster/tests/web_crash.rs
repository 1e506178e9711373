//! Workers, and the program that reads pages, that are killed in the middle of a crawl: it goes on to its end.
//! kill -9 of a worker makes the server restart all its processes, so each of these tests has its own server.

use kb_rag_cluster_tests::extractor::{extractor_of, has_greeted};
use kb_rag_cluster_tests::mock::Gate;
use kb_rag_cluster_tests::pipeline::{Signal, signal, workers};
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::WebSession;
use kb_rag_cluster_tests::{Point, Server, Session, wait_until};
use postgres::Client;

/// The first function of kb_rag that a session calls wakes the workers.
const WAKE: &str = "SELECT count(*) FROM kb_list()";

fn four_pages() -> Site {
    Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "b", "c"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/docs/b", Page::article("B", "The page b.")),
        ("/docs/c", Page::article("C", "The page c.")),
    ])
}

/// A server that may fetch from the site, with the base `notes`.
fn server_for(site: &Site) -> (Server, Client) {
    let server = Server::start();
    // In the database, so that they survive a restart.
    server.connect().run(&format!(
        "CREATE EXTENSION kb_rag CASCADE;
         SELECT kb_create('notes', model => 'fake/test', dimensions => 8, embed => 'off');
         ALTER DATABASE postgres SET kb_rag.allowed_hosts = '{}';
         ALTER DATABASE postgres SET kb_rag.crawl_delay = 0",
        site.host()
    ));
    let client = server.connect();
    (server, client)
}

fn documents(client: &mut Client) -> Vec<String> {
    client.column("SELECT substring(source_key from '/docs.*') FROM kb_notes.document ORDER BY 1", &[])
}

/// Waits until the source was fetched; returns its error.
fn wait_for_the_end(client: &mut Client) -> String {
    wait_until("the end of the crawl", || {
        client.run(WAKE);
        client.value("SELECT status NOT IN ('pending', 'processing') FROM kb_source_list()", &[])
    });
    client.wait_for_crawls();
    client.value("SELECT coalesce(error_message, '') FROM kb_source_list()", &[])
}

/// The worker that has claimed a page.
fn fetching_worker(client: &mut Client) -> i32 {
    client.value("SELECT worker FROM kb_rag.job WHERE kind = 'fetch' AND worker IS NOT NULL", &[])
}

#[test]
fn a_crawl_goes_on_after_its_worker_was_killed() {
    let (gate, site) = (Gate::new(), four_pages());
    let (server, mut client) = server_for(&site);
    site.set("/docs/b", Page::article("B", "The page b.").held(&gate));
    client.add_url(&site.url("/docs/"), "content_type => 'docs'");
    site.wait_for("/docs/b");
    let worker = fetching_worker(&mut client);
    assert!(workers(&mut client).contains(&worker));
    let mut client = server.kill(worker);
    gate.open();
    assert_eq!(wait_for_the_end(&mut client), "");
    assert_eq!(documents(&mut client), ["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    // What was fetched before the crash is not fetched again.
    assert_eq!(["/docs/", "/docs/a", "/docs/b", "/docs/c"].map(|path| site.times(path)), [1, 1, 2, 1]);
}

#[test]
fn a_crawl_goes_on_after_the_server_was_stopped() {
    let (gate, site) = (Gate::new(), four_pages());
    let (server, mut client) = server_for(&site);
    site.set("/docs/b", Page::article("B", "The page b.").held(&gate));
    client.add_url(&site.url("/docs/"), "content_type => 'docs'");
    site.wait_for("/docs/b");
    drop(client);
    server.crash();
    gate.open();
    let mut client = server.connect();
    assert_eq!(wait_for_the_end(&mut client), "");
    assert_eq!(documents(&mut client), ["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
}

/// The program is killed while it reads a page: that page fails, and can be retried.
#[test]
fn a_crawl_goes_on_after_its_program_was_killed() {
    let site = four_pages();
    let (server, mut client) = server_for(&site);
    let mut started = Point::hold_by(server.connect(), "extract.started").stepping_by(server.connect());
    // One worker at a time fetches, and waits where the program is about to read a page.
    client.run(&format!(
        "ALTER DATABASE postgres SET kb_rag.workers = 2;
         ALTER DATABASE postgres {}",
        started.setting()
    ));
    let mut client = server.connect();
    let start = client.server_start();
    client.add_url(&site.url("/docs/"), "content_type => 'docs'");
    started.wait_for(1);
    while site.times("/docs/b") == 0 {
        started.step();
        started.wait_for(1);
    }
    let worker = started.waiting()[0];
    let program = extractor_of(worker);
    wait_until("a program that greets", || has_greeted(program));
    signal(program, Signal::KILL);
    started.open();
    let error = wait_for_the_end(&mut client);
    assert!(error.starts_with("1 of 4 pages could not be fetched"), "{error}");
    assert!(error.ends_with("kb-rag-extract crashed"), "{error}");
    assert_eq!(client.server_start(), start, "the server has crashed");
    assert_eq!(documents(&mut client), ["/docs/", "/docs/a", "/docs/c"]);
    assert_eq!(client.value::<i64>("SELECT kb_retry('notes')", &[]), 1);
    assert_eq!(wait_for_the_end(&mut client), "");
    assert_eq!(documents(&mut client), ["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    assert_eq!(site.times("/docs/b"), 2);
}
