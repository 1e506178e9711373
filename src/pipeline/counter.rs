//! The process that counts bases for `statistics`: started when a session looks at old statistics, and when a worker
//! ends. It is not one of the workers: code of an owner that runs while a base is counted must not occupy the place of
//! a worker.

use std::cell::Cell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use pgrx::Uuid;

use super::transaction::Transactions;
use super::{count, last_act, statistics, worker};
use crate::base::{self, Extent, KnowledgeBase};
use crate::error::{Error, Result};
use crate::lock::ShortWait;
use crate::postgres::background_worker::{self, entry_point};
use crate::postgres::guc;
use crate::postgres::interrupt::{self, check_for_interrupts};
use crate::postgres::limit;
use crate::queue::{self, CounterSlot, Target};
use crate::settings;

/// How long it waits for a base that was counted a moment ago: shorter than DROP DATABASE waits for it.
const LINGER: Duration = Duration::from_secs(2);
/// The pause of a base whose count failed; it doubles with each failure in a row.
const FAILED_AGAIN: Duration = Duration::from_secs(30);
const MAX_FAILED_AGAIN: Duration = Duration::from_secs(3600);

thread_local! {
    static AT: Cell<Option<Uuid>> = const { Cell::new(None) };
}

entry_point!(kb_rag_counter_main, main);

fn main() {
    settings::apply_worker_defaults();
    if !worker::is_installed() || !worker::has_format() {
        return;
    }
    queue::mark_as_worker();
    last_act::register();
    let mut seen = HashSet::new();
    while let Some(slot) = CounterSlot::take() {
        if let Err(error) = run(&slot, &mut seen) {
            // The extension is being dropped, or was updated.
            return error.log();
        }
        // First the place is freed, then checked again, as in a worker.
        slot.give_up();
        if !is_any_due(&seen) {
            return;
        }
    }
}

/// Starts the counter for the bases that a worker has changed; called before the worker ends.
pub fn after_work() {
    // Its writes must be in the cumulative statistics before.
    background_worker::report_statistics(true);
    if settings::workers() > 0 && is_any_due(&HashSet::new()) {
        queue::start_counter();
    }
}

/// Counts until nothing is due soon. Bases in `seen` could not be counted just now.
fn run(slot: &CounterSlot, seen: &mut HashSet<Uuid>) -> Result<()> {
    loop {
        check_for_interrupts();
        guc::reload();
        if settings::workers() == 0 || !slot.keep() {
            return Ok(());
        }
        background_worker::report("looking for knowledge bases to count");
        let due = Transactions::Worker.run(due)?;
        let first =
            due.into_iter().filter(|(base, _)| !seen.contains(base)).min_by(|(_, a), (_, b)| a.total_cmp(b));
        match first {
            Some((base, seconds)) if seconds <= 0.0 => {
                background_worker::report("counting");
                if !count_one(base)? {
                    seen.insert(base);
                }
            }
            Some((_, seconds)) if seconds <= LINGER.as_secs_f64() => {
                worker::idle();
                interrupt::sleep(interrupt::time_of(seconds, LINGER));
            }
            _ => return Ok(()),
        }
    }
}

fn is_any_due(seen: &HashSet<Uuid>) -> bool {
    Transactions::Worker
        .run(due)
        .is_ok_and(|due| due.iter().any(|(base, seconds)| *seconds <= 0.0 && !seen.contains(base)))
}

/// The bases that have changed since they were counted, and in how many seconds to count them again. Paused bases are
/// left out.
fn due() -> Result<Vec<(Uuid, f64)>> {
    let pauses = queue::pauses()?;
    let mut bases = base::with_schema()?;
    bases.retain(|base| {
        statistics::are_of_use(base).unwrap_or(false)
            && !pauses.iter().any(|pause| pause.of_base(base.id).is_some())
    });
    let kept = statistics::kept(bases.iter())?;
    Ok(kept.into_iter().filter_map(|(base, kept)| Some((base, kept.due?))).collect())
}

/// Counts a base. False if another transaction has it locked, or if the count failed: then it is paused.
fn count_one(id: Uuid) -> Result<bool> {
    AT.set(Some(id));
    let counted = Transactions::Worker.run(|| {
        let Some(base) = base::by_id(id)?.filter(KnowledgeBase::has_schema) else { return Ok(false) };
        if !ShortWait::none().lock(&base, Extent::Whole)? {
            return Ok(false);
        }
        // Read before the count: changes made meanwhile are counted again.
        let Some(kept) = statistics::kept(std::iter::once(&base))?.remove(&id) else { return Ok(false) };
        let began = Instant::now();
        let counted = count::count_all(&base)?;
        statistics::keep(&base, &counted, &kept.activity, began.elapsed().as_secs_f64())?;
        Ok(true)
    });
    AT.set(None);
    // Code that traps its cancellation and then ends has exceeded its time as well.
    let error = match (counted, limit::is_exceeded()) {
        (Err(error), _) => error,
        (Ok(_), true) => Error::over_limit(limit::message()),
        (Ok(counted), false) => return Ok(counted),
    };
    Transactions::Worker.run(|| pause(id, &error.to_string()))?;
    error.log();
    Ok(false)
}

/// The base that is being counted.
pub(super) fn at() -> Option<Uuid> {
    AT.get()
}

/// Pauses the counting of a base, but no other work for it: the base may just be large.
pub(super) fn pause(base: Uuid, reason: &str) -> Result<()> {
    let after = |failures: u32| (FAILED_AGAIN * (1 << failures.min(8))).min(MAX_FAILED_AGAIN);
    // The base may have been dropped.
    if !base::exists(base)? {
        return Ok(());
    }
    queue::pause(&Target::Statistics(base), reason, false, after)
}
