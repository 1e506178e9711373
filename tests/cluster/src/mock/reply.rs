//! The replies of the scripted provider.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::protocol::Embedding;

/// Holds replies back until the test opens it.
#[derive(Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    /// A closed gate.
    pub fn new() -> Gate {
        Gate::default()
    }

    /// Lets all replies pass, both waiting and future ones.
    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

type Change = Arc<dyn Fn(&mut Vec<Embedding>) + Send + Sync>;

#[derive(Clone)]
pub(super) enum Action {
    /// As the service does.
    Right,
    /// As the service does, but with other vectors.
    Changed(Change),
    /// As the service does, but only the first half of the body, with a matching Content-Length or with that
    /// of the whole body.
    Half { whole: bool },
    /// An error in the service's own form.
    Error { status: u16, message: String, code: Option<String> },
    /// Any status, type and body.
    Raw { status: u16, content_type: String, body: Arc<[u8]> },
    /// Nothing at all.
    Hang,
    /// As the service does, but a byte at a time.
    Drip(Duration),
    /// The connection is reset: before the answer, or in the middle of it.
    Reset { midway: bool },
    /// Bytes that are not HTTP.
    Garbage,
    /// This many bytes of JSON that never ends, optionally compressed with gzip.
    Endless { bytes: u64, gzip: bool },
}

/// One answer.
#[derive(Clone)]
pub struct Reply {
    pub(super) action: Action,
    pub(super) headers: Vec<(String, String)>,
    pub(super) gate: Option<Gate>,
    pub(super) delay: Option<Duration>,
    /// The time between two bytes of an answer whose body the test gives.
    pub(super) pace: Option<Duration>,
}

impl From<Action> for Reply {
    fn from(action: Action) -> Reply {
        Reply { action, headers: Vec::new(), gate: None, delay: None, pace: None }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl Reply {
    /// The service's answer.
    pub fn right() -> Reply {
        Action::Right.into()
    }

    /// The service's answer with changed vectors.
    pub fn changed(change: impl Fn(&mut Vec<Embedding>) + Send + Sync + 'static) -> Reply {
        Action::Changed(Arc::new(change)).into()
    }

    /// JSON that ends early.
    pub fn truncated() -> Reply {
        Action::Half { whole: true }.into()
    }

    /// An answer that ends before its Content-Length.
    pub fn cut() -> Reply {
        Action::Half { whole: false }.into()
    }

    /// A rejection in the service's own form.
    pub fn error(status: u16, message: &str) -> Reply {
        Action::Error { status, message: message.to_string(), code: None }.into()
    }

    /// A rejection with a code, such as insufficient_quota.
    pub fn error_with_code(status: u16, message: &str, code: &str) -> Reply {
        Action::Error { status, message: message.to_string(), code: Some(code.to_string()) }.into()
    }

    /// Any status, type and body.
    pub fn raw(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Reply {
        let content_type = content_type.to_string();
        Action::Raw { status, content_type, body: body.into().into() }.into()
    }

    /// A body of type application/json with status 200.
    pub fn json(body: impl Into<Vec<u8>>) -> Reply {
        Reply::raw(200, "application/json", body)
    }

    /// No answer until the client disconnects.
    pub fn hang() -> Reply {
        Action::Hang.into()
    }

    /// The correct answer, a byte at a time.
    pub fn drip(every: Duration) -> Reply {
        Action::Drip(every).into()
    }

    /// A connection that is reset before the answer.
    pub fn reset() -> Reply {
        Action::Reset { midway: false }.into()
    }

    /// A connection that is reset in the middle of the answer.
    pub fn reset_midway() -> Reply {
        Action::Reset { midway: true }.into()
    }

    /// Bytes that are not HTTP.
    pub fn garbage() -> Reply {
        Action::Garbage.into()
    }

    /// A body of this many bytes.
    pub fn endless(bytes: u64) -> Reply {
        Action::Endless { bytes, gzip: false }.into()
    }

    /// A small body that decompresses to this many bytes.
    pub fn gzip_bomb(bytes: u64) -> Reply {
        Action::Endless { bytes, gzip: true }.into()
    }

    /// The same with an additional header.
    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// The same, but not before the gate is open.
    pub fn held(mut self, gate: &Gate) -> Reply {
        self.gate = Some(gate.clone());
        self
    }

    /// The same a byte at a time, if the test gives the body.
    pub fn paced(mut self, every: Duration) -> Reply {
        self.pace = Some(every);
        self
    }

    /// The same after a delay.
    pub fn after(mut self, delay: Duration) -> Reply {
        self.delay = Some(delay);
        self
    }
}
