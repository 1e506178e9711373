//! Locks with a short wait: a statement that shows many bases is not delayed by any of them.

use std::ffi::CStr;
use std::time::{Duration, Instant};

use pgrx::pg_sys;

use super::Lockable;
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::interrupt;
use crate::postgres::lookup;
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::test_point::test_time;

/// How long to wait for all locks together, unless lock_timeout is shorter.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// How often a lock is tried again meanwhile.
const TRY_AGAIN: Duration = Duration::from_millis(5);

/// Which relations of a base are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What a search reads.
    Searched,
    /// Every table of its schema, with all that counts for its size.
    Whole,
}

/// The tables that a search reads, `document` first as everywhere.
const SEARCHED: [&CStr; 5] = [c"document", c"chunk", c"embedding", c"keyword_segment", c"keyword_run"];

/// How long to wait for locks.
pub struct ShortWait {
    deadline: Instant,
}

impl ShortWait {
    /// From now on, for a second or the caller's lock_timeout.
    pub fn begin() -> ShortWait {
        let max = test_time("short_wait", MAX_WAIT);
        ShortWait { deadline: Instant::now() + guc::lock_timeout().map_or(max, |own| own.min(max)) }
    }

    /// No wait at all.
    pub fn none() -> ShortWait {
        ShortWait { deadline: Instant::now() }
    }

    /// Locks what a search reads of a base against changes until the transaction ends. False, with nothing locked, if another
    /// transaction keeps a lock on one of these tables, on an index, or on another table of the extent for longer. Indexes
    /// and other tables do not stay locked, because the server's lock table is limited: if an index rebuild begins just then,
    /// it is waited for. The caller checks whether the tables are still the base's.
    pub fn lock(&self, base: &impl Lockable, extent: Extent) -> Result<bool> {
        let kept: Vec<pg_sys::Oid> = SEARCHED.iter().filter_map(|name| base.table(name).ok()).collect();
        let others = match extent {
            Extent::Searched => Vec::new(),
            Extent::Whole => all_tables(base)?,
        };
        let mut locked = Vec::with_capacity(kept.len());
        let is_free = kept.iter().all(|&table| {
            let is_locked = self.take(table);
            if is_locked {
                locked.push(table);
            }
            is_locked && self.finds_free(relation::indexes(table))
        }) && others.into_iter().all(|table| {
            let toast = toast_of(table);
            self.finds_free([table])
                && (kept.contains(&table) || self.finds_free(relation::indexes(table)))
                && self.finds_free(toast)
                && toast.is_none_or(|toast| self.finds_free(relation::indexes(toast)))
        });
        if !is_free {
            locked.into_iter().for_each(release);
        }
        Ok(is_free)
    }

    /// Whether no lock on any of these relations prevents reading it.
    fn finds_free(&self, relations: impl IntoIterator<Item = pg_sys::Oid>) -> bool {
        relations.into_iter().all(|relation| {
            let is_free = self.take(relation);
            if is_free {
                release(relation);
            }
            is_free
        })
    }

    fn take(&self, relation: pg_sys::Oid) -> bool {
        loop {
            if relation::try_lock(relation, pg_sys::AccessShareLock) {
                return true;
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            interrupt::sleep(left.min(TRY_AGAIN));
        }
    }
}

/// Releases a lock that was taken once more than before.
fn release(relation: pg_sys::Oid) {
    relation::unlock(relation, pg_sys::AccessShareLock);
}

/// The tables in the schema of a base.
fn all_tables(base: &impl Lockable) -> Result<Vec<pg_sys::Oid>> {
    let namespace = base.namespace().unwrap_or(pg_sys::InvalidOid);
    spi::connect(|c| {
        let args = [Arg::new(namespace)];
        c.query(include_str!("all_tables.sql"), Access::Read, Planning::Generic, &args, |row| row.require(1))
    })
}

/// The TOAST table of a table.
fn toast_of(table: pg_sys::Oid) -> Option<pg_sys::Oid> {
    lookup::with_relation(table, |row| row.reltoastrelid).and_then(lookup::existing)
}
