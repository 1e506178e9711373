//! Waits that hosts ask for by Retry-After: they are bounded and shown, and kb_source_sync with `force` and kb_retry end them for
//! one try of a source.

use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::Web;
use kb_rag_cluster_tests::{Database, Session};
use uuid::Uuid;

const YEAR: &str = "31536000";

fn busy(seconds: &str) -> Page {
    Page::status(503).header("retry-after", seconds)
}

fn good() -> Page {
    Page::article("Good", "A page that is there.")
}

/// Adds a page of the site to a base of its own, which is made.
fn add_to(web: &mut Web, base: &str, path: &str) -> Uuid {
    web.client
        .run(&format!("SELECT kb_create('{base}', model => 'fake/test', dimensions => 8, embed => 'off')"));
    let url = web.site.url(path);
    web.client.value("SELECT kb_add_url($1, $2)", &[&base, &url])
}

/// A host that one page of `notes` has frozen, and a page of another base that waits for it.
fn frozen() -> (Web, Uuid, Uuid) {
    let mut web = Web::from_site(Site::with(&[("/busy", busy(YEAR)), ("/good", good())]));
    let first = web.add("/busy", "");
    web.work();
    let other = add_to(&mut web, "other", "/good");
    web.work();
    assert_eq!((web.site.times("/busy"), web.site.times("/good")), (1, 0));
    (web, first, other)
}

/// In how many seconds the host is asked again.
fn seconds(web: &mut Web) -> f64 {
    web.client.value("SELECT extract(epoch FROM max(next_at) - now())::float8 FROM kb_rag.web_host", &[])
}

fn force(web: &mut Web, source: Uuid) -> usize {
    let before = web.site.paths().len();
    web.force(source);
    web.site.paths()[before..].iter().filter(|path| *path != "/robots.txt").count()
}

#[test]
fn a_wait_is_bounded_and_shown() {
    let (mut web, first, other) = frozen();
    let wait = seconds(&mut web);
    assert!((3500.0..=3600.0).contains(&wait), "{wait}");
    let due: f64 =
        web.client.value("SELECT extract(epoch FROM max(due_at) - now())::float8 FROM kb_rag.job", &[]);
    assert!((3500.0..=3602.0).contains(&due), "{due}");
    let said = ": the server answered 503 Service Unavailable";
    for source in [first, other] {
        web.is(source, "processing", "the server asked to wait until 2");
        web.is(source, "processing", said);
        let status: String = web
            .client
            .value("SELECT error_message FROM kb_rag.source_status WHERE source_id = $1", &[&source]);
        assert_eq!(status, web.status(source).1);
        let failed: bool = web.client.value(
            "SELECT reason LIKE 'the server asked to wait until 2%: the server answered 503 Service Unavailable'
                 AND next_try BETWEEN now() + interval '58 minutes' AND now() + interval '61 minutes'
             FROM kb_rag.failed WHERE source_id = $1",
            &[&source],
        );
        assert!(failed);
    }
    let paused: Vec<String> =
        web.client.column("SELECT paused FROM kb_rag.status ORDER BY knowledge_base", &[]);
    let host = web.site.url("");
    for paused in &paused {
        assert!(paused.starts_with(&format!("{host} for 3")), "{paused}");
        assert!(paused.ends_with(&format!(" s: the server asked to wait{said}")), "{paused}");
    }
    assert_eq!(paused.len(), 2);
}

/// A source that is fetched again without `force` waits as the others do.
#[test]
fn only_force_ends_a_wait() {
    let (mut web, first, other) = frozen();
    web.sync(other);
    assert_eq!(web.site.times("/good"), 0);
    web.is(other, "processing", "the server asked to wait until 2");
    let third = add_to(&mut web, "third", "/good?again");
    web.site.set("/good?again", good());
    web.work();
    assert_eq!(web.site.times("/good?again"), 0);
    // The host answers as it should: the others are fetched at once, but not the page that made them wait.
    web.force(other);
    web.succeeded(other);
    web.succeeded(third);
    assert_eq!([web.site.times("/busy"), web.site.times("/good"), web.site.times("/good?again")], [1, 1, 1]);
    web.is(first, "processing", "the server asked to wait until 2");
    web.site.set("/busy", good());
    web.force(first);
    web.succeeded(first);
    assert_eq!(web.client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
    assert_eq!(
        web.client.value::<i64>("SELECT count(*) FROM kb_rag.status WHERE paused IS NOT NULL", &[]),
        0
    );
}

/// At most once a minute; others wait as the host answered last.
#[test]
fn a_try_that_fails_is_the_only_one_of_its_minute() {
    let (mut web, _, other) = frozen();
    web.site.set("/good", busy("1200"));
    assert_eq!(force(&mut web, other), 1);
    let wait = seconds(&mut web);
    assert!((1100.0..=1200.0).contains(&wait), "{wait}");
    web.is(other, "processing", "the server asked to wait until 2");
    assert_eq!(force(&mut web, other), 0, "a minute has not passed");
    web.client.run("SELECT kb_retry('other')");
    web.work();
    assert_eq!(web.site.times("/good"), 1);
    // No answer at all ends no wait either.
    web.client.run("UPDATE kb_rag.web_try SET used_at = used_at - interval '1 minute'");
    web.site.set("/good", Page::status(500));
    web.client.run("SELECT kb_retry('other')");
    web.work();
    assert_eq!(web.site.times("/good"), 2);
    let wait = seconds(&mut web);
    assert!((1100.0..=1200.0).contains(&wait), "{wait}");
    // The source of the page that made others wait has a minute of its own.
    web.site.set("/busy", good());
    web.client.run("SELECT kb_retry('notes')");
    web.work();
    assert_eq!(web.site.times("/busy"), 2);
    assert!(seconds(&mut web) < 1.0);
}

/// A try that met no wait does not use up the minute, and is not kept for later.
#[test]
fn a_try_is_for_a_wait() {
    let mut web = Web::from_site(Site::with(&[("/good", good())]));
    let source = web.add("/good", "");
    web.work();
    web.force(source);
    web.site.set("/good", busy(YEAR));
    web.sync(source);
    assert_eq!(web.site.times("/good"), 3);
    web.sync(source);
    assert_eq!(web.site.times("/good"), 3);
    web.site.set("/good", good());
    web.force(source);
    web.succeeded(source);
    assert_eq!(web.site.times("/good"), 4);
}

#[test]
fn kb_retry_tries_once() {
    let (mut web, _, other) = frozen();
    assert!(web.client.value::<i64>("SELECT kb_retry('other')", &[]) > 0);
    web.work();
    web.succeeded(other);
    assert_eq!(web.site.times("/busy"), 1, "another base is not tried");
    assert!(seconds(&mut web) < 1.0);
}

/// The wait for robots.txt is one of the host, and so is that for a sitemap.
#[test]
fn robots_txt_and_sitemaps_ask_to_wait() {
    for path in ["/robots.txt", "/sitemap.xml"] {
        let mut web = Web::from_site(Site::with(&[
            ("/", Page::linking("Start", "The first page.", &["/good"])),
            ("/good", good()),
            (path, busy(YEAR)),
        ]));
        let source = web.crawl("/", "");
        let wait = seconds(&mut web);
        assert!((3500.0..=3600.0).contains(&wait), "{path}: {wait}");
        web.is(source, "processing", "the server asked to wait until 2");
        web.is(source, "processing", "the server answered 503 Service Unavailable");
        assert_eq!(web.site.times("/good"), 0, "{path}");
        web.site.remove(path);
        web.force(source);
        web.succeeded(source);
    }
}

/// A page that alone asks to wait keeps no other from being fetched.
#[test]
fn a_page_may_wait_alone() {
    let mut web = Web::from_site(Site::with(&[
        ("/broken", Page::status(500).header("retry-after", YEAR)),
        ("/good", good()),
    ]));
    let broken = web.add("/broken", "");
    let other = web.add("/good", "");
    web.work();
    web.succeeded(other);
    web.is(broken, "processing", "the server asked to wait until 2");
    web.is(broken, "processing", "the server answered 500 Internal Server Error");
    let due: f64 =
        web.client.value("SELECT extract(epoch FROM max(due_at) - now())::float8 FROM kb_rag.job", &[]);
    assert!((3500.0..=3602.0).contains(&due), "{due}");
    assert_eq!(force(&mut web, broken), 1);
    assert_eq!(force(&mut web, broken), 0);
}

/// A redirect leads to no host that has asked to wait, and the wait is that of the host that asked.
#[test]
fn a_redirect_reaches_no_host_that_waits() {
    let away = Site::with(&[("/busy", busy(YEAR)), ("/good", good())]);
    let mut web = Web::from_site(Site::with(&[
        ("/to-busy", Page::redirect(&away.url("/busy"))),
        ("/to-good", Page::redirect(&away.url("/good"))),
        ("/own", good()),
    ]));
    web.database.set("kb_rag.allowed_hosts", &format!("{},{}", web.site.host(), away.host()));
    let first = web.add("/to-busy", "");
    web.work();
    let (second, own) = (web.add("/to-good", ""), web.add("/own", ""));
    web.work();
    web.succeeded(own);
    assert_eq!((away.times("/busy"), away.times("/good")), (1, 0));
    web.is(first, "processing", "the server asked to wait until 2");
    web.is(second, "processing", &format!("{} asked to wait: the server answered 503", away.url("")));
    web.force(second);
    web.succeeded(second);
    assert_eq!(away.times("/good"), 1);
    // The try has ended the wait of the other host.
    let third = web.add("/to-good?", "");
    web.site.set("/to-good?", Page::redirect(&away.url("/good")));
    web.work();
    web.succeeded(third);
}

/// The catalog of 0.3.0 keeps no waits, but they are bounded; and its update lets hosts be asked again.
#[test]
fn an_older_catalog_is_enough() {
    let site = Site::with(&[("/busy", busy(YEAR))]);
    let database = Database::bare("");
    let mut client = database.connect();
    client.run(&format!(
        "ALTER DATABASE {0} SET kb_rag.workers = 0; ALTER DATABASE {0} SET kb_rag.crawl_delay = 0;
         ALTER DATABASE {0} SET kb_rag.allowed_hosts = '{1}';
         CREATE EXTENSION vector; CREATE EXTENSION kb_rag VERSION '0.3.0'",
        database.name(),
        site.host()
    ));
    let mut web = Web { client: database.connect(), site, database };
    web.client.run("SELECT kb_create('notes', model => 'fake/test', dimensions => 8, embed => 'off')");
    let source = web.add("/busy", "");
    web.work();
    let wait = seconds(&mut web);
    assert!((3500.0..=3600.0).contains(&wait), "{wait}");
    web.is(source, "processing", "the server asked to wait until 2");
    web.client.run(&format!(
        "SELECT kb_source_sync('{source}', force => true), kb_retry('notes');
         SELECT count(*) FROM kb_rag.failed; SELECT count(*) FROM kb_rag.status"
    ));
    web.work();
    assert_eq!(web.site.times("/busy"), 1);
    // As 0.3.0 left it.
    web.client.run(
        "UPDATE kb_rag.web_host SET next_at = now() + interval '1 day';
         UPDATE kb_rag.job SET due_at = now() + interval '1 day'",
    );
    web.database.connect().run("ALTER EXTENSION kb_rag UPDATE");
    web.client = web.database.connect();
    web.site.set("/busy", good());
    web.work();
    web.succeeded(source);
}
