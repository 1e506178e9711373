//! kb_agent, kb_attach_agent, kb_detach_agent.

use kb_rag_core::agent;
use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base;
use crate::error::{Error, Result};

#[pg_extern(immutable, parallel_safe)]
fn kb_agent(name: Option<&str>) -> Result<Uuid, ErrorReport> {
    let name = required(name, "name")?;
    if name.trim().is_empty() {
        return Err(Error::invalid("the name of the agent is empty")
            .hint("Use the name that the application gives the agent, such as agt_xyz789.")
            .into());
    }
    Ok(Uuid::from_bytes(agent::id_of(name)))
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_attach_agent(agent_id: Option<Uuid>, knowledge_base: Option<&str>) -> Result<(), ErrorReport> {
    Ok(base::attach_agent(required(agent_id, "agent_id")?, required(knowledge_base, "knowledge_base")?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_detach_agent(agent_id: Option<Uuid>, knowledge_base: Option<&str>) -> Result<(), ErrorReport> {
    Ok(base::detach_agent(required(agent_id, "agent_id")?, required(knowledge_base, "knowledge_base")?)?)
}
