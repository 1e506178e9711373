//! Transactions of a background worker and of a procedure.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::limit;
use crate::spi;
use crate::subtransaction::caught;

/// Which process the transactions belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transactions {
    /// A background worker: no transaction is open between two of them.
    Worker,
    /// A procedure called outside of a transaction block: each of kb_rag's transactions ends with COMMIT, and another
    /// begins at once, empty and without a snapshot.
    Procedure,
}

impl Transactions {
    /// Runs `work` in a transaction of its own. An error, even one of PostgreSQL, undoes it and is returned. Owners'
    /// code in it has one time limit, all together.
    pub fn run<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = limit::of_transaction(|| match self {
            Transactions::Worker => in_worker(work),
            Transactions::Procedure => in_procedure(work),
        });
        match result {
            // kb_rag's own cancellation; any other error keeps its message.
            Err(error) if error.is_cancelled() && limit::is_exceeded() => {
                Err(Error::over_limit(limit::message()))
            }
            result => result,
        }
    }

    /// Whether this error ends the running statement: a user cancelled it, or it timed out.
    pub fn are_over(self, error: &Error) -> bool {
        self == Transactions::Procedure && error.is_cancelled()
    }

    /// Reports an error that does not end the work: to the server's log, or to the caller of the procedure.
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
        // SAFETY: the transaction is in progress or has failed; either way this ends it.
        unsafe { pg_sys::AbortCurrentTransaction() };
    }
    result
}

/// In a subtransaction, as PL/pgSQL catches errors.
fn in_procedure<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: a procedure is in a transaction; what begins here ends below, where context and owner are restored.
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
