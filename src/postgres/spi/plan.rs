//! Plans, kept for the life of the backend.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::rc::Rc;

use pgrx::pg_sys;

use super::{Arg, c_string, check};
use crate::error::{Error, Result};

/// How the statement is planned.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Planning {
    /// PostgreSQL chooses between a generic and a custom plan.
    Auto,
    /// Planned once: for statements whose best plan is the same whatever the values.
    Generic,
    /// Planned again with the values of each call: for statements whose best plan depends on them.
    Custom,
}

/// Plans kept per backend. Their texts come from a few templates and the names of the knowledge bases in use; beyond
/// this number one is dropped for each that is added.
const KEPT_PLANS: usize = 256;

/// The role is part of the key: privileges on a schema are checked when a statement is parsed, not when it runs.
type PlanKey = (pg_sys::Oid, String, Planning, Vec<pg_sys::Oid>);

/// A kept plan. Its users hold a share, so that it is not freed when a nested call drops it from the cache.
pub struct Plan(pub pg_sys::SPIPlanPtr);

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: kept by `prepare`, freed here once.
        unsafe { pg_sys::SPI_freeplan(self.0) };
    }
}

thread_local! {
    static PLANS: RefCell<HashMap<PlanKey, Rc<Plan>>> = RefCell::new(HashMap::new());
}

/// The plan of a statement for arguments of these types, made when there is none yet.
pub fn kept_plan(sql: &str, planning: Planning, args: &[Arg]) -> Result<Rc<Plan>> {
    let types: Vec<pg_sys::Oid> = args.iter().map(|arg| arg.oid).collect();
    // SAFETY: reads a variable of this process.
    let role = unsafe { pg_sys::GetUserId() };
    let key: PlanKey = (role, sql.to_string(), planning, types);
    if let Some(plan) = PLANS.with_borrow(|plans| plans.get(&key).cloned()) {
        return Ok(plan);
    }
    let plan = Rc::new(prepare(&c_string(sql)?, planning, &key.3)?);
    let evicted = PLANS.with_borrow_mut(|plans| {
        let full = plans.len() >= KEPT_PLANS;
        let evicted = full.then(|| plans.keys().next().cloned()).flatten().and_then(|key| plans.remove(&key));
        plans.insert(key, plan.clone());
        evicted
    });
    drop(evicted);
    Ok(plan)
}

fn prepare(sql: &CStr, planning: Planning, types: &[pg_sys::Oid]) -> Result<Plan> {
    let options = match planning {
        Planning::Auto => 0,
        Planning::Generic => pg_sys::CURSOR_OPT_GENERIC_PLAN as i32,
        Planning::Custom => pg_sys::CURSOR_OPT_CUSTOM_PLAN as i32,
    };
    let mut types = types.to_vec();
    // SAFETY: `types` has the given number of entries; a new plan is kept once.
    unsafe {
        let plan = pg_sys::SPI_prepare_cursor(sql.as_ptr(), types.len() as i32, types.as_mut_ptr(), options);
        if plan.is_null() {
            let code = pg_sys::SPI_result;
            return Err(Error::internal(format!("SPI_prepare failed with code {code}")));
        }
        check(pg_sys::SPI_keepplan(plan), "SPI_keepplan")?;
        Ok(Plan(plan))
    }
}
