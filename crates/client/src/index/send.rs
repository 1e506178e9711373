//! Reads files, compares them with their documents, and sends those that differ: several at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kb_rag_core::extract_protocol::unsupported_kind;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{CancelToken, Statement};
use uuid::Uuid;

use super::base::Base;
use super::documents::Documents;
use super::read::{self, Choice, Content, Reading};
use super::report::Outcome;
use super::walk::Found;
use crate::connect::{Connector, Session};
use crate::error::{Failure, is_lost};

/// How often a file is sent that meets other transactions, and the pause in between.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// What all workers share.
pub struct Work {
    pub connector: Arc<Connector>,
    pub base: Base,
    pub documents: Documents,
    /// The row of `source`; None in a dry run.
    pub source: Option<Uuid>,
    pub metadata: Value,
    pub language: Option<String>,
    pub source_type: Option<String>,
    pub choice: Choice,
    pub files: Mutex<std::vec::IntoIter<Found>>,
    /// Set when no further file is to be begun.
    pub stop: AtomicBool,
    /// What cancels the statement of each worker that runs one.
    pub running: Mutex<HashMap<usize, CancelToken>>,
}

/// What a worker reports.
pub enum Event {
    /// A file is dealt with.
    Done(String, Outcome),
    /// The server warned about a file.
    Warning(String, Box<Failure>),
    /// No further file can be sent.
    Fatal(Box<Failure>),
}

/// How sending a file ended without success.
enum Refused {
    /// The server cannot read files of this kind.
    Unsupported(String),
    /// The next file may succeed.
    File(Failure),
    /// No other file will.
    Run(Failure),
    /// The user interrupted it.
    Interrupted,
}

/// A connection and the statement that it runs for each file.
struct Connected {
    session: Session,
    statement: Statement,
}

/// One of those that work at the same time.
pub struct Worker {
    number: usize,
    work: Arc<Work>,
    events: UnboundedSender<Event>,
    /// Opened for the first file that is sent.
    session: Option<Arc<Connected>>,
}

impl Worker {
    pub fn new(number: usize, work: Arc<Work>, events: UnboundedSender<Event>) -> Worker {
        Worker { number, work, events, session: None }
    }

    /// Takes files until there are no more.
    pub async fn run(mut self) {
        while let Some(file) = self.next() {
            match self.load(&file).await {
                Ok(outcome) => self.emit(Event::Done(file.key, outcome)),
                Err(Refused::Unsupported(kind)) => {
                    let outcome = self.unsupported(&file, &kind);
                    self.emit(Event::Done(file.key, outcome));
                }
                Err(Refused::File(failure)) => self.emit(Event::Done(file.key, Outcome::Failed(failure))),
                Err(Refused::Interrupted) => return,
                Err(Refused::Run(failure)) => {
                    // Another worker may have said so already.
                    if !self.work.stop.swap(true, Ordering::Relaxed) {
                        self.emit(Event::Fatal(Box::new(failure)));
                    }
                    return;
                }
            }
        }
    }

    fn next(&self) -> Option<Found> {
        if self.work.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.work.files.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn emit(&self, event: Event) {
        // The receiver is there as long as workers are.
        let _ = self.events.send(event);
    }

    async fn load(&mut self, file: &Found) -> Result<Outcome, Refused> {
        let (path, key, choice) = (file.path.clone(), file.key.clone(), self.work.choice);
        let reading = tokio::task::spawn_blocking(move || read::read(&path, &key, choice)).await;
        let content = match reading.map_err(|error| Refused::File(Failure::new(error.to_string())))? {
            Reading::Content(content) => content,
            Reading::Failed(why) => return Ok(Outcome::Failed(Failure::new(why))),
            Reading::Skipped(why) => return Ok(Outcome::Skipped(why.to_string())),
            Reading::Unsupported(kind) => return Ok(self.unsupported(file, kind)),
            Reading::Empty => {
                if self.work.documents.contains(&file.key) {
                    let failure = Failure::new("the file is empty now; its document stays")
                        .hint("--remove-missing deletes the document.");
                    self.emit(Event::Warning(file.key.clone(), Box::new(failure)));
                }
                return Ok(Outcome::Skipped("empty".to_string()));
            }
        };
        if self.work.documents.is_current(&file.key, &content) {
            return Ok(Outcome::Unchanged);
        }
        if self.work.source.is_some() {
            self.send(file, &content).await?;
        }
        Ok(if self.work.documents.contains(&file.key) { Outcome::Changed } else { Outcome::Added })
    }

    /// The outcome of a file of a kind that is not read. The document of an earlier version of the file stays.
    fn unsupported(&self, file: &Found, kind: &str) -> Outcome {
        if self.work.documents.contains(&file.key) {
            let message = format!("the file is {kind} now, which cannot be read; its document stays");
            self.emit(Event::Warning(file.key.clone(), Box::new(Failure::new(message))));
        }
        Outcome::Skipped(format!("unsupported ({kind})"))
    }

    async fn send(&mut self, file: &Found, content: &Content) -> Result<(), Refused> {
        let mut attempt = 1;
        loop {
            let connected = self.connected().await.map_err(Refused::Run)?;
            let session = &connected.session;
            session.take_notices();
            let token = session.client.cancel_token();
            let work = Arc::clone(&self.work);
            // The program may have been interrupted while this worker connected or paused.
            if work.stop.load(Ordering::Relaxed) {
                return Err(Refused::Interrupted);
            }
            work.running.lock().unwrap_or_else(PoisonError::into_inner).insert(self.number, token);
            let name = file.key.rsplit('/').next().unwrap_or(&file.key);
            let renamed = work.documents.renamed(&file.key);
            let result = session
                .client
                .query_one(
                    &connected.statement,
                    &[
                        &work.base.name,
                        &content.bytes,
                        &name,
                        &file.key,
                        &work.metadata,
                        &work.language,
                        &work.source,
                        &work.source_type,
                        &renamed,
                    ],
                )
                .await;
            work.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
            let notices = session.take_notices();
            match result {
                Ok(_) => {
                    for notice in notices.iter().filter(|notice| is_warning(notice)) {
                        self.emit(Event::Warning(file.key.clone(), Box::new(Failure::from(notice))));
                    }
                    return Ok(());
                }
                Err(error) => {
                    let code = error.code().cloned();
                    let lost = is_lost(&error);
                    if work.stop.load(Ordering::Relaxed) && (lost || code == Some(SqlState::QUERY_CANCELED)) {
                        return Err(Refused::Interrupted);
                    }
                    if code.as_ref().is_some_and(is_passing) && attempt < ATTEMPTS {
                        attempt += 1;
                        tokio::time::sleep(PAUSE * attempt).await;
                        continue;
                    }
                    return Err(refused(name, error));
                }
            }
        }
    }

    async fn connected(&mut self) -> Result<Arc<Connected>, Failure> {
        if let Some(connected) = &self.session {
            return Ok(Arc::clone(connected));
        }
        let session = self.work.connector.connect().await?;
        let statement = session.client.prepare(&self.work.base.sql(include_str!("sql/add_file.sql"))).await?;
        let connected = Arc::new(Connected { session, statement });
        self.session = Some(Arc::clone(&connected));
        Ok(connected)
    }
}

/// What an error of the statement for a file with this name means for the run.
fn refused(name: &str, error: tokio_postgres::Error) -> Refused {
    let is_lost = is_lost(&error);
    let failure = Failure::from(error);
    let sqlstate = failure.code.as_ref().map_or("", SqlState::code);
    if let Some(kind) = unsupported_kind(name, sqlstate, &failure.message) {
        return Refused::Unsupported(kind.to_string());
    }
    let is_of_run = is_lost || failure.code.as_ref().is_some_and(concerns_all);
    if is_of_run { Refused::Run(failure) } else { Refused::File(failure) }
}

fn is_warning(notice: &DbError) -> bool {
    notice.code() != &SqlState::SUCCESSFUL_COMPLETION
}

/// Whether the same statement may succeed soon.
fn is_passing(code: &SqlState) -> bool {
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::LOCK_NOT_AVAILABLE]
        .contains(code)
}

/// Whether no other file will be taken either: no right, no base or source, read-only, program missing, no space or memory.
fn concerns_all(code: &SqlState) -> bool {
    let codes = ["42501", "42704", "42883", "42P01", "3F000", "23503", "25006", "55000"];
    codes.contains(&code.code()) || code.code().starts_with("53")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        for (code, passing, all) in [
            ("40001", true, false),
            ("40P01", true, false),
            ("22000", false, false),
            ("22023", false, false),
            ("54000", false, false),
            ("57014", false, false),
            ("42501", false, true),
            ("53100", false, true),
            ("55000", false, true),
        ] {
            let code = SqlState::from_code(code);
            assert_eq!((is_passing(&code), concerns_all(&code)), (passing, all), "{code:?}");
        }
    }
}
