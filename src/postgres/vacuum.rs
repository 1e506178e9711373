//! VACUUM, and the space that it found.

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::subtransaction::caught;

/// Vacuums a table of this database and returns free pages at its end to the file system, whatever its settings are. Only in a
/// background worker, outside of a transaction: PostgreSQL commits meanwhile. A table that was dropped, or that another VACUUM has,
/// is left alone.
pub fn vacuum(table: pg_sys::Oid) -> Result<()> {
    // SAFETY: a variable of the process.
    if unsafe { pg_sys::IsTransactionState() } {
        return Err(Error::internal("a worker vacuums within a transaction"));
    }
    // SAFETY: outside of a transaction; what begins ends below. PostgreSQL keeps the list of tables in PortalContext, which
    // outlives its transactions, and which a process without portals lacks.
    let (before, portal) = unsafe {
        let before = (pg_sys::CurrentMemoryContext, pg_sys::PortalContext);
        pg_sys::PortalContext = pg_sys::AllocSetContextCreateInternal(
            pg_sys::TopMemoryContext,
            c"kb_rag vacuum".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        pg_sys::SetCurrentStatementStartTimestamp();
        pg_sys::StartTransactionCommand();
        before
    };
    let result = caught(|| {
        // SAFETY: the statement is as the parser makes `VACUUM (TRUNCATE, SKIP_LOCKED)`, with the OID of the table as autovacuum
        // gives it, and lives until the context is deleted. It commits, and begins a transaction that is committed here.
        unsafe {
            pg_sys::MemoryContextSwitchTo(pg_sys::PortalContext);
            let option = |name: &std::ffi::CStr| {
                pg_sys::makeDefElem(pg_sys::pstrdup(name.as_ptr()), std::ptr::null_mut(), -1)
            };
            let mut statement = pgrx::PgBox::<pg_sys::VacuumStmt>::alloc_node(pg_sys::NodeTag::T_VacuumStmt);
            let options = pg_sys::lappend(std::ptr::null_mut(), option(c"truncate").cast());
            statement.options = pg_sys::lappend(options, option(c"skip_locked").cast());
            let relation = pg_sys::makeVacuumRelation(std::ptr::null_mut(), table, std::ptr::null_mut());
            statement.rels = pg_sys::lappend(std::ptr::null_mut(), relation.cast());
            statement.is_vacuumcmd = true;
            let state = pg_sys::make_parsestate(std::ptr::null_mut());
            pg_sys::ExecVacuum(state, statement.into_pg(), true);
            pg_sys::CommitTransactionCommand();
        }
        Ok(())
    });
    // SAFETY: the transaction is in progress or has failed where there was an error; nothing of the context is used after this.
    unsafe {
        if result.is_err() {
            pg_sys::AbortCurrentTransaction();
        }
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextDelete(pg_sys::PortalContext);
        pg_sys::PortalContext = portal;
    }
    result
}

/// The size of a table, and what the last VACUUM found free in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    pub pages: u32,
    /// In bytes.
    pub free: u64,
}

/// The space of a table; None for one that was dropped. The table is locked for the moment.
pub fn space(table: pg_sys::Oid) -> Option<Space> {
    // SAFETY: opened and closed with the same lock. The map of free space answers for any page, also where it has none.
    unsafe {
        let relation = pg_sys::try_table_open(table, pg_sys::AccessShareLock as i32);
        if relation.is_null() {
            return None;
        }
        let pages = pg_sys::RelationGetNumberOfBlocksInFork(relation, pg_sys::ForkNumber::MAIN_FORKNUM);
        let mut free = 0;
        for page in 0..pages {
            check_for_interrupts();
            free += pg_sys::GetRecordedFreeSpace(relation, page) as u64;
        }
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        Some(Space { pages, free })
    }
}
