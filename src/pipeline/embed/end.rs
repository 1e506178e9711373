//! The end of jobs: completes documents, and notes why others are not complete.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use kb_rag_core::provider::retry;
use pgrx::Uuid;

use super::super::pass::Pass;
use super::super::transaction::Transactions;
use super::super::verdict::MOST_ATTEMPTS;
use super::{Assignment, LOCKED_AGAIN, jitter};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::ingest;
use crate::queue::{self, Kind};
use crate::settings;

/// Documents whose jobs do not end, and those of them that other sessions are writing.
struct Again {
    documents: HashSet<Uuid>,
    busy: HashSet<Uuid>,
}

impl Assignment {
    /// Ends the jobs of complete documents, and notes why others are not complete. If code of the base's owner prevents
    /// that, each document is tried by itself.
    pub(super) fn finish(&self, transactions: Transactions, pass: &Pass) -> Result<()> {
        let documents = self.documents();
        let Err(error) = transactions.run(|| self.end(pass, &documents)) else { return Ok(()) };
        if transactions.are_over(&error) {
            return Err(error);
        }
        let began = Instant::now();
        let most = settings::worker_statement_timeout().unwrap_or(Duration::MAX);
        let mut error = error;
        for document in &documents {
            if documents.len() > 1 && began.elapsed() < most && self.keeps_share() {
                match transactions.run(|| self.end(pass, &[*document])) {
                    Ok(()) => continue,
                    Err(new) => error = new,
                }
            }
            if error.is_over_limit() || transactions.are_over(&error) {
                return Err(error);
            }
            let message = error.to_string();
            if transactions.run(|| self.charge(document, &message))? {
                // If this fails too, the job still has the reason.
                let said = transactions.run(|| self.say_failed(document, &message));
                said.unwrap_or_else(Error::log);
            }
        }
        transactions.note(error, "the interrupted work will be retried");
        Ok(())
    }

    /// Counts an attempt of a document for which nothing could be written; returns whether it was the last.
    fn charge(&self, document: &Uuid, error: &str) -> Result<bool> {
        let ids = self.job_ids(|target| target == document);
        let attempts = self.attempts(document);
        if attempts >= MOST_ATTEMPTS {
            return queue::fail(&ids, error).map(|()| true);
        }
        let after = retry::backoff(attempts.unsigned_abs(), jitter());
        queue::postpone(&ids, after, true, Some(error)).map(|()| false)
    }

    fn say_failed(&self, document: &Uuid, error: &str) -> Result<()> {
        let Some(base) = self.current()?.filter(|_| self.kind == Kind::Embed) else { return Ok(()) };
        self.as_owner(&base, |c, table| {
            if table.try_lock()? && table.lock_documents(c, &[*document])?.contains(&(*document, true)) {
                table.set_status(c, &[*document], ingest::FAILED, Some(error))?;
            }
            Ok(())
        })
    }

    fn end(&self, pass: &Pass, documents: &[Uuid]) -> Result<()> {
        let Some(base) = self.current()? else { return self.abandon() };
        let Some(Again { documents: again, busy }) = self.mark(&base, pass, documents)? else {
            return self.postpone(pass, documents);
        };
        queue::done(&self.job_ids(|target| documents.contains(target) && !again.contains(target)))?;
        for document in &again {
            let ids = self.job_ids(|target| target == document);
            if pass.has_progressed(document) {
                // Earlier failures do not count for a document that got vectors since.
                queue::renew(&ids, &[*document])?;
            }
            if busy.contains(document) && !pass.has_lost(document) {
                // Nothing can be written for it, not even a status, before the other session ends its transaction.
                queue::postpone(&ids, LOCKED_AGAIN, false, None)?;
            } else if let Some((error, after)) = pass.later.get(document) {
                queue::postpone(&ids, *after, true, Some(error))?;
            } else if let Some((error, after)) = &pass.stopped {
                queue::postpone(&ids, *after, false, Some(error))?;
            } else if let (Some(error), false) = (pass.failed.get(document), busy.contains(document)) {
                queue::fail(&ids, error)?;
            } else {
                queue::postpone(&ids, LOCKED_AGAIN, false, None)?;
            }
        }
        Ok(())
    }

    /// Gives jobs back because a table is locked. Written vectors stay; lost ones count as an attempt.
    pub(super) fn postpone(&self, pass: &Pass, documents: &[Uuid]) -> Result<()> {
        for document in documents {
            let ids = self.job_ids(|target| target == document);
            queue::postpone(&ids, LOCKED_AGAIN, pass.has_lost(document), None)?;
        }
        Ok(())
    }

    /// Writes the status of documents; returns those whose jobs do not end. None if a table is locked.
    fn mark(&self, base: &KnowledgeBase, pass: &Pass, documents: &[Uuid]) -> Result<Option<Again>> {
        self.as_owner(base, |c, table| {
            if !table.try_lock()? {
                return Ok(None);
            }
            let there = table.lock_documents(c, documents)?;
            let incomplete = table.incomplete(c, documents)?;
            let mut complete = Vec::new();
            let (mut again, mut busy) = (HashSet::new(), HashSet::new());
            for (document, locked) in there {
                if self.kind == Kind::Embed && !locked {
                    busy.insert(document);
                }
                if incomplete.contains(&document) || self.kind == Kind::Embed && !locked {
                    again.insert(document);
                } else {
                    complete.push(document);
                }
            }
            if self.kind == Kind::Embed {
                table.set_status(c, &complete, ingest::INDEXED, None)?;
                for (document, error) in pass.given_up() {
                    if again.contains(document) && !busy.contains(document) {
                        table.set_status(c, &[*document], ingest::FAILED, Some(error))?;
                    }
                }
            }
            Ok(Some(Again { documents: again, busy }))
        })
    }
}
