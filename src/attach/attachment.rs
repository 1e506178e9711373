//! An attached table: what the catalog records about it, and its present state.

use pgrx::{Uuid, pg_sys};

use super::column::{Column, Use};
use super::condition;
use super::embedding::{Type, Vectors};
use super::follow;
use super::options::Options;
use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning, Row};

/// A table whose rows become documents.
pub struct Table {
    pub oid: pg_sys::Oid,
    /// Its name, qualified and quoted.
    pub name: String,
    pub owner: pg_sys::Oid,
    pub is_partitioned: bool,
    pub is_partition: bool,
    /// The used columns that still exist.
    pub columns: Vec<Column>,
    pub options: Options,
    pub vectors: Vectors,
}

impl Table {
    /// The table as FROM names it: without rows of tables that inherit from it.
    pub fn source(&self) -> String {
        if self.is_partitioned { self.name.clone() } else { format!("ONLY {}", self.name) }
    }

    /// Whether a statement may write its rows under the name of another table: triggers then fire for each row.
    pub fn is_written_through_others(&self) -> bool {
        self.is_partitioned || self.is_partition
    }

    /// Runs `work` as the owner of the table, with settings that give values the same text in every session.
    pub fn as_owner<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        role::run_as(self.owner, || guc::with_settings(&guc::TEXT_SETTINGS, work))
    }

    /// The same with a connection.
    pub fn connect<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.as_owner(|| spi::connect(work))
    }
}

/// How far the rows that were there when the table was attached have been read.
pub struct Progress {
    pub is_read: bool,
    pub read_to: Option<Vec<String>>,
}

/// A table attached to a base.
pub struct Attachment {
    pub source_id: Uuid,
    pub source_type: String,
    pub table: Table,
    pub progress: Progress,
    /// Used columns that are no longer there.
    pub missing: Vec<(Use, String)>,
    /// Names and numbers of the used columns as the catalog should have them.
    names: Vec<String>,
    numbers: Vec<i32>,
    /// Whether the catalog has these names and numbers.
    is_current: bool,
}

impl Attachment {
    /// Reads the record of a table in the catalog, with its present columns. None if the base has no such source.
    pub fn read(base: &KnowledgeBase, source_id: Uuid, table: pg_sys::Oid) -> Result<Option<Attachment>> {
        let mut found: Option<Attachment> = None;
        catalog::connect(|c| {
            let args = [Arg::new(source_id), Arg::new(base.id), Arg::new(table)];
            let sql = follow::with_types(include_str!("read.sql"), follow::is_known());
            c.query(&sql, Access::Latest, Planning::Generic, &args, |row| {
                if found.is_none() {
                    found = Some(Attachment::without_columns(source_id, table, row)?);
                }
                found.as_mut().map_or(Ok(()), |attachment| attachment.add_column(row))
            })
        })?;
        if let Some(Attachment { table, .. }) = &mut found {
            let column = table.columns.iter().find(|column| column.used_as == Use::Embedding);
            // One with another type now is as good as dropped.
            let has_column = column.map_or(Ok(None), |column| Type::of(column.kind))?.is_some();
            table.vectors = Vectors::of(&table.options, has_column, &base.settings.space);
        }
        if let Some(attachment) = found.as_ref().filter(|attachment| !attachment.is_current) {
            attachment.refresh(base)?;
        }
        Ok(found)
    }

    fn without_columns(source_id: Uuid, table: pg_sys::Oid, row: &Row) -> Result<Attachment> {
        Ok(Attachment {
            source_id,
            source_type: row.require(2)?,
            progress: Progress { is_read: row.require(3)?, read_to: row.get(4)? },
            is_current: row.require(5)?,
            table: Table {
                oid: table,
                name: row.require(6)?,
                owner: row.require(7)?,
                is_partitioned: row.require(8)?,
                is_partition: row.require(9)?,
                columns: Vec::new(),
                options: serde_json::from_str(&row.require::<String>(18)?).map_err(|error| {
                    damaged(format!("the options of an attached table cannot be read: {error}"))
                })?,
                vectors: Vectors::default(),
            },
            missing: Vec::new(),
            names: Vec::new(),
            numbers: Vec::new(),
        })
    }

    fn add_column(&mut self, row: &Row) -> Result<()> {
        let used_as = row.require::<String>(10)?;
        let used_as = Use::from_name(&used_as)
            .ok_or_else(|| damaged(format!("a column of the attached table has the use \"{used_as}\"")))?;
        let kept: String = row.require(12)?;
        let Some(name) = row.get::<String>(13)? else {
            self.names.push(kept.clone());
            // No column has this number.
            self.numbers.push(0);
            self.missing.push((used_as, kept));
            return Ok(());
        };
        self.is_current = self.is_current && name == kept;
        let column = Column {
            used_as,
            label: row.require(11)?,
            name,
            number: row.require(14)?,
            kind: row.require(15)?,
            type_name: row.require(16)?,
            plain_type: row.require(19)?,
            is_virtual: row.require(17)?,
        };
        self.names.push(column.name.clone());
        self.numbers.push(column.number);
        self.table.columns.push(column);
        Ok(())
    }

    /// Records changed names and numbers: in a restored database the columns are found by these names.
    fn refresh(&self, base: &KnowledgeBase) -> Result<()> {
        if snapshot::is_kept() {
            // A row that another transaction refreshed meanwhile would be a serialization failure.
            return Ok(());
        }
        let refreshed = catalog::connect(|c| {
            let args = [
                Arg::new(self.source_id),
                Arg::new(self.table.name.as_str()),
                Arg::new(i64::from(self.table.oid.to_u32())),
                Arg::new(self.names.clone()),
                Arg::new(self.numbers.clone()),
            ];
            c.execute(include_str!("refresh.sql"), &args)
        })?;
        if refreshed > 0 {
            // kb_adopt finds the columns by these names.
            super::write::keep_setting(base)?;
        }
        let sql = spi::render(include_str!("refresh_source.sql"), &[("schema", &base.quoted_schema())]);
        base.connect(|c| c.execute(&sql, &[Arg::new(self.source_id), Arg::new(self.table.name.as_str())]))?;
        Ok(())
    }

    /// The reason why the rows cannot be followed: the content column, that of its MIME type, a part of the key or a column of the
    /// condition was dropped, or one of the condition has another type. The others are optional.
    pub fn fault(&self) -> Option<String> {
        let needed = [Use::Content, Use::MimeType, Use::Key, Use::Condition];
        let what = match self.missing.iter().find(|(used_as, _)| needed.contains(used_as)) {
            Some((_, name)) => (name.as_str(), "was dropped"),
            None => {
                (condition::altered(&self.table)?.name.as_str(), "has another type, and condition uses it")
            }
        };
        Some(format!("column {} of table {} {}", spi::quote_identifier(what.0), self.table.name, what.1))
    }
}

/// 55000: the row of the catalog holds values that kb_attach does not write.
pub fn damaged(message: impl Into<String>) -> Error {
    Error::not_ready(message).hint("Attach the table again with kb_attach.")
}

/// The table with the triggers of a source. None if the table or the triggers were dropped.
pub fn table_of(base: &KnowledgeBase, source_id: Uuid) -> Result<Option<pg_sys::Oid>> {
    catalog::connect(|c| {
        let args = [Arg::new(base.id.to_string()), Arg::new(source_id.to_string())];
        c.query_one(include_str!("find_table.sql"), Access::Write, &args, |row| row.require(1))
    })
}

/// Whether a source belongs to another base.
pub fn is_of_another(base: &KnowledgeBase, source_id: Uuid) -> Result<bool> {
    let found = catalog::connect(|c| {
        let args = [Arg::new(source_id), Arg::new(base.id)];
        c.query_one(include_str!("of_another.sql"), Access::Latest, &args, |row| row.require::<Uuid>(1))
    })?;
    Ok(found.is_some())
}

/// Whether a source, of whatever base, is an attached table.
pub fn is_attached(source_id: Uuid) -> Result<bool> {
    let found = catalog::connect(|c| {
        c.query_one(include_str!("is_attached.sql"), Access::Latest, &[Arg::new(source_id)], |row| {
            row.require::<bool>(1)
        })
    })?;
    Ok(found == Some(true))
}
