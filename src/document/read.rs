//! kb_read: one document.

use pgrx::Uuid;

use super::level::Level;
use super::rows::{self, Details, Document};
use super::scope::{self, Purpose};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::spi::Access;

/// The document, with its text at `level`. 42704 where there is none that the caller may see.
pub fn read(id: Uuid, level: Level, knowledge_base: Option<&str>) -> Result<Document> {
    // The overview is a column of its own.
    let level = if level == Level::Content { level } else { Level::Overview };
    let purpose = Purpose { access: Access::Read, verb: "read", check: |_| Ok(()) };
    let found = scope::with_base_of(id, knowledge_base, &purpose, |base| {
        let Some(base) = base else { return Ok(None) };
        Ok(rows::read(base, vec![id], &Details { level, counts_chunks: true })?.remove(&id))
    })?;
    found.ok_or_else(|| {
        Error::not_found(format!("document \"{id}\" does not exist"))
            .hint("kb_browse and kb_search_documents show the documents that you may read.")
    })
}

/// A document of a base, with its whole text. None where there is none that the caller may see.
pub fn of_base(base: &KnowledgeBase, id: Uuid) -> Result<Option<Document>> {
    let details = Details { level: Level::Content, counts_chunks: false };
    Ok(rows::read(base, vec![id], &details)?.remove(&id))
}
