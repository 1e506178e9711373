//! Making the vectors for the documents of some jobs: reads chunks without a vector, calls the model with no
//! transaction open, writes the vectors, and repeats until none is missing. What happens in which order, and what
//! follows from every failure, is decided by `kb_rag_core::embed_policy`; this module performs it.

mod end;
pub mod hold;
mod notes;
mod read;
mod write;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use kb_rag_core::embed_policy::{Action, Chunk, Claim, Failure, MODEL_AGAIN, Policy};
use kb_rag_core::model_name::{EmbeddingSpace, ModelName};
use kb_rag_core::provider::{Input, Reading, Reason, Refusal};
use pgrx::{Uuid, pg_sys};

use super::chunks::Table;
use super::transaction::Transactions;
use crate::base::{self, Embed, KnowledgeBase, NextTables};
use crate::error::{Error, Result};
use crate::lock::Lockable;
use crate::model::{self, InputType, Model};
use crate::postgres::interrupt;
use crate::postgres::limit;
use crate::postgres::process;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Connection};
use crate::postgres::subtransaction;
use crate::postgres::test_point::test_point;
use crate::provider::usage;
use crate::queue::{self, Job, Kind, OwnerShare};
use crate::settings;
use crate::upkeep;

/// The most chunks of a batch, even where the provider takes more: little is lost when the process is killed, or by an
/// invalid response.
const MAX_ITEMS: usize = 128;
/// When a document is tried again that another session was writing.
const BUSY_AGAIN: Duration = Duration::from_millis(250);

/// Jobs of one kind of one base that this process has claimed, and the state of the work on them.
pub struct Assignment {
    task: Task,
    policy: Policy<Uuid>,
    is_full: bool,
}

/// Jobs of one kind of one base that this process has claimed.
struct Task {
    base: Uuid,
    /// The model, and the dimensions of its vectors.
    space: EmbeddingSpace,
    kind: Kind,
    /// The tables of the pending model: a change that began again has others.
    next: Vec<pg_sys::Oid>,
    jobs: Vec<Job>,
    model: Model,
    max: usize,
    /// Whether one chunk is sent first, after a pause.
    is_trial: bool,
    /// None where the owner's code may occupy all workers.
    share: Option<OwnerShare>,
}

/// A call that is not recorded yet: how many texts it had, and how many tokens.
type Spent = (usize, Option<u64>);

impl Assignment {
    /// Claims due jobs and reads their first chunks, in the transaction of the caller. None when others have claimed all of
    /// them. 55P03 if another session has a table of the base locked.
    pub fn claim(base: &KnowledgeBase, kind: Kind, share: Option<OwnerShare>) -> Result<Option<Assignment>> {
        if kind == Kind::Change && base.next.is_none() || base.settings.embed == Embed::Off {
            // These vectors are no longer needed.
            return queue::forget(base.id, kind).map(|()| None);
        }
        if kind == Kind::Change && upkeep::restart_change(base)? {
            return Ok(None);
        }
        if !with_table(base, kind, 0, |_, table| table.try_lock())? {
            return Err(Error::locked(format!(
                "a table of knowledge base \"{}\" is locked by another session",
                base.name
            )));
        }
        let Some(base) = &base::by_id(base.id)?.filter(KnowledgeBase::has_schema) else { return Ok(None) };
        let Some(space) = space_of(base, kind) else { return Ok(None) };
        let model = open(base, &space.model);
        let max = model.as_ref().map_or(MAX_ITEMS, |model| model.limits().items.clamp(1, MAX_ITEMS));
        // Where calls are small, other workers take the rest of the documents.
        let max_jobs = if space.model.is_remote() { max } else { MAX_ITEMS };
        let (jobs, is_trial) = hold::claim(base, kind, max_jobs as i64)?;
        if jobs.is_empty() {
            return Ok(None);
        }
        let jobs = if kind == Kind::Change { cut(base, jobs)? } else { jobs };
        if jobs.is_empty() {
            return Ok(None);
        }
        test_point("embed.claimed");
        let model = match model {
            Ok(model) => model,
            Err(error) => {
                // A key, a file or a privilege is missing, and a user has to provide it.
                let ids: Vec<Uuid> = jobs.iter().map(|job| job.id).collect();
                queue::postpone(&ids, MODEL_AGAIN, false, Some(&error.to_string()))?;
                return Ok(None);
            }
        };
        let is_full = jobs.len() >= max_jobs;
        let next = if kind == Kind::Change { base.next_oids() } else { Vec::new() };
        let task =
            Task { base: base.id, space: space.clone(), kind, next, jobs, model, max, is_trial, share };
        let policy = task.begin(base, if is_trial { 1 } else { max })?;
        Ok(Some(Assignment { task, policy, is_full }))
    }

    /// Whether there may be more jobs than these.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Works until all jobs are done, failed or postponed.
    pub fn run(self, transactions: Transactions) -> Result<()> {
        let Assignment { mut task, mut policy, .. } = self;
        let began = Instant::now();
        let mut spent: Option<Spent> = None;
        let mut has_called = false;
        let mut last_error: Option<Error> = None;
        loop {
            if limit::is_used_up() {
                policy.time_used_up();
            }
            // What was sent is paid: never within a call.
            if has_called && queue::must_leave(queue::is_slow(began.elapsed())) {
                policy.leave();
            }
            match policy.next(began.elapsed()) {
                Action::Call(call) => match task.call(call.chunks()) {
                    Ok(answer) => {
                        has_called = true;
                        test_point("embed.answered");
                        spent = Some((call.chunks().len(), answer.tokens));
                        let vectors = answer.vectors.into_iter();
                        call.answered(vectors.map(|vector| vector.map_err(|f| f.to_string())).collect());
                    }
                    Err(refusal) => call.refused(refusal, jitter()),
                },
                Action::CheckProvider(check) => {
                    let base = check.is_of_base().then_some(task.base);
                    let serves = transactions.run(|| usage::has_served_lately(&task.space.model, base))?;
                    check.serves_others(serves, jitter());
                }
                Action::RecordFailure(pause) => transactions.run(|| task.record_failure(pause))?,
                Action::Write(write) => {
                    last_error = task.write(transactions, write, &mut spent)?.or(last_error);
                }
                Action::Wait(time) => interrupt::sleep(time),
                Action::Read(read) => transactions.run(|| task.read(read))?,
                Action::Reopen(reopen) => transactions.run(|| task.reopen(reopen))?,
                Action::End(end) => last_error = task.end(transactions, end)?.or(last_error),
                Action::EndUnwritable(ending) => task.end_unwritable(transactions, ending)?,
                Action::Report => {
                    if let Some(error) = last_error.take() {
                        transactions.note(error, "the interrupted work will be retried");
                    }
                }
                Action::Abort => return last_error.map_or(Ok(()), Err),
                Action::Abandon => transactions.run(|| task.abandon())?,
                Action::Done => return Ok(()),
            }
        }
    }
}

impl Task {
    fn job_ids(&self, which: impl Fn(&Uuid) -> bool) -> Vec<Uuid> {
        self.jobs.iter().filter(|job| which(&job.target)).map(|job| job.id).collect()
    }

    fn claims(&self) -> Vec<Claim<Uuid>> {
        let claim = |job: &Job| Claim {
            document: job.target,
            attempts: job.attempts,
            generation: job.generation,
            unusable: job.unusable.clone(),
        };
        self.jobs.iter().map(claim).collect()
    }

    /// Runs `work` on the table of the vectors, as the base's owner. Documents that triggers queue meanwhile belong to
    /// the next generation.
    fn as_owner<T>(
        &self,
        base: &KnowledgeBase,
        work: impl FnOnce(&Connection, &Table) -> Result<T>,
    ) -> Result<T> {
        let generation = self.jobs.iter().map(|job| job.generation).max().unwrap_or(0);
        with_table(base, self.kind, generation, work)
    }

    /// Calls the model. No transaction is open, and no lock is held.
    fn call(&self, batch: &[Chunk<Uuid>]) -> std::result::Result<Reading, Refusal> {
        let texts: Vec<String> = batch.iter().map(|chunk| chunk.text.clone()).collect();
        if let Model::Remote(remote) = &self.model {
            return remote.call(&texts, self.space.dimensions as usize, Input::Document);
        }
        let embed = |text: &String| self.model.embed(text, self.space.dimensions, InputType::Document);
        match texts.iter().map(embed).collect::<Result<Vec<_>>>() {
            Ok(vectors) => Ok(Reading { vectors: vectors.into_iter().map(Ok).collect(), tokens: None }),
            Err(error) => {
                Err(Refusal { reason: Reason::Transient, message: error.to_string(), retry_after: None })
            }
        }
    }

    /// The base, if these jobs are still needed: it exists, and they are for its current or pending model.
    fn current(&self) -> Result<Option<KnowledgeBase>> {
        let Some(base) = base::by_id(self.base)? else { return Ok(None) };
        Ok(Some(base).filter(|base| {
            space_of(base, self.kind) == Some(&self.space)
                && (self.kind != Kind::Change || base.next_oids() == self.next)
                && base.settings.embed != Embed::Off
        }))
    }

    /// Ends or requeues jobs that are not needed any more: the change of the model has queued its own.
    fn abandon(&self) -> Result<()> {
        let ids = self.job_ids(|_| true);
        let base = base::by_id(self.base)?;
        if base.is_some_and(|base| base.settings.embed != Embed::Off) && self.kind == Kind::Embed {
            queue::postpone(&ids, Duration::ZERO, false, None)
        } else {
            queue::done(&ids)
        }
    }

    /// Whether work for this owner may continue: an error releases its place among the workers.
    fn keeps_share(&self) -> bool {
        self.share.as_ref().is_none_or(OwnerShare::keep)
    }
}

/// An error of the owner's code, and how long documents may be tried one by one after it.
fn failure(error: &Error) -> (Failure, Duration) {
    let failure = Failure { message: error.to_string(), is_over_limit: error.is_over_limit() };
    (failure, settings::worker_statement_timeout().unwrap_or(Duration::MAX))
}

/// The vectors that a kind of job makes. None for a change without a pending model.
fn space_of(base: &KnowledgeBase, kind: Kind) -> Option<&EmbeddingSpace> {
    match kind {
        Kind::Change => base.next.as_ref(),
        _ => Some(&base.settings.space),
    }
}

/// The model for the base's owner, with the provider and key committed last: they may have been fixed after this
/// transaction began.
fn open(base: &KnowledgeBase, name: &ModelName) -> Result<Model> {
    snapshot::with_latest(|| model::resolve_as(name, base.owner_role()?))
}

/// Runs `work` on the table of the vectors for a kind of job, as the base's owner.
fn with_table<T>(
    base: &KnowledgeBase,
    kind: Kind,
    generation: i32,
    work: impl FnOnce(&Connection, &Table) -> Result<T>,
) -> Result<T> {
    let next = base.next_tables().filter(|_| kind == Kind::Change);
    let (name, next_chunks) = match next {
        Some(NextTables { vectors, chunks }) => (vectors, Some(chunks)),
        None => ("embedding".to_string(), None),
    };
    let table = Table { base, schema: base.quoted_schema(), name, next_chunks };
    base.as_owner(|| queue::with_generation(generation, || spi::connect(|c| work(c, &table))))
}

/// Cuts the documents of jobs for the pending model. Those that another session is writing, or that cannot be cut, are left out; returns
/// the other jobs.
fn cut(base: &KnowledgeBase, jobs: Vec<Job>) -> Result<Vec<Job>> {
    let documents: Vec<Uuid> = jobs.iter().map(|job| job.target).collect();
    let cut = |documents: &[Uuid]| {
        subtransaction::run(|| with_table(base, Kind::Change, 0, |c, table| table.cut(c, documents)))
    };
    let error = match cut(&documents) {
        Ok(busy) => return postpone_busy(jobs, &busy),
        Err(error) if error.is_of_server() || error.is_over_limit() || error.is_lock() => return Err(error),
        Err(error) => error,
    };
    if let [only] = jobs.as_slice() {
        queue::fail(&[only.id], &error.to_string())?;
        return Ok(Vec::new());
    }
    let mut left = Vec::new();
    for job in jobs {
        left.extend(self::cut(base, vec![job])?);
    }
    Ok(left)
}

/// Postpones the jobs of documents that another session is writing.
fn postpone_busy(jobs: Vec<Job>, busy: &HashSet<Uuid>) -> Result<Vec<Job>> {
    let (busy, left): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(|job| busy.contains(&job.target));
    if !busy.is_empty() {
        let ids: Vec<Uuid> = busy.iter().map(|job| job.id).collect();
        queue::postpone(&ids, BUSY_AGAIN, false, None)?;
    }
    Ok(left)
}

/// A random number from 0 to 1.
pub fn jitter() -> f64 {
    process::random()
}
