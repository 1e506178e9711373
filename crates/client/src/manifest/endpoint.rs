//! Type `external`: an HTTP endpoint that returns texts.

use kb_rag_core::conversation::Message;
use kb_rag_core::manifest::External;
use kb_rag_core::manifest::endpoint as protocol;

use super::http::{Service, variable};
use crate::error::{Failure, Result};

/// The most bytes of an answer.
const MAX_BYTES: u64 = 16 << 20;

/// An endpoint with its key.
pub struct Endpoint {
    block: External,
    service: Service,
}

impl Endpoint {
    /// # Errors
    /// Status 2 if the variable of the key is not set.
    pub fn open(block: External) -> Result<Endpoint> {
        let key = block.api_key.as_deref().map(|name| variable("api_key", name)).transpose()?;
        // A key in the query of the URL is not shown.
        let path = block.path.split('?').next().unwrap_or_default();
        let service = Service { name: format!("the endpoint at {}{path}", block.origin), key };
        Ok(Endpoint { block, service })
    }

    /// As messages name it.
    pub fn name(&self) -> &str {
        &self.service.name
    }

    /// The texts for a conversation.
    pub async fn texts(
        &self,
        session: Option<&str>,
        agent: Option<&str>,
        messages: &[Message],
    ) -> Result<Vec<String>> {
        let External { origin, path, top_k, max_messages, timeout, .. } = &self.block;
        let body = protocol::request(session, agent, *top_k, messages, *max_messages);
        let response = self.service.post(format!("{origin}{path}"), body, *timeout, MAX_BYTES).await;
        let response = response.map_err(|refusal| {
            let failure = self.service.failure(refusal);
            match failure.message.ends_with("in time") {
                true => failure.hint("Raise timeout_seconds, or make the endpoint faster."),
                false => failure,
            }
        })?;
        if response.status != 200 {
            return Err(self.status_failure(response.status));
        }
        protocol::read(&response.body).map_err(|what| {
            Failure::new(format!("{} failed: {what}", self.name()))
                .hint("It must answer with an array of strings, as in [\"text 1\", \"text 2\"].")
        })
    }

    fn status_failure(&self, status: u16) -> Failure {
        let failure = Failure::new(format!("{} answered HTTP status {status}", self.name()));
        match status {
            401 | 403 => failure.hint("Check the key: the variable that api_key names."),
            404 | 405 => failure.hint("Check port and path. The method is POST."),
            300..=399 => failure.hint("Redirects are not followed: use the new address."),
            200..=299 => failure.hint("It must answer with status 200."),
            _ => failure,
        }
    }
}
