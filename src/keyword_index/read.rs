//! Reading what a search needs: the segments, and the postings of its lexemes.

use std::collections::HashMap;
use std::ops::Range;

use kb_rag_core::segment::{Damaged, Key, MAX_ORDINALS, Part, frequency_in};
use kb_rag_core::visible::Sample;
use pgrx::Uuid;

use super::Tables;
use super::format::unknown;
use super::size::{Configs, Size};
use super::write::FORMAT;
use crate::error::Result;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::jsonb::Jsonb;

/// A segment with at most so many rows for each look-up that it would need is read as a whole: a look-up takes about 5
/// microseconds, a row 2.
const ROWS_PER_LOOK_UP: i32 = 2;

/// The segments of a base that the snapshot sees.
#[derive(Default)]
pub struct Segments {
    pub size: Size,
    tables: Option<Tables>,
    /// By id.
    all: Vec<Segment>,
    /// The rows of the small segments, one after the other.
    rows: Vec<u8>,
}

struct Segment {
    id: i64,
    negative: bool,
    chunks: u32,
    runs: i32,
    /// Where the only row of a small segment is.
    row: Option<Range<usize>>,
}

/// What a search has read of the keyword index of a base: the postings of its lexemes.
#[derive(Default)]
pub struct Postings {
    pub parts: Vec<Part>,
    /// The numbers of deleted chunks that the parts still have, sorted.
    pub gone: Vec<i64>,
    /// In how many chunks each lexeme is, in the order given.
    pub frequencies: Vec<f64>,
}

impl Segments {
    /// All segments, with the data of small ones. 55000 where the format is not known.
    pub fn read(tables: Tables) -> Result<Segments> {
        let mut segments = Segments { tables: Some(tables), ..Segments::default() };
        let mut configs = Configs::default();
        // Segments of single rows have the same configurations, and reading JSON takes longer than the rest of a row.
        let mut last: Option<(Jsonb, Configs)> = None;
        tables.segments(|scan| {
            let [id, sign, version] = [scan.column(c"id")?, scan.column(c"sign")?, scan.column(c"version")?];
            let [chunks, length, runs] =
                [scan.column(c"chunks")?, scan.column(c"length")?, scan.column(c"runs")?];
            let [of_configs, data] = [scan.column(c"configs")?, scan.column(c"data")?];
            scan.all(|row| {
                let format = row.require::<i16>(version)?;
                if format != FORMAT {
                    return Err(unknown(format));
                }
                let sign = row.require::<i16>(sign)?.signum();
                let chunks = u32::try_from(row.require::<i32>(chunks)?).map_err(|_| Damaged)?;
                if chunks > MAX_ORDINALS {
                    return Err(Damaged.into());
                }
                let of_small = row.get::<&[u8]>(data)?.map(|data| {
                    let from = segments.rows.len();
                    segments.rows.extend_from_slice(data);
                    from..segments.rows.len()
                });
                let segment = Segment {
                    id: row.require(id)?,
                    negative: sign < 0,
                    chunks,
                    runs: row.require(runs)?,
                    row: of_small,
                };
                // The owner of the base may write anything here; kb_reconcile corrects it.
                let sign = i64::from(sign);
                let size = &mut segments.size;
                size.chunks = size.chunks.saturating_add(sign * i64::from(segment.chunks));
                size.length = size.length.saturating_add(row.require::<i64>(length)?.saturating_mul(sign));
                let json = row.require::<Jsonb>(of_configs)?;
                let of_segment = match last.take() {
                    Some((known, of_segment)) if known == json => of_segment,
                    _ => Configs::of_json(&json.to_text()),
                };
                configs.add_all(&of_segment);
                last = Some((json, of_segment));
                segments.all.push(segment);
                Ok(())
            })
        })?;
        segments.all.sort_unstable_by_key(|segment| segment.id);
        segments.size.chunks = segments.size.chunks.max(0);
        segments.size.length = segments.size.length.max(0);
        segments.size.text_configs = configs.in_use();
        Ok(segments)
    }

    /// The id of each segment, whether it is negative, and how many chunks it has.
    pub fn list(&self) -> impl Iterator<Item = (i64, bool, u32)> {
        self.all.iter().map(|segment| (segment.id, segment.negative, segment.chunks))
    }

    /// How many rows each segment has in `keyword_run`, by its id; those without any are left out.
    pub fn runs(&self) -> HashMap<i64, i64> {
        let counts = self.all.iter().map(|segment| (segment.id, i64::from(segment.runs)));
        counts.filter(|(_, runs)| *runs != 0).collect()
    }

    /// The ids of chunks by their numbers: [`Tables::chunk_ids`].
    pub fn chunk_ids(&self, numbers: impl IntoIterator<Item = i64>) -> Result<Vec<(i64, Uuid)>> {
        self.tables.map_or(Ok(Vec::new()), |tables| tables.chunk_ids(numbers))
    }

    /// The only row of a small segment.
    fn row(&self, segment: &Segment) -> Option<&[u8]> {
        segment.row.clone().and_then(|place| self.rows.get(place))
    }

    fn place(&self, id: i64) -> Option<usize> {
        self.all.binary_search_by_key(&id, |segment| segment.id).ok()
    }

    /// A sample of all chunks: numbers by hash.
    pub fn sample(&self, size: usize) -> Result<Vec<i64>> {
        let all = self.numbers_of_all()?;
        let (mut sample, mut gone) = (Sample::new(size), Vec::new());
        for (_, part) in self.all.iter().zip(&all).filter(|(segment, _)| segment.negative) {
            gone.extend(part.numbers()?);
        }
        gone.sort_unstable();
        for (_, part) in self.all.iter().zip(&all).filter(|(segment, _)| !segment.negative) {
            check_for_interrupts();
            for number in part.numbers()? {
                if sample.would_keep(number) && gone.binary_search(&number).is_err() {
                    sample.offer(number);
                }
            }
        }
        Ok(sample.into_numbers())
    }

    /// The numbers of each segment, without postings.
    fn numbers_of_all(&self) -> Result<Vec<Part>> {
        let mut parts: Vec<Part> = self.all.iter().map(|segment| Part::new(segment.chunks, 0)).collect();
        let mut large = Vec::new();
        for (segment, part) in self.all.iter().zip(&mut parts) {
            match self.row(segment) {
                Some(row) => part.take(None, Key::new(b""), row)?,
                None => large.push(segment.id),
            }
        }
        if let Some(tables) = self.tables {
            tables.lists(&large, &[b""], false, |id, _, row| {
                let place = self.place(id).ok_or(Damaged)?;
                Ok(parts[place].take(None, Key::new(b""), row)?)
            })?;
        }
        Ok(parts)
    }

    /// In how many chunks each of these lexemes is, without their postings: for queries of thousands of words.
    pub fn frequencies(&self, lexemes: &[String]) -> Result<Vec<f64>> {
        let mut counts = vec![0i64; lexemes.len()];
        let keys: Vec<Key> = lexemes.iter().map(|lexeme| Key::new(lexeme.as_bytes())).collect();
        let mut count = |place: usize, segment: &Segment, row: &[u8]| -> Result<()> {
            let (Some(lexeme), Some(count)) = (keys.get(place), counts.get_mut(place)) else {
                return Ok(());
            };
            let found = i64::from(frequency_in(*lexeme, row)?.unwrap_or_default());
            *count += if segment.negative { -found } else { found };
            Ok(())
        };
        let mut large = Vec::new();
        for segment in &self.all {
            check_for_interrupts();
            match self.row(segment) {
                Some(row) => (0..lexemes.len()).try_for_each(|place| count(place, segment, row))?,
                None => large.push(segment.id),
            }
        }
        if let Some(tables) = self.tables {
            let wanted: Vec<&[u8]> = lexemes.iter().map(String::as_bytes).collect();
            tables.lists(&large, &wanted, true, |id, place, row| {
                self.place(id).map_or(Ok(()), |segment| count(place, &self.all[segment], row))
            })?;
        }
        Ok(counts.into_iter().map(|count| count.max(0) as f64).collect())
    }

    /// The postings of lexemes, which are sorted and distinct, and the numbers of deleted chunks.
    pub fn postings(&self, lexemes: &[Vec<u8>]) -> Result<Postings> {
        let wanted: Vec<&[u8]> = lexemes.iter().map(Vec::as_slice).collect();
        let keys: Vec<Key> = wanted.iter().map(|lexeme| Key::new(lexeme)).collect();
        let mut parts: Vec<Part> =
            self.all.iter().map(|segment| Part::new(segment.chunks, lexemes.len())).collect();
        let (mut whole, mut looked_up) = (Vec::new(), Vec::new());
        for (segment, part) in self.all.iter().zip(&mut parts) {
            match self.row(segment) {
                Some(row) => {
                    check_for_interrupts();
                    part.take_all(&keys, row)?;
                }
                None if segment.runs <= ROWS_PER_LOOK_UP * (1 + lexemes.len() as i32) => {
                    whole.push(segment.id)
                }
                None => looked_up.push(segment.id),
            }
        }
        if let Some(tables) = self.tables {
            let place = |id| self.place(id).ok_or(Damaged);
            tables.runs(&whole, |id, row| Ok(parts[place(id)?].take_all(&keys, row)?))?;
            tables.lists(&looked_up, &wanted, false, |id, lexeme, row| {
                Ok(parts[place(id)?].take(Some(lexeme), keys[lexeme], row)?)
            })?;
            // The empty lexeme has the numbers and lengths.
            let needed: Vec<i64> = (looked_up.iter().copied())
                .filter(|id| {
                    self.place(*id).is_some_and(|place| self.all[place].negative || !parts[place].is_empty())
                })
                .collect();
            tables.lists(&needed, &[b""], false, |id, _, row| {
                Ok(parts[place(id)?].take(None, Key::new(b""), row)?)
            })?;
        }
        let mut found = Postings { frequencies: vec![0.0; lexemes.len()], ..Postings::default() };
        for (segment, part) in self.all.iter().zip(parts) {
            let sign = if segment.negative { -1.0 } else { 1.0 };
            for (place, sum) in found.frequencies.iter_mut().enumerate() {
                *sum += sign * f64::from(part.frequency(place));
            }
            if segment.negative {
                found.gone.extend(part.numbers()?);
            } else {
                found.parts.push(part);
            }
        }
        found.gone.sort_unstable();
        found.frequencies.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        Ok(found)
    }
}
