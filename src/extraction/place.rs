//! How many files are read at the same time.

use pgrx::pg_sys;

use crate::postgres::lock_tag::LockTag;
use crate::postgres::process;

/// Distinguishes these locks in a field in which PostgreSQL's functions for advisory locks write 1 or 2.
const PLACES: u16 = 0x4b52;

/// A place among those that read a file, until it is dropped or the transaction ends.
pub struct Place(LockTag);

/// Waits for one of `places`, which all databases of the server share.
pub fn take(places: u32) -> Place {
    if let Some(free) = (0..places).map(tag).find(|tag| tag.try_lock(pg_sys::ExclusiveLock)) {
        return Place(free);
    }
    // Processes that wait are spread over the places.
    let tag = tag(process::id().unsigned_abs() % places.max(1));
    tag.lock(pg_sys::ExclusiveLock);
    Place(tag)
}

impl Drop for Place {
    fn drop(&mut self) {
        // After an error the end of the transaction releases it.
        if !std::thread::panicking() {
            self.0.unlock(pg_sys::ExclusiveLock);
        }
    }
}

fn tag(number: u32) -> LockTag {
    LockTag::advisory_on_server(number, PLACES)
}
