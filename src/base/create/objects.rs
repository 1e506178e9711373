//! The tables, indexes and triggers of a base.

use std::ffi::CStr;

use crate::base::vector_index::create_vector_index;
use crate::base::{KnowledgeBase, MAX_INDEXED_DIMENSIONS, NextTables, Pending, Settings};
use crate::catalog;
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::vector::Pgvector;

/// Creates the tables and indexes as the caller, which owns them. Creates the schema, for the caller, and the triggers as the
/// extension's owner.
pub fn create(base: &KnowledgeBase) -> Result<()> {
    let comment = spi::quote_literal(&comment(&base.name));
    let schema = base.quoted_schema();
    let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
    let owner = spi::quote_identifier(&base.owner);
    catalog::as_owner(|| {
        let sql = spi::render(include_str!("schema.sql"), &[("schema", &schema), ("owner", &owner)]);
        spi::connect(|c| c.run(&sql))
    })?;
    guc::with_settings(quiet, || {
        spi::connect(|c| {
            c.run(&spi::render(include_str!("tables.sql"), &[("schema", &schema), ("comment", &comment)]))?;
            create_metadata_index(c, &schema, "chunk_metadata")?;
            create_embedding_table(c, &schema, &base.settings, "embedding")?;
            create_vector_index(c, &schema, &base.settings, "embedding", "")?;
            create_keyword_tables(c, &schema)?;
            create_setting(c, &schema)
        })
    })?;
    create_triggers(base)
}

/// The comment on the schema of a base.
pub fn comment(name: &str) -> String {
    format!("knowledge base {name}")
}

/// Creates the table of the vectors under the name `table`.
pub fn create_embedding_table(c: &Connection, schema: &str, settings: &Settings, table: &str) -> Result<()> {
    c.run(&of_vectors(include_str!("embedding.sql"), schema, settings, table)?)
}

/// Creates the tables of a pending model: for its vectors, of chunks in either table of chunks, and for the chunks of documents that are
/// cut differently for it. Nobody but their owner has a privilege on them.
pub fn create_next_tables(c: &Connection, base: &KnowledgeBase) -> Result<()> {
    let Some(Pending { base, tables: NextTables { vectors, chunks } }) = base.pending() else {
        return Ok(());
    };
    let schema = &base.quoted_schema();
    let template = spi::render(include_str!("next_tables.sql"), &[("chunks", &chunks)]);
    c.run(&of_vectors(&template, schema, &base.settings, &vectors)?)?;
    [vectors, chunks].iter().try_for_each(|table| revoke_from_others(c, schema, table))
}

/// Adds the column of the vectors to the table `embedding`, which is emptied.
pub fn add_vectors(c: &Connection, schema: &str, settings: &Settings) -> Result<()> {
    c.run(&of_vectors(include_str!("add_vectors.sql"), schema, settings, "embedding")?)
}

fn of_vectors(template: &str, schema: &str, settings: &Settings, table: &str) -> Result<String> {
    let kind = format!("{}({})", settings.vector_type(), settings.space.dimensions);
    let storage = if settings.space.dimensions <= MAX_INDEXED_DIMENSIONS { "PLAIN" } else { "EXTERNAL" };
    Ok(spi::render(
        template,
        &[
            ("schema", schema),
            ("table", table),
            ("vector", &Pgvector::find()?.schema),
            ("type", &kind),
            ("storage", storage),
        ],
    ))
}

/// Creates the index over metadata.
pub fn create_metadata_index(c: &Connection, schema: &str, index: &str) -> Result<()> {
    c.run(&spi::render(include_str!("metadata_index.sql"), &[("schema", schema), ("index", index)]))
}

/// Creates the tables of the keyword index. Nobody but their owner has a privilege on them, whatever the default privileges:
/// they hold the words of all documents.
pub fn create_keyword_tables(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("keyword_tables.sql"), &[("schema", schema)]))?;
    ["keyword_segment", "keyword_run"].into_iter().try_for_each(|table| revoke_from_others(c, schema, table))
}

/// Revokes from all roles but the owner what default privileges gave on a new table.
pub fn revoke_from_others(c: &Connection, schema: &str, table: &str) -> Result<()> {
    let table = format!("{schema}.{table}");
    each_role(
        c,
        include_str!("grantees.sql"),
        &[Arg::new(table.as_str())],
        include_str!("revoke.sql"),
        &[("table", &table)],
    )
}

/// Runs a statement, which names `{role}` and `values`, for each role that a query finds.
pub fn each_role(
    c: &Connection,
    roles: &str,
    args: &[Arg],
    statement: &str,
    values: &[(&str, &str)],
) -> Result<()> {
    let roles = c.query(roles, Access::Write, Planning::Auto, args, |row| row.require::<String>(1))?;
    roles.iter().try_for_each(|role| {
        let values = [values, &[("role", role.as_str())]].concat();
        c.run(&spi::render(statement, &values))
    })
}

/// Creates the table that keeps the settings with the data.
pub fn create_setting(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("setting.sql"), &[("schema", schema)]))
}

/// Creates the triggers, which have the base's id as their argument.
pub fn create_triggers(base: &KnowledgeBase) -> Result<()> {
    let id = spi::quote_literal(&base.id.to_string());
    let sql = spi::render(include_str!("triggers.sql"), &[("schema", &base.quoted_schema()), ("id", &id)]);
    catalog::connect(|c| c.run(&sql))?;
    if knows_replicas()? { create_replica_trigger(base, false) } else { Ok(()) }
}

/// Creates the trigger for documents that arrive by logical replication, unless it `is_there`, and lets it fire for these alone.
pub fn create_replica_trigger(base: &KnowledgeBase, is_there: bool) -> Result<()> {
    let id = spi::quote_literal(&base.id.to_string());
    let values = [("schema", &*base.quoted_schema()), ("id", &id)];
    catalog::connect(|c| {
        if !is_there {
            c.run(&spi::render(include_str!("replica_trigger.sql"), &values))?;
        }
        c.run(&spi::render(include_str!("enable_replica_trigger.sql"), &values))
    })
}

/// Whether the SQL of the database has the function of that trigger: kb_rag 0.3 does not.
pub fn knows_replicas() -> Result<bool> {
    let known = catalog::connect(|c| {
        c.query_one(include_str!("knows_replicas.sql"), Access::Read, &[], |row| row.require::<bool>(1))
    })?;
    Ok(known == Some(true))
}
