//! kb_add.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::cluster::here_or_there;
use crate::error::Result;
use crate::ingest::{self, Addition};
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::queue;

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kb_add(
    call: Call,
    knowledge_base: Option<&str>,
    content: Option<&str>,
    title: default!(Option<&str>, "NULL"),
    source_key: default!(Option<&str>, "NULL"),
    source_type: default!(Option<&str>, "'document'"),
    metadata: default!(Option<Jsonb>, "'{}'"),
    mime_type: default!(Option<&str>, "NULL"),
    language: default!(Option<&str>, "NULL"),
) -> Result<Uuid, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let knowledge_base = required(knowledge_base, "knowledge_base")?;
        let addition = Addition {
            content: required(content, "content")?,
            title,
            source_key,
            source_type: source_type.unwrap_or(ingest::DEFAULT_SOURCE_TYPE),
            metadata: metadata.unwrap_or_default(),
            mime_type,
            language,
        };
        ingest::add(knowledge_base, &addition)
    })?)
}
