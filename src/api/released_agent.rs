//! The C symbols of kb_rag 0.3 for agents and grants on providers: see released.rs.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::provider::{kb_provider_grant_limited, kb_provider_revoke_limited};
use crate::base;
use crate::postgres::jsonb::Jsonb;

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn kb_agent_list(
    knowledge_base: Option<&str>,
) -> Result<
    TableIterator<'static, (name!(agent_id, Uuid), name!(knowledge_base, String), name!(filter, Jsonb))>,
    ErrorReport,
> {
    let row = |a: base::Attachment| (a.agent, a.knowledge_base, a.filter);
    Ok(TableIterator::new(base::attachments(knowledge_base)?.into_iter().map(row)))
}

#[pg_extern(sql = false)]
fn kb_provider_grant(name: Option<&str>, role: Option<&str>) -> Result<(), ErrorReport> {
    kb_provider_grant_limited(name, role, None, None)
}

#[pg_extern(sql = false)]
fn kb_provider_revoke(name: Option<&str>, role: Option<&str>) -> Result<(), ErrorReport> {
    kb_provider_revoke_limited(name, role, None)
}
