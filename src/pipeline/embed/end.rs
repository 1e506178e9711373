//! The end of jobs: completes documents, and notes why others are not complete.

use kb_rag_core::embed_policy::{End, Ending, Found, Outcome};
use pgrx::Uuid;

use super::super::chunks::Table;
use super::super::transaction::Transactions;
use super::{Task, failure, jitter};
use crate::error::{Error, Result};
use crate::ingest;
use crate::postgres::spi::Connection;
use crate::postgres::test_point::test_point;
use crate::queue::{self, Kind};

impl Task {
    /// Ends jobs. Returns an error of the owner's code that prevented it; any other error ends the work.
    pub(super) fn end(&self, transactions: Transactions, end: End<Uuid>) -> Result<Option<Error>> {
        if end.needs_share() && !self.keeps_share() {
            end.share_lost();
            return Ok(None);
        }
        test_point("embed.before_end");
        let Err(error) = transactions.run(|| self.try_end(&end)) else {
            end.ended();
            return Ok(None);
        };
        if transactions.are_over(&error) || error.is_of_server() {
            return Err(error);
        }
        let (failure, patience) = failure(&error);
        end.failed(failure, patience);
        Ok(Some(error))
    }

    fn try_end(&self, end: &End<Uuid>) -> Result<()> {
        let Some(base) = self.current()? else { return self.abandon() };
        let endings = self.as_owner(&base, |c, table| {
            if !table.try_lock()? {
                return Ok(end.endings(None));
            }
            let endings = end.endings(Some(&self.look(c, table, end.documents())?));
            test_point("embed.looked");
            if self.kind == Kind::Embed {
                set_statuses(c, table, &endings)?;
            }
            Ok(endings)
        })?;
        self.settle(&endings)
    }

    /// Locks those of the documents that are free, and looks which lack vectors.
    fn look(&self, c: &Connection, table: &Table, documents: &[Uuid]) -> Result<Vec<Found<Uuid>>> {
        let there = table.lock_documents(c, documents)?;
        let incomplete = table.incomplete(c, documents)?;
        let found = |(document, locked): (Uuid, bool)| Found {
            document,
            is_busy: self.kind == Kind::Embed && !locked,
            is_incomplete: incomplete.contains(&document),
        };
        Ok(there.into_iter().map(found).collect())
    }

    /// Ends jobs in the queue.
    pub(super) fn settle(&self, endings: &[Ending<Uuid>]) -> Result<()> {
        let is_done = |ending: &&Ending<Uuid>| matches!(ending.outcome, Outcome::Gone | Outcome::Complete);
        let done: Vec<Uuid> = endings.iter().filter(is_done).map(|ending| ending.document).collect();
        if self.is_trial && done.len() == endings.len() {
            // Its vectors may have been written before a pause.
            queue::resume(self.base, self.kind)?;
        }
        queue::done(&self.job_ids(|target| done.contains(target)))?;
        for ending in endings {
            let ids = self.job_ids(|target| *target == ending.document);
            if ending.forgets_failures {
                queue::renew(&ids, &[ending.document])?;
            }
            if let Some(chunks) = &ending.unusable {
                queue::set_unusable(&ids, chunks)?;
            }
            match &ending.outcome {
                Outcome::Gone | Outcome::Complete => {}
                Outcome::Failed(error) => queue::fail(&ids, error)?,
                Outcome::Postponed { after, charged, error } => {
                    queue::postpone(&ids, after.time(jitter()), *charged, error.as_deref())?;
                }
            }
        }
        Ok(())
    }

    /// Ends the jobs of a document for which nothing could be written.
    pub(super) fn end_unwritable(&self, transactions: Transactions, ending: Ending<Uuid>) -> Result<()> {
        let endings = [ending];
        transactions.run(|| self.settle(&endings))?;
        if let [Ending { document, outcome: Outcome::Failed(error), .. }] = &endings {
            // If this fails too, the job still has the reason.
            let said = transactions.run(|| self.say_failed(document, error));
            said.unwrap_or_else(Error::log);
        }
        Ok(())
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
}

/// Writes the status of documents that are complete, and of those that have failed.
fn set_statuses(c: &Connection, table: &Table, endings: &[Ending<Uuid>]) -> Result<()> {
    let is_complete = |ending: &&Ending<Uuid>| ending.outcome == Outcome::Complete;
    let complete: Vec<Uuid> = endings.iter().filter(is_complete).map(|ending| ending.document).collect();
    table.set_status(c, &complete, ingest::INDEXED, None)?;
    for ending in endings {
        if let Outcome::Failed(error) = &ending.outcome {
            table.set_status(c, &[ending.document], ingest::FAILED, Some(error))?;
        }
    }
    Ok(())
}
