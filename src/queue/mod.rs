//! The queue of work that writers leave to the workers: `kb_rag.job`, and pauses.
//!
//! Writers only append, so no two of them wait for each other. A claim is an update, committed at once; from then on a
//! lease keeps other workers away, which ends early if the process that holds it is gone. The queue is only a hint: the
//! truth is which chunks have no vector.

mod claim;
mod held;
mod kind;
mod lock;
mod pause;
mod slots;
mod waiting;
mod wake;

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Duration;

use kb_rag_core::model_name::ModelName;
use kb_rag_core::provider::retry;
use pgrx::Uuid;
use pgrx::prelude::*;

use crate::catalog;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::spi::{Access, Arg, Planning};
use crate::settings;

pub use claim::{
    Job, claim, claim_to_embed, done, fail, free_orphans, free_own, give_back, postpone, renew, set_unusable,
};
pub use held::{forget_held, hold, idle_agents, release_held};
pub use kind::Kind;
pub use lock::{CounterSlot, FetchPlace, OwnerShare, WorkerSlot, lock_turns};
pub use pause::{
    Pause, Target, end_pauses_of_base, end_pauses_of_provider, pause, pause_exceeded, pause_for_server,
    pause_work, pauses, resume, resume_base, succeeded,
};
pub use slots::{begin_work, is_slow, leave, missing_worker, must_leave, start_waiting};
pub use wake::{
    at_commit, count_at_commit, has_prepared, is_worker, mark_as_worker, note_refusal, register_launcher,
    start_counter, start_further, start_worker, start_worker_in, wake_at_once, wake_if_idle,
};

thread_local! {
    /// The generation of jobs that are queued now.
    static GENERATION: Cell<i32> = const { Cell::new(0) };
}

/// Runs `work`, which writes for jobs of a generation: what triggers queue meanwhile belongs to the next one.
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
    /// Whether code of the base's owner exceeded its time, and no work has succeeded since.
    pub on_probation: bool,
    /// Whether there are bases of other owners.
    pub has_others: bool,
}

/// Queues targets of a base, and wakes a worker when the transaction commits.
pub fn enqueue(base: Uuid, kind: Kind, targets: &[Uuid]) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let generation = GENERATION.get();
    // One further change by a trigger is normal; a chain of them is delayed longer each time.
    let after = match generation.unsigned_abs() {
        0 | 1 => Duration::ZERO,
        many => retry::backoff(many, 1.0),
    };
    catalog::connect(|c| {
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

/// Queues a target. A waiting job becomes due now, a failed one is deleted, and if a worker is running one, another is queued
/// behind it.
pub fn requeue(base: Uuid, kind: Kind, target: Uuid) -> Result<()> {
    catalog::connect(|c| {
        c.execute(include_str!("forget_idle.sql"), &[Arg::new(base), Arg::new(kind.name()), Arg::new(target)])
    })?;
    enqueue(base, kind, &[target])
}

/// Replaces the jobs of a target by one that has failed, for kb_rag.failed and kb_retry.
pub fn replace_by_failed(base: Uuid, kind: Kind, target: Uuid, error: &str) -> Result<()> {
    let args = || [Arg::new(base), Arg::new(kind.name()), Arg::new(target)];
    catalog::connect(|c| {
        c.execute(include_str!("forget_target.sql"), &args())?;
        let mut args = Vec::from(args());
        args.push(Arg::new(error));
        c.execute(include_str!("insert_failed.sql"), &args)
    })?;
    Ok(())
}

/// Due work by base and kind, ordered by the workers already busy with its provider, then with this work, then by age.
/// Paused work is due when its pause ends. Bases in `leave_out` are ignored.
pub fn due(leave_out: &[Uuid]) -> Result<Vec<Due>> {
    catalog::connect(|c| {
        let args = [
            Arg::new(leave_out.to_vec()),
            Arg::new(i32::from(settings::workers())),
            Arg::new(ModelName::BUILT_IN.to_vec()),
            Arg::new(Kind::names()),
        ];
        c.query(
            &catalog::with_summaries(include_str!("due.sql")),
            Access::Write,
            Planning::Auto,
            &args,
            |row| {
                Ok(Due {
                    base: row.require(1)?,
                    kind: Kind::from_name(&row.require::<String>(2)?)?,
                    seconds: row.require(3)?,
                    on_probation: row.require(4)?,
                    has_others: row.require(5)?,
                })
            },
        )
    })
}

/// Marks the jobs of all kinds that this library does not know as failed, for kb_rag.failed: another library may have
/// queued them. Returns the error of each kind.
pub fn fail_unknown() -> Result<Vec<Error>> {
    let unknown: Vec<(Uuid, String)> = catalog::connect(|c| {
        let args = [Arg::new(Kind::names())];
        c.query(include_str!("unknown_kinds.sql"), Access::Write, Planning::Auto, &args, |row| {
            Ok((row.require(1)?, row.require(2)?))
        })
    })?;
    let mut errors = Vec::new();
    for (base, kind) in unknown {
        if let Err(error) = Kind::from_name(&kind) {
            let args = [Arg::new(base), Arg::new(kind), Arg::new(error.to_string())];
            catalog::connect(|c| c.execute(include_str!("fail_kind.sql"), &args))?;
            errors.push(error);
        }
    }
    Ok(errors)
}

/// Makes failed and waiting jobs of a base due now, except those of unknown kinds, and waiting ones of the sources `wait_on` and
/// their pages; returns their targets.
pub fn retry(base: Uuid, wait_on: &[Uuid]) -> Result<Vec<(Kind, Uuid)>> {
    let retried = catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(Kind::names()), Arg::new(wait_on.to_vec())];
        c.query(include_str!("retry.sql"), Access::Write, Planning::Auto, &args, |row| {
            Ok((Kind::from_name(&row.require::<String>(1)?)?, row.require::<Uuid>(2)?))
        })
    })?;
    if !retried.is_empty() {
        wake::at_commit();
    }
    Ok(retried)
}

/// A job whose last attempt failed.
pub struct Trouble {
    /// The document. None for a job of an unknown kind, whose target may be anything.
    pub document: Option<Uuid>,
    pub reason: String,
    pub attempts: i32,
    /// None for a failed job.
    pub next_try: Option<TimestampWithTimeZone>,
}

/// The jobs of a base whose last attempt to embed or summarize failed, and those of unknown kinds, the oldest first.
pub fn troubles(base: Uuid) -> Result<Vec<Trouble>> {
    catalog::connect(|c| {
        let others =
            Kind::ALL.iter().filter(|kind| !kind.is_of_document()).map(|kind| kind.name().to_string());
        let args = [Arg::new(base), Arg::new(others.collect::<Vec<_>>())];
        c.query(
            &catalog::with_summaries(include_str!("troubles.sql")),
            Access::Read,
            Planning::Auto,
            &args,
            |row| {
                Ok(Trouble {
                    document: row.get(1)?,
                    reason: row.require(2)?,
                    attempts: row.require(3)?,
                    next_try: row.get(4)?,
                })
            },
        )
    })
}

/// How fast the queue of a base shrinks.
pub struct Pace {
    pub oldest_pending: Option<Interval>,
    /// Chunks per second that were embedded in the last minute; None if there were none.
    pub chunks_per_second: Option<f64>,
}

/// The pace of a base, from its queue and its usage.
pub fn pace(base: Uuid) -> Result<Pace> {
    let pace = catalog::connect(|c| {
        c.query_one(include_str!("pace.sql"), Access::Read, &[Arg::new(base)], |row| {
            Ok(Pace { oldest_pending: row.get(1)?, chunks_per_second: row.get(2)? })
        })
    })?;
    Ok(pace.unwrap_or(Pace { oldest_pending: None, chunks_per_second: None }))
}

/// The targets of a base that are in the queue, including failed ones.
pub fn queued(base: Uuid, kind: Kind, access: Access) -> Result<HashSet<Uuid>> {
    let targets = catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(kind.name())];
        c.query(include_str!("queued.sql"), access, Planning::Auto, &args, |row| row.require(1))
    })?;
    Ok(targets.into_iter().collect())
}

/// Whether documents of a base may be cut for its pending model, until the end of the transaction: false while another session finishes or
/// begins a change, which relies on what is cut already.
pub fn may_change(base: Uuid) -> Result<bool> {
    let sql = include_str!("share_base.sql");
    let locked = catalog::connect(|c| c.query_one(sql, Access::Write, &[Arg::new(base)], |_| Ok(())))?;
    Ok(locked.is_some())
}

/// The targets of the work of a kind that is queued or being done for a base; failed jobs do not count.
pub fn pending(base: Uuid, kind: Kind) -> Result<Vec<Uuid>> {
    catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(kind.name())];
        c.query(include_str!("pending.sql"), Access::Write, Planning::Auto, &args, |row| row.require(1))
    })
}

/// Queues work on a base once a transaction. What others queued does not count: it may be done before this transaction commits.
/// A worker that claims such work claims all of it.
pub fn enqueue_once(base: Uuid, kind: Kind) -> Result<()> {
    let args = [Arg::new(base), Arg::new(kind.name())];
    let found =
        catalog::connect(|c| c.query_one(include_str!("queued_here.sql"), Access::Write, &args, |_| Ok(())))?;
    if found.is_some() { Ok(()) } else { enqueue(base, kind, &[base]) }
}

/// Whether work of a kind for a base waits that nobody has claimed and that is not due yet.
pub fn is_waiting(base: Uuid, kind: Kind) -> Result<bool> {
    let args = [Arg::new(base), Arg::new(kind.name())];
    let found =
        catalog::connect(|c| c.query_one(include_str!("is_waiting.sql"), Access::Write, &args, |_| Ok(())))?;
    Ok(found.is_some())
}

/// Whether work of a kind is still queued or being done for a base; failed jobs do not count.
pub fn is_pending(base: Uuid, kind: Kind) -> Result<bool> {
    let found = catalog::connect(|c| {
        c.query_one(
            include_str!("is_pending.sql"),
            Access::Write,
            &[Arg::new(base), Arg::new(kind.name())],
            |row| row.require::<bool>(1),
        )
    })?;
    Ok(found == Some(true))
}

/// Documents, at most `max`, whose vectors are queued, being made, or failed.
pub fn lacking_vectors(base: Uuid, max: i64) -> Result<Vec<Uuid>> {
    catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(max)];
        c.query(include_str!("lacking_vectors.sql"), Access::Read, Planning::Auto, &args, |row| {
            row.require(1)
        })
    })
}

/// Whether the queue has jobs for chunks of a base that have no vector: they wait for it, or it failed. A hint, as the queue
/// is, which costs no scan of the chunks.
pub fn lacks_vectors(base: Uuid) -> Result<bool> {
    let found = catalog::connect(|c| {
        c.query_one(include_str!("lacks_vectors.sql"), Access::Read, &[Arg::new(base)], |row| {
            row.require::<bool>(1)
        })
    })?;
    Ok(found == Some(true))
}

/// Turns jobs that failed for the pending model into jobs of the current model, which it has become.
pub fn convert_change_jobs(base: Uuid) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("convert_change_jobs.sql"), &[Arg::new(base)]))?;
    Ok(())
}

/// Removes the failed jobs of a document.
pub fn forget_failed(base: Uuid, document: Uuid) -> Result<()> {
    catalog::connect(|c| {
        let kinds = [Kind::Embed, Kind::Change].map(|kind| kind.name().to_string()).to_vec();
        c.execute(include_str!("forget_failed.sql"), &[Arg::new(base), Arg::new(document), Arg::new(kinds)])
    })?;
    Ok(())
}

/// Removes all jobs of a base.
pub fn forget_all(base: Uuid) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("forget_all.sql"), &[Arg::new(base)]))?;
    held::forget_held(base)
}

/// The bases with work whose schema is not where the catalog says: it was dropped or renamed.
pub fn without_schema() -> Result<Vec<Uuid>> {
    catalog::connect(|c| {
        c.query(include_str!("without_schema.sql"), Access::Write, Planning::Generic, &[], |row| {
            row.require(1)
        })
    })
}

/// Removes all jobs of a kind of a base.
pub fn forget(base: Uuid, kind: Kind) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("forget.sql"), &[Arg::new(base), Arg::new(kind.name())]))?;
    Ok(())
}
