//! `kb-rag index`: the files of a directory become documents of a base.

mod base;
mod documents;
mod filter;
mod read;
mod report;
mod send;
mod source;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_postgres::CancelToken;

use crate::cli::Index;
use crate::connect::{Connector, Session};
use crate::error::{FAILED, Failure, Result};
use crate::signals::{Interrupts, Signals};
use base::Base;
use documents::{Documents, Known};
use filter::Filter;
pub use report::Counts;
use report::{Level, Outcome, Report};
use send::{Event, Work, Worker};
use source::Wanted;

/// How long a server may take to note a failure that it may have caused itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long statements that are still running after a request to cancel them may continue before the next one.
const CANCEL_INTERVAL: Duration = Duration::from_millis(200);

/// The outcome of loading the files of a directory.
pub struct Loaded {
    /// How many files had which outcome, in words.
    pub sum: String,
    pub counts: Counts,
    /// The first failures, with the paths of the files.
    pub failed: Vec<String>,
    /// Why files were left out.
    pub skipped: Vec<String>,
    /// Whether it came to an end.
    pub is_whole: bool,
}

/// Runs the subcommand. Returns the exit status.
pub async fn run(arguments: Index) -> Result<u8> {
    let Index { quiet, verbose, dry_run, .. } = arguments;
    let level = Level { quiet, verbose, dry_run, silent: false };
    let mut report = Report::new(level);
    let mut interrupts = Interrupts::Signals(Signals::new()?);
    run_with(arguments, &mut report, &mut interrupts).await
}

/// Loads files as the subcommand does, and shows nothing.
pub async fn load(arguments: Index, interrupts: &mut Interrupts) -> Result<Loaded> {
    let mut report = Report::new(Level { silent: true, ..Level::default() });
    let status = run_with(arguments, &mut report, interrupts).await?;
    let is_whole = [0, FAILED].contains(&status);
    let skipped = report.skipped().map(str::to_string).collect();
    let (sum, counts) = (report.sum(), report.counts());
    Ok(Loaded { sum, counts: counts.clone(), failed: report.failures().to_vec(), skipped, is_whole })
}

async fn run_with(arguments: Index, report: &mut Report, signals: &mut Interrupts) -> Result<u8> {
    let filter = Arc::new(Filter::new(&arguments.glob, &arguments.exclude)?);
    let directory = directory(&arguments.directory)?;
    let connector = Arc::new(Connector::from_connection(&arguments.connection)?);
    let plan = Plan { directory, filter, arguments };
    let (session, work, workers) = tokio::select! {
        prepared = plan.prepare(connector, report) => prepared?,
        status = signals.next() => {
            report.note("interrupted before the first file");
            return Ok(status);
        }
    };
    if workers == 0 && !plan.arguments.glob.is_empty() {
        report.note("no file to load matches --glob");
    }
    let total = report.counts().failed + workers;
    report.begin(workers);
    if let Some(end) = send_all(&work, &plan.arguments, report, signals).await {
        report.end();
        let done = format!("{} of {total} files are done; run the command again to continue", report.done());
        return match end {
            End::Signal(status) => {
                report.note(&format!("interrupted: {done}"));
                Ok(status)
            }
            End::Fatal(failure) => {
                // Fails where the connection is lost, which the failure says.
                let _ = timeout(PATIENCE, plan.finish(&session, &work, Some(&failure.message))).await;
                report.note(&done);
                Err(*failure)
            }
        };
    }
    let finished = tokio::select! {
        result = plan.complete(&session, &work, report) => result,
        status = signals.next() => {
            report.end();
            report.note("interrupted after the last file; run the command again to continue");
            return Ok(status);
        }
    };
    report.end();
    finished?;
    Ok(if report.counts().failed > 0 { FAILED } else { 0 })
}

/// The directory as an absolute path without symbolic links, so that one directory has one path.
fn directory(given: &Path) -> Result<PathBuf> {
    let wrong =
        |why: String| Failure::usage(format!("directory \"{}\" cannot be read: {why}", given.display()));
    let path = given.canonicalize().map_err(|error| wrong(error.to_string()))?;
    if path.is_file() {
        return Err(Failure::usage(format!("\"{}\" is a file, not a directory", given.display()))
            .hint("Give its directory, with --glob for this file alone, or add the file with kb_add_file."));
    }
    match std::fs::read_dir(&path) {
        Ok(_) => Ok(path),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// What is to be done.
struct Plan {
    directory: PathBuf,
    filter: Arc<Filter>,
    arguments: Index,
}

impl Plan {
    /// Finds the base, the source, its documents and the files. Returns the number of files too.
    async fn prepare(
        &self,
        connector: Arc<Connector>,
        report: &mut Report,
    ) -> Result<(Session, Arc<Work>, usize)> {
        let arguments = &self.arguments;
        let wanted = Wanted::new(&self.directory, arguments.name.clone())?;
        let mut session = connector.connect().await?;
        let base = Base::find(&session, &arguments.base).await?;
        if !arguments.dry_run {
            base.require_write()?;
        }
        let known = wanted.find(&session.client, &base).await?;
        let metadata = Value::Object(arguments.metadata.clone().unwrap_or_default());
        let documents = match known {
            Some(id) => {
                let (language, source_type) =
                    (arguments.language.as_deref(), arguments.source_type.as_deref());
                Documents::read(&session, &base, id, &metadata, language, source_type).await?
            }
            None => Documents::default(),
        };
        self.missing(&documents)?;
        let (directory, filter) = (self.directory.clone(), Arc::clone(&self.filter));
        let below = arguments.below.clone();
        let walked =
            tokio::task::spawn_blocking(move || walk::walk(&directory, below.as_deref(), filter)).await;
        let walked = walked.map_err(|error| Failure::new(error.to_string()))?;
        for (key, why) in walked.skipped {
            report.add(&key, Outcome::Skipped(why));
        }
        for (key, why) in walked.failed {
            report.add(&key, Outcome::Failed(Failure::new(why)));
        }
        let count = walked.found.len();
        let is_own_version = base.extension.has_own_version;
        let source = match (arguments.dry_run, known) {
            (true, _) => None,
            // No row for a directory without files.
            (false, None) if count == 0 => None,
            (false, _) => Some(wanted.find_or_make(&mut session, &base).await?),
        };
        let work = Work {
            connector,
            base,
            documents,
            source,
            metadata,
            language: arguments.language.clone(),
            source_type: arguments.source_type.clone(),
            choice: read::Choice { max_bytes: arguments.max_bytes, is_own_version },
            files: Mutex::new(walked.found.into_iter()),
            stop: AtomicBool::new(false),
            running: Mutex::default(),
        };
        Ok((session, Arc::new(work), count))
    }

    /// The documents to remove.
    ///
    /// # Errors
    /// If these are all: the directory may be another one, or not mounted.
    fn missing<'a>(&'a self, documents: &'a Documents) -> Result<Vec<&'a Known>> {
        if !self.arguments.remove_missing {
            return Ok(Vec::new());
        }
        let missing = documents.missing(&self.directory, &self.filter);
        let all = documents.passing(&self.filter).count();
        if missing.len() == all && all > 0 && !self.arguments.force {
            let them =
                if all == 1 { "the only document".to_string() } else { format!("all {all} documents") };
            return Err(Failure::new(format!(
                "--remove-missing would remove {them} of this source, since \"{}\" has none of the files",
                self.directory.display()
            ))
            .hint("Check the directory. If it is the right one, add --force."));
        }
        Ok(missing)
    }

    /// Removes what is to be removed, once all files are dealt with, and notes the end.
    async fn complete(&self, session: &Session, work: &Work, report: &mut Report) -> Result<()> {
        // Looked up again: files may have come and gone meanwhile.
        let missing = self.missing(&work.documents)?;
        if let Some(source) = work.source {
            documents::delete(session, &work.base, source, &missing).await?;
        }
        if !self.arguments.remove_missing {
            let gone = work.documents.outdated_without_file(&self.directory);
            if gone > 0 {
                report.note(&stays(gone));
            }
        }
        for known in missing {
            report.add(&known.key, Outcome::Removed);
        }
        self.finish(session, work, report.error().as_deref()).await
    }

    async fn finish(&self, session: &Session, work: &Work, error: Option<&str>) -> Result<()> {
        match work.source {
            Some(source) => source::finish(session, &work.base, source, error).await,
            None => Ok(()),
        }
    }
}

/// The warning of documents that cannot be read again.
fn stays(count: usize) -> String {
    match count {
        1 => "1 document of an earlier version of kb_rag stays as it is: its file is gone".to_string(),
        _ => format!(
            "{count} documents of an earlier version of kb_rag stay as they are: their files are gone"
        ),
    }
}

/// Why the files did not come to an end.
enum End {
    /// With the exit status.
    Signal(u8),
    Fatal(Box<Failure>),
}

/// Deals with all files. None if they came to an end.
async fn send_all(
    work: &Arc<Work>,
    arguments: &Index,
    report: &mut Report,
    signals: &mut Interrupts,
) -> Option<End> {
    let (sender, mut events) = mpsc::unbounded_channel();
    for number in 0..usize::from(arguments.jobs) {
        tokio::spawn(Worker::new(number, Arc::clone(work), sender.clone()).run());
    }
    drop(sender);
    let mut end = None;
    let mut canceler: Option<AbortOnDrop> = None;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(Event::Done(key, outcome)) => report.add(&key, outcome),
                Some(Event::Warning(key, failure)) => report.warn(&key, &failure.to_string()),
                Some(Event::Fatal(failure)) => end = end.or(Some(End::Fatal(failure))),
                // All workers have ended.
                None => return end,
            },
            status = signals.next() => {
                // The second one does not wait for the server.
                if matches!(end, Some(End::Signal(_))) {
                    return end;
                }
                end = Some(End::Signal(status));
                work.stop.store(true, Ordering::Relaxed);
                canceler.get_or_insert_with(|| AbortOnDrop(tokio::spawn(cancel_all(Arc::clone(work)))));
            }
        }
    }
}

/// A task that ends with the run.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Cancels the statements that workers run, until it is aborted: the server ignores a request that arrives before
/// its statement. A request that the server does not answer delays no other.
async fn cancel_all(work: Arc<Work>) {
    loop {
        let running: Vec<CancelToken> =
            work.running.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let mut requests = JoinSet::new();
        for token in running {
            let work = Arc::clone(&work);
            requests.spawn(async move { work.connector.cancel(&token).await });
        }
        let _ = timeout(PATIENCE, requests.join_all()).await;
        sleep(CANCEL_INTERVAL).await;
    }
}
