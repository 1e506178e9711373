//! The view that kb_expose made, while the table of the vectors is replaced.

use super::vectors;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Connection, Planning};

/// Runs `replace` while there is no such view, and makes the view again: with its definition, whose vectors have other
/// dimensions then, and with its comments and privileges. The view is locked.
pub fn with_view(c: &Connection, base: &KnowledgeBase, replace: impl FnOnce() -> Result<()>) -> Result<()> {
    let Some(view) = base.collection()? else { return replace() };
    let name = base.collection_name();
    let args = [Arg::new(view), Arg::new(name.as_str())];
    let sql = include_str!("collection_statements.sql");
    let mut statements =
        c.query(sql, Access::Latest, Planning::Auto, &args, |row| row.require::<String>(1))?;
    statements.extend(vectors::rights(c, &name, &name)?);
    base.drop_collection(c)?;
    replace()?;
    statements.iter().try_for_each(|statement| c.run(statement))
}
