//! The views that kb_expose made, while the table of the vectors is replaced.

use kb_rag_core::sql_text;

use super::vectors;
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Connection, Planning};

/// Runs `replace` while there are no such views, and makes them again: with their definitions, whose vectors have other
/// dimensions then, and with their comments and privileges. A column that names the model of the vectors gets the new one. The views
/// are locked.
pub fn with_views(
    c: &Connection,
    base: &KnowledgeBase,
    model: &str,
    replace: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let views = base.exposed()?;
    let mut statements = Vec::new();
    for view in &views {
        let args = [Arg::new(view.oid), Arg::new(view.name.as_str())];
        let sql = include_str!("collection_statements.sql");
        let made = c.query(sql, Access::Latest, Planning::Auto, &args, |row| row.require::<String>(1))?;
        statements.extend(made.into_iter().map(|statement| sql_text::with_literal(&statement, MODEL, model)));
        statements.extend(vectors::rights(c, &view.name, &view.name)?);
    }
    views.iter().try_for_each(|view| base::drop_view(c, &view.name))?;
    replace()?;
    statements.iter().try_for_each(|statement| c.run(statement))
}

/// Follows a literal with the name of the model in the definition of a view.
const MODEL: &str = "::text AS model";
