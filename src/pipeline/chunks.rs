//! Chunks without a vector, read and written with the privileges of the base's owner.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;

use kb_rag_core::chunk::Before;
use kb_rag_core::embed_policy::Chunk;
use pgrx::{Uuid, pg_sys};

use crate::base::KnowledgeBase;
use crate::chunking;
use crate::error::Result;
use crate::ingest;
use crate::model::Model;
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::vector::Pgvector;

/// The table for the vectors of a base: `embedding`, or that of the pending model.
pub struct Table<'a> {
    pub base: &'a KnowledgeBase,
    pub schema: String,
    pub name: String,
    /// For a pending model, the table of chunks of documents that it cuts differently.
    pub next_chunks: Option<String>,
}

impl Table<'_> {
    fn render(&self, template: &str) -> String {
        let chunks = match &self.next_chunks {
            Some(next) => {
                let context = self.base.context().replace("c.", "o.");
                let values = [("next", next.as_str()), ("context", &context)];
                spi::render(include_str!("chunks_of_next.sql").trim(), &values)
            }
            None => "{schema}.chunk".to_string(),
        };
        let next = self.next_chunks.as_deref().unwrap_or_default();
        let template = spi::render(template, &[("chunks", &chunks), ("next", next)]);
        spi::render(&template, &[("schema", &self.schema), ("table", &self.name)])
    }

    /// Locks the tables against sessions that rebuild the base or replace a table, before any other lock. Never waits:
    /// false if another session has a table locked. Afterwards the base must be looked up again.
    pub fn try_lock(&self) -> Result<bool> {
        let [vectors, next] = [Some(&self.name), self.next_chunks.as_ref()]
            .map(|name| name.and_then(|name| CString::new(name.as_str()).ok()));
        let tables = [
            (Some(c"document"), pg_sys::RowExclusiveLock),
            (Some(c"chunk"), pg_sys::RowShareLock),
            (next.as_deref(), pg_sys::RowExclusiveLock),
            (vectors.as_deref(), pg_sys::RowExclusiveLock),
        ];
        for (name, mode) in tables.into_iter().filter_map(|(name, mode)| Some((name?, mode))) {
            let table = self.base.table(name)?;
            if !relation::try_lock(table, mode) || self.base.table(name)? != table {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// At most `max` chunks of some documents without a vector, except those of `skip`.
    pub fn missing(
        &self,
        c: &Connection,
        model: &Model,
        documents: &[Uuid],
        skip: &HashSet<Uuid>,
        max: usize,
    ) -> Result<Vec<Chunk<Uuid>>> {
        let args = [
            Arg::new(documents.to_vec()),
            Arg::new(skip.iter().copied().collect::<Vec<_>>()),
            Arg::new(max as i64),
        ];
        let template = match self.next_chunks {
            Some(_) => include_str!("missing_next.sql").to_string(),
            None => spi::render(include_str!("missing.sql"), &[("context", self.base.context())]),
        };
        c.query(&self.render(&template), Access::Write, Planning::Custom, &args, |row| {
            let [title, heading, context] = [row.get::<String>(3)?, row.get(4)?, row.get(5)?];
            let before = Before { heading: heading.as_deref(), context: context.as_deref() };
            let content = row.require::<String>(6)?;
            let text = chunking::embedded_text(model, title.as_deref(), before, &content);
            Ok(Chunk { id: row.require(1)?, document: row.require(2)?, text })
        })
    }

    /// Writes vectors of those chunks that still exist, without waiting for a chunk that is being deleted. The text of
    /// a chunk never changes: a changed text is a new chunk. Returns the chunks that had no vector and have one now.
    pub fn write(&self, c: &Connection, chunks: Vec<Uuid>, vectors: &[Vec<f32>]) -> Result<HashSet<Uuid>> {
        let args = [Arg::new(chunks), Pgvector::find()?.array_arg(vectors)?];
        let sql = self.render(match self.next_chunks {
            Some(_) => include_str!("write_next_vectors.sql"),
            None => include_str!("write_vectors.sql"),
        });
        let written = c.query(&sql, Access::Write, Planning::Custom, &args, |row| row.require(1))?;
        Ok(written.into_iter().collect())
    }

    /// How many chunks of some documents have no vector; documents without such chunks are left out.
    pub fn count_missing(&self, c: &Connection, documents: &[Uuid]) -> Result<HashMap<Uuid, i64>> {
        let args = [Arg::new(documents.to_vec())];
        let counts = c.query(
            &self.render(include_str!("count_missing.sql")),
            Access::Write,
            Planning::Custom,
            &args,
            |row| Ok((row.require(1)?, row.require(2)?)),
        )?;
        Ok(counts.into_iter().collect())
    }

    /// Those of some documents that are for one of some agents, with that agent.
    pub fn agents_of(
        &self,
        c: &Connection,
        documents: &[Uuid],
        agents: &[Uuid],
    ) -> Result<HashMap<Uuid, Uuid>> {
        let args = [Arg::new(documents.to_vec()), Arg::new(agents.to_vec())];
        let sql = self.render(include_str!("agents_of.sql"));
        let found = c.query(&sql, Access::Write, Planning::Custom, &args, |row| {
            Ok((row.require(1)?, row.require(2)?))
        })?;
        Ok(found.into_iter().collect())
    }

    /// Those of some documents with a chunk without a vector.
    pub fn incomplete(&self, c: &Connection, documents: &[Uuid]) -> Result<HashSet<Uuid>> {
        let sql = self.render(include_str!("incomplete.sql"));
        let args = [Arg::new(documents.to_vec())];
        let found = c.query(&sql, Access::Write, Planning::Custom, &args, |row| row.require(1))?;
        Ok(found.into_iter().collect())
    }

    /// Those of some documents that exist, and whether they could be locked. Never waits.
    pub fn lock_documents(&self, c: &Connection, documents: &[Uuid]) -> Result<Vec<(Uuid, bool)>> {
        let args = || [Arg::new(documents.to_vec())];
        let ids = |sql: &str| {
            c.query(&self.render(sql), Access::Write, Planning::Custom, &args(), |row| row.require::<Uuid>(1))
        };
        let locked: HashSet<Uuid> = ids(include_str!("lock_free_documents.sql"))?.into_iter().collect();
        let there = ids(include_str!("documents_there.sql"))?;
        Ok(there.into_iter().map(|id| (id, locked.contains(&id))).collect())
    }

    /// Cuts documents for the pending model, those that could be locked; returns the others.
    pub fn cut(&self, c: &Connection, documents: &[Uuid]) -> Result<HashSet<Uuid>> {
        let (locked, busy): (Vec<_>, Vec<_>) =
            self.lock_documents(c, documents)?.into_iter().partition(|(_, is_locked)| *is_locked);
        let locked: Vec<Uuid> = locked.into_iter().map(|(id, _)| id).collect();
        ingest::cut_next(c, self.base, &self.schema, &locked)?;
        Ok(busy.into_iter().map(|(id, _)| id).collect())
    }

    /// Sets the status of documents, which must be locked.
    pub fn set_status(
        &self,
        c: &Connection,
        documents: &[Uuid],
        status: &str,
        error: Option<&str>,
    ) -> Result<()> {
        ingest::set_status(c, self.base, &self.schema, documents, status, error)
    }
}
