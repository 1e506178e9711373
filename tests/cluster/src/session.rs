//! Statements as tests need them: a value, a state, or done; and statements on a thread of their own.

use std::error::Error as _;
use std::io;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use postgres::types::{FromSqlOwned, ToSql};
use postgres::{Client, Error, GenericClient};

/// The five characters a statement ended in: 00000 when it succeeded, 08006 when the connection went away.
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

/// Short forms over a client or a transaction.
pub trait Session: GenericClient {
    /// Runs statements without parameters that must succeed.
    fn run(&mut self, sql: &str) {
        self.batch_execute(sql).unwrap_or_else(|e| panic!("{sql}\n  {e}\n  {:?}", e.as_db_error()));
    }

    /// The one value a query gives.
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

    /// Creates a knowledge base of the fake model: 8 dimensions, passages of at most 200 characters.
    fn create_base(&mut self, name: &str) {
        self.run(&format!(
            "SELECT kb_create('{name}', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, \
             chunk_strategy => 'text')"
        ));
    }

    /// What the statement ends in.
    fn state_of(&mut self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> String {
        sqlstate(&self.query(sql, parameters))
    }

    /// The process that serves this session.
    fn pid(&mut self) -> i32 {
        self.value("SELECT pg_backend_pid()", &[])
    }

    /// The server's start: another one means that it crashed.
    fn server_start(&mut self) -> String {
        self.value("SELECT pg_postmaster_start_time()::text", &[])
    }
}

impl<C: GenericClient> Session for C {}

/// How a statement ended that ran on a thread of its own.
pub struct Outcome {
    /// The session, for what follows.
    pub client: Client,
    /// What it ended in.
    pub state: String,
    /// When.
    pub at: Instant,
}

impl Outcome {
    /// Runs statements on a new thread.
    pub fn of(mut client: Client, sql: &str) -> JoinHandle<Outcome> {
        let sql = sql.to_string();
        thread::spawn(move || {
            let state = sqlstate(&client.batch_execute(&sql));
            Outcome { client, state, at: Instant::now() }
        })
    }
}
