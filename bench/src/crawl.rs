//! Crawling: a site on loopback, from its first page to documents.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::bench::Bench;
use crate::corpus::DIMENSIONS;
use crate::files::html;
use crate::ingest::english;
use crate::report::figure;
use crate::server::Server;
use crate::workers;

const PART: &str = "9-crawl";
/// Passages of about 150 words on a page.
const PASSAGES: usize = 5;

pub fn measure(bench: &mut Bench) -> Result<()> {
    let pages = bench.extent.pages;
    let texts = english(pages * PASSAGES)?;
    let site = Site::begin(texts.chunks(PASSAGES).map(html).collect())?;
    let mut rows = Vec::new();
    for (what, embed) in [("pages, without vectors", "off"), ("pages, with the fake model's vectors", "auto")]
    {
        let host = site.address;
        workers::allow(&mut bench.server, 2)?;
        bench.server.run(&format!(
            "SELECT kb_drop(name) FROM kb_list() WHERE name = 'crawl';
             DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET kb_rag.allowed_hosts = ''{host}''', current_database());
                 EXECUTE format('ALTER DATABASE %I SET kb_rag.crawl_delay = 0', current_database()); END $$;
             SET kb_rag.workers = 2; SET kb_rag.allowed_hosts = '{host}'; SET kb_rag.crawl_delay = 0;
             SELECT kb_create('crawl', model => 'fake/bench', dimensions => {DIMENSIONS}, text_config => 'english', embed => '{embed}')"
        ))?;
        let first = crawl(&mut bench.server, &site, |server| {
            server.run(&format!(
                "SELECT kb_add_url('crawl', 'http://{host}/', content_type => 'docs', max_pages => 10000)"
            ))
        })?;
        let documents = bench.server.number("SELECT count(*) FROM kb_crawl.document", &[])?;
        let again = crawl(&mut bench.server, &site, |server| {
            server.run("SELECT kb_source_sync(source_id) FROM kb_source_list('crawl')")
        })?;
        let rewritten = bench
            .server
            .number("SELECT count(*) FROM kb_crawl.document WHERE updated_at <> created_at", &[])?;
        bench.report.check(
            &format!("{what}: every page is a document, and the second crawl writes none"),
            &format!("{documents} documents of {} pages, {rewritten} written again", pages + 1),
            documents == pages as i64 + 1 && rewritten == 0 && again.contents == 0,
        )?;
        for (crawl, of) in [(first, "first"), (again, "unchanged")] {
            rows.push(vec![
                format!("{what}, {of}"),
                (pages + 1).to_string(),
                figure(crawl.seconds),
                figure((pages + 1) as f64 / crawl.seconds),
                crawl.requests.to_string(),
            ]);
        }
        bench.report.progress(&format!("{pages} {what} crawled"));
    }
    workers::stop(&mut bench.server)?;
    bench.server.run(
        "SELECT kb_drop('crawl');
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET kb_rag.allowed_hosts', current_database());
             EXECUTE format('ALTER DATABASE %I RESET kb_rag.crawl_delay', current_database()); END $$",
    )?;
    bench.report.table(
        PART,
        "Crawling",
        &format!(
            "A site on loopback whose first page leads to the others, {PASSAGES} English passages on each, without a delay \
             between requests: from kb_add_url until the source is indexed, then the same pages again, answered with 304."
        ),
        &["site", "pages", "s", "pages/s", "requests"],
        &rows,
    )
}

struct Crawl {
    seconds: f64,
    requests: usize,
    /// Answers that were not 304.
    contents: usize,
}

fn crawl(server: &mut Server, site: &Site, begin: impl FnOnce(&mut Server) -> Result<()>) -> Result<Crawl> {
    let (requests, contents) = site.counts();
    let began = Instant::now();
    begin(server)?;
    let sql =
        "SELECT count(*) FROM kb_source_list('crawl') WHERE status = 'indexed' AND last_synced_at IS NOT NULL
         AND NOT EXISTS (SELECT FROM kb_rag.job WHERE kind IN ('source', 'fetch'))";
    while server.number(sql, &[])? == 0 {
        if began.elapsed() > Duration::from_secs(600) {
            bail!("the crawl does not end");
        }
        thread::park_timeout(Duration::from_millis(20));
    }
    let (requests_after, contents_after) = site.counts();
    Ok(Crawl {
        seconds: began.elapsed().as_secs_f64(),
        requests: requests_after - requests,
        contents: contents_after - contents,
    })
}

/// A site that answers with 304 where it is asked whether a page has changed.
struct Site {
    address: SocketAddr,
    counts: Arc<[AtomicUsize; 2]>,
}

impl Site {
    fn begin(pages: Vec<Vec<u8>>) -> Result<Site> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let (pages, counted) = (Arc::new(pages), Arc::clone(&counts));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, counts) = (Arc::clone(&pages), Arc::clone(&counted));
                thread::spawn(move || serve(stream, &pages, &counts));
            }
        });
        Ok(Site { address, counts })
    }

    /// Requests for pages, and answers with content.
    fn counts(&self) -> (usize, usize) {
        let [requests, contents] = &*self.counts;
        (requests.load(Ordering::SeqCst), contents.load(Ordering::SeqCst))
    }
}

/// Answers requests until the client closes the connection.
fn serve(stream: TcpStream, pages: &[Vec<u8>], counts: &[AtomicUsize; 2]) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut is_known) = (String::new(), false);
        if reader.read_line(&mut first).ok()? == 0 {
            return None;
        }
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            is_known |= line.to_ascii_lowercase().starts_with("if-none-match");
            if line.trim().is_empty() {
                break;
            }
        }
        let path = first.split(' ').nth(1)?.to_string();
        let page = match path.strip_prefix("/page/") {
            Some(number) => pages.get(number.parse::<usize>().ok()?).cloned(),
            None if path == "/" => Some(index(pages.len())),
            None => None,
        };
        let [requests, contents] = counts;
        let answer = match page {
            None => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
            Some(_) if is_known => {
                requests.fetch_add(1, Ordering::SeqCst);
                b"HTTP/1.1 304 Not Modified\r\netag: \"1\"\r\n\r\n".to_vec()
            }
            Some(body) => {
                requests.fetch_add(1, Ordering::SeqCst);
                contents.fetch_add(1, Ordering::SeqCst);
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\netag: \"1\"\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                [head.into_bytes(), body].concat()
            }
        };
        writer.write_all(&answer).ok()?;
    }
}

fn index(pages: usize) -> Vec<u8> {
    let links: String = (0..pages).map(|n| format!("<li><a href=\"/page/{n}\">Page {n}</a></li>")).collect();
    format!("<title>Contents</title><h1>Contents</h1><p>These are the pages of the site.</p><ul>{links}</ul>")
        .into_bytes()
}
