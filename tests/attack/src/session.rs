//! Sessions that time their statements and record how these end.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use postgres::{Client, Config, Error, NoTls};

use crate::judge::state_of;
use crate::pulse::Pulse;

/// How one statement ended.
pub struct Ended {
    /// The SQLSTATE; 00000 for success, 08006 for a lost connection.
    pub state: String,
    /// The error.
    pub error: Option<Error>,
    /// The time from sending it to its end.
    pub took: Duration,
    /// How long this machine did not run the test's processes in that time.
    pub stalled: Duration,
}

impl Ended {
    /// Whether it succeeded.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }
}

/// The address of the server.
#[derive(Clone)]
pub struct Address {
    /// The directory of the Unix socket.
    pub socket: String,
    /// Detects when this machine stalled.
    pub pulse: Arc<Pulse>,
}

impl Address {
    /// A session of a role in a database.
    pub fn connect(&self, database: &str, role: &str) -> Result<Session, Error> {
        let mut config = Config::new();
        config.host_path(&self.socket).dbname(database).user(role).application_name("kb_rag attack");
        let mut client = config.connect(NoTls)?;
        client.batch_execute("SET client_min_messages = error")?;
        let pid = client.query_one("SELECT pg_backend_pid()", &[])?.get(0);
        Ok(Session { client, pid, role: role.to_string(), pulse: self.pulse.clone() })
    }

    /// The same where it must succeed, such as the preparation of a run.
    pub fn must_connect(&self, database: &str, role: &str) -> Session {
        self.connect(database, role).unwrap_or_else(|e| panic!("no session of {role} in {database}: {e}"))
    }
}

/// A session.
pub struct Session {
    /// For queries with results.
    pub client: Client,
    /// The process that serves this session.
    pub pid: i32,
    /// Its role.
    pub role: String,
    pulse: Arc<Pulse>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session of {} at {}", self.role, self.pid)
    }
}

impl Session {
    /// Runs one statement.
    pub fn run(&mut self, sql: &str) -> Ended {
        let began = Instant::now();
        let error = self.client.batch_execute(sql).err();
        let took = began.elapsed();
        let state = error.as_ref().map_or_else(|| "00000".to_string(), state_of);
        Ended { state, error, took, stalled: self.pulse.stalled_since(began) }
    }

    /// Whether the session can no longer be used.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}
