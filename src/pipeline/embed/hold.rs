//! Claiming jobs, except those of agents that do not use their knowledge bases.

use std::collections::HashMap;

use pgrx::{Uuid, pg_sys};

use super::with_table;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::test_point::test_point;
use crate::queue::{self, Job, Kind};

/// At most so many times in a row, only such jobs are claimed.
const MAX_HELD: usize = 100;

/// Claims at most `max` jobs to embed or summarize, as [`queue::claim_to_embed`] does. Jobs of documents that are for agents which do not use their
/// knowledge bases are put aside. A pending model needs the vectors of all documents: its jobs do not wait.
pub fn claim(base: &KnowledgeBase, kind: Kind, max: i64) -> Result<(Vec<Job>, bool)> {
    for _ in 0..MAX_HELD {
        let (jobs, is_trial) = queue::claim_to_embed(base.id, kind, max)?;
        if jobs.is_empty() || kind == Kind::Change {
            return Ok((jobs, is_trial));
        }
        // Looked up after the claim: what was decided before it counts.
        let left = hold(base, jobs, &queue::idle_agents(base.id)?)?;
        if !left.is_empty() {
            return Ok((left, is_trial));
        }
    }
    Ok((Vec::new(), false))
}

/// Puts the jobs aside whose documents are for one of these agents; returns the others.
fn hold(base: &KnowledgeBase, jobs: Vec<Job>, agents: &[Uuid]) -> Result<Vec<Job>> {
    // Its owner may have altered the table.
    if agents.is_empty() || !base.has_own_columns(c"document", &[(c"metadata", pg_sys::JSONBOID)]) {
        return Ok(jobs);
    }
    let documents: Vec<Uuid> = jobs.iter().map(|job| job.target).collect();
    let found: HashMap<Uuid, Uuid> =
        with_table(base, Kind::Embed, 0, |c, table| table.agents_of(c, &documents, agents))?;
    let (held, left): (Vec<Job>, Vec<Job>) =
        jobs.into_iter().partition(|job| found.contains_key(&job.target));
    let held: Vec<(Uuid, Uuid)> =
        held.iter().filter_map(|job| Some((job.id, *found.get(&job.target)?))).collect();
    if !held.is_empty() {
        test_point("embed.hold");
        queue::hold(&held)?;
    }
    Ok(left)
}
