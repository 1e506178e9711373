//! kb_add_url, kb_source_sync, kb_source_list, kb_source_drop.

use pgrx::Uuid;
use pgrx::datum::{Array, Interval};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::choice::chosen;
use crate::cluster::{here_or_there, of_base_or_all};
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::queue;
use crate::web::{self, BASIC, ContentType, DEFAULT_DEPTH, DEFAULT_INTERVAL, DEFAULT_PAGES, Request};

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kb_add_url(
    call: Call,
    knowledge_base: Option<&str>,
    url: Option<&str>,
    title: default!(Option<&str>, "NULL"),
    content_type: default!(Option<&str>, "'webpage'"),
    metadata: default!(Option<Jsonb>, "'{}'"),
    crawl_depth: default!(Option<i32>, 1),
    max_pages: default!(Option<i32>, 50),
    exclude_patterns: default!(Option<Array<'_, String>>, "'{}'"),
    scrape_method: default!(Option<&str>, "'basic'"),
    auto_sync: default!(Option<bool>, false),
    sync_interval: default!(Option<Interval>, "'24 hours'"),
    agent_id: default!(Option<Uuid>, "NULL"),
) -> Result<Uuid, ErrorReport> {
    Ok(here_or_there(call, || {
        let request = Request {
            url: required(url, "url")?,
            title,
            content_type: chosen(content_type, ContentType::DEFAULT)?,
            metadata: metadata.unwrap_or_default(),
            crawl_depth: crawl_depth.unwrap_or(DEFAULT_DEPTH),
            max_pages: max_pages.unwrap_or(DEFAULT_PAGES),
            exclude_patterns: exclude_patterns
                .map(|patterns| patterns.iter().flatten().collect())
                .unwrap_or_default(),
            scrape_method: scrape_method.unwrap_or(BASIC),
            auto_sync: auto_sync.unwrap_or_default(),
            sync_interval: sync_interval.unwrap_or_else(|| Interval::from_micros(DEFAULT_INTERVAL)),
            agent: agent_id,
        };
        web::add(required(knowledge_base, "knowledge_base")?, &request)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_source_sync(
    source_id: default!(Option<Uuid>, "NULL"),
    force: default!(Option<bool>, false),
) -> Result<i64, ErrorReport> {
    Ok(web::sync(source_id, force.unwrap_or_default())?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_source_drop(source_id: Option<Uuid>) -> Result<(), ErrorReport> {
    Ok(web::drop_source(required(source_id, "source_id")?)?)
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)]
fn kb_source_list(
    call: Call,
    knowledge_base: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<Uuid>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(source_id, Uuid),
            name!(knowledge_base, String),
            name!(agent_id, Option<Uuid>),
            name!(kind, String),
            name!(location, String),
            name!(title, Option<String>),
            name!(content_type, Option<String>),
            name!(scrape_method, Option<String>),
            name!(crawl_depth, Option<i32>),
            name!(exclude_patterns, Option<Vec<String>>),
            name!(metadata, Option<Jsonb>),
            name!(status, String),
            name!(error_message, Option<String>),
            name!(documents, Option<i64>),
            name!(chunks, Option<i64>),
            name!(created_at, Option<TimestampWithTimeZone>),
            name!(indexed_at, Option<TimestampWithTimeZone>),
            name!(auto_sync, bool),
            name!(sync_interval, Option<Interval>),
            name!(last_synced_at, Option<TimestampWithTimeZone>),
            name!(next_sync_at, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    let row = |source: web::Listed| {
        (
            source.source_id,
            source.knowledge_base,
            source.agent_id,
            source.kind,
            source.location,
            source.title,
            source.content_type.map(str::to_string),
            source.scrape_method,
            source.crawl_depth,
            source.exclude_patterns,
            source.metadata,
            source.status,
            source.error_message,
            source.documents,
            source.chunks,
            source.created_at,
            source.indexed_at,
            source.auto_sync,
            source.sync_interval,
            source.last_synced_at,
            source.next_sync_at,
        )
    };
    let rows = of_base_or_all(call, knowledge_base, || {
        queue::wake_if_idle();
        Ok(web::list(knowledge_base, agent_id)?.into_iter().map(row).collect())
    })?;
    Ok(TableIterator::new(rows))
}
