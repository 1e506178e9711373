//! A site with more pages than a source may have does not look complete.

use kb_rag_cluster_tests::services::{Answer, Service, add, ended, fetching_base, keys, sync};

/// A site whose first page leads to the pages 1 to 5.
fn site() -> Service {
    Service::start(|asked| {
        let html = |text: &str| Answer::from_body(text).header("content-type", "text/html");
        match asked.path.as_str() {
            "/" => {
                let links: String =
                    (1..=5).map(|n| format!("<p><a href=\"/{n}\">Page {n}</a></p>")).collect();
                html(&format!("<title>Start</title><p>It leads to pages.</p>{links}"))
            }
            path if path.trim_start_matches('/').parse::<u8>().is_ok_and(|n| (1..=5).contains(&n)) => {
                html(&format!("<title>Page</title><p>The text of {path}.</p>"))
            }
            _ => Answer::status(404, ""),
        }
    })
}

#[test]
fn a_crawl_that_stops_at_max_pages_says_so_and_removes_nothing() {
    let site = site();
    let (_database, mut client) = fetching_base(&[site.address()]);
    let docs = |max: i32| format!(", content_type => 'docs', max_pages => {max}");
    let indexed = |message: &str| ("indexed".to_string(), message.to_string());
    let source = add(&mut client, &site.url(), &docs(4));
    let reported = indexed("stopped after 4 pages: raise max_pages to read more");
    assert_eq!(ended(&mut client, source), reported);
    assert_eq!(keys(&mut client).len(), 4);
    // Other pages are read first, as when the site has changed: whether the others exist is not known.
    let links: String = (1..=5).rev().map(|n| format!("<p><a href=\"/{n}\">Page {n}</a></p>")).collect();
    let start = format!("<title>Start</title><p>It leads to others first.</p>{links}");
    site.next(Answer::status(404, ""));
    site.next(Answer::from_body(start).header("content-type", "text/html"));
    assert_eq!(sync(&mut client, source, true), reported);
    assert_eq!(keys(&mut client).len(), 6);
    // As many as there are is not too few.
    add(&mut client, &site.url(), &docs(6));
    assert_eq!(ended(&mut client, source), indexed(""));
    assert_eq!(keys(&mut client).len(), 6);
}
