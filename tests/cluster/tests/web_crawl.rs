//! Crawls of a site: which pages belong to it, and what its robots.txt says.

use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::Web;
use kb_rag_cluster_tests::{Outcome, Point, Session};

/// The start page, two pages that it links to, and one more that each of them links to.
fn three_levels() -> Site {
    Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "b", "/docs-old/x", "/other", "/docs/"])),
        ("/docs/a", Page::linking("A", "The page a.", &["deep/a", "b", "a?utm_source=here"])),
        ("/docs/b", Page::linking("B", "The page b.", &["./deep/b", "../docs/"])),
        ("/docs/deep/a", Page::linking("Deep a", "The page deep a.", &["/docs/deeper"])),
        ("/docs/deep/b", Page::article("Deep b", "The page deep b.")),
        ("/docs/deeper", Page::article("Deeper", "The page deeper.")),
        ("/docs-old/x", Page::article("Old", "Not below /docs.")),
        ("/other", Page::article("Other", "Not below /docs.")),
    ])
}

#[test]
fn follows_links_as_deep_as_asked() {
    for (depth, expected) in [
        (0, &["/docs/"][..]),
        (1, &["/docs/", "/docs/a", "/docs/b"]),
        (2, &["/docs/", "/docs/a", "/docs/b", "/docs/deep/a", "/docs/deep/b"]),
    ] {
        let mut web = Web::from_site(three_levels());
        let source = web.crawl("/docs/", &format!(", crawl_depth => {depth}"));
        web.has(expected);
        web.succeeded(source);
        for path in expected {
            assert_eq!(web.site.times(path), 1, "{path}: {:?}", web.site.paths());
        }
        assert_eq!(web.site.times("/docs-old/x") + web.site.times("/other"), 0);
    }
}

/// A page is one page, whatever it links to, and without its sitemap.
#[test]
fn a_page_is_one_page() {
    let mut web = Web::from_site(three_levels());
    web.add("/docs/", "crawl_depth => 5");
    web.work();
    web.has(&["/docs/"]);
    assert_eq!(web.site.paths(), ["/robots.txt", "/docs/"]);
}

/// Links that differ only in what the crawl leaves out are one page.
#[test]
fn the_same_link_twice_is_one_page() {
    let mut web = Web::from_site(Site::with(&[
        (
            "/docs/",
            Page::linking(
                "Start",
                "First.",
                &["a", "a#top", "a?utm_source=x", "a?utm_medium=y&utm_source=z", "./a", "/docs/a?gclid=1"],
            ),
        ),
        ("/docs/a", Page::article("A", "The page a.")),
        (
            "/sitemap.xml",
            Page::new(
                "application/xml",
                "<urlset><url><loc>/docs/a</loc></url><url><loc>/docs/b</loc></url><url><loc>/docs/b?utm_source=x</loc></url></urlset>",
            ),
        ),
        ("/docs/b", Page::article("B", "The page b.")),
    ]));
    let source = web.crawl("/docs/", "");
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    assert_eq!(web.site.times("/docs/a"), 1);
}

#[test]
fn leaves_out_what_is_excluded() {
    let mut web = Web::from_site(three_levels());
    let source = web.crawl("/docs/", ", crawl_depth => 5, exclude_patterns => '{/docs/deep/*,*/b}'");
    web.has(&["/docs/", "/docs/a"]);
    web.succeeded(source);
    // Deeper is found through a page that is left out only.
    assert_eq!(web.site.times("/docs/deeper"), 0);
}

#[test]
fn ends_at_the_most_pages() {
    let mut web = Web::from_site(three_levels());
    let source = web.crawl("/docs/", ", crawl_depth => 5, max_pages => 3");
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    web.is(source, "indexed", "stopped after 3 pages: raise max_pages");
}

/// A calendar whose every page leads to the next, and relative links that lead ever deeper.
#[test]
fn traps_end() {
    let mut web = Web::start();
    web.site.otherwise(|path| match path {
        path if path.starts_with("/calendar") => {
            let day: u32 = path.split_once("day=").map_or(0, |(_, day)| day.parse().unwrap_or(0));
            let (next, after) = (format!("/calendar?day={}", day + 1), format!("/calendar?day={}", day + 2));
            Some(Page::linking(
                &format!("Day {day}"),
                &format!("Nothing happens on day {day}."),
                &[&next, &after],
            ))
        }
        path if path.starts_with("/endless") => Some(Page::linking("Again", &format!("At {path}."), &["a/"])),
        _ => None,
    });
    let calendar = web.crawl("/calendar", ", crawl_depth => 10, max_pages => 12");
    web.is(calendar, "indexed", "stopped after 12 pages");
    assert_eq!(web.documents().len(), 12);
    web.client.run(&format!("SELECT kb_source_drop('{calendar}')"));
    web.has(&[]);
    web.site.forget();
    let endless = web.crawl("/endless/", ", crawl_depth => 10, max_pages => 1000");
    web.succeeded(endless);
    web.has(&["/endless/", "/endless/a/", "/endless/a/a/", "/endless/a/a/a/"]);
}

/// A sitemap leads to pages that no link leads to; those outside of the path are left out.
#[test]
fn sitemaps_lead_to_pages() {
    let mut web = Web::start();
    let site = web.site.url("");
    let map = |paths: &[&str]| {
        let urls: String = paths.iter().map(|path| format!("<url><loc>{site}{path}</loc></url>")).collect();
        format!(
            "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"
        )
    };
    web.site.set_all(&[
        ("/robots.txt", Page::text(&format!("User-agent: *\nAllow: /\nSitemap: {site}/maps/index.xml\n"))),
        (
            "/maps/index.xml",
            Page::new(
                "application/xml",
                format!(
                    "<sitemapindex><sitemap><loc>{site}/maps/one.xml</loc></sitemap><sitemap><loc>{site}/maps/two.xml.gz</loc>\
                     </sitemap><sitemap><loc>{site}/maps/index.xml</loc></sitemap></sitemapindex>"
                ),
            ),
        ),
        ("/maps/one.xml", Page::new("text/xml", map(&["/docs/one", "/docs-old/no", "/docs/blog/no"]))),
        ("/maps/two.xml.gz", Page::gzip_file(&map(&["/docs/two", "/docs/", "/docs/missing"]))),
        ("/docs/", Page::article("Start", "The first page, without a link.")),
        ("/docs/one", Page::article("One", "The page one.")),
        ("/docs/two", Page::article("Two", "The page two.")),
        ("/docs-old/no", Page::article("No", "Not below /docs.")),
        ("/docs/blog/no", Page::article("No", "Left out.")),
    ]);
    let source = web.crawl("/docs/", ", exclude_patterns => '{/docs/blog/*}'");
    assert!(!web.documents().iter().any(|path| path.contains("no")));
    assert!(web.documents().contains(&"/docs/two".to_string()), "{:?}", web.documents());
    assert!(web.documents().contains(&"/docs/one".to_string()));
    assert_eq!(web.page("/docs/missing").0, "gone");
    assert_eq!(web.site.times("/maps/index.xml"), 1);
    web.succeeded(source);
}

#[test]
fn heeds_what_pages_say() {
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["hidden", "leads-nowhere", "copy", "rel"])),
        (
            "/docs/hidden",
            Page::html(
                "<title>H</title><meta name=robots content=noindex><p>Hidden text.<a href=behind>behind</a>",
            ),
        ),
        ("/docs/behind", Page::article("Behind", "Behind a page that is not indexed.")),
        (
            "/docs/leads-nowhere",
            Page::html(
                "<title>N</title><meta name=robots content=nofollow><p>Shown.<a href=unlinked>more</a>",
            ),
        ),
        ("/docs/unlinked", Page::article("Unlinked", "Nobody is led here.")),
        (
            "/docs/copy",
            Page::html("<title>Copy</title><link rel=canonical href=/docs/leads-nowhere-2><p>A copy."),
        ),
        ("/docs/rel", Page::html("<title>Rel</title><p>A page.<a rel=nofollow href=unlinked>more</a>")),
    ]));
    let source = web.crawl("/docs/", ", crawl_depth => 5");
    web.has(&["/docs/", "/docs/behind", "/docs/leads-nowhere", "/docs/leads-nowhere-2", "/docs/rel"]);
    assert_eq!(web.site.times("/docs/unlinked"), 0);
    assert_eq!(web.page("/docs/hidden").0, "skipped");
    web.succeeded(source);
}

#[test]
fn asks_only_for_what_robots_txt_allows() {
    let mut web = Web::from_site(three_levels());
    web.site.set("/robots.txt", Page::text("User-agent: *\nDisallow: /docs/deep\nDisallow: /docs/b$\n"));
    let source = web.crawl("/docs/", ", crawl_depth => 5");
    web.has(&["/docs/", "/docs/a"]);
    web.succeeded(source);
    for path in ["/docs/b", "/docs/deep/a"] {
        assert_eq!(web.site.times(path), 0, "{path}");
        assert_eq!(web.page(path).0, "skipped");
    }
    // What a changed robots.txt disallows stays, and says so.
    web.site.set("/robots.txt", Page::text("User-agent: *\nDisallow: /docs/a\n"));
    web.sync(source);
    assert!(web.documents().contains(&"/docs/a".to_string()), "{:?}", web.documents());
    assert_eq!(web.page("/docs/a").0, "failed");
    web.is(source, "indexed", "robots.txt of 127.0.0.1 disallows it");
    web.site.set("/robots.txt", Page::text("User-agent: *\nDisallow: /\n"));
    let before = web.documents();
    web.site.forget();
    web.sync(source);
    assert_eq!(web.documents(), before);
    assert_eq!(web.site.paths(), ["/robots.txt"]);
    web.is(source, "failed", "robots.txt of 127.0.0.1 disallows it");
}

/// A host that disallows a path is not asked for it through a redirect.
#[test]
fn robots_txt_holds_for_redirects() {
    let mut web = Web::from_site(Site::with(&[
        ("/robots.txt", Page::text("User-agent: *\nDisallow: /private\n")),
        ("/go", Page::redirect("/private/page")),
        ("/private/page", Page::article("Private", "Not for robots.")),
    ]));
    let source = web.add("/go", "");
    web.work();
    web.is(source, "failed", "robots.txt of 127.0.0.1 disallows it");
    assert_eq!(web.site.paths(), ["/robots.txt", "/go"]);
}

/// Without robots.txt nothing is known: nothing else is asked for, and robots.txt again.
#[test]
fn nothing_is_fetched_while_robots_txt_fails() {
    let mut web = Web::from_site(three_levels());
    web.site.set("/robots.txt", Page::status(500));
    let source = web.add("/docs/", "content_type => 'docs'");
    // It begins the crawl, and asks for the first page.
    for _ in 0..2 {
        web.client.run("CALL kb_work(0)");
    }
    assert_eq!(web.site.paths(), ["/robots.txt"]);
    let waiting: String = web.client.value("SELECT url || ' ' || reason FROM kb_rag.failed", &[]);
    assert!(
        waiting.ends_with("/docs/ robots.txt: the server answered 500 Internal Server Error"),
        "{waiting}"
    );
    web.is(source, "processing", "");
    web.site.set("/robots.txt", Page::text("User-agent: *\nAllow: /\n"));
    web.work();
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    web.succeeded(source);
    assert_eq!(web.site.times("/robots.txt"), 2);
}

/// The pages that were asked for.
fn asked_pages(web: &Web) -> usize {
    web.site.paths().iter().filter(|path| path.starts_with("/docs/")).count()
}

/// A site with a delay of an hour: what it asks for in robots.txt, or the setting.
fn slow_site(robots: &str, setting: &str) -> Web {
    let mut web = Web::from_site(three_levels());
    if !robots.is_empty() {
        web.site.set("/robots.txt", Page::text(robots));
    }
    web.database.set("kb_rag.test_limits", "max_delay=3600000");
    web.database.set("kb_rag.crawl_delay", setting);
    web.client = web.database.connect();
    web
}

#[test]
fn waits_between_two_pages_of_a_host() {
    for (robots, setting) in [("User-agent: *\nCrawl-delay: 3600\n", "0"), ("", "1h")] {
        let mut web = slow_site(robots, setting);
        web.add("/docs/", "content_type => 'docs'");
        for pages in 1..=3 {
            // Whatever is due before the next turn is done.
            web.work();
            assert_eq!(asked_pages(&web), pages, "{robots:?}: {:?}", web.site.paths());
            assert!(web.must_wait_an_hour(), "{robots:?}");
            // The sitemap takes a turn too, and no worker waits for an hour.
            assert_eq!(web.site.times("/sitemap.xml"), 0);
            web.let_an_hour_pass();
        }
        web.work();
        web.has(&["/docs/", "/docs/a", "/docs/b"]);
    }

    // No host has longer delays than ten seconds.
    let mut web = slow_site("User-agent: *\nCrawl-delay: 3600\n", "0");
    web.database.set("kb_rag.test_limits", "");
    web.client = web.database.connect();
    web.add("/docs/", "content_type => 'webpage'");
    web.work();
    assert!(!web.must_wait_an_hour());

    // A short delay is waited for, also by what asks for the sitemap.
    let mut web = slow_site("", "100ms");
    let source = web.crawl("/docs/", "");
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    assert_eq!(web.site.times("/sitemap.xml"), 1);

    // The control: there is no other reason to wait. This does what is due, and waits for nothing.
    let mut web = Web::from_site(three_levels());
    let source = web.add("/docs/", "content_type => 'docs'");
    for _ in 0..10 {
        web.client.run("CALL kb_work(0)");
    }
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
}

/// Two sources of one host share its turns, and of two workers that want one, one takes it.
#[test]
fn sources_of_one_host_take_turns() {
    let mut web = Web::from_site(three_levels());
    web.database.set("kb_rag.crawl_delay", "1h");
    web.client = web.database.connect();
    for path in ["/docs/a", "/docs/b", "/docs/deep/a", "/docs/deep/b"] {
        web.add(path, "");
    }
    let mut turn = Point::hold(&web.database, "crawl.before_turn");
    let workers = web.two_workers();
    turn.wait_for(2);
    turn.open();
    for worker in workers {
        assert_eq!(Outcome::joined(worker, "a worker that waits for its turn").state, "00000");
    }
    for pages in 1..=4 {
        assert_eq!(asked_pages(&web), pages, "{:?}", web.site.paths());
        assert!(web.must_wait_an_hour());
        web.let_an_hour_pass();
        web.work();
    }
    web.has(&["/docs/a", "/docs/b", "/docs/deep/a", "/docs/deep/b"]);
}
