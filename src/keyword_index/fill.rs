//! Emptying the keyword index and building it from the chunks.

use super::collect::{Changes, Notes};
use super::compact;
use super::format::refuse_newer;
use super::merge::{Merged, merge_once};
use super::transition::ChunkRow;
use super::{Place, write};
use crate::error::Result;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// Removes all segments, even those that the snapshot does not see: no other transaction writes them now, since the caller has
/// locked writers out of `chunk`. Returns how many rows of `keyword_run` there were.
pub fn empty(c: &Connection, schema: &str) -> Result<u64> {
    let empty = |sql| {
        let sql = spi::render(sql, &[("schema", schema)]);
        c.query(&sql, Access::Latest, Planning::Auto, &[], |row| row.require::<i64>(1))
    };
    empty(include_str!("empty_segments.sql"))?;
    Ok(empty(include_str!("empty_runs.sql"))?.first().map_or(0, |deleted| deleted.unsigned_abs()))
}

/// Rebuilds the index from all chunks. The caller has locked writers out. Run as the owner of `chunk`. 55000 where a newer
/// library wrote it.
pub fn rebuild(c: &Connection, place: &Place) -> Result<()> {
    refuse_newer(c, &place.schema)?;
    compact::after_delete(place, empty(c, &place.schema)?)?;
    add_chunks(c, &place.schema, include_str!("all_chunks.sql"), Access::Write, &[])?;
    while merge_once(c, place)? == Merged::Some {}
    Ok(())
}

/// Adds the chunks that a statement gives to the index.
pub fn add_chunks(c: &Connection, schema: &str, sql: &str, access: Access, args: &[Arg]) -> Result<()> {
    let write = |changes: Changes| write::add(schema, false, changes.added, &changes.configs_added).map(drop);
    let mut notes = Notes::new(&write);
    c.stream(&spi::render(sql, &[("schema", schema)]), access, Planning::Generic, args, |row| {
        check_for_interrupts();
        let (number, length) = (row.require(1)?, row.require::<i32>(2)?.max(0) as u32);
        let text_config = row.require::<&str>(3)?;
        let mut added = Ok(());
        row.with_tsvector(4, |tsv| added = notes.add(&ChunkRow { number, length, text_config, tsv }))?;
        added
    })?;
    notes.end()
}
