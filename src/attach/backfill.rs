//! Reading the rows that existed when a table was attached, in batches.

use std::collections::HashSet;
use std::time::Duration;

use pgrx::Uuid;

use super::attachment::{self, Attachment};
use super::compare;
use super::document::Documents;
use super::follow;
use super::mistakes;
use super::overview::{self, Status};
use super::row::{Group, SourceRow};
use super::select::Select;
use crate::base::{Embed, KnowledgeBase};
use crate::catalog;
use crate::error::Result;
use crate::lock::RowPatience;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::queue::{self, Kind, is_worker};

/// Rows read in one transaction, and how many are fetched at a time.
pub const BATCH: usize = 500;
const FETCHED: i64 = 16;
/// Rows read in one transaction that also makes their vectors.
const INLINE_BATCH: usize = 50;
/// How long to wait for documents, or the table, that other transactions have locked.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// How far a table has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All rows have been read, or the table cannot be followed.
    All,
    /// Further rows are left.
    More,
    /// Nothing was read: another transaction keeps a row, a document or the source locked.
    Busy,
}

/// Reads the next `rows` rows of an attached table in primary key order, and makes documents of them. The first batch also removes
/// the documents whose row is gone. The rows stay locked until the transaction ends,
/// so that none is deleted before its document exists. A row that another transaction is writing is waited for only while no
/// other row is locked, so that no two transactions wait for each other.
pub fn backfill_batch(base: &KnowledgeBase, source_id: Uuid, rows: usize) -> Result<Progress> {
    let patience = RowPatience::from_duration(LOOK_AGAIN);
    while !lock(source_id)? {
        if !patience.wait()? {
            return Ok(Progress::Busy);
        }
    }
    let Some(table) = attachment::table_of(base, source_id)? else { return Ok(Progress::All) };
    let Some(attachment) = Attachment::read(base, source_id, table)? else { return Ok(Progress::All) };
    if attachment.progress.is_read {
        return Ok(Progress::All);
    }
    if let Some(fault) = attachment.fault() {
        overview::set_status(base, source_id, &Status::Failed(fault))?;
        return Ok(Progress::All);
    }
    if attachment.progress.read_to.is_none() && compare::remove_gone(base, &attachment, &patience)?.busy > 0 {
        return Ok(Progress::Busy);
    }
    let is_first = attachment.progress.read_to.is_none();
    let size = if base.settings.embed == Embed::Inline { rows.min(INLINE_BATCH) } else { rows };
    let batch = Batch { attachment: &attachment, select: Select::new(&attachment.table)?, size };
    let (mut group, mut last, mut is_read) = batch.read()?;
    let documents = Documents::new(base, &attachment);
    if let Some(free) = rows_before_busy(&documents, &group, &patience)? {
        // The rows from that one on are read again.
        is_read = false;
        last = free.checked_sub(1).and_then(|place| group.keys.get(place).cloned());
        group.rows.truncate(free);
        if last.is_none() {
            return Ok(Progress::Busy);
        }
    }
    if is_first && !is_worker() {
        mistakes::warn(&group.rows, &attachment.table, batch.select.is_converted());
    }
    documents.write(&group.rows)?;
    catalog::connect(|c| {
        let rows = group.rows.len() as i64;
        let args = [Arg::new(source_id), Arg::new(last), Arg::new(rows), Arg::new(is_read)];
        c.execute(&follow::with_types(include_str!("progress.sql"), follow::is_known()), &args)
    })?;
    if is_read {
        overview::set_status(base, source_id, &Status::Indexed)?;
    }
    Ok(if is_read { Progress::All } else { Progress::More })
}

/// Locks the documents of some rows. If another transaction keeps one locked for longer than the patience, returns how many
/// rows come before it: waiting for a lock while holding others could end in a deadlock.
fn rows_before_busy(documents: &Documents, group: &Group, patience: &RowPatience) -> Result<Option<usize>> {
    loop {
        let keys = group.rows.iter().map(|row| row.key.as_str()).collect();
        let busy: HashSet<String> = documents.lock_free(keys)?.into_iter().collect();
        if busy.is_empty() {
            return Ok(None);
        }
        if !patience.wait()? {
            return Ok(group.rows.iter().position(|row| busy.contains(&row.key)));
        }
    }
}

/// Records why the rows cannot be read. A later attempt may succeed.
pub fn note_failure(base: &KnowledgeBase, source_id: Uuid, error: &str) -> Result<()> {
    overview::set_status(base, source_id, &Status::Failed(error.to_string()))
}

/// Only one session at a time reads a table; a worker does not wait for kb_reconcile, which reads all of it. False if another
/// session holds the lock.
fn lock(source_id: Uuid) -> Result<bool> {
    let is_free = catalog::connect(|c| {
        c.query_one(include_str!("lock.sql"), Access::Write, &[Arg::new(source_id)], |row| {
            row.require::<bool>(1)
        })
    })?;
    Ok(is_free.unwrap_or(true))
}

/// Has the workers read a table from its beginning again: rows were written that its triggers did not follow.
pub fn read_again(base: Uuid, source_id: Uuid) -> Result<()> {
    let is_attached = catalog::connect(|c| {
        let sql = follow::with_types(include_str!("read_again.sql"), follow::is_known());
        c.execute(&sql, &[Arg::new(source_id), Arg::new(base)])
    })?;
    if is_attached > 0 { queue::enqueue(base, Kind::Backfill, &[source_id]) } else { Ok(()) }
}

struct Batch<'a> {
    attachment: &'a Attachment,
    select: Select<'a>,
    size: usize,
}

impl Batch<'_> {
    /// The next rows, locked; the key up to which all rows are then read; and whether there are no more rows.
    fn read(&self) -> Result<(Group, Option<Vec<String>>, bool)> {
        // The first row is waited for, as no other is locked; the rows after it are read up to one that is being written.
        let (first, last) = self.next_rows(&[], 1, true)?;
        if last.is_none() {
            return Ok((first, None, true));
        }
        let keys = self.next_keys()?;
        let (group, last_of_all) = self.next_rows(&keys, self.size, false)?;
        if last_of_all.is_none() {
            // The awaited transaction may have moved the row to a later key: rows before that key are still unread.
            let is_next = first.rows.first().map(|row| &row.key) == keys.first();
            let last = if is_next { last } else { self.attachment.progress.read_to.clone() };
            return Ok((first, last, false));
        }
        let is_read = keys.len() < self.size && group.rows.len() == keys.len();
        Ok((group, last_of_all, is_read))
    }

    fn args(&self) -> Vec<Arg> {
        let parts = self.attachment.progress.read_to.iter().flatten();
        parts.map(|part| Arg::new(part.as_str())).collect()
    }

    fn is_first(&self) -> bool {
        self.attachment.progress.read_to.is_none()
    }

    fn next_keys(&self) -> Result<Vec<String>> {
        let sql = self.select.next_keys(self.is_first(), self.size)?;
        self.attachment
            .table
            .connect(|c| c.query(&sql, Access::Write, Planning::Custom, &self.args(), |row| row.require(1)))
    }

    /// The rows of `keys` up to the first that is locked or gone.
    fn next_rows(&self, keys: &[String], limit: usize, wait: bool) -> Result<(Group, Option<Vec<String>>)> {
        let sql = self.select.next_rows(self.is_first(), limit, wait)?;
        self.attachment.table.connect(|c| {
            let (mut group, mut last) = (Group::default(), None);
            let cursor = c.cursor(&sql, &self.args())?;
            'read: loop {
                let rows = cursor.fetch(FETCHED, |row| {
                    Ok((SourceRow::read(row)?, row.require::<Vec<String>>(SourceRow::COLUMNS + 1)?))
                })?;
                if rows.is_empty() {
                    break;
                }
                for (row, parts) in rows {
                    let expected = keys.get(group.rows.len());
                    if expected.is_some_and(|key| *key != row.key) {
                        break 'read;
                    }
                    last = Some(parts.clone());
                    group.push_with(row, parts);
                }
                if group.is_full() {
                    break;
                }
            }
            cursor.close();
            Ok((group, last))
        })
    }
}
