//! Space that merges leave behind. A merge writes its segment before it deletes those that it replaces, so rows of `keyword_run` lie
//! behind free pages. Compacting vacuums the table, moves its last rows into the free pages, and vacuums it again, which returns
//! the pages at the end.

use pgrx::pg_sys;

use super::Place;
use super::merge::claim;
use crate::catalog;
use crate::error::Result;
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::test_point::{test_limit, test_point};
use crate::postgres::vacuum::{Space, space};
use crate::queue::{self, Kind};

/// A smaller table is left to autovacuum: 2 MB.
const MIN_PAGES: u32 = 256;
/// The most pages whose rows one transaction moves: 64 MB.
const MAX_MOVED_PAGES: u32 = 8192;
/// Rows are moved where more than one page of so many is free.
const ONE_FREE_OF: u64 = 5;
/// Rows that fill a page, as [`kb_rag_core::segment`] makes them.
const ROWS_PER_PAGE: u64 = 2;

/// Has a worker compact the table, after `deleted` of its rows were deleted: if a tenth of it was deleted since the last VACUUM.
pub fn after_delete(place: &Place, deleted: u64) -> Result<()> {
    // Looking the table up takes longer than a small merge. The catalog of kb_rag 0.3 has no such jobs.
    if deleted < min_pages() / 10 || !catalog::has_table(c"held_job") {
        return Ok(());
    }
    let Some((base, run)) = place.base.zip(place.run()) else { return Ok(()) };
    // Several merges in a second count together.
    let deleted = deleted.max(relation::unreported_deletes(run));
    if is_much(run, deleted) { queue::enqueue_once(base, Kind::Compact) } else { Ok(()) }
}

/// Whether a tenth of the table was deleted since the last VACUUM; `deleted` rows are not in the statistics yet.
fn is_much(run: pg_sys::Oid, deleted: u64) -> bool {
    let pages = relation::pages(run).unwrap_or_default().unsigned_abs();
    let gone = (deleted + relation::dead_rows(run)) / ROWS_PER_PAGE;
    pages >= min_pages() && gone >= pages / 10
}

/// Whether a tenth of the table, which was just vacuumed, are rows that nobody but old snapshots sees.
pub fn has_dead(table: pg_sys::Oid) -> bool {
    is_much(table, 0)
}

fn min_pages() -> u64 {
    u64::from(test_limit("compact_pages", MIN_PAGES))
}

/// The page from which on rows are to be moved; None where too little is free, or nothing.
fn first_to_move(space: Space) -> Option<u32> {
    let size = u64::from(space.pages) * u64::from(pg_sys::BLCKSZ);
    if u64::from(space.pages) < min_pages() || space.free * ONE_FREE_OF <= size {
        return None;
    }
    // What is in use would fill these; pages are never quite full.
    let used = (size - space.free).div_ceil(u64::from(pg_sys::BLCKSZ));
    let wanted = u32::try_from(used + used / 16 + 1).unwrap_or(u32::MAX);
    let first = wanted.max(space.pages.saturating_sub(MAX_MOVED_PAGES));
    (first < space.pages).then_some(first)
}

/// Whether [`move_last`] would move rows.
pub fn is_sparse(table: pg_sys::Oid) -> bool {
    space(table).and_then(first_to_move).is_some()
}

/// Moves the last rows of a table that is sparse into free pages before them; returns how many. Segments that others are merging stay.
/// Run as the owner of `chunk`, in a transaction that keeps no snapshot.
pub fn move_last(c: &Connection, place: &Place, table: pg_sys::Oid) -> Result<u64> {
    if !relation::try_lock(place.chunk, pg_sys::RowExclusiveLock) {
        return Ok(0);
    }
    let Some(page) = space(table).and_then(first_to_move) else { return Ok(0) };
    let page = i64::from(page);
    let render = |sql| spi::render(sql, &[("schema", &place.schema)]);
    let sql = render(include_str!("last_runs.sql"));
    let last: Vec<i64> =
        c.query(&sql, Access::Write, Planning::Custom, &[Arg::new(page)], |row| row.require(1))?;
    let claimed: Vec<i64> = claim(c, &place.schema, &last)?.into_iter().map(|segment| segment.id).collect();
    let args = [Arg::new(page), Arg::new(claimed)];
    let moved = c.execute_planned(&render(include_str!("move_runs.sql")), Planning::Custom, &args)?;
    test_point("compact.moved");
    Ok(moved)
}
