//! The chunks of a base with the old index, beside it.

use std::time::Duration;

use anyhow::{Context, Result};
use postgres::Statement;

use super::impact::keys_expression;
use crate::server::Server;

/// A table of chunks with the old keyword index, and a session that asks for them as the old search did.
pub struct Before {
    /// The name of the table.
    pub table: String,
    schema: String,
    session: Server,
    statement: Statement,
    /// Bytes of WAL that the index adds for a row that is written when the index exists; None where all rows are.
    pub wal: Option<f64>,
}

impl Before {
    /// Copies the chunks of a base. All but the last `last` are there when the index is made; the others come later, so
    /// that the index has its list of pending entries, as after loading.
    pub fn make(server: &mut Server, name: &str, schema: &str, last: usize) -> Result<Before> {
        let table = format!("before_chunk_{name}");
        server.run(&format!(
            "CREATE TABLE {table} (id uuid NOT NULL, tsv tsvector NOT NULL, length int NOT NULL) WITH (toast_tuple_target = 8160)"
        ))?;
        let all = server.number(&format!("SELECT count(*) FROM {schema}.chunk"), &[])?;
        let at_first = (all - last as i64).max(0);
        let plain = copy(server, &table, schema, at_first)?;
        server
            .run(&format!("CREATE INDEX {table}_keyword ON {table} USING gin (({}))", keys_expression()))?;
        let indexed = copy(server, &table, schema, i64::MAX)?;
        let mut session = server.another()?;
        // The old search set work_mem, and its statement had no plan of its own for each question.
        session.run("SET work_mem = '64MB'; SET plan_cache_mode = force_generic_plan")?;
        let statement = session.prepare(&format!(
            "SELECT count(*), sum(length) FROM {table} c WHERE {} @@ $1::text::tsquery",
            keys_expression()
        ))?;
        let per_row = |bytes: i64, rows: i64| bytes as f64 / rows as f64;
        let wal = (at_first > 0).then(|| per_row(indexed, all - at_first) - per_row(plain, at_first));
        Ok(Before { table, schema: schema.to_string(), session, statement, wal })
    }

    /// Copies the chunks that the base has in addition.
    pub fn follow(&mut self, server: &mut Server) -> Result<()> {
        copy(server, &self.table, &self.schema, i64::MAX).map(drop)
    }

    /// Runs the conditions of a query; returns how many chunks would have been scored, and the time it took.
    pub fn run(&mut self, conditions: &[String]) -> Result<(i64, Duration)> {
        let (mut rows, mut time) = (0, Duration::ZERO);
        for condition in conditions {
            let (row, took) = self.session.time(&self.statement, &[condition])?;
            rows += row.first().context("count(*) returned no row")?.try_get::<_, i64>(0)?;
            time += took;
        }
        Ok((rows, time))
    }

    /// Bytes of the index.
    pub fn bytes(&self, server: &mut Server) -> Result<i64> {
        server.number(&format!("SELECT pg_relation_size('{}_keyword')", self.table), &[])
    }

    pub fn drop(self, server: &mut Server) -> Result<()> {
        server.run(&format!("DROP TABLE {}", self.table))
    }
}

/// Copies up to so many chunks that the table lacks, in the order in which they were written; returns the bytes of WAL.
fn copy(server: &mut Server, table: &str, schema: &str, most: i64) -> Result<i64> {
    let there = server.number(&format!("SELECT count(*) FROM {table}"), &[])?;
    let before = server.wal()?;
    server.run(&format!(
        "INSERT INTO {table} SELECT id, tsv, length FROM {schema}.chunk ORDER BY keyword_number OFFSET {there} LIMIT {most}"
    ))?;
    Ok(server.wal()? - before)
}
