//! PostgreSQL's timers, for which pgrx has no bindings.

use std::cell::Cell;
use std::time::Duration;

use pgrx::pg_sys;

unsafe extern "C-unwind" {
    fn RegisterTimeout(id: u32, handler: extern "C-unwind" fn()) -> u32;
    fn enable_timeout_every(id: u32, finish: pg_sys::TimestampTz, delay_ms: i32);
    fn disable_timeout(id: u32, keep_indicator: bool);
    fn get_timeout_active(id: u32) -> bool;
    fn get_timeout_indicator(id: u32, reset_indicator: bool) -> bool;
    fn get_timeout_finish_time(id: u32) -> pg_sys::TimestampTz;
    /// Declared here because pgrx's wrapper is not made for a signal handler.
    fn SetLatch(latch: *mut pg_sys::Latch);
}

/// USER_TIMEOUT of utils/timeout.h; RegisterTimeout returns the first free number from it on.
#[cfg(any(feature = "pg15", feature = "pg16"))]
const USER_TIMEOUT: u32 = 12;
#[cfg(not(any(feature = "pg15", feature = "pg16")))]
const USER_TIMEOUT: u32 = 13;

/// STATEMENT_TIMEOUT of utils/timeout.h.
const STATEMENT_TIMEOUT: u32 = 3;

/// A timer of this process: a thread-local variable of the module that uses it.
pub struct Timer {
    handler: extern "C-unwind" fn(),
    id: Cell<Option<u32>>,
}

impl Timer {
    /// A timer with this handler, which runs in a signal handler: it may only set flags.
    pub const fn new(handler: extern "C-unwind" fn()) -> Timer {
        Timer { handler, id: Cell::new(None) }
    }

    fn id(&self) -> u32 {
        self.id.get().unwrap_or_else(|| {
            // SAFETY: a handler of the right signature; registered once in the life of the process.
            let id = unsafe { RegisterTimeout(USER_TIMEOUT, self.handler) };
            self.id.set(Some(id));
            id
        })
    }

    /// Makes it expire after this time, and then again and again.
    pub fn arm_every(&self, after: Duration, again: Duration) {
        // SAFETY: a timer that was registered; microseconds since 2000 are PostgreSQL's time.
        unsafe {
            let first = pg_sys::GetCurrentTimestamp() + i64::from(milliseconds(after)) * 1000;
            enable_timeout_every(self.id(), first, milliseconds(again));
        }
    }

    /// Stops it, if it runs.
    pub fn disarm(&self) {
        if let Some(id) = self.id.get() {
            // SAFETY: a timer that was registered.
            unsafe { disable_timeout(id, false) };
        }
    }
}

fn milliseconds(time: Duration) -> i32 {
    i32::try_from(time.as_millis()).unwrap_or(i32::MAX).max(1)
}

/// The time until statement_timeout cancels the statement; None where it does not.
pub fn until_statement_timeout() -> Option<Duration> {
    // SAFETY: read variables of this process; microseconds since 2000 are PostgreSQL's time.
    let left = unsafe {
        get_timeout_active(STATEMENT_TIMEOUT)
            .then(|| get_timeout_finish_time(STATEMENT_TIMEOUT) - pg_sys::GetCurrentTimestamp())
    };
    left.map(|left| Duration::from_micros(left.max(0).unsigned_abs()))
}

/// Whether statement_timeout has expired, and its cancellation has not taken effect.
pub fn is_statement_timeout_pending() -> bool {
    // SAFETY: reads a variable of this process.
    unsafe { get_timeout_indicator(STATEMENT_TIMEOUT, false) }
}

/// Cancels the running statement, as a user would. May be called in a signal handler.
pub fn cancel() {
    // SAFETY: flags that PostgreSQL's own handlers set in the same way, and the latch of this process.
    unsafe {
        pg_sys::QueryCancelPending = 1;
        interrupt();
    }
}

/// Ends the process at its next check for interrupts. May be called in a signal handler.
pub fn terminate() {
    // SAFETY: as above.
    unsafe {
        pg_sys::ProcDiePending = 1;
        interrupt();
    }
}

unsafe fn interrupt() {
    // SAFETY: as above.
    unsafe {
        pg_sys::InterruptPending = 1;
        SetLatch(pg_sys::MyLatch);
    }
}

/// Withdraws a cancellation that has not taken effect.
pub fn withdraw() {
    // SAFETY: a flag of this process.
    unsafe { pg_sys::QueryCancelPending = 0 };
}
