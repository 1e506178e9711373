//! The connections that are open, and opening others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::run::Connected;
use super::{CALL_TIME, Refused};
use crate::connect::Connector;
use crate::error::{Failure, Result};
use crate::extension;

/// Sets the time limit of statements, unless the role has a lower limit of its own. Gives the limit that was set before, NULL for
/// none.
const LIMIT: &str = "SELECT nullif(s.setting::pg_catalog.int8, 0),
        CASE WHEN s.setting = '0' OR s.setting::pg_catalog.int8 > $1
            THEN pg_catalog.set_config('statement_timeout', $1::pg_catalog.text, false) END,
        pg_catalog.set_config('client_connection_check_interval', '10s', false)
    FROM pg_catalog.pg_settings s
    WHERE s.name = 'statement_timeout'";
/// How long connecting may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How soon a server that has no place for a connection is asked again.
const ASKED_AGAIN: Duration = Duration::from_secs(1);

/// The connections of a [`super::Database`].
pub struct Pool {
    pub connector: Arc<Connector>,
    state: Mutex<State>,
    /// Tells one who waits that a connection is not in use any more.
    freed: Notify,
    /// Each connection has a copy.
    open: Arc<()>,
}

#[derive(Default)]
struct State {
    idle: Vec<Connected>,
    /// When the server is asked again for a connection, and what it said when it had no place for one.
    refused: Option<(Instant, Failure)>,
}

impl Pool {
    pub fn new(connector: Arc<Connector>) -> Pool {
        Pool { connector, state: Mutex::default(), freed: Notify::new(), open: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether connections are open.
    pub fn has_any(&self) -> bool {
        Arc::strong_count(&self.open) > 1
    }

    /// A connection that is not in use or a new one, and whether it was open before: then it may be lost. Where the server has no
    /// place for another, such as beyond the limit of the role, waits for one until `deadline`.
    pub async fn take(&self, deadline: Instant) -> std::result::Result<(Connected, bool), Refused> {
        loop {
            if let Some(connected) = self.idle() {
                return Ok((connected, true));
            }
            let (again, failure) = match self.refused() {
                Some(refused) => refused,
                None => match self.connect().await {
                    Ok(connected) => return Ok((connected, false)),
                    Err(failure) if failure.code == Some(SqlState::TOO_MANY_CONNECTIONS) => {
                        let refused = (Instant::now() + ASKED_AGAIN, failure);
                        self.state().refused = Some(refused.clone());
                        refused
                    }
                    Err(failure) => return Err(Refused::Unavailable(failure)),
                },
            };
            if Instant::now() >= deadline {
                return Err(if self.has_any() { Refused::Busy } else { Refused::Unavailable(failure) });
            }
            tokio::select! {
                () = self.freed.notified() => {}
                () = sleep_until(again.min(deadline)) => {}
            }
        }
    }

    /// A connection that is not in use and, as far as is known, not lost.
    fn idle(&self) -> Option<Connected> {
        let mut state = self.state();
        state.idle.retain(|connected| !connected.session.client.is_closed());
        let taken = state.idle.pop();
        // One is told although two were given back before anybody waited.
        if !state.idle.is_empty() {
            self.freed.notify_one();
        }
        taken
    }

    /// Why the server is not asked now.
    fn refused(&self) -> Option<(Instant, Failure)> {
        self.state().refused.take_if(|(again, _)| *again <= Instant::now());
        self.state().refused.clone()
    }

    /// Gives a connection back.
    pub fn put(&self, connected: Connected) {
        self.state().idle.push(connected);
        self.freed.notify_one();
    }

    /// Closes those that are not in use.
    pub fn clear(&self) {
        self.state().idle.clear();
    }

    /// Opens one.
    pub async fn connect(&self) -> Result<Connected> {
        let late =
            |_| Failure::new(format!("the server did not answer within {} seconds", CONNECT_TIME.as_secs()));
        timeout(CONNECT_TIME, self.open()).await.map_err(late)?
    }

    async fn open(&self) -> Result<Connected> {
        let session = self.connector.connect().await?;
        let limit = CALL_TIME.as_millis() as i64;
        let row = session.client.query_typed(LIMIT, &[(&limit, Type::INT8)]).await?;
        let limit = row.first().and_then(|row| row.try_get::<_, Option<i64>>(0).ok()).flatten();
        let extension = extension::find(&session).await?;
        Ok(Connected { session, extension, limit, _open: Arc::clone(&self.open) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Connection;

    /// Of a server that is not there, and whose refusal is known until `again`.
    fn refused(again: Instant) -> Pool {
        let database = Some("host=/nonexistent user=u dbname=d".to_string());
        let connector = Connector::from_connection(&Connection { database, role: None }).unwrap();
        let pool = Pool::new(Arc::new(connector));
        pool.state().refused = Some((again, Failure::new("no place")));
        pool
    }

    fn why(taken: std::result::Result<(Connected, bool), Refused>) -> String {
        match taken {
            Err(Refused::Unavailable(failure)) => failure.message,
            Err(Refused::Busy) => "busy".to_string(),
            _ => "other".to_string(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_without_a_place_is_asked_again_later() {
        let began = Instant::now();
        let pool = refused(began + ASKED_AGAIN);
        let why = why(pool.take(began + 10 * ASKED_AGAIN).await);
        assert!(why != "no place" && why != "busy", "{why}");
        assert_eq!(began.elapsed().as_millis(), ASKED_AGAIN.as_millis());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_place_ends() {
        for (has_others, expected) in [(false, "no place"), (true, "busy")] {
            let began = Instant::now();
            let pool = refused(began + 10 * ASKED_AGAIN);
            let _other = has_others.then(|| Arc::clone(&pool.open));
            assert_eq!(why(pool.take(began + ASKED_AGAIN).await), expected);
            assert_eq!(began.elapsed().as_millis(), ASKED_AGAIN.as_millis());
        }
    }
}
