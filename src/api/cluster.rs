//! kb_cluster_setup, the function behind the view kb_rag.cluster, and what nodes ask each other.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base;
use crate::cluster;
use crate::pipeline;
use crate::postgres::jsonb::Jsonb;

#[pg_extern(volatile, parallel_unsafe)]
fn kb_cluster_setup() -> Result<(), ErrorReport> {
    Ok(cluster::setup()?)
}

/// The function kb_rag.agent_has_bases of SQL, which other nodes call.
#[pg_extern(sql = false)]
fn agent_has_bases(agent: Option<Uuid>) -> Result<bool, ErrorReport> {
    Ok(base::has_bases(required(agent, "agent")?)?)
}

/// The function kb_rag.administers_agent of SQL, which other nodes call.
#[pg_extern(sql = false)]
fn administers_agent(agent: Option<Uuid>) -> Result<Option<bool>, ErrorReport> {
    Ok(base::is_agent_administered(required(agent, "agent")?)?)
}

/// The function kb_rag.is_node of SQL, which statements for other nodes call there.
#[pg_extern(sql = false)]
fn is_node(node: Option<i32>) -> Result<bool, ErrorReport> {
    Ok(node.map_or(Ok(false), cluster::is_node)?)
}

/// The function kb_rag.vouched_process of SQL, which other nodes call.
#[pg_extern(sql = false)]
fn vouched_process() -> i32 {
    cluster::vouched_process()
}

/// The function kb_rag.vouch of SQL, which other nodes call as the owner of the catalog.
#[pg_extern(sql = false)]
fn vouch(process: Option<i32>, begins: Option<bool>) -> Result<(), ErrorReport> {
    Ok(cluster::vouch(required(process, "process")?, required(begins, "begins")?)?)
}

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn cluster_nodes() -> Result<
    TableIterator<
        'static,
        (
            name!(node, String),
            name!(version, Option<String>),
            name!(bases, Option<i64>),
            name!(chunks, Option<i64>),
            name!(bytes, Option<i64>),
            name!(prepared, Option<i64>),
            name!(lost, Option<i64>),
            name!(unregistered, Option<i64>),
            name!(reachable, bool),
            name!(error, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let states = cluster::states()?;
    let row = |s: cluster::State| {
        let cluster::State {
            node,
            version,
            bases,
            chunks,
            bytes,
            prepared,
            lost,
            unregistered,
            is_reachable,
            error,
        } = s;
        (node, version, bases, chunks, bytes, prepared, lost, unregistered, is_reachable, error)
    };
    Ok(TableIterator::new(states.into_iter().map(row)))
}

/// The function kb_rag.node_state of SQL, which other nodes call.
#[pg_extern(sql = false)]
fn node_state() -> Result<Jsonb, ErrorReport> {
    let statuses = pipeline::status()?;
    let counts = || statuses.iter().filter_map(|status| status.counts.as_ref());
    let chunks = counts().map(|counts| counts.chunks).sum();
    let bytes = counts().filter_map(|counts| Some(counts.table_bytes? + counts.index_bytes?)).sum();
    Ok(cluster::own_state(i64::try_from(statuses.len()).unwrap_or(i64::MAX), chunks, bytes)?)
}
