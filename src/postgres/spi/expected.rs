//! What PostgreSQL's planner says of a statement. EXPLAIN cannot be used: PostgreSQL does not allow it in a function that is not
//! volatile.

use pgrx::{PgList, is_a, pg_sys};

use super::plan::{Planning, kept_plan};
use super::stream::parameters;
use super::{Arg, Connection, statement};
use crate::error::{Error, Result};

impl Connection {
    /// The estimate of the planner for a reading statement with these values.
    pub fn expected_rows(&self, sql: &str, args: &[Arg]) -> Result<f64> {
        // SAFETY: a planned statement has a plan.
        self.with_planned(sql, args, |planned| unsafe { (*planned.planTree).plan_rows })
    }

    /// Whether the plan of a reading statement with these values reads rows of these tables by conditions on indexes only, so that
    /// it need not read a whole table.
    pub fn uses_index(&self, sql: &str, args: &[Arg], tables: &[pg_sys::Oid]) -> Result<bool> {
        self.with_planned(sql, args, |planned| {
            // SAFETY: the lists and nodes of a plan, which lives until the end of the closure.
            unsafe {
                let others = PgList::<pg_sys::Plan>::from_pg(planned.subplans);
                let mut plans = others.iter_ptr().chain([planned.planTree]);
                !plans.any(|plan| reads_whole(plan, planned, tables))
            }
        })
    }

    fn with_planned<T>(
        &self,
        sql: &str,
        args: &[Arg],
        look: impl FnOnce(&pg_sys::PlannedStmt) -> T,
    ) -> Result<T> {
        let plan = kept_plan(sql, Planning::Custom, args)?;
        // SAFETY: a kept plan has one source for its statement; the plan is released once, after its last use.
        statement(|| unsafe {
            let sources = pg_sys::SPI_plan_get_plan_sources(plan.0);
            let source =
                sources.as_ref().filter(|list| list.length == 1).map(|list| (*list.elements).ptr_value);
            let Some(source) = source else { return Err(Error::internal("a statement without a plan")) };
            let cached = pg_sys::GetCachedPlan(
                source.cast(),
                parameters(args),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            let statements = (*cached).stmt_list;
            let found = statements
                .as_ref()
                .filter(|list| list.length > 0)
                .and_then(|list| (*list.elements).ptr_value.cast::<pg_sys::PlannedStmt>().as_ref())
                .map(look);
            pg_sys::ReleaseCachedPlan(cached, std::ptr::null_mut());
            found.ok_or_else(|| Error::internal("a plan without a statement"))
        })
    }
}

/// Whether a plan scans one of these tables without a condition on an index. A node of an unknown kind does not scan.
///
/// # Safety
/// The plan must be null or a node of the statement.
unsafe fn reads_whole(
    plan: *mut pg_sys::Plan,
    planned: &pg_sys::PlannedStmt,
    tables: &[pg_sys::Oid],
) -> bool {
    if plan.is_null() {
        return false;
    }
    // SAFETY: promised by the caller; the tag tells the type of a node, and nodes below are of the same statement.
    unsafe {
        let is_whole = if is_a(plan.cast(), pg_sys::NodeTag::T_IndexScan) {
            (*plan.cast::<pg_sys::IndexScan>()).indexqual.is_null()
        } else if is_a(plan.cast(), pg_sys::NodeTag::T_IndexOnlyScan) {
            (*plan.cast::<pg_sys::IndexOnlyScan>()).indexqual.is_null()
        } else {
            is_a(plan.cast(), pg_sys::NodeTag::T_SeqScan)
        };
        if is_whole {
            let number = (*plan.cast::<pg_sys::Scan>()).scanrelid;
            let entries = PgList::<pg_sys::RangeTblEntry>::from_pg(planned.rtable);
            let entry = number.checked_sub(1).and_then(|place| entries.get_ptr(place as usize));
            if entry.is_some_and(|entry| tables.contains(&(*entry).relid)) {
                return true;
            }
        }
        reads_whole((*plan).lefttree, planned, tables) || reads_whole((*plan).righttree, planned, tables)
    }
}
