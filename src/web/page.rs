//! A page of a source: a row of kb_rag.web_page.

use pgrx::Uuid;
use pgrx::prelude::*;

use super::source::Source;
use super::wait;
use crate::catalog;
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Planning, Row};

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    pub id: Uuid,
    pub source: Uuid,
    pub url: String,
    /// How many links lead to it from the URL of the source.
    pub depth: i32,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub document: Option<Uuid>,
    /// Links of the last answer that had content.
    pub links: Vec<String>,
    /// Number of the last crawl that found it.
    pub crawl: i32,
    pub status: Status,
    /// The URL by which its document may be known: after redirects, or its canonical one. None if kb_rag 0.3 wrote it.
    pub key: Option<String>,
    /// The document of other pages that it had until its text changed.
    pub parted_from: Option<Uuid>,
}

/// The state of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It is still to be fetched.
    Pending,
    /// Its document is current.
    Indexed,
    /// It gives no document.
    Skipped,
    Failed,
    /// It does not exist any more.
    Gone,
}

impl Choice for Status {
    const WHAT: &'static str = "page status";
    const ALL: &'static [Status] =
        &[Status::Pending, Status::Indexed, Status::Skipped, Status::Failed, Status::Gone];

    fn name(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Indexed => "indexed",
            Status::Skipped => "skipped",
            Status::Failed => "failed",
            Status::Gone => "gone",
        }
    }
}

impl Status {
    /// From the columns status and error of a row. A page whose status is unknown has failed, and the error names it.
    pub fn from_columns(status: &str, error: Option<String>) -> (Status, Option<String>) {
        match Status::from_name(status) {
            Ok(status) => (status, error),
            Err(unknown) => (Status::Failed, Some(unknown.to_string())),
        }
    }
}

/// Whether the catalog keeps by which URLs pages are known: that of kb_rag 0.3 does not.
pub fn keeps_keys() -> bool {
    catalog::has_column(c"web_page", c"document_key")
}

/// What is written about a page.
pub struct Outcome<'a> {
    pub status: Status,
    pub error: Option<&'a str>,
    /// What the next request asks about; None leaves them.
    pub validators: Option<(Option<&'a str>, Option<&'a str>)>,
    /// None leaves it.
    pub document: Option<Uuid>,
    /// None leaves them.
    pub links: Option<Vec<String>>,
}

impl Page {
    fn from_row(row: &Row) -> Result<Page> {
        let (status, _) = Status::from_columns(&row.require_named::<String>("status")?, None);
        Ok(Page {
            id: row.require_named("id")?,
            source: row.require_named("source_id")?,
            url: row.require_named("url")?,
            depth: row.require_named("depth")?,
            etag: row.named("etag")?,
            last_modified: row.named("last_modified")?,
            document: row.named("document_id")?,
            links: row.require_named("links")?,
            crawl: row.require_named("crawl")?,
            status,
            key: if keeps_keys() { row.named("document_key")? } else { None },
            parted_from: if keeps_keys() { row.named("parted_from")? } else { None },
        })
    }

    /// Whether it is only asked for if it has changed. Without a document there is nothing that could be unchanged.
    pub fn has_validators(&self) -> bool {
        self.document.is_some() && (self.etag.is_some() || self.last_modified.is_some())
    }

    /// Whether its document is current, could not be brought up to date, or is still to be fetched.
    pub fn may_have_document(&self) -> bool {
        matches!(self.status, Status::Pending | Status::Indexed | Status::Failed)
    }

    pub fn find(id: Uuid) -> Result<Option<Page>> {
        catalog::connect(|c| {
            c.query_one(include_str!("select_page.sql"), Access::Write, &[Arg::new(id)], Page::from_row)
        })
    }

    /// Writes to which document it leads, or None leaves that, by which URL, and which document it has left with a new text.
    pub fn place(&self, key: &str, document: Option<Uuid>, parted_from: Option<Uuid>) -> Result<()> {
        let is_same = document.is_none() || document == self.document;
        if is_same && self.key.as_deref() == Some(key) {
            return Ok(());
        }
        catalog::connect(|c| {
            let args = [Arg::new(self.id), Arg::new(document), Arg::new(key), Arg::new(parted_from)];
            c.execute(include_str!("place_page.sql"), &args)
        })?;
        Ok(())
    }

    /// Writes what became of it.
    pub fn write(&self, result: Outcome) -> Result<()> {
        catalog::connect(|c| {
            let (etag, last_modified) = result.validators.unwrap_or_default();
            let args = [
                Arg::new(self.id),
                Arg::new(result.status.name()),
                Arg::new(result.error),
                Arg::new(result.validators.is_some()),
                Arg::new(etag),
                Arg::new(last_modified),
                Arg::new(result.document),
                Arg::new(result.links),
            ];
            c.execute(include_str!("write_page.sql"), &args)
        })?;
        Ok(())
    }
}

/// Adds pages that a crawl has found, and marks those that are known as found; at most `max` belong to a crawl.
pub fn found(source: Uuid, crawl: i32, depth: i32, urls: &[String], max: i32) -> Result<()> {
    if urls.is_empty() {
        return Ok(());
    }
    catalog::connect(|c| {
        let args = [
            Arg::new(source),
            Arg::new(crawl),
            Arg::new(depth),
            Arg::new(urls.to_vec()),
            Arg::new(i64::from(max)),
        ];
        c.execute(include_str!("found_pages.sql"), &args)
    })?;
    Ok(())
}

/// The next page of a crawl that waits and has no job; whether others wait that have one.
pub fn next(base: Uuid, source: Uuid, crawl: i32) -> Result<(Option<Uuid>, bool)> {
    let found = catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(source), Arg::new(crawl)];
        c.query_one(include_str!("next_page.sql"), Access::Write, &args, |row| {
            Ok((row.get(1)?, row.require(2)?))
        })
    })?;
    Ok(found.unwrap_or((None, false)))
}

/// The pages that a document was made from. None for documents that come from elsewhere.
pub fn of_document(base: Uuid, document: Uuid) -> Result<Vec<Page>> {
    catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(document)];
        c.query(
            include_str!("pages_of_document.sql"),
            Access::Write,
            Planning::Generic,
            &args,
            Page::from_row,
        )
    })
}

/// The pages of a source that lead to these documents. With a key, also copies of the page under it that were read before it.
pub fn leading_to(source: &Source, documents: &[Uuid], key: Option<&str>) -> Result<Vec<Page>> {
    catalog::connect(|c| {
        let args = [Arg::new(source.id), Arg::new(documents.to_vec()), Arg::new(source.crawl), Arg::new(key)];
        c.query(
            include_str!("pages_of_documents.sql"),
            Access::Write,
            Planning::Custom,
            &args,
            Page::from_row,
        )
    })
}

/// Has pages lead to another document.
pub fn move_to(source: Uuid, pages: Vec<Uuid>, document: Uuid) -> Result<()> {
    if pages.is_empty() {
        return Ok(());
    }
    let args = [Arg::new(source), Arg::new(pages), Arg::new(document)];
    catalog::connect(|c| c.execute(include_str!("move_pages.sql"), &args))?;
    Ok(())
}

/// Has pages lead to no document until they are fetched again.
pub fn release(source: Uuid, pages: Vec<Uuid>) -> Result<()> {
    if pages.is_empty() {
        return Ok(());
    }
    catalog::connect(|c| c.execute(include_str!("release_pages.sql"), &[Arg::new(source), Arg::new(pages)]))?;
    Ok(())
}

/// A page, or a source, that could not be fetched.
pub struct Trouble {
    pub source: Uuid,
    pub url: String,
    pub document: Option<Uuid>,
    pub reason: String,
    pub attempts: i32,
    /// None where nothing is tried again by itself.
    pub next_try: Option<TimestampWithTimeZone>,
}

/// The pages and sources of a base that could not be fetched, the oldest first.
pub fn troubles(base: Uuid) -> Result<Vec<Trouble>> {
    let sql = wait::with_waits(include_str!("page_troubles.sql"));
    catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(Status::names()), Arg::new(wait::ASKED)];
        c.query(&sql, Access::Read, Planning::Auto, &args, |row| {
            let (reason, status): (String, Option<String>) = (row.require(4)?, row.get(7)?);
            let unknown = status.and_then(|status| Status::from_name(&status).err());
            let reason = match unknown {
                Some(unknown) => unknown.to_string(),
                None => wait::with_time(&reason, row.get::<String>(8)?.as_deref()),
            };
            Ok(Trouble {
                source: row.require(1)?,
                url: row.require(2)?,
                document: row.get(3)?,
                reason,
                attempts: row.require(5)?,
                next_try: row.get(6)?,
            })
        })
    })
}

/// The page of a source with this URL.
pub fn of_url(source: Uuid, url: &str) -> Result<Option<Page>> {
    catalog::connect(|c| {
        let args = [Arg::new(source), Arg::new(url)];
        c.query_one(include_str!("page_of_url.sql"), Access::Write, &args, Page::from_row)
    })
}

/// The documents of the pages of a source that were read last time.
pub fn indexed_documents(source: Uuid) -> Result<Vec<Uuid>> {
    catalog::connect(|c| {
        let args = [Arg::new(source), Arg::new(Status::Indexed.name())];
        c.query(include_str!("indexed_documents.sql"), Access::Write, Planning::Auto, &args, |row| {
            row.require(1)
        })
    })
}

/// Marks all pages of a source as found by a crawl that found nothing new. Crawls that ended early may lie between.
pub fn all_found(source: Uuid, crawl: i32) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("all_found.sql"), &[Arg::new(source), Arg::new(crawl)]))?;
    Ok(())
}
