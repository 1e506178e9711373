//! What is known about the claimed documents and their chunks.

use core::time::Duration;
use std::collections::{HashMap, HashSet};

use super::{Chunk, Claim, Id, MAX_ATTEMPTS, Outcome, Vectors, Wait};

/// The results of the chunks so far.
pub(super) struct Progress<I> {
    documents: HashMap<I, Document<I>>,
    /// Chunks that are not read again.
    skip: HashSet<I>,
    /// Chunks that were sent.
    sent: HashSet<I>,
    /// How often chunks were sent and answered with what cannot be used, here and in earlier turns.
    unusable: HashMap<I, i32>,
    /// Vectors of documents that another session was writing.
    held: Vectors<I>,
    /// Why the rest was not tried, and when it is.
    stopped: Option<(String, Duration)>,
}

/// The results of the chunks of a document.
struct Document<I> {
    /// Including this one.
    attempts: i32,
    generation: i32,
    /// How many chunks had no vector at the beginning, and how many were sent.
    missing: i64,
    sent: i64,
    /// Whether chunks were left to a later turn of the work.
    has_rest: bool,
    /// Whether it got vectors, and whether it lost vectors that were paid for.
    progressed: bool,
    lost: bool,
    /// Why a chunk failed, and why and when a chunk is retried.
    failed: Option<String>,
    later: Option<(String, Wait)>,
    /// Chunks with unusable answers, and whether that has changed.
    unusable: Vec<I>,
    is_unusable_changed: bool,
}

impl<I> Default for Document<I> {
    fn default() -> Document<I> {
        Document {
            attempts: 1,
            generation: 0,
            missing: 1,
            sent: 0,
            has_rest: false,
            progressed: false,
            lost: false,
            failed: None,
            later: None,
            unusable: Vec::new(),
            is_unusable_changed: false,
        }
    }
}

impl<I> Document<I> {
    /// Whether it got vectors and kept all of them: then earlier failures do not count.
    fn has_progressed(&self) -> bool {
        self.progressed && !self.lost
    }
}

impl<I: Id> Progress<I> {
    /// `missing`: how many chunks of each document have no vector.
    pub fn new(claims: &[Claim<I>], missing: &HashMap<I, i64>) -> Progress<I> {
        let mut documents: HashMap<I, Document<I>> = HashMap::new();
        let mut unusable: HashMap<I, i32> = HashMap::new();
        for claim in claims {
            let document = documents
                .entry(claim.document)
                .or_insert_with(|| Document { attempts: claim.attempts, ..Document::default() });
            document.attempts = document.attempts.max(claim.attempts);
            document.generation = document.generation.max(claim.generation);
            document.missing = missing.get(&claim.document).copied().unwrap_or(1);
            // Several jobs of a document may know of the same calls.
            for (chunk, times) in counted(&claim.unusable) {
                let max = unusable.entry(chunk).or_insert_with(|| {
                    document.unusable.push(chunk);
                    0
                });
                *max = times.max(*max);
            }
        }
        Progress {
            documents,
            skip: HashSet::new(),
            sent: HashSet::new(),
            unusable,
            held: Vec::new(),
            stopped: None,
        }
    }

    fn document(&mut self, id: I) -> &mut Document<I> {
        self.documents.entry(id).or_default()
    }

    /// Chunks that are not read again.
    pub fn skip(&self) -> &HashSet<I> {
        &self.skip
    }

    /// The most attempts of any chunk of a batch.
    pub fn max_attempts(&self, batch: &[Chunk<I>]) -> i32 {
        batch.iter().map(|chunk| self.attempts(chunk)).max().unwrap_or(1)
    }

    /// The attempts of a chunk, including the current one: those of its document, and the calls for the chunk itself
    /// that may have been paid for. Earlier failures of a document do not count once it got vectors.
    pub fn attempts(&self, chunk: &Chunk<I>) -> i32 {
        let of_document = match self.documents.get(&chunk.document) {
            Some(document) if !document.has_progressed() => document.attempts,
            _ => 1,
        };
        of_document.max(1 + self.times_unusable(chunk.id))
    }

    /// How often a chunk was sent and answered with what cannot be used.
    pub fn times_unusable(&self, chunk: I) -> i32 {
        self.unusable.get(&chunk).copied().unwrap_or(0)
    }

    /// Admits a chunk that was read: records it as sent. False if it may not be sent, because it was sent before, or as
    /// many chunks of its document were sent as had no vector: then it has lost its vector, or replaces a chunk that
    /// has.
    pub fn admit(&mut self, chunk: &Chunk<I>) -> bool {
        let document = self.document(chunk.document);
        if document.generation >= MAX_ATTEMPTS {
            self.fail(chunk, "triggers queue the document again whenever vectors are written");
            return false;
        }
        let is_surplus = document.sent >= document.missing;
        if self.times_unusable(chunk.id) >= MAX_ATTEMPTS {
            self.fail(chunk, "it was sent 8 times, and no answer could be used");
            return false;
        }
        if is_surplus || !self.sent.insert(chunk.id) {
            self.lose(chunk, "its chunks or vectors were changed while they were embedded");
            return false;
        }
        self.document(chunk.document).sent += 1;
        true
    }

    /// Records that a call for a chunk was answered with what cannot be used. No chunk is paid for without end, whatever
    /// else of its document gets vectors.
    pub fn note_unusable(&mut self, chunk: &Chunk<I>) {
        *self.unusable.entry(chunk.id).or_insert(0) += 1;
        let document = self.document(chunk.document);
        document.is_unusable_changed = true;
        if !document.unusable.contains(&chunk.id) {
            document.unusable.push(chunk.id);
        }
    }

    /// The chunks of a document with answers that could not be used, each as often as it was sent. None if that is what
    /// its claim says.
    pub fn unusable(&self, document: I) -> Option<Vec<I>> {
        let document = self.documents.get(&document).filter(|document| document.is_unusable_changed)?;
        let times = |&chunk: &I| (0..self.times_unusable(chunk)).map(move |_| chunk);
        Some(document.unusable.iter().flat_map(times).collect())
    }

    /// Marks a chunk as failed.
    pub fn fail(&mut self, chunk: &Chunk<I>, reason: &str) {
        self.skip.insert(chunk.id);
        self.document(chunk.document).failed = Some(reason.to_string());
    }

    /// Marks a chunk that is retried after a delay.
    pub fn postpone(&mut self, chunk: &Chunk<I>, reason: &str, after: Wait) {
        self.skip.insert(chunk.id);
        self.document(chunk.document).later = Some((reason.to_string(), after));
    }

    /// Records a chunk whose vector was not kept: another session changed or deleted it, or the owner's code removes
    /// vectors. It is retried with a delay and a limited number of times, because every call costs.
    pub fn lose(&mut self, chunk: &Chunk<I>, reason: &str) {
        let document = self.document(chunk.document);
        document.lost = true;
        let attempts = document.attempts;
        if attempts >= MAX_ATTEMPTS {
            self.fail(chunk, reason);
        } else {
            self.postpone(chunk, reason, Wait::Backoff(attempts.unsigned_abs()));
        }
    }

    /// Records the result for each vector, after the transaction that wrote them. `kept`: the chunks that had no vector
    /// and have one now. `busy`: the documents that another session is writing. Their vectors are kept to write them
    /// later; they are not requested again.
    pub fn written(&mut self, vectors: Vectors<I>, kept: &HashSet<I>, busy: &HashSet<I>) {
        for (chunk, vector) in vectors {
            if kept.contains(&chunk.id) {
                let had_failed = self.unusable.remove(&chunk.id).is_some();
                let document = self.document(chunk.document);
                document.progressed = true;
                document.is_unusable_changed |= had_failed;
            } else if busy.contains(&chunk.document) {
                self.skip.insert(chunk.id);
                self.held.push((chunk, vector));
            } else {
                self.lose(&chunk, "a vector that was written is not in the table");
            }
        }
    }

    /// The vectors of documents that another session was writing.
    pub fn take_held(&mut self) -> Vectors<I> {
        core::mem::take(&mut self.held)
    }

    /// Keeps such vectors, of chunks that are skipped already.
    pub fn hold(&mut self, vectors: Vectors<I>) {
        self.held.extend(vectors);
    }

    /// Whether there are such vectors.
    pub fn holds_any(&self) -> bool {
        !self.held.is_empty()
    }

    /// Stops: what was not tried is tried after a delay.
    pub fn stop(&mut self, reason: String, after: Duration) {
        self.stopped = Some((reason, after));
    }

    /// Leaves chunks to a later turn of the work: those of `documents`, and those that were not read.
    pub fn leave_rest(&mut self, documents: &[I]) {
        documents.iter().for_each(|id| self.document(*id).has_rest = true);
        self.documents
            .values_mut()
            .for_each(|document| document.has_rest |= document.sent < document.missing);
    }

    /// Whether the rest is not tried.
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Whether a document got vectors and kept all of them.
    pub fn has_progressed(&self, document: I) -> bool {
        self.documents.get(&document).is_some_and(|document| document.has_progressed())
    }

    /// The job of a document that is not complete. `busy`: another session is writing it.
    pub fn incomplete(&self, id: I, busy: bool) -> Outcome {
        let default = Document::default();
        let document = self.documents.get(&id).unwrap_or(&default);
        if busy && !document.lost {
            // Nothing can be written for it, not even a status, before the other session ends its transaction.
            return Outcome::locked(false);
        }
        if let Some((error, after)) = &document.later {
            return Outcome::Postponed { after: *after, charged: true, error: Some(error.clone()) };
        }
        let failed = document.failed.as_ref().filter(|_| !busy);
        match (failed, &self.stopped) {
            (Some(error), _) if !document.has_rest => Outcome::Failed(error.clone()),
            (_, Some((error, after))) => {
                let after = Wait::Exactly(*after);
                Outcome::Postponed { after, charged: false, error: Some(error.clone()) }
            }
            // The rest gets its vectors first, unless every turn ends before that.
            (Some(error), None) if document.attempts >= MAX_ATTEMPTS => Outcome::Failed(error.clone()),
            (failed, None) => Outcome::locked(failed.is_some()),
        }
    }

    /// The job of a document when another session has a table locked. Written vectors stay; lost ones count as an
    /// attempt.
    pub fn locked(&self, document: I) -> Outcome {
        Outcome::locked(self.documents.get(&document).is_some_and(|document| document.lost))
    }

    /// The job of a document for which nothing could be written, not even its status.
    pub fn unwritable(&self, document: I, error: &str) -> Outcome {
        let attempts = self.documents.get(&document).map_or(1, |document| document.attempts);
        if attempts >= MAX_ATTEMPTS {
            return Outcome::Failed(error.to_string());
        }
        let after = Wait::Backoff(attempts.unsigned_abs());
        Outcome::Postponed { after, charged: true, error: Some(error.to_string()) }
    }
}

/// How often each chunk occurs.
fn counted<I: Id>(chunks: &[I]) -> HashMap<I, i32> {
    let mut times = HashMap::new();
    chunks.iter().for_each(|&chunk| *times.entry(chunk).or_insert(0) += 1);
    times
}
