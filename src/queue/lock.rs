//! Locks that only kb_rag takes: on the extension, with a number in a field that PostgreSQL leaves at 0, so that no
//! role can block a worker with pg_advisory_lock.

use pgrx::{Uuid, pg_sys};

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

fn tag(object: u32, number: u16, method: u32) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: a variable of the backend.
        locktag_field1: unsafe { pg_sys::MyDatabaseId }.to_u32(),
        locktag_field2: pg_sys::ExtensionRelationId.to_u32(),
        locktag_field3: object,
        locktag_field4: number,
        locktag_type: pg_sys::LockTagType::LOCKTAG_OBJECT as u8,
        locktag_lockmethodid: method as u8,
    }
}

/// Waits until no other transaction claims jobs of the base; others then wait until this transaction ends.
pub fn claims_of(base: Uuid) {
    let bytes = base.as_bytes();
    let object = u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
    wait_for(&tag(object, CLAIMS, pg_sys::DEFAULT_LOCKMETHOD));
}

/// Waits until no other transaction queues sources that are due, or begins to fetch one; others then wait until this
/// transaction ends.
pub fn lock_turns() {
    wait_for(&tag(0, TURNS, pg_sys::DEFAULT_LOCKMETHOD));
}

fn wait_for(tag: &pg_sys::LOCKTAG) {
    // SAFETY: a tag of kb_rag's own; released at the end of the transaction.
    unsafe { pg_sys::LockAcquire(tag, pg_sys::ExclusiveLock as i32, false, false) };
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
    tags: Vec<pg_sys::LOCKTAG>,
}

impl OwnerShare {
    /// Takes one of the `places` that workers have for an owner. Only one worker at a time is `on_probation`: it works
    /// for a base whose owner's code exceeded its time. None if all are taken.
    pub fn take(owner: pg_sys::Oid, places: u16, on_probation: bool) -> Option<OwnerShare> {
        let mut share = OwnerShare { tags: Vec::new() };
        let probation = tag(0, PROBATION, pg_sys::DEFAULT_LOCKMETHOD);
        if on_probation && !share.add(probation) {
            return None;
        }
        let place = |number: u16| tag(owner.to_u32(), SHARES + number, pg_sys::DEFAULT_LOCKMETHOD);
        (0..places).any(|number| share.add(place(number))).then_some(share)
    }

    /// Takes it again after a failed transaction lost it; false if another worker has it.
    pub fn keep(&self) -> bool {
        self.tags.iter().all(|tag| is_held_tag(tag) || try_lock_tag(tag, pg_sys::ExclusiveLock))
    }

    fn add(&mut self, tag: pg_sys::LOCKTAG) -> bool {
        let free = try_lock_tag(&tag, pg_sys::ExclusiveLock);
        if free {
            self.tags.push(tag);
        }
        free
    }
}

impl Drop for OwnerShare {
    fn drop(&mut self) {
        for tag in &self.tags {
            if is_held_tag(tag) {
                // SAFETY: locked by `add` in this session.
                unsafe { pg_sys::LockRelease(tag, pg_sys::ExclusiveLock as i32, true) };
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
    let free = try_lock_as(number, pg_sys::ShareLock);
    if free {
        unlock_as(number, pg_sys::ShareLock);
    }
    free && !is_held(number)
}

/// Uses the method of advisory locks: session locks of the ordinary method are lost when a transaction fails.
fn place(number: u16) -> pg_sys::LOCKTAG {
    tag(0, number, pg_sys::USER_LOCKMETHOD)
}

/// Whether this session holds it.
fn is_held(number: u16) -> bool {
    is_held_tag(&place(number))
}

fn is_held_tag(tag: &pg_sys::LOCKTAG) -> bool {
    let mode = pg_sys::ExclusiveLock as i32;
    // SAFETY: a tag of kb_rag's own.
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    unsafe {
        pg_sys::LockHeldByMe(tag, mode, false)
    }
    #[cfg(not(any(feature = "pg17", feature = "pg18")))]
    // SAFETY: as above.
    unsafe {
        pg_sys::LockHeldByMe(tag, mode)
    }
}

/// Never waits and never raises an error, so that it can be called while a transaction commits.
fn try_lock(number: u16) -> bool {
    try_lock_as(number, pg_sys::ExclusiveLock)
}

fn try_lock_as(number: u16, mode: u32) -> bool {
    try_lock_tag(&place(number), mode)
}

fn try_lock_tag(tag: &pg_sys::LOCKTAG, mode: u32) -> bool {
    let mode = mode as i32;
    let none = std::ptr::null_mut();
    // SAFETY: a tag of kb_rag's own, locked for the session, which needs no resource owner.
    #[cfg(feature = "pg18")]
    let result = unsafe { pg_sys::LockAcquireExtended(tag, mode, true, true, false, none, false) };
    #[cfg(not(feature = "pg18"))]
    // SAFETY: as above.
    let result = unsafe { pg_sys::LockAcquireExtended(tag, mode, true, true, false, none) };
    // A place that this session holds already is not free.
    if result == pg_sys::LockAcquireResult::LOCKACQUIRE_ALREADY_HELD {
        // SAFETY: locked just now.
        unsafe { pg_sys::LockRelease(tag, mode, true) };
    }
    result == pg_sys::LockAcquireResult::LOCKACQUIRE_OK
}

/// Unlocks it if it is still held: code of a table's owner can release it.
fn unlock(number: u16) {
    if is_held(number) {
        unlock_as(number, pg_sys::ExclusiveLock);
    }
}

fn unlock_as(number: u16, mode: u32) {
    // SAFETY: locked by `try_lock_as` in this session.
    unsafe { pg_sys::LockRelease(&place(number), mode as i32, true) };
}
