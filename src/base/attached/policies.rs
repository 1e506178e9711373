//! The policies on the tables of a base that follows the row security of attached tables.
//!
//! A restrictive policy on each table, since permissive ones only add to what is seen. Where a table had no row security, a
//! permissive one shows all that the other does not restrict.

use std::ffi::CStr;

use pgrx::{Uuid, pg_sys};

use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::Result;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::transaction;

/// The tables with policies.
const TABLES: [&CStr; 4] = [c"document", c"chunk", c"embedding", c"source"];

/// The setting, stored with the tables of a base, that names those in which kb_rag has enabled row security.
const OPENED: &str = "row_security_enabled";

/// A table of a base with its policies.
struct Table {
    name: String,
    is_secured: bool,
    is_following: bool,
    is_open: bool,
    has_others: bool,
    /// The sources that its policy names.
    sources: Vec<Uuid>,
}

impl Table {
    fn read(tables: Vec<pg_sys::Oid>, access: Access) -> Result<Vec<Table>> {
        catalog::connect(|c| {
            c.query(include_str!("policies.sql"), access, Planning::Generic, &[Arg::new(tables)], |row| {
                Ok(Table {
                    name: row.require(1)?,
                    is_secured: row.require(2)?,
                    is_following: row.require(3)?,
                    is_open: row.require(4)?,
                    has_others: row.require(5)?,
                    sources: row.require(6)?,
                })
            })
        })
    }

    /// Whether its policy is to name the sources.
    fn names_sources(&self) -> bool {
        matches!(self.name.as_str(), "document" | "source")
    }

    /// Whether its policy is as it has to be.
    fn is_synced(&self, wanted: &[Uuid]) -> bool {
        match wanted {
            [] => !self.is_following,
            _ if !self.is_secured || !self.is_following => false,
            _ => !self.names_sources() || self.sources == wanted,
        }
    }

    /// The rows that the policy does not restrict.
    fn condition(&self, schema: &str, wanted: &[Uuid]) -> String {
        let ids: Vec<String> = wanted.iter().map(|id| format!("'{id}'::pg_catalog.uuid")).collect();
        let ids = ids.join(", ");
        match self.name.as_str() {
            "document" => format!(
                "source_id IS NULL OR source_id OPERATOR(pg_catalog.<>) ALL (ARRAY[{ids}]) OR kb_rag.row_is_visible(source_id, source_key)"
            ),
            // No key is no row: as source of one document it says nothing of others.
            "source" => format!(
                "id OPERATOR(pg_catalog.<>) ALL (ARRAY[{ids}]) OR kb_rag.row_is_visible(id, NULL::pg_catalog.text)"
            ),
            "chunk" => format!(
                "EXISTS (SELECT FROM {schema}.document d WHERE d.id OPERATOR(pg_catalog.=) document_id)"
            ),
            _ => format!("EXISTS (SELECT FROM {schema}.chunk c WHERE c.id OPERATOR(pg_catalog.=) chunk_id)"),
        }
    }
}

/// The policies of a base as they are.
pub struct Policies<'a> {
    base: &'a KnowledgeBase,
    tables: Vec<Table>,
}

impl<'a> Policies<'a> {
    /// Those of a base that the caller administers.
    pub fn read(base: &'a KnowledgeBase) -> Result<Policies<'a>> {
        let mut oids = Vec::new();
        for name in TABLES {
            oids.extend(base.own_table(name)?);
        }
        Ok(Policies { base, tables: Table::read(oids, Access::Latest)? })
    }

    /// Whether they are those that follow these sources and no other.
    pub fn are_synced(&self, wanted: &[Uuid]) -> bool {
        self.tables.iter().all(|table| table.is_synced(wanted))
    }

    /// Makes them follow these sources. The tables are locked against everybody.
    fn sync(&self, wanted: &[Uuid]) -> Result<()> {
        let schema = self.base.quoted_schema();
        let before = self.base.stored_setting(OPENED)?.unwrap_or_default();
        let mut opened: Vec<&str> = before.split(',').filter(|name| !name.is_empty()).collect();
        // DROP EXTENSION has dropped the policies that call its function, and those that open tables.
        let are_lost = self.tables.iter().any(|table| table.name == "document" && !table.is_following);
        self.base.connect(|c| {
            for table in &self.tables {
                let of_table = Statements { c, table: &format!("{schema}.{}", table.name) };
                let place = opened.iter().position(|name| *name == table.name);
                if !wanted.is_empty() {
                    let is_lost = are_lost && place.is_some();
                    of_table.make(table, is_lost, &table.condition(&schema, wanted))?;
                    if !table.is_secured && place.is_none() {
                        opened.push(&table.name);
                    }
                } else if of_table.remove(table, place.is_some())?
                    && let Some(place) = place
                {
                    opened.remove(place);
                }
            }
            Ok(())
        })?;
        let opened = opened.join(",");
        if opened == before { Ok(()) } else { self.base.store_setting(OPENED, &opened) }
    }
}

/// Statements that alter a table.
struct Statements<'a> {
    c: &'a Connection,
    table: &'a str,
}

impl Statements<'_> {
    fn fill(&self, template: &str, more: &[(&str, &str)]) -> Result<()> {
        self.c.run(&spi::render(template, &[&[("table", self.table)], more].concat()))
    }

    fn secure(&self, how: &str) -> Result<()> {
        self.fill(include_str!("secure_table.sql"), &[("how", how)])
    }

    fn drop_policy(&self, policy: &str) -> Result<()> {
        self.fill(include_str!("drop_policy.sql"), &[("policy", policy)])
    }

    /// Makes the policies of a table, or changes them; `is_lost` if it had both and has lost them.
    fn make(&self, table: &Table, is_lost: bool, condition: &str) -> Result<()> {
        if !table.is_secured {
            self.secure("ENABLE")?;
        }
        if !table.is_open && (!table.is_secured || is_lost && !table.has_others) {
            self.fill(include_str!("open_table.sql"), &[])?;
        }
        if !table.is_following {
            self.fill(include_str!("follow_table.sql"), &[("condition", condition)])
        } else if table.names_sources() {
            self.fill(include_str!("alter_policy.sql"), &[("condition", condition)])
        } else {
            Ok(())
        }
    }

    /// Removes the policies of a table. Where kb_rag had enabled row security, it is disabled again, and the result is true, unless the
    /// owner has made policies since.
    fn remove(&self, table: &Table, is_opened: bool) -> Result<bool> {
        if table.is_following {
            self.drop_policy("kb_rag_follow")?;
        }
        if !is_opened || table.has_others {
            return Ok(false);
        }
        if table.is_open {
            self.drop_policy("kb_rag_open")?;
        }
        self.secure("DISABLE")?;
        Ok(true)
    }
}

impl KnowledgeBase {
    /// Whether it followed row security of attached tables when it was looked up.
    pub fn follows_rows(&self) -> bool {
        self.follows_rows
    }

    /// The sources whose row security is followed, by the catalog as it is now.
    pub fn followed_sources(&self) -> Result<Vec<Uuid>> {
        if !catalog::has_column(c"attached_table", c"key_types") {
            return Ok(Vec::new());
        }
        catalog::connect(|c| {
            let args = [Arg::new(self.id)];
            c.query(include_str!("followed_ids.sql"), Access::Latest, Planning::Generic, &args, |row| {
                row.require(1)
            })
        })
    }

    /// Makes the policies those that follow the sources of the catalog; nothing where they do. The caller has locked the tables
    /// against everybody where something changes.
    pub fn sync_policies(&self) -> Result<()> {
        let wanted = self.followed_sources()?;
        let policies = Policies::read(self)?;
        if policies.are_synced(&wanted) { Ok(()) } else { policies.sync(&wanted) }
    }

    /// The sources that are followed, where no policies other than those of kb_rag apply to the current role.
    pub(super) fn followed_alone(&self) -> Result<Option<Vec<Uuid>>> {
        if !self.follows_rows {
            return Ok(None);
        }
        let tables: Vec<pg_sys::Oid> =
            TABLES[..3].iter().map(|table| self.table(table)).collect::<Result<_>>()?;
        let caller = role::current_role();
        let access = if transaction::is_parallel() { Access::Read } else { Access::Latest };
        let found = catalog::connect(|c| {
            let args = [Arg::new(tables), Arg::new(caller), Arg::new(self.id)];
            let sql = include_str!("followed_alone.sql");
            c.query(sql, access, Planning::Generic, &args, |row| row.get::<Vec<Uuid>>(1))
        })?;
        Ok(found.into_iter().next().flatten())
    }

    /// Whether a policy of kb_rag shows readers all documents but those of followed tables.
    pub(super) fn is_opened(&self) -> Result<bool> {
        let tables = Table::read(vec![self.table(c"document")?], Access::Read)?;
        Ok(tables.iter().any(|table| table.is_open))
    }
}
