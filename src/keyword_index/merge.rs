//! Merging segments.
//!
//! A merge first takes ROW EXCLUSIVE on `chunk` without waiting, as writers have it, so that TRUNCATE and what locks writers
//! out exclude it. Then it claims segments that nobody else has, and reads them under a later snapshot: nobody can have
//! changed them since. With a kept snapshot others may have, which is a serialization failure: it is tried in a
//! subtransaction, and under SERIALIZABLE not at all.

use kb_rag_core::segment::plan::{self, OF_WORKER, OF_WRITER, Segment, Share};
use kb_rag_core::segment::{self, Input, Part, Row, Sink, Source};
use pgrx::pg_sys;

use super::Place;
use super::compact;
use super::size::Configs;
use super::write::SegmentWriter;
use crate::error::{Error, Result};
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::relation;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Connection, Cursor, Planning};
use crate::postgres::subtransaction;
use crate::postgres::test_point::{test_limit, test_point};
use crate::queue::{self, Kind};

/// What a merge did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merged {
    /// Nothing is due.
    Nothing,
    /// What is due is locked.
    Busy,
    Some,
}

/// The share of the segments that a worker merges.
pub fn of_worker() -> Share {
    OF_WORKER.due_from(test_limit("of_worker", OF_WORKER.min[0]))
}

/// The share of the segments that a writer merges.
pub fn of_writer() -> Share {
    OF_WRITER.due_from(test_limit("of_writer", OF_WRITER.min[0]))
}

/// Called by a writer now and then: merges if so many segments wait for it as `share` says, and leaves it to the workers if some
/// do.
pub fn after_write(c: &Connection, place: &Place, share: &Share) -> Result<()> {
    if snapshot::is_kept() {
        // A writer under a kept snapshot reads no table that other writers write: that would be a conflict.
        if !snapshot::is_serializable() {
            match subtransaction::attempt(|| merge_at(c, place, share)) {
                Err(error) if !error.is_conflict() => return Err(error),
                _ => {}
            }
        }
        return Ok(());
    }
    let found = segments(c, &place.schema)?;
    if plan::next_merge(&found, share).is_some() {
        return merge_at(c, place, share).map(drop);
    }
    match place.base.filter(|_| is_due(&found)) {
        Some(base) if !queue::is_pending(base, Kind::Merge)? => queue::enqueue(base, Kind::Merge, &[base]),
        _ => Ok(()),
    }
}

/// Whether a worker has something to merge.
fn is_due(segments: &[Segment]) -> bool {
    plan::next_merge(segments, &of_worker()).is_some() || plan::is_purge_due(segments)
}

/// Does one merge that is due, in at most some seconds. Run as the owner of `chunk`, in a transaction that keeps no snapshot.
pub fn merge_once(c: &Connection, place: &Place) -> Result<Merged> {
    merge_at(c, place, &of_worker())
}

fn merge_at(c: &Connection, place: &Place, share: &Share) -> Result<Merged> {
    let schema = &place.schema;
    if !relation::try_lock(place.chunk, pg_sys::RowExclusiveLock) {
        return Ok(Merged::Busy);
    }
    let found = segments(c, schema)?;
    let plan = match plan::next_merge(&found, share) {
        Some(ids) => Some(ids),
        None if plan::is_purge_due(&found) => next_purge(c, schema, &found)?,
        None => None,
    };
    let Some(plan) = plan else { return Ok(Merged::Nothing) };
    test_point("merge.found");
    let claimed = claim(c, schema, &plan)?;
    // Others have the rest: what is left must become fewer segments.
    let negatives = claimed.iter().filter(|segment| segment.negative).count();
    if claimed.len() < plan.len() && negatives < 2 && claimed.len() - negatives < 2 {
        return Ok(Merged::Busy);
    }
    merge(c, place, claimed)
}

fn segments(c: &Connection, schema: &str) -> Result<Vec<Segment>> {
    let sql = spi::render(include_str!("sizes.sql"), &[("schema", schema)]);
    c.query(&sql, Access::Write, Planning::Generic, &[], |row| {
        Ok(Segment {
            id: row.require(1)?,
            negative: row.require::<i16>(2)? < 0,
            chunks: row.require::<i32>(3)?.max(0) as u32,
            gone: 0,
        })
    })
}

/// The segments to merge in a purge. None if no deleted chunk is in a segment.
fn next_purge(c: &Connection, schema: &str, segments: &[Segment]) -> Result<Option<Vec<i64>>> {
    let (mut negatives, positives): (Vec<Segment>, Vec<Segment>) =
        segments.iter().copied().partition(|segment| segment.negative);
    let mut gone: Vec<(i64, usize)> = Vec::new();
    for (place, segment) in negatives.iter().enumerate() {
        let numbers = numbers_of(c, schema, segment.id, segment.chunks, Access::Write)?;
        gone.extend(numbers.into_iter().map(|number| (number, place)));
    }
    gone.sort_unstable();
    let listing = |segment: &Segment| -> Result<Vec<usize>> {
        let numbers = numbers_of(c, schema, segment.id, segment.chunks, Access::Write)?;
        let place = |number: &i64| gone.binary_search_by_key(number, |(number, _)| *number).ok();
        Ok(numbers.iter().filter_map(|number| Some(gone.get(place(number)?)?.1)).collect())
    };
    let mut counted = positives;
    for segment in &mut counted {
        segment.gone = listing(segment)?.len() as u32;
    }
    let Some(purged) = plan::most_gone(&counted) else { return Ok(None) };
    for place in listing(&purged)? {
        if let Some(negative) = negatives.get_mut(place) {
            negative.gone += 1;
        }
    }
    Ok(Some(plan::next_purge(&purged, &negatives)))
}

/// The numbers of the chunks of a segment, sorted.
pub fn numbers_of(
    c: &Connection,
    schema: &str,
    segment: i64,
    chunks: u32,
    access: Access,
) -> Result<Vec<i64>> {
    let mut part = Part::new(chunks, 0);
    let sql = spi::render(include_str!("rows_of_numbers.sql"), &[("schema", schema)]);
    c.stream(&sql, access, Planning::Generic, &[Arg::new(segment)], |row| {
        check_for_interrupts();
        Ok(part.take_all(&[], row.require::<&[u8]>(1)?)?)
    })?;
    Ok(part.numbers()?)
}

/// A segment that this transaction has locked.
pub(super) struct Claimed {
    pub(super) id: i64,
    negative: bool,
    configs: String,
    data: Option<Vec<u8>>,
}

/// Locks segments that nobody else has locked.
pub(super) fn claim(c: &Connection, schema: &str, ids: &[i64]) -> Result<Vec<Claimed>> {
    let sql = spi::render(include_str!("claim.sql"), &[("schema", schema)]);
    c.query(&sql, Access::Write, Planning::Generic, &[Arg::new(ids.to_vec())], |row| {
        Ok(Claimed {
            id: row.require(1)?,
            negative: row.require::<i16>(2)? < 0,
            configs: row.require(3)?,
            data: row.get(4)?,
        })
    })
}

/// Replaces segments by one, by one and a negative one, or by none.
fn merge(c: &Connection, place: &Place, mut claimed: Vec<Claimed>) -> Result<Merged> {
    let schema = &place.schema;
    let ids: Vec<i64> = claimed.iter().map(|segment| segment.id).collect();
    let mut configs = Configs::default();
    let mut inputs = Vec::new();
    for segment in &mut claimed {
        configs.add_all(&Configs::of_json(&segment.configs));
        let source = match segment.data.take() {
            Some(data) => Rows::Small(Some(data)),
            None => {
                let sql = spi::render(include_str!("runs.sql"), &[("schema", schema)]);
                Rows::Large(c.cursor(&sql, &[Arg::new(segment.id)])?, Vec::new())
            }
        };
        inputs.push(Input { negative: segment.negative, source });
    }
    let mut output =
        Output { positive: SegmentWriter::new(schema, false), negative: SegmentWriter::new(schema, true) };
    let merged = segment::merge(inputs, &mut output)?;
    // The signed sum of all segments must stay what it is.
    let none = Configs::default();
    match (&merged.positive, &merged.negative) {
        (Some(positive), negative) => {
            output.positive.finish(positive, &configs)?;
            if let Some(negative) = negative {
                output.negative.finish(negative, &none)?;
            }
        }
        (None, Some(negative)) => drop(output.negative.finish(negative, &configs)?),
        // An earlier merge noted with one sign what it left of the other, so these may not cancel out as the chunks do.
        (None, None) if !configs.is_zero() && !note_elsewhere(c, schema, &ids, &configs)? => {
            return Ok(Merged::Busy);
        }
        (None, None) => {}
    }
    test_point("merge.before_swap");
    let delete = |sql| c.execute(&spi::render(sql, &[("schema", schema)]), &[Arg::new(ids.clone())]);
    delete(include_str!("delete_segments.sql"))?;
    compact::after_delete(place, delete(include_str!("delete_runs.sql"))?)?;
    Ok(Merged::Some)
}

/// Adds text search configurations to those of a segment that is not among `ids`. False if others have all of them.
fn note_elsewhere(c: &Connection, schema: &str, ids: &[i64], configs: &Configs) -> Result<bool> {
    let sql = spi::render(include_str!("claim_other.sql"), &[("schema", schema)]);
    let found = c.query(&sql, Access::Write, Planning::Generic, &[Arg::new(ids.to_vec())], |row| {
        Ok((row.require::<i64>(1)?, row.require::<String>(2)?))
    })?;
    let Some((id, own)) = found.first() else { return Ok(false) };
    let mut sum = Configs::of_json(own);
    sum.add_all(configs);
    let sql = spi::render(include_str!("set_configs.sql"), &[("schema", schema)]);
    c.execute(&sql, &[Arg::new(*id), Arg::new(sum.to_json())])?;
    Ok(true)
}

/// The rows of a segment.
enum Rows {
    Small(Option<Vec<u8>>),
    /// A cursor, with rows fetched from it in reverse order.
    Large(Cursor, Vec<Vec<u8>>),
}

/// A merge of 64 segments keeps this many rows of each in memory.
const FETCHED: i64 = 8;

impl Source<Error> for Rows {
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        match self {
            Rows::Small(row) => Ok(row.take()),
            Rows::Large(cursor, fetched) => {
                if fetched.is_empty() {
                    *fetched = cursor.fetch(FETCHED, |row| row.require::<Vec<u8>>(1))?;
                    fetched.reverse();
                }
                Ok(fetched.pop())
            }
        }
    }
}

struct Output<'a> {
    positive: SegmentWriter<'a>,
    negative: SegmentWriter<'a>,
}

impl Sink<Error> for Output<'_> {
    fn row(&mut self, negative: bool, row: Row) -> Result<()> {
        if negative { self.negative.row(row) } else { self.positive.row(row) }
    }

    fn check(&mut self) -> Result<()> {
        check_for_interrupts();
        Ok(())
    }
}
