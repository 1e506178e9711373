//! Returning space of the keyword index of a base.

use std::cmp::Reverse;
use std::time::Duration;

use pgrx::{Uuid, pg_sys};

use super::transaction::Transactions;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::keyword_index::{self, Place};
use crate::postgres::background_worker;
use crate::postgres::guc;
use crate::postgres::limit;
use crate::postgres::relation;
use crate::postgres::test_point::{test_point, test_time};
use crate::postgres::vacuum::vacuum;
use crate::queue::{self, Job, Kind, OwnerShare};

/// How long to wait after the first VACUUM: merges that go on make use of the space by themselves.
const WAIT: Duration = Duration::from_secs(5);
/// More jobs are claimed later.
const MAX_CLAIMED: i64 = 1_000;
/// How often to wait: 20 minutes in all.
const MAX_WAITS: i32 = 8;

enum Next {
    /// More rows are to be moved.
    Move,
    /// The same is to be tried later.
    Wait,
    Nothing,
}

/// A base whose space is to be returned.
pub struct Compact {
    base: Uuid,
    pub(super) job: Job,
    /// Held meanwhile.
    _share: Option<OwnerShare>,
}

impl Compact {
    /// Claims the work. None when another worker has claimed it. What is due is one VACUUM, however often it was queued; if one waits
    /// for its time, it covers what was queued since.
    pub fn claim(base: &KnowledgeBase, share: Option<OwnerShare>) -> Result<Option<Compact>> {
        let mut jobs = queue::claim(base.id, Kind::Compact, MAX_CLAIMED)?;
        jobs.sort_by_key(|job| Reverse(job.attempts));
        let kept = usize::from(!queue::is_waiting(base.id, Kind::Compact)?);
        let others: Vec<Uuid> = jobs.drain(kept.min(jobs.len())..).map(|job| job.id).collect();
        if !others.is_empty() {
            queue::done(&others)?;
        }
        Ok(jobs.pop().map(|job| Compact { base: base.id, job, _share: share }))
    }

    /// Does the next step: VACUUM, and if much is free after a while, moves rows in a transaction of their own.
    pub fn run(&self, transactions: Transactions) -> Result<()> {
        let next = match transactions {
            Transactions::Worker => self.step()?,
            // A procedure cannot vacuum. Autovacuum makes the space usable again.
            Transactions::Procedure => Next::Nothing,
        };
        test_point("compact.looked");
        transactions.run(|| {
            match next {
                Next::Move => queue::postpone(&[self.job.id], Duration::ZERO, false, None)?,
                Next::Wait => queue::postpone(&[self.job.id], self.wait(), true, None)?,
                Next::Nothing => queue::done(&[self.job.id])?,
            }
            queue::resume(self.base, Kind::Compact)
        })
    }

    fn step(&self) -> Result<Next> {
        let found = Transactions::Worker.run(|| {
            let Some(base) = base(self.base)? else { return Ok(None) };
            Ok(table(&base).zip(Some(base.owner_role()?)))
        })?;
        let Some((table, owner)) = found else { return Ok(Next::Nothing) };
        vacuum_within_limit(table, owner)?;
        let (pages, has_dead, is_sparse) = Transactions::Worker.run(|| {
            let pages = relation::pages(table).unwrap_or_default();
            Ok((pages, keyword_index::has_dead(table), keyword_index::is_sparse(table)))
        })?;
        if has_dead {
            return Ok(self.later());
        }
        if !is_sparse {
            return Ok(Next::Nothing);
        }
        if self.job.attempts <= 1 {
            return Ok(Next::Wait);
        }
        if Transactions::Worker.run(|| guc::yielding(|| move_last(self.base, table)))? == 0 {
            // Others are merging what is to be moved, or have locked writers out.
            return Ok(self.later());
        }
        vacuum_within_limit(table, owner)?;
        let after = Transactions::Worker.run(|| Ok(relation::pages(table).unwrap_or_default()))?;
        Ok(if after < pages { Next::Move } else { self.later() })
    }

    /// Other transactions see the old rows, or hold those that are to be moved.
    fn later(&self) -> Next {
        if self.job.attempts < MAX_WAITS { Next::Wait } else { Next::Nothing }
    }

    /// The time until the next try, which doubles.
    fn wait(&self) -> Duration {
        let doubled = self.job.attempts.clamp(1, MAX_WAITS).unsigned_abs() - 1;
        test_time("compact_wait", WAIT) * (1 << doubled)
    }
}

fn base(id: Uuid) -> Result<Option<KnowledgeBase>> {
    Ok(base::by_id(id)?.filter(KnowledgeBase::has_schema))
}

/// The table whose space is returned.
fn table(base: &KnowledgeBase) -> Option<pg_sys::Oid> {
    base.own_table(c"keyword_run").ok().flatten()
}

/// Vacuums for no longer than an index of the base may take to build: a cursor of the owner can hold a page as long as it likes.
fn vacuum_within_limit(table: pg_sys::Oid, owner: pg_sys::Oid) -> Result<()> {
    // Reported after VACUUM, they would count as dead rows that it left.
    background_worker::report_statistics(true);
    let result = limit::of_transaction(|| limit::longer(|| limit::of_role(owner, || vacuum(table))));
    match result {
        Err(error) if error.is_canceled() && limit::is_exceeded() => Err(Error::over_limit(limit::message())),
        result => result,
    }
}

fn move_last(id: Uuid, table: pg_sys::Oid) -> Result<u64> {
    let Some(base) = base(id)? else { return Ok(0) };
    base.lock()?;
    let place = Place::for_base(&base)?;
    base.connect(|c| keyword_index::move_last(c, &place, table))
}
