//! Pages that a scripted Firecrawl reads: what it is asked, what becomes of its answers, and where its key goes.

use kb_rag_cluster_tests::pipeline::{wait_until_idle, workers};
use kb_rag_cluster_tests::services::{
    Answer, Firecrawl, RemotePage, Service, add, allow_hosts, ended, fetching_base, is_fetched, keys,
    make_due, state, sync, usage,
};
use kb_rag_cluster_tests::{Database, Server, Session, assert_consistent, wait_until};
use postgres::Client;
use serde_json::json;
use uuid::Uuid;

const SECRET: &str = "fc-0123456789secret";
const DOCS: &str = ", content_type => 'docs', scrape_method => 'fc'";

/// `notes`, and the provider `fc`.
struct Fixture {
    client: Client,
    firecrawl: Firecrawl,
    database: Database,
}

impl Fixture {
    fn start(pages: Vec<RemotePage>) -> Fixture {
        let (database, mut client) = fetching_base(&[]);
        let firecrawl = Firecrawl::start(pages);
        set_provider(&mut client, &firecrawl);
        Fixture { client, firecrawl, database }
    }

    /// Adds a site, whose crawl has ended already.
    fn crawl(&mut self, url: &str, more: &str) -> (Uuid, String, String) {
        self.firecrawl.status("completed");
        let source = add(&mut self.client, url, &format!("{DOCS}{more}"));
        let (status, error) = self.end(source);
        (source, status, error)
    }

    fn sync(&mut self, source: Uuid, force: bool) -> (String, String) {
        self.client.value::<i64>("SELECT kb_source_sync($1, $2)", &[&source, &force]);
        self.end(source)
    }

    /// Waits until the crawl was begun, and then until it has ended, without the wait between.
    fn end(&mut self, source: Uuid) -> (String, String) {
        wait_until("the beginning of a crawl", || {
            make_due(&mut self.client);
            is_fetched(&mut self.client)
        });
        state(&mut self.client, source)
    }
}

fn set_provider(client: &mut Client, firecrawl: &Firecrawl) {
    let url = firecrawl.service.url();
    client.run(&format!("SELECT kb_secret_set('fc', '{SECRET}', '{url}')"));
    client.run(&format!(
        "SELECT kb_provider_set('fc', kind => 'firecrawl', base_url => '{url}', api_key => 'secret:fc')"
    ));
}

fn page(name: &str) -> RemotePage {
    let url = format!("https://example.com/docs/{name}");
    RemotePage::new(&url, &format!("Page {name}"), &format!("# Page {name}\n\nAbout {name}."))
}

fn indexed() -> (String, String) {
    ("indexed".to_string(), String::new())
}

#[test]
fn a_page_is_scraped() {
    let mut f = Fixture::start(vec![page("a")]);
    let source =
        add(&mut f.client, "https://example.com/docs/a", ", scrape_method => 'fc', metadata => '{\"x\": 1}'");
    assert_eq!(ended(&mut f.client, source), indexed());
    let row: Vec<String> = f.client.column(
        "SELECT concat_ws('|', source_type, source_key, title, metadata->>'x', content) FROM kb_notes.document",
        &[],
    );
    assert_eq!(row, ["webpage|https://example.com/docs/a|Page a|1|# Page a\n\nAbout a."]);
    let asked = f.firecrawl.service.asked();
    assert_eq!(f.firecrawl.service.paths(), ["POST /v2/scrape"]);
    assert_eq!(
        asked[0].json(),
        json!({
            "url": "https://example.com/docs/a", "formats": ["markdown"], "onlyMainContent": true, "maxAge": 0,
            "skipTlsVerification": false,
        })
    );
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert_eq!(asked[0].header("content-type"), Some("application/json"));
    assert_eq!(usage(&mut f.client, "fc"), (1, 1, 0));
    // It is replaced in place, and goes when it is gone.
    let id: Uuid = f.client.value("SELECT id FROM kb_notes.document", &[]);
    f.firecrawl.pages(vec![RemotePage::new("https://example.com/docs/a", "New", "New text.")]);
    assert_eq!(sync(&mut f.client, source, false), indexed());
    assert_eq!(f.client.value::<Uuid>("SELECT id FROM kb_notes.document WHERE title = 'New'", &[]), id);
    for status in [500, 403] {
        f.firecrawl.pages(vec![RemotePage::status("https://example.com/docs/a", status)]);
        let (status, error) = sync(&mut f.client, source, false);
        assert_eq!((status.as_str(), keys(&mut f.client).len()), ("failed", 1), "{error}");
    }
    f.firecrawl.pages(vec![RemotePage::status("https://example.com/docs/a", 404)]);
    let (status, error) = sync(&mut f.client, source, false);
    assert_eq!((status.as_str(), error.as_str()), ("failed", "the server answered 404"));
    assert_eq!(keys(&mut f.client), [""; 0]);
}

#[test]
fn a_site_is_crawled() {
    let mut f = Fixture::start(["", "a", "b", "c", "d"].map(page).to_vec());
    f.firecrawl.in_parts_of(2);
    let source = add(
        &mut f.client,
        "https://example.com/docs/",
        &format!("{DOCS}, crawl_depth => 3, max_pages => 70, exclude_patterns => '{{/docs/old/*}}'"),
    );
    f.firecrawl.service.wait_for("/v2/crawl/");
    assert_eq!(state(&mut f.client, source).0, "processing");
    assert!(keys(&mut f.client).is_empty());
    f.firecrawl.status("completed");
    assert_eq!(f.end(source), indexed());
    assert_eq!(f.firecrawl.crawls(), 1);
    let begun = &f.firecrawl.service.asked()[0];
    assert_eq!((begun.method.as_str(), begun.path.as_str()), ("POST", "/v2/crawl"));
    let body = begun.json();
    assert_eq!(body["url"], "https://example.com/docs/");
    assert_eq!((&body["maxDiscoveryDepth"], &body["limit"]), (&json!(3), &json!(70)));
    assert_eq!(body["excludePaths"], json!([r"^https?://[^/]*/docs/old/.*$"]));
    assert_eq!(body["includePaths"], json!([r"^https?://[^/]*/docs(?:[/?].*)?$"]));
    assert_eq!(body["regexOnFullURL"], true);
    assert_eq!(body["scrapeOptions"]["formats"], json!(["markdown"]));
    let key = format!("Bearer {SECRET}");
    assert!(f.firecrawl.service.asked().iter().all(|asked| asked.header("authorization") == Some(&key)));
    let paths = f.firecrawl.service.paths();
    let id = "/v2/crawl/00000000-0000-4000-8000-000000000001";
    let end = [
        format!("GET {id}"),
        format!("GET {id}?skip=2"),
        format!("GET {id}?skip=4"),
        format!("GET {id}/errors"),
    ];
    assert!(paths.ends_with(&end), "{paths:?}");
    assert_eq!(
        keys(&mut f.client),
        ["", "a", "b", "c", "d"].map(|name| format!("https://example.com/docs/{name}"))
    );
    assert_eq!(usage(&mut f.client, "fc"), (paths.len() as i64, 5, 0));
    wait_until_idle(&mut f.client);
    assert_consistent(&mut f.client, "notes", "kb_notes");
}

/// Pages with the same text are one document, and part again.
#[test]
fn copies_are_one_document() {
    let url = |name: &str| format!("https://example.com/docs/{name}");
    let copy = |name: &str, text: &str| RemotePage::new(&url(name), "Copy", text);
    let mut f = Fixture::start(vec![page(""), copy("a", "The same."), copy("b", "The same.")]);
    let (source, status, error) = f.crawl("https://example.com/docs/", "");
    assert_eq!((status, error), indexed());
    let documents = |f: &mut Fixture| -> Vec<String> {
        f.client.column(
            "SELECT concat_ws(' ', source_key, content, metadata->>'other_urls') FROM kb_notes.document
             WHERE title = 'Copy' ORDER BY source_key",
            &[],
        )
    };
    let (a, b) = (url("a"), url("b"));
    assert_eq!(documents(&mut f), [format!("{a} The same. [\"{b}\"]")]);
    f.firecrawl.pages(vec![page(""), copy("a", "Another."), copy("b", "The same.")]);
    assert_eq!(f.sync(source, false), indexed());
    assert_eq!(documents(&mut f), [format!("{a} Another."), format!("{b} The same.")]);
}

#[test]
fn pages_that_fail_stay_and_those_that_are_gone_go() {
    let mut f = Fixture::start(["", "a", "b", "c", "d"].map(page).to_vec());
    let (source, ..) = f.crawl("https://example.com/docs/", "");
    assert_eq!(keys(&mut f.client).len(), 5);
    let url = |name: &str| format!("https://example.com/docs/{name}");
    // a is gone, b and c cannot be read, d is not found: as c may have led to it, it stays.
    f.firecrawl.pages(vec![page(""), RemotePage::status(&url("a"), 404), RemotePage::status(&url("b"), 500)]);
    f.firecrawl.errors(&[(&url("c"), "timed out"), ("https://other.example/", "no")], &[&url("private")]);
    let (status, error) = f.sync(source, false);
    assert_eq!(status, "indexed");
    assert!(error.starts_with("2 of 5 pages could not be fetched, first "), "{error}");
    assert_eq!(keys(&mut f.client), ["", "b", "c", "d"].map(url));
    // Without failures d goes; what robots.txt does not allow is none, but a document that there is stays.
    f.firecrawl.pages(["", "b"].map(page).to_vec());
    f.firecrawl.errors(&[], &[&url("private")]);
    assert_eq!(f.sync(source, false), indexed());
    assert_eq!(keys(&mut f.client), ["", "b"].map(url));
    f.firecrawl.pages(vec![page("")]);
    f.firecrawl.errors(&[], &[&url("b")]);
    let (status, error) = f.sync(source, false);
    assert_eq!(status, "indexed");
    assert!(error.contains("robots.txt"), "{error}");
    assert_eq!(keys(&mut f.client), ["", "b"].map(url));
    // A result without pages, and one of another site.
    f.firecrawl.errors(&[], &[]);
    for pages in [vec![], vec![RemotePage::new("https://other.example/docs/", "Other", "Other.")]] {
        f.firecrawl.pages(pages);
        let (status, error) = f.sync(source, false);
        assert_eq!((status.as_str(), error.as_str()), ("failed", "Firecrawl gave no text of it"));
        assert_eq!(keys(&mut f.client).len(), 2);
    }
}

#[test]
fn more_pages_than_max_pages_do_not_look_complete() {
    let mut f = Fixture::start(["", "a", "b", "c", "d"].map(page).to_vec());
    f.firecrawl.in_parts_of(2);
    let (source, status, error) = f.crawl("https://example.com/docs/", ", max_pages => 3");
    let reported = "stopped after 3 pages: raise max_pages to read more";
    assert_eq!((status.as_str(), error.as_str()), ("indexed", reported));
    assert_eq!(keys(&mut f.client).len(), 3);
    // Others come first: none goes.
    f.firecrawl.pages(["c", "d", "", "a", "b"].map(page).to_vec());
    assert_eq!(f.sync(source, false), ("indexed".to_string(), reported.to_string()));
    assert_eq!(keys(&mut f.client).len(), 5);
    let (_, status, error) = f.crawl("https://example.com/docs/", ", exclude_patterns => '{/docs/c}'");
    assert_eq!((status.as_str(), error.as_str(), keys(&mut f.client).len()), ("indexed", "", 4));
}

#[test]
fn a_crawl_that_fails_changes_nothing() {
    let mut f = Fixture::start(["", "a"].map(page).to_vec());
    let (source, ..) = f.crawl("https://example.com/docs/", "");
    for (status, message) in [
        ("failed", "Firecrawl could not crawl the site"),
        ("cancelled", "the crawl was canceled at Firecrawl"),
    ] {
        f.firecrawl.status(status);
        assert_eq!(f.sync(source, false), ("failed".to_string(), message.to_string()));
        assert_eq!(keys(&mut f.client).len(), 2);
    }
    f.firecrawl.status("completed");
    let service = &f.firecrawl.service;
    for (answer, message) in [
        (
            Answer::status(
                402,
                r#"{"success": false, "error": "Insufficient credits to perform this request."}"#,
            ),
            "Firecrawl: the server answered 402 Payment Required: Insufficient credits to perform this request.",
        ),
        (
            Answer::status(
                401,
                format!(r#"{{"success": false, "error": "Unauthorized: Invalid token {SECRET}"}}"#),
            ),
            "Firecrawl: the server answered 401 Unauthorized: Unauthorized: Invalid token ",
        ),
    ] {
        service.next(answer);
        f.client.value::<i64>("SELECT kb_source_sync($1)", &[&source]);
        let (status, error) = ended(&mut f.client, source);
        assert_eq!(status, "failed");
        assert!(error.starts_with(message) && !error.contains(SECRET), "{error}");
        assert_eq!(keys(&mut f.client).len(), 2);
    }
    let reported: i64 = f.client.value("SELECT count(*) FROM kb_rag.failed WHERE reason LIKE '%401%'", &[]);
    assert_eq!(reported, 1);
    assert_eq!(f.sync(source, false), indexed());
}

#[test]
fn the_key_is_nowhere_but_at_firecrawl() {
    let server = Server::start_with(&["-c", "log_min_messages=debug1"]);
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    let firecrawl = Firecrawl::start(vec![page("a")]);
    set_provider(&mut client, &firecrawl);
    let elsewhere = Service::start(|_| Answer::from_body("{}"));
    // Answers that repeat the key, and lead elsewhere.
    let repeated = json!({ "success": true, "data": { "markdown": null, "metadata": {
        "sourceURL": "https://example.com/a", "error": format!("no {SECRET} here"), "statusCode": 200 } } });
    for answer in [
        Answer::json(&repeated),
        Answer::status(302, "").header("location", &elsewhere.url()),
        Answer::status(400, format!(r#"{{"success": false, "error": "bad {SECRET}"}}"#)),
    ] {
        firecrawl.service.next(answer);
        let source = add(&mut client, "https://example.com/a", ", scrape_method => 'fc'");
        let (status, error) = ended(&mut client, source);
        assert_eq!(status, "failed");
        assert!(!error.is_empty() && !error.contains(SECRET), "{error}");
    }
    firecrawl.status("completed");
    let next = format!("{}/v2/crawl/x?skip=1", elsewhere.url());
    firecrawl.service.when(
        "-000000000001",
        Answer::json(&json!({ "success": true, "status": "completed", "data": [], "next": next })),
    );
    let source = add(&mut client, "https://example.com/docs/", DOCS);
    firecrawl.service.wait_for("/v2/crawl");
    wait_until("the end of a crawl", || {
        make_due(&mut client);
        state(&mut client, source).0 == "failed"
    });
    let (_, error) = state(&mut client, source);
    assert_eq!(error, "the next part of Firecrawl's answer is not on the same server");
    assert_eq!(elsewhere.asked().len(), 0);
    let tables: Vec<String> = client.column(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname IN ('kb_rag', 'kb_notes')
         AND tablename <> 'secret'",
        &[],
    );
    assert!(tables.len() > 10);
    for table in tables {
        let found: i64 =
            client.value(&format!("SELECT count(*) FROM {table} t WHERE t::text LIKE '%{SECRET}%'"), &[]);
        assert_eq!(found, 0, "{table}");
    }
    client.run("DO $$ BEGIN RAISE LOG 'the control'; END $$");
    assert!(server.log().contains("the control"));
    assert!(!server.log().contains(SECRET));
}

#[test]
fn limits_of_calls_are_waited_for() {
    let mut f = Fixture::start(vec![page("")]);
    f.firecrawl.status("completed");
    let message = "Rate limit exceeded. Consumed (req/min): 11. Please retry after 40s, resets at noon";
    let limited = || Answer::status(429, json!({ "success": false, "error": message }).to_string());
    f.firecrawl.service.next(limited());
    let source = add(&mut f.client, "https://example.com/docs/", DOCS);
    let waits =
        "SELECT count(*) FROM kb_rag.job WHERE kind = 'source' AND error LIKE '%429%' AND worker IS NULL
                 AND due_at BETWEEN now() + interval '20 s' AND now() + interval '41 s'";
    wait_until("a source that waits", || f.client.value::<i64>(waits, &[]) == 1);
    let reported: String = f.client.value("SELECT reason FROM kb_rag.failed", &[]);
    assert!(reported.contains("429 Too Many Requests") && reported.contains("retry after 40s"), "{reported}");
    assert_eq!(f.end(source), indexed());
    assert_eq!(keys(&mut f.client).len(), 1);
}

#[test]
fn failures_between_polls_do_not_add_up() {
    let mut f = Fixture::start(vec![page("")]);
    let source = add(&mut f.client, "https://example.com/docs/", DOCS);
    f.firecrawl.service.wait_for("/v2/crawl");
    for _ in 0..7 {
        for answer in [Some(Answer::status(503, "")), None] {
            wait_until("a source that waits", || {
                f.client.value(
                    "SELECT EXISTS (SELECT FROM kb_rag.job WHERE kind = 'source' AND worker IS NULL)",
                    &[],
                )
            });
            f.firecrawl.service.forget();
            answer.into_iter().for_each(|answer| f.firecrawl.service.next(answer));
            make_due(&mut f.client);
            f.firecrawl.service.wait_for("/v2/crawl/");
        }
    }
    assert_eq!(state(&mut f.client, source).0, "processing");
    f.firecrawl.status("completed");
    assert_eq!(f.end(source), indexed());
    assert_eq!(f.firecrawl.crawls(), 1);
}

#[test]
fn private_targets_are_refused() {
    let mut f = Fixture::start(vec![page("")]);
    for url in
        ["http://127.0.0.1/", "http://[::1]:80/", "http://10.0.0.1/x", "http://169.254.169.254/latest/"]
    {
        for more in [", scrape_method => 'fc'", DOCS] {
            let call = format!("SELECT kb_add_url('notes', '{url}'{more})");
            assert_eq!(f.client.state_of(&call, &[]), "42501", "{url}");
        }
    }
    assert_eq!(f.firecrawl.service.asked().len(), 0);
    allow_hosts(&mut f.client, &f.database, &["127.0.0.1:80".to_string()]);
    assert_eq!(
        f.client.state_of("SELECT kb_add_url('notes', 'http://127.0.0.1/', scrape_method => 'fc')", &[]),
        "00000"
    );
    wait_until_idle(&mut f.client);
}

#[test]
fn a_provider_of_another_role_reaches_no_private_address() {
    let (database, mut client) = fetching_base(&[]);
    let firecrawl = Firecrawl::start(vec![page("a")]);
    let owner = database.create_owner("owner");
    let mut theirs = database.connect_as(&owner);
    theirs.run("SELECT kb_create('theirs', model => 'fake/test', dimensions => 8)");
    theirs.run(&format!(
        "SELECT kb_provider_set('fc', kind => 'firecrawl', base_url => '{}')",
        firecrawl.service.url()
    ));
    let add = "SELECT kb_add_url('theirs', 'https://example.com/docs/a', scrape_method => 'fc')";
    let source: Uuid = theirs.value(add, &[]);
    let idle = |client: &mut Client| {
        wait_until("the end of a crawl", || is_fetched(client));
    };
    idle(&mut client);
    let status = "SELECT status || ': ' || coalesce(error_message, '') FROM kb_source_list('theirs') WHERE source_id = $1";
    let reported: String = theirs.value(status, &[&source]);
    assert!(reported.starts_with("failed: not allowed to fetch from 127.0.0.1:"), "{reported}");
    assert_eq!(firecrawl.service.asked().len(), 0);
    allow_hosts(&mut client, &database, &[firecrawl.service.address()]);
    theirs.value::<i64>("SELECT kb_source_sync($1)", &[&source]);
    idle(&mut client);
    assert_eq!(theirs.value::<String>(status, &[&source]), "indexed: ");
}

#[test]
fn a_worker_that_is_killed_continues_the_crawl() {
    // kill -9 makes the server restart all its processes.
    let server = Server::start();
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    let pages: Vec<RemotePage> = (0..30).map(|n| page(&format!("p{n}"))).collect();
    let firecrawl = Firecrawl::start(pages);
    set_provider(&mut client, &firecrawl);
    let source = add(&mut client, "https://example.com/docs/", DOCS);
    firecrawl.service.wait_for("/v2/crawl");
    wait_until("a crawl that was begun", || {
        client.value("SELECT EXISTS (SELECT FROM kb_rag.web_schedule WHERE remote_crawl IS NOT NULL)", &[])
    });
    // While it waits, during a poll, and while pages are being written.
    for when in ["waiting", "polling", "writing"] {
        let mut blocker = server.connect();
        if when == "writing" {
            firecrawl.status("completed");
            blocker.run("BEGIN; LOCK TABLE kb_notes.document IN SHARE MODE");
        }
        let worker = match when {
            "waiting" => workers(&mut client)[0],
            _ => {
                firecrawl.service.forget();
                firecrawl.service.hold(if when == "polling" { "/v2/crawl/" } else { "nothing" });
                make_due(&mut client);
                client.run("SELECT count(*) FROM kb_list()");
                firecrawl.service.wait_for("/v2/crawl/");
                let mut found = Vec::new();
                wait_until("a worker at work", || {
                    found = client.column::<i32>(
                        "SELECT j.worker FROM kb_rag.job j JOIN pg_stat_activity a ON a.pid = j.worker
                         WHERE kind = 'source' AND ($1 OR a.wait_event_type = 'Lock')",
                        &[&(when == "polling")],
                    );
                    !found.is_empty()
                });
                found[0]
            }
        };
        client = server.kill(worker);
        firecrawl.service.release();
    }
    client.run("SELECT count(*) FROM kb_list()");
    wait_until("the end of a crawl", || {
        make_due(&mut client);
        is_fetched(&mut client)
    });
    assert_eq!(state(&mut client, source), indexed());
    assert_eq!((firecrawl.crawls(), keys(&mut client).len()), (1, 30));
    wait_until_idle(&mut client);
    assert_consistent(&mut client, "notes", "kb_notes");
}

#[test]
fn kinds_are_told_apart() {
    let mut f = Fixture::start(vec![page("a")]);
    f.client.run("SELECT kb_provider_set('other', kind => 'openai', base_url => 'https://example.com/v1')");
    for method in ["nothing", "other", "openai", "web", "github", "", "Basic"] {
        let call = format!("SELECT kb_add_url('notes', 'https://example.com/', scrape_method => '{method}')");
        assert_eq!(f.client.state_of(&call, &[]), "22023", "{method}");
    }
    for call in [
        "SELECT kb_add_url('notes', 'https://github.com/o/n', content_type => 'github', scrape_method => 'fc')",
        "SELECT kb_embed('text', 'fc/x', 8)",
        "SELECT kb_embed('text', 'web/x', 8)",
        "SELECT kb_embed('text', 'github/x', 8)",
        "SELECT kb_create('more', model => 'fc/x', dimensions => 8)",
        "SELECT kb_create('more', model => 'web/x', dimensions => 8)",
        "SELECT kb_configure('notes', model => 'fc/x', dimensions => 8)",
        "SELECT kb_provider_set('web', base_url => 'https://example.com/')",
        "SELECT kb_provider_set('web', api_key => 'secret:fc')",
        "SELECT kb_provider_set('web', headers => '{\"user-agent\": \"secret:fc\"}')",
        "SELECT kb_provider_set('web', headers => '{\"authorization\": \"x\"}')",
        "SELECT kb_provider_set('web', headers => '{\"cookie\": \"x\"}')",
        "SELECT kb_provider_set('web', kind => 'firecrawl')",
        "SELECT kb_provider_set('fc', kind => 'web')",
    ] {
        assert_eq!(f.client.state_of(call, &[]), "22023", "{call}");
    }
    assert_eq!(f.firecrawl.service.asked().len(), 0);
}

#[test]
fn sites_see_the_user_agent_of_the_provider_web() {
    let site = Service::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404, ""),
        _ => {
            Answer::from_body("<title>A</title><p>Some text of the page.").header("content-type", "text/html")
        }
    });
    let (_database, mut client) = fetching_base(&[site.address()]);
    let source = add(&mut client, &format!("{}/a", site.url()), "");
    assert_eq!(ended(&mut client, source), indexed());
    let agents = |site: &Service| {
        let asked = site.asked();
        asked
            .iter()
            .map(|asked| asked.header("user-agent").unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    };
    assert!(agents(&site).iter().all(|agent| agent.starts_with("kb_rag/")), "{:?}", agents(&site));
    site.forget();
    client.run("SELECT kb_provider_set('web', headers => '{\"user-agent\": \"Mirror/1.0 (+https://example.com/bot)\"}')");
    assert_eq!(sync(&mut client, source, true), indexed());
    assert!(!agents(&site).is_empty());
    assert!(
        agents(&site).iter().all(|agent| agent == "Mirror/1.0 (+https://example.com/bot)"),
        "{:?}",
        agents(&site)
    );
}
