//! The stored statistics of bases, for callers that must not wait for the bases' owners: kb_rag.base_statistics.

use std::collections::HashMap;

use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use super::count::{Counts, Statistics};
use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::Result;
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::queue::{self, Pause};
use crate::upkeep::ChangeProgress;

/// Whether the table has the columns of what is outdated: that of kb_rag 0.3 lacks them.
fn has_outdated() -> bool {
    let table = lookup::schema(c"kb_rag").and_then(|schema| lookup::relation(schema, c"base_statistics"));
    table.is_some_and(|table| lookup::column(table, c"outdated_files").is_some())
}

/// The stored statistics of a base.
pub struct Kept {
    /// None if it has not been counted yet.
    pub counted: Option<(Statistics, TimestampWithTimeZone)>,
    /// Identifies the state of its tables by PostgreSQL's cumulative statistics: it differs once they have changed.
    pub activity: String,
    /// Seconds until the next count; None while nothing has changed.
    pub due: Option<f64>,
}

/// Reads the stored statistics of some bases. Their tables are not touched.
pub fn kept<'a>(bases: impl Iterator<Item = &'a KnowledgeBase>) -> Result<HashMap<Uuid, Kept>> {
    let (mut ids, mut documents, mut chunks, mut embeddings) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut next = HashMap::new();
    for base in bases {
        let table = |name| base.table(name).unwrap_or(pg_sys::InvalidOid);
        ids.push(base.id);
        documents.push(table(c"document"));
        chunks.push(table(c"chunk"));
        embeddings.push(table(c"embedding"));
        if let Some(space) = &base.next {
            next.insert(base.id, &space.model);
        }
    }
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = catalog::connect(|c| {
        let args = [Arg::new(ids), Arg::new(documents), Arg::new(chunks), Arg::new(embeddings)];
        let outdated = if has_outdated() { "s.outdated, s.outdated_files" } else { "NULL::int8, NULL::int8" };
        let sql = spi::render(include_str!("kept_statistics.sql"), &[("outdated", outdated)]);
        c.query(&sql, Access::Read, Planning::Generic, &args, |row| {
            let id: Uuid = row.require(1)?;
            let change = row.get::<i64>(5)?.zip(row.get::<i64>(6)?).zip(next.get(&id)).map(
                |((embedded, given_up), model)| ChangeProgress {
                    model: model.to_string(),
                    embedded,
                    given_up,
                },
            );
            let counted = match row.get(4)? {
                Some(at) => Some((Statistics { counts: Counts::from_row(row, 7)?, change }, at)),
                None => None,
            };
            Ok((id, Kept { counted, activity: row.require(2)?, due: row.get(3)? }))
        })
    })?;
    Ok(rows.into_iter().collect())
}

/// What the statement below has for the columns of what is outdated.
const OUTDATED: [&str; 3] = [
    ", outdated, outdated_files",
    ", $15, $16",
    ", outdated = excluded.outdated, outdated_files = excluded.outdated_files",
];

/// Stores what was counted of a base: `seconds` is how long that took, `activity` the state of its tables before.
pub fn keep(base: &KnowledgeBase, counted: &Statistics, activity: &str, seconds: f64) -> Result<()> {
    let Counts { documents, pending, indexed, failed, chunks, embedded, .. } = counted.counts;
    let change = counted.change.as_ref();
    catalog::connect(|c| {
        let args = [
            Arg::new(base.id),
            Arg::new(documents),
            Arg::new(pending),
            Arg::new(indexed),
            Arg::new(failed),
            Arg::new(chunks),
            Arg::new(embedded),
            Arg::new(counted.counts.table_bytes),
            Arg::new(counted.counts.index_bytes),
            Arg::new(counted.counts.unmerged_segments),
            Arg::new(change.map(|change| change.embedded)),
            Arg::new(change.map(|change| change.given_up)),
            Arg::new(activity),
            Arg::new(seconds),
            Arg::new(counted.counts.outdated),
            Arg::new(counted.counts.outdated_files),
        ];
        let [columns, values, assignments] = if has_outdated() { OUTDATED } else { [""; 3] };
        let replacements = [("columns", columns), ("values", values), ("assignments", assignments)];
        c.execute(&spi::render(include_str!("keep_statistics.sql"), &replacements), &args)
    })?;
    Ok(())
}

/// Whether statistics of a base are stored. Bases of superusers are in everybody's circle, so they are always counted
/// directly.
pub fn are_of_use(base: &KnowledgeBase) -> Result<bool> {
    Ok(!role::is_superuser(base.owner_role()?))
}

/// Requests a count when the transaction commits, if one of the bases has changed and can be counted.
pub fn request<'a>(
    bases: impl Iterator<Item = &'a KnowledgeBase>,
    kept: &HashMap<Uuid, Kept>,
    pauses: &[Pause],
) {
    let is_due = |base: &KnowledgeBase| {
        kept.get(&base.id).is_some_and(|kept| kept.due.is_some_and(|seconds| seconds <= 0.0))
            && !pauses.iter().any(|pause| pause.of_base(base.id).is_some())
    };
    if bases.into_iter().any(is_due) {
        queue::count_at_commit();
    }
}
