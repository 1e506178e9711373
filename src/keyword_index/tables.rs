//! Reading the tables of the index by their keys.

use pgrx::{Uuid, pg_sys};

use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::scan::{Columns, Key, Order, Scan};

/// The tables that a search reads by keys.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    chunk: pg_sys::Oid,
    segment: pg_sys::Oid,
    run: pg_sys::Oid,
}

const OF_CHUNK: &Columns = &[(c"keyword_number", pg_sys::INT8OID)];
const OF_SEGMENT: &Columns = &[(c"id", pg_sys::INT8OID)];
const OF_RUN: &Columns =
    &[(c"segment", pg_sys::INT8OID), (c"lexeme", pg_sys::BYTEAOID), (c"ordinal", pg_sys::INT8OID)];

impl Tables {
    /// Those of a base. 42704 where one was dropped.
    pub fn for_base(base: &KnowledgeBase) -> Result<Tables> {
        Ok(Tables {
            chunk: base.table(c"chunk")?,
            segment: base.table(c"keyword_segment")?,
            run: base.table(c"keyword_run")?,
        })
    }

    /// The ids of the chunks with these numbers, with the number; those that the snapshot does not see are left out.
    pub fn chunk_ids(&self, numbers: impl IntoIterator<Item = i64>) -> Result<Vec<(i64, Uuid)>> {
        let mut found = Vec::new();
        Scan::with(self.chunk, OF_CHUNK, 1, |scan| {
            let id = scan.column(c"id")?;
            for number in numbers {
                scan.rows(&[Key::Is(number)], Order::Ascending, |row| {
                    found.push((number, row.require::<Uuid>(id)?));
                    Ok(true)
                })?;
            }
            Ok(found)
        })
    }

    /// Runs `work` with a scan of all segments.
    pub fn segments<T>(&self, work: impl FnOnce(&mut Scan) -> Result<T>) -> Result<T> {
        Scan::with(self.segment, OF_SEGMENT, 0, work)
    }

    /// Passes the rows of a segment to `take`, in their order.
    pub fn runs(&self, segments: &[i64], mut take: impl FnMut(i64, &[u8]) -> Result<()>) -> Result<()> {
        if segments.is_empty() {
            return Ok(());
        }
        Scan::with(self.run, OF_RUN, 1, |scan| {
            let data = scan.column(c"data")?;
            for segment in segments {
                scan.rows(&[Key::Is(*segment)], Order::Ascending, |row| {
                    take(*segment, row.require::<&[u8]>(data)?)?;
                    Ok(true)
                })?;
            }
            Ok(())
        })
    }

    /// Passes the rows that have the list of a lexeme to `take`, with their segment and the place of the lexeme in `lexemes`, in
    /// their order. A list begins in the last row whose key is not after its lexeme, and goes on in rows that begin with
    /// it: all are read backwards from its end. With `last_only`, only the last row of each list: every row tells its frequency.
    ///
    /// A row that was found and is not after the next lexeme bounds its look-up from below. Without a bound, PostgreSQL compares
    /// all entries that come before in the page of the index: a hundred, usually. Sorted lexemes are bounded best.
    pub fn lists(
        &self,
        segments: &[i64],
        lexemes: &[&[u8]],
        last_only: bool,
        mut take: impl FnMut(i64, usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        if segments.is_empty() {
            return Ok(());
        }
        Scan::with(self.run, OF_RUN, 3, |scan| {
            let [first, ordinal, data] =
                [scan.column(c"lexeme")?, scan.column(c"ordinal")?, scan.column(c"data")?];
            let (mut rows, mut known, mut least): (Vec<Vec<u8>>, Vec<u8>, Vec<u8>) = Default::default();
            for segment in segments {
                known.clear();
                for (place, lexeme) in lexemes.iter().enumerate() {
                    rows.clear();
                    least.clear();
                    if known.as_slice() <= *lexeme {
                        least.extend_from_slice(&known);
                    }
                    let keys = [Key::Is(*segment), Key::Within(&least, lexeme)];
                    scan.rows(&keys, Order::Descending, |row| {
                        let bytes = row.require::<&[u8]>(data)?;
                        let begins_with = row.require::<&[u8]>(first)?;
                        let goes_back = begins_with == *lexeme && row.require::<i64>(ordinal)? > 0;
                        if !goes_back || last_only {
                            known.clear();
                            known.extend_from_slice(begins_with);
                            // Usually the only one: not copied.
                            take(*segment, place, bytes)?;
                            return Ok(false);
                        }
                        rows.push(bytes.to_vec());
                        Ok(true)
                    })?;
                    rows.iter().rev().try_for_each(|row| take(*segment, place, row))?;
                }
            }
            Ok(())
        })
    }
}
