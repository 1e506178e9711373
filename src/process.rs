//! This process of the server.

use pgrx::pg_sys;

/// Its number.
pub fn id() -> i32 {
    // SAFETY: a variable of the process.
    unsafe { pg_sys::MyProcPid }
}

/// The database it is connected to; InvalidOid where there is none.
pub fn database() -> pg_sys::Oid {
    // SAFETY: as above.
    unsafe { pg_sys::MyDatabaseId }
}
