//! The knowledge base that files are loaded into.

use crate::connect::Session;
use crate::error::{Failure, Result};

/// The first version of kb_rag with kb_add_file and kb_call_tool.
const FIRST_VERSION: (u32, u32) = (0, 3);

/// A base that the caller may read.
#[derive(Clone, Debug)]
pub struct Base {
    pub name: String,
    /// The schema of its tables, quoted.
    schema: String,
    /// The schema of the functions of kb_rag, quoted.
    extension: String,
    may_write: bool,
}

impl Base {
    /// Finds a base by name.
    ///
    /// # Errors
    /// The server's own message, with its hint, if the base does not exist or may not be read.
    pub async fn find(session: &Session, name: &str) -> Result<Base> {
        let extension = find_extension(session).await?;
        let find = include_str!("sql/base.sql").replace("{extension}", &extension);
        match session.client.query_opt(&find, &[&name]).await? {
            Some(row) => {
                Ok(Base { name: name.to_string(), schema: row.get(0), extension, may_write: row.get(1) })
            }
            None => {
                let explain = include_str!("sql/explain_base.sql").replace("{extension}", &extension);
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
        Err(Failure::new(format!("permission denied to write to knowledge base \"{name}\"")).hint(format!(
            "An administrator of the knowledge base can grant this privilege: SELECT kb_grant('{}', 'role', 'write')",
            name.replace('\'', "''")
        ))
        .public())
    }

    /// A statement with the names of schemas filled in.
    pub fn sql(&self, statement: &str) -> String {
        statement.replace("{schema}", &self.schema).replace("{extension}", &self.extension)
    }
}

/// The schema of the functions of kb_rag, quoted.
///
/// # Errors
/// If the database lacks kb_rag, or has a version without the functions that this program calls.
pub async fn find_extension(session: &Session) -> Result<String> {
    let row = session.client.query_opt(include_str!("sql/extension.sql"), &[]).await?;
    let Some(row) = row else {
        return Err(Failure::new("kb_rag is not installed in this database")
            .hint("Connect to another database, or run CREATE EXTENSION kb_rag CASCADE."));
    };
    let (version, extension): (String, String) = (row.get(0), row.get(1));
    if numbers(&version) < FIRST_VERSION {
        return Err(Failure::new(format!("kb_rag has version {version} in this database, which is too old"))
            .hint("Install a newer kb_rag on the server, then run ALTER EXTENSION kb_rag UPDATE."));
    }
    Ok(extension)
}

/// The first two numbers of a version.
fn numbers(version: &str) -> (u32, u32) {
    let mut parts = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, is_old) in [("0.2.0", true), ("0.3.0", false), ("0.10.0-rc1", false), ("1.0", false)] {
            assert_eq!(numbers(version) < FIRST_VERSION, is_old, "{version}");
        }
    }
}
