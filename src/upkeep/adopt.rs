//! kb_adopt: tables of a base that the catalog does not know.

use pgrx::Uuid;
use pgrx::prelude::*;

use super::lexemes;
use crate::attach;
use crate::base::{self, Embed, KnowledgeBase};
use crate::error::Result;
use crate::ingest;
use crate::keyword_index::{self, Place, Repair};
use crate::lock::Lockable;

/// Takes over the tables in a schema, as DROP EXTENSION or a restore of the schema alone leaves them. Nothing is chunked or
/// embedded again, but documents that waited for that are queued. Returns the base's id: the old one if it is free.
pub fn adopt(schema: &str, name: Option<&str>, model: Option<&str>) -> Result<Uuid> {
    let base = base::adopt(schema, name, model)?;
    repair_keyword_index(&base)?;
    base.refresh_functions()?;
    base.connect(|c| {
        let schema = base.quoted_schema();
        // Documents that waited when the extension was dropped, or the dump made.
        if matches!(base.settings.embed, Embed::Auto | Embed::Queued) {
            ingest::queue_pending(c, &base, &schema)?;
        }
        lexemes::enqueue_if_needed(c, &base)
    })?;
    base.queue_index_if_due()?;
    ingest::notify_once(|| attach::adopt(&base))?;
    notice!("adopted knowledge base \"{}\" in schema \"{}\"", base.name, base.schema);
    Ok(base.id)
}

fn repair_keyword_index(base: &KnowledgeBase) -> Result<()> {
    base.connect(|c| {
        if keyword_index::repair(c, base)? == Repair::Damaged {
            base.lock_out_writers(false)?;
            keyword_index::rebuild(c, &Place::for_base(base)?)?;
        }
        Ok(())
    })
}
