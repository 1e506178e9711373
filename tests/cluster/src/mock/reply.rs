//! What the scripted provider answers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::protocol::Embedding;

/// Holds replies back until the test opens it.
#[derive(Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    /// A closed one.
    pub fn new() -> Gate {
        Gate::default()
    }

    /// Lets all replies pass that wait, and those to come.
    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_open(&self) -> bool {
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
    /// As the service does, but only the first half of the body; whole by its Content-Length, or not.
    Half { whole: bool },
    /// An error in the shape of the service's own.
    Error { status: u16, message: String, code: Option<String> },
    /// Anything.
    Raw { status: u16, content_type: String, body: Arc<[u8]> },
    /// Nothing at all.
    Hang,
    /// As the service does, but a byte at a time.
    Drip(Duration),
    /// The connection is reset: before the answer, or in the middle of it.
    Reset { midway: bool },
    /// Bytes that are no HTTP.
    Garbage,
    /// So many bytes of a JSON that never ends; packed by gzip or not.
    Endless { bytes: u64, gzip: bool },
}

/// One answer.
#[derive(Clone)]
pub struct Reply {
    pub(super) action: Action,
    pub(super) headers: Vec<(String, String)>,
    pub(super) gate: Option<Gate>,
    pub(super) delay: Option<Duration>,
}

impl From<Action> for Reply {
    fn from(action: Action) -> Reply {
        Reply { action, headers: Vec::new(), gate: None, delay: None }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl Reply {
    /// What the service answers.
    pub fn right() -> Reply {
        Action::Right.into()
    }

    /// What the service answers, with its vectors changed.
    pub fn changed(change: impl Fn(&mut Vec<Embedding>) + Send + Sync + 'static) -> Reply {
        Action::Changed(Arc::new(change)).into()
    }

    /// JSON that breaks off.
    pub fn truncated() -> Reply {
        Action::Half { whole: true }.into()
    }

    /// An answer that breaks off before its announced length.
    pub fn cut() -> Reply {
        Action::Half { whole: false }.into()
    }

    /// A refusal in the service's own shape.
    pub fn error(status: u16, message: &str) -> Reply {
        Action::Error { status, message: message.to_string(), code: None }.into()
    }

    /// A refusal with a code, such as insufficient_quota.
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

    /// No answer until the client goes.
    pub fn hang() -> Reply {
        Action::Hang.into()
    }

    /// The right answer, a byte at a time.
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

    /// Bytes that are no HTTP.
    pub fn garbage() -> Reply {
        Action::Garbage.into()
    }

    /// A body of so many bytes.
    pub fn endless(bytes: u64) -> Reply {
        Action::Endless { bytes, gzip: false }.into()
    }

    /// A small body that becomes so many bytes.
    pub fn gzip_bomb(bytes: u64) -> Reply {
        Action::Endless { bytes, gzip: true }.into()
    }

    /// The same with a header more.
    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// The same, not before the gate is open.
    pub fn held(mut self, gate: &Gate) -> Reply {
        self.gate = Some(gate.clone());
        self
    }

    /// The same after the time a call takes.
    pub fn after(mut self, delay: Duration) -> Reply {
        self.delay = Some(delay);
        self
    }
}
