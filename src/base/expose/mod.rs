//! kb_expose: a view of the chunks with their vectors, for readers with SQL of their own.

use std::ffi::CStr;

use pgrx::pg_sys;

use super::{KnowledgeBase, dependents, naming_base};
use crate::base::find::locked::held_for_admin;
use crate::base::privileges::read::TABLES;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::lock::Lockable;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::subtransaction;

/// The name of the view.
pub(super) const VIEW: &str = "collection";
const C_VIEW: &CStr = c"collection";
/// The name of a view to compare it with, which is never committed.
const PROBE: &CStr = c"kb_rag_collection";

/// The comment on the view, by which it is recognized, also after a restore: a view without it is not kb_rag's.
const COMMENT: &str = "made by kb_expose: the chunks that have a vector, with their texts and metadata, for readers with SQL of their own";

/// What the view looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `id`, `vec`, `metadata`, as clients of pgvector have them: the text is in `metadata`.
    Pgvector,
}

impl Choice for Layout {
    const WHAT: &'static str = "layout";
    const ALL: &'static [Layout] = &[Layout::Pgvector];

    fn name(self) -> &'static str {
        match self {
            Layout::Pgvector => "pgvector",
        }
    }
}

impl Layout {
    pub const DEFAULT: Layout = Layout::Pgvector;

    /// The statement that creates the view.
    fn template(self) -> &'static str {
        match self {
            Layout::Pgvector => include_str!("create_collection.sql"),
        }
    }
}

/// Makes the view of a base, for its administrators, and returns its qualified name. A view that kb_expose made before stays
/// as it is unless it was altered. Who may read the base may read the view. 42710 for any other relation of its name.
pub fn expose(name: &str, layout: Layout) -> Result<String> {
    let base = held_for_admin(name)?;
    let tables: Vec<pg_sys::Oid> = TABLES
        .iter()
        .map(|table| base.own_table(table).and_then(|_| base.table(table)))
        .collect::<Result<_>>()?;
    let view = base.collection_name();
    naming_base(name, "exposed", || {
        base.as_owner(|| {
            let oid = base.make_collection(layout)?;
            spi::connect(|c| {
                let args = [Arg::new(oid), Arg::new(tables), Arg::new(view.as_str())];
                let sql = include_str!("grant_collection.sql");
                let grants =
                    c.query(sql, Access::Latest, Planning::Auto, &args, |row| row.require::<String>(1))?;
                grants.iter().try_for_each(|grant| c.run(grant))
            })
        })
    })?;
    Ok(view)
}

impl KnowledgeBase {
    /// The qualified name of the view, quoted.
    pub fn collection_name(&self) -> String {
        format!("{}.{}", self.quoted_schema(), VIEW)
    }

    /// The view that kb_expose made: it belongs to the owner of the base and has kb_expose's comment. None without one.
    pub fn collection(&self) -> Result<Option<pg_sys::Oid>> {
        if !self.has_relation(C_VIEW) {
            return Ok(None);
        }
        let (namespace, owner) = (self.namespace.unwrap_or(pg_sys::InvalidOid), self.owner_role()?);
        guc::with_settings(&[], || {
            spi::connect(|c| {
                let args = [Arg::new(namespace), Arg::new(owner), Arg::new(COMMENT)];
                let sql = include_str!("own_collection.sql");
                c.query_one(sql, Access::Latest, &args, |row| row.require(1))
            })
        })
    }

    /// Drops the view. 2BP01 if views of users read it.
    pub fn drop_collection(&self, c: &Connection) -> Result<()> {
        c.run(&spi::render(include_str!("drop_collection.sql"), &[("schema", &self.quoted_schema())]))
    }

    /// Creates the view, or repairs it if it was altered. Run as the owner.
    fn make_collection(&self, layout: Layout) -> Result<pg_sys::Oid> {
        let Some(view) = self.collection()? else {
            if self.has_relation(C_VIEW) {
                return Err(self.collection_is_taken());
            }
            return spi::connect(|c| self.create_collection(c, layout, ""));
        };
        let (wanted, found) = (self.wanted_shape(layout)?, Shape::from_view(view)?);
        if wanted == found {
            return Ok(view);
        }
        self.lock_out_of_collection()?;
        spi::connect(|c| {
            // Replacing it keeps privileges and views of users, but cannot change columns.
            if wanted.columns == found.columns {
                return self.create_collection(c, layout, "OR REPLACE");
            }
            let name = self.collection_name();
            let message =
                |_: &str, _| format!("cannot replace view \"{name}\" because other objects depend on it");
            let (none, then) = (pg_sys::InvalidOid, ", and create it again afterwards");
            dependents::require_none(message, vec![view], none, then)?;
            self.drop_collection(c)?;
            self.create_collection(c, layout, "")
        })
    }

    fn create_collection(&self, c: &Connection, layout: Layout, or_replace: &str) -> Result<pg_sys::Oid> {
        c.run(&self.statement(layout, or_replace, C_VIEW))?;
        let (schema, comment) = (self.quoted_schema(), spi::quote_literal(COMMENT));
        let values = [("schema", schema.as_str()), ("comment", &comment)];
        c.run(&spi::render(include_str!("comment_collection.sql"), &values))?;
        self.table(C_VIEW)
    }

    /// What the view looks like when it is made now.
    fn wanted_shape(&self, layout: Layout) -> Result<Shape> {
        subtransaction::read(|| {
            spi::connect(|c| c.run(&self.statement(layout, "", PROBE)))?;
            Shape::from_view(self.table(PROBE)?)
        })
    }

    fn statement(&self, layout: Layout, or_replace: &str, view: &CStr) -> String {
        let (schema, view) = (self.quoted_schema(), view.to_string_lossy());
        spi::render(layout.template(), &[("or_replace", or_replace), ("schema", &schema), ("view", &view)])
    }

    fn collection_is_taken(&self) -> Error {
        Error::exists(format!(
            "relation {} already exists and was not made by kb_expose",
            self.collection_name()
        ))
        .hint("Rename or drop it, then run kb_expose again.")
    }
}

/// What can differ between two views.
#[derive(PartialEq, Eq)]
struct Shape {
    /// Names and types.
    columns: Vec<String>,
    definition: String,
}

impl Shape {
    fn from_view(view: pg_sys::Oid) -> Result<Shape> {
        let found = spi::connect(|c| {
            let sql = include_str!("collection_shape.sql");
            c.query_one(sql, Access::Latest, &[Arg::new(view)], |row| {
                Ok(Shape { columns: row.require(1)?, definition: row.require(2)? })
            })
        })?;
        found.ok_or_else(|| Error::not_found(format!("view {} does not exist", view.to_u32())))
    }
}
