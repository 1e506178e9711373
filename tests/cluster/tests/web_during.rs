//! What changes while a page is being fetched: the source, its settings, its row, its base.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::mock::Gate;
use kb_rag_cluster_tests::pipeline::wait_until_idle;
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};
use uuid::Uuid;

/// A crawl whose third page of four is being fetched.
fn in_flight() -> (Web, Uuid, Gate) {
    let gate = Gate::new();
    let mut web = Web::with_workers(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "b", "c"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/docs/b", Page::article("B", "The page b.").held(&gate)),
        ("/docs/c", Page::article("C", "The page c.")),
    ]));
    let source = web.add("/docs/", "content_type => 'docs'");
    web.site.wait_for("/docs/b");
    (web, source, gate)
}

#[test]
fn a_dropped_source_writes_nothing_more() {
    let (mut web, source, gate) = in_flight();
    web.client.run(&format!("SELECT kb_source_drop('{source}')"));
    gate.open();
    wait_until_idle(&mut web.client);
    web.has(&[]);
    assert_eq!((web.rows(), web.site.times("/docs/c")), ([0; 4], 0));
}

#[test]
fn a_deleted_row_ends_the_crawl() {
    let (mut web, source, gate) = in_flight();
    web.client.run(&format!("DELETE FROM kb_notes.source WHERE id = '{source}'"));
    gate.open();
    wait_until_idle(&mut web.client);
    web.has(&[]);
    assert_eq!((web.rows(), web.site.times("/docs/c")), ([0; 4], 0));
}

#[test]
fn a_dropped_base_ends_the_crawl() {
    let (mut web, _, gate) = in_flight();
    web.client.run("SELECT kb_drop('notes')");
    gate.open();
    wait_until_idle(&mut web.client);
    assert_eq!((web.rows(), web.site.times("/docs/c")), ([0; 4], 0));
}

#[test]
fn a_page_whose_status_is_unknown_counts_as_failed() {
    let (mut web, source, gate) = in_flight();
    web.client.run(
        "ALTER TABLE kb_rag.web_page DROP CONSTRAINT web_page_status_check;
         UPDATE kb_rag.web_page SET status = 'archived' WHERE url LIKE '%/docs/a'",
    );
    gate.open();
    web.client.wait_for_crawls();
    web.has(&["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    let url = web.site.url("/docs/a");
    let error =
        format!("1 of 4 pages could not be fetched, first {url}: unrecognized page status \"archived\"");
    web.is(source, "indexed", &error);
    // Another crawl fetches it.
    web.client.run(&format!("SELECT kb_source_sync('{source}')"));
    web.client.wait_for_crawls();
    web.succeeded(source);
}

#[test]
fn a_crawl_that_is_asked_for_again_begins_anew() {
    let (mut web, source, gate) = in_flight();
    web.client.run(&format!("SELECT kb_source_sync('{source}', true)"));
    gate.open();
    web.client.wait_for_crawls();
    wait_until_idle(&mut web.client);
    web.has(&["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    web.succeeded(source);
    assert_eq!(web.site.times("/docs/"), 2);
}

#[test]
fn new_settings_hold_for_the_next_crawl() {
    let (mut web, source, gate) = in_flight();
    let again = web.add(
        "/docs/",
        "content_type => 'docs', exclude_patterns => '{/docs/a}', metadata => '{\"team\": \"b\"}'",
    );
    assert_eq!(again, source);
    gate.open();
    web.client.wait_for_crawls();
    wait_until_idle(&mut web.client);
    web.has(&["/docs/", "/docs/b", "/docs/c"]);
    web.succeeded(source);
    let of_team: i64 =
        web.client.value("SELECT count(*) FROM kb_notes.document WHERE metadata = '{\"team\": \"b\"}'", &[]);
    assert_eq!(of_team, 3);
}

/// A site that becomes a page, and a page that becomes a site: what was made of it before goes.
#[test]
fn a_new_content_type_leaves_nothing_behind() {
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a"])),
        ("/docs/a", Page::article("A", "The page a.")),
    ]));
    let source = web.add("/docs/", "");
    web.work();
    web.has(&["/docs/"]);
    for (options, expected) in [("content_type => 'docs'", &["/docs/", "/docs/a"][..]), ("", &["/docs/"])] {
        assert_eq!(web.add("/docs/", options), source);
        web.work();
        if options.is_empty() {
            // Two of three documents would go.
            web.force(source);
        }
        web.succeeded(source);
        web.has(expected);
    }
}

/// A document that was deleted comes back, also where its page has not changed.
#[test]
fn a_deleted_document_comes_back() {
    let page = Page::article("A", "The page a.").header("etag", "\"a\"");
    let mut web = Web::from_site(Site::with(&[("/a", page)]));
    let source = web.add("/a", "");
    web.work();
    web.client.run("SELECT kb_delete(id) FROM kb_notes.document");
    web.has(&[]);
    web.sync(source);
    web.has(&["/a"]);
    web.succeeded(source);
}

/// A copy of a page that names it as the canonical one does not take its place, and costs nothing again.
#[test]
fn a_copy_does_not_replace_its_canonical_page() {
    let copy =
        |text: &str| Page::html(&format!("<title>A</title><link rel=canonical href=/docs/a><p>{text}"));
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "a?print", "a0"])),
        ("/docs/a", copy("The page a.")),
        ("/docs/a?print", copy("Printed: the page a.")),
        ("/docs/a0", copy("Older: the page a.")),
    ]));
    let source = web.crawl("/docs/", "");
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a"]);
    let version = "SELECT xmin::text || content FROM kb_notes.document WHERE source_key LIKE '%/docs/a'";
    let before: String = web.client.value(version, &[]);
    assert!(before.contains("The page a."), "{before}");
    web.sync(source);
    assert_eq!(web.client.value::<String>(version, &[]), before);
    web.has(&["/docs/", "/docs/a"]);
    // Where the canonical page is gone, its copies are all there is.
    web.site.remove("/docs/a");
    web.site.set("/docs/", Page::linking("Start", "The first page.", &["a0"]));
    web.sync(source);
    web.sync(source);
    web.has(&["/docs/", "/docs/a"]);
    assert!(web.content("/docs/a").contains("Older"), "{}", web.content("/docs/a"));
}

/// A sitemap that is refused says nothing about the pages that it named.
#[test]
fn a_sitemap_that_is_refused_removes_nothing() {
    let mut web = Web::start();
    let map = format!("<urlset><url><loc>{}</loc></url></urlset>", web.site.url("/docs/hidden"));
    let robots = Page::text("Sitemap: /map.xml\n");
    web.site.set_all(&[
        ("/robots.txt", robots),
        ("/map.xml", Page::new("application/xml", map)),
        ("/docs/", Page::linking("Start", "The first page.", &["a", "b"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/docs/b", Page::article("B", "The page b.")),
        ("/docs/hidden", Page::article("Hidden", "No link leads here.")),
    ]);
    let source = web.crawl("/docs/", "");
    let all = ["/docs/", "/docs/a", "/docs/b", "/docs/hidden"];
    web.has(&all);
    for answer in [Page::status(403), Page::html("<title>Login</title><p>Please log in."), Page::status(500)]
    {
        web.site.set("/map.xml", answer);
        web.sync(source);
        web.has(&all);
        web.succeeded(source);
    }
    web.site.remove("/map.xml");
    web.sync(source);
    web.has(&all[..3]);
}
