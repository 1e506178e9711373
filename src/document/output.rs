//! kb_add_output: what an agent wrote, as a document.

use kb_rag_core::agent;
use pgrx::Uuid;

use crate::base;
use crate::error::{Error, Result};
use crate::ingest::{self, Addition};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg};
use crate::settings;

/// The source type of these documents.
const SOURCE_TYPE: &str = "agent_output";

/// Adds what an agent wrote. None where kb_rag.auto_index is off, or the text is not longer than
/// kb_rag.auto_index_min_chars. Without a key, so that two outputs are two documents.
pub fn add_output(
    knowledge_base: &str,
    output: &str,
    agent: Option<&str>,
    title: Option<&str>,
    metadata: Jsonb,
) -> Result<Option<Uuid>> {
    ingest::check_metadata(&metadata)?;
    let metadata = match agent {
        Some(name) => with_agent(metadata, name)?,
        None => metadata,
    };
    // A name that no base has, or a base of others, is an error for short texts too.
    ingest::require_insert(&base::by_name(knowledge_base, Access::Write)?)?;
    let is_longer = output.trim().chars().nth(settings::auto_index_min_chars()).is_some();
    if !settings::auto_index() || !is_longer {
        return Ok(None);
    }
    let addition = Addition {
        content: output,
        title,
        source_key: None,
        source_type: SOURCE_TYPE,
        metadata,
        mime_type: None,
        language: None,
    };
    ingest::add(knowledge_base, &addition).map(Some)
}

/// The metadata with the id of the agent, by which kb_agent_drop and filters of agents find its documents, and its name. 22023
/// where the metadata says otherwise.
fn with_agent(metadata: Jsonb, name: &str) -> Result<Jsonb> {
    let id = base::agent_id(name)?;
    let name = agent::as_uuid(name).is_none().then_some(name);
    let sql = include_str!("agent_metadata.sql");
    let found = guc::with_settings(&[], || {
        spi::connect(|c| {
            let args = [Arg::new(metadata), Arg::new(id.to_string()), Arg::new(name)];
            c.query_one(sql, Access::Read, &args, |row| Ok((row.require::<Jsonb>(1)?, row.get::<String>(2)?)))
        })
    })?;
    match found {
        Some((metadata, None)) => Ok(metadata),
        Some((_, Some(key))) => {
            Err(Error::invalid(format!("metadata has another \"{key}\" than the argument agent_id gives"))
                .hint(format!("Leave \"{key}\" out of metadata: kb_add_output writes it.")))
        }
        None => Err(Error::internal("a query of one row gave none")),
    }
}
