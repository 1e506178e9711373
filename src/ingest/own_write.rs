//! kb_rag's own writes to `document`, which its triggers ignore.

use std::cell::Cell;

use pgrx::pg_sys;

thread_local! {
    static TABLE: Cell<pg_sys::Oid> = const { Cell::new(pg_sys::InvalidOid) };
    static WRITES_FILE: Cell<bool> = const { Cell::new(false) };
}

/// Marks, until it is dropped, that documents are written with the hash of the file that their text was read from: otherwise a
/// change of the text removes the hash.
pub struct FileWrite(());

impl FileWrite {
    pub fn begin() -> FileWrite {
        WRITES_FILE.set(true);
        FileWrite(())
    }

    pub fn is_under_way() -> bool {
        WRITES_FILE.get()
    }
}

impl Drop for FileWrite {
    fn drop(&mut self) {
        WRITES_FILE.set(false);
    }
}

/// Whether kb_rag itself is writing the documents of this table, so that its triggers have nothing to do.
pub fn is_under_way(document: pg_sys::Oid) -> bool {
    TABLE.get() == document
}

/// Marks a write of kb_rag for the triggers of the table until it is dropped, as it is when an error of PostgreSQL unwinds.
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
