//! Pages of a source with the same text and title: they share one document, which has the other URLs in its metadata.

use kb_rag_cluster_tests::mock::{Gate, Mock};
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle, without_vector};
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};
use kb_rag_cluster_tests::{Outcome, Session};
use uuid::Uuid;

/// The URLs of one page.
const HOME: [&str; 4] = ["/docs/", "/docs", "/docs/?ref=nav", "/docs/index.html"];

/// Links in a menu are no part of the text.
fn menu(text: &str, links: &[&str]) -> Page {
    let links: String = links.iter().map(|link| format!("<a href=\"{link}\">Menu</a> ")).collect();
    Page::html(&format!("<title>Home</title><body><nav>{links}</nav><main><h1>Home</h1><p>{text}</p></main>"))
}

fn home(text: &str) -> Page {
    menu(text, &["/docs/", "/docs", "/docs/index.html", "/docs/?ref=nav", "/docs/other"])
}

/// Sets the page at all of its URLs.
fn set_home(site: &Site, text: &str) {
    for path in HOME {
        site.set(path, home(text));
    }
}

/// A page at four URLs, and another one.
fn site() -> Site {
    let site = Site::with(&[("/docs/other", Page::article("Other", "Another page of the manual."))]);
    set_home(&site, "Welcome to the pump manual.");
    site
}

/// The other URLs of the document of a path, without the site.
fn others(web: &mut Web, path: &str) -> Vec<String> {
    let urls: Vec<String> = web.client.column(
        "SELECT u FROM kb_notes.document d, jsonb_array_elements_text(coalesce(d.metadata->'other_urls', '[]')) u
         WHERE d.source_key = $1 ORDER BY u COLLATE \"C\"",
        &[&web.site.url(path)],
    );
    let root = web.site.url("");
    urls.iter().map(|url| url.replace(&root, "")).collect()
}

fn id(web: &mut Web, path: &str) -> Uuid {
    let url = web.site.url(path);
    web.client.value("SELECT id FROM kb_notes.document WHERE source_key = $1", &[&url])
}

/// The row versions of documents and vectors.
fn versions(web: &mut Web) -> Vec<String> {
    web.client.column(
        "SELECT concat_ws(' ', id, xmin) FROM kb_notes.document
         UNION ALL SELECT concat_ws(' ', id, xmin) FROM kb_notes.chunk ORDER BY 1",
        &[],
    )
}

/// Every chunk with the version of its vector.
fn vectors(web: &mut Web) -> Vec<String> {
    web.client.column(
        "SELECT concat_ws(' ', c.document_id, c.id, e.xmin) FROM kb_notes.chunk c
         LEFT JOIN kb_notes.embedding e ON e.chunk_id = c.id ORDER BY 1",
        &[],
    )
}

/// A site whose base is embedded by a mock, and was fetched.
fn embedded(site: Site) -> (Web, Uuid, Mock) {
    let mock = Mock::openai();
    let mut web = Web::from_site(site);
    web.client.set_provider("mock", &mock);
    web.client.run("SELECT kb_drop('notes')");
    web.client.create_remote_base("notes", "mock/small");
    let source = web.crawl("/docs/", ", crawl_depth => 2");
    web.succeeded(source);
    (web, source, mock)
}

#[test]
fn copies_are_one_document() {
    let mut web = Web::from_site(site());
    let source = web.crawl("/docs/", "");
    web.succeeded(source);
    web.has(&["/docs/", "/docs/other"]);
    assert_eq!(others(&mut web, "/docs/"), HOME[1..]);
    assert_eq!(others(&mut web, "/docs/other"), [""; 0]);
    let found: Vec<String> =
        web.client.column("SELECT source FROM kb_search('welcome pump manual', 'notes', 'keyword') WHERE content LIKE '%Welcome%'", &[]);
    assert_eq!(found, [web.site.url("/docs/")]);
    let counts: String = web.client.value(
        "SELECT concat_ws(' ', l.documents, s.documents, s.rows_read, s.rows_before, (SELECT documents FROM kb_rag.status))
         FROM kb_source_list() l JOIN kb_rag.source_status s USING (source_id)",
        &[],
    );
    assert_eq!(counts, "2 2 5 5 2");
    // The same again costs nothing, whatever the bytes around the text are.
    let before = versions(&mut web);
    for path in &HOME[1..] {
        web.site.set(path, menu("Welcome to the pump manual.", &["/docs/", path, "/docs/other"]));
    }
    web.sync(source);
    web.force(source);
    web.has(&["/docs/", "/docs/other"]);
    assert_eq!(versions(&mut web), before);
}

/// Whatever the URLs are, and whatever else is the same.
#[test]
fn other_texts_and_titles_stay_apart() {
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "a/", "a?x", "b", "agent"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/docs/a/", Page::article("A", "The page a, with a slash.")),
        ("/docs/a?x", Page::article("A?", "The page a.")),
        ("/docs/b", Page::article("B", "The page a.")),
        ("/docs/agent", Page::article("Agent", "A page of agents.")),
    ]));
    web.crawl("/docs/", "");
    let all = ["/docs/", "/docs/a", "/docs/a/", "/docs/a?x", "/docs/agent", "/docs/b"];
    web.has(&all);
    // Another source, another agent, and other metadata.
    let agents = [Uuid::from_u128(1), Uuid::from_u128(2)];
    for agent in agents {
        web.add("/docs/agent", &format!("agent_id => '{agent}'"));
    }
    web.add("/docs/a", "metadata => '{\"team\": \"a\"}'");
    web.work();
    let count: i64 = web.client.value("SELECT count(*) FROM kb_notes.document", &[]);
    assert_eq!(count, all.len() as i64 + 3, "{:#?}", web.sources());
}

/// The name does not depend on which page was read first.
#[test]
fn the_name_does_not_depend_on_the_order() {
    for links in [["z", "long-name", "b"], ["b", "z", "long-name"], ["long-name", "b", "z"]] {
        let mut web = Web::from_site(Site::with(&[("/docs/", Page::linking("Start", "First.", &links))]));
        for link in links {
            web.site.set(&format!("/docs/{link}"), Page::article("Copy", "The same text."));
        }
        let source = web.crawl("/docs/", "");
        web.has(&["/docs/", "/docs/b"]);
        assert_eq!(others(&mut web, "/docs/b"), ["/docs/long-name", "/docs/z"]);
        // A URL that others name as canonical or redirect to is better, and it stays.
        web.site.set("/docs/z", Page::redirect("/docs/long-name"));
        for _ in 0..2 {
            web.sync(source);
            web.has(&["/docs/", "/docs/long-name"]);
            assert_eq!(others(&mut web, "/docs/long-name"), ["/docs/b", "/docs/z"]);
        }
    }
}

/// A page that names another one as canonical, and is read before it.
#[test]
fn canonical_copies_are_told() {
    let copy =
        |text: &str| Page::html(&format!("<title>A</title><link rel=canonical href=/docs/a><p>{text}"));
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["print", "a", "a?sid=1", "b"])),
        ("/docs/print", copy("Printed: the page a.")),
        ("/docs/a", Page::html("<title>A</title><p>The page a.")),
        ("/docs/a?sid=1", copy("The page a.")),
        ("/docs/b", Page::html("<title>A</title><p>The page a.")),
    ]));
    let source = web.crawl("/docs/", "");
    for _ in 0..2 {
        web.succeeded(source);
        web.has(&["/docs/", "/docs/a"]);
        assert_eq!(others(&mut web, "/docs/a"), ["/docs/a?sid=1", "/docs/b", "/docs/print"]);
        assert_eq!(web.page("/docs/print"), ("indexed".to_string(), String::new()));
        assert!(web.content("/docs/a").starts_with("The page a."), "{}", web.content("/docs/a"));
        web.sync(source);
    }
}

/// A page that names one of several copies as canonical leads to their document, and does not part them.
#[test]
fn a_canonical_page_may_be_a_copy_itself() {
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "a/", "print"])),
        ("/docs/a", Page::html("<title>A</title><p>The page a.")),
        ("/docs/a/", Page::html("<title>A</title><p>The page a.")),
        (
            "/docs/print",
            Page::html("<title>A</title><link rel=canonical href=/docs/a/><p>Printed: the page a."),
        ),
    ]));
    let source = web.crawl("/docs/", "");
    for _ in 0..2 {
        web.succeeded(source);
        web.has(&["/docs/", "/docs/a/"]);
        assert_eq!(others(&mut web, "/docs/a/"), ["/docs/a", "/docs/print"]);
        assert!(web.content("/docs/a/").starts_with("The page a."), "{}", web.content("/docs/a/"));
        web.sync(source);
    }
}

/// Where the URL that names a document goes, another one takes its place, with the same text and vectors.
#[test]
fn another_url_takes_the_place_of_one_that_is_gone() {
    let (mut web, source, mock) = embedded(site());
    let (before, calls) = (vectors(&mut web), mock.calls().len());
    let document = id(&mut web, "/docs/");
    for (gone, named, left) in [
        ("/docs/index.html", "/docs/", &["/docs", "/docs/?ref=nav"][..]),
        ("/docs", "/docs/", &["/docs/?ref=nav"]),
    ] {
        web.site.remove(gone);
        web.sync(source);
        web.succeeded(source);
        assert_eq!(
            (id(&mut web, named), others(&mut web, named)),
            (document, left.iter().map(|path| path.to_string()).collect())
        );
    }
    // Not found any more: nothing links to it.
    web.site.set("/docs/", menu("Welcome to the pump manual.", &["/docs/other"]));
    web.sync(source);
    assert_eq!((id(&mut web, "/docs/"), others(&mut web, "/docs/")), (document, vec![]));
    set_home(&web.site, "Welcome to the pump manual.");
    web.sync(source);
    assert_eq!(
        (id(&mut web, "/docs/"), others(&mut web, "/docs/")),
        (document, HOME[1..].iter().map(|path| path.to_string()).collect())
    );
    // A page that could not be fetched keeps its place.
    web.site.set("/docs", Page::status(403));
    web.sync(source);
    assert_eq!(others(&mut web, "/docs/"), HOME[1..]);
    assert_eq!((vectors(&mut web), mock.calls().len()), (before, calls));
}

/// The vectors of a document that gets another name stay.
#[test]
fn a_new_name_keeps_text_and_vectors() {
    let (mut web, source, mock) = embedded(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["b", "a"])),
        ("/docs/a", Page::article("Copy", "The same text of two pages.")),
        ("/docs/b", Page::article("Copy", "The same text of two pages.")),
    ]));
    web.has(&["/docs/", "/docs/a"]);
    let (before, calls) = (vectors(&mut web), mock.calls().len());
    assert!(!before.is_empty());
    web.site.set("/docs/a", Page::status(410));
    web.sync(source);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/b"]);
    assert_eq!(others(&mut web, "/docs/b"), [""; 0]);
    assert_eq!((vectors(&mut web), mock.calls().len()), (before, calls));
    let kept: String = web.client.value(
        "SELECT concat_ws(' ', d.status, c.metadata->>'source_url') FROM kb_notes.document d
         JOIN kb_notes.chunk c ON c.document_id = d.id WHERE d.source_key LIKE '%/docs/b'",
        &[],
    );
    assert_eq!(kept, format!("indexed {}", web.site.url("/docs/b")));
}

/// Where the text of the URL that names a document changes, the others keep it; and come together again.
#[test]
fn a_text_that_changes_parts_them() {
    let (mut web, source, _mock) = embedded(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "b", "c"])),
        ("/docs/a", Page::article("Copy", "The same text of three pages.")),
        ("/docs/b", Page::article("Copy", "The same text of three pages.")),
        ("/docs/c", Page::article("Copy", "The same text of three pages.")),
    ]));
    web.has(&["/docs/", "/docs/a"]);
    let document = id(&mut web, "/docs/a");
    let of_document = |web: &mut Web| -> Vec<String> {
        vectors(web).into_iter().filter(|row| row.starts_with(&document.to_string())).collect()
    };
    let before = of_document(&mut web);
    // That of the name.
    web.site.set("/docs/a", Page::article("Copy", "A text of its own."));
    web.sync(source);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    assert_eq!(id(&mut web, "/docs/b"), document);
    assert_eq!(
        (others(&mut web, "/docs/a"), others(&mut web, "/docs/b")),
        (vec![], vec!["/docs/c".to_string()])
    );
    assert_eq!(of_document(&mut web), before);
    assert!(web.content("/docs/b").contains("three pages") && web.content("/docs/a").contains("its own"));
    assert_eq!(without_vector(&mut web.client, "kb_notes"), 0);
    // That of another one.
    web.site.set("/docs/c", Page::article("Copy", "A third text."));
    web.sync(source);
    web.has(&["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    assert_eq!(of_document(&mut web), before);
    assert_eq!(others(&mut web, "/docs/b"), [""; 0]);
    // All of them in the same way, as when a page is edited: the document stays.
    for path in ["/docs/a", "/docs/b", "/docs/c"] {
        web.site.set(path, Page::article("Copy", "The same text of three pages, edited."));
    }
    for _ in 0..2 {
        web.sync(source);
        web.succeeded(source);
        web.has(&["/docs/", "/docs/a"]);
        assert_eq!(others(&mut web, "/docs/a"), ["/docs/b", "/docs/c"]);
        assert!(web.content("/docs/a").contains("edited"));
    }
    assert_eq!(without_vector(&mut web.client, "kb_notes"), 0);
}

/// A page that is edited keeps its document at all of its URLs, however many pages of a site are.
#[test]
fn an_edited_page_keeps_its_document() {
    let (mut web, source, _mock) = embedded(site());
    let document = id(&mut web, "/docs/");
    set_home(&web.site, "Welcome to the manual of the new pump.");
    web.sync(source);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/other"]);
    assert_eq!(id(&mut web, "/docs/"), document);
    assert_eq!(others(&mut web, "/docs/"), HOME[1..]);
    assert!(web.content("/docs/").contains("new pump"));
    assert_eq!(without_vector(&mut web.client, "kb_notes"), 0);
    let pending: i64 =
        web.client.value("SELECT count(*) FROM kb_notes.document WHERE status <> 'indexed'", &[]);
    assert_eq!(pending, 0);
}

/// All pages answer with the same notice: their documents stay, as with any other loss of most pages.
#[test]
fn one_notice_for_all_pages_empties_nothing() {
    let paths = ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d"];
    let map: String = paths.iter().map(|path| format!("<url><loc>{path}</loc></url>")).collect();
    let site =
        Site::with(&[("/sitemap.xml", Page::new("application/xml", format!("<urlset>{map}</urlset>")))]);
    let write = |site: &Site| {
        for path in paths {
            site.set(path, Page::article(path, &format!("The page at {path} of the manual.")));
        }
    };
    write(&site);
    let mut web = Web::from_site(site);
    let source = web.crawl("/docs/", "");
    web.has(&paths);
    let before: Vec<Uuid> = web.client.column("SELECT id FROM kb_notes.document ORDER BY 1", &[]);
    for path in paths {
        web.site.set(path, Page::article("Sorry", "This site is being maintained."));
    }
    for _ in 0..2 {
        web.sync(source);
        web.is(source, "failed", "4 of 5 pages would be removed");
        web.has(&paths);
    }
    write(&web.site);
    web.sync(source);
    web.succeeded(source);
    web.has(&paths);
    assert_eq!(web.client.column::<Uuid>("SELECT id FROM kb_notes.document ORDER BY 1", &[]), before);
    for path in paths {
        assert!(web.content(path).contains(&format!("page at {path} of")), "{}", web.content(path));
    }
}

/// A document that was deleted comes back as one.
#[test]
fn a_deleted_document_comes_back_as_one() {
    let mut web = Web::from_site(site());
    let source = web.crawl("/docs/", "");
    web.client.run("SELECT kb_delete(id) FROM kb_notes.document WHERE title = 'Home'");
    web.has(&["/docs/other"]);
    web.sync(source);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/other"]);
    assert_eq!(others(&mut web, "/docs/"), HOME[1..]);
}

/// As kb_rag 0.3 left it: a document for each URL, and pages whose URLs it did not note.
fn as_before(web: &mut Web) {
    for path in &HOME[1..] {
        let (from, to) = (web.site.url("/docs/"), web.site.url(path));
        web.client.run(&format!(
            "INSERT INTO kb_notes.document (source_id, source_type, source_key, title, content, mime_type, metadata, file_hash)
             SELECT source_id, source_type, '{to}', title, content, mime_type, metadata - 'other_urls', file_hash
             FROM kb_notes.document WHERE source_key = '{from}';
             UPDATE kb_rag.web_page SET document_id = (SELECT id FROM kb_notes.document WHERE source_key = '{to}') WHERE url = '{to}'"
        ));
    }
    web.client.run(
        "UPDATE kb_notes.document SET metadata = metadata - 'other_urls';
         UPDATE kb_rag.web_page SET document_key = NULL, parted_from = NULL, etag = NULL, last_modified = NULL",
    );
}

#[test]
fn documents_of_before_are_joined_by_the_next_sync() {
    let mut web = Web::from_site(site());
    let source = web.crawl("/docs/", "");
    let oldest = id(&mut web, "/docs/");
    as_before(&mut web);
    web.has(&["/docs", "/docs/", "/docs/?ref=nav", "/docs/index.html", "/docs/other"]);
    web.sync(source);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/other"]);
    assert_eq!(
        (id(&mut web, "/docs/"), others(&mut web, "/docs/")),
        (oldest, HOME[1..].iter().map(|path| path.to_string()).collect())
    );
}

/// Metadata that somebody has given a document keep it apart.
#[test]
fn documents_with_other_metadata_are_not_joined() {
    let page = || Page::article("Copy", "The same text.").header("etag", "\"1\"");
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "First.", &["a", "b"])),
        ("/docs/a", page()),
        ("/docs/b", Page::article("Copy", "Another text.")),
    ]));
    let source = web.crawl("/docs/", "");
    web.client.run(
        "UPDATE kb_notes.document SET metadata = metadata || '{\"team\": \"x\"}' WHERE source_key LIKE '%/a'",
    );
    web.site.set("/docs/b", Page::article("Copy", "The same text."));
    web.sync(source);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
}

/// Two workers fetch two copies of one page at once.
#[test]
fn two_workers_make_one_document() {
    let mut web = Web::from_site(Site::with(&[
        ("/docs/", Page::linking("Start", "First.", &["a", "b"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/docs/b", Page::article("B", "The page b.")),
    ]));
    let source = web.crawl("/docs/", "");
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    let gate = Gate::new();
    web.site.forget();
    for path in ["/docs/a", "/docs/b"] {
        web.site.set(path, Page::article("Copy", "The same text.").held(&gate));
    }
    // Without their documents, neither is older.
    web.client.run("SELECT kb_refresh(id) FROM kb_notes.document WHERE title <> 'Start'");
    web.client.run("SELECT kb_delete(id) FROM kb_notes.document WHERE title <> 'Start'");
    let workers = web.two_workers();
    web.site.wait_for("/docs/a");
    web.site.wait_for("/docs/b");
    gate.open();
    for worker in workers {
        assert_eq!(Outcome::joined(worker, "a worker that fetches a copy").state, "00000");
    }
    wait_until_idle(&mut web.client);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a"]);
    assert_eq!(others(&mut web, "/docs/a"), ["/docs/b"]);
}

/// kb_refresh fetches all pages of a document.
#[test]
fn refresh_fetches_all_copies() {
    let mut web = Web::from_site(site());
    let source = web.crawl("/docs/", "");
    let document = id(&mut web, "/docs/");
    set_home(&web.site, "Welcome to the new pump.");
    web.site.forget();
    web.client.execute("SELECT kb_refresh($1)", &[&document]).expect("refreshed");
    web.work();
    let mut paths = web.site.paths();
    // With the first page come its sitemaps.
    paths.retain(|path| path != "/sitemap.xml");
    paths.sort();
    let mut expected = HOME;
    expected.sort();
    assert_eq!(paths, expected);
    web.succeeded(source);
    web.has(&["/docs/", "/docs/other"]);
    assert_eq!(id(&mut web, "/docs/"), document);
    assert!(web.content("/docs/").contains("new pump"));
    let state = web.client.add_url(&web.site.url("/docs/"), "content_type => 'docs'");
    assert_eq!(state, source);
}
