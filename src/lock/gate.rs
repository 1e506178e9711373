//! A gate for each base, which every search passes. While tables or indexes are swapped, the gate is closed for a
//! moment: running searches end and no other begins. Closing a gate never waits for a lock, so two transactions cannot
//! wait for each other.

use pgrx::{Uuid, pg_sys};

use crate::postgres::lock_tag::{LockTag, Method};
use crate::postgres::relation;

/// Distinguishes these locks on the extension, in a field that PostgreSQL leaves at 0; `queue` uses other values.
const GATES: u16 = 0x4e00;

fn tag(base: Uuid) -> LockTag {
    let bytes = base.as_bytes();
    let object = u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
    LockTag::on_extension(object, GATES, Method::Ordinary)
}

/// Waits while the gate of a base is closed. A transaction that has read the base has passed it already: `document` is
/// the first table that a search locks.
pub fn pass(base: Uuid, document: pg_sys::Oid) {
    if relation::is_locked(document, pg_sys::AccessShareLock) {
        return;
    }
    // Released at once. A standby allows this mode.
    let tag = tag(base);
    tag.lock(pg_sys::AccessShareLock);
    tag.unlock(pg_sys::AccessShareLock);
}

/// A gate that is closed until [`Gate::open`], or the end of the (sub)transaction.
pub struct Gate(LockTag);

impl Gate {
    /// Closes the gate of a base, unless another process has closed it or is about to pass. Never waits.
    pub fn try_close(base: Uuid) -> Option<Gate> {
        let tag = tag(base);
        tag.try_lock(pg_sys::AccessExclusiveLock).then_some(Gate(tag))
    }

    /// Opens it.
    pub fn open(self) {
        self.0.unlock(pg_sys::AccessExclusiveLock);
    }
}
