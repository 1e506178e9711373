//! kb_attach, kb_detach, and the function behind the view kb_rag.source_status.

use std::collections::HashMap;

use kb_rag_core::url_template;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{AnyElement, Uuid, pg_sys};

use super::argument::required;
use crate::attach::{self, Request};
use crate::base::{self, KnowledgeBase, RowSecurity};
use crate::choice::{self, Choice};
use crate::error::Result;
use crate::postgres::expression;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::name::{Name, Names};
use crate::postgres::regclass::RegClass;
use crate::postgres::tuple::Value;
use crate::web;

#[pg_extern(volatile, parallel_unsafe, name = "kb_attach")]
#[allow(clippy::too_many_arguments)]
pub(super) fn kb_attach_with_options(
    source: Option<RegClass>,
    knowledge_base: Option<&str>,
    content: Option<Name>,
    title: default!(Option<Name>, "NULL"),
    metadata: default!(Option<Names>, "NULL"),
    source_type: default!(Option<&str>, "'table'"),
    row_security: default!(Option<&str>, "'follow'"),
    mime_type: default!(Option<&str>, "NULL"),
    language: default!(Option<&str>, "NULL"),
    more_content: default!(Option<Names>, "NULL"),
    url: default!(Option<&str>, "NULL"),
    condition: default!(Option<&str>, "NULL"),
    embedding: default!(Option<Name>, "NULL"),
    wait: default!(Option<bool>, false),
    if_not_exists: default!(Option<bool>, false),
) -> Result<Uuid, ErrorReport> {
    let (table, knowledge_base) =
        (required(source, "source")?.0, required(knowledge_base, "knowledge_base")?);
    let content = required(content, "content")?;
    let listed = |names: Option<Names>, argument| -> Result<Vec<String>> {
        let names = names.map_or_else(Vec::new, |names| names.0);
        names.into_iter().map(|name| required(name, argument)).collect()
    };
    let request = Request {
        table,
        content: &content.0,
        title: title.as_ref().map(|name| name.0.as_str()),
        metadata: listed(metadata, "metadata")?,
        source_type: source_type.unwrap_or(attach::DEFAULT_SOURCE_TYPE),
        row_security: choice::chosen(row_security, RowSecurity::DEFAULT)?,
        mime_type,
        language,
        more_content: listed(more_content, "more_content")?,
        url,
        condition,
        embedding: embedding.as_ref().map(|name| name.0.as_str()),
        made_by: None,
        waits: wait.unwrap_or_default(),
        if_not_exists: if_not_exists.unwrap_or_default(),
        labels: HashMap::new(),
    };
    Ok(attach::attach(knowledge_base, &request)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_detach(
    source: Option<RegClass>,
    knowledge_base: Option<&str>,
    delete_documents: default!(Option<bool>, false),
) -> Result<(), ErrorReport> {
    let (table, knowledge_base) =
        (required(source, "source")?.0, required(knowledge_base, "knowledge_base")?);
    Ok(attach::detach(table, knowledge_base, delete_documents.unwrap_or_default())?)
}

/// The function kb_rag.url_encode of SQL.
#[pg_extern(sql = false, immutable, parallel_safe)]
fn url_encode(value: Option<&str>) -> Option<String> {
    value.map(url_template::encoded)
}

/// The function kb_rag.condition_holds of SQL. The values of the columns follow the key.
#[pg_extern(sql = false)]
fn condition_holds(
    condition: Option<&str>,
    names: Option<Vec<Option<String>>>,
    key: Option<&str>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Result<bool, ErrorReport> {
    let condition = required(condition, "condition")?;
    let names: Vec<String> = required(names, "names")?.into_iter().flatten().collect();
    let values = expression::arguments(fcinfo, 3);
    Ok(attach::condition_holds(condition, &names, key, values)?)
}

/// The function kb_rag.as_jsonb of SQL.
#[pg_extern(sql = false)]
fn as_jsonb(value: Option<AnyElement>) -> Result<Option<Jsonb>, ErrorReport> {
    Ok(attach::as_jsonb(value.as_ref().map(Value::from_any))?)
}

/// The function kb_rag.row_is_visible of SQL, which policies of bases call.
#[pg_extern(sql = false)]
fn row_is_visible(source_id: Option<Uuid>, source_key: Option<&str>) -> Result<bool, ErrorReport> {
    Ok(base::row_is_visible(source_id, source_key)?)
}

/// One row of kb_rag.source_status.
pub(super) struct SourceRow {
    pub knowledge_base: String,
    pub source_id: Uuid,
    pub location: String,
    pub status: String,
    pub error_message: Option<String>,
    pub documents: Option<i64>,
    pub rows_read: Option<i64>,
    pub rows_before: Option<i64>,
    pub last_synced_at: Option<TimestampWithTimeZone>,
    pub kind: &'static str,
    pub next_sync_at: Option<TimestampWithTimeZone>,
    pub row_security: Option<&'static str>,
    pub rows_per_second: Option<f64>,
    pub seconds_to_go: Option<f64>,
    pub stale_vectors: Option<i64>,
}

impl SourceRow {
    fn of_table(base: &KnowledgeBase, source: attach::Overview) -> SourceRow {
        SourceRow {
            knowledge_base: base.name.clone(),
            source_id: source.source_id,
            location: source.location,
            status: source.status,
            error_message: source.error_message,
            documents: source.documents,
            rows_read: source.rows_read,
            rows_before: source.rows_before,
            last_synced_at: source.last_synced_at,
            kind: "table",
            next_sync_at: None,
            row_security: Some(source.row_security.name()),
            rows_per_second: source.rows_per_second,
            seconds_to_go: source.seconds_to_go,
            stale_vectors: source.stale_vectors,
        }
    }

    fn of_url(base: &KnowledgeBase, found: web::Overview) -> SourceRow {
        SourceRow {
            knowledge_base: base.name.clone(),
            source_id: found.source.id,
            location: found.source.location,
            status: found.status,
            error_message: found.error_message,
            documents: found.documents,
            rows_read: Some(found.pages_read),
            rows_before: Some(found.pages_found),
            last_synced_at: found.last_synced_at,
            kind: "url",
            next_sync_at: found.source.next_sync_at,
            row_security: None,
            rows_per_second: None,
            seconds_to_go: None,
            stale_vectors: None,
        }
    }

    /// Those of all bases that the caller may read.
    pub fn all() -> Result<Vec<SourceRow>> {
        let sources_of = |bases: Vec<KnowledgeBase>| {
            let mut rows = Vec::new();
            for base in bases {
                rows.extend(
                    attach::overview(&base)?.into_iter().map(|table| SourceRow::of_table(&base, table)),
                );
                rows.extend(web::overview(&base)?.into_iter().map(|url| SourceRow::of_url(&base, url)));
            }
            Ok(rows)
        };
        base::shown(web::has_any, sources_of)
    }
}

/// The function kb_rag.source_overview of SQL.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn source_overview_with_pace() -> Result<
    TableIterator<
        'static,
        (
            name!(knowledge_base, String),
            name!(source_id, Uuid),
            name!(location, String),
            name!(status, String),
            name!(error_message, Option<String>),
            name!(documents, Option<i64>),
            name!(rows_read, Option<i64>),
            name!(rows_before, Option<i64>),
            name!(last_synced_at, Option<TimestampWithTimeZone>),
            name!(kind, &'static str),
            name!(next_sync_at, Option<TimestampWithTimeZone>),
            name!(row_security, Option<&'static str>),
            name!(rows_per_second, Option<f64>),
            name!(seconds_to_go, Option<f64>),
            name!(stale_vectors, Option<i64>),
        ),
    >,
    ErrorReport,
> {
    let row = |row: SourceRow| {
        (
            row.knowledge_base,
            row.source_id,
            row.location,
            row.status,
            row.error_message,
            row.documents,
            row.rows_read,
            row.rows_before,
            row.last_synced_at,
            row.kind,
            row.next_sync_at,
            row.row_security,
            row.rows_per_second,
            row.seconds_to_go,
            row.stale_vectors,
        )
    };
    Ok(TableIterator::new(SourceRow::all()?.into_iter().map(row)))
}
