//! Writing vectors that were paid for. Writers of the documents never wait for it, nor fail because of it. An error or
//! a delay that the owner's code causes for one document does not lose vectors of the others.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use kb_rag_core::provider::Answer;
use pgrx::Uuid;

use super::super::chunks::Missing;
use super::super::pass::Pass;
use super::super::transaction::Transactions;
use super::Assignment;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::queue::Kind;
use crate::settings;

/// How long to wait for tables that another session has locked, and for documents that another session is writing.
const TABLE_PATIENCE: Duration = Duration::from_secs(5);
const DOCUMENT_PATIENCE: Duration = Duration::from_secs(1);
/// The interval between two attempts.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Vectors of some chunks.
type Vectors = Vec<(Missing, Vec<f32>)>;

/// The result of writing vectors.
enum Written {
    /// The vectors are no longer needed.
    Unwanted,
    /// Another session has a table locked.
    Locked,
    /// The chunks that had no vector and have one now, and the documents that other sessions are writing.
    Done { kept: HashSet<Uuid>, busy: HashSet<Uuid> },
}

impl Assignment {
    /// Writes the vectors of a batch, and records their cost. False if they are no longer needed; then the jobs have
    /// ended.
    pub(super) fn write(
        &self,
        transactions: Transactions,
        pass: &mut Pass,
        batch: Vec<Missing>,
        answer: Answer,
    ) -> Result<bool> {
        let spent = (batch.len(), answer.tokens);
        let vectors: Vectors = batch.into_iter().zip(answer.vectors).collect();
        let began = Instant::now();
        let mut noted = false;
        loop {
            let written = transactions.run(|| {
                if !noted {
                    self.note_call(spent)?;
                }
                self.try_write(&vectors)
            });
            match written {
                Ok(Written::Unwanted) => return transactions.run(|| self.abandon()).map(|()| false),
                Ok(Written::Done { kept, busy }) => {
                    self.take_note(pass, vectors, &kept, &busy);
                    return Ok(true);
                }
                Ok(Written::Locked) => {
                    noted = true;
                    if began.elapsed() > TABLE_PATIENCE {
                        let chunks = vectors.into_iter().map(|(chunk, _)| chunk).collect();
                        self.note_lost(
                            pass,
                            chunks,
                            "a table of the knowledge base was locked by another session",
                        );
                        return Ok(true);
                    }
                    interrupt::sleep(LOOK_AGAIN);
                }
                Err(error) => {
                    if !noted {
                        transactions.run(|| self.note_call(spent))?;
                    }
                    return self.write_one_by_one(transactions, pass, vectors, error).map(|()| true);
                }
            }
        }
    }

    /// Writes the vectors of each document by itself, after they could not be written together. The owner's code may
    /// raise an error for one document only, or take long for each.
    fn write_one_by_one(
        &self,
        transactions: Transactions,
        pass: &mut Pass,
        vectors: Vectors,
        error: Error,
    ) -> Result<()> {
        let mut by_document: HashMap<Uuid, Vectors> = HashMap::new();
        for (chunk, vector) in vectors {
            by_document.entry(chunk.document).or_default().push((chunk, vector));
        }
        if transactions.are_over(&error) {
            return Err(error);
        }
        let is_alone = by_document.len() == 1;
        let began = Instant::now();
        let most = settings::worker_statement_timeout().unwrap_or(Duration::MAX);
        let mut error = error;
        for vectors in by_document.into_values() {
            let goes_on = !is_alone && began.elapsed() < most && self.keeps_share();
            if goes_on {
                match transactions.run(|| self.try_write(&vectors)) {
                    Ok(Written::Done { kept, busy }) => {
                        self.take_note(pass, vectors, &kept, &busy);
                        continue;
                    }
                    Ok(Written::Unwanted | Written::Locked) => {}
                    Err(new) => error = new,
                }
            }
            if error.is_over_limit() || transactions.are_over(&error) {
                return Err(error);
            }
            let chunks = vectors.into_iter().map(|(chunk, _)| chunk).collect();
            self.note_lost(pass, chunks, &error.to_string());
        }
        transactions.note(error, "the interrupted work will be retried");
        Ok(())
    }

    /// Writes the vectors of documents that other sessions were writing, for a second at most. False if the jobs ended.
    pub(super) fn write_held(&self, transactions: Transactions, pass: &mut Pass) -> Result<bool> {
        let began = Instant::now();
        while !pass.held.is_empty() && began.elapsed() < DOCUMENT_PATIENCE {
            interrupt::sleep(LOOK_AGAIN);
            let vectors = std::mem::take(&mut pass.held);
            match transactions.run(|| self.try_write(&vectors)) {
                Ok(Written::Unwanted) => return transactions.run(|| self.abandon()).map(|()| false),
                Ok(Written::Locked) => pass.held = vectors,
                Ok(Written::Done { kept, busy }) => self.take_note(pass, vectors, &kept, &busy),
                Err(error) => self.write_one_by_one(transactions, pass, vectors, error)?,
            }
        }
        let lost = std::mem::take(&mut pass.held).into_iter().map(|(chunk, _)| chunk).collect();
        self.note_lost(pass, lost, "another session kept the document locked for too long");
        Ok(true)
    }

    /// Writes vectors in one transaction. Documents that another session is writing are left out: neither waits for the
    /// other.
    fn try_write(&self, vectors: &[(Missing, Vec<f32>)]) -> Result<Written> {
        let Some(base) = self.current()? else { return Ok(Written::Unwanted) };
        let written = self.as_owner(&base, |c, table| {
            if !table.try_lock()? {
                return Ok(Written::Locked);
            }
            if self.current()?.is_none() {
                return Ok(Written::Unwanted);
            }
            let documents: HashSet<Uuid> = vectors.iter().map(|(chunk, _)| chunk.document).collect();
            let documents: Vec<Uuid> = documents.into_iter().collect();
            let there = table.lock_documents(c, &documents)?;
            let busy: HashSet<Uuid> =
                there.into_iter().filter(|(_, locked)| !locked).map(|(id, _)| id).collect();
            let (chunks, free): (Vec<Uuid>, Vec<Vec<f32>>) = vectors
                .iter()
                .filter(|(chunk, _)| !busy.contains(&chunk.document))
                .map(|(chunk, vector)| (chunk.id, vector.clone()))
                .unzip();
            Ok(Written::Done { kept: table.write(c, chunks, &free)?, busy })
        })?;
        if self.kind == Kind::Embed && matches!(written, Written::Done { .. }) {
            base.record_variant(self.model.variant())?;
        }
        Ok(written)
    }

    /// Records the result for each vector, after the transaction that wrote them.
    fn take_note(&self, pass: &mut Pass, vectors: Vectors, kept: &HashSet<Uuid>, busy: &HashSet<Uuid>) {
        let mut lost = Vec::new();
        for (chunk, vector) in vectors {
            if kept.contains(&chunk.id) {
                pass.progress(chunk.document);
            } else if busy.contains(&chunk.document) {
                pass.hold(chunk, vector);
            } else {
                lost.push(chunk);
            }
        }
        self.note_lost(pass, lost, "a vector that was written is not in the table");
    }
}
