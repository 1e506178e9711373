//! Building the IVFFlat index of a base.

use std::time::Duration;

use pgrx::Uuid;

use super::transaction::Transactions;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::guc;
use crate::queue::{self, Job, Kind, OwnerShare};
use crate::upkeep::{self, IndexProgress};

/// A base whose index is to be built.
pub struct Index {
    base: Uuid,
    pub(super) job: Job,
    /// Held while it is built.
    _share: Option<OwnerShare>,
}

impl Index {
    /// Claims the work. None when another worker has claimed it.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Index>> {
        let jobs = queue::claim(base.id, Kind::Index, 1)?;
        Ok(jobs.into_iter().next().map(|job| Index { base: base.id, job, _share: share }))
    }

    /// Does the next step. Waits for locks only shortly: other writers queue behind.
    pub fn run(&self, transactions: Transactions) -> Result<()> {
        transactions.run(|| {
            match guc::yielding(|| upkeep::build_ivfflat(self.base))? {
                IndexProgress::Done => queue::done(&[self.job.id])?,
                IndexProgress::Another => queue::postpone(&[self.job.id], Duration::ZERO, false, None)?,
            }
            queue::resume(self.base, Kind::Index)
        })
    }
}
