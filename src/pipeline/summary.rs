//! Abstract and overview of a document, made by a chat model: read, asked with no transaction open, and written. A failure concerns
//! this work alone: what is paused is the chat model, never its provider, which may embed too.

use std::time::Duration;

use kb_rag_core::embed_policy::{Lone, MAX_ATTEMPTS, MODEL_AGAIN, after_lone};
use kb_rag_core::provider::{Reason, Refusal, Reply, retry};
use kb_rag_core::summary::{self, Summary};
use pgrx::Uuid;

use super::chunks::Table;
use super::embed::{hold, jitter};
use super::transaction::Transactions;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::ingest::{self, SummarySource};
use crate::model::{self, ChatModel};
use crate::postgres::interrupt;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Connection};
use crate::postgres::test_point::test_point;
use crate::provider::usage::{self, Usage};
use crate::queue::{self, Job, Kind, OwnerShare, Target};
use crate::upkeep;

/// What was paid for is kept so long while another session writes the document, and tried to be written so often.
const WRITE_AGAIN: Duration = Duration::from_millis(200);
const MAX_WRITES: u32 = 50;
/// How long the job then waits.
const LOCKED_AGAIN: Duration = Duration::from_secs(5);

/// The most documents that are looked at, and need nothing, at a time.
const MAX_DONE: usize = 200;

/// A document that is to be summarized.
pub struct Summarizing {
    base: Uuid,
    job: Job,
    model: ChatModel,
    instructions: String,
    source: SummarySource,
    /// Held meanwhile.
    _share: Option<OwnerShare>,
}

/// The result of a try to write.
#[derive(PartialEq)]
enum Written {
    /// Or it is no longer wanted.
    Done,
    Locked,
}

impl Summarizing {
    /// Claims a document and reads it, in the transaction of the caller. None if there was nothing to do, or others have claimed it
    /// all. 55000 if the table of the marks is missing.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Summarizing>> {
        let Some(name) = &base.settings.summaries else {
            return queue::forget(base.id, Kind::Summary).map(|()| None);
        };
        if !base.has_summaries() {
            return Err(Error::not_ready(format!(
                "table \"summary\" of knowledge base \"{}\" is missing or altered",
                base.name
            ))
            .hint("kb_configure with summaries creates it again."));
        }
        let schema = base.quoted_schema();
        for _ in 0..MAX_DONE {
            let (jobs, _) = hold::claim(base, Kind::Summary, 1)?;
            let Some(job) = jobs.into_iter().next() else { return Ok(None) };
            if job.generation >= MAX_ATTEMPTS {
                queue::fail(&[job.id], "a trigger changes the document whenever it is summarized")?;
                continue;
            }
            let read =
                |c: &Connection| ingest::read_for_summary(c, &schema, job.target, summary::MAX_CHARACTERS);
            let Some(source) = base.connect(read)? else {
                queue::done(&[job.id])?;
                continue;
            };
            return Self::open(base, name, job, source, share);
        }
        Ok(None)
    }

    /// With the model. None if a user has to provide something first.
    fn open(
        base: &KnowledgeBase,
        name: &str,
        job: Job,
        source: SummarySource,
        share: Option<OwnerShare>,
    ) -> Result<Option<Summarizing>> {
        let owner = base.owner_role()?;
        // With the provider, key and prompt committed last: they may have been changed after this transaction began.
        let model = match snapshot::with_latest(|| model::open_chat(name, owner)) {
            Ok(model) => model,
            Err(error) => {
                // A key or a privilege is missing.
                queue::postpone(&[job.id], MODEL_AGAIN, false, Some(&error.to_string()))?;
                return Ok(None);
            }
        };
        let instructions = snapshot::with_latest(|| upkeep::summary_instructions(base))?;
        test_point("summary.claimed");
        Ok(Some(Summarizing { base: base.id, job, model, instructions, source, _share: share }))
    }

    /// Asks the model and writes its reply.
    pub fn run(self, transactions: Transactions) -> Result<()> {
        let text = summary::text(self.source.title.as_deref(), &self.source.content);
        let reply = self.model.call(&self.instructions, &text);
        test_point("summary.answered");
        match reply {
            Ok(reply) => {
                transactions.run(|| self.note_call(&reply))?;
                match Summary::read(&reply.text) {
                    Some(summary) => self.keep(transactions, &summary),
                    None => transactions.run(|| self.refused(&unreadable(), false)),
                }
            }
            Err(refusal) => transactions.run(|| self.refused(&refusal, true)),
        }
    }

    /// Writes a summary. It was paid for: a document that another session writes is waited for.
    fn keep(&self, transactions: Transactions, summary: &Summary) -> Result<()> {
        for _ in 0..MAX_WRITES {
            if transactions.run(|| self.try_write(summary))? == Written::Done {
                return Ok(());
            }
            interrupt::sleep(WRITE_AGAIN);
        }
        transactions.run(|| queue::postpone(&[self.job.id], LOCKED_AGAIN, false, None))
    }

    fn try_write(&self, summary: &Summary) -> Result<Written> {
        let document = self.job.target;
        let wanted =
            |base: &KnowledgeBase| base.settings.summaries.as_deref() == Some(self.model.name().as_str());
        let Some(base) = base::by_id(self.base)?.filter(KnowledgeBase::has_schema).filter(wanted) else {
            return queue::done(&[self.job.id]).map(|()| Written::Done);
        };
        let table = Table {
            base: &base,
            schema: base.quoted_schema(),
            name: "embedding".to_string(),
            next_chunks: None,
        };
        let work = || {
            spi::connect(|c| {
                if !table.try_lock()? || !base.has_summaries() {
                    return Ok(Written::Locked);
                }
                match table.lock_documents(c, &[document])?.first() {
                    None => return Ok(Written::Done),
                    Some((_, false)) => return Ok(Written::Locked),
                    Some((_, true)) => {}
                }
                let texts = (summary.abstract_text.as_str(), summary.overview.as_str());
                let (hash, model) = (&self.source.content_hash, self.model.name().as_str());
                ingest::write_summary(c, &base, document, hash, model, texts)?;
                Ok(Written::Done)
            })
        };
        let written = base.as_owner(|| queue::with_generation(self.job.generation, work))?;
        if written == Written::Done {
            queue::done(&[self.job.id])?;
        }
        Ok(written)
    }

    fn note_call(&self, reply: &Reply) -> Result<()> {
        queue::succeeded(self.model.name(), Some((self.base, Kind::Summary)))?;
        self.record(Usage {
            calls: 1,
            items: 1,
            tokens: reply.tokens,
            output_tokens: reply.output_tokens,
            ..Usage::default()
        })
    }

    /// Of a base that was dropped meanwhile only the model is known.
    fn record(&self, usage: Usage) -> Result<()> {
        let base = base::by_id(self.base)?;
        let knowledge_base = base.as_ref().map(|base| (base.id, base.name.as_str()));
        usage::record(&Usage { knowledge_base, model: self.model.name().as_str(), ..usage })
    }

    /// What follows from a call that gave no summary; `is_recorded_now` if it is not in the usage yet.
    fn refused(&self, refusal: &Refusal, is_recorded_now: bool) -> Result<()> {
        if is_recorded_now {
            self.record(Usage { calls: 1, errors: 1, ..Usage::default() })?;
        }
        let (ids, reason) = ([self.job.id], refusal.message.as_str());
        match after_lone(refusal, self.job.attempts, jitter()) {
            Lone::Fail => queue::fail(&ids, reason),
            Lone::Later(after) => queue::postpone(&ids, after, true, Some(reason)),
            Lone::Pause(after) => {
                queue::postpone(&ids, Duration::ZERO, false, Some(reason))?;
                if self.has_provider_changed()? {
                    return Ok(());
                }
                let model = Target::Model(self.model.name().to_string());
                queue::pause(&model, reason, false, |failures| {
                    after.unwrap_or_else(|| retry::backoff(failures, jitter()))
                })
            }
            Lone::CheckModel(after) => {
                let is_paid = refusal.reason.may_be_paid();
                let serves = usage::has_served_lately(self.model.name(), is_paid.then_some(self.base))?;
                if self.job.attempts >= MAX_ATTEMPTS && (is_paid || serves) {
                    return queue::fail(&ids, reason);
                }
                queue::postpone(&ids, after, true, Some(reason))?;
                if serves {
                    return Ok(());
                }
                let work = Target::Work(self.base, Kind::Summary);
                queue::pause(&work, reason, false, |failures| retry::backoff(failures, jitter()))
            }
        }
    }

    /// Whether the key or URL of the provider has changed since the call: then its response is outdated.
    fn has_provider_changed(&self) -> Result<bool> {
        let Some(base) = base::by_id(self.base)?.filter(KnowledgeBase::has_schema) else { return Ok(false) };
        let owner = base.owner_role()?;
        let now = snapshot::with_latest(|| model::open_chat(self.model.name().as_str(), owner));
        Ok(now.is_ok_and(|now| !now.has_same_endpoint(&self.model)))
    }
}

/// A reply without the line between abstract and overview.
fn unreadable() -> Refusal {
    let message = "the reply is not an abstract, a line with --- and an overview".to_string();
    Refusal { reason: Reason::Nonsense, message, retry_after: None }
}
