//! Reading the rows that an attached table had, a batch at a time.

use std::time::Duration;

use pgrx::Uuid;

use super::transaction::Transactions;
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::queue::{self, Job, Kind};
use crate::role;

/// A table whose next rows are to be read.
pub struct Backfill {
    base: Uuid,
    job: Job,
}

/// Claims a table. None when others have claimed them all.
pub fn claim(base: &KnowledgeBase) -> Result<Option<Backfill>> {
    let jobs = queue::claim(base.id, Kind::Backfill, 1)?;
    Ok(jobs.into_iter().next().map(|job| Backfill { base: base.id, job }))
}

impl Backfill {
    /// Reads the next rows; their vectors are left to the workers. An error is noted with the source too, unless it ends the
    /// statement that works.
    pub fn run(self, transactions: Transactions) -> Result<()> {
        let result = transactions.run(|| self.read());
        if let Some(error) = result.as_ref().err().filter(|error| !transactions.are_over(error)) {
            transactions.run(|| match base::by_id(self.base)?.filter(KnowledgeBase::has_schema) {
                Some(base) => attach::note_failure(&base, self.job.target, &error.to_string()),
                None => Ok(()),
            })?;
        }
        result
    }

    fn read(&self) -> Result<()> {
        let is_read = match base::by_id(self.base)?.filter(KnowledgeBase::has_schema) {
            // Who writes to the rows waits for this transaction.
            Some(base) => role::with_settings(&[(c"kb_rag.inline_chunks", c"0")], || {
                attach::backfill_batch(&base, self.job.target)
            })?,
            None => true,
        };
        if is_read {
            return queue::done(&[self.job.id]);
        }
        // Other work has its turn before the next rows.
        queue::postpone(&[self.job.id], Duration::ZERO, false, None)
    }
}
