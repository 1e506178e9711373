//! kb_source_list and the rows of kb_rag.source_status: all sources of a base, whatever they are.

use std::collections::HashMap;

use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use super::document;
use super::source::Source;
use super::wait::{self, Wait};
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Planning};

/// One row of kb_source_list.
pub struct Listed {
    pub source_id: Uuid,
    pub knowledge_base: String,
    pub agent_id: Option<Uuid>,
    pub kind: String,
    pub location: String,
    pub title: Option<String>,
    pub content_type: Option<&'static str>,
    pub scrape_method: Option<String>,
    pub crawl_depth: Option<i32>,
    pub exclude_patterns: Option<Vec<String>>,
    pub metadata: Option<Jsonb>,
    pub status: String,
    pub error_message: Option<String>,
    pub documents: Option<i64>,
    pub chunks: Option<i64>,
    pub created_at: Option<TimestampWithTimeZone>,
    pub indexed_at: Option<TimestampWithTimeZone>,
    pub auto_sync: bool,
    pub sync_interval: Option<Interval>,
    pub last_synced_at: Option<TimestampWithTimeZone>,
    pub next_sync_at: Option<TimestampWithTimeZone>,
}

/// The sources of a base, or of all bases that the caller may read; with `agent` those that were added for it. Where row
/// security hides documents, there are only those whose documents the caller sees, and those it added.
pub fn list(knowledge_base: Option<&str>, agent: Option<Uuid>) -> Result<Vec<Listed>> {
    let of = |bases: Vec<KnowledgeBase>| {
        let mut rows = Vec::new();
        for base in bases {
            rows.extend(of_base(&base)?);
        }
        rows.retain(|row: &Listed| agent.is_none() || row.agent_id == agent);
        Ok(rows)
    };
    match knowledge_base {
        Some(name) => {
            let base = base::by_name(name, Access::Read)?;
            base.require_read()?;
            base::naming_base(name, "read", || of(vec![base]))
        }
        None => base::shown(has_any, of),
    }
}

/// Whether a base has a source that is not an attached table. Its tables are not touched.
pub fn has_any(base: &KnowledgeBase) -> Result<bool> {
    Ok(!Source::of_base(base.id, Access::Read)?.is_empty() || attach::has_sources(base)?)
}

/// A row of the table `source`.
struct Row {
    id: Uuid,
    kind: String,
    location: String,
    title: Option<String>,
    status: String,
    error_message: Option<String>,
    auto_sync: bool,
    sync_interval: Option<Interval>,
    last_synced_at: Option<TimestampWithTimeZone>,
    created_at: Option<TimestampWithTimeZone>,
    indexed_at: Option<TimestampWithTimeZone>,
}

fn rows(base: &KnowledgeBase) -> Result<Vec<Row>> {
    let has_times = base.has_own_columns(
        c"source",
        &[(c"created_at", pg_sys::TIMESTAMPTZOID), (c"indexed_at", pg_sys::TIMESTAMPTZOID)],
    );
    let times = if has_times { "created_at, indexed_at" } else { "NULL::timestamptz, NULL::timestamptz" };
    let sql = spi::render(include_str!("rows.sql"), &[("schema", &base.quoted_schema()), ("times", times)]);
    base.read_as_owner(|| {
        spi::connect(|c| {
            c.query(&sql, Access::Read, Planning::Custom, &[], |row| {
                Ok(Row {
                    id: row.require(1)?,
                    kind: row.require(2)?,
                    location: row.require(3)?,
                    title: row.get(4)?,
                    status: row.require(5)?,
                    error_message: row.get(6)?,
                    auto_sync: row.require(7)?,
                    sync_interval: row.get(8)?,
                    last_synced_at: row.get(9)?,
                    created_at: row.get(10)?,
                    indexed_at: row.get(11)?,
                })
            })
        })
    })
}

fn of_base(base: &KnowledgeBase) -> Result<Vec<Listed>> {
    let rows = rows(base)?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let counts: HashMap<Uuid, (i64, i64)> = document::count(base, &ids)?
        .into_iter()
        .map(|(source, documents, chunks)| (source, (documents, chunks)))
        .collect();
    let mut web: HashMap<Uuid, Source> =
        Source::of_base(base.id, Access::Read)?.into_iter().map(|source| (source.id, source)).collect();
    let mut tables: HashMap<Uuid, attach::Overview> =
        attach::overview(base)?.into_iter().map(|table| (table.source_id, table)).collect();
    let mut waits = waits(base)?;
    let (is_secured, caller) = (base.is_row_secured()?, role::role_name(role::current_role())?);
    let mut listed = Vec::new();
    for row in rows {
        let (documents, chunks) = counts.get(&row.id).copied().unwrap_or_default();
        let (of_web, of_table) = (web.remove(&row.id), tables.remove(&row.id));
        if is_secured && documents == 0 && !is_of(of_web.as_ref(), &caller) {
            continue;
        }
        let wait = waits.remove(&row.id);
        listed.push(row.listed(base, (of_web, wait), of_table, (documents, chunks)));
    }
    Ok(listed)
}

/// What the sources of a base wait for.
fn waits(base: &KnowledgeBase) -> Result<HashMap<Uuid, Wait>> {
    Ok(wait::of_base(base.id)?.into_iter().map(|wait| (wait.source, wait)).collect())
}

/// Whether this role added it.
fn is_of(source: Option<&Source>, role: &str) -> bool {
    source.is_some_and(|source| source.requested_by == role)
}

impl Row {
    /// What the catalog knows takes precedence: writers of the base may write the table `source`.
    fn listed(
        self,
        base: &KnowledgeBase,
        (web, wait): (Option<Source>, Option<Wait>),
        table: Option<attach::Overview>,
        (documents, chunks): (i64, i64),
    ) -> Listed {
        let mut listed = Listed {
            source_id: self.id,
            knowledge_base: base.name.clone(),
            agent_id: None,
            kind: self.kind,
            location: self.location,
            title: self.title,
            content_type: None,
            scrape_method: None,
            crawl_depth: None,
            exclude_patterns: None,
            metadata: None,
            status: self.status,
            error_message: self.error_message,
            documents: Some(documents),
            chunks: Some(chunks),
            created_at: self.created_at,
            indexed_at: self.indexed_at,
            auto_sync: self.auto_sync,
            sync_interval: self.sync_interval,
            last_synced_at: self.last_synced_at,
            next_sync_at: None,
        };
        if let Some(table) = table {
            (listed.location, listed.status, listed.error_message) =
                (table.location, table.status, table.error_message);
        }
        if let Some(web) = web {
            if web.is_crawling {
                listed.status = "processing".to_string();
                listed.error_message = wait.map(|wait| wait.message).or(listed.error_message);
            }
            listed.kind = "url".to_string();
            listed.agent_id = web.agent;
            listed.location = web.location;
            listed.title = web.title;
            listed.content_type = Some(web.content_type.name());
            listed.scrape_method = Some(web.scrape_method);
            listed.crawl_depth = Some(web.crawl_depth);
            listed.exclude_patterns = Some(web.exclude_patterns);
            listed.metadata = Some(web.metadata);
            listed.created_at = web.created_at;
            listed.auto_sync = web.auto_sync;
            listed.sync_interval = Some(web.sync_interval);
            listed.next_sync_at = web.next_sync_at;
        }
        listed
    }
}

/// One row of kb_rag.source_status for a URL.
pub struct Overview {
    pub source: Source,
    pub status: String,
    pub error_message: Option<String>,
    /// NULL where row security hides documents.
    pub documents: Option<i64>,
    pub last_synced_at: Option<TimestampWithTimeZone>,
    /// Pages of the last crawl that were fetched, and that were found.
    pub pages_read: i64,
    pub pages_found: i64,
}

/// The URLs of a base that the caller may read.
pub fn overview(base: &KnowledgeBase) -> Result<Vec<Overview>> {
    let mut web: HashMap<Uuid, Source> =
        Source::of_base(base.id, Access::Read)?.into_iter().map(|source| (source.id, source)).collect();
    if web.is_empty() {
        return Ok(Vec::new());
    }
    let pages = pages(&web)?;
    let mut found = Vec::new();
    let (is_secured, caller) = (base.is_row_secured()?, role::role_name(role::current_role())?);
    let mut waits = waits(base)?;
    let rows = rows(base)?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let counts: HashMap<Uuid, i64> =
        document::count(base, &ids)?.into_iter().map(|(id, n, _)| (id, n)).collect();
    for row in rows {
        let Some(source) = web.remove(&row.id) else { continue };
        let (pages_read, pages_found) = pages.get(&row.id).copied().unwrap_or_default();
        let documents = counts.get(&row.id).copied().unwrap_or(0);
        if is_secured && documents == 0 && source.requested_by != caller {
            continue;
        }
        let wait = waits.remove(&row.id).filter(|_| source.is_crawling).map(|wait| wait.message);
        found.push(Overview {
            status: if source.is_crawling { "processing".to_string() } else { row.status },
            error_message: wait.or(row.error_message),
            documents: (!is_secured).then_some(documents),
            last_synced_at: row.last_synced_at,
            pages_read,
            pages_found,
            source,
        });
    }
    Ok(found)
}

fn pages(web: &HashMap<Uuid, Source>) -> Result<HashMap<Uuid, (i64, i64)>> {
    let ids: Vec<Uuid> = web.keys().copied().collect();
    let rows = crate::catalog::connect(|c| {
        let args = [crate::postgres::spi::Arg::new(ids)];
        c.query(include_str!("count_pages.sql"), Access::Read, Planning::Auto, &args, |row| {
            Ok((row.require(1)?, (row.require(2)?, row.require(3)?)))
        })
    })?;
    Ok(rows.into_iter().collect())
}
