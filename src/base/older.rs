//! Tables of a base that kb_rag 0.1 or 0.2 made. ALTER EXTENSION UPDATE brings those that are there to this version; a dump
//! that is restored later brings tables that no update has reached.

use std::ffi::CStr;

use pgrx::pg_sys;

use super::shape::column;
use super::{KnowledgeBase, objects};
use crate::error::{Error, Result};
use crate::guc;
use crate::lookup;
use crate::spi;

/// A column that had another name.
struct Renamed {
    table: &'static CStr,
    before: &'static CStr,
    now: &'static CStr,
    /// What gives it its name and comment.
    update: &'static str,
}

const RENAMED: [Renamed; 1] = [Renamed {
    table: c"chunk",
    before: c"words",
    now: c"length",
    update: include_str!("update_tables.sql"),
}];

impl Renamed {
    fn is_older(&self, namespace: pg_sys::Oid) -> bool {
        column(namespace, self.table, self.now).is_none()
            && column(namespace, self.table, self.before).is_some()
    }
}

impl KnowledgeBase {
    /// 55000 where an older version made its tables.
    pub(super) fn require_present_tables(&self) -> Result<()> {
        self.namespace.map_or(Ok(()), require_present_tables)
    }
}

/// 55000 where an older version made the tables in a schema.
pub fn require_present_tables(namespace: pg_sys::Oid) -> Result<()> {
    if !RENAMED.iter().any(|renamed| renamed.is_older(namespace)) && !lacks_keyword_index(namespace) {
        return Ok(());
    }
    let schema = lookup::schema_name(namespace)?;
    Err(Error::not_ready(format!(
        "the tables in schema \"{schema}\" were made by an older version of kb_rag"
    ))
    .hint(format!("Run SELECT kb_adopt({}) to update them.", spi::quote_literal(&schema))))
}

/// Gives the tables in a schema, an identifier in `quoted`, the names of this version; false where they have them. Run as
/// their owner.
pub(super) fn update(namespace: pg_sys::Oid, quoted: &str) -> Result<bool> {
    let older: Vec<&Renamed> = RENAMED.iter().filter(|renamed| renamed.is_older(namespace)).collect();
    for renamed in &older {
        spi::connect(|c| c.run(&spi::render(renamed.update, &[("schema", quoted)])))?;
    }
    let converts = lacks_keyword_index(namespace);
    if converts {
        let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
        let sql = spi::render(include_str!("convert_keyword.sql"), &[("schema", quoted)]);
        guc::with_settings(quiet, || {
            spi::connect(|c| {
                c.run(&sql)?;
                objects::create_keyword_tables(c, quoted)
            })
        })?;
    }
    Ok(converts || !older.is_empty())
}

/// Whether the chunks have no numbers, as before kb_rag 0.3, where a GIN index held levels of lexemes.
fn lacks_keyword_index(namespace: pg_sys::Oid) -> bool {
    column(namespace, c"chunk", c"tsv").is_some() && column(namespace, c"chunk", c"keyword_number").is_none()
}
