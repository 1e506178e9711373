//! The last action of a process that ends because an owner's code continued after its cancellation. The process pauses
//! the base, so that no other worker ends in the same way, and starts another worker in its place.

use std::cell::Cell;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::{counter, work};
use crate::error::Error;
use crate::guc;
use crate::limit;
use crate::queue;

thread_local! {
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Registers that action; called before any work.
pub fn register() {
    if !IS_REGISTERED.replace(true) {
        // SAFETY: a function of the right signature. It is called before PostgreSQL's own callback, which ends the
        // transaction.
        unsafe { pg_sys::before_shmem_exit(Some(process_ends), pg_sys::Datum::from(0usize)) };
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn process_ends(_code: i32, _argument: pg_sys::Datum) {
    let counted = counter::at();
    let Some(base) = counted.or(work::at().map(|(base, _)| base)).filter(|_| limit::is_end_of_process())
    else {
        return;
    };
    let reason = format!("{}, and did not end when it was cancelled", limit::message());
    // SAFETY: as PostgreSQL's own removal of temporary tables, which runs at the same point. An error here ends the
    // process, which is ending anyway.
    unsafe {
        pg_sys::AbortOutOfAnyTransaction();
        // The process that replaces this one looks for the place at once.
        pg_sys::LockReleaseAll(pg_sys::USER_LOCKMETHOD as _, true);
        pg_sys::StartTransactionCommand();
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
    }
    let paused = guc::with_settings(&[], || {
        if counted.is_some() { counter::pause(base, &reason) } else { work::pause_exceeded(base, &reason) }
    });
    // SAFETY: begun and pushed above.
    unsafe {
        pg_sys::PopActiveSnapshot();
        pg_sys::CommitTransactionCommand();
    }
    match paused {
        Ok(()) => Error::over_limit(reason).log(),
        Err(error) => error.log(),
    }
    if counted.is_some() {
        queue::start_counter();
    } else if queue::is_worker() {
        queue::start_worker();
    }
}
