//! kb_rag in the database that a session is connected to.

use crate::connect::Session;
use crate::error::{Failure, Result};

/// The first version of kb_rag with kb_add_file and kb_call_tool.
const FIRST_VERSION: (u32, u32) = (0, 3);

/// The schema of the functions of kb_rag, quoted.
///
/// # Errors
/// If the database lacks kb_rag, or has a version without the functions that this program calls.
pub async fn find(session: &Session) -> Result<String> {
    let row = session.client.query_opt(include_str!("extension.sql"), &[]).await?;
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
