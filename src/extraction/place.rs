//! How many files are read at the same time.

use pgrx::pg_sys;

/// Distinguishes these locks in a field in which PostgreSQL's functions for advisory locks write 1 or 2.
const PLACES: u16 = 0x4b52;

/// A place among those that read a file, until it is dropped or the transaction ends.
pub struct Place(pg_sys::LOCKTAG);

/// Waits for one of `places`, which all databases of the server share.
pub fn take(places: u32) -> Place {
    if let Some(free) = (0..places).map(tag).find(|tag| lock(tag, true)) {
        return Place(free);
    }
    // Processes that wait are spread over the places.
    // SAFETY: a variable of the process.
    let mine = unsafe { pg_sys::MyProcPid }.unsigned_abs() % places.max(1);
    let tag = tag(mine);
    lock(&tag, false);
    Place(tag)
}

impl Drop for Place {
    fn drop(&mut self) {
        // After an error the end of the transaction releases it.
        if !std::thread::panicking() {
            // SAFETY: locked by `take`.
            unsafe { pg_sys::LockRelease(&self.0, pg_sys::ExclusiveLock as i32, false) };
        }
    }
}

/// An advisory lock of no database: functions for advisory locks name those of their own database only. A standby allows it.
fn tag(number: u32) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        locktag_field1: 0,
        locktag_field2: pg_sys::ExtensionRelationId.to_u32(),
        locktag_field3: number,
        locktag_field4: PLACES,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    }
}

/// Whether it is locked now, which a process that does not wait may fail to do.
fn lock(tag: &pg_sys::LOCKTAG, at_once: bool) -> bool {
    // SAFETY: a tag of kb_rag's own. The wait for it can be cancelled.
    let result = unsafe { pg_sys::LockAcquire(tag, pg_sys::ExclusiveLock as i32, false, at_once) };
    result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
}
