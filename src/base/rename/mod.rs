//! Renaming a knowledge base.

use std::panic::AssertUnwindSafe;

use pgrx::{PgTryBuilder, pg_sys};

use super::create::{check_name, exists};
use super::{KnowledgeBase, by_name, find, locked, warn_of_case};
use crate::base::create::objects;
use crate::catalog;
use crate::cluster;
use crate::error::{self, Result, raise};
use crate::postgres::spi::{self, Access, Arg};

/// Gives a base another name, for its owner. Its id and schema stay, so agents, attached tables and statistics do, too.
pub fn rename(name: &str, new_name: &str) -> Result<()> {
    check_name(new_name)?;
    let old = locked(name)?;
    old.require_owner()?;
    if let Some(base) = find(new_name)? {
        return Err(exists(&base.name));
    }
    cluster::require_free(new_name)?;
    let update = || {
        catalog::connect(|c| c.execute(include_str!("rename.sql"), &[Arg::new(old.id), Arg::new(new_name)]))
    };
    // Another transaction may take the name after we looked.
    PgTryBuilder::new(AssertUnwindSafe(update))
        .catch_when(error::UNIQUE_VIOLATION, |_| raise(Err(exists(new_name))))
        .execute()?;
    cluster::rename(name, new_name)?;
    let base = by_name(new_name, Access::Write)?;
    base.store_settings()?;
    base.replace_comment(name)?;
    warn_of_case(new_name)
}

impl KnowledgeBase {
    /// Writes its name into the comment on its schema, unless the comment is a user's.
    fn replace_comment(&self, old_name: &str) -> Result<()> {
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        self.connect(|c| {
            let args = [Arg::new(namespace), Arg::new(objects::comment(old_name))];
            let is_own = c.query_one(include_str!("has_comment.sql"), Access::Write, &args, |row| {
                row.require::<bool>(1)
            })?;
            if is_own != Some(true) {
                return Ok(());
            }
            let comment = spi::quote_literal(&objects::comment(&self.name));
            let values = [("schema", self.quoted_schema()), ("comment", comment)];
            let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
            c.run(&spi::render(include_str!("comment_schema.sql"), &values))
        })
    }
}
