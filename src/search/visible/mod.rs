//! The chunks that row security lets the caller see. They are found once for each search and never kept: they depend on its
//! snapshot, role and settings, and a policy may read anything.
//!
//! Few chunks are listed, as the caller, and everything about them is exact. If there are more, searches take candidates from the
//! indexes as the owner and check them as the caller, and the statistics of BM25 are estimated from samples that are checked in the
//! same way: no text, score or count is taken from a chunk that was not checked.

mod check;
mod estimated;
mod listed;

use pgrx::pg_sys;

use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::keyword_index::{Segments, Tables};
use crate::postgres::spi::Connection;
use crate::postgres::test_point::test_limit;

pub use check::{follows, ids_followed, of_config};
pub use estimated::Estimated;
pub use listed::Listed;

/// So many visible chunks are listed. Listing takes about six microseconds for each.
const MAX_LISTED: i64 = 10_000;
/// In a base of at most so many chunks, a list may read all of them, half a microsecond each. In a larger one it must use an index
/// of the policy, or the samples must be too small to tell anything.
const MAX_SCANNED: i64 = 50_000;
/// The chunks of the first sample, and of a larger one that follows where the first has few visible ones.
const SAMPLE: usize = 256;
const LARGE_SAMPLE: usize = 1_024;
/// So few visible chunks are few in either sample. Below the second, the vector index would give more candidates than it may until
/// enough are visible.
const FEW: [usize; 2] = [16, 13];

/// The part of a base that the caller may see.
pub enum Visible {
    /// Row security does not apply to the caller.
    All,
    /// These chunks.
    Listed(Listed),
    /// More chunks than are listed.
    Estimated(Estimated),
    /// The keyword index, which tells what chunks there are, was altered: everything is read as the caller.
    Unread,
}

impl Visible {
    /// The part of a base that the caller may see now.
    pub fn of_base(connection: &Connection, base: &KnowledgeBase) -> Result<Visible> {
        if !base.is_row_secured()? {
            return Ok(Visible::All);
        }
        match Visible::find(connection, base) {
            Err(error) if error.is_of_altered_tables() => Ok(Visible::Unread),
            found => found,
        }
    }

    fn find(connection: &Connection, base: &KnowledgeBase) -> Result<Visible> {
        let segments = base.read_as_owner(|| Segments::read(Tables::for_base(base)?))?;
        let (chunks, max_listed) = (segments.size.chunks, test_limit("listed_chunks", MAX_LISTED));
        // Twice as many, since an estimate may be that far off.
        let list = || base.read(|| Listed::read(connection, base, 2 * max_listed));
        if chunks <= max_listed
            && let Some(listed) = list()?
        {
            return Ok(Visible::Listed(listed));
        }
        let large = test_limit("large_sample", LARGE_SAMPLE);
        let sample = base.read_as_owner(|| segments.sample(large))?;
        base.read(|| {
            let mut estimated = Estimated::new(chunks);
            let (first, rest) = sample.split_at(test_limit("first_sample", SAMPLE).min(sample.len()));
            estimated.add_sample(connection, base, first)?;
            if estimated.of_all.visible < FEW[0] {
                estimated.add_sample(connection, base, rest)?;
            }
            let is_listed = estimated.size.chunks <= max_listed
                && (chunks <= test_limit("scanned_chunks", MAX_SCANNED)
                    || estimated.of_all.visible < FEW[1]
                    || Listed::uses_index(connection, base)?);
            if is_listed && let Some(listed) = Listed::read(connection, base, 2 * max_listed)? {
                return Ok(Visible::Listed(listed));
            }
            Ok(Visible::Estimated(estimated))
        })
    }
}

/// The tables of which a list of visible chunks reads rows.
fn tables(base: &KnowledgeBase) -> Result<[pg_sys::Oid; 2]> {
    Ok::<_, Error>([base.table(c"document")?, base.table(c"chunk")?])
}
