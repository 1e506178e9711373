//! The policy of the workers: which chunks to embed next, and what follows from every answer, refusal and error.
//!
//! [`Policy`] is a state machine without I/O, clock or randomness. It works on the documents that a worker has claimed,
//! until their jobs are done, failed or postponed. [`Policy::next`] returns the next [`Action`]. The worker performs it
//! and reports the result to the value in the action, which accepts only results of this action.
//!
//! ```text
//! first_read ─► Call ─► refused ─► RecordFailure ─► Call the next batch, or stop
//!                │ ▲
//!        answered│ └──────────────────── Reopen ◄──────────────┐
//!                ▼                         ▲                   │
//!              Write ─► batches left? ─yes─┘  └─no─► Read more chunks
//!                                                              │ none left, stopped, or the time is used up
//!                                                              ▼
//!                             Write the vectors that were held ─► End ─► Done
//! ```
//!
//! # Batches
//!
//! Chunks that were read are cut into batches within the provider's limits. Vectors are paid for, so they are written
//! before the next call. The provider is opened again before each call that follows a write: its key may have changed, or
//! a grant may have been revoked. If it cannot be opened, the work stops.
//!
//! # A failed call
//!
//! | reason | the chunks | pause |
//! |---|---|---|
//! | overloaded, unreachable, no quota, wrong key | wait, and no attempt counts; the work stops | provider |
//! | unknown model | the same | model |
//! | rejected text | the batch is split; a chunk alone fails | none |
//! | no answer in time | retried with backoff, and the attempt counts | provider |
//! | server error | the same | model |
//! | an answer that breaks off, or cannot be used | the same | knowledge base |
//!
//! No answer in time, and a server error:
//!
//! - From the 3rd attempt on the batch is split instead. A chunk that is alone fails at the 8th attempt, provided that
//!   the model serves others ([`Action::CheckProvider`]).
//! - The work stops if the batch had several chunks, if the provider did not answer in time, or if three chunks in a row
//!   failed alone: then the chunks are likely not the cause, and are retried, each after a time of its own.
//! - Nothing is paused if the chunk may be the cause: it is alone at its 3rd attempt, or a batch was split before. A
//!   provider that does not answer in time is always paused.
//!
//! Answers that cannot be used may have been paid for:
//!
//! - Each chunk of such a call is remembered in its job, as often as that ([`Claim::unusable`]). At the 8th time it fails,
//!   whoever is the cause, and it is not sent again. A vector forgets it.
//! - No chunk is sent twice in a turn: from the 3rd time on its batches are smaller, down to one chunk.
//! - The knowledge base is paused and the work stops, unless the chunk is alone at its 3rd attempt and others of the base
//!   get vectors. When the pause ends, one chunk is sent first ([`Pause::tries_one_chunk`]).
//! - If only some vectors of an answer cannot be used, their chunks are retried, and the others are written.
//!
//! A document with a failed chunk fails when no other chunk of it is left to send.
//!
//! # Written, held, lost
//!
//! - A vector that was written and is in the table is progress: earlier failures of its document do not count any more.
//! - A vector of a document that another session is writing is held, and written when that session ends its transaction.
//! - A vector that is not kept for any other reason, or is held for more than a second, is lost. It was paid for: the
//!   attempt counts, and the document fails at the 8th.
//! - A chunk is read for sending once. If it lacks its vector again, or another chunk has replaced it, a vector is lost.
//!
//! An error of the owner's code, such as a trigger, must not cost other documents their vectors. Each document is then
//! written by itself, and its jobs are ended by themselves, until the owner's code has used its time.
//!
//! # What holds whatever happens
//!
//! - A document whose jobs are done has all its vectors, or does not exist any more.
//! - The jobs of any other document are postponed, or failed for a reason, or given back by [`Action::Abort`] or
//!   [`Action::Abandon`].
//! - The work on some claimed documents ends: it makes at most two calls for each chunk that had no vector.

mod call;
mod end;
mod one_by_one;
mod outcome;
mod progress;
mod read;
mod step;
mod verdict;
mod write;

use core::hash::Hash;
use core::mem;
use core::time::Duration;
use std::collections::HashMap;

pub use call::{Call, CheckProvider};
pub use end::{End, Ending, Found};
pub use one_by_one::Failure;
pub use outcome::{Outcome, Wait};
pub use read::{MODEL_AGAIN, Read, Reopen};
pub use verdict::{Lone, MAX_ATTEMPTS, Pause, Scope, after_lone};
pub use write::Write;

use crate::provider::{Limits, batch};
use call::Suspicion;
use progress::Progress;
use step::{Decision, Step};
use verdict::max_items;
use write::LOOK_AGAIN;

/// The delay before a document that another session is writing is tried again.
const LOCKED_AGAIN: Duration = Duration::from_millis(250);

/// The identifier of a document or a chunk.
pub trait Id: Copy + Eq + Hash {}

impl<I: Copy + Eq + Hash> Id for I {}

/// A chunk without a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<I> {
    /// The chunk.
    pub id: I,
    /// Its document.
    pub document: I,
    /// The text to embed: title, heading and content.
    pub text: String,
}

/// Chunks with their vectors.
pub type Vectors<I> = Vec<(Chunk<I>, Vec<f32>)>;

/// A claimed job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<I> {
    /// The document to embed.
    pub document: I,
    /// Attempts, including this one.
    pub attempts: i32,
    /// How many jobs led to it, each through a trigger that changed documents while a worker wrote vectors.
    pub generation: i32,
    /// The chunks that earlier calls were made for in vain although they were answered, each as often as that.
    pub unusable: Vec<I>,
}

/// The next step of the work. An action with a value expects the result in one of the value's methods.
pub enum Action<'a, I> {
    /// Call the model. No transaction is open, and no lock is held.
    Call(Call<'a, I>),
    /// Find out whether the model serves others.
    CheckProvider(CheckProvider<'a, I>),
    /// Record that a call failed, and pause.
    RecordFailure(Option<Pause>),
    /// Write vectors.
    Write(Write<'a, I>),
    /// Do nothing for this long.
    Wait(Duration),
    /// Read chunks without a vector.
    Read(Read<'a, I>),
    /// Look up the provider again, and renew the claim of the jobs.
    Reopen(Reopen<'a, I>),
    /// End jobs.
    End(End<'a, I>),
    /// End the jobs of a document for which nothing could be written.
    EndUnwritable(Ending<I>),
    /// Report the last error of the owner's code. The work goes on.
    Report,
    /// The last error of the owner's code ends the work. The jobs are to be given back.
    Abort,
    /// The vectors are no longer needed. Give the jobs back, or remove them.
    Abandon,
    /// All jobs have ended.
    Done,
}

/// The state of the work on some claimed documents.
pub struct Policy<I> {
    documents: Vec<I>,
    progress: Progress<I>,
    suspicion: Suspicion<I>,
    limits: Limits,
    /// Chunks that were read and are in no batch yet.
    unbatched: Vec<Chunk<I>>,
    /// The next batch is the last element.
    batches: Vec<Vec<Chunk<I>>>,
    is_time_used_up: bool,
    /// Whether no further batch is called.
    is_left: bool,
    step: Step<I>,
}

impl<I: Id> Policy<I> {
    /// The work on some claimed documents. `missing`: how many chunks of each have no vector. `limits`: those of a call.
    pub fn new(claims: &[Claim<I>], missing: &HashMap<I, i64>, limits: Limits) -> Policy<I> {
        let mut documents = Vec::new();
        for claim in claims {
            if !documents.contains(&claim.document) {
                documents.push(claim.document);
            }
        }
        Policy {
            documents,
            progress: Progress::new(claims, missing),
            suspicion: Suspicion::default(),
            limits,
            unbatched: Vec::new(),
            batches: Vec::new(),
            is_time_used_up: false,
            is_left: false,
            step: Step::Call,
        }
    }

    /// To read the first chunks, in the transaction that claims the jobs and opens the model.
    pub fn first_read(&mut self) -> Read<'_, I> {
        Read { policy: self, is_first: true }
    }

    /// The owner's code has used the time for one turn of the work: it resumes later where it stops now.
    pub fn time_used_up(&mut self) {
        self.is_time_used_up = true;
    }

    /// The worker is needed elsewhere: what is left is done later, even chunks that were read.
    pub fn leave(&mut self) {
        self.is_time_used_up = true;
        self.is_left = true;
    }

    /// The next action. `now` is the time since any fixed moment.
    pub fn next(&mut self, now: Duration) -> Action<'_, I> {
        loop {
            // The next batch is called after a step that says nothing else.
            match mem::replace(&mut self.step, Step::Call) {
                Step::Call if self.is_left => self.step = Decision::Proceed.into(),
                Step::Call => match self.next_batch() {
                    Some(batch) => return Action::Call(Call { policy: self, batch }),
                    None => self.step = Decision::Proceed.into(),
                },
                Step::CheckProvider { batch, refusal, attempts } => {
                    return Action::CheckProvider(CheckProvider { policy: self, batch, refusal, attempts });
                }
                Step::RecordFailure(pause) => return Action::RecordFailure(pause),
                Step::Write { vectors, part } => {
                    return Action::Write(Write { policy: self, vectors, part });
                }
                Step::Read => return Action::Read(Read { policy: self, is_first: false }),
                Step::Reopen => return Action::Reopen(Reopen { policy: self }),
                Step::End(jobs) => return Action::End(End { policy: self, jobs }),
                Step::EndUnwritable(ending, rest) => {
                    return self.then(Decision::EndEach(rest).into(), Action::EndUnwritable(ending));
                }
                Step::Wait(step) => return self.then(*step, Action::Wait(LOOK_AGAIN)),
                Step::Report(step) => return self.then(*step, Action::Report),
                Step::Abort => return self.then(Step::Done, Action::Abort),
                Step::Abandon => return self.then(Step::Done, Action::Abandon),
                Step::Done => return self.then(Step::Done, Action::Done),
                Step::Decide(decision) => self.step = self.decide(decision, now),
            }
        }
    }

    /// An action without a result, and the step after it.
    fn then<'a>(&mut self, step: Step<I>, action: Action<'a, I>) -> Action<'a, I> {
        self.step = step;
        action
    }

    /// The next batch, within the limits of the provider, and smaller where its chunks have failed before.
    fn next_batch(&mut self) -> Option<Vec<Chunk<I>>> {
        if self.batches.is_empty() && !self.unbatched.is_empty() {
            let lengths: Vec<usize> = self.unbatched.iter().map(|chunk| chunk.text.len()).collect();
            let mut chunks = mem::take(&mut self.unbatched).into_iter();
            let ranges = batch::split(&lengths, &self.limits);
            for range in ranges {
                let batch: Vec<Chunk<I>> = chunks.by_ref().take(range.len()).collect();
                self.batches.extend(self.parts(batch));
            }
            self.batches.reverse();
        }
        self.batches.pop()
    }

    /// Cuts a batch so that no part is larger than the failures of its chunks permit.
    fn parts(&self, batch: Vec<Chunk<I>>) -> Vec<Vec<Chunk<I>>> {
        let mut parts: Vec<Vec<Chunk<I>>> = Vec::new();
        let mut max = 0;
        for chunk in batch {
            let max_of_chunk = max_items(self.limits.items, self.progress.times_unusable(chunk.id));
            match parts.last_mut() {
                Some(part) if part.len() < max.min(max_of_chunk) => {
                    max = max.min(max_of_chunk);
                    part.push(chunk);
                }
                _ => {
                    max = max_of_chunk;
                    parts.push(vec![chunk]);
                }
            }
        }
        parts
    }

    /// Leaves the chunks that were not sent to a later turn of the work.
    fn leave_rest(&mut self) {
        let batches = mem::take(&mut self.batches).into_iter().flatten();
        let rest: Vec<I> =
            batches.chain(mem::take(&mut self.unbatched)).map(|chunk| chunk.document).collect();
        self.progress.leave_rest(&rest);
    }
}
