//! kb_rag in the database that a session is connected to.

use crate::connect::Session;
use crate::error::{Failure, Result};

/// The version of this program.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Arguments of a search, by their parameters in the statements of this program.
const SHAPE: &str = ", match_offset => $11, neighbors => $12::pg_catalog.int4, knowledge_bases => $13, duplicates => coalesce($14, 'keep'), \
    snippet => true, session_id => $15";

/// The extension in a database.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The schema of its functions, quoted.
    pub schema: String,
    /// Whether it has the version of this program, and so reads what this program knows to be read.
    pub has_own_version: bool,
}

impl Extension {
    /// Puts what is known of the extension into a statement: its schema for `{extension}`; for `{highlight}(` the function that
    /// marks words, or one that gives NULL where another version may lack it; for `{search}(` the search that is logged, or `kb_search`;
    /// for `{shape}` the arguments of it that another version may lack; and for `{skipped}` how many of its rows are to be skipped.
    pub fn in_sql(&self, sql: &str) -> String {
        let highlight = if self.has_own_version {
            format!("{}.kb_highlight(", self.schema)
        } else {
            "pg_catalog.concat_ws(NULL, ".to_string()
        };
        let (search, shape, skipped) = if self.has_own_version {
            ("kb_rag.logged_search(", SHAPE, "0")
        } else {
            ("{extension}.kb_search(", "", "$11")
        };
        sql.replace("{highlight}(", &highlight)
            .replace("{search}(", search)
            .replace("{shape}", shape)
            .replace("{skipped}", skipped)
            .replace("{extension}", &self.schema)
    }
}

/// Finds the extension.
///
/// # Errors
/// If the database lacks kb_rag.
pub async fn find(session: &Session) -> Result<Extension> {
    let row = session.client.query_opt(include_str!("extension.sql"), &[]).await?;
    let Some(row) = row else {
        return Err(Failure::new("kb_rag is not installed in this database")
            .hint("Connect to another database, or run CREATE EXTENSION kb_rag CASCADE."));
    };
    let (version, schema): (String, String) = (row.get(0), row.get(1));
    Ok(Extension { schema, has_own_version: version == OWN_VERSION })
}
