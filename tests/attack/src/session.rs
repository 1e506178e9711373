//! Sessions that time their statements and lose nothing of how these end.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use postgres::{Client, Config, Error, NoTls};

use crate::judge::state_of;
use crate::pulse::Pulse;

/// How one statement ended.
pub struct Ended {
    /// The SQLSTATE; 00000 for success, 08006 for a connection that went away.
    pub state: String,
    /// The error.
    pub error: Option<Error>,
    /// From sending it to its end.
    pub took: Duration,
    /// How long this machine ran nothing of ours meanwhile.
    pub stalled: Duration,
}

impl Ended {
    /// Whether it succeeded.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }
}

/// How to reach the server.
#[derive(Clone)]
pub struct Address {
    /// The directory of the Unix socket.
    pub socket: String,
    /// Tells when this machine stood still.
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

    /// The same for what must work, such as the preparation of a run.
    pub fn must_connect(&self, database: &str, role: &str) -> Session {
        self.connect(database, role).unwrap_or_else(|e| panic!("no session of {role} in {database}: {e}"))
    }
}

/// A session.
pub struct Session {
    /// For queries with results.
    pub client: Client,
    /// The process that serves it.
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

    /// Whether it is of no more use.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}
