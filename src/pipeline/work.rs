//! Working through the queue, one step after the other.

use std::cell::Cell;
use std::time::Duration;

use kb_rag_core::embed_policy::MAX_ATTEMPTS;
use kb_rag_core::provider::retry;
use pgrx::Uuid;

use super::backfill::Backfill;
use super::compact::Compact;
use super::crawl::Crawl;
use super::embed::{Assignment, jitter};
use super::index::Index;
use super::lexemes::Lexemes;
use super::merge::Merge;
use super::repair::Repair;
use super::summary::Summarizing;
use super::transaction::Transactions;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::limit;
use crate::postgres::role;
use crate::queue::{self, Due, Job, Kind, OwnerShare};
use crate::settings;
use crate::upkeep;
use crate::web;

/// The longest pause of work that cannot begin: the base's tables are missing, or were altered.
const BASE_AGAIN: Duration = Duration::from_secs(60);
/// The first pause of work that cannot begin because a table is locked; each further one in a row is twice as long.
const LOCKED_AGAIN: Duration = Duration::from_millis(125);
/// The first and the longest pause of a base whose owner's code exceeded its time.
const EXCEEDED_AGAIN: Duration = Duration::from_secs(60);
const MAX_EXCEEDED_AGAIN: Duration = Duration::from_secs(3600);
/// The first and the longest pause after an index could not be built; the first is twice this.
const INDEX_AGAIN: Duration = Duration::from_secs(15);
const MAX_INDEX_AGAIN: Duration = Duration::from_secs(3600);
/// The interval between two checks whether another worker has finished work for an owner.
const OWNER_AGAIN: f64 = 0.1;

/// The result of looking at the queue.
pub enum Step {
    /// Some work was done.
    Worked,
    /// Nothing is due; the seconds until something is.
    Idle(Option<f64>),
}

/// The work of a database, or of the bases that the caller administers.
pub struct Work {
    transactions: Transactions,
    only_administered: bool,
    /// Bases that the caller does not administer.
    leave_out: Vec<Uuid>,
    /// Whether the base of this step is on probation, and whether this step paused it.
    on_probation: bool,
    is_paused: bool,
}

thread_local! {
    /// The base and the kind of work of the current step, or of the last one looked at.
    static AT: Cell<Option<(Uuid, Kind)>> = const { Cell::new(None) };
}

/// The base and the kind of work of the current step.
pub fn at() -> Option<(Uuid, Kind)> {
    AT.get()
}

/// Pauses all work of a base whose owner's code exceeded its time, and counts an attempt of the jobs that this process
/// has.
pub fn pause_exceeded(base: Uuid, reason: &str) -> Result<()> {
    queue::give_back(reason, MAX_ATTEMPTS, jitter())?;
    let after =
        |failures: u32| (EXCEEDED_AGAIN * (1 << (failures.max(1) - 1).min(6))).min(MAX_EXCEEDED_AGAIN);
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

    /// Frees the claims of workers that are gone.
    pub fn free_orphans(&self) -> Result<()> {
        self.transactions.run(|| queue::free_orphans().map(drop))
    }

    /// Forgets the work of bases whose schema was dropped, even if none of it is due soon. Left for the next time if others have rows
    /// of it locked.
    pub fn forget_dropped(&self) -> Result<()> {
        let forget = || queue::without_schema()?.into_iter().try_for_each(forget_if_gone);
        match self.transactions.run(|| guc::yielding(forget)) {
            Err(error) if error.is_conflict() => Ok(()),
            result => result,
        }
    }

    /// Marks jobs of unknown kinds as failed, and reports it.
    pub fn fail_unknown(&self) -> Result<()> {
        for error in self.transactions.run(queue::fail_unknown)? {
            self.transactions.note(error, "its jobs are marked as failed");
        }
        Ok(())
    }

    /// Queues the URLs that are to be fetched again, and what waited for agents that use their knowledge bases by now.
    pub fn queue_due(&self) -> Result<()> {
        self.transactions.run(queue::release_held)?;
        self.transactions.run(|| web::queue_due().map(drop))
    }

    /// Queues the repair of what was written while library and SQL had different formats. Left for the next time if others
    /// have rows of it locked.
    pub fn queue_missed(&self) -> Result<()> {
        match self.transactions.run(|| guc::yielding(upkeep::queue_missed)) {
            Err(error) if error.is_conflict() => Ok(()),
            result => result,
        }
    }

    /// Records which attached tables have row security.
    pub fn note_row_security(&self) -> Result<()> {
        self.transactions.run(|| base::note_row_security(None))
    }

    /// Forgets which bases the caller does not administer: that may have changed.
    pub fn look_again(&mut self) {
        self.leave_out.clear();
    }

    /// Does one piece of work. `on_found` is called before, with whether there is more than one worker can do. An error
    /// of one base is reported and does not stop work for the others; a returned error ends the work.
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
        let (found, others) = match self.transactions.run(|| guc::yielding(|| self.look())) {
            Ok(found) => found,
            Err(error) => return self.pause(error),
        };
        let has_more = match &found {
            Found::Assignment(assignment) => assignment.is_full(),
            Found::Backfill(_)
            | Found::Crawl(_)
            | Found::Lexemes(_)
            | Found::Repair(_)
            | Found::Summary(_) => true,
            Found::Change(..) | Found::Compact(_) | Found::Index(_) | Found::Merge(_) | Found::Later(_) => {
                false
            }
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
            // A user's view may depend on the old table.
            Found::Change(base, _share) => {
                let finish = || {
                    upkeep::finish_change(base)?;
                    queue::resume(base, Kind::Change)
                };
                match self.transactions.run(|| guc::yielding(finish)) {
                    Ok(()) => Ok(Step::Worked),
                    Err(error) => self.pause(error),
                }
            }
            Found::Index(index) => self.maintain(index.run(self.transactions), &index.job),
            Found::Merge(merge) => self.maintain(merge.run(self.transactions), &merge.job),
            Found::Compact(compact) => self.maintain(compact.run(self.transactions), &compact.job),
            Found::Lexemes(lexemes) => self.maintain(lexemes.run(self.transactions), &lexemes.job),
            Found::Repair(repair) => self.maintain(repair.run(self.transactions), &repair.job),
            Found::Crawl(crawl) => {
                crawl.run(self.transactions)?;
                Ok(Step::Worked)
            }
            Found::Summary(summarizing) => {
                summarizing.run(self.transactions)?;
                Ok(Step::Worked)
            }
            Found::Later(seconds) => Ok(Step::Idle(seconds)),
        }
    }

    /// Ends maintenance of a base's tables. After an error its job is put back, and the work is paused.
    fn maintain(&mut self, result: Result<()>, job: &Job) -> Result<Step> {
        let Err(error) = result else { return Ok(Step::Worked) };
        if self.transactions.are_over(&error) {
            return Err(error);
        }
        let message = error.to_string();
        self.transactions.run(|| queue::postpone(&[job.id], Duration::ZERO, false, Some(&message)))?;
        self.pause(error)
    }

    /// Pauses the work of a base that could not begin.
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
            // Longer each time: the cause may just have been fixed, but others queue behind every request for a lock.
            let (first, max) = match kind {
                _ if error.is_conflict() => (LOCKED_AGAIN, BASE_AGAIN),
                // Writers may have waited until it failed.
                Kind::Index => (INDEX_AGAIN, MAX_INDEX_AGAIN),
                _ => (Duration::from_secs(1), BASE_AGAIN),
            };
            let after = |failures: u32| max.min(first * (1 << failures.min(9)));
            queue::pause_work(base, kind, &error.to_string(), after)
        })?;
        self.transactions.note(error, "the interrupted work will be retried");
        Ok(Step::Worked)
    }

    /// Gives back the jobs that an error interrupted.
    fn give_back(&mut self, error: Error) -> Result<Step> {
        if self.transactions.are_over(&error) {
            return Err(error);
        }
        match AT.get() {
            Some((base, _)) if error.is_over_limit() => return self.pause_exceeded(base, error),
            Some((base, kind)) if error.is_of_server() => return self.pause_for_server(base, kind, error),
            _ => {}
        }
        self.is_paused = true;
        let message = error.to_string();
        self.transactions.run(|| queue::give_back(&message, MAX_ATTEMPTS, jitter()))?;
        self.transactions.note(error, "the interrupted work will be retried");
        Ok(Step::Worked)
    }

    /// Pauses work because the server cannot write at present: that is no attempt of the jobs.
    fn pause_for_server(&mut self, base: Uuid, kind: Kind, error: Error) -> Result<Step> {
        self.is_paused = true;
        let message = error.to_string();
        self.transactions.run(|| {
            queue::free_own()?;
            if !base::exists(base)? {
                return Ok(());
            }
            queue::pause_for_server(base, kind, &message, |failures| retry::backoff(failures, jitter()))
        })?;
        self.transactions.note(error, "the knowledge base is paused");
        Ok(Step::Worked)
    }

    fn pause_exceeded(&mut self, base: Uuid, error: Error) -> Result<Step> {
        self.is_paused = true;
        self.transactions.run(|| pause_exceeded(base, &error.to_string()))?;
        self.transactions.note(error, "the knowledge base is paused");
        Ok(Step::Worked)
    }

    /// A place among the workers for the owner of a base, whose code they may run: one worker is kept free for bases of
    /// other owners, and at most one worker works for bases on probation. Some(None) if no place is needed, None if all
    /// are taken.
    fn share(&self, base: &KnowledgeBase, due: &Due) -> Result<Option<Option<OwnerShare>>> {
        let owner = base.owner_role()?;
        if self.transactions == Transactions::Procedure || !due.has_others || role::is_superuser(owner) {
            return Ok(Some(None));
        }
        let places = settings::workers().saturating_sub(1).max(1);
        Ok(OwnerShare::take(owner, places, due.on_probation).map(Some))
    }

    /// Claims the first work that is due; returns also whether other work is due.
    fn look(&mut self) -> Result<(Found, bool)> {
        let mut later: Option<f64> = None;
        let mut all = queue::due(&self.leave_out)?.into_iter();
        while let Some(due) = all.next() {
            if due.seconds > 0.0 {
                later = Some(sooner(later, due.seconds));
                continue;
            }
            AT.set(Some((due.base, due.kind)));
            self.on_probation = due.on_probation;
            let base = match base::by_id(due.base) {
                Err(error) if error.is_not_ready() => {
                    queue::pause_work(due.base, due.kind, &error.to_string(), |_| BASE_AGAIN)?;
                    self.transactions.note(error, "its work is paused");
                    continue;
                }
                base => base?,
            };
            let Some(base) = base.filter(|base| !self.only_administered || base.require_admin().is_ok())
            else {
                self.leave_out.push(due.base);
                continue;
            };
            if base.is_gone() {
                forget(base)?;
                continue;
            }
            if let Err(error) = base.table(c"document") {
                // Its tables may be missing for a while, as during a restore.
                queue::pause_work(base.id, due.kind, &error.to_string(), |_| BASE_AGAIN)?;
                continue;
            }
            if due.kind == Kind::Change && !queue::may_change(base.id)? {
                // Another worker finishes the change, or a session begins one.
                later = Some(sooner(later, 1.0));
                continue;
            }
            let Some(share) = self.share(&base, &due)? else {
                later = Some(sooner(later, OWNER_AGAIN));
                continue;
            };
            if due.kind == Kind::Change && base.next.is_some() && !queue::is_pending(base.id, due.kind)? {
                return Ok((Found::Change(base.id, share), all.any(|due| due.seconds <= 0.0)));
            }
            let found = match due.kind {
                Kind::Embed | Kind::Change => Assignment::claim(&base, due.kind, share)?
                    .map(|assignment| Found::Assignment(Box::new(assignment))),
                Kind::Backfill => Backfill::claim(&base, share)?.map(Found::Backfill),
                Kind::Index => Index::claim(&base, share)?.map(Found::Index),
                Kind::Merge => Merge::claim(&base, share)?.map(Found::Merge),
                Kind::Compact => Compact::claim(&base, share)?.map(Found::Compact),
                Kind::Lexemes => Lexemes::claim(&base, share)?.map(Found::Lexemes),
                Kind::Repair => Repair::claim(&base, share)?.map(Found::Repair),
                Kind::Summary => {
                    Summarizing::claim(&base, share)?.map(|found| Found::Summary(Box::new(found)))
                }
                Kind::Source | Kind::Fetch => Crawl::claim(&base, due.kind, share)?.map(Found::Crawl),
            };
            if let Some(found) = found {
                return Ok((found, all.any(|due| due.seconds <= 0.0)));
            }
            // Other workers have claimed all of it, or its model is missing.
            later = Some(sooner(later, 1.0));
        }
        Ok((Found::Later(later), false))
    }
}

/// The time until the next work, in seconds, if other work is due after `seconds`.
fn sooner(later: Option<f64>, seconds: f64) -> f64 {
    later.map_or(seconds, |first| first.min(seconds))
}

/// Forgets the work of a base if its schema was dropped.
fn forget_if_gone(id: Uuid) -> Result<()> {
    match base::by_id(id)? {
        Some(base) if base.is_gone() => forget(base),
        _ => Ok(()),
    }
}

/// Forgets the work of a base whose schema was dropped.
fn forget(mut base: KnowledgeBase) -> Result<()> {
    queue::forget_all(base.id)?;
    if base.next.take().is_some() {
        base.next_cut = None;
        base.update_row()?;
    }
    Ok(())
}

enum Found {
    Assignment(Box<Assignment>),
    Backfill(Backfill),
    /// All vectors of the pending model exist.
    Change(Uuid, Option<OwnerShare>),
    Index(Index),
    Compact(Compact),
    Merge(Merge),
    Lexemes(Lexemes),
    Repair(Repair),
    Crawl(Crawl),
    Summary(Box<Summarizing>),
    Later(Option<f64>),
}
