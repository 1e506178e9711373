//! Changing documents that exist, with the caller's privileges, without running malicious code of the owner as the caller.

use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::privilege;

impl KnowledgeBase {
    /// Whether the caller may delete documents.
    pub(in crate::base) fn may_delete(&self) -> bool {
        self.table(c"document").is_ok_and(privilege::may_delete)
    }

    /// 42501 unless the caller may delete documents.
    pub fn require_delete(&self) -> Result<()> {
        if self.may_delete() { Ok(()) } else { Err(self.denied_to_write()) }
    }

    /// 42501 unless the caller may change documents.
    pub fn require_update(&self) -> Result<()> {
        match self.table(c"document").is_ok_and(privilege::may_update) {
            true => Ok(()),
            false => Err(self.denied_to_write()),
        }
    }

    /// 42501 for a caller who lacks a privilege on `document`.
    pub fn denied_to_write(&self) -> Error {
        Error::denied(format!("permission denied to write to knowledge base \"{}\"", self.name))
            .hint("An administrator of the knowledge base can grant this privilege with kb_grant.")
    }

    /// Runs `work`, which deletes or locks documents. It runs as kb_add does: as the owner, whose triggers then have no more
    /// privileges than before, unless row security decides which documents the caller may change.
    pub fn write_documents<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.is_row_secured()? { guc::with_settings(&[], work) } else { self.as_owner(work) }
    }
}
