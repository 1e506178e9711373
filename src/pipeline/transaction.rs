//! Transactions of a background worker and of a procedure.

use pgrx::pg_sys;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::limit;
use crate::spi;

/// Whose transactions they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transactions {
    /// Of a background worker: there is none between two.
    Worker,
    /// Of a procedure called outside of a transaction block: each of ours ends with COMMIT, and another begins at once,
    /// empty and without a snapshot.
    Procedure,
}

impl Transactions {
    /// Runs `work` in a transaction of its own. An error undoes what it did, and is returned, also one of PostgreSQL. Code of
    /// owners in it has limited time, all together.
    pub fn run<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = limit::of_transaction(|| match self {
            Transactions::Worker => in_worker(work),
            Transactions::Procedure => in_procedure(work),
        });
        match result {
            // A cancellation that is ours; any other error keeps what it says.
            Err(error) if error.is_cancelled() && limit::is_exceeded() => {
                Err(Error::over_limit(limit::message()))
            }
            result => result,
        }
    }

    /// Whether the statement that works ends with this error: somebody cancelled it, or its time is over.
    pub fn are_over(self, error: &Error) -> bool {
        self == Transactions::Procedure && error.is_cancelled()
    }

    /// Tells whoever watches about an error that does not end the work: the server's log, or who called the procedure.
    pub fn note(self, error: Error, instead: &str) {
        match self {
            Transactions::Worker => error.log(),
            Transactions::Procedure => error.warn(instead),
        }
    }
}

fn in_worker<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: a worker is outside of a transaction here; what begins ends below.
    unsafe {
        pg_sys::SetCurrentStatementStartTimestamp();
        pg_sys::StartTransactionCommand();
    }
    let result = caught(|| {
        // SAFETY: popped when the work is done, or by the end of the transaction.
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot()) };
        let value = work()?;
        // SAFETY: pushed above; commits what was begun above.
        unsafe {
            pg_sys::PopActiveSnapshot();
            pg_sys::CommitTransactionCommand();
        }
        Ok(value)
    });
    if result.is_err() {
        // SAFETY: the transaction is in progress or has failed; either way it is over then.
        unsafe { pg_sys::AbortCurrentTransaction() };
    }
    result
}

/// Turns an error that PostgreSQL raised into one of ours.
fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let work = std::panic::AssertUnwindSafe(work);
    PgTryBuilder::new(move || {
        let work = work;
        (work.0)()
    })
    .catch_others(|error| match error {
        CaughtError::PostgresError(report)
        | CaughtError::ErrorReport(report)
        | CaughtError::RustPanic { ereport: report, .. } => Err(Error::caught(&report)),
    })
    .execute()
}

/// In a subtransaction, as PL/pgSQL catches errors.
fn in_procedure<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: a procedure is in a transaction; what begins ends below, where its context and its owner come back.
    let (context, owner) = unsafe {
        let before = (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner);
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(before.0);
        before
    };
    let result = caught(|| {
        // SAFETY: popped when the work is done, or by the end of the subtransaction.
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot()) };
        let value = work()?;
        // SAFETY: pushed and begun above.
        unsafe {
            pg_sys::PopActiveSnapshot();
            pg_sys::ReleaseCurrentSubTransaction();
        }
        Ok(value)
    });
    // SAFETY: the subtransaction is in progress or has failed where there was an error; the procedure is connected to SPI
    // and not atomic.
    unsafe {
        if result.is_err() {
            pg_sys::RollbackAndReleaseCurrentSubTransaction();
        }
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
        spi::commit();
    }
    result
}
