//! kb_expose.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base::{self, Layout};
use crate::choice::chosen;
use crate::error::Result;

#[pg_extern(volatile, parallel_unsafe)]
fn kb_expose(
    knowledge_base: Option<&str>,
    layout: default!(Option<&str>, "'pgvector'"),
) -> Result<String, ErrorReport> {
    let name = required(knowledge_base, "knowledge_base")?;
    Ok(base::expose(name, chosen(layout, Layout::DEFAULT)?)?)
}
