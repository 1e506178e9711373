//! The last action of a process that ends because an owner's code continued after its cancellation. The process pauses
//! the base, so that no other worker ends in the same way, and starts another worker in its place.

use std::cell::Cell;

use super::{counter, work};
use crate::error::Error;
use crate::postgres::guc;
use crate::postgres::limit;
use crate::postgres::process;
use crate::postgres::transaction;
use crate::queue;

thread_local! {
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Registers that action; called before any work.
pub fn register() {
    if !IS_REGISTERED.replace(true) {
        process::before_exit(process_ends);
    }
}

fn process_ends() {
    let counted = counter::at();
    let Some(base) = counted.or(work::at().map(|(base, _)| base)).filter(|_| limit::is_end_of_process())
    else {
        return;
    };
    let reason = format!("{}, and did not end when it was canceled", limit::message());
    let paused = transaction::run_before_exit(|| {
        guc::with_settings(&[], || {
            if counted.is_some() {
                counter::pause(base, &reason)
            } else {
                work::pause_exceeded(base, &reason)
            }
        })
    });
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
