//! Tables and indexes by their OIDs: locking them, and what PostgreSQL's cache of relations knows of them.

use std::ffi::CStr;

use pgrx::{direct_function_call, pg_sys};

use crate::postgres::lock_tag::LockTag;

/// Waits for a lock on a relation, which is kept until [`unlock`] or the end of the transaction. Locks an OID: whether it is still
/// the one that was meant is looked up afterwards. A mode is a number of PostgreSQL, such as [`pg_sys::AccessShareLock`].
pub fn lock(relation: pg_sys::Oid, mode: u32) {
    // SAFETY: locks an OID, whether there is such a relation or not.
    unsafe { pg_sys::LockRelationOid(relation, mode as pg_sys::LOCKMODE) };
}

/// The same without a wait; false if the lock is not free.
pub fn try_lock(relation: pg_sys::Oid, mode: u32) -> bool {
    // SAFETY: as above.
    unsafe { pg_sys::ConditionalLockRelationOid(relation, mode as pg_sys::LOCKMODE) }
}

/// Releases what [`lock`] or [`try_lock`] took.
pub fn unlock(relation: pg_sys::Oid, mode: u32) {
    // SAFETY: as above; PostgreSQL warns where the transaction does not hold the lock.
    unsafe { pg_sys::UnlockRelationOid(relation, mode as pg_sys::LOCKMODE) };
}

/// Whether this transaction holds a lock of this mode on a relation.
pub fn is_locked(relation: pg_sys::Oid, mode: u32) -> bool {
    LockTag::on_relation(relation).is_held(mode)
}

/// Has all sessions forget what they keep of a table: this one with its next command, others once the transaction has committed.
pub fn forget(table: pg_sys::Oid) {
    // SAFETY: only registers the message; PostgreSQL raises an error where there is no such table.
    unsafe { pg_sys::CacheInvalidateRelcacheByRelid(table) };
}

/// The indexes of a table; none for one that was dropped. The table is not locked.
pub fn indexes(table: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    // SAFETY: the description is null for a table that was dropped meanwhile; the list is a copy of OIDs, freed
    // after its last use. The relation is closed once.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(table);
        if relation.is_null() {
            return Vec::new();
        }
        let list = pg_sys::RelationGetIndexList(relation);
        pg_sys::RelationClose(relation);
        let found = match list.as_ref() {
            Some(list) => (0..list.length as usize).map(|n| (*list.elements.add(n)).oid_value).collect(),
            None => Vec::new(),
        };
        pg_sys::list_free(list);
        found
    }
}

/// A trigger on a table.
pub struct Trigger<'a> {
    pub name: &'a CStr,
    /// None where it has no argument, or more than one.
    pub argument: Option<&'a CStr>,
    pub function: pg_sys::Oid,
}

/// The triggers on a table that `pick` takes; none where the table was dropped. The table is not locked. `pick` must look nothing
/// up: that could rebuild the entry of the table in the cache, and with it the description that is being read.
pub fn triggers<T>(table: pg_sys::Oid, pick: impl Fn(&Trigger) -> Option<T>) -> Vec<T> {
    // SAFETY: null for a table that was dropped. Nothing else is looked up while the relation is open. The description lists
    // `numtriggers` triggers, which have names, and `tgnargs` arguments each. The relation is closed once.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(table);
        if relation.is_null() {
            return Vec::new();
        }
        let found = match (*relation).trigdesc.as_ref() {
            Some(description) if description.numtriggers > 0 => {
                std::slice::from_raw_parts(description.triggers, description.numtriggers as usize)
                    .iter()
                    .filter_map(|trigger| {
                        pick(&Trigger {
                            name: CStr::from_ptr(trigger.tgname),
                            argument: (trigger.tgnargs == 1).then(|| CStr::from_ptr(*trigger.tgargs)),
                            function: trigger.tgfoid,
                        })
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        pg_sys::RelationClose(relation);
        found
    }
}

/// The pages of a table; None for one that was dropped. The table is locked for the moment.
pub fn pages(table: pg_sys::Oid) -> Option<i64> {
    // SAFETY: opened and closed with the same lock; the main fork of a table always exists.
    unsafe {
        let relation = pg_sys::try_table_open(table, pg_sys::AccessShareLock as i32);
        if relation.is_null() {
            return None;
        }
        let pages = pg_sys::RelationGetNumberOfBlocksInFork(relation, pg_sys::ForkNumber::MAIN_FORKNUM);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        Some(i64::from(pages))
    }
}

/// The rows of a table that were deleted or replaced since the last VACUUM, as PostgreSQL's cumulative statistics have them: what the
/// last second did may be missing.
pub fn dead_rows(table: pg_sys::Oid) -> u64 {
    // SAFETY: called with an OID, as it is declared.
    let found = unsafe {
        direct_function_call::<i64>(pg_sys::pg_stat_get_dead_tuples, &[Some(pg_sys::Datum::from(table))])
    };
    found.unwrap_or_default().unsigned_abs()
}

/// The rows of a table that this process deleted and that [`dead_rows`] does not have yet: in the transaction in progress, and in
/// those before that are not reported. 0 without `track_counts`.
pub fn unreported_deletes(table: pg_sys::Oid) -> u64 {
    // SAFETY: as above.
    let found = unsafe {
        direct_function_call::<i64>(
            pg_sys::pg_stat_get_xact_tuples_deleted,
            &[Some(pg_sys::Datum::from(table))],
        )
    };
    found.unwrap_or_default().unsigned_abs()
}
