//! The log of calls (`kb_rag.search_log`), written where `kb_rag.log_searches` or the bases ask for it and the transaction may
//! write.

use std::time::{Duration, Instant};

use pgrx::Uuid;
use serde::Serialize;

use super::result::CallResult;
use super::rewrite::{Rewritten, Spent};
use crate::base::{self, KnowledgeBase};
use crate::catalog;
use crate::cluster;
use crate::document::{Document, FoundDocument};
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi::Arg;
use crate::search::{Covered, FoundChunk};
use crate::settings;

/// At most this many old rows are deleted at a time, so that no call waits long for it.
const MAX_EXPIRED: i64 = 1_000;

/// At most this many bytes of a query, of arguments or of an error are kept: as many as a query may have.
const MAX_BYTES: usize = 65_536;

/// In place of the error of a call whose rows others may not see.
const CONFIDENTIAL: &str = "the call failed";

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
    /// How long a chat model took to rewrite the conversation.
    rewriting: Option<Duration>,
    spent: Option<Spent>,
    /// How long models took to embed the query.
    pub embedding: Duration,
    pub error: Option<String>,
    bases: Vec<Uuid>,
    /// Whether there are bases, and all of them ask for a log.
    bases_ask: bool,
    results: Vec<Logged>,
    is_confidential: bool,
}

/// One result of a call.
#[derive(Serialize)]
pub struct Logged {
    source: Option<String>,
    title: Option<String>,
    knowledge_base: Option<String>,
    score: Option<f64>,
    similarity: Option<f64>,
    document_id: Option<String>,
    chunk_id: Option<String>,
    content: String,
}

/// The steps of a call, in milliseconds.
#[derive(Serialize)]
struct Milliseconds {
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrite: Option<f64>,
    embed: f64,
    search: f64,
    total: f64,
}

impl Outcome {
    /// The bases that are searched, which are looked for only if there is a log.
    pub fn covers(&mut self, bases: impl FnOnce() -> Result<Vec<Covered>>) -> Result<()> {
        // On a cluster, any node may have bases that ask for one.
        if settings::log_searches() || base::any_logs_searches()? || cluster::is_joined() {
            match bases() {
                // Those of several nodes are known once they were searched.
                Err(error) if !error.groups().is_empty() => {}
                bases => self.covered(&bases?),
            }
        }
        Ok(())
    }

    /// The bases that were searched.
    pub fn covered(&mut self, bases: &[Covered]) {
        self.bases = bases.iter().map(|base| base.id).collect();
        self.bases_ask = !bases.is_empty() && bases.iter().all(|base| base.is_logged);
    }

    /// What was found or read.
    pub fn found<'a, T: 'a>(&mut self, results: &'a [T])
    where
        Logged: From<&'a T>,
    {
        if self.is_logged() {
            self.results = results.iter().map(Logged::from).collect();
        }
    }

    /// Whether the call is to be logged. One that names no base, or fails before its bases are known, only if the server asks for it.
    fn is_logged(&self) -> bool {
        settings::log_searches() || self.bases_ask
    }

    /// Keeps query and results out of the log: others may share the role of the caller, but not see the same rows.
    pub fn keep_confidential(&mut self) {
        self.is_confidential = true;
    }

    /// The query of a conversation.
    pub fn rewritten(&mut self, rewritten: Rewritten) -> String {
        self.query = Some(rewritten.query.clone());
        self.rewriting = rewritten.time;
        self.spent = rewritten.spent;
        rewritten.query
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
            knowledge_base: Some(chunk.knowledge_base.clone()),
            score: Some(chunk.score),
            similarity: chunk.similarity,
            document_id: Some(chunk.document_id.to_string()),
            chunk_id: Some(chunk.chunk_id.to_string()),
            content: chunk.content.clone(),
        }
    }
}

impl From<&FoundDocument> for Logged {
    fn from(found: &FoundDocument) -> Logged {
        let document = &found.document;
        Logged {
            score: Some(found.score),
            similarity: found.similarity,
            chunk_id: Some(found.best_chunk_id.to_string()),
            content: document.overview.clone().unwrap_or_else(|| document.abstract_text.clone()),
            ..Logged::from(document)
        }
    }
}

impl From<&Document> for Logged {
    fn from(document: &Document) -> Logged {
        Logged {
            source: document.source.clone(),
            title: document.title.clone(),
            knowledge_base: Some(document.knowledge_base.clone()),
            score: None,
            similarity: None,
            document_id: Some(document.id.to_string()),
            chunk_id: None,
            content: document.content.clone().unwrap_or_default(),
        }
    }
}

/// A text that is not a knowledge base's, with its similarity where that is known.
pub struct Passage {
    pub text: String,
    pub similarity: Option<f64>,
}

impl From<&Passage> for Logged {
    fn from(passage: &Passage) -> Logged {
        Logged {
            source: None,
            title: None,
            knowledge_base: None,
            score: None,
            similarity: passage.similarity,
            document_id: None,
            chunk_id: None,
            content: passage.text.clone(),
        }
    }
}

impl<'a> Entry<'a> {
    pub fn begin(tool: &'a str, agent: Option<String>, session: Option<&'a str>) -> Entry<'a> {
        Entry { began: Instant::now(), tool, agent, session }
    }

    /// Counts the call of a chat model, and writes the row, if there is a log.
    pub fn write(self, mut outcome: Outcome) -> Result<()> {
        if let Some(spent) = outcome.spent.take() {
            spent.record()?;
        }
        if !outcome.is_logged() || !snapshot::may_write() {
            return Ok(());
        }
        let is_confidential = outcome.is_confidential;
        if is_confidential {
            outcome.results.clear();
            // An error may quote a row.
            outcome.error = outcome.error.map(|_| CONFIDENTIAL.to_string());
        }
        let total = self.began.elapsed();
        let of_models = outcome.embedding + outcome.rewriting.unwrap_or_default();
        let milliseconds = Milliseconds {
            rewrite: outcome.rewriting.map(milliseconds),
            embed: milliseconds(outcome.embedding),
            search: milliseconds(total.saturating_sub(of_models)),
            total: milliseconds(total),
        };
        let args = [
            Arg::new(role::role_name(role::current_role())?),
            Arg::new(self.agent),
            Arg::new(self.session.map(str::to_string)),
            Arg::new(self.tool),
            Arg::new(outcome.bases),
            Arg::new(outcome.query.filter(|_| !is_confidential).map(|query| beginning(query, MAX_BYTES))),
            Arg::new(Jsonb::from_value(&outcome.results)?),
            Arg::new(Jsonb::from_value(&milliseconds)?),
            Arg::new(outcome.error.map(|error| beginning(error, MAX_BYTES))),
        ];
        catalog::connect(|c| c.execute(include_str!("write_log.sql"), &args))?;
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

/// Deletes some of the rows that are older than `kb_rag.log_retention`. Rows that another transaction deletes are not
/// waited for.
pub fn expire() -> Result<()> {
    let Some(retention) = settings::log_retention() else { return Ok(()) };
    let args = [Arg::new(retention.as_secs_f64()), Arg::new(MAX_EXPIRED)];
    catalog::connect(|c| c.execute(include_str!("expire_log.sql"), &args))?;
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
