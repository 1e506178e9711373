//! Reading the existing rows of an attached table, a batch at a time.

use std::time::Duration;

use kb_rag_core::provider::retry;
use pgrx::Uuid;

use super::embed::jitter;
use super::transaction::Transactions;
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::queue::{self, Job, Kind, OwnerShare};

/// A table whose next rows are to be read.
pub struct Backfill {
    base: Uuid,
    job: Job,
    /// Held while the table is read.
    _share: Option<OwnerShare>,
}

impl Backfill {
    /// Claims a table. None when others have claimed them all.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Backfill>> {
        let jobs = queue::claim(base.id, Kind::Backfill, 1)?;
        Ok(jobs.into_iter().next().map(|job| Backfill { base: base.id, job, _share: share }))
    }

    /// Reads the next rows; workers make their vectors later. An error is also noted on the source, unless it ends the
    /// running statement.
    pub fn run(self, transactions: Transactions) -> Result<()> {
        let result = transactions.run(|| guc::yielding(|| self.read()));
        if let Some(error) = result.as_ref().err().filter(|error| error.is_conflict()) {
            // Another session has a row or a table locked, and no call was paid for.
            let (after, error) =
                (retry::backoff(self.job.attempts.unsigned_abs(), jitter()), error.to_string());
            return transactions.run(|| queue::postpone(&[self.job.id], after, false, Some(&error)));
        }
        let is_of_table = |error: &&Error| !transactions.are_over(error) && !error.is_of_server();
        if let Some(error) = result.as_ref().err().filter(is_of_table) {
            transactions.run(|| match base::by_id(self.base)?.filter(KnowledgeBase::has_schema) {
                Some(base) => attach::note_failure(&base, self.job.target, &error.to_string()),
                None => Ok(()),
            })?;
        }
        if result.is_ok() {
            // In a transaction of its own: kb_retry removes pauses and then writes documents, which may come from the
            // rows just read.
            transactions.run(|| queue::resume(self.base, Kind::Backfill))?;
        }
        result
    }

    fn read(&self) -> Result<()> {
        let is_read = match base::by_id(self.base)?.filter(KnowledgeBase::has_schema) {
            // Writers of these rows wait for this transaction.
            Some(base) => {
                guc::with_settings(&[(c"kb_rag.inline_chunks", c"0")], || {
                    attach::backfill_batch(&base, self.job.target, attach::BATCH)
                })? == attach::Progress::All
            }
            None => true,
        };
        if is_read {
            return queue::done(&[self.job.id]);
        }
        // Other work has its turn before the next rows.
        queue::postpone(&[self.job.id], Duration::ZERO, false, None)
    }
}
