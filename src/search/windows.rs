//! The text around the chunks of results.

use std::collections::HashMap;
use std::ops::Range;

use kb_rag_core::search::{Hit, Place, Placed, Window};
use pgrx::{Uuid, pg_sys};

use super::Candidate;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// The places of chunks, in characters of their documents from 0. Those of a base without the columns for it have none.
pub fn places(
    connection: &Connection,
    bases: &[KnowledgeBase],
    candidates: &[Candidate],
    window: Window,
) -> Result<Placed<Uuid>> {
    let mut places = Vec::new();
    for (base, ids) in by_base(bases, candidates) {
        if !has_columns(&bases[base]) {
            continue;
        }
        let (sql, neighbors) = match window {
            Window::Neighbors(count) => (include_str!("neighbors.sql"), Some(count)),
            Window::Document { .. } => (include_str!("extents.sql"), None),
        };
        let mut args = vec![Arg::new(ids)];
        args.extend(neighbors.map(|count| Arg::new(i64::from(count))));
        let sql = spi::render(sql, &[("schema", &bases[base].quoted_schema())]);
        let found = bases[base].read(|| {
            connection.query(&sql, Access::Read, Planning::Generic, &args, |row| {
                let (chunk, around) = (range(row.get(3)?, row.get(4)?), range(row.get(5)?, row.get(6)?));
                let id = Candidate { chunk: row.require(1)?, base };
                let document = row.require(2)?;
                Ok(chunk.zip(around).map(|(chunk, around)| (id, Place { document, chunk, around })))
            })
        })?;
        places.extend(found.into_iter().flatten());
    }
    Ok(places)
}

/// The text of a window, and the header of the table in which it begins.
pub struct Text {
    window: Window,
    range: Range<u32>,
    content: String,
    context: Option<String>,
}

/// The text that takes the place of a chunk in a result.
pub struct Shown {
    pub content: String,
    pub context: Option<String>,
    pub start_char: i32,
    pub end_char: i32,
}

impl Text {
    /// A window, if the document has the text of the chunk where the chunk says: its owner may have changed either. It ends and
    /// begins between words, unless that is in the chunk.
    pub fn shown(self, place: (i32, i32), content: &str) -> Option<Shown> {
        let (chunk, range) = (range_of(place)?, self.range);
        let (from, to) = (chunk.start.max(range.start), chunk.end.min(range.end));
        let part = |text: &str, start: u32| -> String {
            let skipped = from.saturating_sub(start) as usize;
            text.chars().skip(skipped).take(to.saturating_sub(from) as usize).collect()
        };
        if part(&self.content, range.start) != part(content, chunk.start) {
            return None;
        }
        let before = from.saturating_sub(range.start) as usize;
        let after = range.end.saturating_sub(to) as usize;
        let (skipped, dropped) = self.window.margins(&self.content, &range, before, after);
        let kept = self.content.chars().count().saturating_sub(skipped + dropped);
        let start = range.start.saturating_add(u32::try_from(skipped).ok()?);
        Some(Shown {
            content: self.content.chars().skip(skipped).take(kept).collect(),
            context: self.context,
            start_char: offset(start),
            end_char: offset(start.saturating_add(u32::try_from(kept).ok()?)),
        })
    }
}

/// The texts of the windows of hits. None for a document without a text.
pub fn texts(
    connection: &Connection,
    bases: &[KnowledgeBase],
    window: Option<Window>,
    hits: &[Hit<Uuid>],
) -> Result<HashMap<Candidate, Text>> {
    let mut texts = HashMap::new();
    let Some(window) = window else { return Ok(texts) };
    let neighbors = match window {
        Window::Neighbors(count) => i64::from(count),
        Window::Document { .. } => 0,
    };
    for (place, base) in bases.iter().enumerate() {
        let of_base = hits.iter().filter(|hit| hit.id.base == place);
        let windows: Vec<(Uuid, Range<u32>)> =
            of_base.filter_map(|hit| Some((hit.id.chunk, hit.window.clone()?))).collect();
        if windows.is_empty() {
            continue;
        }
        let ids: Vec<Uuid> = windows.iter().map(|(id, _)| *id).collect();
        let starts: Vec<i32> = windows.iter().map(|(_, range)| offset(range.start)).collect();
        let ranges: HashMap<Uuid, Range<u32>> = windows.into_iter().collect();
        let args = [Arg::new(ids), Arg::new(starts), Arg::new(neighbors)];
        let context = if base.has_context() { "c2.context" } else { "NULL::text" };
        let values = [("schema", base.quoted_schema()), ("context", context.to_string())];
        let sql = spi::render(
            include_str!("windows.sql"),
            &values.each_ref().map(|(name, value)| (*name, value.as_str())),
        );
        let rows = base.read(|| {
            connection.query(&sql, Access::Read, Planning::Generic, &args, |row| {
                let id = Candidate { chunk: row.require(1)?, base: place };
                let context = row.get(3)?;
                let Some(range) = ranges.get(&id.chunk).cloned() else { return Ok(None) };
                let content = row.characters(2, &range)?;
                Ok(content.map(|content| (id, Text { window, range, content, context })))
            })
        })?;
        texts.extend(rows.into_iter().flatten());
    }
    Ok(texts)
}

/// Whether a base has the columns that say where chunks stand.
fn has_columns(base: &KnowledgeBase) -> bool {
    let columns = [c"ordinal", c"start_char", c"end_char", c"page"].map(|name| (name, pg_sys::INT4OID));
    base.has_own_columns(c"chunk", &columns)
}

fn by_base(bases: &[KnowledgeBase], candidates: &[Candidate]) -> Vec<(usize, Vec<Uuid>)> {
    let of = |base| candidates.iter().filter(|id| id.base == base).map(|id| id.chunk).collect();
    (0..bases.len())
        .map(|base| (base, of(base)))
        .filter(|(_, ids): &(_, Vec<Uuid>)| !ids.is_empty())
        .collect()
}

fn range(start: Option<i32>, end: Option<i32>) -> Option<Range<u32>> {
    range_of(start.zip(end)?)
}

fn range_of((start, end): (i32, i32)) -> Option<Range<u32>> {
    let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
    (start <= end).then_some(start..end)
}

fn offset(characters: u32) -> i32 {
    i32::try_from(characters).unwrap_or(i32::MAX)
}
