//! Vectors of another model: a second table is filled while the first stays in use.

use std::ffi::CString;

use super::replace::Replacement;
use crate::base::{self, Embed, IndexKind, KnowledgeBase};
use crate::error::Result;
use crate::ingest;
use crate::model::Model;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// The table of vectors that is to take the place of `embedding`; that of a pending model has another name.
pub const NEW_TABLE: &str = "embedding_new";

/// Embeds every chunk into [`NEW_TABLE`], builds the index, and adds the table to `replacement`: it is to take the place of
/// `embedding`, whose grants and policies it gets.
pub fn make_all(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    model: &Model,
    replacement: &mut Replacement,
) -> Result<()> {
    let table = NEW_TABLE;
    base::create_embedding_table(c, schema, &base.settings, table)?;
    inherit_rights(c, schema, table)?;
    if base.settings.embed != Embed::Off {
        ingest::embed_all(c, base, schema, model, table)?;
    }
    let index = base::create_vector_index(c, schema, &base.settings, table, "")?;
    replacement.embedding_table(table, &base.settings.space.model, index);
    Ok(())
}

/// Whether the other table needs no index that it does not have. An IVFFlat index is built when all vectors are there.
pub fn is_indexed_as_wanted(base: &KnowledgeBase, table: &str) -> Result<bool> {
    let name = CString::new(table).unwrap_or_default();
    Ok(match base.settings.index_kind() {
        None => true,
        Some(kind @ IndexKind::Hnsw) => base.has_relation(&kind.index_of(table)),
        Some(kind @ IndexKind::IvfFlat) => {
            base.has_relation(&kind.index_of(table)) || !base.is_enough_for_ivfflat(&name)?
        }
    })
}

/// Creates the index of the other table that the settings ask for, and drops others: the settings may have changed since the
/// table was made. Returns which index it has.
pub fn index_as_wanted(
    c: &Connection,
    base: &KnowledgeBase,
    schema: &str,
    table: &str,
) -> Result<Option<IndexKind>> {
    let wanted = base.settings.index_kind();
    for kind in IndexKind::ALL.into_iter().filter(|kind| wanted != Some(*kind)) {
        let index = kind.index_of(table);
        if base.has_relation(&index) {
            let values = [("schema", schema), ("index", &index.to_string_lossy())];
            c.run(&spi::render(include_str!("drop_index.sql"), &values))?;
        }
    }
    match wanted {
        Some(kind) if base.has_relation(&kind.index_of(table)) => Ok(wanted),
        _ => base::create_vector_index(c, schema, &base.settings, table, ""),
    }
}

/// Copies grants and row security of `embedding` to the other table, which gets its policies with its name.
pub fn inherit_rights(c: &Connection, schema: &str, table: &str) -> Result<()> {
    let statements = rights(c, &format!("{schema}.{table}"), &format!("{schema}.embedding"))?;
    statements.iter().try_for_each(|statement| c.run(statement))
}

/// The statements that make the policies of `embedding` for the table in its place.
pub fn policies(c: &Connection, schema: &str) -> Result<Vec<String>> {
    let args = [Arg::new(format!("{schema}.embedding"))];
    c.query(include_str!("policies.sql"), Access::Write, Planning::Auto, &args, |row| row.require(1))
}

/// The statements that copy grants and row security from one relation to another, which need not exist yet.
pub fn rights(c: &Connection, to: &str, from: &str) -> Result<Vec<String>> {
    let args = [Arg::new(to), Arg::new(from)];
    c.query(include_str!("inherit_rights.sql"), Access::Write, Planning::Auto, &args, |row| row.require(1))
}
