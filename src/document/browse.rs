//! kb_browse: documents page by page, the newest first.

use std::cmp::Reverse;
use std::collections::HashMap;

use pgrx::Uuid;
use pgrx::prelude::*;

use super::level::Level;
use super::rows::{self, Details, Document};
use super::{remark, scope, spread};
use crate::base::KnowledgeBase;
use crate::cluster;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::search::check_count;

/// The default number of documents of a page.
pub const DEFAULT_BROWSE_COUNT: i64 = 20;

/// A document in the order of the pages: by time, then by id. One without a time is the oldest.
pub type Place = (Option<TimestampWithTimeZone>, Uuid);

/// The documents that pass a filter, from `offset` on, at most `count`, of one base or merged over all of the caller's circle.
pub fn browse(
    knowledge_base: Option<&str>,
    source_type: Option<&str>,
    filter: Option<&Jsonb>,
    count: i64,
    offset: i64,
) -> Result<Vec<Document>> {
    let page = Page { source_type, filter, count, offset };
    check_count("match_count", count)?;
    if offset < 0 {
        return Err(Error::invalid(format!("match_offset {offset} must not be negative"))
            .hint("Use 0 for the first page, match_count for the second one."));
    }
    let filter = filter.map_or(Ok(None), Filter::read)?;
    let here = scope::over(knowledge_base, |bases| {
        let mut found: Vec<(Place, usize)> = Vec::new();
        for (index, base) in bases.iter().enumerate() {
            let newest = newest(base, source_type, filter.as_ref(), page.end())?;
            found.extend(newest.into_iter().map(|place| (place, index)));
        }
        if found.is_empty() {
            remark::of_nothing(bases, page.filter, source_type, Access::Read)?;
        }
        details(bases, &page.cut(found))
    });
    cluster::here_or_over(here, |groups| spread::browse(groups, &page))
}

/// The arguments that decide about a page.
pub struct Page<'a> {
    pub source_type: Option<&'a str>,
    pub filter: Option<&'a Jsonb>,
    count: i64,
    offset: i64,
}

impl Page<'_> {
    /// So many documents of each base can be on it, or on those before it.
    pub fn end(&self) -> i64 {
        self.offset.saturating_add(self.count)
    }

    /// Those of the documents that are on it, in its order. Each comes with the place of its base among all.
    pub fn cut(&self, mut found: Vec<(Place, usize)>) -> Vec<(Place, usize)> {
        found.sort_by_key(|(place, index)| (Reverse(*place), *index));
        found.into_iter().skip(self.offset as usize).take(self.count as usize).collect()
    }
}

/// The first documents of a base in the order of the pages.
pub fn newest(
    base: &KnowledgeBase,
    source_type: Option<&str>,
    filter: Option<&Filter>,
    max: i64,
) -> Result<Vec<Place>> {
    base.read(|| {
        spi::connect(|c| {
            let mut args = vec![Arg::new(source_type), Arg::new(max)];
            let conditions = rows::conditions(base, filter, &mut args)?;
            let sql = rows::statement(base, include_str!("newest.sql"));
            let sql = spi::render(&sql, &[("conditions", &conditions)]);
            c.query(&sql, Access::Read, Planning::Custom, &args, |row| Ok((row.get(1)?, row.require(2)?)))
        })
    })
}

/// The documents of a page, in its order.
fn details(bases: &[KnowledgeBase], page: &[(Place, usize)]) -> Result<Vec<Document>> {
    let mut documents: HashMap<(usize, Uuid), Document> = HashMap::new();
    for (index, base) in bases.iter().enumerate() {
        let ids: Vec<Uuid> = page.iter().filter(|(_, of)| *of == index).map(|((_, id), _)| *id).collect();
        if ids.is_empty() {
            continue;
        }
        let read = rows::read(base, ids, &Details { level: Level::Abstract, counts_chunks: true })?;
        documents.extend(read.into_iter().map(|(id, document)| ((index, id), document)));
    }
    Ok(page.iter().filter_map(|((_, id), index)| documents.remove(&(*index, *id))).collect())
}
