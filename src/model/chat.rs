//! Chat models of providers.

use std::time::{Duration, Instant};

use kb_rag_core::model_name::{ModelName, Origin};
use kb_rag_core::provider::{Call, Kind, Question, Refusal, Reply};
use kb_rag_http::Response;
use pgrx::pg_sys;

use super::remote;
use super::service::{Failure, Service};
use crate::error::{Error, Result};
use crate::postgres::spi::Access;
use crate::provider::Provider;

/// The most bytes of a reply.
const MAX_BYTES: u64 = 4 << 20;

/// A chat model that can be asked.
pub struct ChatModel {
    name: ModelName,
    kind: Kind,
    service: Service,
}

/// Finds a chat model for `role`. 22023 unless it is one of a provider with chat models, 42704 if there is no such provider, 42501
/// if the role may not use it, 55000 if its key is missing.
pub fn open_chat(name: &str, role: pg_sys::Oid) -> Result<ChatModel> {
    let (kind, provider) = chat_provider(name, role)?;
    Ok(ChatModel { kind, service: Service::from_provider(&provider)?, name: ModelName::new(name) })
}

/// The provider of a chat model, for `role`; its key is not needed. Fails as [`open_chat`] does otherwise.
pub fn chat_provider(name: &str, role: pg_sys::Oid) -> Result<(Kind, Provider)> {
    let name = ModelName::new(name);
    match name.origin() {
        Origin::Remote { .. } => {}
        Origin::Nothing => {
            return Err(Error::invalid(format!("chat model \"{name}\" is not valid"))
                .hint("The name of a chat model is provider/model, for example openai/gpt-4o-mini."));
        }
        Origin::Local { .. } | Origin::Fake => {
            return Err(Error::invalid(format!("model \"{name}\" is not a chat model"))
                .hint("Local models do not chat: use one of a provider of kind openai or ollama."));
        }
    }
    crate::provider::require(name.provider(), Access::Read)?;
    let provider = remote::find(&name, role)?;
    Ok((provider.chat()?, provider))
}

impl ChatModel {
    /// The full name, `provider/model`.
    pub fn name(&self) -> &ModelName {
        &self.name
    }

    /// The reply to a question, in at most `max_time`. Checks for interrupts while it waits; issues no SQL.
    pub fn ask(&self, instructions: &str, text: &str, max_time: Duration) -> Result<Reply> {
        let question = Question { model: self.name.model(), instructions, text };
        self.attempt(&question, max_time).map_err(|failure| self.service.error(failure))
    }

    /// The same in the time that the provider may take, for a worker: needs no transaction. Messages never contain the key.
    pub fn call(&self, instructions: &str, text: &str) -> std::result::Result<Reply, Refusal> {
        let question = Question { model: self.name.model(), instructions, text };
        self.attempt(&question, Duration::MAX).map_err(Failure::into_refusal)
    }

    /// Whether both use the same URL and the same key.
    pub fn has_same_endpoint(&self, other: &ChatModel) -> bool {
        self.service.is_same_endpoint(&other.service)
    }

    fn attempt(&self, question: &Question, max_time: Duration) -> std::result::Result<Reply, Failure> {
        let began = Instant::now();
        let mut response = self.send(&self.kind.chat_request(question), max_time)?;
        if let Some(other) = self.kind.chat_fallback(response.status, &response.body, question) {
            response = self.send(&other, max_time.saturating_sub(began.elapsed()))?;
        }
        if response.status != 200 {
            return Err(self.service.refusal(self.kind, &response).into());
        }
        self.kind
            .read_chat(&response.body)
            .map_err(|fault| self.service.without_secrets(Refusal::from(fault)).into())
    }

    fn send(&self, call: &Call, max_time: Duration) -> std::result::Result<Response, Failure> {
        let url = self.kind.url(self.service.base_url(), call);
        self.service.post(&url, &call.body, max_time, MAX_BYTES)
    }
}
