//! Answers that nobody expects: each is the trouble of one page, and the crawl goes on.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::Web;

fn html(body: impl Into<Vec<u8>>) -> Page {
    Page::new("text/html", body)
}

/// Pages that can be read, in some way.
fn odd_pages() -> Vec<(&'static str, Page)> {
    let long = "x".repeat(100_000);
    vec![
        ("/docs/nul", html(b"<title>Nul</title><p>Text with a NUL, &#0; and &#xD800; and &#x110000;.<a href='n&#0;ul'>n</a>".to_vec())),
        ("/docs/invalid", Page::new("text/html; charset=utf-8", b"<p>Text with \xff\xfe\xc3 in it.".to_vec())),
        ("/docs/unknown-charset", Page::new("text/html; charset=klingon", "<p>Text in an unknown charset.")),
        ("/docs/utf16", Page::new("text/html; charset=utf-16le", "<p>Text in UTF-16.".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())),
        ("/docs/long-title", html(format!("<title>{long}</title><p>Text."))),
        ("/docs/long-word", html(format!("<p>{long}"))),
        ("/docs/deep", html(format!("{}Text, deep.", "<div>".repeat(50_000)))),
        ("/docs/links", html((0..20_000).map(|n| format!("<a href=\"l{n}?{}\">.</a>", n % 7)).collect::<String>() + "<p>Many links.")),
        ("/docs/long-link", html(format!("<p>A long link.<a href=\"{long}\">.</a>"))),
        ("/docs/no-type", Page::new("", "<p>Text without a type.")),
        ("/docs/odd-type", Page::new("text/html; charset=\"; =;;", "<p>Text of an odd type.")),
        ("/docs/lang", html("<html lang='x-&#0;\u{7f}; DROP TABLE'><p>Text in no language.")),
        ("/docs/canonical", html("<link rel=canonical href='javascript:alert(1)'><p>Text with a script for an address.")),
        ("/docs/canonical-away", html("<link rel=canonical href='http://169.254.169.254/'><p>Text of another address.")),
        ("/docs/etag", html("<p>Text with an odd etag.").header("etag", "\"caf\u{e9} \u{1F600}\"")),
        ("/docs/etag-tab", html("<p>Text with a tab in its etag.").header("etag", "\"a\tb\"")),
        ("/docs/etag-long", html("<p>Text with a long etag.").header("etag", &format!("\"{}\"", "e".repeat(5000)))),
        ("/docs/last-modified", html("<p>Text from the future.").header("last-modified", "Never, 99 Foo 2999")),
        ("/docs/retry", html("<p>Text with a Retry-After.").header("retry-after", "99999999999999999999")),
    ]
}

#[test]
fn odd_pages_are_read() {
    let pages = odd_pages();
    let names: Vec<&str> = pages.iter().map(|(path, _)| path.rsplit('/').next().expect("a name")).collect();
    let site = Site::with(&pages);
    site.set("/docs/", Page::linking("Start", "The first page.", &names));
    let mut web = Web::from_site(site);
    let source = web.crawl("/docs/", ", crawl_depth => 1");
    web.succeeded(source);
    let mut expected: Vec<&str> = pages.iter().map(|(path, _)| *path).chain(["/docs/"]).collect();
    expected.sort_unstable();
    web.has(&expected);
    let texts: i64 =
        web.client.value("SELECT count(*) FROM kb_notes.document WHERE content ~ '[[:alpha:]]'", &[]);
    assert_eq!(texts, expected.len() as i64);
    // Whatever their validators are, they are asked for again.
    web.sync(source);
    web.succeeded(source);
    web.has(&expected);
    // With their links: many more pages, none of which exists.
    web.client.run(&format!(
        "SELECT kb_add_url('notes', '{}', content_type => 'docs', crawl_depth => 2, max_pages => 40)",
        web.site.url("/docs/")
    ));
    web.work();
    web.is(source, "indexed", "stopped after 40 pages");
    web.has(&expected);
}

/// Pages that cannot be read at all.
#[test]
fn unreadable_answers_fail_one_page_each() {
    let gzip = |bytes: &[u8]| Page::new("text/html", bytes.to_vec()).header("content-encoding", "gzip");
    let pages = [
        ("/docs/not-gzip", gzip(b"<p>This is not gzip.")),
        ("/docs/encoding", Page::html("<p>Text.").header("content-encoding", "compress, klingon")),
        ("/docs/zip", Page::new("application/zip", b"PK\x03\x04nothing".to_vec())),
        (
            "/docs/docx",
            Page::new(
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                b"PK\x03\x04".to_vec(),
            ),
        ),
        (
            "/docs/binary",
            Page::new("application/octet-stream", (0..=255).cycle().take(70_000).collect::<Vec<u8>>()),
        ),
        ("/docs/text-nul", Page::new("text/plain", b"Plain\0 text\0".to_vec())),
        ("/docs/video", Page::new("video/mp4", b"\0\0\0\x18ftypmp42".to_vec())),
        ("/docs/far", Page::redirect(&format!("/docs/{}", "y".repeat(5000)))),
        ("/docs/ftp", Page::redirect("ftp://127.0.0.1/file")),
        ("/docs/file", Page::redirect("file:///etc/passwd")),
        ("/docs/user", Page::redirect("http://user:password@127.0.0.1:1/")),
        ("/docs/status", Page::status(299)),
        ("/docs/teapot", Page::status(418)),
        ("/docs/switch", Page::status(600)),
    ];
    let names: Vec<&str> = pages.iter().map(|(path, _)| path.rsplit('/').next().expect("a name")).collect();
    let site = Site::with(&pages);
    site.set("/docs/", Page::linking("Start", "The first page.", &[&names[..], &["last"]].concat()));
    site.set("/docs/last", Page::article("Last", "The last page."));
    site.set("/sitemap.xml", Page::new("application/xml", b"<urlset><url><loc>\0</loc>".repeat(1000)));
    let mut web = Web::from_site(site);
    let source = web.crawl("/docs/", "");
    web.has(&["/docs/", "/docs/last"]);
    web.is(source, "indexed", &format!("{} of {} pages could not be fetched", pages.len(), pages.len() + 2));
    for (path, _) in &pages {
        let (status, error) = web.page(path);
        assert!(
            status == "failed" && !error.is_empty() && !error.contains("internal"),
            "{path}: {status} {error}"
        );
    }
    let url: String = web.client.value("SELECT error FROM kb_rag.web_page WHERE url LIKE '%/docs/user'", &[]);
    assert!(!url.contains("password"), "{url}");
}

/// robots.txt that is none.
#[test]
fn odd_robots_txt_allow_all_or_nothing() {
    for (robots, allowed) in [
        (Page::html("<html><p>Not found, sorry.</p></html>"), true),
        (Page::new("text/plain", vec![0u8; 3 << 10]), true),
        (Page::new("text/plain", "User-agent: *\nDisallow: /docs\n".repeat(10_000)), false),
        (Page::new("text/plain", "\u{feff}User-agent:*\r\nDisallow:/docs\r\nCrawl-delay: nan\r\n"), false),
        (Page::new("text/plain", "User-agent: *\nCrawl-delay: -1\nCrawl-delay: 1e308\nDisallow:\n"), true),
        (Page::status(403), true),
        (Page::redirect("/robots.txt"), true),
        (Page::redirect("http://169.254.169.254/robots.txt"), true),
    ] {
        let mut web = Web::from_site(Site::with(&[
            ("/docs/", Page::article("Start", "The first page.")),
            ("/robots.txt", robots.clone()),
        ]));
        let source = web.add("/docs/", "");
        web.database.connect().run("CALL kb_work(30)");
        assert_eq!(web.site.times("/docs/"), usize::from(allowed), "{robots:?}");
        if allowed {
            web.succeeded(source);
        } else {
            web.is(source, "failed", "robots.txt");
        }
    }
}
