//! Writes of our own to `document`, for which its triggers have nothing to do.

use std::cell::Cell;

use pgrx::pg_sys;

thread_local! {
    static TABLE: Cell<pg_sys::Oid> = const { Cell::new(pg_sys::InvalidOid) };
}

/// Whether the documents of this table are written by kb_rag itself, so that its triggers have nothing to do.
pub fn is_under_way(document: pg_sys::Oid) -> bool {
    TABLE.get() == document
}

/// Tells the triggers of the table, for as long as it lives; errors of PostgreSQL unwind and end it too.
pub struct OwnWrite {
    before: pg_sys::Oid,
}

impl OwnWrite {
    pub fn begin(document: pg_sys::Oid) -> OwnWrite {
        OwnWrite { before: TABLE.replace(document) }
    }
}

impl Drop for OwnWrite {
    fn drop(&mut self) {
        TABLE.set(self.before);
    }
}
