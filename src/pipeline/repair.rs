//! Indexing what was written to a base while library and SQL had different formats.

use std::time::Duration;

use pgrx::Uuid;

use super::transaction::Transactions;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::guc;
use crate::queue::{self, Job, Kind, OwnerShare};
use crate::upkeep::{self, RepairProgress};

/// How long to wait for documents that other transactions have locked.
const BUSY_AGAIN: Duration = Duration::from_secs(1);

/// A base that is to be repaired.
pub struct Repair {
    base: Uuid,
    pub(super) job: Job,
    /// Held during the repair.
    _share: Option<OwnerShare>,
}

impl Repair {
    /// Claims the work. None when another worker has claimed it.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Repair>> {
        let jobs = queue::claim(base.id, Kind::Repair, 1)?;
        Ok(jobs.into_iter().next().map(|job| Repair { base: base.id, job, _share: share }))
    }

    /// Does the next step, in a transaction of its own.
    pub fn run(&self, transactions: Transactions) -> Result<()> {
        transactions.run(|| {
            // Workers make the vectors later: writers of these documents wait for this transaction.
            let step = || {
                guc::with_settings(&[(c"kb_rag.inline_chunks", c"0")], || upkeep::repair_missed(self.base))
            };
            match guc::yielding(step)? {
                RepairProgress::Done => queue::done(&[self.job.id])?,
                RepairProgress::Busy => queue::postpone(&[self.job.id], BUSY_AGAIN, false, None)?,
                RepairProgress::Another => queue::postpone(&[self.job.id], Duration::ZERO, false, None)?,
            }
            queue::resume(self.base, Kind::Repair)
        })
    }
}
