//! The log of calls (`kb_rag.search_log`), written where `kb_rag.log_searches` is on and the transaction may write.

use std::time::{Duration, Instant};

use pgrx::{Uuid, pg_sys};
use serde::Serialize;

use super::result::CallResult;
use crate::base::{self, KnowledgeBase};
use crate::catalogue;
use crate::document::Document;
use crate::error::Result;
use crate::jsonb::Jsonb;
use crate::role;
use crate::search::FoundChunk;
use crate::settings;
use crate::snapshot;
use crate::spi::Arg;

/// At most this many old rows are deleted at a time, so that no call waits long for it.
const MOST_EXPIRED: i64 = 1_000;

/// At most this many bytes of a query, of arguments or of an error are kept: as many as a query may have.
const MOST_BYTES: usize = 65_536;

/// A call that began.
pub struct Entry<'a> {
    began: Instant,
    tool: &'a str,
    agent: Option<String>,
    session: Option<&'a str>,
}

/// What came of it.
#[derive(Default)]
pub struct Outcome {
    pub query: Option<String>,
    /// How long models took to embed the query.
    pub embedding: Duration,
    pub error: Option<String>,
    bases: Vec<Uuid>,
    results: Vec<Logged>,
}

/// One result of a call.
#[derive(Serialize)]
pub struct Logged {
    source: Option<String>,
    title: Option<String>,
    knowledge_base: String,
    score: Option<f64>,
    similarity: Option<f64>,
    document_id: String,
    chunk_id: Option<String>,
    content: String,
}

/// The steps of a call, in milliseconds.
#[derive(Serialize)]
struct Milliseconds {
    embed: f64,
    search: f64,
    total: f64,
}

impl Outcome {
    /// The bases that are searched, which are looked for only if there is a log.
    pub fn covers<B: AsRef<[KnowledgeBase]>>(&mut self, bases: impl FnOnce() -> Result<B>) -> Result<()> {
        if settings::log_searches() {
            self.bases = bases()?.as_ref().iter().map(|base| base.id).collect();
        }
        Ok(())
    }

    /// What was found or read.
    pub fn found<'a, T: 'a>(&mut self, results: &'a [T])
    where
        Logged: From<&'a T>,
    {
        if settings::log_searches() {
            self.results = results.iter().map(Logged::from).collect();
        }
    }

    /// The result of a call that failed.
    pub fn failed(&mut self, message: impl Into<String>) -> CallResult {
        let message = message.into();
        self.error = Some(message.clone());
        CallResult::of_error(message)
    }
}

impl From<&FoundChunk> for Logged {
    fn from(chunk: &FoundChunk) -> Logged {
        Logged {
            source: chunk.source.clone(),
            title: chunk.title.clone(),
            knowledge_base: chunk.knowledge_base.clone(),
            score: Some(chunk.score),
            similarity: chunk.similarity,
            document_id: chunk.document_id.to_string(),
            chunk_id: Some(chunk.chunk_id.to_string()),
            content: chunk.content.clone(),
        }
    }
}

impl From<&Document> for Logged {
    fn from(document: &Document) -> Logged {
        Logged {
            source: document.source.clone(),
            title: document.title.clone(),
            knowledge_base: document.knowledge_base.clone(),
            score: None,
            similarity: None,
            document_id: document.id.to_string(),
            chunk_id: None,
            content: document.content.clone().unwrap_or_default(),
        }
    }
}

impl<'a> Entry<'a> {
    pub fn begin(tool: &'a str, agent: Option<String>, session: Option<&'a str>) -> Entry<'a> {
        Entry { began: Instant::now(), tool, agent, session }
    }

    /// Writes the row, if there is a log.
    pub fn write(self, outcome: Outcome) -> Result<()> {
        if !settings::log_searches() || !may_write() {
            return Ok(());
        }
        let total = self.began.elapsed();
        let milliseconds = Milliseconds {
            embed: milliseconds(outcome.embedding),
            search: milliseconds(total.saturating_sub(outcome.embedding)),
            total: milliseconds(total),
        };
        let args = [
            Arg::new(role::role_name(role::current_role())?),
            Arg::new(self.agent),
            Arg::new(self.session.map(str::to_string)),
            Arg::new(self.tool),
            Arg::new(outcome.bases),
            Arg::new(outcome.query.map(|query| beginning(query, MOST_BYTES))),
            Arg::new(Jsonb::of(&outcome.results)?),
            Arg::new(Jsonb::of(&milliseconds)?),
            Arg::new(outcome.error.map(|error| beginning(error, MOST_BYTES))),
        ];
        catalogue::connect(|c| c.execute(include_str!("write_log.sql"), &args))?;
        // A transaction that keeps its snapshot would fail if another one had deleted the rows, or read the log meanwhile.
        if snapshot::is_kept() { Ok(()) } else { expire() }
    }
}

/// The first bytes of a text, in whole characters.
fn beginning(mut text: String, bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(bytes));
    text
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Whether this transaction may write: not on a standby, and not READ ONLY.
fn may_write() -> bool {
    // SAFETY: variables of the process.
    unsafe { !pg_sys::XactReadOnly && !pg_sys::RecoveryInProgress() }
}

/// Deletes some of the rows that are older than `kb_rag.log_retention`. Rows that another transaction deletes are not
/// waited for.
pub fn expire() -> Result<()> {
    let Some(retention) = settings::log_retention() else { return Ok(()) };
    let args = [Arg::new(retention.as_secs_f64()), Arg::new(MOST_EXPIRED)];
    catalogue::connect(|c| c.execute(include_str!("expire_log.sql"), &args))?;
    Ok(())
}

/// The bases that the caller administers, and in which row security hides nothing from it.
pub fn administered_bases() -> Result<Vec<Uuid>> {
    unsecured(|base| base.require_admin().is_ok())
}

/// The bases that the caller may read, and in which row security hides nothing from it.
pub fn unsecured_bases() -> Result<Vec<Uuid>> {
    unsecured(|_| true)
}

fn unsecured(is_meant: impl Fn(&KnowledgeBase) -> bool) -> Result<Vec<Uuid>> {
    let mut bases = base::readable()?;
    bases.retain(|base| {
        base.has_schema() && is_meant(base) && base.is_row_secured().is_ok_and(|secured| !secured)
    });
    Ok(bases.into_iter().map(|base| base.id).collect())
}
