//! Bringing the lexemes of a base into the format that its settings want.

use std::time::{Duration, Instant};

use pgrx::Uuid;

use super::transaction::Transactions;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::guc;
use crate::queue::{self, Job, Kind, OwnerShare};
use crate::upkeep::{self, LexemeProgress};

/// How long to wait at least for documents that other transactions have locked; otherwise this many times as long as a look at
/// all chunks takes.
const BUSY_AGAIN: Duration = Duration::from_secs(1);
const BUSY_FACTOR: u32 = 10;

/// A base whose lexemes are to be rewritten.
pub struct Lexemes {
    base: Uuid,
    pub(super) job: Job,
    /// Held meanwhile.
    _share: Option<OwnerShare>,
}

impl Lexemes {
    /// Claims the work. None when another worker has claimed it.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Lexemes>> {
        let jobs = queue::claim(base.id, Kind::Lexemes, 1)?;
        Ok(jobs.into_iter().next().map(|job| Lexemes { base: base.id, job, _share: share }))
    }

    /// Rewrites some chunks, in a transaction of its own. Other work has its turn before the next ones.
    pub fn run(&self, transactions: Transactions) -> Result<()> {
        let began = Instant::now();
        transactions.run(|| {
            match guc::yielding(|| upkeep::rewrite_lexemes(self.base))? {
                LexemeProgress::Done => queue::done(&[self.job.id])?,
                LexemeProgress::Busy => {
                    let after = BUSY_AGAIN.max(began.elapsed() * BUSY_FACTOR);
                    queue::postpone(&[self.job.id], after, false, None)?;
                }
                LexemeProgress::Another => queue::postpone(&[self.job.id], Duration::ZERO, false, None)?,
            }
            queue::resume(self.base, Kind::Lexemes)
        })
    }
}
