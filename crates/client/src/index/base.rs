//! The knowledge base that files are loaded into.

use tokio_postgres::error::SqlState;

use crate::connect::Session;
use crate::error::{Failure, Result};
use crate::extension::{self, Extension};

/// A base that the caller may read.
#[derive(Clone, Debug)]
pub struct Base {
    pub name: String,
    /// The schema of its tables, quoted.
    schema: String,
    pub extension: Extension,
    may_write: bool,
    /// Whether documents keep which versions of readers and of the chunker made them: those of kb_rag 0.3 do not.
    keeps_versions: bool,
}

impl Base {
    /// Finds a base by name.
    ///
    /// # Errors
    /// The server's own message, with its hint, if the base does not exist or may not be read.
    pub async fn find(session: &Session, name: &str) -> Result<Base> {
        let extension = extension::find(session).await?;
        let find = include_str!("sql/base.sql").replace("{extension}", &extension.schema);
        match session.client.query_opt(&find, &[&name]).await? {
            Some(row) => Ok(Base {
                name: name.to_string(),
                schema: row.get(0),
                extension,
                may_write: row.get(1),
                keeps_versions: row.get(2),
            }),
            None => {
                let explain = include_str!("sql/explain_base.sql").replace("{extension}", &extension.schema);
                session.client.query(&explain, &[&name]).await?;
                Err(Failure::new(format!("knowledge base \"{name}\" cannot be read")))
            }
        }
    }

    /// # Errors
    /// If the caller may not write documents and sources.
    pub fn require_write(&self) -> Result<()> {
        if self.may_write {
            return Ok(());
        }
        let name = &self.name;
        let denied = Failure::new(format!("permission denied to write to knowledge base \"{name}\"")).hint(format!(
            "An administrator of the knowledge base can grant this privilege: SELECT kb_grant('{}', 'role', 'write')",
            name.replace('\'', "''")
        ));
        Err(Failure { code: Some(SqlState::INSUFFICIENT_PRIVILEGE), ..denied.public() })
    }

    /// A statement with the names of schemas filled in, and for `{outdated}` whether an earlier version made a document `d`.
    pub fn sql(&self, statement: &str) -> String {
        let outdated = if self.keeps_versions { include_str!("sql/outdated.sql") } else { "false" };
        statement
            .replace("{outdated}", outdated)
            .replace("{schema}", &self.schema)
            .replace("{extension}", &self.extension.schema)
    }
}
