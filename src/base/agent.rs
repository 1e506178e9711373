//! Which knowledge bases an agent searches.

use pgrx::{Uuid, pg_sys};

use super::{KnowledgeBase, by_name};
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};

/// Attaches the base to the agent; once attached, again is no error.
pub fn attach_agent(agent: Uuid, knowledge_base: &str) -> Result<()> {
    change(agent, knowledge_base, include_str!("attach_agent.sql"))?;
    Ok(())
}

/// Detaches it. 42704 when it is not attached.
pub fn detach_agent(agent: Uuid, knowledge_base: &str) -> Result<()> {
    if change(agent, knowledge_base, include_str!("detach_agent.sql"))? == 0 {
        return Err(Error::not_found(format!(
            "knowledge base \"{knowledge_base}\" is not attached to agent {agent}"
        )));
    }
    Ok(())
}

fn change(agent: Uuid, knowledge_base: &str, sql: &str) -> Result<u64> {
    let base = by_name(knowledge_base, Access::Write)?;
    require_owner(&base)?;
    role::as_catalogue_owner(|| spi::connect(|c| c.execute(sql, &[Arg::new(agent), Arg::new(base.id)])))
}

/// 42501 unless the caller has the rights of the base's owner.
fn require_owner(base: &KnowledgeBase) -> Result<()> {
    let owner = role::table_owner(base.table(c"document")?)?;
    // SAFETY: look-ups by role OID.
    if unsafe { pg_sys::has_privs_of_role(role::current_role(), owner) } {
        return Ok(());
    }
    Err(Error::denied(format!(
        "must be owner of knowledge base \"{}\"",
        base.name
    )))
}
