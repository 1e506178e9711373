//! A scripted web site on loopback, and a port on which nobody may connect.

use std::collections::HashMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::DEADLINE;
use super::mock::Gate;
use super::mock::wire::{Gone, Request, Wire, head};

/// What a site answers for a path.
#[derive(Clone, Debug)]
pub struct Page {
    status: u16,
    content_type: String,
    headers: Vec<(String, String)>,
    body: Arc<[u8]>,
    /// How often the body is sent.
    times: u64,
    delay: Option<Duration>,
    gate: Option<Held>,
    drips: Option<Drip>,
}

/// What is sent byte by byte, without an end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drip {
    Head,
    Body,
}

#[derive(Clone)]
struct Held(Gate);

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gate")
    }
}

impl Page {
    /// Any body of a type, with status 200.
    pub fn new(content_type: &str, body: impl Into<Vec<u8>>) -> Page {
        Page {
            status: 200,
            content_type: content_type.to_string(),
            headers: Vec::new(),
            body: body.into().into(),
            times: 1,
            delay: None,
            gate: None,
            drips: None,
        }
    }

    /// HTML in UTF-8.
    pub fn html(body: &str) -> Page {
        Page::new("text/html; charset=utf-8", body)
    }

    /// An HTML page with a title, a sentence, and links.
    pub fn linking(title: &str, text: &str, links: &[&str]) -> Page {
        let links: String =
            links.iter().map(|link| format!("<p><a href=\"{link}\">More at {link}</a></p>")).collect();
        Page::html(&format!(
            "<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{links}</body></html>"
        ))
    }

    /// The same without links.
    pub fn article(title: &str, text: &str) -> Page {
        Page::linking(title, text, &[])
    }

    /// Plain text.
    pub fn text(body: &str) -> Page {
        Page::new("text/plain; charset=utf-8", body)
    }

    /// XML compressed to a file, as a sitemap.xml.gz is.
    pub fn gzip_file(body: &str) -> Page {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(body.as_bytes()).expect("a buffer");
        Page::new("application/gzip", packed.finish().expect("a buffer"))
    }

    /// An answer with this status and a short page that says so.
    pub fn status(status: u16) -> Page {
        Page { status, ..Page::article("Trouble", &format!("Status {status}.")) }
    }

    /// A redirect with status 302.
    pub fn redirect(to: &str) -> Page {
        Page { status: 302, ..Page::html("") }.header("location", to)
    }

    /// The same with another status.
    pub fn answers(mut self, status: u16) -> Page {
        self.status = status;
        self
    }

    /// The same with one more header. With `etag`, a request that knows it is answered with 304.
    pub fn header(mut self, name: &str, value: &str) -> Page {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// The same with its body many times over, without Content-Length of all of it held in memory.
    pub fn repeated(mut self, times: u64) -> Page {
        self.times = times;
        self
    }

    /// The same after a delay.
    pub fn after(mut self, delay: Duration) -> Page {
        self.delay = Some(delay);
        self
    }

    /// A page whose head comes at once, and its body byte by byte, without an end.
    pub fn dripping() -> Page {
        Page { drips: Some(Drip::Body), ..Page::text("x") }
    }

    /// A page whose head already comes byte by byte, without an end.
    pub fn with_dripping_head() -> Page {
        Page { drips: Some(Drip::Head), ..Page::text("x") }
    }

    /// The same, but not before the gate is open.
    pub fn held(mut self, gate: &Gate) -> Page {
        self.gate = Some(Held(gate.clone()));
        self
    }

    fn etag(&self) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == "etag").map(|(_, value)| value.as_str())
    }
}

/// A request that a site has received.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Path and query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// When it had arrived completely.
    pub at: Instant,
    /// The status of an answer that was written completely.
    pub status: Option<u16>,
}

impl Visit {
    /// The value of a header; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

type Maker = Box<dyn Fn(&str) -> Option<Page> + Send>;

#[derive(Default)]
struct State {
    pages: HashMap<String, Page>,
    otherwise: Option<Maker>,
    everywhere: Option<Page>,
    visits: Vec<Visit>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    news: Condvar,
    closing: Arc<AtomicBool>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A test that failed elsewhere must not hide its cause behind a poisoned lock.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A web site; it stops when dropped. A path without a page is answered with 404.
pub struct Site {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Site {
    /// A site without pages, at a port of its own.
    pub fn start() -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").expect("no port on loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared::default());
        let server = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if server.closing.load(Ordering::Relaxed) {
                    return;
                }
                let shared = server.clone();
                thread::spawn(move || serve(&shared, stream));
            }
        });
        Site { shared, address }
    }

    /// A site with these pages.
    pub fn with(pages: &[(&str, Page)]) -> Site {
        let site = Site::start();
        site.set_all(pages);
        site
    }

    /// `127.0.0.1:port`, as kb_rag.allowed_hosts names it.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Answers a path and query with this page from now on.
    pub fn set(&self, path: &str, page: Page) {
        self.shared.state().pages.insert(path.to_string(), page);
    }

    /// The same for several.
    pub fn set_all(&self, pages: &[(&str, Page)]) {
        for (path, page) in pages {
            self.set(path, page.clone());
        }
    }

    /// Answers a path with 404 from now on.
    pub fn remove(&self, path: &str) {
        self.shared.state().pages.remove(path);
    }

    /// Makes the pages of paths that have none.
    pub fn otherwise(&self, make: impl Fn(&str) -> Option<Page> + Send + 'static) {
        self.shared.state().otherwise = Some(Box::new(make));
    }

    /// Answers everything but robots.txt with this page; None ends that.
    pub fn everywhere(&self, page: Option<Page>) {
        self.shared.state().everywhere = page;
    }

    /// All requests so far, in the order of arrival.
    pub fn visits(&self) -> Vec<Visit> {
        self.shared.state().visits.clone()
    }

    /// The paths of the requests so far.
    pub fn paths(&self) -> Vec<String> {
        self.visits().into_iter().map(|visit| visit.path).collect()
    }

    /// How often a path was asked for.
    pub fn times(&self, path: &str) -> usize {
        self.paths().iter().filter(|asked| *asked == path).count()
    }

    /// Clears the log.
    pub fn forget(&self) {
        self.shared.state().visits.clear();
    }

    /// Waits until `condition` holds for the requests so far. Fails after [`DEADLINE`].
    pub fn wait_until(&self, what: &str, mut condition: impl FnMut(&[Visit]) -> bool) {
        let began = Instant::now();
        let mut state = self.shared.state();
        while !condition(&state.visits) {
            let paths: Vec<_> = state.visits.iter().map(|visit| &visit.path).collect();
            assert!(
                began.elapsed() < DEADLINE,
                "waited {DEADLINE:?} without success: {what}; asked: {paths:?}"
            );
            let waited = self.shared.news.wait_timeout(state, Duration::from_millis(100));
            state = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }

    /// Waits until a path was asked for.
    pub fn wait_for(&self, path: &str) {
        self.wait_until(path, |visits| visits.iter().any(|visit| visit.path == path));
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections; the others check `closing` while they wait.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers requests until the client disconnects.
fn serve(shared: &Shared, stream: TcpStream) {
    let Ok(mut wire) = Wire::new(shared.closing.clone(), stream) else { return };
    while let Ok(Some(request)) = wire.read_request() {
        if answer(shared, &mut wire, &request).is_err() {
            return;
        }
    }
}

fn answer(shared: &Shared, wire: &mut Wire, request: &Request) -> Result<(), Gone> {
    let (page, number) = note(shared, request);
    if let Some(Held(gate)) = &page.gate {
        while !gate.is_open() {
            wire.check_client()?;
        }
    }
    if let Some(delay) = page.delay {
        let due = Instant::now() + delay;
        while Instant::now() < due {
            wire.check_client()?;
        }
    }
    match page.drips {
        Some(Drip::Head) => return drip(wire, b"HTTP/1.1 200 OK\r\nx-long: "),
        Some(Drip::Body) => {
            return drip(wire, &head(page.status, &page.content_type, &page.headers, 1 << 20));
        }
        None => {}
    }
    let known =
        request.headers.iter().find(|(name, _)| name == "if-none-match").map(|(_, value)| value.as_str());
    let is_known = page.status == 200 && known.is_some() && known == page.etag();
    let (status, times) = if is_known { (304, 0) } else { (page.status, page.times) };
    let length = page.body.len() as u64 * times;
    wire.write(&head(status, &page.content_type, &page.headers, length))?;
    for _ in 0..times {
        wire.write(&page.body)?;
    }
    // The test may have cleared the log in the meantime.
    if let Some(visit) = shared.state().visits.iter_mut().find(|visit| visit.at == number) {
        visit.status = Some(status);
    }
    shared.news.notify_all();
    Ok(())
}

/// Sends a beginning, and then a byte again and again until the client leaves.
fn drip(wire: &mut Wire, beginning: &[u8]) -> Result<(), Gone> {
    wire.write(beginning)?;
    loop {
        wire.write(b"x")?;
        wire.check_client()?;
    }
}

/// Adds a request to the log; returns its page, and the time that it is known by.
fn note(shared: &Shared, request: &Request) -> (Page, Instant) {
    let mut state = shared.state();
    let path = request.path.clone();
    let everywhere = state.everywhere.clone().filter(|_| path != "/robots.txt");
    let page = everywhere.or_else(|| state.pages.get(&path).cloned());
    let page = page.or_else(|| state.otherwise.as_ref().and_then(|make| make(&path)));
    let at = Instant::now();
    state.visits.push(Visit { path, headers: request.headers.clone(), at, status: None });
    drop(state);
    shared.news.notify_all();
    (page.unwrap_or_else(|| Page::status(404)), at)
}

/// A port on loopback that counts the connections to it.
pub struct Listener {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Listener {
    /// Listens at a port of its own. Connections are closed at once.
    pub fn start() -> Listener {
        let listener = TcpListener::bind("127.0.0.1:0").expect("no port on loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = connections.clone();
        // It ends with the process of the tests.
        thread::spawn(move || {
            for _ in listener.incoming() {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        Listener { address, connections }
    }

    /// `127.0.0.1:port`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}
