//! What those who lock a base see of it.

use std::ffi::CStr;

use pgrx::{Uuid, pg_sys};

use super::{KnowledgeBase, NextTables};
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

    fn next_oids(&self) -> Vec<pg_sys::Oid> {
        self.next_tables()
            .iter()
            .flat_map(NextTables::names)
            .filter_map(|table| self.table(&table).ok())
            .collect()
    }

    fn views(&self) -> Result<Vec<pg_sys::Oid>> {
        Ok(self.exposed()?.into_iter().map(|view| view.oid).collect())
    }
}
