//! Statements that answer the same queries, timed in turn.

use std::time::Duration;

use anyhow::Result;
use postgres::Statement;
use postgres::types::ToSql;
use uuid::Uuid;

use crate::queries::{Query, Stratum};
use crate::server::{Server, Touched, Vector};
use crate::statistics::{mean, milliseconds};

/// How often each contender answers each query, after one execution that is not timed: it loads the data of
/// the query into the caches, which would also benefit the next contender. The contenders take turns, and
/// then all run again, so that a change of the machine's speed affects all of them.
const ROUNDS: usize = 2;
/// A contender this slow is timed once per query: its time does not depend on the caches.
const SLOW: Duration = Duration::from_millis(100);

/// The parameters of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// $1 the question, $2 its vector, $3 number of results.
    TextAndVector,
    /// $1 the vector, $2 number of results.
    Vector,
}

/// A statement whose first column is the id of a chunk.
pub struct Contender {
    pub name: &'static str,
    pub takes: Takes,
    pub sql: String,
    /// A setting with the value that the statement runs with, if it is not the server's.
    pub setting: Option<(&'static str, &'static str)>,
}

impl Contender {
    /// Runs `work` with the setting, which takes no part of the time that `work` measures.
    fn with_setting<T>(&self, server: &mut Server, work: impl FnOnce(&mut Server) -> Result<T>) -> Result<T> {
        let Some((name, value)) = self.setting else { return work(server) };
        server.run(&format!("SET {name} = {value}"))?;
        let result = work(server);
        server.run(&format!("RESET {name}"))?;
        result
    }
}

/// The results of a contender.
pub struct Record {
    pub name: &'static str,
    pub answers: Vec<Answer>,
}

/// The answer to one query.
pub struct Answer {
    pub stratum: Stratum,
    /// The faster of the rounds: the other was slowed by something else on the machine.
    pub milliseconds: f64,
    pub found: Vec<Uuid>,
    /// Measured only for some queries of each stratum, as it takes another execution.
    pub touched: Option<Touched>,
}

impl Record {
    /// The answers to queries in these strata.
    pub fn answers_in<'a>(&'a self, strata: &'a [Stratum]) -> impl Iterator<Item = &'a Answer> {
        self.answers.iter().filter(|answer| strata.contains(&answer.stratum))
    }

    pub fn times(&self, strata: &[Stratum]) -> Vec<f64> {
        self.answers_in(strata).map(|answer| answer.milliseconds).collect()
    }

    /// The mean over the queries for which it was measured.
    pub fn touched(&self, strata: &[Stratum]) -> Touched {
        let touched: Vec<Touched> = self.answers_in(strata).filter_map(|answer| answer.touched).collect();
        let mean_of = |get: fn(&Touched) -> f64| mean(&touched.iter().map(get).collect::<Vec<_>>());
        Touched { buffers: mean_of(|t| t.buffers), rows: mean_of(|t| t.rows) }
    }

    /// The average number of rows in the answers.
    pub fn mean_found(&self, strata: &[Stratum]) -> f64 {
        mean(&self.answers_in(strata).map(|answer| answer.found.len() as f64).collect::<Vec<_>>())
    }
}

/// Runs all contenders on all queries with `count` results; the first `explained` of each stratum are also
/// explained.
pub fn run(
    server: &mut Server,
    contenders: &[Contender],
    queries: &[Query],
    count: i64,
    explained: usize,
) -> Result<Vec<Record>> {
    let statements: Vec<Statement> =
        contenders.iter().map(|contender| server.prepare(&contender.sql)).collect::<Result<_>>()?;
    let mut records: Vec<Record> = contenders
        .iter()
        .map(|c| Record { name: c.name, answers: Vec::with_capacity(queries.len()) })
        .collect();
    let mut seen = [0usize; Stratum::ALL.len()];
    for query in queries {
        let vector = Vector(query.vector.clone());
        let both: [&(dyn ToSql + Sync); 3] = [&query.text, &vector, &count];
        let params = |contender: &Contender| match contender.takes {
            Takes::TextAndVector => &both[..],
            Takes::Vector => &both[1..],
        };
        let mut slow = vec![false; contenders.len()];
        let mut times = vec![f64::INFINITY; contenders.len()];
        let mut found = vec![Vec::new(); contenders.len()];
        for (at, statement) in statements.iter().enumerate() {
            let contender = &contenders[at];
            let (rows, time) =
                contender.with_setting(server, |server| server.time(statement, params(contender)))?;
            slow[at] = time > SLOW;
            found[at] = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        }
        for round in 0..ROUNDS {
            for (at, statement) in statements.iter().enumerate() {
                if round == 0 || !slow[at] {
                    let contender = &contenders[at];
                    let (_, time) =
                        contender.with_setting(server, |server| server.time(statement, params(contender)))?;
                    times[at] = times[at].min(milliseconds(time));
                }
            }
        }
        let number = &mut seen[query.stratum as usize];
        *number += 1;
        for (at, (found, milliseconds)) in found.into_iter().zip(times).enumerate() {
            let touched = if *number <= explained {
                let contender = &contenders[at];
                let touched = |server: &mut Server| server.touched(&contender.sql, params(contender));
                Some(contender.with_setting(server, touched)?)
            } else {
                None
            };
            let answer = Answer { stratum: query.stratum, milliseconds, found, touched };
            records[at].answers.push(answer);
        }
    }
    Ok(records)
}
