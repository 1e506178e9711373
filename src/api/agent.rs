//! kb_agent, kb_attach_agent, kb_detach_agent, kb_agent_list,
//! kb_agent_configure, kb_agent_drop.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base;
use crate::cluster::{self, here_or_there, here_or_vouched_there, of_base_or_all};
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::search;
use crate::web;

#[pg_extern(immutable, parallel_safe)]
fn kb_agent(name: Option<&str>) -> Result<Uuid, ErrorReport> {
    Ok(base::agent_id(required(name, "name")?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_attach_agent(
    call: Call,
    agent_id: Option<Uuid>,
    knowledge_base: Option<&str>,
    filter: default!(Option<Jsonb>, "'{}'"),
) -> Result<(), ErrorReport> {
    let attach = || {
        let (agent, name) = (required(agent_id, "agent_id")?, required(knowledge_base, "knowledge_base")?);
        let filter = filter.unwrap_or_default();
        base::attach_agent(agent, name, filter.clone())?;
        search::remark_of_agent_filter(name, &filter)
    };
    Ok(here_or_vouched_there(call, attach, || Ok(()))?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_detach_agent(
    call: Call,
    agent_id: Option<Uuid>,
    knowledge_base: Option<&str>,
) -> Result<(), ErrorReport> {
    Ok(here_or_there(call, || {
        base::detach_agent(required(agent_id, "agent_id")?, required(knowledge_base, "knowledge_base")?)
    })?)
}

#[pg_extern(stable, parallel_restricted, name = "kb_agent_list")]
#[allow(clippy::type_complexity)]
pub(super) fn kb_agent_list_with_use(
    call: Call,
    knowledge_base: default!(Option<&str>, "NULL"),
    unattached: default!(Option<bool>, "false"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(agent_id, Uuid),
            name!(knowledge_base, String),
            name!(filter, Option<Jsonb>),
            name!(use_knowledge_base, Option<bool>),
            name!(name, Option<String>),
            name!(asked_at, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    let rows = of_base_or_all(call, knowledge_base, || {
        if unattached.unwrap_or_default() {
            let row =
                |u: base::Unattached| (u.agent, u.knowledge_base, None, None, Some(u.name), Some(u.asked_at));
            return Ok(base::unattached(knowledge_base)?.into_iter().map(row).collect::<Vec<_>>());
        }
        let row = |a: base::Attachment| {
            (a.agent, a.knowledge_base, Some(a.filter), Some(a.use_knowledge_base), None, None)
        };
        Ok(base::attachments(knowledge_base)?.into_iter().map(row).collect())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_agent_configure(
    call: Call,
    agent_id: Option<Uuid>,
    use_knowledge_base: default!(Option<bool>, "NULL"),
) -> Result<(), ErrorReport> {
    let agent = required(agent_id, "agent_id")?;
    let has_here = base::has_bases(agent)?;
    Ok(cluster::on_nodes_of_agent(call, agent, has_here, || {
        base::configure_agent(agent, use_knowledge_base)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_agent_drop(
    call: Call,
    agent_id: Option<Uuid>,
    delete_documents: default!(Option<bool>, false),
) -> Result<i64, ErrorReport> {
    let agent = required(agent_id, "agent_id")?;
    let delete_documents = delete_documents.unwrap_or_default();
    let (here, there) = cluster::on_all_nodes(call, || {
        let deleted = base::drop_agent(agent, delete_documents)?;
        Ok(if delete_documents { deleted + web::drop_of_agent(agent)? } else { deleted })
    })?;
    Ok(here + there.into_iter().sum::<i64>())
}
