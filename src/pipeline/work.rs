//! One piece of work after the other.

use std::time::Duration;

use pgrx::Uuid;

use super::backfill::{self, Backfill};
use super::embed::{self, Assignment};
use super::transaction::Transactions;
use crate::base;
use crate::error::{Error, Result};
use crate::queue::{self, Kind};
use crate::upkeep;

/// When it is looked again for tables that were not there, and tried again to let a model take its place.
const TABLES_AGAIN: Duration = Duration::from_secs(60);
const CHANGE_AGAIN: Duration = Duration::from_secs(60);

/// What a look at the queue gave.
pub enum Step {
    /// Something was done.
    Worked,
    /// Nothing is due; the seconds until something is.
    Idle(Option<f64>),
}

/// The work of a database, or of the bases that the caller administers.
pub struct Work {
    transactions: Transactions,
    only_administered: bool,
    /// Bases that are not ours, or that failed just now.
    leave_out: Vec<Uuid>,
}

impl Work {
    pub fn new(transactions: Transactions, only_administered: bool) -> Work {
        Work { transactions, only_administered, leave_out: Vec::new() }
    }

    /// Frees what an earlier call of this session had claimed.
    pub fn free_own(&self) -> Result<()> {
        self.transactions.run(queue::free_own)
    }

    /// Frees what workers that are gone had claimed.
    pub fn free_orphans(&self) -> Result<()> {
        self.transactions.run(|| queue::free_orphans().map(drop))
    }

    /// Forgets which bases failed.
    pub fn look_again(&mut self) {
        self.leave_out.clear();
    }

    /// Does one piece of work. `on_more` is called before a long one when there is likely more than one worker can do.
    pub fn step(&mut self, on_more: impl FnOnce()) -> Result<Step> {
        let leave_out = &mut self.leave_out;
        let only_administered = self.only_administered;
        let found = self.transactions.run(|| look(leave_out, only_administered))?;
        match found {
            Found::Assignment(assignment) => {
                if assignment.is_full() {
                    on_more();
                }
                assignment.run(self.transactions)?;
                Ok(Step::Worked)
            }
            Found::Backfill(backfill) => {
                on_more();
                backfill.run(self.transactions)?;
                Ok(Step::Worked)
            }
            Found::Change(base) => {
                if let Err(error) = self.transactions.run(|| upkeep::finish_change(base)) {
                    // As where a view of somebody's depends on the old table.
                    self.transactions.run(|| put_off_change(base, &error))?;
                    error.log();
                }
                Ok(Step::Worked)
            }
            Found::Later(seconds) => Ok(Step::Idle(seconds)),
        }
    }
}

enum Found {
    Assignment(Box<Assignment>),
    Backfill(Backfill),
    /// All vectors of another model are there.
    Change(Uuid),
    Later(Option<f64>),
}

/// Leaves the model alone that could not take its place.
fn put_off_change(base: Uuid, error: &Error) -> Result<()> {
    let next = base::by_id(base)?.and_then(|base| base.next);
    next.map_or(Ok(()), |(model, _)| queue::pause(&model, &error.to_string(), |_| CHANGE_AGAIN))
}

/// Claims the first work that is due.
fn look(leave_out: &mut Vec<Uuid>, only_administered: bool) -> Result<Found> {
    let mut later: Option<f64> = None;
    for due in queue::due(leave_out)? {
        if due.seconds > 0.0 {
            later = Some(later.map_or(due.seconds, |first| first.min(due.seconds)));
            continue;
        }
        let base = base::by_id(due.base)?;
        let Some(base) = base.filter(|base| !only_administered || base.require_admin().is_ok()) else {
            leave_out.push(due.base);
            continue;
        };
        if base.is_gone() {
            Kind::ALL.into_iter().try_for_each(|kind| queue::forget(base.id, kind))?;
            continue;
        }
        if base.table(c"document").is_err() {
            // Its tables may be on their way, as during a restore.
            queue::put_off(base.id, TABLES_AGAIN)?;
            continue;
        }
        if due.kind == Kind::Change && base.next.is_some() && !queue::is_pending(base.id, due.kind)? {
            return Ok(Found::Change(base.id));
        }
        let found = match due.kind {
            Kind::Embed | Kind::Change => {
                embed::claim(&base, due.kind)?.map(|assignment| Found::Assignment(Box::new(assignment)))
            }
            Kind::Backfill => backfill::claim(&base)?.map(Found::Backfill),
        };
        if let Some(found) = found {
            return Ok(found);
        }
        // Another worker is at all of it, or its model is away.
        later = Some(later.map_or(1.0, |first| first.min(1.0)));
    }
    Ok(Found::Later(later))
}
