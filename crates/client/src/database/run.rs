//! Runs a call on its connection.

use std::iter;
use std::sync::Arc;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::{As, Call, Parameter, Statement, Then, text};
use crate::connect::Session;
use crate::extension::Extension;

/// Leaves nothing of a transaction in its session: all of DISCARD ALL but DISCARD PLANS, since plans are made for a role anyway,
/// and a search without them takes twice as long.
const CLEAN: &str = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *;
    SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";
/// Prepares a transaction: its time limit in milliseconds, and its role. The server ends a statement that ignores a request to
/// cancel once its connection is closed. Answers and the log have its notices, whatever the login role has been set to.
const SET: &str = "SELECT pg_catalog.set_config('statement_timeout', $1, true),
    pg_catalog.set_config('client_min_messages', 'notice', true),
    pg_catalog.set_config('client_connection_check_interval', '10s', true),
    CASE WHEN $2 IS NOT NULL THEN pg_catalog.set_config('role', $2, true) END";
/// A connection.
pub struct Connected {
    pub session: Session,
    pub extension: Extension,
    /// The statement timeout of the role that connected, in milliseconds, if it has one.
    pub limit: Option<i64>,
    /// Counts the connections of the pool.
    pub _open: Arc<()>,
}

/// An error of the server or the connection.
pub struct Error {
    pub error: tokio_postgres::Error,
    pub at: At,
}

/// When it came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Before the statement: the session cannot be the role.
    Role,
    Statement,
}

impl Error {
    pub fn of_statement(error: tokio_postgres::Error) -> Error {
        Error { error, at: At::Statement }
    }
}

/// Runs a statement. Without a prepared statement, which poolers of connections do not keep.
async fn run(
    client: &Client,
    sql: &str,
    parameters: impl Iterator<Item = &Parameter>,
) -> std::result::Result<Option<Row>, tokio_postgres::Error> {
    let values: Vec<(&(dyn ToSql + Sync), Type)> =
        parameters.map(|(value, kind)| (value.as_ref() as &(dyn ToSql + Sync), kind.clone())).collect();
    Ok(client.query_typed(sql, &values).await?.into_iter().next())
}

pub async fn only(
    connected: &Connected,
    statement: &Statement,
) -> std::result::Result<Option<Row>, tokio_postgres::Error> {
    let sql = connected.extension.in_sql(statement.sql);
    run(&connected.session.client, &sql, statement.parameters.iter()).await
}

/// Runs a call in a transaction. Nothing is sent before the role is set: a request to cancel that ends BEGIN alone would have
/// the statement run as the role that connected. Also returns whether the connection may be used again.
pub async fn transaction(
    connected: &Connected,
    call: &Call,
    role: &As,
) -> (std::result::Result<Option<Row>, Error>, bool) {
    let client = &connected.session.client;
    let time = call.time.as_millis() as i64;
    let limit = connected.limit.map_or(time, |limit| limit.min(time)).to_string();
    let role = match role {
        As::Login => None,
        As::Role(role) => Some(role.as_str()),
    };
    let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&limit, Type::TEXT), (&role, Type::TEXT)];
    let (begun, set) =
        tokio::join!(biased; client.batch_execute("BEGIN"), client.query_typed(SET, &parameters));
    if let Err(error) = begun.and(set.map(|_| ())) {
        return (Err(Error { error, at: At::Role }), false);
    }
    // After an error of the statement, COMMIT rolls back.
    let end = async |how| {
        let (ended, cleaned) = tokio::join!(biased; client.batch_execute(how), client.batch_execute(CLEAN));
        ended.and(cleaned)
    };
    let (result, ended) = if call.then.is_empty() && call.goes_on.is_none() {
        // One round trip.
        tokio::join!(biased; only(connected, &call.statement), end("COMMIT"))
    } else {
        let result = statements(connected, call).await;
        let is_undone = matches!(&result, Ok(Some(row)) if !goes_on(call, row));
        (result, end(if is_undone { "ROLLBACK" } else { "COMMIT" }).await)
    };
    let is_clean = ended.is_ok();
    (result.and_then(|row| ended.map(|()| row)).map_err(Error::of_statement), is_clean)
}

fn goes_on(call: &Call, row: &Row) -> bool {
    call.goes_on.is_none_or(|goes_on| goes_on(row))
}

/// Runs the statements of a call one after the other.
async fn statements(
    connected: &Connected,
    call: &Call,
) -> std::result::Result<Option<Row>, tokio_postgres::Error> {
    let mut last = only(connected, &call.statement).await?;
    for then in &call.then {
        let Some(row) = last else { return Ok(None) };
        if !goes_on(call, &row) {
            return Ok(Some(row));
        }
        last = follow(connected, then, &row).await?;
    }
    Ok(last)
}

async fn follow(
    connected: &Connected,
    then: &Then,
    before: &Row,
) -> std::result::Result<Option<Row>, tokio_postgres::Error> {
    let Some(found) = before.try_get::<_, Option<String>>(0)? else { return Ok(None) };
    let client = &connected.session.client;
    match then {
        Then::With(Statement { sql, parameters }) => {
            let first = text(Some(found));
            let parameters = iter::once(&first).chain(parameters);
            run(client, &connected.extension.in_sql(sql), parameters).await
        }
        Then::InSchema(Statement { sql, parameters }) => {
            let sql = connected.extension.in_sql(sql).replace("{schema}", &found);
            run(client, &sql, parameters.iter()).await
        }
    }
}
