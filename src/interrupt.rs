//! Cancellation, termination and timeouts during long work.

use std::time::Duration;

use pgrx::pg_sys;

/// Raises the error of a pending interrupt, which unwinds through the caller.
pub fn check_for_interrupts() {
    pgrx::check_for_interrupts!();
}

/// The same while waiting for a provider; ends the process if the postmaster is gone.
pub fn check_for_interrupts_of_call() {
    unsafe extern "C-unwind" {
        fn PostmasterIsAliveInternal() -> bool;
    }
    // SAFETY: needs no transaction; without a postmaster there is nobody to report an error to.
    unsafe {
        if !PostmasterIsAliveInternal() {
            pg_sys::proc_exit(1);
        }
    }
    check_for_interrupts();
}

/// Shows in pg_stat_activity, until it is dropped, that the process waits for a provider.
pub struct WaitForProvider(());

impl WaitForProvider {
    /// Begins to show it.
    pub fn begin() -> WaitForProvider {
        let event = wait_event();
        // SAFETY: the place where this process reports what it waits for; it always points somewhere.
        unsafe { *pg_sys::my_wait_event_info = event };
        WaitForProvider(())
    }
}

impl Drop for WaitForProvider {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *pg_sys::my_wait_event_info = 0 };
    }
}

/// PostgreSQL 15 and 16 have one wait event for all extensions.
#[cfg(any(feature = "pg15", feature = "pg16"))]
fn wait_event() -> u32 {
    pg_sys::PG_WAIT_EXTENSION
}

#[cfg(not(any(feature = "pg15", feature = "pg16")))]
fn wait_event() -> u32 {
    use std::cell::Cell;
    thread_local! {
        static EVENT: Cell<u32> = const { Cell::new(0) };
    }
    if EVENT.get() == 0 {
        // SAFETY: a NUL-terminated name of fewer than 64 bytes; the same name gives the same event in all processes.
        EVENT.set(unsafe { pg_sys::WaitEventExtensionNew(c"KbRagProvider".as_ptr()) });
    }
    EVENT.get()
}

/// Sleeps for `time`, or until the latch of the process is set; then raises a pending interrupt.
pub fn sleep(time: Duration) {
    let events = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: the latch of this process.
    unsafe {
        pg_sys::WaitLatch(
            pg_sys::MyLatch,
            events as i32,
            time.as_millis().max(1) as _,
            pg_sys::PG_WAIT_EXTENSION,
        );
        pg_sys::ResetLatch(pg_sys::MyLatch);
    }
    check_for_interrupts();
}
