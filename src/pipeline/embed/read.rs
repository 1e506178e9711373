//! Reading chunks without a vector, and looking up the provider again.

use kb_rag_core::embed_policy::{Policy, Read, Reopen};
use pgrx::Uuid;

use super::super::chunks::Table;
use super::{Task, open};
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::spi::Connection;
use crate::queue;

impl Task {
    /// Reads at most so many chunks first.
    pub(super) fn begin(&self, base: &KnowledgeBase, max: usize) -> Result<Policy<Uuid>> {
        let claims = self.claims();
        let documents: Vec<Uuid> = claims.iter().map(|claim| claim.document).collect();
        self.as_owner(base, |c, table| {
            let missing = table.count_missing(c, &documents)?;
            let mut policy = Policy::new(&claims, &missing, self.model.limits());
            self.read_chunks(c, table, &mut policy.first_read(), max)?;
            Ok(policy)
        })
    }

    /// Reads more chunks. If a table is locked, the jobs are given back.
    pub(super) fn read(&self, mut read: Read<Uuid>) -> Result<()> {
        let Some(base) = self.current()? else {
            read.unwanted();
            return Ok(());
        };
        let is_locked = self.as_owner(&base, |c, table| {
            if !table.try_lock()? {
                return Ok(true);
            }
            self.read_chunks(c, table, &mut read, self.max).map(|()| false)
        })?;
        // Documents that are locked now are read when the jobs are claimed again.
        if is_locked { self.settle(&read.locked()) } else { Ok(()) }
    }

    fn read_chunks(&self, c: &Connection, table: &Table, read: &mut Read<Uuid>, max: usize) -> Result<()> {
        loop {
            let chunks = table.missing(c, &self.model, read.documents(), read.skip(), max)?;
            if !read.found(chunks) {
                return Ok(());
            }
        }
    }

    /// Looks up the provider again: its key or URL may have changed, or the base's owner may have lost the grant. Renews
    /// the lease of the jobs.
    pub(super) fn reopen(&mut self, reopen: Reopen<Uuid>) -> Result<()> {
        if self.space.model.is_remote()
            && let Some(base) = base::by_id(self.base)?
        {
            match open(&base, &self.space.model) {
                Ok(model) => self.model = model,
                Err(error) => {
                    reopen.failed(error.to_string());
                    return Ok(());
                }
            }
        }
        queue::renew(&self.job_ids(|_| true), &[])?;
        reopen.reopened(self.model.limits());
        Ok(())
    }
}
