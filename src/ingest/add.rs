//! kb_add: one document, replaced when its source key is known.

use pgrx::{Uuid, pg_sys};

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::jsonb::Jsonb;
use crate::role;
use crate::spi::{self, Access, Arg, Connection};

/// What kb_add was given, every argument checked for NULL.
pub struct Addition<'a> {
    pub content: &'a str,
    pub title: Option<&'a str>,
    pub source_key: Option<&'a str>,
    pub source_type: &'a str,
    pub metadata: Jsonb,
    pub mime_type: Option<&'a str>,
}

/// Adds or replaces the document; the triggers chunk and embed it. The statement runs as the base's owner after the
/// caller's rights are checked, unless row security decides which rows the caller may write: then as the caller.
pub fn add(knowledge_base: &str, addition: &Addition) -> Result<Uuid> {
    if !addition.metadata.is_object() {
        return Err(
            Error::invalid("metadata must be a JSON object").hint("For example '{\"team\": \"support\"}'.")
        );
    }
    let base = base::by_name(knowledge_base, Access::Write)?;
    let table = base.table(c"document")?;
    // SAFETY: a look-up for an existing table and the current role.
    let secured = unsafe { pg_sys::check_enable_rls(table, pg_sys::InvalidOid, true) }
        == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32;
    let write = || spi::connect(|c| upsert(c, &base, addition));
    if secured {
        return role::with_settings(&[], write);
    }
    check_rights(&base, table, addition.source_key.is_some())?;
    role::run_as(role::table_owner(table)?, write)
}

/// 42501 unless the caller may insert documents, and update them when one may be replaced.
fn check_rights(base: &KnowledgeBase, table: pg_sys::Oid, replaces: bool) -> Result<()> {
    let caller = role::current_role();
    let allowed = spi::connect(|c| {
        c.query_one(
            include_str!("may_write.sql"),
            Access::Read,
            &[
                Arg::new(caller),
                Arg::new(base.schema.as_str()),
                Arg::new(table),
                Arg::new(replaces),
            ],
            |row| row.require::<bool>(1),
        )
    })?;
    if allowed == Some(true) {
        return Ok(());
    }
    Err(Error::denied(format!(
        "permission denied to write to knowledge base \"{}\"",
        base.name
    ))
    .hint(format!(
        "Grant USAGE on schema {0} and INSERT, UPDATE on {0}.document.",
        base.quoted_schema()
    )))
}

fn upsert(connection: &Connection, base: &KnowledgeBase, addition: &Addition) -> Result<Uuid> {
    let schema = base.quoted_schema();
    let upsert = spi::render(include_str!("upsert.sql"), &[("schema", &schema)]);
    let existing = spi::render(include_str!("existing.sql"), &[("schema", &schema)]);
    loop {
        let written = connection.query_one(
            &upsert,
            Access::Write,
            &[
                Arg::new(addition.source_type),
                Arg::new(addition.source_key),
                Arg::new(addition.title),
                Arg::new(addition.content),
                Arg::new(addition.mime_type),
                Arg::new(addition.metadata.clone()),
            ],
            |row| row.require(1),
        )?;
        if let Some(id) = written {
            return Ok(id);
        }
        // Nothing was written: the same document is there already, unless somebody deleted it just now.
        let found = connection.query_one(
            &existing,
            Access::Write,
            &[Arg::new(addition.source_type), Arg::new(addition.source_key)],
            |row| row.require(1),
        )?;
        if let Some(id) = found {
            return Ok(id);
        }
        pgrx::check_for_interrupts!();
    }
}
