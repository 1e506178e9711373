//! What a transaction sees of concurrent changes, and whether it may make some.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg};

/// Whether the transaction keeps one snapshot: REPEATABLE READ or SERIALIZABLE.
pub fn is_kept() -> bool {
    // SAFETY: the isolation level of the transaction in progress.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}

/// Whether the isolation level of the transaction is SERIALIZABLE.
pub fn is_serializable() -> bool {
    // SAFETY: as above.
    unsafe { pg_sys::XactIsoLevel == pg_sys::XACT_SERIALIZABLE as i32 }
}

/// Whether the transaction may write: not on a standby, and not READ ONLY.
pub fn may_write() -> bool {
    // SAFETY: variables of the process.
    unsafe { !pg_sys::XactReadOnly && !pg_sys::RecoveryInProgress() }
}

/// Whether another transaction created a table, or gave it its name, after the snapshot in use was taken: then this
/// name means something else in the snapshot.
pub fn is_older_than(table: pg_sys::Oid, name: &str) -> Result<bool> {
    if !may_be_older_than(table) {
        return Ok(false);
    }
    let seen = spi::connect(|c| {
        let args = [Arg::new(table), Arg::new(name)];
        c.query_one(include_str!("table_is_seen.sql"), Access::Read, &args, |row| row.require::<bool>(1))
    })?;
    Ok(seen == Some(false))
}

/// A cheap check, which is false for nearly all tables: those whose catalog row is older than the snapshot.
fn may_be_older_than(table: pg_sys::Oid) -> bool {
    // SAFETY: reads a variable of this process.
    if !unsafe { pg_sys::ActiveSnapshotSet() } {
        return false;
    }
    let is_older = lookup::with_row(pg_sys::SysCacheIdentifier::RELOID, table, |row| {
        // SAFETY: a row in a cache has a header, and GetActiveSnapshot an active snapshot, as seen above.
        unsafe {
            let header = row.t_data;
            let frozen = pg_sys::HEAP_XMIN_FROZEN as u16;
            let is_frozen = (*header).t_infomask & frozen == frozen;
            let xmin = (*header).t_choice.t_heap.t_xmin;
            !is_frozen
                && !pg_sys::TransactionIdIsCurrentTransactionId(xmin)
                && pg_sys::XidInMVCCSnapshot(xmin, pg_sys::GetActiveSnapshot())
        }
    });
    is_older.unwrap_or(false)
}

/// Runs `work` with a snapshot of everything committed so far. 40001 in a parallel plan, which cannot take one.
pub fn with_latest<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: reads a variable of this process.
    if unsafe { pg_sys::IsInParallelMode() } {
        return Err(Error::serialization(
            "could not serialize access due to a concurrent change of the model of a knowledge base",
        )
        .hint("Run the statement again."));
    }
    // SAFETY: popped below; when an error of PostgreSQL unwinds past here, the end of the (sub)transaction does it.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
    let result = work();
    // SAFETY: pushed above.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}
