//! The connections to the database: a few, each for one call at a time, opened when needed and again after they were lost.

mod pool;
mod run;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::Row;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::types::{ToSql, Type};
use tokio_util::sync::CancellationToken;

use crate::connect::Connector;
use crate::error::{Failure, Result, is_lost};
use crate::output;
use pool::Pool;
use run::{At, Connected, Error};

/// How long a call waits for a connection that others use.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a call may take. The server ends it after this time.
const CALL_TIME: Duration = Duration::from_secs(60);
/// How many calls wait for a connection. Further ones are refused.
const MAX_WAITING: usize = 64;
/// A connection that is lost so soon after a call was sent had been lost before.
const SOON: Duration = Duration::from_secs(1);
/// How long a server may take to end a statement that was canceled, before its connection is closed.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// How long a statement may continue after a request to cancel it before the next request.
const CANCEL_INTERVAL: Duration = Duration::from_millis(200);

/// A parameter of a statement.
pub type Parameter = (Box<dyn ToSql + Sync + Send>, Type);

/// A text, which may be NULL, as a parameter.
pub fn text(value: Option<String>) -> Parameter {
    (Box::new(value), Type::TEXT)
}

/// A statement that gives at most one row. `{extension}` in it stands for the schema of kb_rag's functions.
pub struct Statement {
    pub sql: &'static str,
    pub parameters: Vec<Parameter>,
}

impl Statement {
    /// One without parameters of its own.
    pub fn plain(sql: &'static str) -> Statement {
        Statement { sql, parameters: Vec::new() }
    }
}

/// A further statement of a transaction. It runs only if the one before gave a text.
pub enum Then {
    /// A statement with this text as its first parameter.
    With(Statement),
    /// A statement in which `{schema}` stands for the text, which is a quoted name.
    InSchema(Statement),
}

/// One call.
pub struct Call {
    pub statement: Statement,
    pub then: Vec<Then>,
    /// Says of a row whether the call goes on. If not, it is the result, and what was done is undone.
    pub goes_on: Option<fn(&Row) -> bool>,
    /// Runs it in a transaction of its own, as this role or as the one that connected, and leaves nothing of it in the session.
    pub transaction: Option<As>,
    /// Whether it may run again if the connection was lost while it ran.
    pub may_repeat: bool,
    pub time: Duration,
}

impl Call {
    /// A statement alone, which runs once.
    pub fn new(statement: Statement) -> Call {
        Call {
            statement,
            then: Vec::new(),
            goes_on: None,
            transaction: None,
            may_repeat: false,
            time: CALL_TIME,
        }
    }
}

/// The role of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum As {
    /// The one that connected.
    Login,
    Role(String),
}

/// The result of a call.
pub struct Given {
    /// The row of its last statement.
    pub row: Option<Row>,
    /// Notices and warnings of the server.
    pub notices: Vec<DbError>,
}

/// Why a call gave no row.
#[derive(Debug)]
pub enum Refused {
    /// An error of the server about this call.
    Call { code: SqlState, failure: Failure },
    /// The session cannot be the role of the call.
    Role(Failure),
    /// The call was canceled, or took too long.
    Canceled,
    /// Too many calls run or wait.
    Busy,
    /// The database cannot be reached.
    Unavailable(Failure),
}

impl Refused {
    fn from_error(error: tokio_postgres::Error) -> Refused {
        match error.code().cloned() {
            Some(code) if code == SqlState::QUERY_CANCELED => Refused::Canceled,
            Some(code) if !is_lost(&error) => Refused::Call { code, failure: Failure::from(error) },
            _ => Refused::Unavailable(Failure::from(error)),
        }
    }
}

/// The connections, shared by all clients.
pub struct Database {
    pool: Arc<Pool>,
    permits: Arc<Semaphore>,
    max: u8,
    /// How long a call waits for a connection.
    patience: Duration,
    /// Calls that run or wait.
    places: Semaphore,
    /// Whether the last call could not reach the database: said once.
    is_down: Arc<AtomicBool>,
    /// Canceled at the end of the program.
    closing: CancellationToken,
}

impl Database {
    /// With at most so many connections.
    pub fn new(connector: Arc<Connector>, max: u8) -> Database {
        let permits = Arc::new(Semaphore::new(usize::from(max)));
        Database {
            pool: Arc::new(Pool::new(connector)),
            permits,
            max,
            patience: PATIENCE,
            places: Semaphore::new(usize::from(max) + MAX_WAITING),
            is_down: Arc::default(),
            closing: CancellationToken::new(),
        }
    }

    /// The same, but calls do not wait for a connection.
    pub fn impatient(self) -> Database {
        Database { patience: Duration::ZERO, ..self }
    }

    /// Opens the first connection.
    pub async fn check(&self) -> Result<()> {
        self.pool.put(self.pool.connect().await?);
        Ok(())
    }

    /// Whether connections are open.
    pub fn is_connected(&self) -> bool {
        self.pool.has_any()
    }

    /// Cancels all calls and waits for their end: a server does not notice by itself that a client has gone.
    pub async fn close(&self) {
        self.closing.cancel();
        let _ = timeout(CANCEL_TIME, self.permits.acquire_many(u32::from(self.max))).await;
    }

    /// Canceled at the end of the program.
    pub fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Runs a statement that gives one row, and may run again.
    pub async fn row(
        &self,
        sql: &'static str,
        parameters: Vec<Parameter>,
        cancel: &CancellationToken,
    ) -> std::result::Result<Row, Refused> {
        let call = Call { may_repeat: true, ..Call::new(Statement { sql, parameters }) };
        let none = || Refused::Unavailable(Failure::new("the server gave no row"));
        self.call(call, cancel).await?.row.ok_or_else(none)
    }

    /// Runs a statement that changes nothing. The row, if it gives one.
    pub async fn once(&self, statement: Statement) -> std::result::Result<Option<Row>, Refused> {
        let call = Call { may_repeat: true, ..Call::new(statement) };
        Ok(self.call(call, &CancellationToken::new()).await?.row)
    }

    /// Runs a call. A connection that was lost while it was not in use is made again, once. Dropping the future cancels the
    /// statement, as `cancel` does.
    pub async fn call(&self, call: Call, cancel: &CancellationToken) -> std::result::Result<Given, Refused> {
        let Ok(_place) = self.places.try_acquire() else { return Err(Refused::Busy) };
        let deadline = Instant::now() + self.patience;
        let permit = tokio::select! {
            permit = timeout_at(deadline, Arc::clone(&self.permits).acquire_owned()) => permit,
            () = cancel.cancelled() => return Err(Refused::Canceled),
        };
        let Ok(Ok(permit)) = permit else { return Err(Refused::Busy) };
        let cancel = cancel.child_token();
        let job = Job {
            pool: Arc::clone(&self.pool),
            deadline,
            cancel: cancel.clone(),
            closing: self.closing.clone(),
            is_down: Arc::clone(&self.is_down),
        };
        // The task outlives this future, so that a statement that was canceled ends before its connection is used again.
        let task = tokio::spawn(job.run(permit, call));
        let _guard = cancel.drop_guard();
        match task.await {
            Ok(result) => result,
            Err(error) => Err(Refused::Unavailable(Failure::new(format!("the call ended: {error}")))),
        }
    }
}

/// One call that runs.
struct Job {
    pool: Arc<Pool>,
    /// How long it waits for a connection.
    deadline: Instant,
    cancel: CancellationToken,
    closing: CancellationToken,
    is_down: Arc<AtomicBool>,
}

/// How a call ended.
enum Ended {
    Given(Given),
    Refused(Refused),
    /// The connection is lost. `before`: it probably was when the call began.
    Lost {
        failure: Failure,
        before: bool,
    },
}

impl Job {
    /// Waits for a request to end.
    async fn canceled(&self) {
        tokio::select! {
            () = self.cancel.cancelled() => {}
            () = self.closing.cancelled() => {}
        }
    }

    async fn run(self, permit: OwnedSemaphorePermit, call: Call) -> std::result::Result<Given, Refused> {
        let result = self.attempts(&call).await;
        drop(permit);
        match &result {
            Err(Refused::Unavailable(failure)) => {
                // Standard error may be a pipe that nobody reads.
                if !self.is_down.swap(true, Ordering::Relaxed) {
                    output::error(&format!("error: {failure}"));
                }
            }
            _ => self.is_down.store(false, Ordering::Relaxed),
        }
        result
    }

    async fn attempts(&self, call: &Call) -> std::result::Result<Given, Refused> {
        let mut again = call.may_repeat;
        loop {
            let (connected, was_idle) = tokio::select! {
                taken = self.pool.take(self.deadline) => taken?,
                () = self.canceled() => return Err(Refused::Canceled),
            };
            match self.query(connected, call).await {
                Ended::Given(given) => return Ok(given),
                Ended::Refused(refused) => return Err(refused),
                // The server was restarted meanwhile, and the other connections are lost too.
                Ended::Lost { before: true, .. } if was_idle && again => {
                    again = false;
                    self.pool.clear();
                }
                Ended::Lost { failure, .. } => return Err(Refused::Unavailable(failure)),
            }
        }
    }

    /// Runs the call, and keeps the connection if it can be used again.
    async fn query(&self, connected: Connected, call: &Call) -> Ended {
        let began = Instant::now();
        let (result, is_clean) = self.rows(&connected, call).await;
        let notices = connected.session.take_notices();
        match result {
            None => {
                connected.session.abandon();
                Ended::Refused(Refused::Canceled)
            }
            Some(Ok(row)) => {
                if is_clean {
                    self.pool.put(connected);
                }
                Ended::Given(Given { row, notices })
            }
            Some(Err(Error { error, at })) => {
                if is_lost(&error) {
                    let before = error.is_closed() || began.elapsed() < SOON;
                    return Ended::Lost { failure: Failure::from(error), before };
                }
                if is_clean {
                    self.pool.put(connected);
                }
                match at {
                    At::Role if error.code() != Some(&SqlState::QUERY_CANCELED) => {
                        Ended::Refused(Refused::Role(Failure::from(error)))
                    }
                    _ => Ended::Refused(Refused::from_error(error)),
                }
            }
        }
    }

    /// The row of the last statement, None if it goes on although it was canceled, and whether the connection may be used again.
    async fn rows(
        &self,
        connected: &Connected,
        call: &Call,
    ) -> (Option<std::result::Result<Option<Row>, Error>>, bool) {
        let client = &connected.session.client;
        let query = async {
            match &call.transaction {
                None => (run::only(connected, &call.statement).await.map_err(Error::of_statement), true),
                Some(role) => run::transaction(connected, call, role).await,
            }
        };
        tokio::pin!(query);
        tokio::select! {
            (result, is_clean) = &mut query => return (Some(result), is_clean),
            () = self.canceled() => {}
            // The server ends it earlier, if there still is one.
            () = sleep(call.time + CANCEL_TIME) => {}
        }
        // A request that finds the server between two messages of a call is lost.
        let mut requests = 0;
        let end = async {
            loop {
                self.pool.connector.cancel(&client.cancel_token()).await;
                requests += 1;
                if let Ok(ended) = timeout(CANCEL_INTERVAL, &mut query).await {
                    return ended;
                }
            }
        };
        let Ok((result, is_clean)) = timeout(CANCEL_TIME, end).await else { return (None, false) };
        // A request to cancel that came too late would end the next statement.
        let was_in_time = requests == 1
            && result.as_ref().is_err_and(|failed| failed.error.code() == Some(&SqlState::QUERY_CANCELED));
        (Some(result), is_clean && was_in_time && call.transaction.is_none())
    }
}
