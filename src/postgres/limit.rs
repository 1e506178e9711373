//! A time limit for code of a base's owner: triggers, expressions, constraints and policies, which run wherever the
//! base's tables are planned over, read or written.
//!
//! PostgreSQL arms statement_timeout only for statements that a client sends, and that setting belongs to the session's
//! user. So this module has a timer of its own. Its first expiry cancels the running statement, as a user would.
//! PL/pgSQL can trap the cancellation and continue; the second expiry ends the process, which cannot be trapped.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pgrx::pg_sys;

use crate::postgres::spi;
use crate::postgres::timer::{self, Timer};
use crate::settings;

/// The factor by which the limit of long work is higher.
const LONGER: u32 = 20;

/// How often the timer has expired since it was armed.
static EXPIRED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static TIMER: Timer = const { Timer::new(expired) };
    /// The limit of a transaction.
    static LIMIT: Cell<Option<Duration>> = const { Cell::new(None) };
    /// What is left of it while no limited code runs; None where code is not limited.
    static LEFT: Cell<Option<Duration>> = const { Cell::new(None) };
    /// When the running code reaches the limit; None where no limited code runs.
    static ENDS: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Whether owners' code exceeded its time in this transaction, and in this step.
    static EXCEEDED: Cell<bool> = const { Cell::new(false) };
    static EXCEEDED_IN_STEP: Cell<bool> = const { Cell::new(false) };
    /// The time that owners' code used in this step, at most.
    static USED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// The role whose code the session runs for itself, without a limit.
    static OWN: Cell<Option<pg_sys::Oid>> = const { Cell::new(None) };
}

/// Runs in the signal handler: only sets flags.
extern "C-unwind" fn expired() {
    if EXPIRED.fetch_add(1, Ordering::Relaxed) == 0 {
        timer::cancel();
    } else {
        timer::terminate();
    }
}

/// Runs `work`, a transaction in which all calls of [`of_role`] together may take kb_rag.worker_statement_timeout.
pub fn of_transaction<T>(work: impl FnOnce() -> T) -> T {
    struct Ends;
    impl Drop for Ends {
        fn drop(&mut self) {
            LIMIT.set(None);
            LEFT.set(None);
        }
    }
    let limit = settings::worker_statement_timeout();
    LIMIT.set(limit);
    LEFT.set(limit);
    EXCEEDED.set(false);
    let _ends = Ends;
    work()
}

/// Begins a step of work, for which the owner's code has used no time yet.
pub fn begin_step() {
    EXCEEDED.set(false);
    EXCEEDED_IN_STEP.set(false);
    USED.set(Duration::ZERO);
}

/// Whether owners' code used the whole limit in this step, in transactions that each stayed within it.
pub fn is_used_up() -> bool {
    settings::worker_statement_timeout().is_some_and(|limit| USED.get() >= limit)
}

/// Exempts code of this role from the limit: the session runs it for itself. None for a worker.
pub fn except(role: Option<pg_sys::Oid>) {
    OWN.set(role);
}

/// Runs `work`, which may run code of a role, for no longer than the time left. No limit outside of [`of_transaction`].
/// When the time is over, an error of PostgreSQL unwinds past here; [`is_exceeded`] tells whether that was the cause.
pub fn of_role<T>(role: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    let _armed = LEFT.get().filter(|_| OWN.get() != Some(role)).map(Armed::begin);
    work()
}

/// Runs kb_rag's own long work, such as building an index, in which owners' code is a small part: that part has
/// [`LONGER`] times the limit. Owners' code that gets here by calling a function of kb_rag keeps its limit.
pub fn longer<T>(work: impl FnOnce() -> T) -> T {
    without(|| step(LONGER, work))
}

/// Runs kb_rag's own work of many steps, in which owners' code runs only within [`afresh`]. Owners' code that gets here
/// by calling a function of kb_rag keeps its limit.
pub fn without<T>(work: impl FnOnce() -> T) -> T {
    struct Rearm(Option<Duration>);
    impl Drop for Rearm {
        fn drop(&mut self) {
            if let Some(left) = self.0 {
                arm(left);
            }
        }
    }
    let ends = ENDS.get().filter(|_| !spi::is_in_statement());
    let _rearm = Rearm(ends.map(|ends| {
        disarm();
        ENDS.set(None);
        ends.saturating_duration_since(Instant::now())
    }));
    work()
}

/// Runs one step within [`without`], with the whole limit for itself.
pub fn afresh<T>(work: impl FnOnce() -> T) -> T {
    step(1, work)
}

fn step<T>(times: u32, work: impl FnOnce() -> T) -> T {
    let limit =
        LIMIT.get().filter(|_| ENDS.get().is_none() && LEFT.get().is_none() && !spi::is_in_statement());
    let _step = limit.map(|limit| {
        EXPIRED.store(0, Ordering::Relaxed);
        arm(limit * times);
        Step
    });
    work()
}

struct Step;

impl Drop for Step {
    fn drop(&mut self) {
        disarm();
        ENDS.set(None);
        note_expiry();
    }
}

/// Whether owners' code exceeded its time in the last transaction.
pub fn is_exceeded() -> bool {
    EXCEEDED.get()
}

/// The error message for that.
pub fn message() -> String {
    let seconds = settings::worker_statement_timeout().unwrap_or_default().as_secs_f64();
    format!(
        "code of the owner of the knowledge base ran longer than kb_rag.worker_statement_timeout ({seconds} s)"
    )
}

/// Whether owners' code exceeded its time in any transaction of this step.
pub fn is_exceeded_in_step() -> bool {
    EXCEEDED_IN_STEP.get()
}

/// Whether the process ends because owners' code continued after its cancellation.
pub fn is_end_of_process() -> bool {
    EXPIRED.load(Ordering::Relaxed) > 1
}

/// The timer while it runs.
struct Armed(Instant);

impl Armed {
    fn begin(limit: Duration) -> Armed {
        EXPIRED.store(0, Ordering::Relaxed);
        // Nested calls count as part of this one.
        LEFT.set(None);
        arm(limit);
        Armed(Instant::now())
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        disarm();
        USED.set(USED.get() + self.0.elapsed());
        let left = ENDS.take().map(|ends| ends.saturating_duration_since(Instant::now()));
        LEFT.set(left.filter(|_| LIMIT.get().is_some()));
        note_expiry();
    }
}

fn note_expiry() {
    if EXPIRED.load(Ordering::Relaxed) > 0 {
        EXCEEDED.set(true);
        EXCEEDED_IN_STEP.set(true);
        // The work may have ended before the cancellation took effect, which must not hit what comes next.
        timer::withdraw();
    }
}

/// Sets the timer to expire after `limit`, and again after the whole limit for owners' code.
fn arm(limit: Duration) {
    let again = settings::worker_statement_timeout().unwrap_or(limit).max(limit);
    ENDS.set(Some(Instant::now() + limit));
    TIMER.with(|timer| timer.arm_every(limit, again));
}

fn disarm() {
    TIMER.with(Timer::disarm);
}
