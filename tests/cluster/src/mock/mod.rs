//! A scripted provider of embeddings on loopback. It answers as the real service does, or as the test sets it
//! to, and keeps a log of the calls.

mod connection;
mod log;
mod protocol;
mod reply;
pub(crate) mod wire;

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::DEADLINE;
use connection::Connection;
pub use log::Call;
use protocol::Kind;
pub use protocol::{Embedding, vector};
pub use reply::{Gate, Reply};

/// The number of dimensions for a call that does not request any.
pub const DIMENSIONS: usize = 8;

type Rule = (Box<dyn Fn(&Call) -> bool + Send>, Reply);

/// The state that a test may change while the server runs.
struct State {
    next: VecDeque<Reply>,
    rules: Vec<Rule>,
    calls: Vec<Call>,
    arrivals: usize,
    dimensions: usize,
    key: Option<String>,
    legacy_only: bool,
}

/// The state that the server's threads share with the test.
struct Shared {
    kind: Kind,
    /// Makes the vectors of this server differ from those of others.
    salt: String,
    state: Mutex<State>,
    /// Signaled when a call arrives or ends.
    news: Condvar,
    closing: Arc<AtomicBool>,
    connections: AtomicUsize,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A test that failed elsewhere must not hide its cause behind a poisoned lock.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A provider; it stops when dropped.
pub struct Mock {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Mock {
    /// POST …/embeddings with vectors as base64 or as numbers.
    pub fn openai() -> Mock {
        Mock::start(Kind::OpenAi, "")
    }

    /// The same service with other vectors, that is, another model.
    pub fn openai_with_salt(salt: &str) -> Mock {
        Mock::start(Kind::OpenAi, salt)
    }

    /// POST …/api/embed, and the legacy …/api/embeddings.
    pub fn ollama() -> Mock {
        Mock::start(Kind::Ollama, "")
    }

    /// POST …/models/MODEL:batchEmbedContents.
    pub fn google() -> Mock {
        Mock::start(Kind::Google, "")
    }

    /// POST …/embed with texts and input_type.
    pub fn cohere() -> Mock {
        Mock::start(Kind::Cohere, "")
    }

    /// POST …/embeddings with input_type and output_dimension.
    pub fn voyage() -> Mock {
        Mock::start(Kind::Voyage, "")
    }

    /// POST …/embeddings; rejects unknown fields.
    pub fn mistral() -> Mock {
        Mock::start(Kind::Mistral, "")
    }

    /// POST …/embed that answers with a bare array.
    pub fn tei() -> Mock {
        Mock::start(Kind::Tei, "")
    }

    fn start(kind: Kind, salt: &str) -> Mock {
        let listener = TcpListener::bind("127.0.0.1:0").expect("no port on loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            kind,
            salt: salt.to_string(),
            state: Mutex::new(State {
                next: VecDeque::new(),
                rules: Vec::new(),
                calls: Vec::new(),
                arrivals: 0,
                dimensions: DIMENSIONS,
                key: None,
                legacy_only: false,
            }),
            news: Condvar::new(),
            closing: Arc::default(),
            connections: AtomicUsize::new(0),
        });
        let server = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if server.closing.load(Ordering::Relaxed) {
                    return;
                }
                let number = server.connections.fetch_add(1, Ordering::Relaxed) + 1;
                let shared = server.clone();
                thread::spawn(move || Connection::serve(shared, stream, number));
            }
        });
        Mock { shared, address }
    }

    /// The name of this kind of service for kb_provider_set.
    pub fn kind(&self) -> &'static str {
        self.shared.kind.name()
    }

    /// The base URL to configure.
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.address, self.shared.kind.root())
    }

    /// The same over TLS, which this server does not support: it answers the handshake with garbage.
    pub fn https_url(&self) -> String {
        format!("https://{}{}", self.address, self.shared.kind.root())
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The vector that it returns for a text, of length 1.
    pub fn vector(&self, text: &str, dimensions: usize) -> Vec<f32> {
        vector(&self.shared.salt, text, dimensions)
    }

    /// Answers the next call with `reply`. Several replies queue up.
    pub fn next(&self, reply: Reply) {
        self.shared.state().next.push_back(reply);
    }

    /// Answers every call that satisfies `condition` with `reply`, once the replies of [`Mock::next`] are
    /// used up. Earlier rules take precedence.
    pub fn when(&self, condition: impl Fn(&Call) -> bool + Send + 'static, reply: Reply) {
        self.shared.state().rules.push((Box::new(condition), reply));
    }

    /// Answers every call with `reply`.
    pub fn always(&self, reply: Reply) {
        self.when(|_| true, reply);
    }

    /// Answers as the service does from now on; calls that already have a reply keep it.
    pub fn heal(&self) {
        let mut state = self.shared.state();
        state.next.clear();
        state.rules.clear();
    }

    /// Sets the number of dimensions for calls that do not request any.
    pub fn set_dimensions(&self, dimensions: usize) {
        self.shared.state().dimensions = dimensions;
    }

    /// From now on, rejects calls without this key.
    pub fn require_key(&self, key: &str) {
        self.shared.state().key = Some(key.to_string());
    }

    /// From now on, only knows the old route, as Ollama before 0.3 did.
    pub fn legacy_only(&self) {
        self.shared.state().legacy_only = true;
    }

    /// All calls so far, in the order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.state().calls.clone()
    }

    /// Clears the log, once all calls have ended.
    pub fn forget_calls(&self) {
        // A client may continue before its call is logged as ended.
        self.wait_until_quiet();
        self.shared.state().calls.clear();
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The most calls that were running at the same time.
    pub fn max_at_once(&self) -> usize {
        self.shared.state().calls.iter().map(|call| call.at_once).max().unwrap_or(0)
    }

    /// How often each text was sent, whatever the outcome of the call.
    pub fn times_sent(&self, text: &str) -> usize {
        self.shared.state().calls.iter().flat_map(|call| &call.texts).filter(|sent| *sent == text).count()
    }

    /// Waits until `condition` holds for the calls so far. Fails after [`DEADLINE`].
    pub fn wait_until(&self, what: &str, mut condition: impl FnMut(&[Call]) -> bool) {
        let began = Instant::now();
        let mut state = self.shared.state();
        while !condition(&state.calls) {
            assert!(
                began.elapsed() < DEADLINE,
                "waited {DEADLINE:?} without success: {what}; calls: {:#?}",
                state.calls
            );
            state = self
                .shared
                .news
                .wait_timeout(state, Duration::from_millis(100))
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .0;
        }
    }

    /// Waits until `count` calls have arrived.
    pub fn wait_for_calls(&self, count: usize) {
        self.wait_until(&format!("{count} calls"), |calls| calls.len() >= count);
    }

    /// Waits until no call is running.
    pub fn wait_until_quiet(&self) {
        self.wait_until("no call under way", |calls| calls.iter().all(|call| call.ended.is_some()));
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections; the others check `closing` while they wait.
        let _ = TcpStream::connect(self.address);
    }
}
