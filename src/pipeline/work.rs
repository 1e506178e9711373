//! One piece of work after the other.

use std::cell::Cell;
use std::ffi::CStr;
use std::time::Duration;

use pgrx::Uuid;

use super::backfill::{self, Backfill};
use super::embed::{self, Assignment, jitter};
use super::transaction::Transactions;
use super::verdict::MOST_ATTEMPTS;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::limit;
use crate::queue::{self, Due, Kind, OwnerShare};
use crate::role;
use crate::settings;
use crate::upkeep;

/// How long work of a base is left alone at most that nobody can begin: its tables are away, or not as they were made.
const BASE_AGAIN: Duration = Duration::from_secs(60);
/// How long a lock is waited for before anything is paid. Searches and writers wait behind who waits to change tables.
const LOCK_TIMEOUT: &CStr = c"1s";
/// The first pause of work that cannot begin because a table is locked; each further one in a row is twice as long.
const LOCKED_AGAIN: Duration = Duration::from_millis(125);
/// The first pause of a base whose owner's code has exceeded its time, and the longest.
const EXCEEDED_AGAIN: Duration = Duration::from_secs(60);
const EXCEEDED_AT_MOST: Duration = Duration::from_secs(3600);
/// How often it is looked whether another worker has left an owner.
const OWNER_AGAIN: f64 = 0.1;

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
    /// Whether the base of this step is on probation, and whether this step paused it.
    on_probation: bool,
    is_paused: bool,
}

thread_local! {
    /// What this process works at, or looked at last.
    static AT: Cell<Option<(Uuid, Kind)>> = const { Cell::new(None) };
}

/// What this process works at.
pub fn at() -> Option<(Uuid, Kind)> {
    AT.get()
}

/// Pauses all work of a base whose owner's code has exceeded its time, and counts an attempt of its jobs that this process has.
pub fn pause_exceeded(base: Uuid, reason: &str) -> Result<()> {
    queue::give_back(reason, MOST_ATTEMPTS, jitter())?;
    let after = |failures: u32| (EXCEEDED_AGAIN * (1 << (failures.max(1) - 1).min(6))).min(EXCEEDED_AT_MOST);
    queue::pause_exceeded(base, reason, after)
}

impl Work {
    pub fn new(transactions: Transactions, only_administered: bool) -> Work {
        Work { transactions, only_administered, leave_out: Vec::new(), on_probation: false, is_paused: false }
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
        AT.set(None);
        self.on_probation = false;
        self.is_paused = false;
        limit::begin_step();
        let step = self.try_step(on_found)?;
        let Some((base, _)) = AT.get().filter(|_| matches!(step, Step::Worked)) else { return Ok(step) };
        if self.is_paused {
            return Ok(step);
        }
        if limit::is_exceeded_in_step() {
            // Code that traps its cancellation and then ends has exceeded its time as well.
            self.pause_exceeded(base, Error::over_limit(limit::message()))?;
        } else if self.on_probation {
            self.transactions.run(|| queue::resume_base(base))?;
        }
        Ok(step)
    }

    fn try_step(&mut self, on_found: impl FnOnce(bool)) -> Result<Step> {
        let (found, others) = match self.transactions.run(|| impatient(|| self.look())) {
            Ok(found) => found,
            Err(error) => return self.pause(error),
        };
        let has_more = match &found {
            Found::Assignment(assignment) => assignment.is_full(),
            Found::Backfill(_) => true,
            Found::Change(..) | Found::Later(_) => false,
        };
        if !matches!(found, Found::Later(_)) {
            on_found(has_more || others);
        }
        self.work_on(found).or_else(|error| self.give_back(error))
    }

    fn work_on(&mut self, found: Found) -> Result<Step> {
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
            Found::Change(base, _share) => {
                let finish = || {
                    upkeep::finish_change(base)?;
                    queue::resume(base, Kind::Change)
                };
                match self.transactions.run(|| impatient(finish)) {
                    Ok(()) => Ok(Step::Worked),
                    Err(error) => self.pause(error),
                }
            }
            Found::Later(seconds) => Ok(Step::Idle(seconds)),
        }
    }

    /// Pauses work of a base that could not begin.
    fn pause(&mut self, error: Error) -> Result<Step> {
        let Some((base, kind)) = AT.get().filter(|_| !self.transactions.are_over(&error)) else {
            return Err(error);
        };
        if error.is_over_limit() {
            return self.pause_exceeded(base, error);
        }
        self.is_paused = true;
        self.transactions.run(|| {
            if !base::exists(base)? {
                return Ok(());
            }
            // Longer each time: somebody may just have changed its settings, but who waits for a lock has others wait
            // behind it.
            let first = if error.is_conflict() { LOCKED_AGAIN } else { Duration::from_secs(1) };
            let after = |failures: u32| BASE_AGAIN.min(first * (1 << failures.min(9)));
            queue::leave_alone(base, kind, &error.to_string(), after)
        })?;
        self.transactions.note(error, "what it stopped is tried again later");
        Ok(Step::Worked)
    }

    /// Gives back the jobs that an error stopped.
    fn give_back(&mut self, error: Error) -> Result<Step> {
        if self.transactions.are_over(&error) {
            return Err(error);
        }
        if let (true, Some((base, _))) = (error.is_over_limit(), AT.get()) {
            return self.pause_exceeded(base, error);
        }
        self.is_paused = true;
        let message = error.to_string();
        self.transactions.run(|| queue::give_back(&message, MOST_ATTEMPTS, jitter()))?;
        self.transactions.note(error, "what it stopped is tried again later");
        Ok(Step::Worked)
    }

    fn pause_exceeded(&mut self, base: Uuid, error: Error) -> Result<Step> {
        self.is_paused = true;
        self.transactions.run(|| pause_exceeded(base, &error.to_string()))?;
        self.transactions.note(error, "the knowledge base is paused");
        Ok(Step::Worked)
    }

    /// A place among the workers for the owner of a base, whose code they may run: one worker stays for bases of other
    /// owners, and one worker at most works for bases on probation. Some(None) where no place is needed, None where all are
    /// taken.
    fn share(&self, base: &KnowledgeBase, due: &Due) -> Result<Option<Option<OwnerShare>>> {
        let owner = base.owner_role()?;
        if self.transactions == Transactions::Procedure || !due.has_others || role::is_superuser(owner) {
            return Ok(Some(None));
        }
        let places = settings::workers().saturating_sub(1).max(1);
        Ok(OwnerShare::take(owner, places, due.on_probation).map(Some))
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
            AT.set(Some((due.base, due.kind)));
            self.on_probation = due.on_probation;
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
            let Some(share) = self.share(&base, &due)? else {
                later = Some(later.map_or(OWNER_AGAIN, |first| first.min(OWNER_AGAIN)));
                continue;
            };
            if due.kind == Kind::Change && base.next.is_some() && !queue::is_pending(base.id, due.kind)? {
                return Ok((Found::Change(base.id, share), all.any(|due| due.seconds <= 0.0)));
            }
            let found = match due.kind {
                Kind::Embed | Kind::Change => embed::claim(&base, due.kind, share)?
                    .map(|assignment| Found::Assignment(Box::new(assignment))),
                Kind::Backfill => backfill::claim(&base, share)?.map(Found::Backfill),
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
pub fn impatient<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    role::with_settings(&[(c"lock_timeout", LOCK_TIMEOUT)], work)
}

enum Found {
    Assignment(Box<Assignment>),
    Backfill(Backfill),
    /// All vectors of another model are there.
    Change(Uuid, Option<OwnerShare>),
    Later(Option<f64>),
}
