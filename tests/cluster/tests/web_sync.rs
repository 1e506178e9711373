//! Sources that are fetched again: what has not changed costs nothing, what is gone goes, and a site in trouble empties no
//! base.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::mock::Mock;
use kb_rag_cluster_tests::pipeline::{RemoteSession, assert_right_vectors};
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};
use uuid::Uuid;

/// A start page and four more.
const PATHS: [&str; 5] = ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d"];

fn start_page(links: &[&str]) -> Page {
    Page::linking("Start", "The first page of the manual.", links)
}

fn five_pages() -> Site {
    let site = Site::with(&[("/docs/", start_page(&["a", "b", "c", "d"]))]);
    for path in &PATHS[1..] {
        site.set(path, Page::article(path, &format!("The page at {path} of the manual.")));
    }
    site
}

/// Five pages that were fetched.
fn five_documents() -> (Web, Uuid) {
    let mut web = Web::from_site(five_pages());
    let source = web.crawl("/docs/", "");
    web.succeeded(source);
    web.has(&PATHS);
    web.site.forget();
    (web, source)
}

/// Every document with its version.
fn versions(web: &mut Web) -> Vec<String> {
    web.client.column(
        "SELECT concat_ws(' ', id, xmin, updated_at) FROM kb_notes.document
         UNION ALL SELECT concat_ws(' ', id, xmin) FROM kb_notes.chunk ORDER BY 1",
        &[],
    )
}

#[test]
fn pages_that_have_not_changed_cost_nothing() {
    let (mut web, source) = five_documents();
    web.site.set(
        "/docs/a",
        Page::article("/docs/a", "The page at /docs/a of the manual.").header("etag", "\"v1\""),
    );
    web.sync(source);
    let before = versions(&mut web);
    web.site.forget();
    web.sync(source);
    assert_eq!(versions(&mut web), before);
    web.succeeded(source);
    let visits = web.site.visits();
    let visit = |path: &str| visits.iter().find(|visit| visit.path == path).expect("asked for");
    assert_eq!(visit("/docs/a").header("if-none-match"), Some("\"v1\""));
    assert_eq!((visit("/docs/a").status, visit("/docs/b").status), (Some(304), Some(200)));
    // Links of a start page that has not changed are followed.
    web.site.set("/docs/", start_page(&["a", "b", "c", "d"]).header("etag", "\"s\""));
    web.sync(source);
    web.site.forget();
    web.sync(source);
    assert_eq!(web.site.visits().iter().filter(|visit| visit.status == Some(304)).count(), 2);
    web.has(&PATHS);
    // `force` asks for all of it.
    web.site.forget();
    web.force(source);
    assert_eq!(web.site.visits().iter().filter(|visit| visit.status == Some(304)).count(), 0);
}

/// As earlier versions of a reader or of the chunker left a page.
fn age(web: &mut Web, path: &str, columns: &str) {
    let url = web.site.url(path);
    web.client.run(&format!(
        "ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
         UPDATE kb_notes.document SET {columns} WHERE source_key = '{url}';
         ALTER TABLE kb_notes.document ENABLE TRIGGER USER"
    ));
}

/// The path of each page whose document is outdated.
fn outdated(web: &mut Web) -> Vec<String> {
    let urls: Vec<String> = web.client.column(
        "SELECT d.source_key FROM kb_notes.document d
         WHERE (d.reader, d.reader_version) NOT IN (SELECT name, version FROM kb_rag.current_version) IS NOT FALSE
            OR d.chunker_version IS DISTINCT FROM (SELECT version FROM kb_rag.current_version WHERE name = 'chunker')
         ORDER BY 1",
        &[],
    );
    let root = web.site.url("");
    urls.iter().map(|url| url.replace(&root, "")).collect()
}

/// Whether each page was asked for only if it has changed.
fn conditions(web: &Web) -> [bool; 5] {
    let visits = web.site.visits();
    PATHS.map(|path| {
        let visit = visits.iter().find(|visit| visit.path == path).expect("asked for");
        visit.header("if-none-match").is_some()
    })
}

/// An automatic crawl asks for such a page as a whole when its turn comes, although it has not changed.
#[test]
fn pages_that_an_earlier_version_read_are_read_again() {
    let (mut web, source) = five_documents();
    for path in PATHS {
        let page = if path == "/docs/" {
            start_page(&["a", "b", "c", "d"])
        } else {
            Page::article(path, &format!("The page at {path} of the manual."))
        };
        web.site.set(path, page.header("etag", "\"v1\""));
    }
    web.sync(source);
    assert_eq!(outdated(&mut web), [""; 0]);
    let rows = "SELECT concat_ws(' ', c.id, e.xmin) FROM kb_notes.chunk c JOIN kb_notes.embedding e ON e.chunk_id = c.id ORDER BY 1";
    let before: Vec<String> = web.client.column(rows, &[]);
    // Without a version, as kb_rag 0.3 read it; by an earlier one; by a later one; cut by an earlier one.
    age(&mut web, "/docs/a", "reader = NULL, reader_version = NULL, chunker_version = NULL");
    age(&mut web, "/docs/b", "reader_version = reader_version - 1");
    age(&mut web, "/docs/c", "reader_version = 1000");
    age(&mut web, "/docs/d", "chunker_version = chunker_version - 1");
    web.site.forget();
    // As when its interval has passed.
    web.client.run(&format!(
        "UPDATE kb_rag.web_source SET auto_sync = true, sync_interval = '1 hour' WHERE source_id = '{source}'"
    ));
    web.client
        .run(&format!("UPDATE kb_rag.web_schedule SET next_sync_at = now() WHERE source_id = '{source}'"));
    web.client.run("SELECT kb_source_sync()");
    web.work();
    web.succeeded(source);
    assert_eq!(conditions(&web), [true, false, false, true, true]);
    assert_eq!(outdated(&mut web), ["/docs/c"]);
    assert_eq!(web.client.column::<String>(rows, &[]), before);
    web.site.forget();
    web.sync(source);
    assert_eq!(conditions(&web), [true; 5]);
    // A page that cannot be read now keeps what it has.
    age(&mut web, "/docs/a", "reader_version = 0");
    web.site.set("/docs/a", Page::article("/docs/a", "").answers(500));
    web.sync(source);
    web.has(&PATHS);
    assert_eq!(outdated(&mut web), ["/docs/a", "/docs/c"]);
}

#[test]
fn a_changed_word_embeds_one_chunk() {
    let mock = Mock::openai();
    let mut web = Web::start();
    web.client.set_provider("mock", &mock);
    web.client.run("SELECT kb_drop('notes')");
    web.client.create_remote_base("notes", "mock/small");
    let paragraphs = |fourth: &str| {
        let paragraph = |n: usize| match n {
            4 => format!(
                "<p>Paragraph 4 is about {fourth}, and has enough words to fill most of a chunk of its own, as all of the others do. It ends here, after some more words about nothing.</p>"
            ),
            n => format!(
                "<p>Paragraph {n} is about number {n}, and has enough words to fill most of a chunk of its own, as all of the others do. It ends here, after some more words about nothing.</p>"
            ),
        };
        Page::html(&(1..=8).map(paragraph).collect::<String>())
    };
    web.site.set("/page", paragraphs("herons"));
    let source = web.add("/page", "");
    web.work();
    let texts = |mock: &Mock| mock.calls().iter().map(|call| call.texts.len()).sum::<usize>();
    let all = texts(&mock);
    assert!(all >= 8, "{all}");
    assert_right_vectors(&mut web.client, "kb_notes", &mock);
    web.sync(source);
    assert_eq!(texts(&mock), all, "nothing has changed");
    web.site.set("/page", paragraphs("egrets"));
    web.sync(source);
    assert!((1..=2).contains(&(texts(&mock) - all)), "{} of {all}", texts(&mock) - all);
    assert!(web.content("/page").contains("egrets"));
    assert_right_vectors(&mut web.client, "kb_notes", &mock);
}

#[test]
fn pages_that_are_gone_go() {
    let (mut web, source) = five_documents();
    web.site.remove("/docs/a");
    web.sync(source);
    web.has(&["/docs/", "/docs/b", "/docs/c", "/docs/d"]);
    web.succeeded(source);
    web.site.set("/docs/b", Page::status(410));
    web.sync(source);
    web.has(&["/docs/", "/docs/c", "/docs/d"]);
    // It is there, but no link leads to it.
    web.site.set("/docs/", start_page(&["d"]));
    web.sync(source);
    web.has(&["/docs/", "/docs/d"]);
    web.succeeded(source);
    let chunks: i64 = web.client.value("SELECT count(DISTINCT document_id) FROM kb_notes.chunk", &[]);
    assert_eq!(chunks, 2);
    // And comes back.
    web.site.set("/docs/", start_page(&["c", "d"]));
    web.sync(source);
    web.has(&["/docs/", "/docs/c", "/docs/d"]);
}

#[test]
fn pages_that_are_no_longer_linked_stay_when_a_crawl_is_incomplete() {
    let (mut web, source) = five_documents();
    web.site.set_all(&[("/docs/", start_page(&["a", "b", "c"])), ("/docs/c", Page::status(403))]);
    web.sync(source);
    web.has(&PATHS);
    web.is(source, "indexed", "1 of 4 pages could not be fetched");
    web.site.set("/docs/c", Page::article("C", "The page c is back."));
    web.sync(source);
    web.has(&["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    web.succeeded(source);
}

/// A site in trouble: whatever it answers, the documents stay.
#[test]
fn a_site_in_trouble_empties_nothing() {
    let (mut web, source) = five_documents();
    // Five attempts with pauses, for one page.
    for (answer, status, part) in [
        (Page::status(403), "failed", "403 Forbidden"),
        (Page::html(""), "failed", "no text"),
        (Page::html("<title>Login</title><script>login()</script>"), "failed", "no text"),
        (Page::redirect("http://169.254.169.254/"), "failed", "private address"),
        (Page::redirect("/docs/"), "failed", "redirects more than 5 times"),
        (Page::new("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()), "failed", "image"),
        (Page::status(304), "failed", "304"),
        (Page::status(204), "failed", "204 No Content"),
        (Page::status(404), "failed", "5 of 5 pages would be removed"),
        (
            Page::html("<title>H</title><meta name=robots content=noindex><p>Maintenance."),
            "failed",
            "of 5 pages would be removed",
        ),
        (Page::article("Sorry", "This site is being maintained."), "failed", "of 5 pages would be removed"),
        (Page::status(503), "failed", "503 Service Unavailable"),
    ] {
        web.site.everywhere(Some(answer.clone()));
        web.sync(source);
        assert_eq!(web.documents(), PATHS, "{answer:?}");
        web.is(source, status, part);
    }
    let (failed, error) = web.status(source);
    assert_eq!(failed, "failed", "{error}");
    web.site.everywhere(None);
    web.sync(source);
    web.has(&PATHS);
    web.succeeded(source);
}

/// All pages lead to one that says that the site is being maintained.
#[test]
fn a_redirect_of_all_pages_empties_nothing() {
    let (mut web, source) = five_documents();
    web.site.set("/docs/sorry", Page::article("Sorry", "This site is being maintained."));
    for path in PATHS {
        web.site.set(path, Page::redirect("/docs/sorry"));
    }
    web.sync(source);
    let documents = web.documents();
    assert!(PATHS.iter().all(|path| documents.contains(&path.to_string())), "{documents:?}");
    web.is(source, "failed", "would be removed");
    let healthy = five_pages();
    drop(healthy);
    web.site.set("/docs/", start_page(&["a", "b", "c", "d"]));
    for path in &PATHS[1..] {
        web.site.set(path, Page::article(path, &format!("The page at {path} of the manual.")));
    }
    web.sync(source);
    web.succeeded(source);
    web.has(&PATHS);
}

/// More than half of the pages go only by `force`.
#[test]
fn half_of_a_site_goes_only_by_force() {
    let (mut web, source) = five_documents();
    for path in &PATHS[2..] {
        web.site.remove(path);
    }
    web.sync(source);
    web.has(&PATHS);
    web.is(source, "failed", "3 of 5 pages would be removed, which are more than half");
    let dead = web.client.value::<i64>("SELECT count(*) FROM kb_search('manual', 'notes', 'keyword')", &[]);
    assert_eq!(dead, 5);
    web.sync(source);
    web.has(&PATHS);
    web.force(source);
    web.has(&PATHS[..2]);
    web.succeeded(source);
    // `force` is for one crawl.
    web.site.remove("/docs/");
    web.site.remove("/docs/a");
    web.sync(source);
    web.has(&PATHS[..2]);
    web.is(source, "failed", "2 of 2 pages would be removed");
}

#[test]
fn retry_after_is_heard() {
    let (mut web, source) = five_documents();
    web.site.set("/docs/a", Page::status(429).header("retry-after", "3600"));
    assert_eq!(web.client.value::<i64>("SELECT kb_source_sync($1)", &[&source]), 1);
    // Whatever is due within a minute is done.
    web.work();
    let last = web.site.visits().last().expect("asked for").path.clone();
    assert_eq!(last, "/docs/a", "the host is not asked meanwhile");
    let paused: bool = web.client.value(
        "SELECT reason LIKE '%429 Too Many Requests' AND next_try > now() + interval '30 minutes' AND source_id = $1
         FROM kb_rag.failed WHERE url LIKE '%/docs/a'",
        &[&source],
    );
    assert!(paused);
    web.is(source, "processing", "the server asked to wait until 2");
    assert!(web.must_wait_an_hour());
    web.site.set("/docs/a", Page::article("A", "The page a after a pause."));
    web.let_an_hour_pass();
    web.work();
    web.succeeded(source);
    assert!(web.content("/docs/a").contains("after a pause"));
}

/// A host that is overloaded when asked for its sitemap is not asked for pages at once.
#[test]
fn retry_after_of_a_sitemap_is_heard() {
    let mut web = Web::from_site(five_pages());
    web.site.set("/sitemap.xml", Page::status(503).header("retry-after", "3600"));
    let source = web.crawl("/docs/", "");
    assert_eq!(web.site.times("/sitemap.xml"), 1);
    assert_eq!(web.site.times("/docs/a"), 0, "the host is not asked meanwhile");
    assert!(web.must_wait_an_hour());
    web.let_an_hour_pass();
    web.work();
    web.succeeded(source);
    web.has(&PATHS);
    // It may have named pages that no link leads to any more.
    web.site.set("/docs/", start_page(&["a", "b", "c"]));
    web.sync(source);
    web.let_an_hour_pass();
    web.work();
    web.has(&PATHS);
}

#[test]
fn failed_pages_are_shown_and_tried_again() {
    let mut web = Web::from_site(five_pages());
    web.site.set("/docs/a", Page::status(403));
    let source = web.crawl("/docs/", "");
    web.is(source, "indexed", "1 of 5 pages could not be fetched");
    let shown: Vec<String> = web.client.column(
        "SELECT concat_ws(' ', knowledge_base, source_id = $1, url, reason) FROM kb_rag.failed",
        &[&source],
    );
    assert_eq!(shown, [format!("notes t {} the server answered 403 Forbidden", web.site.url("/docs/a"))]);
    web.site.set("/docs/a", Page::article("A", "The page a."));
    assert_eq!(web.client.value::<i64>("SELECT kb_retry('notes')", &[]), 1);
    web.work();
    web.has(&PATHS);
    web.succeeded(source);
    assert_eq!(web.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
}

/// kb_refresh fetches the page of a document, and no other.
#[test]
fn refresh_fetches_a_page() {
    let (mut web, source) = five_documents();
    web.site.set("/docs/b", Page::article("B", "The page b, refreshed.").header("etag", "\"b\""));
    let id: Uuid = web
        .client
        .value("SELECT id FROM kb_notes.document WHERE source_key = $1", &[&web.site.url("/docs/b")]);
    web.client.execute("SELECT kb_refresh($1)", &[&id]).expect("refreshed");
    web.work();
    assert_eq!(web.site.paths(), ["/docs/b"]);
    assert!(web.content("/docs/b").contains("refreshed"));
    web.has(&PATHS);
    web.succeeded(source);
    // A page that is gone.
    web.site.remove("/docs/b");
    web.client.execute("SELECT kb_refresh($1)", &[&id]).expect("refreshed");
    web.work();
    web.has(&["/docs/", "/docs/a", "/docs/c", "/docs/d"]);
    web.succeeded(source);
    let state = web.client.add_url(&web.site.url("/docs/"), "content_type => 'docs'");
    assert_eq!(state, source);
}
