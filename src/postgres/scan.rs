//! Rows of kb_rag's tables by their keys, without a statement: a search looks up hundreds of rows, and starting the executor
//! for them takes longer than reading them.
//!
//! Privileges and row security are not checked here, and nothing is known of what the caller may see: the callers run as the
//! owner of the table, after they have checked both. What the active snapshot sees is read, as by a reading statement of
//! [`crate::postgres::spi`].

use std::ffi::{CStr, c_char};

use pgrx::prelude::*;
use pgrx::{PgList, pg_sys};

use crate::error::{Error, Result};
use crate::postgres::citus;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Slot};

/// The condition on a column of an index.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// Equal to this number.
    Is(i64),
    /// Bytes from the first to the second, both included: two conditions.
    Within(&'a [u8], &'a [u8]),
}

/// The order in which rows are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By the columns of the index.
    Ascending,
    Descending,
}

/// A scan of all rows leaves the index after it met so many row versions that the snapshot does not see: each costs about half
/// a microsecond there, a fifth of that in a scan of the table.
const MAX_INVISIBLE: usize = 1_000;

/// Columns by which a table is searched, with their types.
pub type Columns<'a> = [(&'a CStr, pg_sys::Oid)];

/// A scan of one table by an index over some columns.
pub struct Scan {
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    scan: pg_sys::IndexScanDesc,
    slot: *mut pg_sys::TupleTableSlot,
    keys: usize,
}

impl Scan {
    /// Runs `work` with a scan of `keys` conditions on the first of the `columns` of an index. The lock on the table, that of a
    /// reader, is kept until the end of the transaction. 55000 where the table has no such index, because its owner dropped it,
    /// or where Citus distributes it.
    pub fn with<T>(
        table: pg_sys::Oid,
        columns: &Columns,
        keys: usize,
        work: impl FnOnce(&mut Scan) -> Result<T>,
    ) -> Result<T> {
        let mut scan = Scan::begin(table, columns, keys)?;
        let result = work(&mut scan);
        scan.end();
        result
    }

    fn begin(table: pg_sys::Oid, columns: &Columns, keys: usize) -> Result<Scan> {
        if citus::is_distributed(table) {
            return Err(Error::not_ready("a table of the knowledge base is distributed or managed by Citus")
                .hint("Make it a table of this server again, for example with undistribute_table."));
        }
        // SAFETY: opens by OID, null where it is gone. All is released by `end`, or with the (sub)transaction after an error of
        // PostgreSQL. The snapshot is that of the statement in progress, which outlives the scan.
        unsafe {
            let table = pg_sys::try_table_open(table, pg_sys::AccessShareLock as i32);
            if table.is_null() {
                return Err(Error::not_found("a table of the knowledge base was just dropped")
                    .hint("Run the statement again."));
            }
            let index = match open_index(table, columns) {
                Ok(index) => index,
                Err(error) => {
                    pg_sys::table_close(table, pg_sys::NoLock as i32);
                    return Err(error);
                }
            };
            let scan = begin_scan(table, index, keys as i32);
            let slot = pg_sys::table_slot_create(table, std::ptr::null_mut());
            Ok(Scan { table, index, scan, slot, keys })
        }
    }

    /// The number of a column, by which [`Slot`] reads it. 42703 where it was dropped.
    pub fn column(&self, name: &CStr) -> Result<i32> {
        // SAFETY: the table is open.
        let number = unsafe { pg_sys::SPI_fnumber((*self.table).rd_att, name.as_ptr()) };
        if number > 0 {
            return Ok(number);
        }
        let name = name.to_string_lossy();
        Err(Error::missing_column(format!(
            "column \"{name}\" of a table of the keyword index does not exist"
        ))
        .hint("Restore the columns that kb_create made."))
    }

    /// Passes the rows that satisfy all conditions to `read`, until it returns false. There is a key for each column, in the
    /// order of the index.
    pub fn rows(
        &mut self,
        keys: &[Key],
        order: Order,
        mut read: impl FnMut(&Slot) -> Result<bool>,
    ) -> Result<()> {
        let mut entries: Vec<pg_sys::ScanKeyData> =
            (1..).zip(keys).flat_map(|(column, key)| key.entries(column)).collect();
        if entries.len() != self.keys {
            return Err(Error::internal("an index scan with another number of conditions"));
        }
        let direction = match order {
            Order::Ascending => pg_sys::ScanDirection::ForwardScanDirection,
            Order::Descending => pg_sys::ScanDirection::BackwardScanDirection,
        };
        // SAFETY: the scan was begun for this many keys, which PostgreSQL copies; a bytea that one refers to lives in the memory
        // of the statement. The slot belongs to the table.
        unsafe {
            let count = entries.len() as i32;
            pg_sys::index_rescan(self.scan, entries.as_mut_ptr(), count, std::ptr::null_mut(), 0);
            let slot = Slot::from_raw(self.slot);
            while pg_sys::index_getnext_slot(self.scan, direction, self.slot) {
                check_for_interrupts();
                if !read(&slot)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Passes all rows to `read`, in no order. A table usually has more pages than rows that are seen, and its index leads past
    /// the empty ones; but where an old snapshot keeps deleted rows, which the index still has, the table is read as a whole.
    ///
    /// Under SERIALIZABLE both ways conflict with the same writers: reading the whole index locks the page of new entries too.
    pub fn all(&mut self, mut read: impl FnMut(&Slot) -> Result<()>) -> Result<()> {
        if self.keys != 0 {
            return Err(Error::internal("a scan of all rows with conditions"));
        }
        let mut found: Vec<pg_sys::ItemPointerData> = Vec::new();
        let mut invisible = 0;
        // SAFETY: as in `rows`; `index_fetch_heap` fetches the row of the last entry, and gives false where the snapshot does not
        // see it.
        unsafe {
            let slot = Slot::from_raw(self.slot);
            pg_sys::index_rescan(self.scan, std::ptr::null_mut(), 0, std::ptr::null_mut(), 0);
            while !pg_sys::index_getnext_tid(self.scan, pg_sys::ScanDirection::ForwardScanDirection).is_null()
            {
                check_for_interrupts();
                if pg_sys::index_fetch_heap(self.scan, self.slot) {
                    found.push((*self.slot).tts_tid);
                    read(&slot)?;
                    continue;
                }
                invisible += 1;
                if invisible == MAX_INVISIBLE {
                    return self.rest(found, read);
                }
            }
        }
        Ok(())
    }

    /// Passes the rows of the table that are not among those `found` to `read`.
    fn rest(
        &mut self,
        mut found: Vec<pg_sys::ItemPointerData>,
        mut read: impl FnMut(&Slot) -> Result<()>,
    ) -> Result<()> {
        let place = |tid: &pg_sys::ItemPointerData| (tid.ip_blkid.bi_hi, tid.ip_blkid.bi_lo, tid.ip_posid);
        found.sort_unstable_by_key(place);
        // SAFETY: the table is open, the slot is of its kind, and the active snapshot is the one of the index scan. The scan is
        // ended here, or released with the (sub)transaction after an error of PostgreSQL.
        unsafe {
            let slot = Slot::from_raw(self.slot);
            let scan =
                pg_sys::table_beginscan(self.table, pg_sys::GetActiveSnapshot(), 0, std::ptr::null_mut());
            let mut result = Ok(());
            while result.is_ok()
                && pg_sys::table_scan_getnextslot(
                    scan,
                    pg_sys::ScanDirection::ForwardScanDirection,
                    self.slot,
                )
            {
                check_for_interrupts();
                if found.binary_search_by_key(&place(&(*self.slot).tts_tid), place).is_err() {
                    result = read(&slot);
                }
            }
            pg_sys::ExecClearTuple(self.slot);
            pg_sys::table_endscan(scan);
            result
        }
    }

    fn end(self) {
        // SAFETY: begun and opened by `begin`, released here once.
        unsafe {
            pg_sys::ExecDropSingleTupleTableSlot(self.slot);
            pg_sys::index_endscan(self.scan);
            pg_sys::index_close(self.index, pg_sys::NoLock as i32);
            pg_sys::table_close(self.table, pg_sys::NoLock as i32);
        }
    }
}

/// Whether a table has a row that `is_meant`, whose number of a column it gets with the row. None where the table has more than
/// `max_pages` pages, which are not read; false where there is no such table.
pub fn any_row(
    table: pg_sys::Oid,
    max_pages: u32,
    column: &CStr,
    is_meant: impl Fn(&Slot, i32) -> Result<bool>,
) -> Result<Option<bool>> {
    // SAFETY: the table is opened and closed with the same lock, as are the scan and its slot; after an error of PostgreSQL the
    // (sub)transaction releases them. The slot belongs to the table, and its rows are read while the scan stands on them.
    unsafe {
        let relation = pg_sys::try_table_open(table, pg_sys::AccessShareLock as i32);
        if relation.is_null() {
            return Ok(Some(false));
        }
        let pages = pg_sys::RelationGetNumberOfBlocksInFork(relation, pg_sys::ForkNumber::MAIN_FORKNUM);
        let mut found = Ok((pages <= max_pages).then_some(false));
        if (1..=max_pages).contains(&pages) {
            let slot = pg_sys::table_slot_create(relation, std::ptr::null_mut());
            let scan =
                pg_sys::table_beginscan(relation, pg_sys::GetActiveSnapshot(), 0, std::ptr::null_mut());
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            let row = Slot::from_raw(slot);
            let column = pg_sys::SPI_fnumber((*relation).rd_att, column.as_ptr());
            while matches!(found, Ok(Some(false))) && pg_sys::table_scan_getnextslot(scan, forward, slot) {
                found = is_meant(&row, column).map(Some);
            }
            pg_sys::table_endscan(scan);
            pg_sys::ExecDropSingleTupleTableSlot(slot);
        }
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        found
    }
}

impl Key<'_> {
    /// The conditions on a column.
    fn entries(&self, column: i16) -> Vec<pg_sys::ScanKeyData> {
        let [at_least, at_most] = [
            (pg_sys::BTGreaterEqualStrategyNumber, pg_sys::F_BYTEAGE),
            (pg_sys::BTLessEqualStrategyNumber, pg_sys::F_BYTEALE),
        ];
        match *self {
            Key::Is(number) => {
                vec![entry(column, (pg_sys::BTEqualStrategyNumber, pg_sys::F_INT8EQ), number.into_datum())]
            }
            Key::Within(first, last) => {
                vec![entry(column, at_least, first.into_datum()), entry(column, at_most, last.into_datum())]
            }
        }
    }
}

/// A condition by an operator, given by its strategy and its function, which is PostgreSQL's own.
fn entry(
    column: i16,
    (strategy, function): (u32, u32),
    argument: Option<pg_sys::Datum>,
) -> pg_sys::ScanKeyData {
    let mut entry = pg_sys::ScanKeyData::default();
    // SAFETY: fills the entry.
    unsafe {
        pg_sys::ScanKeyEntryInitialize(
            &mut entry,
            0,
            column,
            strategy as pg_sys::StrategyNumber,
            pg_sys::InvalidOid,
            pg_sys::InvalidOid,
            function.into(),
            argument.unwrap_or(pg_sys::Datum::from(0usize)),
        );
    }
    entry
}

/// # Safety
/// Both relations are open, and an active snapshot is set.
unsafe fn begin_scan(table: pg_sys::Relation, index: pg_sys::Relation, keys: i32) -> pg_sys::IndexScanDesc {
    // SAFETY: promised by the caller.
    unsafe {
        let snapshot = pg_sys::GetActiveSnapshot();
        #[cfg(feature = "pg18")]
        return pg_sys::index_beginscan(table, index, snapshot, std::ptr::null_mut(), keys, 0);
        #[cfg(not(feature = "pg18"))]
        return pg_sys::index_beginscan(table, index, snapshot, keys, 0);
    }
}

/// The operator families of a default B-tree over int8 and bytea: other ones compare by code of the index's creator.
const FAMILIES: [(pg_sys::Oid, pg_sys::Oid); 2] =
    [(pg_sys::INT8OID, pg_sys::INTEGER_BTREE_FAM_OID), (pg_sys::BYTEAOID, pg_sys::BYTEA_BTREE_FAM_OID)];

/// Opens a B-tree over these columns, ascending, which has all rows.
///
/// # Safety
/// The table is open and locked.
unsafe fn open_index(table: pg_sys::Relation, columns: &Columns) -> Result<pg_sys::Relation> {
    // SAFETY: the table is open; the list is PostgreSQL's copy of the OIDs of its indexes, which its lock keeps.
    unsafe {
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(table));
        for oid in indexes.iter_oid() {
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            if is_over(table, index, columns) {
                return Ok(index);
            }
            pg_sys::index_close(index, pg_sys::NoLock as i32);
        }
        let names: Vec<_> = columns.iter().map(|(name, _)| name.to_string_lossy()).collect();
        let form = &*(*table).rd_rel;
        let name = CStr::from_ptr(form.relname.data.as_ptr()).to_string_lossy().into_owned();
        let schema = lookup::schema_name(form.relnamespace)?;
        let qualified = format!("{}.{}", spi::quote_identifier(&schema), spi::quote_identifier(&name));
        if form.relkind != pg_sys::RELKIND_RELATION as c_char {
            return Err(Error::wrong_type(format!("{qualified} is not a table"))
                .hint("Restore the table that kb_create made."));
        }
        Err(Error::not_ready(format!("table {qualified} has no index over ({})", names.join(", ")))
            .hint(format!("Create it again: CREATE UNIQUE INDEX ON {qualified} ({}).", names.join(", "))))
    }
}

/// # Safety
/// Both relations are open.
unsafe fn is_over(table: pg_sys::Relation, index: pg_sys::Relation, columns: &Columns) -> bool {
    // SAFETY: an open index has these structures, with an entry for each of its key columns.
    unsafe {
        let form = &*(*index).rd_index;
        if (*(*index).rd_rel).relam != pg_sys::BTREE_AM_OID
            || !form.indisvalid
            || usize::from(form.indnkeyatts as u16) < columns.len()
            || !pg_sys::RelationGetIndexPredicate(index).is_null()
        {
            return false;
        }
        let numbers = form.indkey.values.as_slice(form.indnkeyatts as usize);
        columns.iter().enumerate().all(|(place, (name, expected))| {
            let column = pg_sys::SPI_fnumber((*table).rd_att, name.as_ptr());
            let family = FAMILIES.iter().find(|(oid, _)| oid == expected).map(|(_, family)| *family);
            i32::from(numbers[place]) == column
                && pg_sys::SPI_gettypeid((*table).rd_att, column) == *expected
                && family.is_some_and(|family| *(*index).rd_opfamily.add(place) == family)
                && *(*index).rd_indoption.add(place) & pg_sys::INDOPTION_DESC as i16 == 0
        })
    }
}
