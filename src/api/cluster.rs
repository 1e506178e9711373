//! kb_cluster_setup, the function behind the view kb_rag.cluster, and what nodes ask each other.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base;
use crate::cluster;

#[pg_extern(volatile, parallel_unsafe)]
fn kb_cluster_setup() -> Result<(), ErrorReport> {
    Ok(cluster::setup()?)
}

/// The function kb_rag.agent_has_bases of SQL, which other nodes call.
#[pg_extern(sql = false)]
fn agent_has_bases(agent: Option<Uuid>) -> Result<bool, ErrorReport> {
    Ok(base::has_bases(required(agent, "agent")?)?)
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
            name!(reachable, bool),
            name!(error, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let states = cluster::states()?;
    Ok(TableIterator::new(
        states.into_iter().map(|s| (s.node, s.version, s.bases, s.chunks, s.bytes, s.is_reachable, s.error)),
    ))
}
