//! Bringing the documents of some jobs to their vectors: read what lacks one, call the model with no transaction open,
//! write, and again until nothing is missing.

mod notes;

use std::collections::HashSet;
use std::time::Duration;

use kb_rag_core::provider::{Answer, Input, Reason, Refusal, batch, retry};
use pgrx::{Uuid, pg_sys};

use super::chunks::{Missing, Table};
use super::pass::Pass;
use super::transaction::Transactions;
use super::verdict::{ATTEMPTS_BEFORE_SPLIT, Verdict, verdict};
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::ingest;
use crate::model::{self, InputType, Model};
use crate::provider::usage;
use crate::queue::{self, Job, Kind};
use crate::snapshot;
use crate::spi::{self, Connection};

/// Passages of a batch where the provider takes more: what a kill loses, and one bad answer costs, stays small.
const MOST_ITEMS: usize = 128;
/// A document that somebody else is writing is looked at again after this.
const LOCKED_AGAIN: Duration = Duration::from_millis(250);
/// When it is looked whether a model can be opened that could not.
const MODEL_AGAIN: Duration = Duration::from_secs(30);

/// Jobs of one kind of one base that this process has claimed, and the first passages to embed.
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
}

/// Claims jobs that are due and reads their first passages, in the transaction of the caller. None when others have
/// claimed them all.
pub fn claim(base: &KnowledgeBase, kind: Kind) -> Result<Option<Assignment>> {
    if kind == Kind::Change && base.next.is_none() || base.settings.embed == "off" {
        // Nobody wants these vectors any more.
        return queue::forget(base.id, kind).map(|()| None);
    }
    with_table(base, kind, |c, table| table.lock(c))?;
    let Some(base) = &base::by_id(base.id)?.filter(KnowledgeBase::has_schema) else { return Ok(None) };
    let (name, dimensions) = match (kind, &base.next) {
        (Kind::Change, Some((model, dimensions))) => (model.clone(), *dimensions),
        (Kind::Change, None) => return Ok(None),
        _ => (base.settings.model.clone(), base.settings.dimensions),
    };
    let model = open(base, &name);
    let most = model.as_ref().map_or(MOST_ITEMS, |model| model.limits().items.clamp(1, MOST_ITEMS));
    // Where calls are small, the rest of the documents is for other workers.
    let most_jobs = if model::is_remote(&name) { most } else { MOST_ITEMS };
    let jobs = queue::claim(base.id, kind, most_jobs as i64)?;
    if jobs.is_empty() {
        return Ok(None);
    }
    let model = match model {
        Ok(model) => model,
        Err(error) => {
            // A key, a file or a right is missing: somebody has to put it there.
            let ids: Vec<Uuid> = jobs.iter().map(|job| job.id).collect();
            queue::postpone(&ids, MODEL_AGAIN, false, Some(&error.to_string()))?;
            return Ok(None);
        }
    };
    let is_full = jobs.len() >= most_jobs;
    let mut assignment =
        Assignment { base: base.id, name, kind, jobs, is_full, model, dimensions, batch: Vec::new(), most };
    let documents = assignment.documents();
    assignment.batch = assignment
        .as_owner(base, |c, table| table.missing(c, &assignment.model, &documents, &HashSet::new(), most))?;
    Ok(Some(assignment))
}

impl Assignment {
    /// Whether there may be more than these.
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

    fn attempts(&self, document: &Uuid) -> i32 {
        self.jobs.iter().filter(|job| job.target == *document).map(|job| job.attempts).max().unwrap_or(1)
    }

    fn most_attempts(&self, batch: &[Missing]) -> i32 {
        batch.iter().map(|chunk| self.attempts(&chunk.document)).max().unwrap_or(1)
    }

    /// Runs `work` on the table of the vectors, as the base's owner.
    fn as_owner<T>(
        &self,
        base: &KnowledgeBase,
        work: impl FnOnce(&Connection, &Table) -> Result<T>,
    ) -> Result<T> {
        with_table(base, self.kind, work)
    }

    /// Works until the jobs are done, given up or postponed.
    pub fn run(mut self, transactions: Transactions) -> Result<()> {
        let mut pass = Pass::default();
        let first = std::mem::take(&mut self.batch);
        let mut pending = self.batches(first);
        loop {
            let mut written = None;
            while let Some(batch) = pending.pop() {
                match self.call(&batch) {
                    Ok(answer) => {
                        pass.alone_in_a_row = 0;
                        written = Some((batch, answer));
                        // What is paid for is written before anything else is asked.
                        break;
                    }
                    Err(refusal) => match self.judge(transactions, &refusal, &batch)? {
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
                            let is_suspect = alone && self.most_attempts(&batch) >= ATTEMPTS_BEFORE_SPLIT;
                            transactions.run(|| {
                                self.note_error()?;
                                // Other bases' providers must not wait for one that does not answer, and one that
                                // fails is not asked for the rest of the queue at once. What came in its place may be
                                // wrong for this base alone.
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
                            return transactions.run(|| self.pause(&refusal, whole_provider, after));
                        }
                    },
                }
            }
            let nothing_pending = pending.is_empty();
            let spent = written.as_ref().map(|(batch, answer)| (batch.len(), answer.tokens));
            let next = match transactions.run(|| self.settle(&mut pass, written, spent, nothing_pending)) {
                Ok(next) => next,
                Err(error) => {
                    transactions.run(|| self.note_call(spent))?;
                    return Err(error);
                }
            };
            match next {
                Next::Batches(chunks) => pending.extend(self.batches(chunks)),
                Next::Pending => {}
                Next::Done => return Ok(()),
            }
        }
    }

    /// Goes on with what is next. The provider is looked up again: it may have another key or place by now, or serve the
    /// base's owner no more, and then the jobs wait.
    fn go_on(&mut self, base: &KnowledgeBase, next: Next) -> Result<Next> {
        let ids = self.job_ids(|_| true);
        if model::is_remote(&self.name) {
            match open(base, &self.name) {
                Ok(model) => self.model = model,
                Err(error) => {
                    queue::postpone(&ids, MODEL_AGAIN, false, Some(&error.to_string()))?;
                    return Ok(Next::Done);
                }
            }
        }
        queue::renew(&ids, &[])?;
        Ok(next)
    }

    /// Whether a passage is given up depends on whether the provider serves others.
    fn judge(&self, transactions: Transactions, refusal: &Refusal, batch: &[Missing]) -> Result<Verdict> {
        let attempts = self.most_attempts(batch);
        let verdict = verdict(refusal, batch.len() == 1, attempts, jitter());
        if verdict == Verdict::GiveUp && refusal.reason != Reason::BadItem {
            let serves = transactions.run(|| usage::has_served_lately(&self.name))?;
            if !serves {
                return Ok(Verdict::Later(retry::backoff(attempts.unsigned_abs(), jitter())));
            }
        }
        Ok(verdict)
    }

    /// Batches that the provider takes, the first one last.
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

    /// No transaction is open, and no lock is held.
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

    /// Writes what came, and finds what is missing next; when nothing is, ends the jobs.
    fn settle(
        &mut self,
        pass: &mut Pass,
        written: Option<(Vec<Missing>, Answer)>,
        spent: Option<(usize, Option<u64>)>,
        nothing_pending: bool,
    ) -> Result<Next> {
        let Some(base) = self.current()? else {
            // Dropped, or of another model since: nobody wants these vectors any more.
            self.note_call(spent)?;
            return self.abandon();
        };
        let kept = self.as_owner(&base, |c, table| {
            table.lock(c)?;
            if self.current()?.is_none() {
                return Ok(None);
            }
            match &written {
                Some((batch, answer)) => {
                    table.write(c, batch.iter().map(|chunk| chunk.id).collect(), &answer.vectors).map(Some)
                }
                None => Ok(Some(HashSet::new())),
            }
        })?;
        self.note_call(spent)?;
        let Some(kept) = kept else { return self.abandon() };
        if let Some((batch, _)) = written {
            if self.kind == Kind::Embed {
                base.record_variant(self.model.variant())?;
            }
            let (batch, lost): (Vec<_>, Vec<_>) =
                batch.into_iter().partition(|chunk| kept.contains(&chunk.id));
            self.got_on(batch.iter().map(|chunk| chunk.document).collect())?;
            self.note_lost(pass, lost);
        }
        if !nothing_pending {
            return self.go_on(&base, Next::Pending);
        }
        if pass.stopped.is_none() {
            let documents = self.documents();
            let more = self.as_owner(&base, |c, table| {
                table.missing(c, &self.model, &documents, &pass.skip, self.most)
            })?;
            if !more.is_empty() {
                return self.go_on(&base, Next::Batches(more));
            }
        }
        self.end(&base, pass)
    }

    /// The base while these jobs are of use: it is there, and its model is still the one they are for.
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

    /// Whoever changed the model has queued what it needs.
    fn abandon(&self) -> Result<Next> {
        let ids = self.job_ids(|_| true);
        let base = base::by_id(self.base)?;
        if base.is_some_and(|base| base.settings.embed != "off") && self.kind == Kind::Embed {
            queue::postpone(&ids, Duration::ZERO, false, None)?;
        } else {
            queue::done(&ids)?;
        }
        Ok(Next::Done)
    }

    /// Ends the jobs of documents that are complete, and says why the others are not.
    fn end(&self, base: &KnowledgeBase, pass: &Pass) -> Result<Next> {
        let documents = self.documents();
        let mut done: HashSet<Uuid> = documents.iter().copied().collect();
        let mut again = HashSet::new();
        self.as_owner(base, |c, table| {
            let there = table.lock_documents(c, &documents)?;
            let incomplete = table.incomplete(c, &documents)?;
            let mut complete = Vec::new();
            for (document, locked) in there {
                if incomplete.contains(&document) || self.kind == Kind::Embed && !locked {
                    done.remove(&document);
                    again.insert(document);
                } else {
                    complete.push(document);
                }
            }
            if self.kind == Kind::Embed {
                table.set_status(c, &complete, ingest::INDEXED, None)?;
            }
            for (document, error) in pass.given_up() {
                if again.contains(document) && self.kind == Kind::Embed {
                    table.set_status(c, &[*document], ingest::FAILED, Some(error))?;
                }
            }
            Ok(())
        })?;
        queue::done(&self.job_ids(|document| done.contains(document)))?;
        for document in &again {
            let ids = self.job_ids(|target| target == document);
            if let Some((error, after)) = pass.later.get(document) {
                queue::postpone(&ids, *after, true, Some(error))?;
            } else if let Some((error, after)) = &pass.stopped {
                queue::postpone(&ids, *after, false, Some(error))?;
            } else if let Some(error) = pass.failed.get(document) {
                queue::fail(&ids, error)?;
            } else {
                queue::postpone(&ids, LOCKED_AGAIN, false, None)?;
            }
        }
        Ok(Next::Done)
    }
}

/// The model for the base's owner, with the provider and the key that are committed now: the transaction may have begun
/// before somebody mended them.
fn open(base: &KnowledgeBase, name: &str) -> Result<Model> {
    snapshot::with_latest(|| model::resolve_as(name, base.owner_role()?))
}

/// Runs `work` on the table of the vectors of a kind of job, as the base's owner.
fn with_table<T>(
    base: &KnowledgeBase,
    kind: Kind,
    work: impl FnOnce(&Connection, &Table) -> Result<T>,
) -> Result<T> {
    let name = match (kind, base.next_table()) {
        (Kind::Change, Some(table)) => table,
        _ => "embedding".to_string(),
    };
    let table = Table { base, schema: base.quoted_schema(), name };
    base.as_owner(|| spi::connect(|c| work(c, &table)))
}

enum Next {
    Batches(Vec<Missing>),
    Pending,
    Done,
}

/// From 0 to 1.
fn jitter() -> f64 {
    // SAFETY: the random state of the process, used by its one thread.
    unsafe { pg_sys::pg_prng_double(&raw mut pg_sys::pg_global_prng_state) }
}
