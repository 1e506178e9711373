//! kb_expose: views of the chunks with their vectors, for readers with SQL of their own, and functions for those who call them by name.

mod functions;
mod layout;

use std::ffi::CStr;

use kb_rag_core::qualified_name;
use pgrx::pg_sys;

pub use functions::drop_function;
pub use layout::Layout;

use super::dependents::{self, Fate};
use super::{KnowledgeBase, naming_base};
use crate::base::find::locked::held_for_admin;
use crate::base::privileges::read::TABLES;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::lock::Lockable;
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::subtransaction;

/// How it is named among the tables whose privileges kb_grant changes.
pub(super) const VIEW: &str = "collection";
/// The name of a view to compare it with, which is never committed.
const PROBE: &str = "kb_rag_collection";
/// The key of metadata that holds the text.
pub const DEFAULT_CONTENT_KEY: &str = "content";
/// The longest name that PostgreSQL does not cut.
const MAX_NAME_BYTES: usize = 63;

/// The comment on each view of chunks, by which it is recognized, also after a restore: a view without it is not kb_rag's.
const COMMENT: &str = "made by kb_expose: the chunks that have a vector, with their texts and metadata, for readers with SQL of their own";

/// The same of a view of URLs.
const COMMENT_OF_URLS: &str =
    "made by kb_expose: the URLs that documents are made from, for readers with SQL of their own";

/// The view, or the functions, that are asked for.
pub struct Request<'a> {
    pub layout: Layout,
    /// Its name, in the caller's current schema unless it names one. None for that of the layout in the schema of the base.
    pub view: Option<&'a str>,
    /// The key of metadata that holds the text, in the layout `pgvector`.
    pub content_key: &'a str,
}

impl Request<'_> {
    /// 22023 for a key that is empty, or of no use in the layout.
    fn content_key(&self) -> Result<&str> {
        let key = self.content_key;
        if key.is_empty() {
            return Err(Error::invalid("content_key is empty")
                .hint(format!("Leave it out for \"{DEFAULT_CONTENT_KEY}\".")));
        }
        if self.layout != Layout::Pgvector && key != DEFAULT_CONTENT_KEY {
            return Err(Error::invalid(format!(
                "content_key \"{key}\" is of no use in layout {}, whose text has a column of its own",
                self.layout.name()
            ))
            .hint("Leave it out, or use layout => 'pgvector'."));
        }
        Ok(key)
    }

    /// The schema and the name of the view. 22023 for text that is no name.
    fn place(&self, base: &KnowledgeBase) -> Result<Place> {
        let Some(text) = self.view else {
            let schema = lookup::schema_name(base.namespace.unwrap_or(pg_sys::InvalidOid))?;
            return Ok(Place { schema, name: self.layout.view(&base.slug), is_given: false });
        };
        let invalid = |why: &str| {
            Error::invalid(format!("name \"{text}\" {why}"))
                .hint("Give the name of the view, with or without a schema, such as support_articles or public.support_articles.")
        };
        let mut parts = qualified_name::parts(text).ok_or_else(|| invalid("is not a name of a relation"))?;
        let name = parts.pop().ok_or_else(|| invalid("is empty"))?;
        let schema = match (parts.pop(), parts.is_empty()) {
            (Some(schema), true) => schema,
            (None, _) => current_schema()?
                .ok_or_else(|| invalid("has no schema, and no schema of the search_path exists"))?,
            _ => return Err(invalid("has more than a schema and a name")),
        };
        if name.len() > MAX_NAME_BYTES {
            return Err(invalid("is longer than 63 bytes"));
        }
        if schema.starts_with("pg_") {
            return Err(invalid("is in a schema of PostgreSQL"));
        }
        Ok(Place { schema, name, is_given: true })
    }
}

fn current_schema() -> Result<Option<String>> {
    spi::connect(|c| {
        c.query_one(include_str!("current_schema.sql"), Access::Read, &[], |row| row.get::<String>(1))
    })
    .map(Option::flatten)
}

/// Where a view is.
struct Place {
    schema: String,
    name: String,
    /// Whether the caller named it.
    is_given: bool,
}

impl Place {
    /// Qualified and quoted.
    fn qualified(&self) -> String {
        format!("{}.{}", spi::quote_identifier(&self.schema), spi::quote_identifier(&self.name))
    }
}

/// A view that kb_expose made.
pub struct Exposed {
    pub oid: pg_sys::Oid,
    /// Qualified and quoted.
    pub name: String,
}

/// Makes a view or functions of a base, for its administrators, and returns the qualified name. What kb_expose made before stays
/// as it is unless it was altered. Who may read the base may read the view. 42710 for anything else of its name.
pub fn expose(name: &str, request: &Request) -> Result<String> {
    let content_key = request.content_key()?;
    let base = held_for_admin(name)?;
    let more: &[&CStr] = if request.layout.has_chunks() { &[] } else { &[c"source"] };
    let tables: Vec<pg_sys::Oid> = TABLES
        .iter()
        .chain(more)
        .map(|table| base.own_table(table).and_then(|_| base.table(table)))
        .collect::<Result<_>>()?;
    let place = request.place(&base)?;
    let view = View { layout: request.layout, name: place.qualified(), content_key };
    naming_base(name, "exposed", || {
        base.as_owner(|| {
            if view.layout == Layout::Supabase {
                return base.make_functions(&place, &tables);
            }
            let oid = base.make_view(&view)?;
            spi::connect(|c| {
                let args = [Arg::new(oid), Arg::new(tables), Arg::new(view.name.as_str())];
                grant_to_readers(c, include_str!("grant_collection.sql"), &args)
            })
        })
    })?;
    if place.is_given {
        Error::remark(format!(
            "readers find it as {} if {} is in their search_path",
            spi::quote_identifier(&place.name),
            spi::quote_identifier(&place.schema)
        ))
        .notify();
    }
    Ok(view.name)
}

/// Runs the statements that `template` gives for the roles that may read all of the tables $2.
fn grant_to_readers(c: &Connection, template: &str, args: &[Arg]) -> Result<()> {
    let sql = spi::render(template, &[("readers", include_str!("readers.sql"))]);
    let grants = c.query(&sql, Access::Latest, Planning::Auto, args, |row| row.require::<String>(1))?;
    grants.iter().try_for_each(|grant| c.run(grant))
}

/// A view as it is to be made.
struct View<'a> {
    layout: Layout,
    name: String,
    content_key: &'a str,
}

impl KnowledgeBase {
    /// The views that kb_expose made: they read the tables of the base, belong to its owner and have kb_expose's comment.
    pub fn exposed(&self) -> Result<Vec<Exposed>> {
        let tables: Vec<pg_sys::Oid> = TABLES.iter().filter_map(|table| self.table(table).ok()).collect();
        if tables.is_empty() {
            return Ok(Vec::new());
        }
        let owner = self.owner_role()?;
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        guc::with_settings(&[], || {
            spi::connect(|c| {
                let comments: Vec<String> = [COMMENT, COMMENT_OF_URLS].map(str::to_string).into();
                let args = [Arg::new(tables), Arg::new(owner), Arg::new(comments), Arg::new(namespace)];
                let sql = include_str!("own_views.sql");
                c.query(sql, Access::Latest, Planning::Auto, &args, |row| {
                    Ok(Exposed { oid: row.require(1)?, name: row.require(2)? })
                })
            })
        })
    }

    /// Creates a view, or repairs it if it was altered. Run as the owner.
    fn make_view(&self, view: &View) -> Result<pg_sys::Oid> {
        let Some(oid) = find_relation(&view.name)? else {
            return spi::connect(|c| self.create_view(c, view, ""));
        };
        if !self.exposed()?.iter().any(|exposed| exposed.oid == oid) {
            return Err(taken(&view.name));
        }
        let (wanted, found) = (self.wanted_shape(view)?, Shape::from_view(oid)?);
        if wanted == found {
            return Ok(oid);
        }
        self.lock_out_of_views()?;
        spi::connect(|c| {
            // Replacing it keeps privileges and views of users, but cannot change columns.
            if wanted.columns == found.columns {
                return self.create_view(c, view, "OR REPLACE");
            }
            let name = &view.name;
            let message =
                |_: &str, _| format!("cannot replace view \"{name}\" because other objects depend on it");
            let fate = Fate::ViewReplaced;
            dependents::require_none(message, vec![oid], Vec::new(), pg_sys::InvalidOid, fate)?;
            drop_view(c, name)?;
            self.create_view(c, view, "")
        })
    }

    fn create_view(&self, c: &Connection, view: &View, or_replace: &str) -> Result<pg_sys::Oid> {
        let View { layout, name, content_key } = view;
        c.run(&self.statement(view, or_replace, name))?;
        let comment = |what: String, text: &str| {
            let values = [("what", what.as_str()), ("comment", &spi::quote_literal(text))];
            c.run(&spi::render(include_str!("comment.sql"), &values))
        };
        comment(format!("VIEW {name}"), if layout.has_chunks() { COMMENT } else { COMMENT_OF_URLS })?;
        for (column, text) in layout.comments() {
            let text = match (layout, *column) {
                (Layout::Pgvector, "metadata") => text.replace(DEFAULT_CONTENT_KEY, content_key),
                _ => text.to_string(),
            };
            comment(format!("COLUMN {name}.{}", spi::quote_identifier(column)), &text)?;
        }
        find_relation(name)?.ok_or_else(|| Error::internal(format!("view {name} was not created")))
    }

    /// What the view looks like when it is made now.
    fn wanted_shape(&self, view: &View) -> Result<Shape> {
        let probe = format!("{}.{PROBE}", self.quoted_schema());
        subtransaction::read(|| {
            spi::connect(|c| c.run(&self.statement(view, "", &probe)))?;
            let oid = find_relation(&probe)?.unwrap_or(pg_sys::InvalidOid);
            Shape::from_view(oid)
        })
    }

    fn statement(&self, view: &View, or_replace: &str, name: &str) -> String {
        let values = [
            ("or_replace", or_replace),
            ("schema", &self.quoted_schema()),
            ("view", name),
            ("document", &spi::quote_literal(&format!("{}.document", self.quoted_schema()))),
            ("content_key", &spi::quote_literal(view.content_key)),
            ("model", &spi::quote_literal(self.settings.space.model.as_str())),
        ];
        spi::render(view.layout.template(), &values)
    }
}

/// Drops a view. 2BP01 if views of users read it.
pub fn drop_view(c: &Connection, name: &str) -> Result<()> {
    c.run(&spi::render(include_str!("drop_view.sql"), &[("view", name)]))
}

/// A relation by its qualified name.
fn find_relation(name: &str) -> Result<Option<pg_sys::Oid>> {
    let found = spi::connect(|c| {
        let sql = include_str!("find_relation.sql");
        c.query_one(sql, Access::Latest, &[Arg::new(name)], |row| row.get::<pg_sys::Oid>(1))
    })?;
    Ok(found.flatten())
}

fn taken(name: &str) -> Error {
    Error::exists(format!("relation {name} already exists and was not made by kb_expose"))
        .hint("Rename or drop it, then run kb_expose again, or give the view another name.")
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
            let sql = include_str!("shape.sql");
            c.query_one(sql, Access::Latest, &[Arg::new(view)], |row| {
                Ok(Shape { columns: row.require(1)?, definition: row.require(2)? })
            })
        })?;
        found.ok_or_else(|| Error::not_found(format!("view {} does not exist", view.to_u32())))
    }
}
