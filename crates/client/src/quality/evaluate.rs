//! `kb-rag evaluate`: asks the questions, and says whether the answers are good enough.

use std::collections::{HashMap, HashSet};
use std::io::{IsTerminal, stderr};
use std::path::Path;

use indicatif::ProgressBar;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::base::{Base, Stored};
use super::compare::{Other, compare};
use super::floor::Floor;
use super::question::Line;
use super::run::{Answer, Run};
use super::{junit, other, show, transfer, until_interrupted};
use crate::cli::Evaluate;
use crate::connect::{Connector, Session};
use crate::error::{FAILED, Failure, Result, USAGE, shown};
use crate::output;

/// How many questions one statement asks.
const BATCH: usize = 50;

/// How the message of the server begins where not the arguments are wrong but a question.
const OF_QUESTION: &str = "question ";

/// Runs the subcommand `evaluate`. Returns the exit status.
pub async fn evaluate(arguments: Evaluate) -> Result<u8> {
    let mut lines = arguments.questions.as_deref().map(transfer::read).transpose()?;
    if let (Some(lines), Some(tag)) = (&mut lines, &arguments.tag) {
        lines.retain(|line| line.question.tags.contains(tag));
    }
    if lines.as_ref().is_some_and(Vec::is_empty) {
        return Err(Failure::usage("the file has no questions to ask")
            .hint("Write one JSON object a line, or leave --tag out."));
    }
    for path in [&arguments.save, &arguments.junit].into_iter().flatten() {
        require_place(path)?;
    }
    let file = arguments.against.as_deref().map(other::from_file).transpose()?.flatten();
    let connector = Connector::from_connection(&arguments.connection)?;
    let mut asked = None;
    let status = until_interrupted(&connector, async |session| {
        asked = Some(ask_all(session, &arguments, lines.as_deref(), file.is_some()).await?);
        Ok(0)
    })
    .await?;
    match asked {
        Some((run, kept)) => finish(&arguments, &run, file.or(kept)),
        None => Ok(status),
    }
}

/// Writes what was found. Returns the exit status.
fn finish(arguments: &Evaluate, run: &Run, other: Option<Other>) -> Result<u8> {
    let figures = run.figures();
    let floors = Floor::all_of(arguments, &figures);
    let compared = other.map(|other| compare(&other, &run.answers));
    let document = || {
        let mut document = run.to_json(&figures);
        document["floors"] = floors.iter().map(|floor| floor.to_json()).collect();
        document["comparison"] = compared.as_ref().map_or(Value::Null, |compared| compared.to_json());
        document
    };
    if let Some(path) = &arguments.save {
        write(path, &format!("{:#}\n", document()))?;
    }
    if let Some(path) = &arguments.junit {
        write(path, &junit::report(run, &floors, compared.as_ref()))?;
    }
    if arguments.json {
        output::line(&format!("{:#}", document()));
    } else {
        show::figures(run, &figures);
        if let Some(compared) = &compared {
            show::comparison(compared);
        }
    }
    if arguments.verbose {
        show::mistakes(run);
    }
    let failures: Vec<String> = floors
        .iter()
        .filter_map(Floor::failure)
        .chain(compared.and_then(|compared| compared.failure()))
        .collect();
    for failure in &failures {
        output::error(&format!("failed: {}", shown(failure)));
    }
    Ok(if failures.is_empty() { 0 } else { FAILED })
}

/// # Errors
/// Status 2 if a file cannot be written there, before anything is asked.
fn require_place(path: &Path) -> Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if path.is_dir() || directory.is_some_and(|directory| !directory.is_dir()) {
        return Err(Failure::usage(format!("\"{}\" cannot be written", path.display()))
            .hint("Give a file in a directory that is there."));
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text)
        .map_err(|error| Failure::new(format!("\"{}\" cannot be written: {error}", path.display())))
}

/// Asks the questions of the base, or the lines of a file, which do not stay. Also returns the kept run of `--against`, if that
/// was no file.
async fn ask_all(
    session: &Session,
    arguments: &Evaluate,
    lines: Option<&[Line]>,
    is_against_file: bool,
) -> Result<(Run, Option<Other>)> {
    let base = Base::find(session, &arguments.base).await?;
    let kept = match arguments.against.as_deref().filter(|_| !is_against_file) {
        Some(name) => Some(other::kept(session, &base, name).await?),
        None => None,
    };
    let ids = match lines {
        Some(lines) => {
            // The end of the connection rolls back.
            session.client.batch_execute(transfer::BEGIN).await?;
            Some(transfer::add_all(&session.client, &base, lines).await?)
        }
        None => {
            base.require_questions(&session.client).await?;
            None
        }
    };
    let tag = arguments.tag.as_deref();
    let stored = base.questions(&session.client, tag, ids.as_deref()).await?;
    if stored.is_empty() {
        let of_tag = tag.map(|tag| format!(" with the tag \"{tag}\"")).unwrap_or_default();
        return Err(Failure::new(format!("knowledge base \"{}\" has no questions{of_tag}", base.name))
            .hint("Bring some with kb-rag questions import, or ask those of a file with --questions."));
    }
    let given = arguments.arguments.clone().unwrap_or_default();
    let answers = ask(session, &base, &given, &stored, arguments.verbose).await?;
    if ids.is_some() {
        session.client.batch_execute("ROLLBACK").await?;
    }
    let (model, tag) = (base.model.clone(), arguments.tag.clone());
    Ok((Run { base: base.name, model, tag, arguments: given, answers }, kept))
}

/// Asks in batches, so that no statement takes long.
async fn ask(
    session: &Session,
    base: &Base,
    arguments: &Map<String, Value>,
    stored: &[Stored],
    is_verbose: bool,
) -> Result<Vec<Answer>> {
    let sql = base.sql(include_str!("sql/ask.sql"));
    let statement = session.client.prepare(&sql).await?;
    let arguments = Value::Object(arguments.clone());
    let bar = stderr().is_terminal().then(|| ProgressBar::new(stored.len() as u64));
    let mut answers = Vec::with_capacity(stored.len());
    let mut said = HashSet::new();
    let mut done = 0;
    for batch in stored.chunks(BATCH) {
        let ids: Vec<Uuid> = batch.iter().map(|stored| stored.id).collect();
        let rows = session.client.query(&statement, &[&base.name, &arguments, &ids]).await.map_err(wrong)?;
        for notice in session.take_notices() {
            let text = format!("{}: {}", notice.severity().to_lowercase(), Failure::from(&notice));
            if said.insert(text.clone()) {
                beside(bar.as_ref(), &text);
            }
        }
        let mut found: HashMap<Uuid, &Row> = rows.iter().map(|row| (row.get(0), row)).collect();
        for stored in batch {
            if let Some(row) = found.remove(&stored.id) {
                answers.push(answer(stored, row)?);
            }
        }
        done += batch.len();
        match &bar {
            Some(bar) => bar.set_position(done as u64),
            None if is_verbose => output::error(&format!("{done} of {} questions", stored.len())),
            None => {}
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let gone = stored.len() - answers.len();
    if gone > 0 {
        output::error(&format!("warning: {gone} questions were deleted before they were asked"));
    }
    Ok(answers)
}

fn beside(bar: Option<&ProgressBar>, text: &str) {
    match bar {
        Some(bar) => bar.suspend(|| output::error(text)),
        None => output::error(text),
    }
}

/// Status 2 where the arguments of the search are wrong.
fn wrong(error: tokio_postgres::Error) -> Failure {
    let failure = Failure::from(error);
    let is_argument =
        failure.code == Some(SqlState::INVALID_PARAMETER_VALUE) && !failure.message.starts_with(OF_QUESTION);
    if is_argument { Failure { status: USAGE, ..failure } } else { failure }
}

fn answer(stored: &Stored, row: &Row) -> Result<Answer> {
    let rank: Option<i32> = row.try_get(1)?;
    Ok(Answer {
        id: stored.id.to_string(),
        question: Some(stored.question.text.clone()),
        expected: Some(digest(&stored.question.expectations())),
        weight: stored.question.weight,
        rank: rank.and_then(|rank| usize::try_from(rank).ok()),
        ndcg_10: row.try_get(6)?,
        found_by: row.try_get(2)?,
        missing: row.try_get(3)?,
        expects_nothing: row.try_get(4)?,
        answered: row.try_get(5)?,
        milliseconds: row.try_get(7)?,
    })
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
