//! Records of calls: usage and pauses.

use kb_rag_core::embed_policy::{Pause, Scope};

use super::{Spent, Task, jitter, open};
use crate::base;
use crate::error::Result;
use crate::model::Model;
use crate::provider::usage::{self, Usage};
use crate::queue::{self, Target};

impl Task {
    /// Records a successful call, with its number of texts and tokens, even if its vectors are no longer needed. `ends_pause`:
    /// whether a pause of the base is over too, as it is not if the server cannot write its vectors.
    pub(super) fn note_call(&self, (items, tokens): Spent, ends_pause: bool) -> Result<()> {
        queue::succeeded(&self.space.model, ends_pause.then_some((self.base, self.kind)))?;
        let cost = match &self.model {
            Model::Remote(remote) => tokens.and_then(|tokens| remote.cost(tokens)),
            _ => None,
        };
        self.record(Usage { calls: 1, items: items as i64, tokens, cost, ..Usage::default() })
    }

    /// Records a call that failed, and pauses.
    pub(super) fn record_failure(&self, pause: Option<Pause>) -> Result<()> {
        queue::renew(&self.job_ids(|_| true), &[])?;
        if let Model::Remote(_) = &self.model {
            self.record(Usage { calls: 1, errors: 1, ..Usage::default() })?;
        }
        match pause {
            Some(pause) if !pause.unless_changed || !self.has_provider_changed()? => self.pause(&pause),
            _ => Ok(()),
        }
    }

    /// Of a base that was dropped meanwhile only the model is known.
    fn record(&self, usage: Usage) -> Result<()> {
        let base = base::by_id(self.base)?;
        let knowledge_base = base.as_ref().map(|base| (base.id, base.name.as_str()));
        usage::record(&Usage { knowledge_base, model: self.space.model.as_str(), ..usage })
    }

    /// Whether the key or URL of the provider has changed since the call: then its response is outdated.
    fn has_provider_changed(&self) -> Result<bool> {
        let Some(base) = base::by_id(self.base)? else { return Ok(false) };
        Ok(match (&self.model, open(&base, &self.space.model)) {
            (Model::Remote(then), Ok(Model::Remote(now))) => !now.has_same_endpoint(then),
            _ => false,
        })
    }

    fn pause(&self, pause: &Pause) -> Result<()> {
        let wait = |failures| pause.time(failures, jitter());
        let model = &self.space.model;
        let target = match pause.scope {
            Scope::Base => Target::Work(self.base, self.kind),
            Scope::Provider => Target::Provider(model.provider().to_string()),
            Scope::Model => Target::Model(model.to_string()),
        };
        queue::pause(&target, &pause.reason, pause.tries_one_chunk, wait)
    }
}
