//! A knowledge base whose documents come from a scripted site.

use std::thread::JoinHandle;

use postgres::Client;
use uuid::Uuid;

use super::site::Site;
use super::{Database, Outcome, Session, wait_until};

/// A database with the base `notes`, which is not embedded, and a site that may be fetched from. Nothing is fetched before
/// [`Web::work`].
pub struct Web {
    /// A session as superuser.
    pub client: Client,
    /// The site.
    pub site: Site,
    /// The database.
    pub database: Database,
}

impl Web {
    /// With a site without pages.
    pub fn start() -> Web {
        Web::from_site(Site::start())
    }

    /// With this site. There are no workers.
    pub fn from_site(site: Site) -> Web {
        let web = Web::with_workers(site);
        web.database.set("kb_rag.workers", "0");
        Web { client: web.database.connect(), ..web }
    }

    /// With this site, and workers that fetch.
    pub fn with_workers(site: Site) -> Web {
        let database = Database::create();
        database.set("kb_rag.crawl_delay", "0");
        database.set("kb_rag.allowed_hosts", &site.host());
        let mut client = database.connect();
        client.run(
            "SELECT kb_create('notes', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, \
             chunk_strategy => 'text', embed => 'off')",
        );
        Web { client, site, database }
    }

    /// Adds a URL of the site. `options` are further arguments of kb_add_url: `content_type => 'docs', …`.
    pub fn add(&mut self, path: &str, options: &str) -> Uuid {
        let url = self.site.url(path);
        self.client.add_url(&url, options)
    }

    /// Two workers that fetch at once.
    pub fn two_workers(&self) -> Vec<JoinHandle<Outcome>> {
        let start = |_| {
            let mut worker = self.database.connect();
            worker.run("SET kb_rag.workers = 4");
            Outcome::spawn(worker, "CALL kb_work(60)")
        };
        (0..2).map(start).collect()
    }

    /// Adds a site, and fetches it.
    pub fn crawl(&mut self, path: &str, options: &str) -> Uuid {
        let source = self.add(path, &format!("content_type => 'docs' {options}"));
        self.work();
        source
    }

    /// Does all work that is due, also after a retry, in a new session.
    pub fn work(&mut self) {
        self.database.connect().run("CALL kb_work(60)");
    }

    /// Whether the host may be asked again only about an hour after it was asked.
    pub fn must_wait_an_hour(&mut self) -> bool {
        self.client
            .value("SELECT bool_and(next_at > now() + interval '30 minutes') FROM kb_rag.web_host", &[])
    }

    /// Makes due what is due within an hour, and what waits for the host.
    pub fn let_an_hour_pass(&mut self) {
        self.client.run(
            "UPDATE kb_rag.web_host SET next_at = next_at - interval '1 hour';
             UPDATE kb_rag.job SET due_at = due_at - interval '1 hour' WHERE due_at > now()",
        );
    }

    /// Fetches a source again.
    pub fn sync(&mut self, source: Uuid) {
        assert_eq!(self.client.value::<i64>("SELECT kb_source_sync($1)", &[&source]), 1);
        self.work();
    }

    /// The same with `force`.
    pub fn force(&mut self, source: Uuid) {
        assert_eq!(self.client.value::<i64>("SELECT kb_source_sync($1, true)", &[&source]), 1);
        self.work();
    }

    /// The paths of the documents, sorted. Those of other origins are whole URLs.
    pub fn documents(&mut self) -> Vec<String> {
        let origin = self.site.url("");
        let keys: Vec<String> = self
            .client
            .column("SELECT source_key FROM kb_notes.document ORDER BY source_key COLLATE \"C\"", &[]);
        keys.into_iter().map(|key| key.strip_prefix(&origin).map(str::to_string).unwrap_or(key)).collect()
    }

    /// The content of the document of a path.
    pub fn content(&mut self, path: &str) -> String {
        let url = self.site.url(path);
        self.client.value("SELECT content FROM kb_notes.document WHERE source_key = $1", &[&url])
    }

    /// Fails unless the paths of the documents are these, which are sorted.
    pub fn has(&mut self, paths: &[&str]) {
        let found = self.documents();
        assert_eq!(found, paths, "documents; sources: {:#?}", self.sources());
    }

    /// All rows of kb_source_list, of web_page and of jobs, for messages.
    pub fn sources(&mut self) -> Vec<String> {
        self.client.column(
            "SELECT concat_ws(' ', location, status, documents, error_message) FROM kb_source_list()
             UNION ALL SELECT concat_ws(' ', url, status, depth, crawl, document_id, error) FROM kb_rag.web_page
             UNION ALL SELECT j::text FROM kb_rag.job j",
            &[],
        )
    }

    /// The status and the error of a source, as kb_source_list shows them.
    pub fn status(&mut self, source: Uuid) -> (String, String) {
        let row = self
            .client
            .query_one(
                "SELECT status, coalesce(error_message, '') FROM kb_source_list() WHERE source_id = $1",
                &[&source],
            )
            .expect("the source is listed");
        (row.get(0), row.get(1))
    }

    /// Fails unless the source was fetched without an error.
    pub fn succeeded(&mut self, source: Uuid) {
        let expected = ("indexed".to_string(), String::new());
        assert_eq!(self.status(source), expected, "{:#?}", self.sources());
    }

    /// Fails unless the source is in this state, with an error that contains `part`.
    pub fn is(&mut self, source: Uuid, status: &str, part: &str) {
        let (found, error) = self.status(source);
        assert!(found == status && error.contains(part), "{found}: {error}; {:#?}", self.sources());
    }

    /// The status and the error of the page at a path.
    pub fn page(&mut self, path: &str) -> (String, String) {
        let url = self.site.url(path);
        let sql = "SELECT status, coalesce(error, '') FROM kb_rag.web_page WHERE url = $1";
        let row = self.client.query_one(sql, &[&url]).unwrap_or_else(|_| panic!("{:#?}", self.sources()));
        (row.get(0), row.get(1))
    }

    /// How many rows about sources, pages, schedules and jobs there are.
    pub fn rows(&mut self) -> [i64; 4] {
        ["web_source", "web_page", "web_schedule", "job"]
            .map(|table| self.client.value(&format!("SELECT count(*) FROM kb_rag.{table}"), &[]))
    }
}

/// Shorthands for sources.
pub trait WebSession: Session {
    /// Adds a URL to `notes`; `options` are further arguments of kb_add_url.
    fn add_url(&mut self, url: &str, options: &str) -> Uuid {
        let comma = if options.is_empty() { "" } else { ", " };
        self.value(&format!("SELECT kb_add_url('notes', $1{comma}{options})"), &[&url])
    }

    /// Waits until no source is being fetched.
    fn wait_for_crawls(&mut self) {
        wait_until("the end of all crawls", || {
            self.value(
                "SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE kind IN ('source', 'fetch') AND NOT failed)
                    AND NOT EXISTS (SELECT FROM kb_rag.web_schedule WHERE is_crawling)",
                &[],
            )
        });
    }
}

impl<S: Session> WebSession for S {}
