//! The rows of the view kb_rag.failed.

use std::collections::HashMap;

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::queue;
use crate::web;

/// A document whose embedding failed, a page that could not be fetched, or a job of an unknown kind.
pub struct Failed {
    pub knowledge_base: String,
    /// None for a page without a document, and for a job of an unknown kind.
    pub document: Option<Uuid>,
    pub source_key: Option<String>,
    pub reason: String,
    pub attempts: i32,
    pub next_try: Option<TimestampWithTimeZone>,
    /// The source and the URL of a page.
    pub source: Option<Uuid>,
    pub url: Option<String>,
}

/// The failed documents and pages in the bases of the caller's circle, as far as row security shows them to the caller.
pub fn failed() -> Result<Vec<Failed>> {
    base::shown(
        |base| Ok(!queue::troubles(base.id)?.is_empty() || !web::troubles(base.id)?.is_empty()),
        |bases| {
            let mut all = Vec::new();
            for base in bases {
                all.extend(of_base(&base)?);
                all.extend(pages_of(&base)?);
            }
            Ok(all)
        },
    )
}

fn of_base(base: &KnowledgeBase) -> Result<Vec<Failed>> {
    let troubles = queue::troubles(base.id)?;
    if troubles.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = troubles.iter().filter_map(|trouble| trouble.document).collect();
    let sql = spi::render(include_str!("source_keys.sql"), &[("schema", &base.quoted_schema())]);
    let keys: HashMap<Uuid, Option<String>> = base
        .read(|| {
            spi::connect(|c| {
                c.query(&sql, Access::Read, Planning::Custom, &[Arg::new(ids)], |row| {
                    Ok((row.require(1)?, row.get(2)?))
                })
            })
        })?
        .into_iter()
        .collect();
    // A job of an unknown kind belongs to nobody whom row security could show it to.
    let shows_unknown = !base.is_row_secured()?;
    let visible = troubles.into_iter().filter_map(|trouble| {
        let source_key = match trouble.document {
            Some(document) => keys.get(&document)?.clone(),
            None if shows_unknown => None,
            None => return None,
        };
        Some(Failed {
            knowledge_base: base.name.clone(),
            document: trouble.document,
            source_key,
            reason: trouble.reason,
            attempts: trouble.attempts,
            next_try: trouble.next_try,
            source: None,
            url: None,
        })
    });
    Ok(visible.collect())
}

/// The pages that could not be fetched. A page without a document belongs to nobody whom row security could show it to.
fn pages_of(base: &KnowledgeBase) -> Result<Vec<Failed>> {
    let troubles = web::troubles(base.id)?;
    if troubles.is_empty() || base.is_row_secured()? {
        return Ok(Vec::new());
    }
    let page = |trouble: web::Trouble| Failed {
        knowledge_base: base.name.clone(),
        document: trouble.document,
        source_key: trouble.document.map(|_| trouble.url.clone()),
        reason: trouble.reason,
        attempts: trouble.attempts,
        next_try: trouble.next_try,
        source: Some(trouble.source),
        url: Some(trouble.url),
    };
    Ok(troubles.into_iter().map(page).collect())
}
