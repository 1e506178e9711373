//! Merging segments of the keyword index of a base.

use std::time::Duration;

use pgrx::Uuid;

use super::transaction::Transactions;
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::keyword_index::{self, Merged, Place};
use crate::postgres::background_worker;
use crate::postgres::guc;
use crate::queue::{self, Job, Kind, OwnerShare};

/// How long to wait where others have the segments or have locked writers out.
const BUSY_AGAIN: Duration = Duration::from_secs(1);

/// A base whose segments are to be merged.
pub struct Merge {
    base: Uuid,
    pub(super) job: Job,
    /// Held during the merge.
    _share: Option<OwnerShare>,
}

impl Merge {
    /// Claims the work. None when another worker has claimed it.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Merge>> {
        let jobs = queue::claim(base.id, Kind::Merge, 1)?;
        Ok(jobs.into_iter().next().map(|job| Merge { base: base.id, job, _share: share }))
    }

    /// Does one merge, in a transaction of its own.
    pub fn run(&self, transactions: Transactions) -> Result<()> {
        transactions.run(|| {
            match guc::yielding(|| merge(self.base))? {
                Merged::Nothing => queue::done(&[self.job.id])?,
                Merged::Busy => queue::postpone(&[self.job.id], BUSY_AGAIN, false, None)?,
                Merged::Some => queue::postpone(&[self.job.id], Duration::ZERO, false, None)?,
            }
            queue::resume(self.base, Kind::Merge)
        })?;
        if transactions == Transactions::Worker {
            // Merges of other workers add what they delete to these: see keyword_index::compact.
            background_worker::report_statistics(true);
        }
        Ok(())
    }
}

fn merge(base: Uuid) -> Result<Merged> {
    let Some(base) = base::by_id(base)?.filter(KnowledgeBase::has_schema) else { return Ok(Merged::Nothing) };
    base.lock()?;
    let place = Place::for_base(&base)?;
    base.connect(|c| keyword_index::merge_once(c, &place))
}
