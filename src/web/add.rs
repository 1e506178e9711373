//! kb_add_url: a URL to make documents from.

use kb_rag_core::web::github::Repository;
use kb_rag_core::web::{Patterns, UrlFault, WebUrl};
use pgrx::Uuid;
use pgrx::datum::Interval;

use super::source::{BASIC, ContentType, Source};
use super::{access, document, schedule, wait};
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::ingest;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::uuid;
use crate::provider::ProviderKind;
use crate::queue::{self, Kind};
use crate::settings;

/// Defaults of kb_add_url: how many links are followed, and how many pages a source has.
pub const DEFAULT_DEPTH: i32 = 1;
pub const DEFAULT_PAGES: i32 = 50;
/// A day, in microseconds.
pub const DEFAULT_INTERVAL: i64 = 24 * 3600 * 1_000_000;

const MAX_DEPTH: i32 = 10;
const MAX_PAGES: i32 = 10_000;
/// Sites that are asked more often would see it as an attack. In microseconds, as the next ones.
const MIN_INTERVAL: i128 = 15 * 60 * 1_000_000;
const DAY: i128 = 24 * 3600 * 1_000_000;
/// A twelfth of a year of 365 days and a quarter.
const MONTH: i128 = DAY * 36_525 / 1_200;
/// Ten years, with at most three leap days.
const MAX_INTERVAL: i128 = 3_653 * DAY;

/// The arguments of kb_add_url.
pub struct Request<'a> {
    pub url: &'a str,
    pub title: Option<&'a str>,
    pub content_type: ContentType,
    pub metadata: Jsonb,
    pub crawl_depth: i32,
    pub max_pages: i32,
    pub exclude_patterns: Vec<String>,
    pub scrape_method: &'a str,
    pub auto_sync: bool,
    pub sync_interval: Interval,
    pub agent: Option<Uuid>,
}

/// Adds a URL, or gives one that was added for the same agent new settings, and queues its fetching. Returns the id of its
/// source, which stays.
pub fn add(knowledge_base: &str, request: &Request) -> Result<Uuid> {
    let url = request.check().map_err(|error| match WebUrl::parse(knowledge_base) {
        Ok(_) => error.hint("The name of the knowledge base comes before the URL."),
        Err(_) => error,
    })?;
    let base = base::by_name(knowledge_base, Access::Write)?;
    base::naming_base(&base.name, "written to", || write(&base, request, &url))
}

impl Request<'_> {
    /// 22023 for arguments that cannot be obeyed; returns the URL in its normal form.
    fn check(&self) -> Result<WebUrl> {
        let url = WebUrl::parse(self.url).map_err(|fault| {
            // A password in it is not repeated. Where the URL cannot be read, what comes before an @ may be one.
            let is_secret = fault == UrlFault::UserName || self.url.contains('@');
            let shown = if is_secret { String::new() } else { format!(" \"{}\"", self.url.trim()) };
            Error::invalid(format!("url{shown} {fault}"))
                .hint("Use an address as a browser shows it, such as https://example.com/docs/.")
        })?;
        ingest::check_metadata(&self.metadata)?;
        for (name, value, min, max) in
            [("crawl_depth", self.crawl_depth, 0, MAX_DEPTH), ("max_pages", self.max_pages, 1, MAX_PAGES)]
        {
            if !(min..=max).contains(&value) {
                return Err(Error::invalid(format!("{name} {value} is out of range"))
                    .hint(format!("Use {min} to {max}.")));
            }
        }
        Patterns::parse(&self.exclude_patterns).map_err(|fault| {
            Error::invalid(fault.to_string())
                .hint("A pattern is a path, in which * stands for any characters: /blog/* or *.pdf.")
        })?;
        check_interval(self.sync_interval)?;
        if self.content_type == ContentType::GitHub {
            Repository::parse(&url)
                .map_err(|fault| Error::invalid(format!("url \"{}\" {fault}", url.as_str())))?;
            if self.scrape_method != BASIC {
                return Err(Error::invalid(format!(
                    "a repository cannot be fetched with scrape_method \"{}\"",
                    self.scrape_method
                ))
                .hint("Leave scrape_method out: the provider github fetches repositories."));
            }
        }
        Ok(url)
    }

    fn source(&self, base: &KnowledgeBase, url: &WebUrl) -> Result<Source> {
        Ok(Source {
            id: uuid::v7()?,
            base: base.id,
            agent: self.agent,
            location: url.as_str().to_string(),
            title: self.title.map(str::to_string),
            content_type: self.content_type,
            scrape_method: self.scrape_method.to_string(),
            crawl_depth: self.crawl_depth,
            max_pages: self.max_pages,
            exclude_patterns: self.exclude_patterns.clone(),
            metadata: self.metadata.clone(),
            requested_by: role::role_name(role::current_role())?,
            auto_sync: self.auto_sync,
            sync_interval: self.sync_interval,
            crawl: 0,
            scope: None,
            created_at: None,
            is_crawling: false,
            is_forced: false,
            is_complete: true,
            remote_crawl: None,
            next_sync_at: None,
        })
    }
}

fn write(base: &KnowledgeBase, request: &Request, url: &WebUrl) -> Result<Uuid> {
    let mut source = request.source(base, url)?;
    // Whether the caller may write any document there, and this one: row security may deny its metadata. The base comes first: of one
    // that the caller does not see, no provider is told.
    ingest::require_writer(base, role::current_role())?;
    let provider = access::provider_for(&source, base, role::current_role())?;
    ingest::try_write(base, || document::try_insert(base, &source))?;
    refuse_taken(base, &source)?;
    refuse_private(url, provider.kind)?;
    if let Some(id) = lost_row(base, &source)? {
        source.id = id;
    }
    source.id = source.write()?;
    write_row(base, &source)?;
    schedule::begin(&source)?;
    if wait::may_begin(base, &source, false)? {
        queue::requeue(base.id, Kind::Source, source.id)?;
    }
    Ok(source.id)
}

/// 42501 where the URL was added for documents that row security hides from the caller.
fn refuse_taken(base: &KnowledgeBase, source: &Source) -> Result<()> {
    match source.find_same()? {
        Some(taken) if !access::is_own(&taken, base)? => Err(Error::denied(
            "the URL was added already, for documents that row security does not let you write",
        )
        .hint("Add it with an agent_id of your own.")),
        _ => Ok(()),
    }
}

/// 42501 for an address in the server's own networks. Names are resolved, and checked, when they are fetched; a service that
/// fetches for us may be inside of a network, too.
fn refuse_private(url: &WebUrl, kind: ProviderKind) -> Result<()> {
    if kind == ProviderKind::GitHub || !kb_rag_http::is_private_host(url.host()) {
        return Ok(());
    }
    let address = url.host_and_port();
    if settings::is_allowed_host(&address) {
        return Ok(());
    }
    Err(private(&address))
}

/// 22023 for an interval after which nothing can be fetched again. Its months, days and times are added one after the other, so
/// none of them may be negative.
fn check_interval(interval: Interval) -> Result<()> {
    let (months, days, micros) = (interval.months(), interval.days(), interval.micros());
    let length = i128::from(months) * MONTH + i128::from(days) * DAY + i128::from(micros);
    let fault = if months < 0 || days < 0 || micros < 0 {
        "has a negative part"
    } else if length < MIN_INTERVAL {
        "is too short"
    } else if length > MAX_INTERVAL {
        "is too long"
    } else {
        return Ok(());
    };
    Err(Error::invalid(format!("sync_interval {fault}"))
        .hint("Use at least 15 minutes and at most 10 years, such as '6 hours'."))
}

/// The error for a private address.
pub fn private(address: &str) -> Error {
    Error::denied(format!("not allowed to fetch from {address}, a private address"))
        .hint(format!("Superusers can add {address} to kb_rag.allowed_hosts."))
}

/// The row of the table `source` that the URL had before the catalog was lost, as after kb_adopt: its documents are used again.
fn lost_row(base: &KnowledgeBase, source: &Source) -> Result<Option<Uuid>> {
    let sql = spi::render(include_str!("lost_row.sql"), &[("schema", &base.quoted_schema())]);
    let found: Vec<Uuid> = base.connect(|c| {
        let agent = source.agent.map(|agent| agent.to_string());
        let args = [Arg::new(source.location.as_str()), Arg::new(agent)];
        c.query(&sql, Access::Write, Planning::Auto, &args, |row| row.require(1))
    })?;
    for id in found {
        // A writer of the table may have used the id of another source.
        if Source::find(id, Access::Write)?.is_none() && !attach::is_attached(id)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The row of the table `source`, for information only.
fn write_row(base: &KnowledgeBase, source: &Source) -> Result<()> {
    let options = serde_json::json!({
        "content_type": crate::choice::Choice::name(source.content_type),
        "scrape_method": source.scrape_method,
        "crawl_depth": source.crawl_depth,
        "max_pages": source.max_pages,
        "exclude_patterns": source.exclude_patterns,
        "agent_id": source.agent.map(|agent| agent.to_string()),
    });
    let sql = spi::render(include_str!("write_row.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| {
        let args = [
            Arg::new(source.id),
            Arg::new(source.location.as_str()),
            Arg::new(source.title.as_deref()),
            Arg::new(options.to_string()),
            Arg::new(source.auto_sync),
            Arg::new(source.sync_interval),
        ];
        c.execute(&sql, &args)
    })?;
    Ok(())
}
