//! Adding segments.

use kb_rag_core::segment::plan::{self, BULK_CHUNKS};
use kb_rag_core::segment::{Builder, Row, Summary};

use super::collect::Changes;
use super::size::Configs;
use super::{Place, merge};
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Connection};
use crate::postgres::test_point::test_limit;

/// The version of the format. A segment of another one is never read.
pub const FORMAT: i16 = 1;
/// Rows of a large segment are written in statements of this many.
const BATCH: usize = 64;
/// Whether segments should be merged is checked once in so many segments.
const CHECKED_EVERY: i64 = 32;

/// Adds a segment of what was written and one of what was deleted. The writer reads no table of the index unless the segment
/// is one of those after which merging is due.
pub fn write(c: &Connection, place: &Place, changes: Changes) -> Result<()> {
    let max = changes.added.chunks().max(changes.removed.chunks());
    let is_bulk = max >= test_limit("bulk_chunks", BULK_CHUNKS) as usize;
    let mut is_time = is_bulk;
    let checked_every = test_limit("checked_every", CHECKED_EVERY);
    for (negative, builder, configs) in
        [(false, changes.added, changes.configs_added), (true, changes.removed, changes.configs_removed)]
    {
        if !builder.is_empty() {
            is_time |= add(&place.schema, negative, builder, &configs)? % checked_every == 0;
        }
    }
    if is_time {
        merge::after_write(c, place, &if is_bulk { merge::of_worker() } else { merge::of_writer() })?;
    }
    Ok(())
}

/// Adds one segment; returns its id.
pub fn add(schema: &str, negative: bool, chunks: Builder, configs: &Configs) -> Result<i64> {
    let (summary, rows) = chunks.finish();
    let mut writer = SegmentWriter::new(schema, negative);
    for row in rows {
        writer.row(row)?;
    }
    writer.finish(&summary, configs)
}

/// Writes the rows of one segment.
pub struct SegmentWriter<'a> {
    schema: &'a str,
    negative: bool,
    /// Once it has rows in keyword_run.
    id: Option<i64>,
    waiting: Vec<Row>,
    written: i32,
}

impl<'a> SegmentWriter<'a> {
    pub fn new(schema: &'a str, negative: bool) -> SegmentWriter<'a> {
        SegmentWriter { schema, negative, id: None, waiting: Vec::new(), written: 0 }
    }

    pub fn row(&mut self, row: Row) -> Result<()> {
        self.waiting.push(row);
        if self.waiting.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// A segment of one row is written without runs. Returns its id.
    pub fn finish(mut self, summary: &Summary, configs: &Configs) -> Result<i64> {
        let small = if self.written == 0 && self.waiting.len() == 1 { self.waiting.pop() } else { None };
        self.flush()?;
        let id = if self.id.is_some() { "$1" } else { "DEFAULT" };
        let sql = spi::render(include_str!("add_segment.sql"), &[("schema", self.schema), ("id", id)]);
        // A connection of its own gives the memory of the values back.
        spi::connect(|c| {
            let args = [
                Arg::new(self.id),
                Arg::new(plan::tier(summary.chunks)),
                Arg::new(if self.negative { -1i16 } else { 1i16 }),
                Arg::new(i32::try_from(summary.chunks).unwrap_or(i32::MAX)),
                Arg::new(i64::try_from(summary.length).unwrap_or(i64::MAX)),
                Arg::new(configs.to_json()),
                Arg::new(summary.first),
                Arg::new(summary.last),
                Arg::new(self.written),
                Arg::new(FORMAT),
                Arg::new(small.map(|row| row.data)),
            ];
            c.query_one(&sql, Access::Write, &args, |row| row.require::<i64>(1))
        })
        .map(Option::unwrap_or_default)
    }

    /// Takes the next id.
    fn next_id(&self) -> Result<i64> {
        let args = [Arg::new(format!("{}.keyword_segment", self.schema))];
        spi::connect(|c| {
            c.query_one(include_str!("next_segment.sql"), Access::Write, &args, |row| row.require::<i64>(1))
        })
        .map(Option::unwrap_or_default)
    }

    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let id = match self.id {
            Some(id) => id,
            None => *self.id.insert(self.next_id()?),
        };
        let rows = std::mem::take(&mut self.waiting);
        self.written += rows.len() as i32;
        let (mut lexemes, mut ordinals, mut data) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            lexemes.push(row.lexeme);
            ordinals.push(i64::from(row.ordinal));
            data.push(row.data);
        }
        let sql = spi::render(include_str!("add_runs.sql"), &[("schema", self.schema)]);
        spi::connect(|c| {
            c.execute(&sql, &[Arg::new(id), Arg::new(lexemes), Arg::new(ordinals), Arg::new(data)])
        })?;
        Ok(())
    }
}
