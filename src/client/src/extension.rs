//! kb_rag in the database that a session is connected to.

use crate::connect::Session;
use crate::error::{Failure, Result};

/// The schema of the functions of kb_rag, quoted.
///
/// # Errors
/// If the database lacks kb_rag.
pub async fn find(session: &Session) -> Result<String> {
    let row = session.client.query_opt(include_str!("extension.sql"), &[]).await?;
    row.map(|row| row.get(0)).ok_or_else(|| {
        Failure::new("kb_rag is not installed in this database")
            .hint("Connect to another database, or run CREATE EXTENSION kb_rag CASCADE.")
    })
}
