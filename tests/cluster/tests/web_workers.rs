//! Workers that fetch: what is due, one at a time, beside other work, and in a restored copy.

use std::process::Stdio;
use std::thread;

use kb_rag_cluster_tests::mock::{Gate, Mock};
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle, without_vector};
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};
use kb_rag_cluster_tests::{Database, Session, client_program, wait_until};
use postgres::Client;

const DUE: &str = "UPDATE kb_rag.web_schedule SET next_sync_at = now() - interval '1 minute' WHERE next_sync_at IS NOT NULL";

fn site_of(pages: usize) -> Site {
    let links: Vec<String> = (1..pages).map(|n| format!("p{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = Site::with(&[("/docs/", Page::linking("Start", "The first page.", &links))]);
    for link in &links {
        site.set(&format!("/docs/{link}"), Page::article(link, &format!("This is page {link}.")));
    }
    site
}

/// Calls a function that uses a base, until the source has been fetched again.
fn wait_for_sync(client: &mut Client, site: &Site) {
    wait_until("the page is fetched again", || {
        client.run("SELECT count(*) FROM kb_list()");
        site.times("/docs/") > 0
    });
    client.wait_for_crawls();
}

#[test]
fn workers_fetch_and_show_what_they_do() {
    let gate = Gate::new();
    let mut web = Web::with_workers(site_of(4));
    web.site.set("/docs/p2", Page::article("p2", "This is page p2.").held(&gate));
    let source = web.add("/docs/", "content_type => 'docs', auto_sync => true, sync_interval => '1 hour'");
    web.site.wait_for("/docs/p2");
    web.is(source, "processing", "");
    let row = web
        .client
        .query_one(
            "SELECT status, rows_read, rows_before, kind FROM kb_rag.source_status WHERE source_id = $1",
            &[&source],
        )
        .expect("the source is shown");
    let read: (String, i64, i64, String) = (row.get(0), row.get(1), row.get(2), row.get(3));
    assert_eq!(read, ("processing".to_string(), 2, 4, "url".to_string()));
    gate.open();
    web.client.wait_for_crawls();
    web.succeeded(source);
    for sql in [
        "SELECT documents = 4 AND rows_read = 4 AND rows_before = 4 AND status = 'indexed' AND error_message IS NULL
            AND next_sync_at BETWEEN now() + interval '59 minutes' AND now() + interval '60 minutes' AND last_synced_at <= now()
         FROM kb_rag.source_status",
        "SELECT documents = 4 AND chunks = 4 AND kind = 'url' AND content_type = 'docs' AND scrape_method = 'basic'
            AND crawl_depth = 1 AND auto_sync AND sync_interval = '1 hour' AND created_at <= indexed_at
            AND last_synced_at = indexed_at AND next_sync_at > now()
         FROM kb_source_list('notes')",
    ] {
        assert!(web.client.value::<bool>(sql, &[]), "{sql}");
    }
    let calls: i64 = web.client.value("SELECT sum(calls)::int8 FROM kb_rag.usage WHERE model = 'web'", &[]);
    assert_eq!(calls, 4);
}

#[test]
fn what_is_due_is_fetched_again() {
    let mut web = Web::with_workers(site_of(2));
    let source = web.add("/docs/", "content_type => 'docs', auto_sync => true");
    let other = web.add("/docs/p1", "auto_sync => false");
    web.client.wait_for_crawls();
    kb_rag_cluster_tests::pipeline::wait_until_no_worker(&mut web.client);
    assert_eq!(web.client.value::<i64>("SELECT kb_source_sync()", &[]), 0, "nothing is due");
    for _ in 0..2 {
        web.site.forget();
        web.client.run(DUE);
        wait_for_sync(&mut web.client, &web.site);
        web.succeeded(source);
        assert_eq!((web.site.times("/docs/"), web.site.times("/docs/p1")), (1, 1));
        let later: bool = web.client.value(
            "SELECT next_sync_at > now() + interval '23 hours' FROM kb_source_list() WHERE source_id = $1",
            &[&source],
        );
        assert!(later);
    }
    let never: bool =
        web.client.value("SELECT next_sync_at IS NULL FROM kb_source_list() WHERE source_id = $1", &[&other]);
    assert!(never);
    // kb_source_sync() queues the same.
    kb_rag_cluster_tests::pipeline::wait_until_no_worker(&mut web.client);
    web.site.forget();
    let mut quiet = web.database.connect();
    quiet.run(&format!("BEGIN; {DUE}"));
    assert_eq!(quiet.value::<i64>("SELECT kb_source_sync()", &[]), 1);
    quiet.run("COMMIT");
    wait_for_sync(&mut web.client, &web.site);
    assert_eq!(web.site.times("/docs/"), 1);
}

/// CALL kb_work() does what workers do.
#[test]
fn kb_work_fetches_what_is_due() {
    let mut web = Web::from_site(site_of(2));
    let source = web.crawl("/docs/", ", auto_sync => true");
    web.site.forget();
    web.work();
    assert_eq!(web.site.paths().len(), 0);
    web.client.run(DUE);
    web.work();
    web.succeeded(source);
    assert_eq!(web.site.times("/docs/p1"), 1);
}

#[test]
fn what_is_due_is_fetched_one_at_a_time() {
    let second = site_of(1);
    let mut web = Web::with_workers(site_of(1));
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), second.host()));
    web.database.set("kb_rag.workers", "4");
    web.client = web.database.connect();
    web.add("/docs/", "auto_sync => true");
    web.client.add_url(&second.url("/docs/"), "auto_sync => true");
    web.client.wait_for_crawls();
    let gate = Gate::new();
    for site in [&web.site, &second] {
        site.forget();
        site.set("/docs/", Page::article("Start", "The first page.").held(&gate));
    }
    web.client.run(DUE);
    // The second was looked at and waits for its turn.
    let turn = "SELECT count(*) FROM kb_rag.job WHERE kind = 'source' AND worker IS NULL AND due_at > clock_timestamp()";
    wait_until("a source that waits", || {
        web.client.run("SELECT count(*) FROM kb_list()");
        web.site.times("/docs/") + second.times("/docs/") == 1 && web.client.value::<i64>(turn, &[]) == 1
    });
    assert_eq!(web.site.times("/docs/") + second.times("/docs/"), 1);
    gate.open();
    web.client.wait_for_crawls();
    assert_eq!((web.site.times("/docs/"), second.times("/docs/")), (1, 1));
}

/// However many hosts do not answer, one worker of two is free for vectors.
#[test]
fn slow_pages_leave_a_worker_for_vectors() {
    let (gate, mock, second) = (Gate::new(), Mock::openai(), site_of(1));
    let mut web = Web::with_workers(site_of(1));
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), second.host()));
    web.database.set("kb_rag.workers", "2");
    web.client = web.database.connect();
    web.client.set_provider("mock", &mock);
    web.client.run("SELECT kb_drop('notes')");
    web.client.create_remote_base("notes", "mock/small");
    for site in [&web.site, &second] {
        site.set("/docs/", Page::article("Start", "The first page.").held(&gate));
    }
    web.add("/docs/", "");
    web.client.add_url(&second.url("/docs/"), "");
    wait_until("a page that is asked for", || web.site.times("/docs/") + second.times("/docs/") == 1);
    for round in 0..3 {
        web.client.insert_notes(round * 40 + 1, round * 40 + 40);
        wait_until("vectors", || without_vector(&mut web.client, "kb_notes") == 0);
    }
    assert_eq!(web.site.times("/docs/") + second.times("/docs/"), 1, "the other one waits for a place");
    gate.open();
    wait_until_idle(&mut web.client);
    assert_eq!(web.site.times("/docs/") + second.times("/docs/"), 2);
    assert_eq!(web.client.value::<i64>("SELECT count(*) FROM kb_notes.document", &[]), 122);
}

/// Workers and sessions that work at the same time fetch each page once.
#[test]
fn several_at_once_fetch_each_page_once() {
    let mut web = Web::with_workers(site_of(8));
    let source = web.add("/docs/", "content_type => 'docs'");
    let single: Vec<_> = (1..5).map(|n| web.add(&format!("/docs/p{n}"), "")).collect();
    let sessions: Vec<_> = (0..3).map(|_| web.database.connect()).collect();
    let calls = sessions.into_iter().map(|mut client| thread::spawn(move || client.run("CALL kb_work(30)")));
    for call in calls.collect::<Vec<_>>() {
        call.join().expect("CALL kb_work()");
    }
    web.client.wait_for_crawls();
    web.succeeded(source);
    for source in single {
        web.succeeded(source);
    }
    assert_eq!(web.documents().len(), 12);
    for n in 1..8 {
        let expected = if n < 5 { 2 } else { 1 };
        assert_eq!(web.site.times(&format!("/docs/p{n}")), expected, "{:?}", web.site.paths());
    }
}

#[test]
fn a_restored_copy_fetches_nothing_until_asked() {
    let mut web = Web::from_site(site_of(3));
    let source = web.crawl("/docs/", ", auto_sync => true");
    let single = web.add("/docs/p1", "");
    web.work();
    web.client.run(DUE);
    // Both are queued, too.
    web.client.run(&format!("SELECT kb_source_sync('{source}'), kb_source_sync('{single}')"));
    web.site.forget();

    let copy = Database::bare("");
    copy.set("kb_rag.crawl_delay", "0");
    copy.set("kb_rag.allowed_hosts", &web.site.host());
    let mut dump = client_program("pg_dump")
        .args(["-d", web.database.name()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("pg_dump does not run");
    let restore = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", copy.name()])
        .stdin(dump.stdout.take().expect("a pipe"))
        .output()
        .expect("psql does not run");
    assert!(dump.wait().expect("pg_dump").success() && restore.status.success(), "{restore:?}");

    // Workers run, and make vectors.
    let (mut client, mock) = (copy.connect(), Mock::openai());
    client.set_provider("mock", &mock);
    client.create_remote_base("other", "mock/small");
    client.run("INSERT INTO kb_other.document (content) VALUES ('One more document.')");
    wait_until_idle(&mut client);
    assert_eq!(mock.calls().len(), 1);
    let found: i64 = client.value("SELECT count(*) FROM kb_search('page', 'notes', 'keyword')", &[]);
    assert!(found > 0);
    client.run("CALL kb_work(1)");
    let listed: Vec<String> = client.column(
        "SELECT concat_ws(' ', status, documents, next_sync_at IS NULL) FROM kb_source_list() ORDER BY content_type",
        &[],
    );
    assert_eq!(listed, ["indexed 3 t", "indexed 1 t"]);
    assert_eq!(web.site.paths().len(), 0);

    assert_eq!(client.value::<i64>("SELECT kb_source_sync()", &[]), 1, "those with auto_sync");
    client.wait_for_crawls();
    assert_eq!((web.site.times("/docs/"), web.site.times("/docs/p1")), (1, 1));
    assert_eq!(client.value::<i64>("SELECT kb_source_sync($1)", &[&single]), 1);
    client.wait_for_crawls();
    assert_eq!(web.site.times("/docs/p1"), 2);
    let next: bool = client.value(
        "SELECT next_sync_at > now() + interval '23 hours' FROM kb_source_list() WHERE source_id = $1",
        &[&source],
    );
    assert!(next);
}
