//! `kb-rag questions`: questions come from a file, and go to one.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use tokio_postgres::GenericClient;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::base::Base;
use super::question::{self, Line, Question};
use crate::connect::Session;
use crate::error::{Failure, Result, USAGE};
use crate::{input, output};

/// The largest file of questions.
const MAX_BYTES: u64 = 256 << 20;

/// Each statement sees what others committed before it, whatever the role has set.
pub const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// The class of SQLSTATEs for values that are wrong.
const DATA_EXCEPTION: &str = "22";

/// Reads a file of questions.
///
/// # Errors
/// Status 2 if it cannot be read, or a line has a mistake.
pub fn read(path: &Path) -> Result<Vec<Line>> {
    let text = input::text(path, "file of questions", MAX_BYTES)?;
    question::parse(&text).map_err(|failure| Failure {
        message: format!("{}, {}", input::shown(path), failure.message),
        ..failure
    })
}

/// Adds questions that are not there, all or none. Returns the exit status.
pub async fn import(session: &Session, base: &str, lines: &[Line]) -> Result<u8> {
    // The end of the connection rolls back.
    session.client.batch_execute(BEGIN).await?;
    session.client.execute(include_str!("sql/lock.sql"), &[&base]).await?;
    let base = Base::find(session, base).await?;
    let client = &session.client;
    let mut known = HashSet::new();
    if base.has_questions {
        let stored = base.questions(client, None, None).await?;
        known.extend(stored.iter().map(|stored| identity(&stored.question)));
    }
    let mut added = 0;
    for (number, question) in resolved(client, &base, lines).await? {
        if known.insert(identity(&question)) {
            base.add(client, &question).await.map_err(|failure| refused(number, failure))?;
            added += 1;
        }
    }
    client.batch_execute("COMMIT").await?;
    output::line(&format!("{added} added, {} skipped", lines.len() - added));
    Ok(0)
}

/// The questions of lines with the ids of their agents, and the numbers of the lines.
async fn resolved(
    client: &impl GenericClient,
    base: &Base,
    lines: &[Line],
) -> Result<Vec<(usize, Question)>> {
    let mut agents: HashMap<&str, Uuid> = HashMap::new();
    let mut all = Vec::with_capacity(lines.len());
    for Line { number, question, agent } in lines {
        let mut question = question.clone();
        if let Some(name) = agent.as_deref() {
            if !agents.contains_key(name) {
                let id = base.agent(client, name).await.map_err(|failure| refused(*number, failure))?;
                agents.insert(name, id);
            }
            question.agent = agents.get(name).copied();
        }
        all.push((*number, question));
    }
    Ok(all)
}

/// Adds the questions of lines, whether they are there or not. Returns their ids.
pub async fn add_all(client: &impl GenericClient, base: &Base, lines: &[Line]) -> Result<Vec<Uuid>> {
    let mut ids = Vec::with_capacity(lines.len());
    for (number, question) in resolved(client, base, lines).await? {
        ids.push(base.add(client, &question).await.map_err(|failure| refused(number, failure))?);
    }
    Ok(ids)
}

/// Two questions with the same are one.
fn identity(question: &Question) -> (String, String) {
    (question.text.clone(), question.expectations())
}

/// A failure of the server, at a line whose values may be wrong.
fn refused(number: usize, failure: Failure) -> Failure {
    // No line is the reason.
    if failure.code == Some(SqlState::INSUFFICIENT_PRIVILEGE) {
        return failure;
    }
    let is_wrong = failure.code.as_ref().is_some_and(|code| code.code().starts_with(DATA_EXCEPTION));
    let status = if is_wrong { USAGE } else { failure.status };
    question::in_line(number, Failure { status, ..failure })
}

/// Writes the questions with a tag, or all. Returns the exit status.
pub async fn export(session: &Session, base: &str, tag: Option<&str>) -> Result<u8> {
    let base = Base::find(session, base).await?;
    base.require_questions(&session.client).await?;
    for stored in base.questions(&session.client, tag, None).await? {
        output::line(&stored.question.line());
    }
    Ok(0)
}
