//! Counting a base: its documents by status, chunks, vectors and sizes.

use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Row};
use crate::upkeep::{self, ChangeProgress};

/// Documents by status, chunks, vectors and sizes of one base.
pub struct Counts {
    pub documents: i64,
    pub pending: i64,
    pub indexed: i64,
    pub failed: i64,
    pub chunks: i64,
    pub embedded: i64,
    /// NULL under row security.
    pub table_bytes: Option<i64>,
    pub index_bytes: Option<i64>,
    /// Small segments of the keyword index. NULL under row security.
    pub unmerged_segments: Option<i64>,
    /// Documents that an earlier version of a reader or of the chunker made; those of them whose file would have to be given
    /// again. None in statistics that kb_rag 0.3 kept.
    pub outdated: Option<i64>,
    pub outdated_files: Option<i64>,
}

impl Counts {
    /// Reads eleven columns of a row, beginning with `first`.
    pub(super) fn from_row(row: &Row, first: i32) -> Result<Counts> {
        Ok(Counts {
            documents: row.require(first)?,
            pending: row.require(first + 1)?,
            indexed: row.require(first + 2)?,
            failed: row.require(first + 3)?,
            chunks: row.require(first + 4)?,
            embedded: row.require(first + 5)?,
            table_bytes: row.get(first + 6)?,
            index_bytes: row.get(first + 7)?,
            unmerged_segments: row.get(first + 8)?,
            outdated: row.get(first + 9)?,
            outdated_files: row.get(first + 10)?,
        })
    }

    /// The share of the chunks that have a vector, in percent to one decimal. While one lacks it, that is below 100.
    pub fn coverage(&self) -> f64 {
        if self.chunks == 0 {
            return 100.0;
        }
        let rounded = (1000.0 * self.embedded as f64 / self.chunks as f64).round() / 10.0;
        if self.embedded < self.chunks { rounded.min(99.9) } else { rounded }
    }
}

/// What counting the tables of a base gives.
pub struct Statistics {
    pub counts: Counts,
    /// The progress of a change of its model.
    pub change: Option<ChangeProgress>,
}

/// Counts those rows of a base that the caller may see. Its tables should be locked.
pub fn count(base: &KnowledgeBase) -> Result<Statistics> {
    let counts = base.read(|| count_as(base))?;
    let change = base.connect(|c| upkeep::change_progress(c, base))?;
    Ok(Statistics { counts, change })
}

/// Counts all rows of a base, as its owner.
pub(super) fn count_all(base: &KnowledgeBase) -> Result<Statistics> {
    base.as_owner(|| {
        let counts = count_as(base)?;
        let change = spi::connect(|c| upkeep::change_progress(c, base))?;
        Ok(Statistics { counts, change })
    })
}

fn count_as(base: &KnowledgeBase) -> Result<Counts> {
    let schema = base.quoted_schema();
    let secured = base.is_row_secured()?;
    let of_document = spi::render(include_str!("count_chunk_visible.sql").trim(), &[("schema", &schema)]);
    let of_chunk = spi::render(include_str!("count_embedding_visible.sql").trim(), &[("schema", &schema)]);
    let unmerged = spi::render(include_str!("count_unmerged.sql").trim(), &[("schema", &schema)]);
    let template = base.versions()?.render(include_str!("count.sql"), &schema);
    let sql = spi::render(
        &template,
        &[
            ("chunk_visible", if secured { &of_document } else { "true" }),
            ("embedding_visible", if secured { &of_chunk } else { "true" }),
            ("unmerged", if secured { "NULL::int8" } else { &unmerged }),
            ("whole", if secured { "false" } else { "true" }),
            ("schema_name", &spi::quote_literal(&schema)),
        ],
    );
    spi::connect(|c| c.query_one(&sql, Access::Read, &[], |row| Counts::from_row(row, 1)))?
        .ok_or_else(|| Error::internal("no row from an aggregate"))
}
