//! kb_provider_set, kb_provider_drop, kb_provider_list, kb_provider_test, kb_provider_grant, kb_provider_revoke,
//! kb_secret_set, kb_secret_drop, kb_estimate, kb_warm_query.

use std::time::Duration;

use pgrx::Uuid;
use pgrx::datum::Interval;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::cluster::here_or_there;
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::provider::{self, Changes, Scope};
use crate::queue;
use crate::search;
use crate::upkeep;

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kb_provider_set(
    name: Option<&str>,
    kind: default!(Option<&str>, "NULL"),
    base_url: default!(Option<&str>, "NULL"),
    api_key: default!(Option<&str>, "NULL"),
    headers: default!(Option<Jsonb>, "NULL"),
    timeout: default!(Option<Interval>, "NULL"),
    batch_items: default!(Option<i32>, "NULL"),
    batch_tokens: default!(Option<i32>, "NULL"),
    batch_bytes: default!(Option<i32>, "NULL"),
    price_per_million: default!(Option<f64>, "NULL"),
) -> Result<(), ErrorReport> {
    let changes = Changes {
        kind,
        base_url,
        api_key,
        headers: headers.map(|headers| headers.flat()),
        timeout: timeout.map(|timeout| timeout.as_micros() as f64 / 1e6),
        batch_items,
        batch_tokens,
        batch_bytes,
        price_per_million,
    };
    provider::set(name, &changes)?;
    Ok(queue::end_pauses_of_provider(required(name, "name")?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_provider_drop(name: Option<&str>) -> Result<(), ErrorReport> {
    Ok(provider::drop_provider(required(name, "name")?)?)
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)]
fn kb_provider_list() -> Result<
    TableIterator<
        'static,
        (
            name!(name, String),
            name!(builtin, bool),
            name!(kind, &'static str),
            name!(base_url, String),
            name!(api_key, Option<String>),
            name!(headers, Vec<String>),
            name!(timeout, Interval),
            name!(batch_items, Option<i32>),
            name!(batch_tokens, Option<i32>),
            name!(batch_bytes, Option<i32>),
            name!(price_per_million, Option<f64>),
            name!(owner, String),
            name!(granted, bool),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(provider::list()?.into_iter().map(|listed| {
        let row = listed.provider;
        (
            row.name.clone(),
            row.is_builtin,
            row.kind.name(),
            row.base_url(),
            listed.api_key,
            listed.headers,
            shown(row.timeout),
            row.batch_items,
            row.batch_tokens,
            row.batch_bytes,
            row.price_per_million,
            row.owner,
            listed.is_granted,
        )
    })))
}

/// A superuser may have written a longer time than pgrx can make of microseconds.
fn shown(time: Duration) -> Interval {
    const MAX_MICROSECONDS: i64 = 1 << 62;
    Interval::from_micros(
        i64::try_from(time.as_micros()).map_or(MAX_MICROSECONDS, |time| time.min(MAX_MICROSECONDS)),
    )
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_provider_test(
    name: Option<&str>,
    model: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (name!(model, String), name!(dimensions, i32), name!(milliseconds, f64), name!(tokens, Option<i64>)),
    >,
    ErrorReport,
> {
    let trial = upkeep::try_provider(required(name, "name")?, model)?;
    let tokens = trial.tokens.and_then(|tokens| i64::try_from(tokens).ok());
    let row = (trial.model, trial.dimensions as i32, trial.milliseconds, tokens);
    Ok(TableIterator::new(std::iter::once(row)))
}

#[pg_extern(volatile, parallel_unsafe, name = "kb_provider_grant")]
pub(super) fn kb_provider_grant_limited(
    name: Option<&str>,
    role: Option<&str>,
    agent_id: default!(Option<Uuid>, "NULL"),
    auto_sync: default!(Option<bool>, "true"),
) -> Result<(), ErrorReport> {
    let name = required(name, "name")?;
    let scope = Scope { agent: agent_id, auto_sync: auto_sync.unwrap_or(Scope::ALL.auto_sync) };
    provider::grant(name, required(role, "role")?, scope)?;
    Ok(queue::end_pauses_of_provider(name)?)
}

#[pg_extern(volatile, parallel_unsafe, name = "kb_provider_revoke")]
pub(super) fn kb_provider_revoke_limited(
    name: Option<&str>,
    role: Option<&str>,
    agent_id: default!(Option<Uuid>, "NULL"),
) -> Result<(), ErrorReport> {
    Ok(provider::revoke(required(name, "name")?, required(role, "role")?, agent_id)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_secret_set(name: Option<&str>, value: Option<&str>, origin: Option<&str>) -> Result<(), ErrorReport> {
    // The cause of their failures may be gone now.
    provider::set_secret(name, value, origin)?
        .iter()
        .try_for_each(|provider| queue::end_pauses_of_provider(provider))?;
    Ok(())
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_secret_drop(name: Option<&str>) -> Result<(), ErrorReport> {
    Ok(provider::drop_secret(required(name, "name")?)?)
}

#[pg_extern(stable, parallel_restricted, name = "kb_estimate")]
#[allow(clippy::type_complexity)]
pub(super) fn kb_estimate_with_outdated(
    call: Call,
    knowledge_base: Option<&str>,
    model: default!(Option<&str>, "NULL"),
    outdated: default!(Option<bool>, "false"),
    summaries: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(model, String),
            name!(chunks, i64),
            name!(tokens, i64),
            name!(calls, i64),
            name!(cost, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        let knowledge_base = required(knowledge_base, "knowledge_base")?;
        let estimate = upkeep::estimate(knowledge_base, model, outdated.unwrap_or_default(), summaries)?;
        Ok(vec![(estimate.model, estimate.chunks, estimate.tokens, estimate.calls, estimate.cost)])
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_warm_query(call: Call, query: Option<&str>, knowledge_base: Option<&str>) -> Result<(), ErrorReport> {
    Ok(here_or_there(call, || {
        search::warm_query(required(query, "query")?, required(knowledge_base, "knowledge_base")?)
    })?)
}
