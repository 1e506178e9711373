//! Pages of the web: what is read, what is refused, and where nothing is ever asked for.

use std::time::Duration;

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::site::{Listener, Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};

/// A small PDF with the text "Herons fish at dawn", uncompressed.
fn pdf() -> Vec<u8> {
    let stream = "BT /F1 24 Tf 72 700 Td (Herons fish at dawn) Tj ET";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_string(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_string(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_string(),
    ];
    let mut file = "%PDF-1.4\n".to_string();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let start = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
    for place in &places {
        file += &format!("{place:010} 00000 n \n");
    }
    file += &format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", places.len() + 1);
    file.into_bytes()
}

#[test]
fn reads_pages_pdf_and_plain_text() {
    let mut web = Web::from_site(Site::with(&[
        ("/page", Page::article("Herons", "Herons stand in the river.")),
        ("/file.pdf", Page::new("application/pdf", pdf())),
        ("/notes.txt", Page::text("Plain notes about herons.")),
        (
            "/latin",
            Page::new("text/html; charset=iso-8859-1", b"<title>Caf\xe9</title><p>Caf\xe9 cr\xe8me".to_vec()),
        ),
        ("/meta", Page::new("text/html", b"<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2".to_vec())),
    ]));
    for path in ["/page", "/file.pdf", "/notes.txt", "/latin", "/meta"] {
        web.add(path, "");
    }
    web.work();
    web.has(&["/file.pdf", "/latin", "/meta", "/notes.txt", "/page"]);
    for (path, text) in [
        ("/page", "Herons stand in the river."),
        ("/file.pdf", "Herons fish at dawn"),
        ("/notes.txt", "Plain notes about herons."),
        ("/latin", "Café crème"),
        ("/meta", "Привет"),
    ] {
        let content = web.content(path);
        assert!(content.contains(text), "{path}: {content}");
    }
    let titles: Vec<Option<String>> = web
        .client
        .column("SELECT title FROM kb_notes.document WHERE source_key ~ '(page|latin)$' ORDER BY 1", &[]);
    assert_eq!(titles, [Some("Café".to_string()), Some("Herons".to_string())]);
    let found: i64 = web.client.value("SELECT count(*) FROM kb_search('herons', 'notes', 'keyword')", &[]);
    assert_eq!(found, 3);
}

#[test]
fn follows_redirects_and_ends_loops() {
    let other = Site::with(&[("/there", Page::article("There", "Text of another site."))]);
    let mut web = Web::start();
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), other.host()));
    web.client = web.database.connect();
    web.site.set_all(&[
        ("/a", Page::redirect("/b")),
        ("/b", Page::redirect("/c").answers(301)),
        ("/c", Page::article("C", "The end of two redirects.")),
        ("/out", Page::redirect(&other.url("/there")).answers(308)),
        ("/loop", Page::redirect("/loop2")),
        ("/loop2", Page::redirect("/loop")),
        ("/nowhere", Page::status(302)),
        ("/mail", Page::redirect("mailto:someone@example.com")),
    ]);
    let sources = ["/a", "/out", "/loop", "/nowhere", "/mail"].map(|path| web.add(path, ""));
    web.work();
    // The order depends on the ports of the two sites.
    let mut expected = [other.url("/there"), "/c".to_string()];
    expected.sort();
    let mut documents = web.documents();
    documents.sort();
    assert_eq!(documents, expected);
    web.succeeded(sources[0]);
    web.succeeded(sources[1]);
    web.is(sources[2], "failed", "redirects more than 5 times");
    web.is(sources[3], "failed", "without the URL of a page");
    web.is(sources[4], "failed", "without the URL of a page");
    assert!(web.site.times("/loop") + web.site.times("/loop2") <= 6);
}

/// A page that sends its readers elsewhere at once.
fn refresh(content: &str) -> Page {
    Page::html(&format!(
        "<title>Redirecting</title><meta http-equiv=refresh content=\"{content}\"><p>Redirecting to the new page.</p>"
    ))
}

/// A page that leads elsewhere by a meta refresh is a redirect, with the same checks and the same result.
#[test]
fn a_meta_refresh_is_a_redirect() {
    let (other, trap) =
        (Site::with(&[("/there", Page::article("There", "Text of another site."))]), Listener::start());
    let mut web = Web::start();
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), other.host()));
    web.client = web.database.connect();
    web.site.set_all(&[
        ("/robots.txt", Page::text("User-agent: *\nDisallow: /private\n")),
        // What the last page says of itself is not asked of the first one.
        ("/a", refresh("0; url=/b").header("etag", "\"d\"")),
        ("/b", Page::redirect("/c")),
        ("/c", refresh("3;URL='d/'")),
        ("/d/", Page::article("D", "The end of three redirects.").header("etag", "\"d\"")),
        ("/out", refresh(&format!("0; url={}", other.url("/there")))),
        ("/loop", refresh("0; url=/loop2")),
        ("/loop2", refresh("0; url=/loop")),
        ("/itself", refresh("0; url=/itself")),
        ("/later", refresh("300; url=/d/")),
        ("/trap", refresh(&format!("0; url={}", trap.url("/")))),
        ("/asks", refresh("0; url=/private/page")),
        ("/private/page", Page::article("Private", "Not for robots.")),
        ("/gone", refresh("0; url=/nowhere")),
    ]);
    let paths = ["/a", "/out", "/loop", "/itself", "/later", "/trap", "/asks", "/gone"];
    let sources = paths.map(|path| web.add(path, ""));
    web.work();
    let mut expected = [other.url("/there"), "/d/".to_string(), "/itself".to_string(), "/later".to_string()];
    expected.sort();
    let mut documents = web.documents();
    documents.sort();
    assert_eq!(documents, expected, "{:#?}", web.sources());
    for (source, part) in sources.into_iter().zip([
        "",
        "",
        "redirects more than 5 times",
        "",
        "",
        "a private address",
        "robots.txt of 127.0.0.1 disallows it",
        "404",
    ]) {
        web.is(source, if part.is_empty() { "indexed" } else { "failed" }, part);
    }
    assert_eq!(web.site.times("/loop") + web.site.times("/loop2"), 6);
    assert_eq!((web.site.times("/private/page"), trap.connections()), (0, 0));
    // The page that leads there has not changed, but what it leads to has.
    web.site.set("/d/", Page::article("D", "The end, changed.").header("etag", "\"d\""));
    web.sync(sources[0]);
    assert!(web.content("/d/").contains("changed"), "{}", web.content("/d/"));
}

/// In a site, too: what it leads to is known by its own URL, and is no page of another site.
#[test]
fn a_meta_refresh_of_a_site_is_a_redirect() {
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["old", "out", "new"])),
        ("/docs/old", refresh("0; url=/docs/new")),
        ("/docs/out", refresh("0; url=/other")),
        ("/docs/new", Page::article("New", "The new page.")),
        ("/other", Page::article("Other", "Not below /docs.")),
    ]));
    let source = web.crawl("/docs/", "");
    web.succeeded(source);
    web.has(&["/docs/", "/docs/new"]);
    assert_eq!(web.page("/docs/out").0, "skipped");
    // What was indexed as a page of its own goes.
    web.site.set("/docs/old", Page::article("Old", "The old page."));
    web.sync(source);
    web.has(&["/docs/", "/docs/new", "/docs/old"]);
    web.site.set("/docs/old", refresh("0; url=new"));
    web.sync(source);
    web.has(&["/docs/", "/docs/new"]);
    web.succeeded(source);
}

/// A source that is one page follows it wherever it goes, and leaves no document behind.
#[test]
fn a_page_that_moves_leaves_no_document_behind() {
    let mut web = Web::from_site(Site::with(&[("/old", Page::article("Old", "Text at the old place."))]));
    let source = web.add("/old", "");
    web.work();
    web.has(&["/old"]);
    web.site.set_all(&[
        ("/old", Page::redirect("/new")),
        ("/new", Page::article("New", "Text at the new place.")),
    ]);
    web.sync(source);
    web.succeeded(source);
    web.has(&["/new"]);
    web.site.set(
        "/new",
        Page::html(
            "<title>New</title><link rel=canonical href=/canonical><p>Text at the new place, renamed.",
        ),
    );
    web.sync(source);
    web.succeeded(source);
    web.has(&["/canonical"]);
}

#[test]
fn a_page_without_text_fails_and_says_why() {
    let mut web = Web::from_site(Site::with(&[
        ("/empty", Page::html("<title>App</title><div id=root></div><script>render()</script>")),
        ("/nothing", Page::html("")),
        ("/image", Page::new("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec())),
        ("/broken.pdf", Page::new("application/pdf", b"%PDF-1.4\nnothing of the kind".to_vec())),
        ("/private", Page::status(403)),
        ("/gone", Page::status(410)),
        ("/asks", Page::html("<meta name=robots content=noindex><p>Text that nobody should find.")),
    ]));
    let paths = ["/empty", "/nothing", "/image", "/broken.pdf", "/private", "/gone", "/asks"];
    let sources = paths.map(|path| web.add(path, ""));
    web.work();
    web.has(&[]);
    for (source, part) in sources.into_iter().zip([
        "the page has no text; if it is made by JavaScript",
        "the page has no text",
        "image",
        "is damaged",
        "403 Forbidden",
        "410",
        "noindex",
    ]) {
        web.is(source, "failed", part);
    }
    // A page that nobody has to look at again is not a failure of the pipeline.
    let failed: Vec<String> = web.client.column("SELECT url FROM kb_rag.failed ORDER BY 1", &[]);
    let expected = ["/broken.pdf", "/empty", "/image", "/nothing", "/private"].map(|path| web.site.url(path));
    assert_eq!(failed, expected);
}

/// The limits hold: 32 MiB, and the time-out of the provider.
#[test]
fn huge_and_slow_pages_fail() {
    let mut web = Web::from_site(Site::with(&[
        ("/huge", Page::text(&"Words without an end. ".repeat(50_000)).repeated(100)),
        ("/slow", Page::article("Slow", "It comes too late.").after(Duration::from_secs(60))),
        ("/fine", Page::article("Fine", "It comes at once.").after(Duration::from_millis(100))),
    ]));
    web.client.run("SELECT kb_provider_set('web', kind => 'web', timeout => '200 ms')");
    let sources = ["/huge", "/slow", "/fine"].map(|path| web.add(path, ""));
    web.work();
    web.has(&["/fine"]);
    web.is(sources[0], "failed", "longer than 33554432 bytes");
    web.is(sources[1], "failed", "within 200ms");
    web.succeeded(sources[2]);
    assert_eq!((web.site.times("/huge"), web.site.times("/slow")), (1, 5));
}

/// No address of the server's own networks is asked, wherever it stands; once allowed, it is.
#[test]
fn private_addresses_are_never_asked() {
    let trap = Listener::start();
    let mut web = Web::start();
    let links = [
        trap.url("/"),
        "http://169.254.169.254/latest/meta-data/".to_string(),
        "http://[::1]/".to_string(),
        "http://localhost/".to_string(),
    ];
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    web.site.set_all(&[
        (
            "/docs/",
            Page::linking(
                "Start",
                "A page with links to private addresses.",
                &[&links[..], &["to-trap", "to-link-local", "to-name", "good"]].concat(),
            ),
        ),
        ("/docs/to-trap", Page::redirect(&trap.url("/"))),
        ("/docs/to-link-local", Page::redirect("http://169.254.169.254/latest/meta-data/")),
        ("/docs/to-name", Page::redirect(&trap.url("/").replace("127.0.0.1", "localhost"))),
        ("/docs/good", Page::article("Good", "A page like others.")),
        (
            "/robots.txt",
            Page::text(&format!(
                "Sitemap: {}\nSitemap: http://169.254.169.254/sitemap.xml\n",
                trap.url("/sitemap.xml")
            )),
        ),
    ]);
    let state = web.client.state_of("SELECT kb_add_url('notes', $1)", &[&trap.url("/")]);
    assert_eq!(state, "42501", "superusers, too");
    for url in
        ["http://169.254.169.254/latest/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/", "http://10.0.0.1/"]
    {
        assert_eq!(web.client.state_of("SELECT kb_add_url('notes', $1)", &[&url]), "42501", "{url}");
    }
    let source = web.crawl("/docs/", ", crawl_depth => 3");
    web.has(&["/docs/", "/docs/good"]);
    for path in ["/docs/to-trap", "/docs/to-link-local", "/docs/to-name"] {
        let (status, error) = web.page(path);
        assert!(status == "failed" && error.contains("private address"), "{path}: {status} {error}");
    }
    web.is(source, "indexed", "3 of 5 pages could not be fetched");
    assert_eq!(trap.connections(), 0);

    // The control: it counts connections, and the same URL is asked for once it may be.
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), trap.host()));
    web.client = web.database.connect();
    web.client.run("SELECT kb_provider_set('web', kind => 'web', timeout => '1 s')");
    web.client.add_url(&trap.url("/"), "");
    web.database.connect().run("CALL kb_work(2)");
    assert!(trap.connections() > 0);
}

/// A title given with a URL is its document's; so is the metadata.
#[test]
fn title_and_metadata_are_those_of_the_source() {
    let mut web = Web::from_site(Site::with(&[("/page", Page::article("Own title", "Some text."))]));
    let source = web.add("/page", "title => 'Given', metadata => '{\"team\": \"a\"}'");
    web.work();
    let kept = |web: &mut Web| -> String {
        web.client.value("SELECT concat_ws(' ', title, metadata, source_type) FROM kb_notes.document", &[])
    };
    assert_eq!(kept(&mut web), "Given {\"team\": \"a\"} webpage");
    // The same URL again gets new settings, which reach a page that has not changed.
    web.site.set("/page", Page::article("Own title", "Some text.").header("etag", "\"1\""));
    let again = web.add("/page", "metadata => '{\"team\": \"b\"}'");
    web.work();
    assert_eq!(again, source);
    assert_eq!(kept(&mut web), "Own title {\"team\": \"b\"} webpage");
}
