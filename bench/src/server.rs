//! The connection: one session, timed statements, and what a statement reads.

use std::error::Error as StdError;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use postgres::types::{IsNull, ToSql, Type, private::BytesMut};
use postgres::{Client, Config, NoTls, Row, Statement};
use serde_json::Value;

/// Parameters of a statement.
pub type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A pgvector `vector` as a parameter.
#[derive(Debug)]
pub struct Vector(pub Vec<f32>);

impl ToSql for Vector {
    /// pgvector's wire format: dimensions, an unused int16, then the numbers.
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.extend_from_slice(&u16::try_from(self.0.len())?.to_be_bytes());
        out.extend_from_slice(&[0, 0]);
        self.0.iter().for_each(|x| out.extend_from_slice(&x.to_be_bytes()));
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "vector"
    }

    postgres::types::to_sql_checked!();
}

/// Shared buffers and rows read by one execution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touched {
    pub buffers: f64,
    pub rows: f64,
}

/// One session.
pub struct Server {
    pub client: Client,
    config: Config,
}

impl Server {
    pub fn connect(socket: &str, database: &str) -> Result<Server> {
        let mut config = Config::new();
        config.host_path(socket).dbname(database).user("postgres").application_name("kb_rag bench");
        Server::open(config).with_context(|| format!("no server in {socket}"))
    }

    /// Another session of the same database.
    pub fn another(&self) -> Result<Server> {
        Server::open(self.config.clone())
    }

    fn open(config: Config) -> Result<Server> {
        let client = config.connect(NoTls)?;
        let mut server = Server { client, config };
        server.run("SET client_min_messages = warning")?;
        Ok(server)
    }

    /// The process that serves the session.
    pub fn pid(&mut self) -> Result<i64> {
        self.number("SELECT pg_backend_pid()::int8", &[])
    }

    /// Runs statements without parameters.
    pub fn run(&mut self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).with_context(|| sql.to_string())
    }

    /// Runs statements and returns the time they took.
    pub fn run_timed(&mut self, sql: &str) -> Result<Duration> {
        let began = Instant::now();
        self.run(sql)?;
        Ok(began.elapsed())
    }

    pub fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.client.prepare(sql).with_context(|| sql.to_string())
    }

    pub fn query(&mut self, sql: &str, params: Params) -> Result<Vec<Row>> {
        self.client.query(sql, params).with_context(|| sql.to_string())
    }

    /// The single number that a query returns.
    pub fn number(&mut self, sql: &str, params: Params) -> Result<i64> {
        Ok(self.client.query_one(sql, params).with_context(|| sql.to_string())?.try_get(0)?)
    }

    /// Bytes of WAL that the server has written since it was made.
    pub fn wal(&mut self) -> Result<i64> {
        self.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8", &[])
    }

    /// Executes a prepared statement; returns its rows, and the time from sending it to reading the last row.
    pub fn time(&mut self, statement: &Statement, params: Params) -> Result<(Vec<Row>, Duration)> {
        let began = Instant::now();
        let rows = self.client.query(statement, params)?;
        Ok((rows, began.elapsed()))
    }

    /// What one execution of a query reads: buffers from EXPLAIN (ANALYZE, BUFFERS), rows from the counters
    /// of the transaction (rows of tables, read by scans or through indexes).
    pub fn touched(&mut self, sql: &str, params: Params) -> Result<Touched> {
        let explain = format!("EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT JSON) {sql}");
        let mut transaction = self.client.transaction()?;
        let before: i64 = transaction.query_one(include_str!("../sql/rows_touched.sql"), &[])?.try_get(0)?;
        let plan: Value =
            transaction.query_one(&explain, params).with_context(|| explain.clone())?.try_get(0)?;
        let after: i64 = transaction.query_one(include_str!("../sql/rows_touched.sql"), &[])?.try_get(0)?;
        transaction.commit()?;
        let top = plan.pointer("/0/Plan").ok_or_else(|| anyhow!("a plan without a top node: {plan}"))?;
        let blocks = |name: &str| top.get(name).and_then(Value::as_f64).unwrap_or_default();
        Ok(Touched {
            buffers: blocks("Shared Hit Blocks") + blocks("Shared Read Blocks"),
            rows: (after - before) as f64,
        })
    }
}

/// Seconds of processor time that processes of this machine have used.
pub fn processor_time(pids: &[i64]) -> Result<f64> {
    let of = |pid: &i64| -> Result<f64> {
        let file = format!("/proc/{pid}/schedstat");
        let line = fs::read_to_string(&file).with_context(|| file.clone())?;
        let nanoseconds: Option<u64> = line.split(' ').next().and_then(|first| first.parse().ok());
        Ok(nanoseconds.with_context(|| format!("{file}: {line}"))? as f64 / 1e9)
    };
    pids.iter().map(of).sum()
}
