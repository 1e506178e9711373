//! How many files are read at the same time.

use kb_rag_core::extract_places::Places;
use pgrx::pg_sys;

use crate::postgres::lock_tag::LockTag;
use crate::postgres::process;

/// Distinguishes these locks in a field in which PostgreSQL's functions for advisory locks write 1 or 2.
const PLACES: u16 = 0x4b52;

/// The turn of a database at the place for quick files: one of its processes waits for that. Its other turns have numbers.
const QUICK_TURN: u32 = u32::MAX;

/// A place among those that read a file, until it is dropped or the transaction ends.
pub struct Place(Vec<LockTag>);

/// Waits for one of `places`, which all databases of the server share. Always for a turn of the database first, then for the
/// place, so that of a database that reads many files no more wait for places than it may take.
pub fn take(places: Places, is_quick: bool) -> Place {
    match places.kept().filter(|_| is_quick) {
        Some(kept) => take_kept(kept).or_else(|| try_common(places)).unwrap_or_else(|| {
            let mut place = Place(Vec::new());
            place.wait(turn(QUICK_TURN));
            place.wait(tag(kept));
            place
        }),
        None => take_common(places),
    }
}

/// The place for quick files if nobody waits for it.
fn take_kept(kept: u32) -> Option<Place> {
    let mut place = Place(Vec::new());
    (place.try_one(&[turn(QUICK_TURN)]) && place.try_one(&[tag(kept)])).then_some(place)
}

/// A place for all files if one is free.
fn try_common(places: Places) -> Option<Place> {
    let mut place = Place(Vec::new());
    (place.try_one(&turns(places)) && place.try_one(&common(places))).then_some(place)
}

fn take_common(places: Places) -> Place {
    let mut place = Place(Vec::new());
    for tags in [turns(places), common(places)] {
        if !place.try_one(&tags) {
            // Processes that wait are spread.
            let at = process::id().unsigned_abs() as usize % tags.len().max(1);
            tags.into_iter().nth(at).into_iter().for_each(|tag| place.wait(tag));
        }
    }
    place
}

impl Place {
    /// Takes a lock that is free; false if none is.
    fn try_one(&mut self, tags: &[LockTag]) -> bool {
        let free = tags.iter().find(|tag| tag.try_lock(pg_sys::ExclusiveLock));
        self.0.extend(free);
        free.is_some()
    }

    fn wait(&mut self, tag: LockTag) {
        tag.lock(pg_sys::ExclusiveLock);
        self.0.push(tag);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // After an error the end of the transaction releases them.
        if !std::thread::panicking() {
            self.0.drain(..).rev().for_each(|tag| tag.unlock(pg_sys::ExclusiveLock));
        }
    }
}

fn common(places: Places) -> Vec<LockTag> {
    places.common().map(tag).collect()
}

fn turns(places: Places) -> Vec<LockTag> {
    (0..places.share()).map(turn).collect()
}

fn tag(number: u32) -> LockTag {
    LockTag::advisory_on_server(number, PLACES)
}

fn turn(number: u32) -> LockTag {
    LockTag::advisory_on_database(number, PLACES)
}
