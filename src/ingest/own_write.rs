//! kb_rag's own writes to `document`, which its triggers ignore.

use std::cell::{Cell, RefCell};

use kb_rag_core::extract_protocol::ReadBy;
use pgrx::pg_sys;

use crate::postgres::trigger;

thread_local! {
    /// The table, and how many triggers were running when the write began.
    static UNDER_WAY: Cell<(pg_sys::Oid, i32)> = const { Cell::new((pg_sys::InvalidOid, 0)) };
    static FILE: RefCell<Option<Option<ReadBy>>> = const { RefCell::new(None) };
}

/// Marks, until it is dropped, that documents are written with the hash of the file that their text was read from, and what read
/// it: otherwise a change of the text removes both.
pub struct FileWrite(());

impl FileWrite {
    /// `reader` is None for a program that does not say it, as that of kb_rag 0.3.
    pub fn begin(reader: Option<&ReadBy>) -> FileWrite {
        FILE.set(Some(reader.cloned()));
        FileWrite(())
    }

    /// What reads, if documents are written like this.
    pub fn under_way() -> Option<Option<ReadBy>> {
        FILE.with_borrow(Clone::clone)
    }
}

impl Drop for FileWrite {
    fn drop(&mut self) {
        FILE.set(None);
    }
}

/// Whether kb_rag itself is writing the documents of this table, so that the trigger that is running has nothing to do. What a trigger
/// of a user writes meanwhile is no write of kb_rag.
pub fn is_under_way(document: pg_sys::Oid) -> bool {
    UNDER_WAY.get() == (document, trigger::depth() - 1)
}

/// Marks a write of kb_rag for the triggers of the table until it is dropped, as it is when an error of PostgreSQL unwinds.
pub struct OwnWrite {
    before: (pg_sys::Oid, i32),
}

impl OwnWrite {
    pub fn begin(document: pg_sys::Oid) -> OwnWrite {
        OwnWrite { before: UNDER_WAY.replace((document, trigger::depth())) }
    }
}

impl Drop for OwnWrite {
    fn drop(&mut self) {
        UNDER_WAY.set(self.before);
    }
}
