//! A gate for each base, which every search passes. While tables or indexes are swapped, the gate is closed for a
//! moment: running searches end and no other begins. Closing a gate never waits for a lock, so two transactions cannot
//! wait for each other.

use pgrx::{Uuid, pg_sys};

/// Distinguishes these locks on the extension, in a field that PostgreSQL leaves at 0; `queue` uses other values.
const GATES: u16 = 0x4e00;

fn tag(base: Uuid) -> pg_sys::LOCKTAG {
    let bytes = base.as_bytes();
    pg_sys::LOCKTAG {
        // SAFETY: a variable of the backend.
        locktag_field1: unsafe { pg_sys::MyDatabaseId }.to_u32(),
        locktag_field2: pg_sys::ExtensionRelationId.to_u32(),
        locktag_field3: u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]),
        locktag_field4: GATES,
        locktag_type: pg_sys::LockTagType::LOCKTAG_OBJECT as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    }
}

/// Waits while the gate of a base is closed. A transaction that has read the base has passed it already: `document` is
/// the first table that a search locks.
pub fn pass(base: Uuid, document: pg_sys::Oid) {
    if is_read(document) {
        return;
    }
    let (tag, mode) = (tag(base), pg_sys::AccessShareLock as i32);
    // SAFETY: a tag of kb_rag's own, released at once. A standby allows this mode.
    unsafe {
        pg_sys::LockAcquire(&tag, mode, false, false);
        pg_sys::LockRelease(&tag, mode, false);
    }
}

/// Whether this transaction has read a table.
fn is_read(table: pg_sys::Oid) -> bool {
    let tag = pg_sys::LOCKTAG {
        // SAFETY: a variable of the backend.
        locktag_field1: unsafe { pg_sys::MyDatabaseId }.to_u32(),
        locktag_field2: table.to_u32(),
        locktag_field3: 0,
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    };
    let mode = pg_sys::AccessShareLock as i32;
    // SAFETY: the tag of a relation of this database.
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    unsafe {
        pg_sys::LockHeldByMe(&tag, mode, false)
    }
    #[cfg(not(any(feature = "pg17", feature = "pg18")))]
    // SAFETY: as above.
    unsafe {
        pg_sys::LockHeldByMe(&tag, mode)
    }
}

/// A gate that is closed until [`Gate::open`], or the end of the (sub)transaction.
pub struct Gate(pg_sys::LOCKTAG);

impl Gate {
    /// Closes the gate of a base, unless another process has closed it or is about to pass. Never waits.
    pub fn try_close(base: Uuid) -> Option<Gate> {
        let tag = tag(base);
        // SAFETY: a tag of kb_rag's own.
        let result = unsafe { pg_sys::LockAcquire(&tag, pg_sys::AccessExclusiveLock as i32, false, true) };
        (result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL).then_some(Gate(tag))
    }

    /// Opens it.
    pub fn open(self) {
        // SAFETY: locked by `try_close`.
        unsafe { pg_sys::LockRelease(&self.0, pg_sys::AccessExclusiveLock as i32, false) };
    }
}
