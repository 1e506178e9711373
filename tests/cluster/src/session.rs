//! Statements as tests need them: for a value, for a SQLSTATE, or without a result; and statements on a
//! separate thread.

use std::error::Error as _;
use std::io;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use postgres::types::{FromSqlOwned, ToSql};
use postgres::{Client, Error, GenericClient};

use crate::wait_until;

/// When the server's own processes began.
pub(crate) const SERVER_START: &str =
    "SELECT backend_start::text FROM pg_stat_activity WHERE backend_type = 'checkpointer'";

/// The SQLSTATE of a statement: 00000 if it succeeded, 08006 if the connection was lost.
pub fn sqlstate<T>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "00000".to_string(),
        Err(error) => match error.code() {
            Some(code) => code.code().to_string(),
            None if error.is_closed() || error.source().is_some_and(|source| source.is::<io::Error>()) => {
                "08006".to_string()
            }
            None => panic!("not an error of the server: {error:?}"),
        },
    }
}

/// Shorthands over a client or a transaction.
pub trait Session: GenericClient {
    /// Runs statements without parameters that must succeed.
    fn run(&mut self, sql: &str) {
        self.batch_execute(sql).unwrap_or_else(|e| panic!("{sql}\n  {e}\n  {:?}", e.as_db_error()));
    }

    /// The single value that a query returns.
    fn value<T: FromSqlOwned>(&mut self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> T {
        self.query_one(sql, parameters)
            .unwrap_or_else(|e| panic!("{sql}\n  {e}\n  {:?}", e.as_db_error()))
            .get(0)
    }

    /// The first column of a query.
    fn column<T: FromSqlOwned>(&mut self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Vec<T> {
        self.query(sql, parameters)
            .unwrap_or_else(|e| panic!("{sql}\n  {e}\n  {:?}", e.as_db_error()))
            .iter()
            .map(|row| row.get(0))
            .collect()
    }

    /// Creates a knowledge base with the fake model: 8 dimensions, chunks of at most 200 characters.
    fn create_base(&mut self, name: &str) {
        self.run(&format!(
            "SELECT kb_create('{name}', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, \
             chunk_strategy => 'text')"
        ));
    }

    /// The SQLSTATE of the statement.
    fn state_of(&mut self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> String {
        sqlstate(&self.query(sql, parameters))
    }

    /// The process that serves this session.
    fn pid(&mut self) -> i32 {
        self.value("SELECT pg_backend_pid()", &[])
    }

    /// When the server's own processes began: if it changes, the server has crashed. (pg_postmaster_start_time() does not
    /// change when the server restarts its processes.)
    fn server_start(&mut self) -> String {
        self.value(SERVER_START, &[])
    }
}

impl<C: GenericClient> Session for C {}

/// The outcome of a statement on a separate thread.
pub struct Outcome {
    /// The session, for further use.
    pub client: Client,
    /// Its SQLSTATE.
    pub state: String,
    /// When it ended.
    pub at: Instant,
}

impl Outcome {
    /// Runs statements on a new thread.
    pub fn spawn(mut client: Client, sql: &str) -> JoinHandle<Outcome> {
        let sql = sql.to_string();
        thread::spawn(move || {
            let state = sqlstate(&client.batch_execute(&sql));
            Outcome { client, state, at: Instant::now() }
        })
    }

    /// The outcome of statements that must end, though what they wait for never comes. Fails after `DEADLINE`.
    pub fn joined(running: JoinHandle<Outcome>, what: &str) -> Outcome {
        wait_until(what, || running.is_finished());
        running.join().unwrap_or_else(|_| panic!("{what}: the thread failed"))
    }
}
