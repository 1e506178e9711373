//! What those who lock a base see of it.

use std::ffi::{CStr, CString};

use pgrx::{Uuid, pg_sys};

use super::KnowledgeBase;
use crate::error::Result;
use crate::lock::Lockable;

impl Lockable for KnowledgeBase {
    fn id(&self) -> Uuid {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn namespace(&self) -> Option<pg_sys::Oid> {
        self.namespace
    }

    fn table(&self, name: &CStr) -> Result<pg_sys::Oid> {
        KnowledgeBase::table(self, name)
    }

    fn next_oid(&self) -> Result<Option<pg_sys::Oid>> {
        let Some(table) = self.next_table() else { return Ok(None) };
        let name = CString::new(table).unwrap_or_default();
        Ok(self.table(&name).ok())
    }

    fn views(&self) -> Result<Vec<pg_sys::Oid>> {
        Ok(self.exposed()?.into_iter().map(|view| view.oid).collect())
    }
}
