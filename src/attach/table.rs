//! What kb_attach requires of a table and its columns.

use pgrx::pg_sys;

use super::column::Use;
use super::options::{self, Given};
use super::write::Request;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::citus;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::trigger::qualified_name;

/// So many rows are counted: that takes some ten milliseconds.
const MAX_COUNTED: i64 = 100_000;

/// A relation as PostgreSQL's catalogs describe it.
pub struct Candidate {
    pub oid: pg_sys::Oid,
    kind: String,
    is_temporary: bool,
    pub name: String,
    pub owner: pg_sys::Oid,
    is_partition: bool,
    is_system: bool,
    is_of_base: bool,
    inherits: bool,
    /// The numbers of the columns of the primary key, in its order.
    primary_key: Option<Vec<i32>>,
    /// The number of rows, from PostgreSQL's statistics.
    rows: i64,
    columns: Vec<Known>,
}

/// A column that a table has.
pub struct Known {
    pub name: String,
    number: i32,
    type_name: String,
    pub kind: pg_sys::Oid,
    /// The modifier of its type; below 0 without one.
    pub modifier: i32,
}

impl Candidate {
    /// Checks a table. 42501 unless the caller has the privileges of its owner.
    pub fn look(oid: pg_sys::Oid) -> Result<Candidate> {
        let candidate = Candidate::find(oid)?;
        candidate.check()?;
        Ok(candidate)
    }

    fn find(oid: pg_sys::Oid) -> Result<Candidate> {
        let found = catalog::connect(|c| {
            let args = || [Arg::new(oid)];
            let found = c.query_one(include_str!("look.sql"), Access::Latest, &args(), |row| {
                Ok(Candidate {
                    oid,
                    kind: row.require(1)?,
                    is_temporary: row.require::<String>(2)? == "t",
                    name: row.require(3)?,
                    owner: row.require(4)?,
                    is_partition: row.require(5)?,
                    is_system: row.require(6)?,
                    is_of_base: row.require(7)?,
                    inherits: row.require(8)?,
                    primary_key: row.get(9)?,
                    rows: row.require(10)?,
                    columns: Vec::new(),
                })
            })?;
            let Some(mut found) = found else { return Ok(None) };
            let columns = include_str!("columns.sql");
            found.columns = c.query(columns, Access::Latest, Planning::Generic, &args(), |row| {
                Ok(Known {
                    name: row.require(1)?,
                    number: row.require(2)?,
                    type_name: row.require(3)?,
                    kind: row.require(4)?,
                    modifier: row.require(5)?,
                })
            })?;
            Ok(Some(found))
        })?;
        found.ok_or_else(|| Error::not_found(format!("table {} does not exist", qualified_name(oid))))
    }

    fn check(&self) -> Result<()> {
        let name = &self.name;
        let kind = match self.kind.as_str() {
            "r" | "p" if self.is_temporary => Some("a temporary table"),
            "r" | "p" if self.is_of_base => Some("a table of a knowledge base"),
            _ if self.is_system => Some("a system table"),
            "r" | "p" => None,
            "v" => Some("a view"),
            "m" => Some("a materialized view"),
            "f" => Some("a foreign table"),
            _ => Some("not a table"),
        };
        if let Some(kind) = kind {
            return Err(Error::invalid(format!("{name} is {kind}"))
                .hint("Attach an ordinary or partitioned table: kb_rag follows changes with triggers."));
        }
        if !role::has_privileges_of(self.owner) {
            return Err(Error::denied(format!("must be owner of table {name}"))
                .hint("Only the owner of a table may publish its rows in a knowledge base."));
        }
        if citus::is_distributed(self.oid) {
            return Err(Error::unsupported(format!(
                "table {name} is distributed or managed by Citus and cannot be attached"
            ))
            .hint(format!(
                "kb_rag follows changes with triggers. Attach an ordinary table, or make it one with SELECT undistribute_table({}).",
                spi::quote_literal(name)
            )));
        }
        if self.inherits {
            return Err(Error::invalid(format!(
                "table {name} inherits from another table, or has child tables"
            ))
            .hint("Rows written through the other table would be missed; use a partitioned table."));
        }
        Ok(())
    }

    /// The columns to use, those of the condition given by number. 42703 for one that does not exist, 55000 if there is no primary key.
    pub fn columns(&self, request: &Request, of_condition: &[i32]) -> Result<Vec<UsedColumn>> {
        let key = self.primary_key.as_ref().ok_or_else(|| {
            Error::not_ready(format!("table {} has no primary key", self.name))
                .hint(format!("Add one with ALTER TABLE {} ADD PRIMARY KEY (…).", self.name))
        })?;
        let mut used = vec![UsedColumn::new(Use::Content, self.column(request.content)?)];
        if let Some(title) = request.title {
            used.push(UsedColumn::new(Use::Title, self.column(title)?));
        }
        for number in key {
            used.push(UsedColumn::new(Use::Key, self.numbered(*number)?));
        }
        if request.metadata.iter().any(|name| name == KEY) {
            return Err(Error::invalid(format!("metadata must not have a column \"{KEY}\""))
                .hint("This name is reserved for the primary key; rename the column."));
        }
        let of_url = request.url.map_or_else(|| Ok(Vec::new()), options::columns_of_url)?;
        let named = |value: Option<&str>| -> Vec<String> {
            value.and_then(|v| Given::from_value(v).column()).map(str::to_string).into_iter().collect()
        };
        for (used_as, names) in [
            (Use::Metadata, &request.metadata),
            (Use::MoreContent, &request.more_content),
            (Use::MimeType, &named(request.mime_type)),
            (Use::Language, &named(request.language)),
            (Use::Url, &of_url),
            (Use::Embedding, &request.embedding.map(str::to_string).into_iter().collect()),
        ] {
            for name in names {
                let column = UsedColumn::new(used_as, self.column(name)?);
                let what = used_as.name();
                if used_as == Use::MoreContent && name == request.content {
                    return Err(Error::invalid(format!(
                        "column \"{name}\" is listed in {what}, and is content"
                    ))
                    .hint("Leave it out of more_content."));
                }
                if used.contains(&column) {
                    return Err(Error::invalid(format!("column \"{name}\" is listed twice in {what}")));
                }
                used.push(column);
            }
        }
        for number in of_condition {
            used.push(UsedColumn::new(Use::Condition, self.numbered(*number)?));
        }
        Ok(used)
    }

    fn numbered(&self, number: i32) -> Result<&Known> {
        let column = self.columns.iter().find(|column| column.number == number);
        column.ok_or_else(|| Error::internal(format!("table {} has no column {number}", self.name)))
    }

    /// The type of the column of this number; empty without one.
    pub fn type_of(&self, number: i32) -> &str {
        self.columns.iter().find(|column| column.number == number).map_or("", |column| &column.type_name)
    }

    /// The table as FROM names it: without rows of tables that inherit from it.
    pub fn source(&self) -> String {
        if self.kind == "p" { self.name.clone() } else { format!("ONLY {}", self.name) }
    }

    /// The number of rows: counted up to a limit, from PostgreSQL's statistics above.
    pub fn count_rows(&self) -> Result<i64> {
        let source = self.source();
        let max = (MAX_COUNTED + 1).to_string();
        let sql = spi::render(include_str!("count_rows.sql"), &[("table", &source), ("max", &max)]);
        let counted = role::run_as(self.owner, || {
            spi::connect(|c| c.query_one(&sql, Access::Latest, &[], |row| row.require::<i64>(1)))
        })?;
        let counted = counted.unwrap_or_default();
        Ok(if counted > MAX_COUNTED { self.rows.max(counted) } else { counted })
    }

    /// Whether it has a column of this name.
    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// A column. 42703 if there is none of this name.
    pub fn column(&self, name: &str) -> Result<&Known> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
            Error::missing_column(format!("table {} has no column \"{name}\"", self.name))
                .hint(format!("It has {}.", known.join(", ")))
        })
    }

    pub fn is_written_through_others(&self) -> bool {
        self.kind == "p" || self.is_partition
    }
}

/// The member of metadata that holds the primary key.
const KEY: &str = "key";

/// A column named in a call of kb_attach.
#[derive(PartialEq, Eq)]
pub struct UsedColumn {
    pub used_as: Use,
    pub name: String,
    pub number: i32,
}

impl UsedColumn {
    fn new(used_as: Use, column: &Known) -> UsedColumn {
        UsedColumn { used_as, name: column.name.clone(), number: column.number }
    }
}
