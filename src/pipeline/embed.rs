//! Making the vectors for the documents of some jobs: reads chunks without a vector, calls the model with no
//! transaction open, writes the vectors, and repeats until none is missing.

mod end;
mod notes;
mod write;

use std::collections::HashSet;
use std::time::Duration;

use kb_rag_core::provider::{Answer, Input, Reason, Refusal, batch, retry};
use pgrx::{Uuid, pg_sys};

use super::chunks::{Missing, Table};
use super::pass::Pass;
use super::transaction::Transactions;
use super::verdict::{ATTEMPTS_BEFORE_SPLIT, MOST_ATTEMPTS, Verdict, verdict};
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::limit;
use crate::model::{self, InputType, Model};
use crate::provider::usage;
use crate::queue::{self, Job, Kind, OwnerShare};
use crate::snapshot;
use crate::spi::{self, Connection};

/// The most chunks of a batch, even where the provider takes more: little is lost when the process is killed, or by an
/// invalid response.
const MOST_ITEMS: usize = 128;
/// The delay before a document that another session is writing is tried again.
const LOCKED_AGAIN: Duration = Duration::from_millis(250);
/// The delay before a model that could not be opened is tried again.
const MODEL_AGAIN: Duration = Duration::from_secs(30);

/// Jobs of one kind of one base that this process has claimed, and the first chunks to embed.
pub struct Assignment {
    base: Uuid,
    name: String,
    kind: Kind,
    jobs: Vec<Job>,
    is_full: bool,
    model: Model,
    dimensions: i32,
    batch: Vec<Missing>,
    most: usize,
    pass: Pass,
    /// None where the owner's code may occupy all workers.
    share: Option<OwnerShare>,
}

/// Claims due jobs and reads their first chunks, in the transaction of the caller. None when others have claimed all of
/// them. 55P03 if another session has a table of the base locked.
pub fn claim(base: &KnowledgeBase, kind: Kind, share: Option<OwnerShare>) -> Result<Option<Assignment>> {
    if kind == Kind::Change && base.next.is_none() || base.settings.embed == "off" {
        // These vectors are no longer needed.
        return queue::forget(base.id, kind).map(|()| None);
    }
    if !with_table(base, kind, 0, |_, table| table.try_lock())? {
        return Err(Error::locked(format!(
            "a table of knowledge base \"{}\" is locked by another session",
            base.name
        )));
    }
    let Some(base) = &base::by_id(base.id)?.filter(KnowledgeBase::has_schema) else { return Ok(None) };
    let (name, dimensions) = match (kind, &base.next) {
        (Kind::Change, Some((model, dimensions))) => (model.clone(), *dimensions),
        (Kind::Change, None) => return Ok(None),
        _ => (base.settings.model.clone(), base.settings.dimensions),
    };
    let model = open(base, &name);
    let most = model.as_ref().map_or(MOST_ITEMS, |model| model.limits().items.clamp(1, MOST_ITEMS));
    // Where calls are small, other workers take the rest of the documents.
    let most_jobs = if model::is_remote(&name) { most } else { MOST_ITEMS };
    let jobs = queue::claim(base.id, kind, most_jobs as i64)?;
    if jobs.is_empty() {
        return Ok(None);
    }
    let model = match model {
        Ok(model) => model,
        Err(error) => {
            // A key, a file or a privilege is missing, and a user has to provide it.
            let ids: Vec<Uuid> = jobs.iter().map(|job| job.id).collect();
            queue::postpone(&ids, MODEL_AGAIN, false, Some(&error.to_string()))?;
            return Ok(None);
        }
    };
    let mut assignment = Assignment {
        base: base.id,
        name,
        kind,
        is_full: jobs.len() >= most_jobs,
        jobs,
        model,
        dimensions,
        batch: Vec::new(),
        most,
        pass: Pass::default(),
        share,
    };
    let documents = assignment.documents();
    let mut pass = Pass::default();
    assignment.batch = assignment.as_owner(base, |c, table| {
        pass.missing_of = table.count_missing(c, &documents)?;
        assignment.next_chunks(c, table, &mut pass)
    })?;
    assignment.pass = pass;
    Ok(Some(assignment))
}

impl Assignment {
    /// Whether there may be more jobs than these.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    fn documents(&self) -> Vec<Uuid> {
        let distinct: HashSet<Uuid> = self.jobs.iter().map(|job| job.target).collect();
        distinct.into_iter().collect()
    }

    fn job_ids(&self, which: impl Fn(&Uuid) -> bool) -> Vec<Uuid> {
        self.jobs.iter().filter(|job| which(&job.target)).map(|job| job.id).collect()
    }

    /// Attempts of a document, including this one.
    fn attempts(&self, document: &Uuid) -> i32 {
        self.jobs.iter().filter(|job| job.target == *document).map(|job| job.attempts).max().unwrap_or(1)
    }

    /// The most attempts of any document of a batch. Earlier failures do not count for a document that got vectors
    /// since.
    fn most_attempts(&self, pass: &Pass, batch: &[Missing]) -> i32 {
        let attempts = |document: &Uuid| {
            if pass.has_progressed(document) { 1 } else { self.attempts(document) }
        };
        batch.iter().map(|chunk| attempts(&chunk.document)).max().unwrap_or(1)
    }

    fn generation(&self, document: &Uuid) -> i32 {
        self.jobs.iter().filter(|job| job.target == *document).map(|job| job.generation).max().unwrap_or(0)
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

    /// Works until all jobs are done, failed or postponed.
    pub fn run(mut self, transactions: Transactions) -> Result<()> {
        let mut pass = std::mem::take(&mut self.pass);
        let first = std::mem::take(&mut self.batch);
        let mut pending = self.batches(first);
        loop {
            let mut written = None;
            while let Some(batch) = pending.pop() {
                match self.call(&batch) {
                    Ok(answer) => {
                        pass.alone_in_a_row = 0;
                        written = Some((batch, answer));
                        // Vectors that are paid for are written before the next call.
                        break;
                    }
                    Err(refusal) => match self.judge(transactions, &pass, &refusal, &batch)? {
                        Verdict::Split => {
                            transactions.run(|| self.note_error())?;
                            pass.was_split = true;
                            let mut batch = batch;
                            let half = batch.split_off(batch.len() / 2);
                            pending.push(half);
                            pending.push(batch);
                        }
                        Verdict::GiveUp => {
                            transactions.run(|| self.note_error())?;
                            pass.give_up(batch, &refusal.message);
                            if refusal.reason != Reason::BadItem && pass.is_of_all(&refusal) {
                                pass.stopped = Some((refusal.message.clone(), LOCKED_AGAIN));
                                pending.clear();
                            }
                        }
                        Verdict::Later(after) => {
                            let silent = refusal.reason == Reason::TimedOut;
                            let alone = batch.len() == 1;
                            let is_suspect =
                                alone && self.most_attempts(&pass, &batch) >= ATTEMPTS_BEFORE_SPLIT;
                            transactions.run(|| {
                                self.note_error()?;
                                // A provider that does not respond must not delay other bases, and one that fails must
                                // not be called for the whole queue at once. An invalid response may concern only this
                                // base.
                                match refusal.reason {
                                    _ if !silent && (is_suspect || pass.was_split) => Ok(()),
                                    Reason::Nonsense | Reason::BadVector => self.leave_base_alone(&refusal),
                                    _ => self.leave_alone(&refusal, silent, None),
                                }
                            })?;
                            pass.postpone(batch, &refusal.message, after);
                            if !alone || pass.is_of_all(&refusal) {
                                pass.stopped = Some((refusal.message.clone(), after));
                                pending.clear();
                            }
                        }
                        Verdict::Pause { whole_provider, after } => {
                            transactions.run(|| self.pause(&refusal, whole_provider, after))?;
                            pass.stopped = Some((refusal.message.clone(), Duration::ZERO));
                            pending.clear();
                        }
                    },
                }
            }
            if let Some((batch, answer)) = written
                && !self.write(transactions, &mut pass, batch, answer)?
            {
                return Ok(());
            }
            let nothing_pending = pending.is_empty();
            match self.proceed(transactions, &mut pass, nothing_pending)? {
                Next::Batches(chunks) => pending.extend(self.batches(chunks)),
                Next::Pending => {}
                Next::Done => return Ok(()),
            }
        }
    }

    /// The next step: the pending batches, more chunks without a vector, or the end of the jobs.
    fn proceed(
        &mut self,
        transactions: Transactions,
        pass: &mut Pass,
        nothing_pending: bool,
    ) -> Result<Next> {
        let documents = self.documents();
        // The turn of other owners: this work resumes later where it stops now.
        if nothing_pending && pass.stopped.is_none() && !limit::is_used_up() {
            let more = transactions.run(|| {
                let Some(base) = self.current()? else { return self.abandon().map(|()| None) };
                let more = self.as_owner(&base, |c, table| {
                    // Documents that are locked now are read when the jobs are claimed again.
                    if table.try_lock()? { self.next_chunks(c, table, pass).map(Some) } else { Ok(None) }
                })?;
                if more.is_none() {
                    self.postpone(pass, &documents)?;
                }
                Ok(more)
            })?;
            match more {
                None => return Ok(Next::Done),
                Some(more) if !more.is_empty() => {
                    if transactions.run(|| self.go_on(pass))? {
                        return Ok(Next::Batches(more));
                    }
                }
                Some(_) => {}
            }
        }
        if !nothing_pending && !limit::is_used_up() && transactions.run(|| self.go_on(pass))? {
            return Ok(Next::Pending);
        }
        if !self.write_held(transactions, pass)? {
            return Ok(Next::Done);
        }
        self.finish(transactions, pass)?;
        Ok(Next::Done)
    }

    /// Chunks without a vector that may be sent. A chunk that was already sent in this pass, or that replaces such a
    /// chunk, has lost its vector: that counts as an attempt, as for every vector that is not kept.
    fn next_chunks(&self, c: &Connection, table: &Table, pass: &mut Pass) -> Result<Vec<Missing>> {
        let documents = self.documents();
        loop {
            let found = table.missing(c, &self.model, &documents, &pass.skip, self.most)?;
            if found.is_empty() {
                return Ok(found);
            }
            let mut chunks = Vec::new();
            for chunk in found {
                if self.generation(&chunk.document) >= MOST_ATTEMPTS {
                    pass.give_up(
                        vec![chunk],
                        "triggers queue the document again whenever vectors are written",
                    );
                } else if pass.send(&chunk) {
                    chunks.push(chunk);
                } else {
                    self.note_lost(
                        pass,
                        vec![chunk],
                        "its chunks or vectors were changed while they were embedded",
                    );
                }
            }
            if !chunks.is_empty() {
                return Ok(chunks);
            }
        }
    }

    /// Whether the jobs continue. The provider is looked up again: its key or URL may have changed, or the base's owner
    /// may have lost the grant, and then the jobs wait.
    fn go_on(&mut self, pass: &mut Pass) -> Result<bool> {
        if model::is_remote(&self.name)
            && let Some(base) = base::by_id(self.base)?
        {
            match open(&base, &self.name) {
                Ok(model) => self.model = model,
                Err(error) => {
                    pass.stopped = Some((error.to_string(), MODEL_AGAIN));
                    return Ok(false);
                }
            }
        }
        queue::renew(&self.job_ids(|_| true), &[])?;
        Ok(true)
    }

    /// Decides what follows from a failed call. A chunk fails permanently only if the provider serves others.
    fn judge(
        &self,
        transactions: Transactions,
        pass: &Pass,
        refusal: &Refusal,
        batch: &[Missing],
    ) -> Result<Verdict> {
        let attempts = self.most_attempts(pass, batch);
        let verdict = verdict(refusal, batch.len() == 1, attempts, jitter());
        if verdict == Verdict::GiveUp && refusal.reason != Reason::BadItem {
            let serves = transactions.run(|| usage::has_served_lately(&self.name))?;
            if !serves {
                return Ok(Verdict::Later(retry::backoff(attempts.unsigned_abs(), jitter())));
            }
        }
        Ok(verdict)
    }

    /// Batches within the limits of the provider; the first batch is the last element.
    fn batches(&self, chunks: Vec<Missing>) -> Vec<Vec<Missing>> {
        let limits = self.model.limits();
        let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.text.len()).collect();
        let ranges = batch::split(&lengths, &limits);
        let mut chunks = chunks.into_iter();
        let mut batches: Vec<Vec<Missing>> =
            ranges.into_iter().map(|range| chunks.by_ref().take(range.len()).collect()).collect();
        batches.reverse();
        batches
    }

    /// Calls the model. No transaction is open, and no lock is held.
    fn call(&self, batch: &[Missing]) -> std::result::Result<Answer, Refusal> {
        let texts: Vec<String> = batch.iter().map(|chunk| chunk.text.clone()).collect();
        if let Model::Remote(remote) = &self.model {
            return remote.call(&texts, self.dimensions as usize, Input::Document);
        }
        let embed = |text: &String| self.model.embed(text, self.dimensions, InputType::Document);
        match texts.iter().map(embed).collect::<Result<Vec<_>>>() {
            Ok(vectors) => Ok(Answer { vectors, tokens: None }),
            Err(error) => {
                Err(Refusal { reason: Reason::Transient, message: error.to_string(), retry_after: None })
            }
        }
    }

    /// The base, if these jobs are still needed: it exists, and they are for its current or pending model.
    fn current(&self) -> Result<Option<KnowledgeBase>> {
        let Some(base) = base::by_id(self.base)? else { return Ok(None) };
        let wanted = match self.kind {
            Kind::Change => base.next.clone(),
            _ => Some((base.settings.model.clone(), base.settings.dimensions)),
        };
        let is_wanted =
            wanted.is_some_and(|(model, dimensions)| model == self.name && dimensions == self.dimensions);
        Ok(Some(base).filter(|base| is_wanted && base.settings.embed != "off"))
    }

    /// Ends or requeues jobs that are not needed any more: the change of the model has queued its own.
    fn abandon(&self) -> Result<()> {
        let ids = self.job_ids(|_| true);
        let base = base::by_id(self.base)?;
        if base.is_some_and(|base| base.settings.embed != "off") && self.kind == Kind::Embed {
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

/// The model for the base's owner, with the provider and key committed last: they may have been fixed after this
/// transaction began.
fn open(base: &KnowledgeBase, name: &str) -> Result<Model> {
    snapshot::with_latest(|| model::resolve_as(name, base.owner_role()?))
}

/// Runs `work` on the table of the vectors for a kind of job, as the base's owner.
fn with_table<T>(
    base: &KnowledgeBase,
    kind: Kind,
    generation: i32,
    work: impl FnOnce(&Connection, &Table) -> Result<T>,
) -> Result<T> {
    let name = match (kind, base.next_table()) {
        (Kind::Change, Some(table)) => table,
        _ => "embedding".to_string(),
    };
    let table = Table { base, schema: base.quoted_schema(), name };
    base.as_owner(|| queue::with_generation(generation, || spi::connect(|c| work(c, &table))))
}

enum Next {
    Batches(Vec<Missing>),
    Pending,
    Done,
}

/// A random number from 0 to 1.
pub fn jitter() -> f64 {
    // SAFETY: the random state of the process, used by its one thread.
    unsafe { pg_sys::pg_prng_double(&raw mut pg_sys::pg_global_prng_state) }
}
