//! kb_expose.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base::{self, DEFAULT_CONTENT_KEY, Exposure, Layout};
use crate::choice::chosen;
use crate::error::Result;

#[pg_extern(volatile, parallel_unsafe, name = "kb_expose")]
pub(super) fn kb_expose_with_name(
    knowledge_base: Option<&str>,
    layout: default!(Option<&str>, "'pgvector'"),
    name: default!(Option<&str>, "NULL"),
    content_key: default!(Option<&str>, "'content'"),
) -> Result<String, ErrorReport> {
    let knowledge_base = required(knowledge_base, "knowledge_base")?;
    let request = Exposure {
        layout: chosen(layout, Layout::DEFAULT)?,
        view: name,
        content_key: content_key.unwrap_or(DEFAULT_CONTENT_KEY),
    };
    Ok(base::expose(knowledge_base, &request)?)
}
