//! One piece of work after the other.

use std::ffi::CStr;
use std::time::Duration;

use pgrx::Uuid;

use super::backfill::{self, Backfill};
use super::embed::{self, Assignment};
use super::transaction::Transactions;
use super::verdict::MOST_ATTEMPTS;
use crate::base;
use crate::error::{Error, Result};
use crate::queue::{self, Kind};
use crate::role;
use crate::upkeep;

/// How long work of a base is left alone at most that nobody can begin: its tables are away, or not as they were made.
const BASE_AGAIN: Duration = Duration::from_secs(60);
/// How long a lock is waited for before anything is paid. Searches and writers wait behind who waits to change tables.
const LOCK_TIMEOUT: &CStr = c"1s";
/// When jobs are tried again that an error of PostgreSQL stopped.
const JOBS_AGAIN: Duration = Duration::from_secs(5);

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
    /// Bases that are not ours.
    leave_out: Vec<Uuid>,
    /// What was looked at last.
    at: Option<(Uuid, Kind)>,
}

impl Work {
    pub fn new(transactions: Transactions, only_administered: bool) -> Work {
        Work { transactions, only_administered, leave_out: Vec::new(), at: None }
    }

    /// Frees what an earlier call of this session had claimed.
    pub fn free_own(&self) -> Result<()> {
        self.transactions.run(queue::free_own)
    }

    /// Frees what workers that are gone had claimed.
    pub fn free_orphans(&self) -> Result<()> {
        self.transactions.run(|| queue::free_orphans().map(drop))
    }

    /// Forgets which bases are not ours: they may be by now.
    pub fn look_again(&mut self) {
        self.leave_out.clear();
    }

    /// Does one piece of work. `on_found` is called before, and told whether there is more than one worker can do. An error
    /// of one base is noted, and keeps nobody from the others; returned is one that ends the work.
    pub fn step(&mut self, on_found: impl FnOnce(bool)) -> Result<Step> {
        self.at = None;
        let (found, others) = match self.transactions.run(|| impatient(|| self.look())) {
            Ok(found) => found,
            Err(error) => return self.leave_alone(error),
        };
        let has_more = match &found {
            Found::Assignment(assignment) => assignment.is_full(),
            Found::Backfill(_) => true,
            Found::Change(_) | Found::Later(_) => false,
        };
        if !matches!(found, Found::Later(_)) {
            on_found(has_more || others);
        }
        self.work_on(found).or_else(|error| self.give_back(error))
    }

    fn work_on(&self, found: Found) -> Result<Step> {
        match found {
            Found::Assignment(assignment) => {
                assignment.run(self.transactions)?;
                Ok(Step::Worked)
            }
            Found::Backfill(backfill) => {
                backfill.run(self.transactions)?;
                Ok(Step::Worked)
            }
            // A view of somebody's may depend on the old table.
            Found::Change(base) => {
                let finish = || {
                    upkeep::finish_change(base)?;
                    queue::resume(base, Kind::Change)
                };
                match self.transactions.run(|| impatient(finish)) {
                    Ok(()) => Ok(Step::Worked),
                    Err(error) => self.leave_alone(error),
                }
            }
            Found::Later(seconds) => Ok(Step::Idle(seconds)),
        }
    }

    /// Leaves work of a base alone that could not begin.
    fn leave_alone(&self, error: Error) -> Result<Step> {
        let Some((base, kind)) = self.at.filter(|_| !self.transactions.are_over(&error)) else {
            return Err(error);
        };
        self.transactions.run(|| {
            if base::by_id(base)?.is_none() {
                return Ok(());
            }
            // Longer each time: somebody may just have changed its settings, but who waits for a lock has others wait
            // behind him.
            let after = |failures: u32| BASE_AGAIN.min(Duration::from_secs(1 << failures.min(6)));
            queue::leave_alone(base, kind, &error.to_string(), after)
        })?;
        self.transactions.note(error, "what it stopped is tried again later");
        Ok(Step::Worked)
    }

    /// Gives back the jobs that an error stopped.
    fn give_back(&self, error: Error) -> Result<Step> {
        if self.transactions.are_over(&error) {
            return Err(error);
        }
        let is_charged = !error.is_conflict();
        let message = error.to_string();
        self.transactions.run(|| queue::give_back(JOBS_AGAIN, &message, is_charged, MOST_ATTEMPTS))?;
        self.transactions.note(error, "what it stopped is tried again later");
        Ok(Step::Worked)
    }

    /// Claims the first work that is due; says whether other work is.
    fn look(&mut self) -> Result<(Found, bool)> {
        let mut later: Option<f64> = None;
        let mut all = queue::due(&self.leave_out)?.into_iter();
        while let Some(due) = all.next() {
            if due.seconds > 0.0 {
                later = Some(later.map_or(due.seconds, |first| first.min(due.seconds)));
                continue;
            }
            self.at = Some((due.base, due.kind));
            let base = base::by_id(due.base)?;
            let Some(mut base) = base.filter(|base| !self.only_administered || base.require_admin().is_ok())
            else {
                self.leave_out.push(due.base);
                continue;
            };
            if base.is_gone() {
                Kind::ALL.into_iter().try_for_each(|kind| queue::forget(base.id, kind))?;
                if base.next.take().is_some() {
                    base.update_row()?;
                }
                continue;
            }
            if let Err(error) = base.table(c"document") {
                // Its tables may be on their way, as during a restore.
                queue::leave_alone(base.id, due.kind, &error.to_string(), |_| BASE_AGAIN)?;
                continue;
            }
            if due.kind == Kind::Change && base.next.is_some() && !queue::is_pending(base.id, due.kind)? {
                return Ok((Found::Change(base.id), all.any(|due| due.seconds <= 0.0)));
            }
            let found = match due.kind {
                Kind::Embed | Kind::Change => {
                    embed::claim(&base, due.kind)?.map(|assignment| Found::Assignment(Box::new(assignment)))
                }
                Kind::Backfill => backfill::claim(&base)?.map(Found::Backfill),
            };
            if let Some(found) = found {
                return Ok((found, all.any(|due| due.seconds <= 0.0)));
            }
            // Another worker is at all of it, or its model is away.
            later = Some(later.map_or(1.0, |first| first.min(1.0)));
        }
        Ok((Found::Later(later), false))
    }
}

/// Runs `work`, which gives up where somebody holds a lock for long.
fn impatient<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    role::with_settings(&[(c"lock_timeout", LOCK_TIMEOUT)], work)
}

enum Found {
    Assignment(Box<Assignment>),
    Backfill(Backfill),
    /// All vectors of another model are there.
    Change(Uuid),
    Later(Option<f64>),
}
