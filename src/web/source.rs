//! A URL that documents are made from: a row of kb_rag.web_source.

use kb_rag_core::web::{Patterns, Scope, WebUrl};
use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use crate::base::KnowledgeBase;
use crate::catalog;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning, Row};

/// What a URL is the address of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentType {
    /// One page, or a file such as a PDF.
    Webpage,
    /// A site: the page, and the pages below its path that it leads to.
    Docs,
    /// A repository.
    GitHub,
}

impl Choice for ContentType {
    const WHAT: &'static str = "content_type";
    const ALL: &'static [ContentType] = &[ContentType::Webpage, ContentType::Docs, ContentType::GitHub];

    fn name(self) -> &'static str {
        match self {
            ContentType::Webpage => "webpage",
            ContentType::Docs => "docs",
            ContentType::GitHub => "github",
        }
    }
}

impl ContentType {
    pub const DEFAULT: ContentType = ContentType::Webpage;
}

/// The scrape_method of pages that kb_rag fetches itself. Any other is the name of a provider of kind firecrawl.
pub const BASIC: &str = "basic";

/// A URL that documents are made from.
#[derive(Clone, Debug)]
pub struct Source {
    pub id: Uuid,
    pub base: Uuid,
    pub agent: Option<Uuid>,
    pub location: String,
    pub title: Option<String>,
    pub content_type: ContentType,
    pub scrape_method: String,
    /// How many links are followed from the URL to a page at most.
    pub crawl_depth: i32,
    pub max_pages: i32,
    pub exclude_patterns: Vec<String>,
    /// Of the documents, without the agent.
    pub metadata: Jsonb,
    /// The role whose privileges are checked at each fetch.
    pub requested_by: String,
    pub auto_sync: bool,
    pub sync_interval: Interval,
    /// Number of the last crawl.
    pub crawl: i32,
    /// The URL that `location` redirects to: links below it are followed.
    pub scope: Option<String>,
    /// None before it is written.
    pub created_at: Option<TimestampWithTimeZone>,
    /// Whether a crawl is under way, may remove most pages, and has met no error.
    pub is_crawling: bool,
    pub is_forced: bool,
    pub is_complete: bool,
    /// The crawl at Firecrawl.
    pub remote_crawl: Option<String>,
    pub next_sync_at: Option<TimestampWithTimeZone>,
}

impl Source {
    fn from_row(row: &Row) -> Result<Source> {
        Ok(Source {
            id: row.require_named("source_id")?,
            base: row.require_named("knowledge_base_id")?,
            agent: row.named("agent_id")?,
            location: row.require_named("location")?,
            title: row.named("title")?,
            content_type: ContentType::from_name(&row.require_named::<String>("content_type")?)?,
            scrape_method: row.require_named("scrape_method")?,
            crawl_depth: row.require_named("crawl_depth")?,
            max_pages: row.require_named("max_pages")?,
            exclude_patterns: row.require_named("exclude_patterns")?,
            metadata: row.require_named("metadata")?,
            requested_by: row.require_named("requested_by")?,
            auto_sync: row.require_named("auto_sync")?,
            sync_interval: row.require_named("sync_interval")?,
            crawl: row.require_named("crawl")?,
            scope: row.named("scope")?,
            created_at: row.named("created_at")?,
            is_crawling: row.require_named("is_crawling")?,
            is_forced: row.require_named("is_forced")?,
            is_complete: row.require_named("is_complete")?,
            remote_crawl: row.named("remote_crawl")?,
            next_sync_at: row.named("next_sync_at")?,
        })
    }

    fn select(condition: &str, access: Access, args: impl Fn() -> Vec<Arg>) -> Result<Vec<Source>> {
        let sql = spi::render(include_str!("select_source.sql"), &[("condition", condition)]);
        catalog::connect(|c| c.query(&sql, access, Planning::Generic, &args(), Source::from_row))
    }

    /// The source with this id.
    pub fn find(id: Uuid, access: Access) -> Result<Option<Source>> {
        Ok(Self::select("w.source_id = $1", access, || vec![Arg::new(id)])?.into_iter().next())
    }

    /// The same, with its row locked until the transaction ends: what its pages mean for it is decided by one at a time.
    pub fn lock(id: Uuid) -> Result<Option<Source>> {
        catalog::connect(|c| c.execute(include_str!("lock_source.sql"), &[Arg::new(id)]))?;
        Self::find(id, Access::Write)
    }

    /// The source with the same base, agent and URL.
    pub fn find_same(&self) -> Result<Option<Source>> {
        let condition = "w.knowledge_base_id = $1 AND w.agent_id IS NOT DISTINCT FROM $2 AND w.location = $3";
        let args = || vec![Arg::new(self.base), Arg::new(self.agent), Arg::new(self.location.as_str())];
        Ok(Self::select(condition, Access::Write, args)?.into_iter().next())
    }

    /// The sources of a base, the oldest first.
    pub fn of_base(base: Uuid, access: Access) -> Result<Vec<Source>> {
        Self::select("w.knowledge_base_id = $1", access, || vec![Arg::new(base)])
    }

    /// The sources of an agent, in all bases.
    pub fn of_agent(agent: Uuid) -> Result<Vec<Source>> {
        Self::select("w.agent_id = $1", Access::Write, || vec![Arg::new(agent)])
    }

    /// The URL. It was checked when the source was added.
    pub fn url(&self) -> Result<WebUrl> {
        WebUrl::parse(&self.location).map_err(|fault| Error::internal(fault.to_string()))
    }

    /// Which pages belong to it.
    pub fn scope(&self) -> Result<Scope> {
        match self.scope.as_deref().map(WebUrl::parse) {
            Some(Ok(url)) => Ok(Scope::below(&url)),
            _ => Ok(Scope::below(&self.url()?)),
        }
    }

    /// Which pages are left out.
    pub fn patterns(&self) -> Result<Patterns> {
        Patterns::parse(&self.exclude_patterns).map_err(|fault| Error::internal(fault.to_string()))
    }

    /// Whether kb_rag fetches its pages itself.
    pub fn is_basic(&self) -> bool {
        self.scrape_method == BASIC
    }

    /// The provider that its pages are fetched through.
    pub fn provider(&self) -> &str {
        match self.content_type {
            ContentType::GitHub => "github",
            _ if self.is_basic() => "web",
            _ => &self.scrape_method,
        }
    }

    /// Writes the row, whose id stays when the same URL was added before. Returns the id.
    pub fn write(&self) -> Result<Uuid> {
        let id = catalog::connect(|c| {
            let args = [
                Arg::new(self.id),
                Arg::new(self.base),
                Arg::new(self.agent),
                Arg::new(self.location.as_str()),
                Arg::new(self.title.as_deref()),
                Arg::new(self.content_type.name()),
                Arg::new(self.scrape_method.as_str()),
                Arg::new(self.crawl_depth),
                Arg::new(self.max_pages),
                Arg::new(self.exclude_patterns.clone()),
                Arg::new(self.metadata.clone()),
                Arg::new(self.requested_by.as_str()),
                Arg::new(self.auto_sync),
                Arg::new(self.sync_interval),
            ];
            c.query_one(include_str!("write_source.sql"), Access::Write, &args, |row| row.require(1))
        })?;
        id.ok_or_else(|| Error::internal("no row from an INSERT"))
    }

    /// Whether the base still has its row in the table `source`, which ends the source when it is deleted.
    pub fn is_wanted(&self, base: &KnowledgeBase) -> Result<bool> {
        let sql = spi::render(include_str!("is_wanted.sql"), &[("schema", &base.quoted_schema())]);
        let found = base.connect(|c| {
            c.query_one(&sql, Access::Write, &[Arg::new(self.id)], |row| row.require::<bool>(1))
        })?;
        Ok(found == Some(true))
    }

    /// The role that asked for it. 42501 if it does not exist any more.
    pub fn requester(&self) -> Result<pg_sys::Oid> {
        crate::postgres::role::find(&self.requested_by).ok_or_else(|| {
            Error::denied(format!("role \"{}\", which added the URL, does not exist", self.requested_by))
                .hint("Add the URL again with kb_add_url.")
        })
    }
}

impl Source {
    /// Keeps the URL that `location` redirects to: links below it belong to the source.
    pub fn set_scope(&mut self, url: &WebUrl) -> Result<()> {
        let scope = Some(url.as_str().to_string());
        if self.scope != scope {
            catalog::connect(|c| {
                c.execute(include_str!("set_scope.sql"), &[Arg::new(self.id), Arg::new(url.as_str())])
            })?;
            self.scope = scope;
        }
        Ok(())
    }
}

/// The agent that a source or page is for, if it is one of these.
pub fn held_for(target: Uuid, agents: &[Uuid]) -> Result<Option<Uuid>> {
    if agents.is_empty() {
        return Ok(None);
    }
    let args = [Arg::new(target), Arg::new(agents.to_vec())];
    catalog::connect(|c| {
        c.query_one(include_str!("held_for.sql"), Access::Write, &args, |row| row.require(1))
    })
}
