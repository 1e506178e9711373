//! Reading the chunks that a statement wrote, from the transition tables of its trigger: without a query, which would cost
//! more than the rest of the work for a single row.

use std::collections::HashSet;
use std::ffi::CStr;

use kb_rag_core::tsvector::TsVector;
use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::tsvector;

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
pub struct Transition {
    store: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
    columns: [i32; 4],
}

impl Transition {
    /// The rows as they were before and after; None where the event has none. 42804 if the columns of `chunk` were altered.
    pub fn of(data: &pg_sys::TriggerData) -> Result<[Option<Transition>; 2]> {
        // SAFETY: the relation of a trigger call is open for its duration.
        let descriptor = unsafe { (*data.tg_relation).rd_att };
        let mut columns = [0; 4];
        for ((name, expected), column) in COLUMNS.into_iter().zip(&mut columns) {
            // SAFETY: look-ups in the descriptor; a column that does not exist has type InvalidOid.
            let found = unsafe {
                *column = pg_sys::SPI_fnumber(descriptor, name.as_ptr());
                pg_sys::SPI_gettypeid(descriptor, *column)
            };
            if found != expected {
                let name = name.to_string_lossy();
                return Err(Error::wrong_type(format!(
                    "column \"{name}\" of table chunk is missing or altered"
                ))
                .hint("Restore the columns that kb_create made."));
            }
        }
        Ok([data.tg_oldtable, data.tg_newtable]
            .map(|store| (!store.is_null()).then_some(Transition { store, descriptor, columns })))
    }

    /// The numbers of all rows.
    pub fn numbers(&self) -> Result<HashSet<i64>> {
        let mut numbers = HashSet::new();
        self.each(|slot| {
            numbers.insert(self.number(slot)?);
            Ok(())
        })?;
        Ok(numbers)
    }

    /// Passes the rows to `take`, except those with a number in `others`.
    pub fn chunks(&self, others: &HashSet<i64>, mut take: impl FnMut(&ChunkRow) -> Result<()>) -> Result<()> {
        self.each(|slot| {
            let number = self.number(slot)?;
            if others.contains(&number) {
                return Ok(());
            }
            let [_, length, text_config, tsv] = self.columns;
            // SAFETY: the types were checked.
            unsafe {
                // An owner may have dropped the constraints; kb_reconcile repairs the index of such chunks.
                let Some(tsv) = self.datum(slot, tsv) else { return Ok(()) };
                let length = self.datum(slot, length).and_then(|length| i32::from_datum(length, false));
                let text_config = self.datum(slot, text_config);
                let text_config =
                    text_config.and_then(|config| <&str>::from_datum(config, false)).unwrap_or_default();
                let length = length.unwrap_or_default().max(0) as u32;
                tsvector::read(tsv, |tsv| take(&ChunkRow { number, length, text_config, tsv }))?
            }
        })
    }

    fn each(&self, mut read: impl FnMut(*mut pg_sys::TupleTableSlot) -> Result<()>) -> Result<()> {
        // SAFETY: the store lives as long as the trigger call. A read pointer of its own begins at the first row; the slot
        // is dropped below, or with the memory of the statement after an error.
        unsafe {
            let pointer = pg_sys::tuplestore_alloc_read_pointer(self.store, pg_sys::EXEC_FLAG_REWIND as i32);
            pg_sys::tuplestore_select_read_pointer(self.store, pointer);
            pg_sys::tuplestore_rescan(self.store);
            let slot =
                pg_sys::MakeSingleTupleTableSlot(self.descriptor, &raw const pg_sys::TTSOpsMinimalTuple);
            let mut result = Ok(());
            while result.is_ok() && pg_sys::tuplestore_gettupleslot(self.store, true, false, slot) {
                result = read(slot);
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
            result
        }
    }

    fn number(&self, slot: *mut pg_sys::TupleTableSlot) -> Result<i64> {
        // SAFETY: the type was checked.
        let number =
            self.datum(slot, self.columns[0]).and_then(|number| unsafe { i64::from_datum(number, false) });
        number.ok_or_else(|| {
            Error::null_value("column \"keyword_number\" is null")
                .hint("Restore the rows and the NOT NULL constraints that kb_rag made.")
        })
    }

    fn datum(&self, slot: *mut pg_sys::TupleTableSlot, column: i32) -> Option<pg_sys::Datum> {
        // SAFETY: the slot holds a row of the table; the column exists.
        unsafe {
            let slot = &mut *slot;
            if i32::from(slot.tts_nvalid) < column {
                pg_sys::slot_getsomeattrs_int(slot, column);
            }
            let index = column as usize - 1;
            (!*slot.tts_isnull.add(index)).then(|| *slot.tts_values.add(index))
        }
    }
}
