//! The connections to the database: a few, each for one call at a time, opened when needed and again after they were lost.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_util::sync::CancellationToken;

use crate::connect::{Connector, Session};
use crate::error::{Failure, Result, is_lost};
use crate::index::find_extension;
use crate::output;

/// How long a call waits for a connection that others use.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a call may take. The server ends it after this time.
const CALL_TIME: Duration = Duration::from_secs(60);
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
    /// The database cannot be reached, or all connections are in use.
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

/// The connections.
pub struct Database {
    connector: Arc<Connector>,
    idle: Arc<Mutex<Vec<Connected>>>,
    permits: Arc<Semaphore>,
    most: u8,
    /// Cancelled at the end of the program.
    closing: CancellationToken,
}

impl Database {
    /// With at most so many connections.
    pub fn new(connector: Arc<Connector>, most: u8) -> Database {
        let permits = Arc::new(Semaphore::new(usize::from(most)));
        Database { connector, idle: Arc::default(), permits, most, closing: CancellationToken::new() }
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

    /// Runs a statement that gives one row. `{extension}` in it stands for the schema of kb_rag's functions. A connection that
    /// was lost while it was not in use is made again. Dropping the future cancels the statement, as `cancel` does.
    pub async fn call(
        &self,
        statement: &'static str,
        parameters: Vec<Parameter>,
        cancel: &CancellationToken,
    ) -> std::result::Result<Row, Refused> {
        let permit = tokio::select! {
            permit = timeout(PATIENCE, Arc::clone(&self.permits).acquire_owned()) => permit,
            () = cancel.cancelled() => return Err(Refused::Cancelled),
        };
        let Ok(Ok(permit)) = permit else {
            return Err(Refused::Unavailable(Failure::new("too many calls run at the same time")));
        };
        let cancel = cancel.child_token();
        let job = Job {
            connector: Arc::clone(&self.connector),
            idle: Arc::clone(&self.idle),
            cancel: cancel.clone(),
            closing: self.closing.clone(),
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
    let session = connector.connect().await?;
    let milliseconds = CALL_TIME.as_millis();
    session.client.batch_execute(&format!("SET statement_timeout = {milliseconds}")).await?;
    let extension = find_extension(&session).await?;
    Ok(Connected { session, extension })
}

/// One call.
struct Job {
    connector: Arc<Connector>,
    idle: Arc<Mutex<Vec<Connected>>>,
    cancel: CancellationToken,
    closing: CancellationToken,
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
        if let Err(Refused::Unavailable(failure)) = &result {
            output::error(&format!("error: {failure}"));
        }
        result
    }

    async fn attempts(&self, statement: &str, parameters: &[Parameter]) -> std::result::Result<Row, Refused> {
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
                // The server was restarted meanwhile. A call can be repeated: it searches, or loads a file by its key.
                Err(Refused::Unavailable(_)) if was_idle => {}
                result => return result,
            }
        }
    }

    /// Runs the statement, and keeps the connection if it can be used again.
    async fn query(
        &self,
        connected: Connected,
        statement: &str,
        parameters: &[Parameter],
    ) -> std::result::Result<Row, Refused> {
        let result = self.rows(&connected, statement, parameters).await;
        connected.session.take_notices();
        match result {
            // The connection is closed, not used again.
            None => Err(Refused::Cancelled),
            Some(Ok(rows)) => {
                put(&self.idle, connected);
                rows.into_iter()
                    .next()
                    .ok_or_else(|| Refused::Unavailable(Failure::new("the server gave no row")))
            }
            Some(Err(error)) => {
                let refused = Refused::of(error);
                if !matches!(refused, Refused::Unavailable(_)) {
                    put(&self.idle, connected);
                }
                Err(refused)
            }
        }
    }

    /// The rows of the statement. None if it goes on although it was cancelled.
    async fn rows(
        &self,
        connected: &Connected,
        statement: &str,
        parameters: &[Parameter],
    ) -> Option<std::result::Result<Vec<Row>, tokio_postgres::Error>> {
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
            result = &mut query => Some(result),
            () = self.cancelled() => {
                self.connector.cancel(&client.cancel_token()).await;
                timeout(CANCEL_TIME, &mut query).await.ok()
            }
        }
    }
}
