//! read_knowledge: a document that the agent may find.

use pgrx::Uuid;

use crate::base::KnowledgeBase;
use crate::document::{self, Document};
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg};

/// The document of this id in the first base that has it. None if the agent finds no chunk of it.
pub fn read(bases: &[KnowledgeBase], id: Uuid) -> Result<Option<Document>> {
    for base in bases {
        if finds(base, id)?
            && let Some(found) = document::of_base(base, id)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether a search of the agent may find a chunk of the document.
fn finds(base: &KnowledgeBase, id: Uuid) -> Result<bool> {
    let sql = spi::render(include_str!("read.sql"), &[("schema", &base.quoted_schema())]);
    let filter = base.agent_filter.clone().unwrap_or_default();
    let found = base.read(|| {
        spi::connect(|c| {
            c.query_one(&sql, Access::Read, &[Arg::new(id), Arg::new(filter)], |row| row.require::<Uuid>(1))
        })
    })?;
    Ok(found.is_some())
}
