//! Writing vectors that were paid for, in one transaction.

use std::collections::HashSet;

use kb_rag_core::embed_policy::{Vectors, Write};
use pgrx::Uuid;

use super::super::transaction::Transactions;
use super::{Spent, Task, failure};
use crate::error::{Error, Result};
use crate::postgres::test_point::test_point;
use crate::queue::Kind;

/// The result of writing vectors.
enum Written {
    /// The vectors are no longer needed.
    Unwanted,
    /// Another session has a table locked.
    Locked,
    /// The chunks that had no vector and have one now, and the documents that other sessions are writing.
    Done { kept: HashSet<Uuid>, busy: HashSet<Uuid> },
}

impl Task {
    /// Writes vectors, and records the call that they are from, which is recorded even if they cannot be written.
    /// Returns an error of the owner's code that prevented it; any other error ends the work.
    pub(super) fn write(
        &self,
        transactions: Transactions,
        write: Write<Uuid>,
        spent: &mut Option<Spent>,
    ) -> Result<Option<Error>> {
        if write.needs_share() && !self.keeps_share() {
            write.share_lost();
            return Ok(None);
        }
        let written = transactions.run(|| {
            spent.map_or(Ok(()), |spent| self.note_call(spent, true))?;
            self.try_write(write.vectors())
        });
        match (written, spent.take()) {
            (Ok(Written::Unwanted), _) => write.unwanted(),
            (Ok(Written::Locked), _) => write.locked(),
            (Ok(Written::Done { kept, busy }), _) => write.written(&kept, &busy),
            (Err(error), spent) => {
                let is_of_server = error.is_of_server();
                if let Some(spent) = spent {
                    transactions.run(|| self.note_call(spent, !is_of_server))?;
                }
                if transactions.are_over(&error) || is_of_server {
                    return Err(error);
                }
                let (failure, patience) = failure(&error);
                write.failed(failure, patience);
                return Ok(Some(error));
            }
        }
        Ok(None)
    }

    /// Writes vectors in one transaction. Documents that another session is writing are left out: neither waits for the
    /// other.
    fn try_write(&self, vectors: &Vectors<Uuid>) -> Result<Written> {
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
            test_point("embed.locked");
            let busy: HashSet<Uuid> =
                there.into_iter().filter(|(_, locked)| !locked).map(|(id, _)| id).collect();
            let (chunks, free): (Vec<Uuid>, Vec<Vec<f32>>) = vectors
                .iter()
                .filter(|(chunk, _)| !busy.contains(&chunk.document))
                .map(|(chunk, vector)| (chunk.id, vector.clone()))
                .unzip();
            let kept = table.write(c, chunks, &free)?;
            test_point("embed.written");
            Ok(Written::Done { kept, busy })
        })?;
        if self.kind == Kind::Embed && matches!(written, Written::Done { .. }) {
            base.record_variant(self.model.variant())?;
            base.queue_index_if_due()?;
        }
        Ok(written)
    }
}
