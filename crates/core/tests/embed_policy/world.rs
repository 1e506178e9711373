//! A provider, a knowledge base and its queue, simulated. A worker performs what the policy says, as `pipeline::embed`
//! does, and the queue charges attempts as the statements of `queue` do.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use kb_rag_core::embed_policy::{
    Action, Chunk, Claim, End, Ending, Found, MAX_ATTEMPTS, Outcome, Pause, Policy, Read, Write,
};
use kb_rag_core::provider::{Limits, Reason, Refusal, retry};

use crate::faults::{Access, Fate, Faults, refusal};

/// The most time of the owner's code.
const OWNER_TIME: Duration = Duration::from_secs(30);
/// No run has more actions than these for each chunk.
const MAX_ACTIONS: usize = 1000;

/// A chunk in the table.
#[derive(Debug)]
pub struct Row {
    pub document: u32,
    pub has_vector: bool,
    /// How often it was sent, and how often that was paid for.
    pub sent: usize,
    pub paid: usize,
}

/// The job of a document.
#[derive(Clone, Debug)]
pub struct Job {
    pub attempts: i32,
    pub generation: i32,
    pub due: Duration,
    pub is_claimed: bool,
    pub failed: Option<String>,
    /// What kb_rag.failed says.
    pub error: Option<String>,
    /// Chunks with answers that could not be used, each as often as it was sent.
    pub unusable: Vec<u32>,
}

/// The knowledge base and its queue.
pub struct World {
    pub now: Duration,
    pub rows: BTreeMap<u32, Row>,
    pub jobs: BTreeMap<u32, Job>,
    pub limits: Limits,
    /// Those that hold when the provider is opened again.
    pub next_limits: Option<Limits>,
    /// The chunks of each call.
    pub calls: Vec<Vec<u32>>,
    pub pauses: Vec<Pause>,
    /// The endings of the last run.
    pub endings: BTreeMap<u32, Ending<u32>>,
    pub reports: usize,
    /// Documents that do not exist any more.
    pub gone: BTreeSet<u32>,
    paused_until: Duration,
    failures: u32,
    /// Whether one chunk is sent first.
    is_trial: bool,
}

impl World {
    /// Documents with so many chunks each, numbered from 0; calls take so many chunks.
    pub fn from_chunks(chunks: impl IntoIterator<Item = usize>, items: usize) -> World {
        let limits = Limits { items, tokens_per_item: None, tokens: None, bytes: 1 << 20 };
        let mut world = World {
            now: Duration::ZERO,
            rows: BTreeMap::new(),
            jobs: BTreeMap::new(),
            limits,
            next_limits: None,
            calls: Vec::new(),
            pauses: Vec::new(),
            endings: BTreeMap::new(),
            reports: 0,
            gone: BTreeSet::new(),
            paused_until: Duration::ZERO,
            failures: 0,
            is_trial: false,
        };
        for (document, count) in (0..).zip(chunks) {
            (0..count).for_each(|_| world.add_chunk(document));
            world.enqueue(document, 0);
        }
        world
    }

    /// Documents of one chunk each.
    pub fn of_single_chunks(documents: usize, items: usize) -> World {
        World::from_chunks(std::iter::repeat_n(1, documents), items)
    }

    fn add_chunk(&mut self, document: u32) {
        let id = self.rows.last_key_value().map_or(0, |(id, _)| id + 1);
        self.rows.insert(id, Row { document, has_vector: false, sent: 0, paid: 0 });
    }

    pub fn enqueue(&mut self, document: u32, generation: i32) {
        let due = self.now;
        let (failed, error, unusable) = (None, None, Vec::new());
        let job = Job { attempts: 0, generation, due, is_claimed: false, failed, error, unusable };
        self.jobs.insert(document, job);
    }

    pub fn missing(&self) -> usize {
        self.rows.values().filter(|row| !row.has_vector).count()
    }

    pub fn outcome(&self, document: u32) -> &Outcome {
        &self.endings[&document].outcome
    }

    /// Claims the jobs that are due, and works on them. False if all have ended; time passes until some are due.
    pub fn run(&mut self, faults: &mut dyn Faults) -> bool {
        let Some(due) = self.jobs.values().filter(|job| job.failed.is_none()).map(|job| job.due).min() else {
            return false;
        };
        self.now = self.now.max(due).max(self.paused_until);
        self.run_now(faults);
        true
    }

    /// Runs until all jobs have ended.
    pub fn run_to_end(&mut self, faults: &mut dyn Faults, max_runs: usize) {
        let runs = (0..=max_runs).take_while(|_| self.run(faults)).count();
        assert!(runs <= max_runs, "no end after {runs} runs: {:?}", self.jobs);
    }

    fn run_now(&mut self, faults: &mut dyn Faults) {
        self.endings.clear();
        let mut claims = Vec::new();
        let mut due: Vec<_> =
            self.jobs.iter_mut().filter(|(_, job)| job.failed.is_none() && job.due <= self.now).collect();
        due.sort_by_key(|(_, job)| job.due);
        for (&document, job) in due.into_iter().take(if self.is_trial { 1 } else { usize::MAX }) {
            job.is_claimed = true;
            job.attempts += 1;
            let (attempts, generation, unusable) = (job.attempts, job.generation, job.unusable.clone());
            claims.push(Claim { document, attempts, generation, unusable });
        }
        claims.sort_by_key(|claim| claim.document);
        let mut missing: HashMap<u32, i64> = HashMap::new();
        for row in self.rows.values().filter(|row| !row.has_vector) {
            *missing.entry(row.document).or_default() += 1;
        }
        let (before, sendable) = (self.calls.len(), self.missing().max(claims.len()));
        let mut policy = Policy::new(&claims, &missing, self.limits);
        let max = if self.is_trial { 1 } else { self.limits.items };
        self.read(policy.first_read(), faults, Some(max));
        self.perform(policy, faults);
        let held: Vec<_> = self.jobs.iter().filter(|(_, job)| job.is_claimed).collect();
        assert!(held.is_empty(), "jobs that are neither ended nor given back: {held:?}");
        assert!(self.calls.len() - before <= 2 * sendable, "{:?}", &self.calls[before..]);
    }

    fn perform(&mut self, mut policy: Policy<u32>, faults: &mut dyn Faults) {
        let mut has_error = false;
        let calls = self.calls.len();
        for _ in 0..MAX_ACTIONS * (1 + self.rows.len()) {
            if faults.is_time_used_up() {
                policy.time_used_up();
            }
            if self.calls.len() > calls && faults.must_leave() {
                policy.leave();
            }
            match policy.next(self.now) {
                Action::Call(call) => {
                    self.now += Duration::from_millis(20);
                    match self.call(call.chunks(), faults) {
                        Ok(vectors) => call.answered(vectors),
                        Err(refusal) => call.refused(refusal, faults.jitter()),
                    }
                }
                Action::CheckProvider(check) => check.serves_others(faults.serves_others(), faults.jitter()),
                Action::RecordFailure(pause) => pause.into_iter().for_each(|p| self.pause(p, faults)),
                Action::Write(write) => has_error |= self.write(write, faults),
                Action::Wait(time) => self.now += time,
                Action::Read(read) => self.read(read, faults, None),
                Action::Reopen(reopen) => match faults.reopen() {
                    None => reopen.reopened(self.next_limits.unwrap_or(self.limits)),
                    Some(error) => reopen.failed(error),
                },
                Action::End(end) => has_error |= self.end(end, faults),
                Action::EndUnwritable(ending) => self.settle(&ending, faults),
                Action::Report => {
                    assert!(std::mem::take(&mut has_error), "no error to report");
                    self.reports += 1;
                }
                Action::Abort => {
                    assert!(has_error, "no error to return");
                    return self.give_back(faults);
                }
                Action::Abandon => self.abandon(),
                Action::Done => return,
            }
        }
        panic!("no end: {:?}", self.calls);
    }

    fn call(
        &mut self,
        chunks: &[Chunk<u32>],
        faults: &mut dyn Faults,
    ) -> Result<Vec<Result<Vec<f32>, String>>, Refusal> {
        assert!(!chunks.is_empty() && chunks.len() <= self.limits.items, "a batch of {}", chunks.len());
        self.calls.push(chunks.iter().map(|chunk| chunk.id).collect());
        let mut vector = |chunk: &Chunk<u32>| match faults.is_usable(chunk.id) {
            true => Ok(vec![chunk.id as f32]),
            false => Err("not finite".to_string()),
        };
        let vectors: Vec<_> = chunks.iter().map(&mut vector).collect();
        let none_usable = vectors.iter().all(Result::is_err).then(|| refusal(Reason::BadVector));
        let refused = faults.call(chunks).or(none_usable);
        for chunk in chunks {
            let row = self.rows.get_mut(&chunk.id);
            if let Some(row) = row {
                row.sent += 1;
                row.paid += usize::from(refused.as_ref().is_none_or(|refused| refused.reason.may_be_paid()));
            }
        }
        match refused {
            Some(refusal) => Err(refusal),
            None => {
                (self.failures, self.is_trial) = (0, false);
                Ok(vectors)
            }
        }
    }

    fn pause(&mut self, pause: Pause, faults: &mut dyn Faults) {
        self.failures += 1;
        let until = self.now + pause.time(self.failures, faults.jitter());
        self.paused_until = self.paused_until.max(until);
        self.is_trial |= pause.tries_one_chunk;
        self.pauses.push(pause);
    }

    /// Returns whether the owner's code raised an error.
    fn write(&mut self, write: Write<u32>, faults: &mut dyn Faults) -> bool {
        if write.needs_share() && !faults.keeps_share() {
            write.share_lost();
            return false;
        }
        let documents: BTreeSet<u32> = write.vectors().iter().map(|(chunk, _)| chunk.document).collect();
        self.now += faults.takes();
        match faults.write(&documents, self.now) {
            Access::Locked => write.locked(),
            Access::Unwanted => write.unwanted(),
            Access::Error(failure) => {
                write.failed(failure, OWNER_TIME);
                return true;
            }
            Access::Free => {
                let is_busy = |document: &u32| faults.is_busy(*document, self.now);
                let busy: HashSet<u32> = documents.into_iter().filter(is_busy).collect();
                let mut kept = HashSet::new();
                for (chunk, vector) in write.vectors() {
                    assert_eq!(*vector, [chunk.id as f32], "the vector of another chunk");
                    if !busy.contains(&chunk.document) && self.write_vector(chunk, faults.fate(chunk.id)) {
                        kept.insert(chunk.id);
                    }
                }
                write.written(&kept, &busy);
            }
        }
        false
    }

    /// Returns whether the chunk had no vector and has one now.
    fn write_vector(&mut self, chunk: &Chunk<u32>, fate: Fate) -> bool {
        let Some(row) = self.rows.get_mut(&chunk.id).filter(|row| !row.has_vector) else { return false };
        match fate {
            Fate::Kept => row.has_vector = true,
            Fate::RemovedLater => return true,
            Fate::Lost => {}
            Fate::Deleted => drop(self.rows.remove(&chunk.id)),
            Fate::Replaced => {
                self.add_chunk(chunk.document);
                self.rows.remove(&chunk.id);
            }
        }
        fate == Fate::Kept
    }

    /// `first`: how many chunks are read first.
    fn read(&mut self, mut read: Read<u32>, faults: &mut dyn Faults, first: Option<usize>) {
        let max = first.unwrap_or(self.limits.items);
        match if first.is_some() { Access::Free } else { faults.read() } {
            Access::Locked => {
                for ending in read.locked() {
                    self.settle(&ending, faults);
                }
            }
            Access::Unwanted => read.unwanted(),
            Access::Free | Access::Error(_) => loop {
                let is_read = |(id, row): &(&u32, &Row)| {
                    !row.has_vector && read.documents().contains(&row.document) && !read.skip().contains(id)
                };
                let chunk = |(&id, row): (&u32, &Row)| Chunk {
                    id,
                    document: row.document,
                    text: format!("text {id}"),
                };
                let found = self.rows.iter().filter(is_read).take(max).map(chunk).collect();
                if !read.found(found) {
                    break;
                }
            },
        }
    }

    /// Returns whether the owner's code raised an error.
    fn end(&mut self, end: End<u32>, faults: &mut dyn Faults) -> bool {
        if end.needs_share() && !faults.keeps_share() {
            end.share_lost();
            return false;
        }
        self.now += faults.takes();
        let endings = match faults.end(end.documents()) {
            Access::Error(failure) => {
                end.failed(failure, OWNER_TIME);
                return true;
            }
            Access::Unwanted => {
                self.abandon();
                Vec::new()
            }
            Access::Locked => end.endings(None),
            Access::Free => {
                let found = |&document: &u32| Found {
                    document,
                    is_busy: faults.is_busy(document, self.now),
                    is_incomplete: self.is_incomplete(document),
                };
                let found: Vec<Found<u32>> = end
                    .documents()
                    .iter()
                    .filter(|document| !self.gone.contains(document))
                    .map(found)
                    .collect();
                end.endings(Some(&found))
            }
        };
        for ending in &endings {
            self.settle(ending, faults);
        }
        end.ended();
        false
    }

    pub fn is_incomplete(&self, document: u32) -> bool {
        self.rows.values().any(|row| row.document == document && !row.has_vector)
    }

    /// The job of a document ends, if this worker still has it.
    fn settle(&mut self, ending: &Ending<u32>, faults: &mut dyn Faults) {
        let document = ending.document;
        let is_incomplete = self.is_incomplete(document);
        let Some(job) = self.jobs.get_mut(&document).filter(|job| job.is_claimed) else { return };
        if ending.forgets_failures {
            job.attempts = 1;
        }
        if let Some(unusable) = &ending.unusable {
            job.unusable = unusable.clone();
        }
        job.is_claimed = false;
        match &ending.outcome {
            Outcome::Gone | Outcome::Complete => {
                assert!(!is_incomplete, "document {document} is done and lacks vectors");
                self.jobs.remove(&document);
            }
            Outcome::Failed(error) => job.failed = Some(error.clone()),
            Outcome::Postponed { after, charged, error } => {
                let after = after.time(faults.jitter());
                assert!(after <= Duration::from_secs(3600), "postponed for {after:?}");
                job.due = self.now + after;
                job.attempts -= i32::from(!charged);
                job.error = error.clone().or(job.error.take());
            }
        }
        self.endings.insert(document, ending.clone());
    }

    /// After an error that ends the work.
    fn give_back(&mut self, faults: &mut dyn Faults) {
        for job in self.jobs.values_mut().filter(|job| job.is_claimed) {
            job.is_claimed = false;
            job.due = self.now + retry::backoff(job.attempts.unsigned_abs(), faults.jitter());
            if job.attempts >= MAX_ATTEMPTS {
                job.failed = Some("aborted".to_string());
            }
        }
    }

    fn abandon(&mut self) {
        for job in self.jobs.values_mut().filter(|job| job.is_claimed) {
            job.is_claimed = false;
            job.due = self.now;
            job.attempts -= 1;
        }
    }
}
