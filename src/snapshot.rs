//! What a transaction sees of what others did meanwhile.

use pgrx::pg_sys;

use crate::error::Result;

/// Whether the transaction keeps one snapshot: REPEATABLE READ or SERIALIZABLE.
pub fn is_kept() -> bool {
    // SAFETY: the isolation level of the transaction in progress.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}

/// Whether a table took its name after the snapshot in use was taken, by another transaction: its rows are not in the
/// snapshot then.
pub fn is_older_than(table: pg_sys::Oid) -> bool {
    // SAFETY: a syscache look-up by OID; the tuple is released after the use of its header. A statement runs, so that there
    // is an active snapshot.
    unsafe {
        if !pg_sys::ActiveSnapshotSet() {
            return false;
        }
        let tuple = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::RELOID as i32, table.into());
        if tuple.is_null() {
            return false;
        }
        let xmin = (*(*tuple).t_data).t_choice.t_heap.t_xmin;
        pg_sys::ReleaseSysCache(tuple);
        !pg_sys::TransactionIdIsCurrentTransactionId(xmin)
            && pg_sys::XidInMVCCSnapshot(xmin, pg_sys::GetActiveSnapshot())
    }
}

/// Runs `work` with a snapshot of all that is committed now.
pub fn with_latest<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: popped below; when an error of PostgreSQL unwinds past here, the end of the (sub)transaction does it.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
    let result = work();
    // SAFETY: pushed above.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}
