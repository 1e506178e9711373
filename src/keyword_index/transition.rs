//! Reading the chunks that a statement wrote, from the transition tables of its trigger: without a query, which would cost
//! more than the rest of the work for a single row.

use std::collections::HashSet;
use std::ffi::CStr;

use kb_rag_core::tsvector::TsVector;
use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::postgres::spi::Slot;
use crate::postgres::trigger::{self, TransitionTable};

/// What the keyword index holds of a chunk.
pub struct ChunkRow<'a> {
    pub number: i64,
    pub length: u32,
    pub text_config: &'a str,
    pub tsv: &'a TsVector<'a>,
}

/// The columns, with their types.
const COLUMNS: [(&CStr, pg_sys::Oid); 4] = [
    (c"keyword_number", pg_sys::INT8OID),
    (c"length", pg_sys::INT4OID),
    (c"text_config", pg_sys::TEXTOID),
    (c"tsv", pg_sys::TSVECTOROID),
];

/// One transition table of the trigger call in progress.
pub struct Transition<'a> {
    table: TransitionTable<'a>,
    columns: [i32; 4],
}

impl<'a> Transition<'a> {
    /// The rows as they were before and after; None where the event has none. 42804 if the columns of `chunk` were altered.
    pub fn old_and_new(trigger: &'a PgTrigger) -> Result<[Option<Transition<'a>>; 2]> {
        let mut columns = [0; 4];
        for ((name, expected), column) in COLUMNS.into_iter().zip(&mut columns) {
            let (number, found) = trigger::column(trigger, name);
            *column = number;
            if found != expected {
                return Err(Error::altered_column("chunk", &name.to_string_lossy()));
            }
        }
        Ok(trigger::transition_tables(trigger).map(|table| table.map(|table| Transition { table, columns })))
    }

    /// The numbers of all rows.
    pub fn numbers(&self) -> Result<HashSet<i64>> {
        let mut numbers = HashSet::new();
        self.table.each(|slot| {
            numbers.insert(self.number(slot)?);
            Ok(())
        })?;
        Ok(numbers)
    }

    /// Passes the rows to `take`, except those with a number in `others`.
    pub fn chunks(&self, others: &HashSet<i64>, mut take: impl FnMut(&ChunkRow) -> Result<()>) -> Result<()> {
        let [_, length, text_config, tsv] = self.columns;
        self.table.each(|slot| {
            let number = self.number(slot)?;
            if others.contains(&number) {
                return Ok(());
            }
            // An owner may have dropped the constraints; kb_reconcile repairs the index of chunks without lexemes.
            let mut result = Ok(());
            slot.with_tsvector(tsv, |tsv| {
                result = row(slot, number, [length, text_config], tsv).and_then(|row| take(&row));
            })?;
            result
        })
    }

    fn number(&self, slot: &Slot) -> Result<i64> {
        slot.require(self.columns[0])
    }
}

fn row<'a>(
    slot: &'a Slot,
    number: i64,
    [length, text_config]: [i32; 2],
    tsv: &'a TsVector,
) -> Result<ChunkRow<'a>> {
    Ok(ChunkRow {
        number,
        length: slot.get::<i32>(length)?.unwrap_or_default().max(0) as u32,
        text_config: slot.get::<&str>(text_config)?.unwrap_or_default(),
        tsv,
    })
}
