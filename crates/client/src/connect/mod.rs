//! Connections to the server, with the settings of libpq.

mod block;
mod conninfo;
mod passfile;
mod tls;

use std::env;
use std::future::poll_fn;
use std::os::unix::process::CommandExt;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::AbortHandle;
use tokio_postgres::error::DbError;
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, CancelToken, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use block::connect as connect_to_block;
pub use conninfo::Settings;

use crate::cli::Connection;
use crate::error::{Failure, Result, with_causes};

/// Opens connections to one database.
pub struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    settings: Settings,
    /// The role to be after connecting.
    role: Option<String>,
}

/// A connection.
pub struct Session {
    pub client: Client,
    notices: Arc<Mutex<Vec<DbError>>>,
    /// Of the task that reads and writes.
    task: AbortHandle,
}

impl Connector {
    /// The database of `--database`, else that of the environment, else the local one.
    ///
    /// # Errors
    /// Status 2 for settings that are wrong or not supported.
    pub fn from_connection(connection: &Connection) -> Result<Connector> {
        let settings = Settings::collect(connection.database.as_deref(), &|name| env::var(name).ok())?;
        Connector::from_settings(settings, connection.role.clone())
    }

    fn from_settings(settings: Settings, role: Option<String>) -> Result<Connector> {
        Ok(Connector { config: settings.config()?, tls: tls::connector(&settings)?, settings, role })
    }

    /// Connects.
    pub async fn connect(&self) -> Result<Session> {
        let (client, mut connection) =
            self.config.connect(self.tls.clone()).await.map_err(|error| self.refused(&error))?;
        let notices: Arc<Mutex<Vec<DbError>>> = Arc::default();
        let listener = Arc::clone(&notices);
        // Ends when the client is dropped. An error of the connection is one of the statement that waits for it too.
        let task = tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notice(notice) = message {
                    listener.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
                }
            }
        })
        .abort_handle();
        if let Some(role) = &self.role {
            client
                .query_typed("SELECT pg_catalog.set_config('role', $1, false)", &[(role, Type::TEXT)])
                .await?;
        }
        Ok(Session { client, notices, task })
    }

    /// Cancels the statement that a session runs.
    pub async fn cancel(&self, token: &CancelToken) {
        // What cannot be canceled ends by itself.
        let _ = token.cancel_query(self.tls.clone()).await;
    }

    fn refused(&self, error: &tokio_postgres::Error) -> Failure {
        let place = self.settings.place();
        match error.as_db_error() {
            Some(db) => {
                let failure = Failure::from(db);
                let message = format!("cannot connect to {place}: {}", failure.message);
                Failure { message, is_public: false, ..failure }
            }
            None if with_causes(error).contains("password missing") => {
                Failure::new(format!("cannot connect to {place}: the server asks for a password"))
                    .hint("Set PGPASSWORD, or add a line to ~/.pgpass.")
            }
            None => {
                let why = with_causes(error);
                let failure = Failure::new(format!("cannot connect to {place}: {why}"));
                if !why.starts_with("error connecting to server") {
                    return failure;
                }
                failure.hint(
                    "Is the server running there? Give another database with --database or PGHOST, PGPORT and PGDATABASE.",
                )
            }
        }
    }
}

impl Session {
    /// Closes the connection at once. A client that is dropped waits for the end of its statement.
    pub fn abandon(self) {
        self.task.abort();
    }

    /// The messages of the server since the last call.
    pub fn take_notices(&self) -> Vec<DbError> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Replaces the process by itself with the password of `--database` in the environment, where other users cannot read it.
pub fn hide_password(database: Option<&str>) -> Result<()> {
    let Some((text, password)) = database.and_then(conninfo::without_password) else { return Ok(()) };
    let program =
        env::current_exe().map_err(|error| Failure::new(format!("the program cannot start: {error}")))?;
    let given = database.unwrap_or_default();
    let arguments = env::args_os().skip(1).map(|argument| match argument.to_str() {
        Some(argument) if argument.ends_with(given) => {
            format!("{}{text}", &argument[..argument.len() - given.len()]).into()
        }
        _ => argument,
    });
    let error = process::Command::new(program).args(arguments).env("PGPASSWORD", password).exec();
    Err(Failure::new(format!("the program cannot start: {error}")))
}
