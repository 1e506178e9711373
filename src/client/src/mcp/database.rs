//! The connections to the database: a few, each for one call at a time, opened when needed and again after they were lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_util::sync::CancellationToken;

use crate::connect::{Connector, Session};
use crate::error::{Failure, Result, is_lost};
use crate::extension;
use crate::output;

/// How long a call waits for a connection that others use.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a call may take. The server ends it after this time.
const CALL_TIME: Duration = Duration::from_secs(60);
/// Sets it, unless the role has a lower limit of its own.
const LIMIT: &str = "SELECT pg_catalog.set_config('statement_timeout', $1, false) FROM pg_catalog.pg_settings
    WHERE name = 'statement_timeout' AND (setting = '0' OR setting::pg_catalog.int8 > extract(milliseconds FROM $1::pg_catalog.interval))";
/// How long connecting may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How many calls wait for a connection. Further ones are refused.
const MOST_WAITING: usize = 64;
/// A connection that is lost so soon after a call was sent had been lost before.
const SOON: Duration = Duration::from_secs(1);
/// How long a server may take to end a statement that was cancelled, before its connection is closed.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// A parameter of a statement.
pub type Parameter = (Box<dyn ToSql + Sync + Send>, Type);

/// Why a call gave no row.
#[derive(Debug)]
pub enum Refused {
    /// An error of the server about this call.
    Call { code: SqlState, failure: Failure },
    /// The call was cancelled, or took too long.
    Cancelled,
    /// Too many calls run or wait.
    Busy,
    /// The database cannot be reached.
    Unavailable(Failure),
}

impl Refused {
    fn of(error: tokio_postgres::Error) -> Refused {
        match error.code().cloned() {
            Some(code) if code == SqlState::QUERY_CANCELED => Refused::Cancelled,
            Some(code) if !is_lost(&error) => Refused::Call { code, failure: Failure::from(error) },
            _ => Refused::Unavailable(Failure::from(error)),
        }
    }
}

/// A connection with the schema of kb_rag's functions, quoted.
struct Connected {
    session: Session,
    extension: String,
}

/// The connections, shared by all clients.
pub struct Database {
    connector: Arc<Connector>,
    idle: Arc<Mutex<Vec<Connected>>>,
    permits: Arc<Semaphore>,
    most: u8,
    /// Calls that run or wait.
    places: Semaphore,
    /// Whether the last call could not reach the database: said once.
    is_down: Arc<AtomicBool>,
    /// Cancelled at the end of the program.
    closing: CancellationToken,
}

impl Database {
    /// With at most so many connections.
    pub fn new(connector: Arc<Connector>, most: u8) -> Database {
        let permits = Arc::new(Semaphore::new(usize::from(most)));
        Database {
            connector,
            idle: Arc::default(),
            permits,
            most,
            places: Semaphore::new(usize::from(most) + MOST_WAITING),
            is_down: Arc::default(),
            closing: CancellationToken::new(),
        }
    }

    /// Opens the first connection.
    pub async fn check(&self) -> Result<()> {
        let connected = connect(&self.connector).await?;
        put(&self.idle, connected);
        Ok(())
    }

    /// Cancels all calls and waits for their end: a server does not notice by itself that a client has gone.
    pub async fn close(&self) {
        self.closing.cancel();
        let _ = timeout(CANCEL_TIME, self.permits.acquire_many(u32::from(self.most))).await;
    }

    /// Cancelled at the end of the program.
    pub fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Runs a statement that gives one row. `{extension}` in it stands for the schema of kb_rag's functions. A connection that
    /// was lost while it was not in use is made again, once. Dropping the future cancels the statement, as `cancel` does.
    pub async fn call(
        &self,
        statement: &'static str,
        parameters: Vec<Parameter>,
        cancel: &CancellationToken,
    ) -> std::result::Result<Row, Refused> {
        let Ok(_place) = self.places.try_acquire() else { return Err(Refused::Busy) };
        let permit = tokio::select! {
            permit = timeout(PATIENCE, Arc::clone(&self.permits).acquire_owned()) => permit,
            () = cancel.cancelled() => return Err(Refused::Cancelled),
        };
        let Ok(Ok(permit)) = permit else { return Err(Refused::Busy) };
        let cancel = cancel.child_token();
        let job = Job {
            connector: Arc::clone(&self.connector),
            idle: Arc::clone(&self.idle),
            cancel: cancel.clone(),
            closing: self.closing.clone(),
            is_down: Arc::clone(&self.is_down),
        };
        // The task outlives this future, so that a statement that was cancelled ends before its connection is used again.
        let task = tokio::spawn(job.run(permit, statement, parameters));
        let _guard = cancel.drop_guard();
        match task.await {
            Ok(result) => result,
            Err(error) => Err(Refused::Unavailable(Failure::new(format!("the call ended: {error}")))),
        }
    }
}

fn put(idle: &Mutex<Vec<Connected>>, connected: Connected) {
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(connected);
}

async fn connect(connector: &Connector) -> Result<Connected> {
    let late =
        |_| Failure::new(format!("the server did not answer within {} seconds", CONNECT_TIME.as_secs()));
    timeout(CONNECT_TIME, open(connector)).await.map_err(late)?
}

async fn open(connector: &Connector) -> Result<Connected> {
    let session = connector.connect().await?;
    let limit = format!("{}ms", CALL_TIME.as_millis());
    session.client.query_typed(LIMIT, &[(&limit, Type::TEXT)]).await?;
    let extension = extension::find(&session).await?;
    Ok(Connected { session, extension })
}

/// One call.
struct Job {
    connector: Arc<Connector>,
    idle: Arc<Mutex<Vec<Connected>>>,
    cancel: CancellationToken,
    closing: CancellationToken,
    is_down: Arc<AtomicBool>,
}

/// How the statement of a call ended.
enum Ended {
    Row(Row),
    Refused(Refused),
    /// The connection is lost. `before`: it probably was when the call began.
    Lost {
        failure: Failure,
        before: bool,
    },
}

impl Job {
    /// Waits for a request to end.
    async fn cancelled(&self) {
        tokio::select! {
            () = self.cancel.cancelled() => {}
            () = self.closing.cancelled() => {}
        }
    }

    async fn run(
        self,
        permit: OwnedSemaphorePermit,
        statement: &'static str,
        parameters: Vec<Parameter>,
    ) -> std::result::Result<Row, Refused> {
        let result = self.attempts(statement, &parameters).await;
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

    async fn attempts(&self, statement: &str, parameters: &[Parameter]) -> std::result::Result<Row, Refused> {
        let mut again = true;
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let was_idle = idle.is_some();
            let connected = match idle {
                Some(connected) => connected,
                None => tokio::select! {
                    connected = connect(&self.connector) => connected.map_err(Refused::Unavailable)?,
                    () = self.cancelled() => return Err(Refused::Cancelled),
                },
            };
            match self.query(connected, statement, parameters).await {
                Ended::Row(row) => return Ok(row),
                Ended::Refused(refused) => return Err(refused),
                // The server was restarted meanwhile, and the other connections are lost too.
                Ended::Lost { before: true, .. } if was_idle && again => {
                    again = false;
                    self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
                }
                Ended::Lost { failure, .. } => return Err(Refused::Unavailable(failure)),
            }
        }
    }

    /// Runs the statement, and keeps the connection if it can be used again.
    async fn query(&self, connected: Connected, statement: &str, parameters: &[Parameter]) -> Ended {
        let began = Instant::now();
        let (result, was_cancelled) = self.rows(&connected, statement, parameters).await;
        connected.session.take_notices();
        match result {
            None => Ended::Refused(Refused::Cancelled),
            Some(Ok(rows)) => {
                // A request to cancel that came too late would end the next statement.
                if !was_cancelled {
                    put(&self.idle, connected);
                }
                let none = || Ended::Refused(Refused::Unavailable(Failure::new("the server gave no row")));
                rows.into_iter().next().map_or_else(none, Ended::Row)
            }
            Some(Err(error)) => {
                let is_cancelled = error.code() == Some(&SqlState::QUERY_CANCELED);
                if is_lost(&error) {
                    let before = error.is_closed() || began.elapsed() < SOON;
                    return Ended::Lost { failure: Failure::from(error), before };
                }
                if !was_cancelled || is_cancelled {
                    put(&self.idle, connected);
                }
                Ended::Refused(Refused::of(error))
            }
        }
    }

    /// The rows of the statement, None if it goes on although it was cancelled, and whether it was.
    async fn rows(
        &self,
        connected: &Connected,
        statement: &str,
        parameters: &[Parameter],
    ) -> (Option<std::result::Result<Vec<Row>, tokio_postgres::Error>>, bool) {
        let sql = statement.replace("{extension}", &connected.extension);
        let values: Vec<(&(dyn ToSql + Sync), Type)> = parameters
            .iter()
            .map(|(value, kind)| (value.as_ref() as &(dyn ToSql + Sync), kind.clone()))
            .collect();
        let client = &connected.session.client;
        // Without a prepared statement, which poolers of connections do not keep.
        let query = client.query_typed(&sql, &values);
        tokio::pin!(query);
        tokio::select! {
            result = &mut query => return (Some(result), false),
            () = self.cancelled() => {}
            // The server ends it earlier, if there still is one.
            () = sleep(CALL_TIME + CANCEL_TIME) => {}
        }
        let end = async {
            self.connector.cancel(&client.cancel_token()).await;
            query.await
        };
        (timeout(CANCEL_TIME, end).await.ok(), true)
    }
}
