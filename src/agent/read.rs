//! read_knowledge: a document that the agent may find.

use pgrx::Uuid;

use crate::base::KnowledgeBase;
use crate::document::{self, Document};
use crate::error::Result;
use crate::filter::{self, Filter, Rows};
use crate::postgres::spi::{self, Access, Arg};

/// The document of this id in the first base that has it. None if the agent finds no chunk of it.
pub fn read<'a>(bases: impl Iterator<Item = &'a KnowledgeBase>, id: Uuid) -> Result<Option<Document>> {
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
    let schema = base.quoted_schema();
    let filter = base.agent_filter.as_ref().map_or(Ok(None), Filter::read)?;
    let found = base.read(|| {
        spi::connect(|c| {
            let mut args = vec![Arg::new(id)];
            let documents = format!("{schema}.document");
            let chunks = Rows { metadata: "c.metadata", document: Some(&documents) };
            let conditions = filter::conditions(filter.as_ref(), &chunks, &mut args)?;
            let sql =
                spi::render(include_str!("read.sql"), &[("schema", &schema), ("conditions", &conditions)]);
            c.query_one(&sql, Access::Read, &args, |row| row.require::<Uuid>(1))
        })
    })?;
    Ok(found.is_some())
}
