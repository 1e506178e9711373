//! A time limit for code of others: triggers, expressions, constraints and policies of a base's owner, which run wherever its
//! tables are planned over, read or written.
//!
//! PostgreSQL arms statement_timeout only for statements that a client sends, and that one belongs to the session's user.
//! Here is a timer of our own. When it expires for the first time, it cancels what runs, as a user would. PL/pgSQL can trap
//! that and go on; when it expires for the second time, the process ends, which cannot be trapped.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pgrx::pg_sys;

use crate::settings;
use crate::spi;

/// PostgreSQL's timers, of whose header pgrx makes no bindings. None of these raises an error.
mod timer {
    use pgrx::pg_sys;

    unsafe extern "C-unwind" {
        pub fn RegisterTimeout(id: u32, handler: unsafe extern "C-unwind" fn()) -> u32;
        pub fn enable_timeout_every(id: u32, finish: pg_sys::TimestampTz, delay_ms: i32);
        pub fn disable_timeout(id: u32, keep_indicator: bool);
        /// As it is: pgrx's wrapper is not made for a signal handler.
        pub fn SetLatch(latch: *mut pg_sys::Latch);
    }

    /// USER_TIMEOUT of utils/timeout.h: the first free number is taken.
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    pub const USER_TIMEOUT: u32 = 12;
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    pub const USER_TIMEOUT: u32 = 13;
}

/// How much more time work has that may take long.
const LONGER: u32 = 20;

/// How often the timer has expired since it was armed.
static EXPIRED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static TIMER: Cell<Option<u32>> = const { Cell::new(None) };
    /// The limit of a transaction.
    static LIMIT: Cell<Option<Duration>> = const { Cell::new(None) };
    /// What is left of it while nothing runs under it; None where code is not limited.
    static LEFT: Cell<Option<Duration>> = const { Cell::new(None) };
    /// When the time of what runs is over; None where nothing runs under the limit.
    static ENDS: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Whether the code of others has exceeded its time in this transaction, and in this step.
    static EXCEEDED: Cell<bool> = const { Cell::new(false) };
    static EXCEEDED_IN_STEP: Cell<bool> = const { Cell::new(false) };
    /// How long code of others may have run in this step.
    static USED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// Whose code is that of the session itself, and not limited.
    static OWN: Cell<Option<pg_sys::Oid>> = const { Cell::new(None) };
}

/// Runs in the signal handler: sets flags, and no more.
unsafe extern "C-unwind" fn expired() {
    let is_first = EXPIRED.fetch_add(1, Ordering::Relaxed) == 0;
    // SAFETY: flags that PostgreSQL's own handlers set in the same way, and the latch of this process.
    unsafe {
        if is_first {
            pg_sys::QueryCancelPending = 1;
        } else {
            pg_sys::ProcDiePending = 1;
        }
        pg_sys::InterruptPending = 1;
        timer::SetLatch(pg_sys::MyLatch);
    }
}

/// Runs `work`, a transaction, in which the code of others has kb_rag.worker_statement_timeout, all calls of [`of_role`]
/// together.
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

/// Begins a step of work: nothing is used of the time of its owner.
pub fn begin_step() {
    EXCEEDED.set(false);
    EXCEEDED_IN_STEP.set(false);
    USED.set(Duration::ZERO);
}

/// Whether the code of others has used as much in this step as it may at a time, in transactions that were each within it.
pub fn is_used_up() -> bool {
    settings::worker_statement_timeout().is_some_and(|limit| USED.get() >= limit)
}

/// Says that code of this role is not limited: the session runs it for itself. None for a worker.
pub fn except(role: Option<pg_sys::Oid>) {
    OWN.set(role);
}

/// Runs `work`, which may run code of a role, for no longer than is left. Without limit outside of [`of_transaction`]. An
/// error of PostgreSQL unwinds past here when the time is over; [`is_exceeded`] tells that it was this one.
pub fn of_role<T>(role: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    let _armed = LEFT.get().filter(|_| OWN.get() != Some(role)).map(Armed::begin);
    work()
}

/// Runs `work` of ours that may take long, as building an index does, of which code of others is a small part: that has
/// [`LONGER`] times the time. Code of others that comes here by way of a function of ours stays limited as it was.
pub fn longer<T>(work: impl FnOnce() -> T) -> T {
    without(|| step(LONGER, work))
}

/// Runs `work` of ours, in which no code of others runs but such as [`afresh`] limits, as work of many steps. Code of others
/// that comes here by way of a function of ours stays limited.
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

/// Runs one step of what runs [`without`] the limit, with all of the time for itself.
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

/// Whether the code of others has exceeded its time in the last transaction.
pub fn is_exceeded() -> bool {
    EXCEEDED.get()
}

/// Tells that it has.
pub fn message() -> String {
    let seconds = settings::worker_statement_timeout().unwrap_or_default().as_secs_f64();
    format!(
        "code of the owner of the knowledge base ran longer than kb_rag.worker_statement_timeout ({seconds} s)"
    )
}

/// Whether the code of others has exceeded its time in any transaction of this step.
pub fn is_exceeded_in_step() -> bool {
    EXCEEDED_IN_STEP.get()
}

/// Whether the process ends because the code of others did not when it was cancelled.
pub fn is_end_of_process() -> bool {
    EXPIRED.load(Ordering::Relaxed) > 1
}

/// The timer while it runs.
struct Armed(Instant);

impl Armed {
    fn begin(limit: Duration) -> Armed {
        EXPIRED.store(0, Ordering::Relaxed);
        // What is called within is part of this.
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
        // The work may have ended before the cancellation was seen: it is not meant for what comes next.
        // SAFETY: a flag of this process.
        unsafe { pg_sys::QueryCancelPending = 0 };
    }
}

/// Has the timer expire after `limit`, and again after the whole time of others.
fn arm(limit: Duration) {
    let timer = TIMER.get().unwrap_or_else(|| {
        // SAFETY: a handler of the right signature; registered once in the life of the process.
        let timer = unsafe { timer::RegisterTimeout(timer::USER_TIMEOUT, expired) };
        TIMER.set(Some(timer));
        timer
    });
    let milliseconds = |time: Duration| i32::try_from(time.as_millis()).unwrap_or(i32::MAX).max(1);
    let again = settings::worker_statement_timeout().unwrap_or(limit).max(limit);
    ENDS.set(Some(Instant::now() + limit));
    // SAFETY: a timer that was registered; microseconds since 2000 are PostgreSQL's time.
    unsafe {
        let first = pg_sys::GetCurrentTimestamp() + i64::from(milliseconds(limit)) * 1000;
        timer::enable_timeout_every(timer, first, milliseconds(again));
    }
}

fn disarm() {
    if let Some(timer) = TIMER.get() {
        // SAFETY: a timer that was registered.
        unsafe { timer::disable_timeout(timer, false) };
    }
}
