//! The functions that kb_expose makes in the layout `supabase`, for clients that call `match_documents` by name.
//!
//! They call kb_search, which uses the vector index, finds all rows that pass a filter and knows its operators, and they name the base by
//! its id, which it keeps under another name. They run as their caller, with the caller's privileges and row security.

use std::ffi::CString;

use pgrx::pg_sys;

use super::{MAX_NAME_BYTES, Place, grant_to_readers};
use crate::base::{KnowledgeBase, shape};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::subtransaction;
use crate::postgres::vector::Pgvector;

/// Precedes the name of the function for keywords.
const PREFIX: &str = "kw_";
/// The name of a function to compare one with, which is never committed.
const PROBE: &str = "kb_rag_function";

/// One of the two functions.
#[derive(Clone, Copy)]
struct Kind {
    /// By which it is recognized, also after a restore.
    comment: &'static str,
    arguments: &'static str,
    statement: &'static str,
    body: &'static str,
}

const BY_VECTOR: Kind = Kind {
    comment: "made by kb_expose: the chunks of a knowledge base that are nearest to a vector, as match_documents of Supabase",
    arguments: "{vector}.vector, integer, jsonb",
    statement: include_str!("layout/supabase.sql"),
    body: include_str!("layout/supabase_body.sql"),
};

const BY_KEYWORD: Kind = Kind {
    comment: "made by kb_expose: the chunks of a knowledge base that have words of a text, as kw_match_documents of Supabase",
    arguments: "text, integer",
    statement: include_str!("layout/supabase_keyword.sql"),
    body: include_str!("layout/supabase_keyword_body.sql"),
};

const KINDS: [Kind; 2] = [BY_VECTOR, BY_KEYWORD];

/// A function that kb_expose made.
pub struct Function {
    pub oid: pg_sys::Oid,
    /// Qualified and quoted, without arguments.
    name: String,
    /// The name with the types of its arguments.
    pub signature: String,
    comment: String,
}

impl KnowledgeBase {
    /// The functions that kb_expose made: they belong to the owner of the base, have kb_expose's comment, and are in its schema or name it.
    pub fn exposed_functions(&self) -> Result<Vec<Function>> {
        let (owner, namespace) = (self.owner_role()?, self.namespace.unwrap_or(pg_sys::InvalidOid));
        guc::with_settings(&[], || {
            spi::connect(|c| {
                let comments: Vec<String> = KINDS.map(|kind| kind.comment.to_string()).into();
                let id = self.id.to_string();
                let args = [Arg::new(owner), Arg::new(comments), Arg::new(id), Arg::new(namespace)];
                let sql = include_str!("own_functions.sql");
                c.query(sql, Access::Latest, Planning::Auto, &args, |row| {
                    Ok(Function {
                        oid: row.require(1)?,
                        name: row.require(2)?,
                        signature: row.require(3)?,
                        comment: row.require(4)?,
                    })
                })
            })
        })
    }

    /// Makes both functions, or repairs those that were altered, and grants them to those who may read all of the tables. 42710 for
    /// any other function of one of the names. Run as the owner.
    pub(super) fn make_functions(&self, place: &Place, tables: &[pg_sys::Oid]) -> Result<()> {
        let keyword_place = Place {
            schema: place.schema.clone(),
            name: format!("{PREFIX}{}", place.name),
            is_given: place.is_given,
        };
        if keyword_place.name.len() > MAX_NAME_BYTES {
            return Err(Error::invalid(format!("name \"{}\" is longer than 63 bytes", keyword_place.name))
                .hint(
                    "Give a name of at most 60 bytes: the other function has the same with kw_ before it.",
                ));
        }
        self.require_free_of_bases(place)?;
        let own = self.exposed_functions()?;
        let is_own = |oid: &pg_sys::Oid| own.iter().any(|function| function.oid == *oid);
        for (kind, place) in [(BY_VECTOR, place), (BY_KEYWORD, &keyword_place)] {
            let name = place.qualified();
            if !functions_named(place)?.iter().all(is_own) {
                return Err(taken(&name));
            }
            let found = own.iter().find(|function| function.name == name);
            spi::connect(|c| {
                self.make_function(c, kind, &name, found)?;
                let signature = format!(
                    "{name}({})",
                    spi::render(kind.arguments, &[("vector", &Pgvector::find()?.schema)])
                );
                let args =
                    [Arg::new(signature.as_str()), Arg::new(tables.to_vec()), Arg::new(found.is_none())];
                grant_to_readers(c, include_str!("grant_functions.sql"), &args)
            })?;
        }
        Ok(())
    }

    /// 22023 for the schema of another base: what is there is of that base.
    fn require_free_of_bases(&self, place: &Place) -> Result<()> {
        let namespace = CString::new(place.schema.as_str()).ok().and_then(|schema| lookup::schema(&schema));
        let is_of_other = |namespace| {
            Some(namespace) != self.namespace && shape::table_in(namespace, c"keyword_segment").is_some()
        };
        if namespace.is_some_and(is_of_other) {
            return Err(Error::invalid(format!("schema \"{}\" is of another knowledge base", place.schema))
                .hint("Give another schema, such as public."));
        }
        Ok(())
    }

    /// Makes the functions that exist call the base as it is now: where its schema, or that of kb_rag, has another name.
    pub fn refresh_functions(&self) -> Result<()> {
        self.as_owner(|| {
            self.exposed_functions()?.iter().try_for_each(|function| {
                let kind = KINDS.into_iter().find(|kind| kind.comment == function.comment);
                let kind = kind.ok_or_else(|| Error::internal("a function of kb_expose has no kind"))?;
                spi::connect(|c| self.make_function(c, kind, &function.name, Some(function)))
            })
        })
    }

    fn make_function(&self, c: &Connection, kind: Kind, name: &str, found: Option<&Function>) -> Result<()> {
        let Some(function) = found else {
            c.run(&self.function_statement(kind, name, "")?)?;
            let arguments = spi::render(kind.arguments, &[("vector", &Pgvector::find()?.schema)]);
            let values = [
                ("what", format!("FUNCTION {name}({arguments})")),
                ("comment", spi::quote_literal(kind.comment)),
            ];
            let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
            return c.run(&spi::render(include_str!("comment.sql"), &values));
        };
        if self.wanted_function(kind)? == definition(function.oid)? {
            return Ok(());
        }
        // Replacing it keeps privileges and what depends on it.
        c.run(&self.function_statement(kind, name, "OR REPLACE")?)
    }

    /// The definition of the function when it is made now.
    fn wanted_function(&self, kind: Kind) -> Result<String> {
        let schema = lookup::schema_name(self.namespace.unwrap_or(pg_sys::InvalidOid))?;
        let probe = Place { schema, name: PROBE.to_string(), is_given: false };
        subtransaction::read(|| {
            spi::connect(|c| c.run(&self.function_statement(kind, &probe.qualified(), "")?))?;
            definition(functions_named(&probe)?.first().copied().unwrap_or(pg_sys::InvalidOid))
        })
    }

    fn function_statement(&self, kind: Kind, name: &str, or_replace: &str) -> Result<String> {
        let vector = Pgvector::find()?.schema;
        let id = spi::quote_literal(&self.id.to_string());
        let values = [
            ("vector", &*vector),
            ("schema", &*self.quoted_schema()),
            ("extension", &extension_schema()?),
            ("id", &id),
        ];
        let body = spi::quote_literal(spi::render(kind.body, &values).trim_end());
        let values = [("or_replace", or_replace), ("name", name), ("vector", &vector), ("body", &body)];
        Ok(spi::render(kind.statement, &values))
    }
}

/// Drops a function. 2BP01 if objects of users depend on it.
pub fn drop_function(c: &Connection, function: &Function) -> Result<()> {
    c.run(&spi::render(include_str!("drop_function.sql"), &[("function", &function.signature)]))
}

/// The schema of kb_rag's functions, quoted.
fn extension_schema() -> Result<String> {
    let found = spi::connect(|c| {
        c.query_one(include_str!("extension_schema.sql"), Access::Latest, &[], |row| row.require::<String>(1))
    })?;
    found.ok_or_else(|| Error::not_ready("the extension kb_rag is not installed"))
}

fn functions_named(place: &Place) -> Result<Vec<pg_sys::Oid>> {
    spi::connect(|c| {
        let args = [Arg::new(place.schema.as_str()), Arg::new(place.name.as_str())];
        let sql = include_str!("functions_named.sql");
        c.query(sql, Access::Latest, Planning::Auto, &args, |row| row.require(1))
    })
}

/// All that is known of a function but its name and its privileges.
fn definition(function: pg_sys::Oid) -> Result<String> {
    let found = spi::connect(|c| {
        let sql = include_str!("function_definition.sql");
        c.query_one(sql, Access::Latest, &[Arg::new(function)], |row| row.require::<String>(1))
    })?;
    found.ok_or_else(|| Error::internal(format!("function {} does not exist", function.to_u32())))
}

fn taken(name: &str) -> Error {
    Error::exists(format!(
        "function {name} already exists and was not made by kb_expose for this knowledge base"
    ))
    .hint("Rename or drop it, then run kb_expose again, or give the functions another name.")
}
