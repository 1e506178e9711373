//! Cancellation, termination and timeouts during long work.

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use pgrx::pg_sys;

thread_local! {
    static MEANWHILE: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Has `work` called every now and then while this process waits for a provider. It must not use a transaction.
pub fn meanwhile(work: fn()) {
    MEANWHILE.set(Some(work));
}

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
    if let Some(work) = MEANWHILE.get() {
        work();
    }
    check_for_interrupts();
}

/// Shows in pg_stat_activity, until it is dropped, what the process waits for.
pub struct Wait(());

impl Wait {
    /// Begins to show that it waits for a provider.
    pub fn for_provider() -> Wait {
        static EVENT: WaitEvent = WaitEvent::new(c"KbRagProvider");
        Self::begin(&EVENT)
    }

    /// Begins to show that it waits for kb-rag-extract.
    pub fn for_extraction() -> Wait {
        static EVENT: WaitEvent = WaitEvent::new(c"KbRagExtract");
        Self::begin(&EVENT)
    }

    fn begin(event: &WaitEvent) -> Wait {
        let event = event.number();
        // SAFETY: the place where this process reports what it waits for; it always points somewhere.
        unsafe { *pg_sys::my_wait_event_info = event };
        Wait(())
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *pg_sys::my_wait_event_info = 0 };
    }
}

/// An event that PostgreSQL registers when it is first used. PostgreSQL 15 and 16 have one wait event for all extensions.
struct WaitEvent {
    #[cfg_attr(any(feature = "pg15", feature = "pg16"), allow(dead_code))]
    name: &'static CStr,
    #[cfg_attr(any(feature = "pg15", feature = "pg16"), allow(dead_code))]
    number: AtomicU32,
}

impl WaitEvent {
    const fn new(name: &'static CStr) -> WaitEvent {
        WaitEvent { name, number: AtomicU32::new(0) }
    }

    #[cfg(any(feature = "pg15", feature = "pg16"))]
    fn number(&self) -> u32 {
        pg_sys::PG_WAIT_EXTENSION
    }

    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    fn number(&self) -> u32 {
        use std::sync::atomic::Ordering;
        if self.number.load(Ordering::Relaxed) == 0 {
            // SAFETY: a NUL-terminated name of fewer than 64 bytes; the same name gives the same event in all processes.
            let number = unsafe { pg_sys::WaitEventExtensionNew(self.name.as_ptr()) };
            self.number.store(number, Ordering::Relaxed);
        }
        self.number.load(Ordering::Relaxed)
    }
}

/// So many seconds, as a statement gives them, but at most `max`: a timestamp in a table may be infinite. 0 for NaN and less.
pub fn time_of(seconds: f64, max: Duration) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).map_or(max, |time| time.min(max))
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
