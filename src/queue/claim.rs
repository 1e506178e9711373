//! Claims of jobs: taking them, and giving them back.

use std::time::Duration;

use kb_rag_core::provider::retry;
use pgrx::Uuid;
use pgrx::prelude::*;

use super::{Kind, lock};
use crate::catalog;
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::postgres::test_point::test_point;

/// How long a claim keeps other workers away: longer than the calls of a batch may take. It is renewed with every
/// batch, and ends at once if its worker is gone.
const LEASE: Duration = Duration::from_secs(3 * 3600);

/// A job that this process has claimed.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: Uuid,
    pub target: Uuid,
    /// Including the current one.
    pub attempts: i32,
    /// How many jobs led to it, each through a trigger that changed documents while a worker wrote vectors.
    pub generation: i32,
    /// Chunks that were sent and got no usable vector, each as often as it was sent.
    pub unusable: Vec<Uuid>,
}

/// Claims at most `max` due jobs, except those whose target another worker has. Claims of one base take turns until
/// the end of the transaction.
pub fn claim(base: Uuid, kind: Kind, max: i64) -> Result<Vec<Job>> {
    lock::claims_of(base);
    catalog::connect(|c| {
        let lease = LEASE.as_secs_f64();
        let args = [Arg::new(base), Arg::new(kind.name()), Arg::new(max), Arg::new(lease)];
        c.query(include_str!("claim.sql"), Access::Write, Planning::Auto, &args, |row| {
            Ok(Job {
                id: row.require(1)?,
                target: row.require(2)?,
                attempts: row.require(3)?,
                generation: row.require(4)?,
                unusable: row.require(5)?,
            })
        })
    })
}

/// Claims jobs to embed, like [`claim`]. After a pause that tries one chunk first, at most one job, and none while another
/// process has one. Returns also whether that is so.
pub fn claim_to_embed(base: Uuid, kind: Kind, max: i64) -> Result<(Vec<Job>, bool)> {
    lock::claims_of(base);
    let trial = catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(kind.name())];
        c.query_one(include_str!("trial.sql"), Access::Write, &args, |row| {
            Ok((row.require(1)?, row.require(2)?))
        })
    })?;
    let (is_trial, must_wait): (bool, bool) = trial.unwrap_or_default();
    let max = match (is_trial, must_wait) {
        (_, true) => return Ok((Vec::new(), is_trial)),
        (true, false) => 1,
        (false, false) => max,
    };
    Ok((claim(base, kind, max)?, is_trial))
}

/// Writes to jobs which chunks were sent and got no usable vector.
pub fn set_unusable(jobs: &[Uuid], chunks: &[Uuid]) -> Result<()> {
    let args = || [Arg::new(jobs.to_vec()), Arg::new(chunks.to_vec())];
    catalog::connect(|c| c.execute(include_str!("set_unusable.sql"), &args()))?;
    Ok(())
}

/// Renews the lease of jobs. Earlier failures do not count for the targets in `progressed`, which got vectors since.
pub fn renew(jobs: &[Uuid], progressed: &[Uuid]) -> Result<()> {
    let args = || [Arg::new(jobs.to_vec()), Arg::new(LEASE.as_secs_f64()), Arg::new(progressed.to_vec())];
    catalog::connect(|c| c.execute(include_str!("renew.sql"), &args()))?;
    Ok(())
}

/// Removes jobs that are done.
pub fn done(jobs: &[Uuid]) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("done.sql"), &[Arg::new(jobs.to_vec())]))?;
    Ok(())
}

/// Gives jobs back, to be retried after a delay. Without `charged`, the attempt does not count.
pub fn postpone(jobs: &[Uuid], after: Duration, charged: bool, error: Option<&str>) -> Result<()> {
    let seconds = after.as_secs_f64();
    catalog::connect(|c| {
        let args = [Arg::new(jobs.to_vec()), Arg::new(seconds), Arg::new(charged), Arg::new(error)];
        c.execute(include_str!("postpone.sql"), &args)
    })?;
    Ok(())
}

/// Marks jobs as failed, for kb_rag.failed and kb_retry.
pub fn fail(jobs: &[Uuid], error: &str) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("fail.sql"), &[Arg::new(jobs.to_vec()), Arg::new(error)]))?;
    Ok(())
}

/// Frees what this process has claimed, as after a call that was canceled. No attempt counts.
pub fn free_own() -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("free_own.sql"), &[]))?;
    Ok(())
}

/// Frees the jobs whose worker is gone; returns how many.
pub fn free_orphans() -> Result<u64> {
    catalog::connect(|c| {
        let mut claims = (Vec::<Uuid>::new(), Vec::<i32>::new(), Vec::<Option<TimestampWithTimeZone>>::new());
        c.query(include_str!("orphans.sql"), Access::Read, Planning::Auto, &[], |row| {
            claims.0.push(row.require(1)?);
            claims.1.push(row.require(2)?);
            claims.2.push(row.get(3)?);
            Ok(())
        })?;
        let (jobs, workers, times) = claims;
        if jobs.is_empty() {
            return Ok(0);
        }
        test_point("orphans.seen");
        c.execute(include_str!("free_orphans.sql"), &[Arg::new(jobs), Arg::new(workers), Arg::new(times)])
    })
}

/// Frees the claims of this process after an error stopped it, which counts as an attempt. `jitter` as for
/// [`retry::backoff`].
pub fn give_back(error: &str, max_attempts: i32, jitter: f64) -> Result<()> {
    let waits: Vec<f64> =
        (0..=max_attempts.unsigned_abs()).map(|n| retry::backoff(n, jitter).as_secs_f64()).collect();
    catalog::connect(|c| {
        let args = [Arg::new(waits), Arg::new(error), Arg::new(max_attempts)];
        c.execute(include_str!("give_back.sql"), &args)
    })?;
    Ok(())
}
