//! The background worker of a database: started on demand, ends when nothing is left to do.

use std::time::{Duration, Instant};

use kb_rag_core::provider::retry;

use super::counter;
use super::embed::jitter;
use super::last_act;
use super::transaction::Transactions;
use super::work::{Step, Work};
use crate::agent;
use crate::catalog::format;
use crate::error::Result;
use crate::postgres::background_worker::{self, entry_point, report};
use crate::postgres::guc;
use crate::postgres::interrupt::{self, check_for_interrupts};
use crate::postgres::lookup;
use crate::postgres::test_point::test_time;
use crate::queue::{self, WorkerSlot};
use crate::settings;

/// What precedes the reason in the log.
const ENDS: &str = "kb_rag worker ends";
/// How long an idle worker stays: shorter than DROP DATABASE waits for it.
const LINGER: Duration = Duration::from_secs(1);
/// How long an idle worker stays while there are prepared transactions, which may have queued work that is not committed yet.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often an idle worker looks for work.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How often a worker that waits for a retry looks for work.
const MAX_WAIT: Duration = Duration::from_secs(1);

entry_point!(kb_rag_worker_main, main);

fn main() {
    // What the database sets for its sessions does not apply to workers.
    settings::apply_worker_defaults();
    if !is_installed() || !has_format() {
        return;
    }
    queue::mark_as_worker();
    last_act::register();
    let Some(mut slot) = WorkerSlot::take(settings::workers()) else { return };
    interrupt::meanwhile(queue::start_waiting);
    let mut idle_since = None;
    loop {
        queue::begin_work(&slot);
        let end = run(&slot, &mut idle_since);
        counter::after_work();
        if end == End::Leave {
            return queue::leave(slot, time_left());
        }
        // First the place is freed, then checked again: a session that commits or prepares after the check finds the place free
        // and starts another worker.
        slot.give_up();
        let goes_on = anything_due() || (end == End::Idle && awaits_prepared(idle_since));
        if !goes_on {
            return;
        }
        match WorkerSlot::take(settings::workers()) {
            Some(again) => slot = again,
            None => return,
        }
    }
}

/// Whether the extension is installed in the database.
pub(super) fn is_installed() -> bool {
    Transactions::Worker.run(|| Ok(lookup::schema_exists("kb_rag"))).unwrap_or(false)
}

/// Whether library and SQL have the same format. Otherwise a line in the log says so, and sessions are told to start no further
/// workers for a while: each would end in the same way.
pub(super) fn has_format() -> bool {
    match Transactions::Worker.run(format::difference) {
        Ok(None) => true,
        Ok(Some(difference)) => {
            difference.preceded_by(ENDS).log();
            log_error(Transactions::Worker.run(queue::note_refusal));
            false
        }
        Err(error) => {
            error.log();
            false
        }
    }
}

/// Why a worker stops.
#[derive(PartialEq)]
enum End {
    /// Nothing has been due for a while and nothing waits for a retry.
    Idle,
    /// It cannot work.
    Unable,
    /// It leaves its process to others.
    Leave,
}

/// Works until nothing has been due for a while and nothing waits for a retry, or until others need its process.
fn run(slot: &WorkerSlot, idle_since: &mut Option<Instant>) -> End {
    let mut work = Work::new(Transactions::Worker, false);
    let mut failures = 0;
    let mut is_slow = false;
    let mut look_for_orphans = Instant::now();
    loop {
        check_for_interrupts();
        guc::reload();
        if Instant::now() >= look_for_orphans {
            if has_other_format() {
                return End::Unable;
            }
            queue::start_waiting();
            log_error(work.free_orphans());
            log_error(work.forget_dropped());
            log_error(work.fail_unknown());
            log_error(Transactions::Worker.run(agent::expire_log));
            log_error(work.queue_due());
            log_error(work.queue_missed());
            log_error(work.note_row_security());
            // Between two steps it has no work: these are rows that another session had locked when the steps ended.
            log_error(work.free_own());
            look_for_orphans = Instant::now() + MAX_WAIT;
        }
        if !slot.keep() {
            // Another worker has its place.
            return End::Unable;
        }
        if queue::must_leave(is_slow) {
            log_error(work.free_own());
            return End::Leave;
        }
        report("looking for work");
        // Set before the queue is read, which may miss what others commit from now on.
        slot.busy();
        let began = Instant::now();
        let step = work.step(|has_more| {
            report("embedding");
            if has_more {
                start_another();
            }
        });
        if step.is_err() && has_other_format() {
            return End::Unable;
        }
        is_slow = queue::is_slow(began.elapsed());
        let wait = match after(step, idle_since, &mut failures) {
            Next::Again => {
                report_statistics();
                continue;
            }
            Next::Wait(wait) => wait,
            Next::Free(wait) => {
                log_error(work.free_own());
                wait
            }
            Next::Leave => return End::Idle,
            Next::Stop => return End::Unable,
        };
        // Its process is of no use meanwhile.
        is_slow = true;
        work.look_again();
        slot.idle();
        idle();
        interrupt::sleep(wait);
    }
}

/// Whether the extension was updated since the worker began, to another format: a worker of the new library goes on. A line in the
/// log says so.
fn has_other_format() -> bool {
    let Ok(Some(difference)) = Transactions::Worker.run(format::difference) else { return false };
    difference.preceded_by(ENDS).log();
    true
}

/// What a worker does after a step.
enum Next {
    /// Looks for more work at once.
    Again,
    /// Waits.
    Wait(Duration),
    /// Frees its jobs, then waits.
    Free(Duration),
    /// Ends, because there is nothing to do.
    Leave,
    /// Ends, because it cannot work.
    Stop,
}

/// `idle_since`: since when nothing has been due and nothing waits for a retry. `failures`: how often in a row the server could
/// not write the queue.
fn after(step: Result<Step>, idle_since: &mut Option<Instant>, failures: &mut u32) -> Next {
    if step.is_ok() {
        *failures = 0;
    }
    match step {
        Ok(Step::Worked) => {
            *idle_since = None;
            Next::Again
        }
        Ok(Step::Idle(Some(seconds))) => {
            *idle_since = None;
            let max = test_time("max_wait", MAX_WAIT);
            Next::Wait(interrupt::time_of(seconds.max(0.001), max))
        }
        Ok(Step::Idle(None))
            if idle_since.get_or_insert_with(Instant::now).elapsed() >= test_time("linger", LINGER) =>
        {
            if awaits_prepared(*idle_since) {
                Next::Wait(MAX_WAIT)
            } else {
                Next::Leave
            }
        }
        Ok(Step::Idle(None)) => Next::Wait(LOOK_AGAIN),
        Err(error) => {
            // The queue is not accessible: the extension is being dropped, or was updated and a worker of the new
            // library replaces this one. Its claims are freed once it is gone.
            let (is_passing, is_of_server) = (error.is_conflict(), error.is_of_server());
            error.log();
            if is_of_server {
                // A full disk, for example: work goes on when there is space.
                *failures = failures.saturating_add(1);
                return Next::Free(retry::backoff(*failures, jitter()));
            }
            if is_passing { Next::Free(MAX_WAIT) } else { Next::Stop }
        }
    }
}

/// There is more to do than one worker can do soon.
fn start_another() {
    if WorkerSlot::is_one_more_of_use(settings::workers()) {
        queue::start_further();
    }
}

/// The time until work is due; None if there is none.
fn time_left() -> Option<Duration> {
    let due = Transactions::Worker.run(|| queue::due(&[])).ok()?;
    let seconds = due.iter().map(|due| due.seconds).min_by(f64::total_cmp)?;
    Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
}

fn anything_due() -> bool {
    Transactions::Worker.run(|| Ok(!queue::due(&[])?.is_empty())).unwrap_or(false)
}

/// Whether a worker that has been idle for this time waits for prepared transactions of the database.
fn awaits_prepared(idle_since: Option<Instant>) -> bool {
    let may_wait = idle_since.is_some_and(|since| since.elapsed() < test_time("patience", PATIENCE));
    may_wait && Transactions::Worker.run(queue::has_prepared).unwrap_or(false)
}

fn log_error<T>(result: Result<T>) {
    if let Err(error) = result {
        error.log();
    }
}

/// Reports statistics for autovacuum, which the queue needs.
fn report_statistics() {
    background_worker::report_statistics(false);
}

pub(super) fn idle() {
    report_statistics();
    background_worker::report_idle();
}
