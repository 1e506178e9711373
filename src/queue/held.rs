//! Jobs that wait because their agent does not use its knowledge bases: rows of `kb_rag.held_job`. The worker that claims such a job
//! puts it there, so that it neither keeps workers running nor delays other jobs. It is queued again once nothing holds it: by the
//! transaction that changes that, and by workers, since one of them may have put a job aside meanwhile.

use pgrx::Uuid;

use super::wake;
use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Planning};

/// Whether the catalog has the tables, which that of kb_rag 0.3 lacks.
fn are_held() -> bool {
    catalog::has_table(c"held_job")
}

/// The agents that a base is attached to and that do not use their knowledge bases.
pub fn idle_agents(base: Uuid) -> Result<Vec<Uuid>> {
    if !are_held() {
        return Ok(Vec::new());
    }
    catalog::connect(|c| {
        let sql = include_str!("idle_agents.sql");
        c.query(sql, Access::Write, Planning::Generic, &[Arg::new(base)], |row| row.require(1))
    })
}

/// Puts jobs aside that this process has claimed, each with its agent.
pub fn hold(jobs: &[(Uuid, Uuid)]) -> Result<()> {
    let (ids, agents): (Vec<Uuid>, Vec<Uuid>) = jobs.iter().copied().unzip();
    catalog::connect(|c| c.execute(include_str!("hold.sql"), &[Arg::new(ids), Arg::new(agents)]))?;
    Ok(())
}

/// Queues the jobs that nothing holds any more, and wakes a worker when the transaction commits.
pub fn release_held() -> Result<()> {
    if are_held() && catalog::connect(|c| c.execute(include_str!("release_held.sql"), &[]))? > 0 {
        wake::at_commit();
    }
    Ok(())
}

/// Whether there are jobs that nothing holds any more.
pub fn has_released() -> Result<bool> {
    if !are_held() {
        return Ok(false);
    }
    let sql = include_str!("has_released.sql");
    let found = catalog::connect(|c| c.query_one(sql, Access::Read, &[], |row| row.require::<bool>(1)))?;
    Ok(found == Some(true))
}

/// Forgets the jobs of a base that wait.
pub fn forget_held(base: Uuid) -> Result<()> {
    if are_held() {
        catalog::connect(|c| c.execute(include_str!("forget_held.sql"), &[Arg::new(base)]))?;
    }
    Ok(())
}
