//! How many rows PostgreSQL expects of a statement.

use pgrx::pg_sys;

use super::plan::{Planning, kept_plan};
use super::stream::parameters;
use super::{Arg, Connection, statement};
use crate::error::{Error, Result};

impl Connection {
    /// The estimate of the planner for a reading statement with these values. EXPLAIN cannot be used: PostgreSQL does not allow it
    /// in a function that is not volatile.
    pub fn expected_rows(&self, sql: &str, args: &[Arg]) -> Result<f64> {
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
            let rows = statements.as_ref().filter(|list| list.length > 0).map(|list| {
                let planned = (*list.elements).ptr_value.cast::<pg_sys::PlannedStmt>();
                (*(*planned).planTree).plan_rows
            });
            pg_sys::ReleaseCachedPlan(cached, std::ptr::null_mut());
            rows.ok_or_else(|| Error::internal("a plan without a statement"))
        })
    }
}
