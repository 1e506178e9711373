//! Comparing the keyword index with the chunks.

use std::collections::HashMap;

use kb_rag_core::segment::Damaged;

use super::merge::numbers_of;
use super::read::Segments;
use super::size::Configs;
use super::{Size, Tables, fill, format};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// What was found, and done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repair {
    /// All was right.
    Right,
    Repaired,
    /// It must be rebuilt: its rows are damaged or missing, or in an older format, it has numbers without a chunk, lacks many,
    /// or its totals are wrong.
    Damaged,
}

/// Adds chunks that the index lacks: those that were written while the triggers were off, or came by replication. Nobody else
/// repairs the base meanwhile. Run as the owner of `chunk`. 55000 where a newer version of kb_rag wrote the index.
pub fn repair(c: &Connection, base: &KnowledgeBase) -> Result<Repair> {
    let (schema, tables) = (&base.quoted_schema(), Tables::for_base(base)?);
    // One snapshot, so that concurrent writers are not mistaken for a fault. What they delete of the chunks that are added
    // here they list as deleted.
    snapshot::with_latest(|| {
        if !format::is_known(c, schema, Access::Read)? {
            return Ok(Repair::Damaged);
        }
        let found = match compare(c, schema, tables) {
            Ok(found) => found,
            Err(error) if error.is_damage() || error.is_null_value() => return Ok(Repair::Damaged),
            Err(error) => return Err(error),
        };
        // Looking up many chunks takes longer than a rebuild.
        if found.has_surplus || found.missing.len() as i64 > found.chunks / 4 {
            return Ok(Repair::Damaged);
        }
        if found.missing.is_empty() {
            return Ok(if found.totals_differ { Repair::Damaged } else { Repair::Right });
        }
        let sql = include_str!("numbered_chunks.sql");
        fill::add_chunks(c, schema, sql, Access::Read, &[Arg::new(found.missing)])?;
        Ok(Repair::Repaired)
    })
}

#[derive(Default)]
struct Difference {
    /// Numbers of chunks that no segment has.
    missing: Vec<i64>,
    /// Whether a segment has a number that no chunk has, or a number is there twice.
    has_surplus: bool,
    /// Whether number, length or text search configurations of all chunks are not those of the segments.
    totals_differ: bool,
    /// How many chunks there are.
    chunks: i64,
}

fn compare(c: &Connection, schema: &str, tables: Tables) -> Result<Difference> {
    let segments = Segments::read(tables)?;
    if segments.runs() != count_runs(c, schema)? {
        return Err(Damaged.into());
    }
    // Each chunk counts 1, and each number in a segment -1, or 1 if that is negative.
    let mut counts: HashMap<i64, i32> = HashMap::new();
    for (id, negative, chunks) in segments.list() {
        check_for_interrupts();
        let numbers = numbers_of(c, schema, id, chunks, Access::Read)?;
        let by = if negative { 1 } else { -1 };
        numbers.iter().for_each(|number| *counts.entry(*number).or_default() += by);
    }
    let (mut size, mut configs) = (Size::default(), Configs::default());
    let sql = spi::render(include_str!("all_numbers.sql"), &[("schema", schema)]);
    c.stream(&sql, Access::Read, Planning::Generic, &[], |row| {
        check_for_interrupts();
        *counts.entry(row.require(1)?).or_default() += 1;
        size.chunks += 1;
        size.length += i64::from(row.require::<i32>(2)?);
        configs.add(row.require::<&str>(3)?, 1);
        Ok(())
    })?;
    size.text_configs = configs.in_use();
    let mut found =
        Difference { totals_differ: size != segments.size, chunks: size.chunks, ..Difference::default() };
    for (number, count) in counts {
        match count {
            0 => {}
            1.. => found.missing.push(number),
            _ => found.has_surplus = true,
        }
    }
    Ok(found)
}

/// How many rows of `keyword_run` segments have, by their ids. Those without any are left out.
fn count_runs(c: &Connection, schema: &str) -> Result<HashMap<i64, i64>> {
    let mut counts = HashMap::new();
    let sql = spi::render(include_str!("count_runs.sql"), &[("schema", schema)]);
    c.stream(&sql, Access::Read, Planning::Generic, &[], |row| {
        check_for_interrupts();
        counts.insert(row.require(1)?, row.require(2)?);
        Ok(())
    })?;
    Ok(counts)
}
