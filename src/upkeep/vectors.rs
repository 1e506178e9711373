//! Vectors of another model: a second table is filled while the first stays in use.

use std::ffi::CString;

use super::replace::Replacement;
use crate::base::{self, Embed, KnowledgeBase};
use crate::error::Result;
use crate::ingest;
use crate::model::Model;
use crate::spi::{self, Access, Arg, Connection, Planning};

/// Embeds every chunk into a table of its own, builds the index, and adds the table to `replacement`: it is to take the place
/// of `embedding`, whose grants and policies it gets.
pub fn make_all(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    model: &Model,
    replacement: &mut Replacement,
) -> Result<()> {
    // The table of a pending model has another name.
    let table = "embedding_new";
    base::create_embedding_table(c, schema, &base.settings, table)?;
    inherit_rights(c, schema, table)?;
    if base.settings.embed != Embed::Off {
        ingest::embed_all(c, base, schema, model, table)?;
    }
    if base.settings.is_indexed() {
        base::create_vector_index(c, schema, &base.settings, table, &format!("{table}_hnsw"))?;
    }
    replacement.embedding_table(table, base.settings.is_indexed());
    Ok(())
}

/// The index over the vectors of the other table.
pub fn index_of(table: &str) -> CString {
    CString::new(format!("{table}_hnsw")).unwrap_or_default()
}

/// Creates or drops the index of the other table as the settings ask: they may have changed since the table was made.
pub fn index_as_wanted(c: &Connection, base: &KnowledgeBase, schema: &str, table: &str) -> Result<()> {
    let index = format!("{table}_hnsw");
    match (base.settings.is_indexed(), base.has_relation(&index_of(table))) {
        (true, false) => base::create_vector_index(c, schema, &base.settings, table, &index),
        (false, true) => {
            c.run(&spi::render(include_str!("drop_index.sql"), &[("schema", schema), ("index", &index)]))
        }
        _ => Ok(()),
    }
}

/// Copies grants, row security and policies of `embedding` to the other table.
pub fn inherit_rights(c: &Connection, schema: &str, table: &str) -> Result<()> {
    let args = [Arg::new(format!("{schema}.{table}")), Arg::new(format!("{schema}.embedding"))];
    let statements =
        c.query(include_str!("inherit_rights.sql"), Access::Write, Planning::Auto, &args, |row| {
            row.require::<String>(1)
        })?;
    statements.iter().try_for_each(|statement| c.run(statement))
}
