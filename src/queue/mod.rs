//! The queue of work that writers leave to the workers: `kb_rag.job`, and the pauses of providers.
//!
//! Writers only append, so no two wait for each other. A claim is an update that ends with its transaction; from then on a
//! lease keeps others away, and it ends early where the process that holds it is gone. All of it is a hint: what is true
//! is that a chunk has no vector.

mod lock;
mod pause;
mod wake;

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Duration;

use kb_rag_core::provider::retry;
use pgrx::Uuid;
use pgrx::prelude::*;

use crate::error::Result;
use crate::role;
use crate::settings;
use crate::spi::{self, Access, Arg, Connection, Planning};

pub use lock::{CounterSlot, OwnerShare, WorkerSlot};
pub use pause::{
    Pause, end_pauses, leave_alone, pause, pause_exceeded, pauses, resume, resume_base, succeeded,
};
pub use wake::{
    at_commit, count_at_commit, is_a_worker, is_worker, register_launcher, start_counter, start_worker,
    start_worker_in, wake_if_idle,
};

/// How long a claim keeps others away: longer than the calls of a batch may take. It is renewed with every batch, and ends
/// at once where its worker is gone.
const LEASE: Duration = Duration::from_secs(3 * 3600);

/// What is to be done with the target of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Make the vectors that a document lacks.
    Embed,
    /// Make those that it lacks of the model that is to come.
    Change,
    /// Bring documents in step with rows of an attached table.
    Backfill,
}

impl Kind {
    /// All there are.
    pub const ALL: [Kind; 3] = [Kind::Embed, Kind::Change, Kind::Backfill];

    fn name(self) -> &'static str {
        match self {
            Kind::Embed => "embed",
            Kind::Change => "change",
            Kind::Backfill => "backfill",
        }
    }

    fn from_name(name: &str) -> Kind {
        match name {
            "change" => Kind::Change,
            "backfill" => Kind::Backfill,
            _ => Kind::Embed,
        }
    }
}

/// A job that this process has claimed.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: Uuid,
    pub target: Uuid,
    /// The one under way included.
    pub attempts: i32,
    /// How many jobs led to it, each by way of a trigger that changed documents while a worker wrote.
    pub generation: i32,
}

thread_local! {
    /// The generation of jobs that are queued now.
    static GENERATION: Cell<i32> = const { Cell::new(0) };
}

/// Runs `work`, which writes for jobs of a generation: what triggers queue meanwhile is of the next.
pub fn with_generation<T>(generation: i32, work: impl FnOnce() -> T) -> T {
    struct Restore(i32);
    impl Drop for Restore {
        fn drop(&mut self) {
            GENERATION.set(self.0);
        }
    }
    let _restore = Restore(GENERATION.replace(generation.saturating_add(1)));
    work()
}

/// Work of one kind for one base.
#[derive(Debug)]
pub struct Due {
    pub base: Uuid,
    pub kind: Kind,
    /// Seconds until the first of it is due; 0 or less for now.
    pub seconds: f64,
    /// Whether code of the base's owner has exceeded its time, and has not ended within it since.
    pub on_probation: bool,
    /// Whether there are bases of other owners.
    pub has_others: bool,
}

/// Runs `work` over the tables of the queue.
fn catalogue<T>(work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    role::as_catalogue_owner(|| spi::connect(work))
}

/// Queues targets of a base; a worker is woken when the transaction commits.
pub fn enqueue(base: Uuid, kind: Kind, targets: &[Uuid]) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let generation = GENERATION.get();
    // A document that a trigger changes once more is nothing odd; what goes on like that waits longer each time.
    let after = match generation.unsigned_abs() {
        0 | 1 => Duration::ZERO,
        many => retry::backoff(many, 1.0),
    };
    catalogue(|c| {
        let args = [
            Arg::new(base),
            Arg::new(kind.name()),
            Arg::new(targets.to_vec()),
            Arg::new(generation),
            Arg::new(after.as_secs_f64()),
        ];
        c.execute(include_str!("enqueue.sql"), &args)
    })?;
    wake::at_commit();
    Ok(())
}

/// What there is to do, by base and kind: that of the provider which fewest workers are at comes first, then what fewest
/// are at, then what has waited longest. What is paused is due when the pause ends. A base of `leave_out` is not looked at.
pub fn due(leave_out: &[Uuid]) -> Result<Vec<Due>> {
    catalogue(|c| {
        let args = [Arg::new(leave_out.to_vec()), Arg::new(i32::from(settings::workers()))];
        c.query(include_str!("due.sql"), Access::Write, Planning::Auto, &args, |row| {
            Ok(Due {
                base: row.require(1)?,
                kind: Kind::from_name(&row.require::<String>(2)?),
                seconds: row.require(3)?,
                on_probation: row.require(4)?,
                has_others: row.require(5)?,
            })
        })
    })
}

/// Claims at most `most` jobs that are due, but none whose target another worker is at. The claims of a base take turns
/// until the end of the transaction.
pub fn claim(base: Uuid, kind: Kind, most: i64) -> Result<Vec<Job>> {
    lock::claims_of(base);
    catalogue(|c| {
        let lease = LEASE.as_secs_f64();
        let args = [Arg::new(base), Arg::new(kind.name()), Arg::new(most), Arg::new(lease)];
        c.query(include_str!("claim.sql"), Access::Write, Planning::Auto, &args, |row| {
            Ok(Job {
                id: row.require(1)?,
                target: row.require(2)?,
                attempts: row.require(3)?,
                generation: row.require(4)?,
            })
        })
    })
}

/// Renews the lease of jobs that are being worked on. Failures from before do not count for targets that got on since.
pub fn renew(jobs: &[Uuid], got_on: &[Uuid]) -> Result<()> {
    let args = || [Arg::new(jobs.to_vec()), Arg::new(LEASE.as_secs_f64()), Arg::new(got_on.to_vec())];
    catalogue(|c| c.execute(include_str!("renew.sql"), &args()))?;
    Ok(())
}

/// Removes jobs that are done.
pub fn done(jobs: &[Uuid]) -> Result<()> {
    catalogue(|c| c.execute(include_str!("done.sql"), &[Arg::new(jobs.to_vec())]))?;
    Ok(())
}

/// Gives jobs back, to be tried again after a while. What was not the document's fault is not charged.
pub fn postpone(jobs: &[Uuid], after: Duration, charged: bool, error: Option<&str>) -> Result<()> {
    let seconds = after.as_secs_f64();
    catalogue(|c| {
        let args = [Arg::new(jobs.to_vec()), Arg::new(seconds), Arg::new(charged), Arg::new(error)];
        c.execute(include_str!("postpone.sql"), &args)
    })?;
    Ok(())
}

/// Gives jobs up, for kb_retry and people to see.
pub fn fail(jobs: &[Uuid], error: &str) -> Result<()> {
    catalogue(|c| c.execute(include_str!("fail.sql"), &[Arg::new(jobs.to_vec()), Arg::new(error)]))?;
    Ok(())
}

/// Frees what an earlier call of this session had claimed when it was cancelled.
pub fn free_own() -> Result<()> {
    catalogue(|c| c.execute(include_str!("free_own.sql"), &[]))?;
    Ok(())
}

/// Frees the jobs whose worker is gone; returns how many.
pub fn free_orphans() -> Result<u64> {
    catalogue(|c| c.execute(include_str!("free_orphans.sql"), &[]))
}

/// Frees what this process had claimed when an error stopped it, which counts as an attempt. `jitter` as for
/// [`retry::backoff`].
pub fn give_back(error: &str, most_attempts: i32, jitter: f64) -> Result<()> {
    let waits: Vec<f64> =
        (0..=most_attempts.unsigned_abs()).map(|n| retry::backoff(n, jitter).as_secs_f64()).collect();
    catalogue(|c| {
        let args = [Arg::new(waits), Arg::new(error), Arg::new(most_attempts)];
        c.execute(include_str!("give_back.sql"), &args)
    })?;
    Ok(())
}

/// Makes failed and waiting jobs of a base due now; returns their targets.
pub fn retry(base: Uuid) -> Result<Vec<(Kind, Uuid)>> {
    let retried = catalogue(|c| {
        c.query(include_str!("retry.sql"), Access::Write, Planning::Auto, &[Arg::new(base)], |row| {
            Ok((Kind::from_name(&row.require::<String>(1)?), row.require::<Uuid>(2)?))
        })
    })?;
    if !retried.is_empty() {
        wake::at_commit();
    }
    Ok(retried)
}

/// A job whose last attempt failed.
pub struct Trouble {
    pub target: Uuid,
    pub reason: String,
    pub attempts: i32,
    /// None where it was given up.
    pub next_try: Option<TimestampWithTimeZone>,
}

/// The jobs of a base whose last attempt failed, the oldest first.
pub fn troubles(base: Uuid) -> Result<Vec<Trouble>> {
    catalogue(|c| {
        c.query(include_str!("troubles.sql"), Access::Read, Planning::Auto, &[Arg::new(base)], |row| {
            Ok(Trouble {
                target: row.require(1)?,
                reason: row.require(2)?,
                attempts: row.require(3)?,
                next_try: row.get(4)?,
            })
        })
    })
}

/// How fast the queue of a base gets shorter.
pub struct Pace {
    pub oldest_pending: Option<Interval>,
    /// Passages that a provider embedded in the last minute; None where there were none.
    pub chunks_per_second: Option<f64>,
}

/// What the queue and the usage of a base say.
pub fn pace(base: Uuid) -> Result<Pace> {
    let pace = catalogue(|c| {
        c.query_one(include_str!("pace.sql"), Access::Read, &[Arg::new(base)], |row| {
            Ok(Pace { oldest_pending: row.get(1)?, chunks_per_second: row.get(2)? })
        })
    })?;
    Ok(pace.unwrap_or(Pace { oldest_pending: None, chunks_per_second: None }))
}

/// The targets of a base that are in the queue, also those that were given up.
pub fn queued(base: Uuid, kind: Kind) -> Result<HashSet<Uuid>> {
    let targets = catalogue(|c| {
        let args = [Arg::new(base), Arg::new(kind.name())];
        c.query(include_str!("queued.sql"), Access::Write, Planning::Auto, &args, |row| row.require(1))
    })?;
    Ok(targets.into_iter().collect())
}

/// Whether anything of a kind is still to be done for a base, or being done; what was given up is not.
pub fn is_pending(base: Uuid, kind: Kind) -> Result<bool> {
    let found = catalogue(|c| {
        c.query_one(
            include_str!("is_pending.sql"),
            Access::Write,
            &[Arg::new(base), Arg::new(kind.name())],
            |row| row.require::<bool>(1),
        )
    })?;
    Ok(found == Some(true))
}

/// Turns what was given up of the model to come into jobs of the present one, which it has become.
pub fn become_embed(base: Uuid) -> Result<()> {
    catalogue(|c| c.execute(include_str!("become_embed.sql"), &[Arg::new(base)]))?;
    Ok(())
}

/// Removes all jobs of a kind of a base.
pub fn forget(base: Uuid, kind: Kind) -> Result<()> {
    catalogue(|c| c.execute(include_str!("forget.sql"), &[Arg::new(base), Arg::new(kind.name())]))?;
    Ok(())
}
