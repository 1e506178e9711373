//! Records of calls and of chunks: usage, pauses, attempts.

use std::time::Duration;

use kb_rag_core::provider::{Refusal, retry};

use super::super::chunks::Missing;
use super::super::pass::Pass;
use super::super::verdict::MOST_ATTEMPTS;
use super::{Assignment, jitter, open};
use crate::base;
use crate::error::Result;
use crate::model::Model;
use crate::provider::usage::{self, Usage};
use crate::queue::{self, Target};

impl Assignment {
    /// Records chunks whose vectors were not kept: another session changed or deleted them, or the owner's code removes
    /// vectors. They are retried with a delay and a limited number of times, because every call costs.
    pub(super) fn note_lost(&self, pass: &mut Pass, lost: Vec<Missing>, reason: &str) {
        for chunk in lost {
            let attempts = self.attempts(&chunk.document);
            pass.lose(chunk.document);
            if attempts >= MOST_ATTEMPTS {
                pass.give_up(vec![chunk], reason);
            } else {
                pass.postpone(vec![chunk], reason, retry::backoff(attempts.unsigned_abs(), jitter()));
            }
        }
    }

    /// Records a successful call, with its number of texts and tokens, even if its vectors are no longer needed.
    pub(super) fn note_call(&self, (items, tokens): (usize, Option<u64>)) -> Result<()> {
        queue::succeeded(&self.name, self.base, self.kind)?;
        let cost = match &self.model {
            Model::Remote(remote) => tokens.and_then(|tokens| remote.cost(tokens)),
            _ => None,
        };
        self.record(Usage { calls: 1, items: items as i64, tokens, cost, ..Usage::default() })
    }

    /// Records a call that failed.
    pub(super) fn note_error(&self) -> Result<()> {
        queue::renew(&self.job_ids(|_| true), &[])?;
        match &self.model {
            Model::Remote(_) => self.record(Usage { calls: 1, errors: 1, ..Usage::default() }),
            _ => Ok(()),
        }
    }

    /// Of a base that was dropped meanwhile only the model is known.
    fn record(&self, usage: Usage) -> Result<()> {
        let base = base::by_id(self.base)?;
        let knowledge_base = base.as_ref().map(|base| (base.id, base.name.as_str()));
        usage::record(&Usage { knowledge_base, model: &self.name, ..usage })
    }

    /// Pauses the provider; no attempt is charged to the documents.
    pub(super) fn pause(
        &self,
        refusal: &Refusal,
        whole_provider: bool,
        after: Option<Duration>,
    ) -> Result<()> {
        self.note_error()?;
        if self.was_mended()? { Ok(()) } else { self.leave_alone(refusal, whole_provider, after) }
    }

    /// Whether the key or URL of the provider has changed since the call: then its response is outdated.
    fn was_mended(&self) -> Result<bool> {
        let Some(base) = base::by_id(self.base)? else { return Ok(false) };
        Ok(match (&self.model, open(&base, &self.name)) {
            (Model::Remote(then), Ok(Model::Remote(now))) => !now.is_called_like(then),
            _ => false,
        })
    }

    /// Pauses this work of the base, with exponential backoff.
    pub(super) fn leave_base_alone(&self, refusal: &Refusal) -> Result<()> {
        let wait = |failures| retry::backoff(failures, jitter());
        queue::leave_alone(self.base, self.kind, &refusal.message, wait)
    }

    /// Pauses the provider, or only the model, for the given time or with exponential backoff.
    pub(super) fn leave_alone(
        &self,
        refusal: &Refusal,
        whole_provider: bool,
        after: Option<Duration>,
    ) -> Result<()> {
        let target = match self.name.split_once('/') {
            Some((provider, _)) if whole_provider => Target::Provider(provider.to_string()),
            _ => Target::Model(self.name.clone()),
        };
        let wait = |failures| after.unwrap_or_else(|| retry::backoff(failures, jitter()));
        queue::pause(&target, &refusal.message, wait)
    }
}
