//! The transaction in progress, and transactions of processes to which no client sends one.

use std::ffi::c_void;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::postgres::spi;
use crate::postgres::subtransaction::caught;

/// When the transaction began, as SQL's now().
pub fn began_at() -> pg_sys::TimestampTz {
    // SAFETY: a variable of the process.
    unsafe { pg_sys::GetCurrentTransactionStartTimestamp() }
}

/// When the client's statement arrived, as SQL's statement_timestamp().
pub fn statement_began_at() -> pg_sys::TimestampTz {
    // SAFETY: as above.
    unsafe { pg_sys::GetCurrentStatementStartTimestamp() }
}

/// The number of the command in progress.
pub fn command() -> pg_sys::CommandId {
    // SAFETY: as above; the number is only read.
    unsafe { pg_sys::GetCurrentCommandId(false) }
}

/// Whether a parallel query runs: PostgreSQL takes no further snapshot meanwhile.
pub fn is_parallel() -> bool {
    // SAFETY: as above.
    unsafe { pg_sys::IsInParallelMode() }
}

/// How a transaction ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Commit,
    Abort,
    /// It is committed later, perhaps by another session.
    Prepare,
}

/// Has `callback` called at the end of each transaction, for the life of the process. Where the transaction commits, it cannot
/// fail any more: neither can the callback.
pub fn on_end(callback: fn(End)) {
    // SAFETY: `ends` gets the function that it calls.
    unsafe { pg_sys::RegisterXactCallback(Some(ends), callback as *mut c_void) };
}

#[pg_guard]
unsafe extern "C-unwind" fn ends(event: pg_sys::XactEvent::Type, callback: *mut c_void) {
    let end = match event {
        pg_sys::XactEvent::XACT_EVENT_COMMIT => End::Commit,
        pg_sys::XactEvent::XACT_EVENT_ABORT => End::Abort,
        pg_sys::XactEvent::XACT_EVENT_PREPARE => End::Prepare,
        _ => return,
    };
    // SAFETY: the function that `on_end` registered.
    let callback = unsafe { std::mem::transmute::<*mut c_void, fn(End)>(callback) };
    callback(end);
}

/// Runs `work` in a transaction of a background worker, which is outside of one. An error, even one of PostgreSQL, undoes it and is
/// returned.
pub fn run_in_worker<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: a variable of the process.
    if unsafe { pg_sys::IsTransactionState() } {
        return Err(Error::internal("a worker begins a transaction within another"));
    }
    // SAFETY: outside of a transaction; what begins ends below.
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

/// Runs `work` in the transaction of a procedure, within [`spi::connect_to_commit`], and commits. An error, even one of
/// PostgreSQL, undoes the work and is returned: it runs in a subtransaction, as PL/pgSQL catches errors.
pub fn run_in_procedure<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
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
    // SAFETY: the subtransaction is in progress or has failed where there was an error.
    unsafe {
        if result.is_err() {
            pg_sys::RollbackAndReleaseCurrentSubTransaction();
        }
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
    }
    spi::commit()?;
    result
}

/// Runs `work` in a transaction of a process that ends, whatever the state of the one in progress, which is aborted. The
/// session's advisory locks are released first: a process that replaces this one may look for them at once. Commits even if `work`
/// fails. Only in a callback of [`crate::postgres::process::before_exit`].
pub fn run_before_exit<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: a variable of the process.
    if !unsafe { pg_sys::proc_exit_inprogress } {
        return Err(Error::internal("the process does not end"));
    }
    // SAFETY: as PostgreSQL's own removal of temporary tables, which runs at the same point. An error here ends the
    // process, which is ending anyway.
    unsafe {
        pg_sys::AbortOutOfAnyTransaction();
        pg_sys::LockReleaseAll(pg_sys::USER_LOCKMETHOD as _, true);
        pg_sys::StartTransactionCommand();
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
    }
    let result = work();
    // SAFETY: begun and pushed above.
    unsafe {
        pg_sys::PopActiveSnapshot();
        pg_sys::CommitTransactionCommand();
    }
    result
}

/// The databases that allow connections, in a transaction of a background worker, which is outside of one and needs no database.
pub fn databases() -> Vec<pg_sys::Oid> {
    let mut found = Vec::new();
    // SAFETY: a transaction of this process's own, which scans the shared catalog pg_database as PostgreSQL's
    // autovacuum launcher does; everything that is opened is closed.
    unsafe {
        pg_sys::StartTransactionCommand();
        let relation = pg_sys::table_open(pg_sys::DatabaseRelationId, pg_sys::AccessShareLock as i32);
        let scan = pg_sys::table_beginscan_catalog(relation, 0, std::ptr::null_mut());
        loop {
            let tuple = pg_sys::heap_getnext(scan, pg_sys::ScanDirection::ForwardScanDirection);
            if tuple.is_null() {
                break;
            }
            let database = pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_database;
            if (*database).datallowconn && !(*database).datistemplate {
                found.push((*database).oid);
            }
        }
        pg_sys::heap_endscan(scan as _);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        pg_sys::CommitTransactionCommand();
    }
    found
}
