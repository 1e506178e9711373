//! Writing the documents of a source, as the owner of the base.

use pgrx::{Uuid, pg_sys};

use super::attachment::Attachment;
use super::embedding::{self, Vectors};
use super::options::Options;
use super::row::SourceRow;
use super::select::Select;
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::ingest::{self, Given, OwnWrite};
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Arg, Planning, Row};

/// The prefix of the temporary keys of documents that move to another key.
const MOVING: &str = "\u{1}kb_rag\u{1}";
/// Documents moved at a time.
const GROUP: usize = 500;

/// The documents of an attached table.
#[derive(Clone)]
pub struct Documents<'a> {
    base: &'a KnowledgeBase,
    source_id: Uuid,
    source_type: &'a str,
    schema: String,
    /// Whether documents have the MIME type and the language that reading the rows gives, or keep their own.
    sets_mime_type: bool,
    sets_language: bool,
    vectors: Vectors,
    options: &'a Options,
}

impl<'a> Documents<'a> {
    pub fn new(base: &'a KnowledgeBase, attachment: &'a Attachment) -> Documents<'a> {
        let select = Select::new(&attachment.table);
        Documents {
            base,
            source_id: attachment.source_id,
            source_type: &attachment.source_type,
            schema: base.quoted_schema(),
            sets_mime_type: select.as_ref().is_ok_and(Select::sets_mime_type),
            sets_language: select.is_ok_and(|select| select.sets_language()),
            vectors: attachment.table.vectors,
            options: &attachment.table.options,
        }
    }

    /// Syncs the documents of some rows; returns how many were out of sync. The triggers on `document` do the rest.
    pub fn write(&self, rows: &[SourceRow]) -> Result<u64> {
        if !matches!(self.vectors, Vectors::Taken(_)) {
            return self.write_settled(rows);
        }
        // The statement may have waited for a change of the model, whose vectors are not those of the rows.
        relation::lock(self.base.table(c"document")?, pg_sys::RowExclusiveLock);
        let base = &base::by_id(self.base.id)?.ok_or_else(|| self.base.lost("row in the catalog"))?;
        ingest::require_seen_vectors(base)?;
        let vectors = Vectors::of(self.options, true, &base.settings.space);
        Documents { base, vectors, ..self.clone() }.write_settled(rows)
    }

    fn write_settled(&self, rows: &[SourceRow]) -> Result<u64> {
        let (present, absent): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.content.is_some());
        let mut changed = 0;
        if !absent.is_empty() {
            let keys: Vec<&str> = absent.iter().map(|row| row.key.as_str()).collect();
            changed += self.execute(include_str!("delete.sql"), || vec![Arg::new(keys)])?;
        }
        let (with_vector, without): (Vec<_>, Vec<_>) = present
            .into_iter()
            .map(|row| (row, self.vector_of(row)))
            .partition(|(_, vector)| vector.is_some());
        if !without.is_empty() {
            let rows: Vec<&SourceRow> = without.into_iter().map(|(row, _)| row).collect();
            changed += self.write_texts(&rows)?;
        }
        if !with_vector.is_empty() {
            changed += self.take_over(with_vector)?;
        }
        Ok(changed)
    }

    /// The vector of a row, if it is taken over.
    pub fn vector_of(&self, row: &SourceRow) -> Option<Vec<f32>> {
        let Vectors::Taken(dimensions) = self.vectors else { return None };
        embedding::vector_of(row, dimensions)
    }

    /// Writes documents that the triggers on `document` cut and embed.
    fn write_texts(&self, rows: &[&SourceRow]) -> Result<u64> {
        let releases = matches!(self.vectors, Vectors::Taken(_) | Vectors::Released);
        let keys = || rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>();
        if releases {
            ingest::release(self.base, self.source_id, self.source_type, keys())?;
        }
        let column = |get: fn(&SourceRow) -> Option<&str>| -> Vec<Option<&str>> {
            rows.iter().map(|row| get(row)).collect()
        };
        let upsert = spi::render(include_str!("upsert.sql"), &[("key", self.base.conflict_target()?)]);
        self.execute(&upsert, || {
            vec![
                Arg::new(keys()),
                Arg::new(column(|row| row.title.as_deref())),
                Arg::new(column(|row| row.content.as_deref())),
                Arg::new(column(|row| Some(&row.metadata))),
                Arg::new(column(|row| row.mime_type.as_deref())),
                Arg::new(column(|row| row.language.as_deref())),
                Arg::new(self.sets_mime_type),
                Arg::new(self.sets_language),
                Arg::new(releases),
            ]
        })
    }

    /// Writes documents with the vectors of their rows.
    fn take_over(&self, rows: Vec<(&SourceRow, Option<Vec<f32>>)>) -> Result<u64> {
        let given = rows.into_iter().filter_map(|(row, vector)| {
            Some(Given {
                key: &row.key,
                title: row.title.as_deref(),
                content: row.content.as_deref()?,
                metadata: &row.metadata,
                mime_type: row.mime_type.as_deref(),
                language: row.language.as_deref(),
                vector: vector?,
            })
        });
        let source = ingest::Source {
            id: self.source_id,
            source_type: self.source_type,
            sets_mime_type: self.sets_mime_type,
            sets_language: self.sets_language,
        };
        ingest::take_over(self.base, &source, given.collect())
    }

    /// Locks documents by id, in key order if they have keys, as writers of rows do. Returns the documents that exist, and
    /// whether each is locked: with `wait`, all that were not deleted meanwhile.
    pub fn lock(&self, documents: Vec<Uuid>, wait: bool) -> Result<Vec<(Uuid, bool)>> {
        let sql = self.statement(include_str!("lock_ids.sql"));
        let sql = spi::render(&sql, &[("wait", if wait { "" } else { "SKIP LOCKED" })]);
        self.query(&sql, || Arg::new(documents), |row| Ok((row.require(1)?, row.require(2)?)))
    }

    /// Locks the documents of some keys; returns the keys whose documents another transaction has locked.
    pub fn lock_free(&self, keys: Vec<&str>) -> Result<Vec<String>> {
        let sql = self.statement(include_str!("busy_keys.sql"));
        self.query(&sql, || Arg::new(keys), |row| row.require(1))
    }

    fn query<T>(
        &self,
        sql: &str,
        last: impl FnOnce() -> Arg,
        read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.base.as_owner(|| {
            ingest::connect_without_seqscan(|c| {
                let args = [Arg::new(self.source_id), Arg::new(self.source_type), last()];
                c.query(sql, Access::Write, Planning::Auto, &args, read)
            })
        })
    }

    /// Deletes documents by id that still have the key they were read with; returns how many there were.
    pub fn delete(&self, documents: Vec<(Uuid, Option<String>)>) -> Result<u64> {
        let (ids, keys): (Vec<Uuid>, Vec<Option<String>>) = documents.into_iter().unzip();
        self.execute(include_str!("delete_ids.sql"), || vec![Arg::new(ids), Arg::new(keys)])
    }

    /// Deletes all documents of the source.
    pub fn delete_all(&self) -> Result<u64> {
        let sql = spi::render(include_str!("delete_all.sql"), &[("schema", &self.schema)]);
        self.base
            .as_owner(|| ingest::connect_without_seqscan(|c| c.execute(&sql, &[Arg::new(self.source_id)])))
    }

    /// Moves documents to temporary keys, for [`Self::move_in`], because rows may exchange keys; returns their ids.
    pub fn move_away(&self, moved: &[(String, String)]) -> Result<Vec<Uuid>> {
        let sql = self.statement(include_str!("move_away.sql"));
        let (old, new): (Vec<&str>, Vec<&str>) = moved.iter().map(|(o, n)| (o.as_str(), n.as_str())).unzip();
        // The chunks follow when the document has its new key.
        let _own_write = OwnWrite::begin(self.base.table(c"document")?);
        self.base.as_owner(|| {
            ingest::connect_without_seqscan(|c| {
                let args =
                    [Arg::new(self.source_id), Arg::new(self.source_type), Arg::new(old), Arg::new(new)];
                c.query(&sql, Access::Write, Planning::Auto, &args, |row| row.require(1))
            })
        })
    }

    /// Gives moved documents their new keys; they keep their chunks and vectors.
    pub fn move_in(&self, ids: &[Uuid]) -> Result<()> {
        for group in ids.chunks(GROUP) {
            self.execute(include_str!("move_replaced.sql"), || vec![Arg::new(group.to_vec())])?;
            let sql = self.statement(include_str!("move_in.sql"));
            self.base.as_owner(|| {
                ingest::connect_without_seqscan(|c| c.execute(&sql, &[Arg::new(group.to_vec())]))
            })?;
        }
        Ok(())
    }

    fn statement(&self, template: &str) -> String {
        let moving = spi::quote_literal(MOVING);
        spi::render(template, &[("schema", &self.schema), ("moving", &moving)])
    }

    /// Runs a statement whose first arguments are id and type of the source.
    fn execute(&self, template: &str, more: impl FnOnce() -> Vec<Arg>) -> Result<u64> {
        let sql = self.statement(template);
        self.base.as_owner(|| {
            ingest::connect_without_seqscan(|c| {
                let mut args = vec![Arg::new(self.source_id), Arg::new(self.source_type)];
                args.extend(more());
                c.execute(&sql, &args)
            })
        })
    }
}
