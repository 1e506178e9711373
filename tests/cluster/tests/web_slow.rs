//! Pages that come too slowly, or not at all: a worker does nothing else meanwhile, and other hosts come first afterwards.

use std::time::Duration;

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::Web;

const TOO_SLOW: &str = "the answer came too slowly: less than 10000 bytes in 1.2s";

fn good() -> Page {
    Page::article("Good", "A page that is there.")
}

/// A site that may send nearly nothing for 1.2 s, and another one.
fn sites(pages: &[(&str, Page)]) -> (Web, Site) {
    let other = Site::start();
    other.otherwise(|path| (path != "/robots.txt").then(good));
    let web = Web::from_site(Site::with(pages));
    web.database.set("kb_rag.test_limits", "slowest_over=1200");
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), other.host()));
    let client = web.database.connect();
    (Web { client, ..web }, other)
}

/// Does only what is due now.
fn work_now(web: &mut Web) {
    web.database.connect().run("CALL kb_work(0)");
}

/// Does what is due now until a path of the site has been asked for.
fn work_until(web: &mut Web, path: &str) {
    kb_rag_cluster_tests::wait_until("a page is asked for", || {
        work_now(web);
        web.site.times(path) > 0
    });
}

/// Attempts, reason and seconds until the next one, of the only page that waits.
fn waiting(web: &mut Web) -> (i32, String, f64) {
    let row = web
        .client
        .query_one(
            "SELECT attempts, error, extract(epoch FROM due_at - now())::float8 FROM kb_rag.job WHERE error IS NOT NULL",
            &[],
        )
        .expect("a job that waits");
    (row.get(0), row.get(1), row.get(2))
}

#[test]
fn a_page_that_drips_fails_and_waits_longer() {
    for page in [Page::dripping(), Page::with_dripping_head()] {
        let (mut web, _) = sites(&[("/slow", page)]);
        web.add("/slow", "");
        work_until(&mut web, "/slow");
        let (attempts, reason, seconds) = waiting(&mut web);
        assert_eq!((attempts, reason.as_str()), (1, TOO_SLOW));
        // Twice as long as it took.
        assert!((1.0..60.0).contains(&seconds), "{seconds}");
        web.client.run(
            "UPDATE kb_rag.job SET due_at = now(), attempts = 3; UPDATE kb_rag.web_host SET next_at = now()",
        );
        work_now(&mut web);
        let (attempts, _, longer) = waiting(&mut web);
        assert!(attempts == 4 && longer > 4.0 * seconds, "{attempts}, {seconds}, {longer}");
        web.client.run(
            "UPDATE kb_rag.job SET due_at = now(), attempts = 4; UPDATE kb_rag.web_host SET next_at = now()",
        );
        work_now(&mut web);
        let (status, error) = web.page("/slow");
        assert_eq!((status.as_str(), error.as_str()), ("failed", TOO_SLOW));
    }
}

/// Its host comes after others, with all its pages, even if it is due before them.
#[test]
fn other_hosts_come_first() {
    let slow = Page::article("Slow", "Later than wanted.").after(Duration::from_secs(60));
    for page in [Page::dripping(), slow] {
        let (mut web, other) = sites(&[("/slow", page), ("/fine", good())]);
        web.client.run("SELECT kb_provider_set('web', kind => 'web', timeout => '1500 ms')");
        web.add("/slow", "");
        work_until(&mut web, "/slow");
        web.site.set("/slow", good());
        web.add("/fine", "");
        for path in ["/1", "/2", "/3"] {
            web.client.execute("SELECT kb_add_url('notes', $1)", &[&other.url(path)]).expect("added");
        }
        // The crawls begin, as far as jobs of sources are due.
        web.client.run(
            "UPDATE kb_rag.job SET due_at = CASE WHEN kind = 'fetch' THEN now() - interval '1 hour' ELSE now() END;
             UPDATE kb_rag.web_host SET next_at = now()",
        );
        web.site.forget();
        web.work();
        let last = other.visits().into_iter().map(|visit| visit.at).max().expect("the other site is asked");
        let first = web.site.visits().into_iter().map(|visit| visit.at).min().expect("the site is asked");
        assert!(last < first, "{:?}, {:?}", other.paths(), web.site.paths());
        assert_eq!((web.site.times("/slow"), web.site.times("/fine")), (1, 1));
        assert_eq!(other.paths().len(), 4, "robots.txt, and three pages");
        // It was not slow any more.
        assert_eq!(web.client.value::<i64>("SELECT count(*) FROM kb_rag.web_slow", &[]), 0);
    }
}

/// A slow robots.txt fails the page. Of slow sitemaps one is read.
#[test]
fn robots_txt_and_sitemaps_may_be_slow() {
    let (mut web, _) = sites(&[("/robots.txt", Page::dripping()), ("/good", good())]);
    web.add("/good", "");
    work_until(&mut web, "/robots.txt");
    assert_eq!(waiting(&mut web).1, format!("robots.txt: {TOO_SLOW}"));
    assert_eq!(web.site.times("/good"), 0);
    web.site.remove("/robots.txt");
    web.site.set("/1.xml", Page::dripping());
    web.site.set("/2.xml", Page::dripping());
    let maps = ["/1.xml", "/2.xml"].map(|map| format!("Sitemap: {}\n", web.site.url(map)));
    web.site.set("/robots.txt", Page::text(&maps.concat()));
    web.site.set("/", Page::linking("Start", "The first page.", &["/good"]));
    web.client.run("SELECT kb_source_drop(source_id) FROM kb_source_list()");
    web.client.run("UPDATE kb_rag.web_host SET next_at = now()");
    let source = web.crawl("/", "");
    web.succeeded(source);
    web.has(&["/", "/good"]);
    assert_eq!(web.site.times("/1.xml") + web.site.times("/2.xml"), 1);
}
