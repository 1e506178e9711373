//! Locks on tags of an extension's own, in fields that PostgreSQL leaves at 0 or gives other values: nobody else takes them.

use pgrx::pg_sys;

use crate::postgres::process;

/// How PostgreSQL's lock manager treats a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// As a lock of an object. No SQL function can release it. One that a session holds is lost when a transaction fails.
    Ordinary,
    /// As an advisory lock. One that a session holds outlives failed transactions, but pg_advisory_unlock_all() releases it.
    Advisory,
}

/// What is locked. A mode is a number of PostgreSQL, such as [`pg_sys::ExclusiveLock`].
#[derive(Clone, Copy)]
pub struct LockTag(pg_sys::LOCKTAG);

impl LockTag {
    /// A tag in the current database: the object `object` of those that are extensions, with a number that PostgreSQL leaves at
    /// 0 there.
    pub fn on_extension(object: u32, number: u16, method: Method) -> LockTag {
        let method = match method {
            Method::Ordinary => pg_sys::DEFAULT_LOCKMETHOD,
            Method::Advisory => pg_sys::USER_LOCKMETHOD,
        };
        LockTag(pg_sys::LOCKTAG {
            locktag_field1: process::database().to_u32(),
            locktag_field2: pg_sys::ExtensionRelationId.to_u32(),
            locktag_field3: object,
            locktag_field4: number,
            locktag_type: pg_sys::LockTagType::LOCKTAG_OBJECT as u8,
            locktag_lockmethodid: method as u8,
        })
    }

    /// An advisory lock of no database: functions for advisory locks name those of their own database only, and their kind is 1
    /// or 2. A standby allows it.
    pub fn advisory_on_server(number: u32, kind: u16) -> LockTag {
        Self::advisory(0, number, kind)
    }

    /// The same of the current database.
    pub fn advisory_on_database(number: u32, kind: u16) -> LockTag {
        Self::advisory(process::database().to_u32(), number, kind)
    }

    fn advisory(database: u32, number: u32, kind: u16) -> LockTag {
        LockTag(pg_sys::LOCKTAG {
            locktag_field1: database,
            locktag_field2: pg_sys::ExtensionRelationId.to_u32(),
            locktag_field3: number,
            locktag_field4: kind,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        })
    }

    /// A relation of the current database.
    pub fn on_relation(relation: pg_sys::Oid) -> LockTag {
        LockTag(pg_sys::LOCKTAG {
            locktag_field1: process::database().to_u32(),
            locktag_field2: relation.to_u32(),
            locktag_field3: 0,
            locktag_field4: 0,
            locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
            locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
        })
    }

    /// Waits for the lock, which is kept until [`Self::unlock`] or the end of the transaction. The wait can be canceled.
    pub fn lock(&self, mode: u32) {
        // SAFETY: a complete tag; PostgreSQL raises an error for an unknown mode.
        unsafe { pg_sys::LockAcquire(&self.0, mode as i32, false, false) };
    }

    /// The same without a wait; false if the lock is not free.
    pub fn try_lock(&self, mode: u32) -> bool {
        // SAFETY: as above.
        let result = unsafe { pg_sys::LockAcquire(&self.0, mode as i32, false, true) };
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }

    /// Releases what [`Self::lock`] or [`Self::try_lock`] took. PostgreSQL warns where the transaction does not hold it.
    pub fn unlock(&self, mode: u32) {
        // SAFETY: as above.
        unsafe { pg_sys::LockRelease(&self.0, mode as i32, false) };
    }

    /// Releases what an earlier statement of the transaction, or of the part since its last savepoint, took by [`Self::lock`].
    pub fn unlock_of_transaction(&self, mode: u32) {
        // SAFETY: the locks of a statement that has ended belong to the resource owner of the transaction, which lives as long as that;
        // nothing here raises an error before the other one is back.
        unsafe {
            let owner = pg_sys::CurrentResourceOwner;
            pg_sys::CurrentResourceOwner = pg_sys::CurTransactionResourceOwner;
            pg_sys::LockRelease(&self.0, mode as i32, false);
            pg_sys::CurrentResourceOwner = owner;
        }
    }

    /// Takes the lock for the session, which keeps it beyond the transaction; false if it is not free, or if the session holds it
    /// already. Never waits and never raises an error, so that it can be called while a transaction commits.
    pub fn try_lock_for_session(&self, mode: u32) -> bool {
        let none = std::ptr::null_mut();
        // SAFETY: as above; locked for the session, which needs no resource owner.
        #[cfg(feature = "pg18")]
        let result =
            unsafe { pg_sys::LockAcquireExtended(&self.0, mode as i32, true, true, false, none, false) };
        #[cfg(not(feature = "pg18"))]
        // SAFETY: as above.
        let result = unsafe { pg_sys::LockAcquireExtended(&self.0, mode as i32, true, true, false, none) };
        if result == pg_sys::LockAcquireResult::LOCKACQUIRE_ALREADY_HELD {
            self.unlock_for_session(mode);
        }
        result == pg_sys::LockAcquireResult::LOCKACQUIRE_OK
    }

    /// Releases what [`Self::try_lock_for_session`] took. PostgreSQL warns where the session does not hold it.
    pub fn unlock_for_session(&self, mode: u32) {
        // SAFETY: as above.
        unsafe { pg_sys::LockRelease(&self.0, mode as i32, true) };
    }

    /// Whether this process holds the lock in this mode, for the transaction or the session.
    pub fn is_held(&self, mode: u32) -> bool {
        // SAFETY: as above.
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        unsafe {
            pg_sys::LockHeldByMe(&self.0, mode as i32, false)
        }
        #[cfg(not(any(feature = "pg17", feature = "pg18")))]
        // SAFETY: as above.
        unsafe {
            pg_sys::LockHeldByMe(&self.0, mode as i32)
        }
    }
}
