//! Locks that only kb_rag takes: on the extension, with a number in a field that PostgreSQL leaves at 0, so that no
//! role can block a worker with pg_advisory_lock.

use pgrx::{Uuid, pg_sys};

use crate::postgres::lock_tag::{LockTag, Method};

/// The first number of each kind of lock.
const SLOTS: u16 = 0x4b00;
const CLAIMS: u16 = 0x4c00;
const BUSY: u16 = 0x4d00;
const SHARES: u16 = 0x5000;
const PROBATION: u16 = 0x5100;
const COUNTER: u16 = 0x5200;
const FETCHES: u16 = 0x5300;
const TURNS: u16 = 0x5400;
/// How often to try a place before it counts as occupied.
const TRIES: usize = 10;

/// Waits until no other transaction claims jobs of the base; others then wait until this transaction ends.
pub fn claims_of(base: Uuid) {
    let bytes = base.as_bytes();
    let object = u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
    LockTag::on_extension(object, CLAIMS, Method::Ordinary).lock(pg_sys::ExclusiveLock);
}

/// Waits until no other transaction queues sources that are due, or begins to fetch one; others then wait until this
/// transaction ends.
pub fn lock_turns() {
    LockTag::on_extension(0, TURNS, Method::Ordinary).lock(pg_sys::ExclusiveLock);
}

/// A worker's place among those of the database, held until it is released or the process ends.
pub struct WorkerSlot {
    number: u16,
}

impl WorkerSlot {
    /// Takes the first free one of `places`.
    pub fn take(places: u16) -> Option<WorkerSlot> {
        // A process that checks whether a place is free holds it for a moment.
        (0..TRIES).find_map(|_| {
            std::thread::yield_now();
            (0..places).find(|&number| try_lock(SLOTS + number)).map(|number| WorkerSlot { number })
        })
    }

    /// Whether none of `places` is taken.
    pub fn is_none_taken(places: u16) -> bool {
        (0..places).all(|number| is_free(SLOTS + number))
    }

    /// How many of `places` are taken.
    pub fn count(places: u16) -> usize {
        (0..places).filter(|&number| !is_free(SLOTS + number)).count()
    }

    pub fn number(&self) -> u16 {
        self.number
    }

    /// Whether another worker of the database has a place before this one, and goes on when this one ends.
    pub fn is_further(&self) -> bool {
        WorkerSlot::is_further_than(self.number)
    }

    /// The same for the place of this number.
    pub fn is_further_than(number: u16) -> bool {
        (0..number).any(|number| !is_free(SLOTS + number))
    }

    /// Whether one more worker would have something to do that the running ones do not get to soon: a place is free,
    /// and none of the others is looking for work.
    pub fn is_one_more_of_use(places: u16) -> bool {
        let (free, taken): (Vec<u16>, Vec<u16>) = (0..places).partition(|&number| is_free(SLOTS + number));
        !free.is_empty() && !taken.into_iter().any(|number| is_free(BUSY + number))
    }

    /// Shows that this worker does not look for work until [`idle`](WorkerSlot::idle).
    pub fn busy(&self) {
        // Other processes lock it only for a moment, to check.
        while !try_lock(BUSY + self.number) && !is_held(BUSY + self.number) {
            std::thread::yield_now();
        }
    }

    /// Shows that this worker looks for work.
    pub fn idle(&self) {
        unlock(BUSY + self.number);
    }

    /// Whether it still has its place, which code of a table's owner can release with pg_advisory_unlock_all().
    pub fn keep(&self) -> bool {
        is_held(SLOTS + self.number) || try_lock(SLOTS + self.number)
    }

    /// Releases the place to other workers.
    pub fn give_up(self) {
        unlock(SLOTS + self.number);
    }
}

/// What a worker holds while it works for an owner whose code it may run. These locks use the method of ordinary locks,
/// which no SQL function can release. They are lost when a transaction fails, and then the work ends.
pub struct OwnerShare {
    tags: Vec<LockTag>,
}

impl OwnerShare {
    /// Takes one of the `places` that workers have for an owner. Only one worker at a time is `on_probation`: it works
    /// for a base whose owner's code exceeded its time. None if all are taken.
    pub fn take(owner: pg_sys::Oid, places: u16, on_probation: bool) -> Option<OwnerShare> {
        let mut share = OwnerShare { tags: Vec::new() };
        let probation = LockTag::on_extension(0, PROBATION, Method::Ordinary);
        if on_probation && !share.add(probation) {
            return None;
        }
        let place = |number: u16| LockTag::on_extension(owner.to_u32(), SHARES + number, Method::Ordinary);
        (0..places).any(|number| share.add(place(number))).then_some(share)
    }

    /// Takes it again after a failed transaction lost it; false if another worker has it.
    pub fn keep(&self) -> bool {
        let is_held = |tag: &LockTag| tag.is_held(pg_sys::ExclusiveLock);
        self.tags.iter().all(|tag| is_held(tag) || tag.try_lock_for_session(pg_sys::ExclusiveLock))
    }

    fn add(&mut self, tag: LockTag) -> bool {
        let free = tag.try_lock_for_session(pg_sys::ExclusiveLock);
        if free {
            self.tags.push(tag);
        }
        free
    }
}

impl Drop for OwnerShare {
    fn drop(&mut self) {
        for tag in &self.tags {
            if tag.is_held(pg_sys::ExclusiveLock) {
                tag.unlock_for_session(pg_sys::ExclusiveLock);
            }
        }
    }
}

/// A place among the workers that fetch pages, which never take all: servers may be slow, and others wait for vectors.
pub struct FetchPlace {
    number: u16,
}

impl FetchPlace {
    /// Takes one of those that `workers` have. None if all are taken.
    pub fn take(workers: u16) -> Option<FetchPlace> {
        let places = workers.saturating_sub(1).max(1);
        (0..places).find(|&number| try_lock(FETCHES + number)).map(|number| FetchPlace { number })
    }
}

impl Drop for FetchPlace {
    fn drop(&mut self) {
        unlock(FETCHES + self.number);
    }
}

/// The place of the process that counts the bases of a database.
pub struct CounterSlot(());

impl CounterSlot {
    /// None if another process has it.
    pub fn take() -> Option<CounterSlot> {
        // As in `WorkerSlot::take`.
        (0..TRIES).find_map(|_| {
            std::thread::yield_now();
            try_lock(COUNTER).then_some(CounterSlot(()))
        })
    }

    /// Whether no process has it.
    pub fn is_free() -> bool {
        is_free(COUNTER)
    }

    /// Whether it still has its place, like [`WorkerSlot::keep`].
    pub fn keep(&self) -> bool {
        is_held(COUNTER) || try_lock(COUNTER)
    }

    /// Releases the place to another process.
    pub fn give_up(self) {
        unlock(COUNTER);
    }
}

/// Checks with a shared lock, so that processes that check do not see each other.
fn is_free(number: u16) -> bool {
    let free = place(number).try_lock_for_session(pg_sys::ShareLock);
    if free {
        place(number).unlock_for_session(pg_sys::ShareLock);
    }
    free && !is_held(number)
}

/// Uses the method of advisory locks: session locks of the ordinary method are lost when a transaction fails.
fn place(number: u16) -> LockTag {
    LockTag::on_extension(0, number, Method::Advisory)
}

/// Whether this session holds it.
fn is_held(number: u16) -> bool {
    place(number).is_held(pg_sys::ExclusiveLock)
}

/// Never waits and never raises an error, so that it can be called while a transaction commits. A place that this session
/// holds already is not free.
fn try_lock(number: u16) -> bool {
    place(number).try_lock_for_session(pg_sys::ExclusiveLock)
}

/// Unlocks it if it is still held: code of a table's owner can release it.
fn unlock(number: u16) {
    if is_held(number) {
        place(number).unlock_for_session(pg_sys::ExclusiveLock);
    }
}
