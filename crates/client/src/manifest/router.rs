//! The models of a manifest, asked through its router by the protocol of OpenAI.

use std::time::Duration;

use kb_rag_core::conversation::Message;
use kb_rag_core::manifest::{Mistake, Router as Block, router, url_mistake};
use kb_rag_core::provider::{Batch, Call, Input, Kind, Question, Refusal};
use kb_rag_core::rewrite;
use kb_rag_http::Response;
use serde_json::Value;

use super::http::{Service, variable};
use crate::cli::ManifestFile;
use crate::error::{Failure, Result};

/// The most bytes of an answer.
const MAX_BYTES: u64 = 4 << 20;
/// The time for the chat model: it is not worth more than the answer of the agent.
const MAX_REWRITE_TIME: Duration = Duration::from_secs(5);
/// A router that names models as their own provider does, without the provider.
const OWN_HOST: &str = "https://api.openai.com";
const OWN_PREFIX: &str = "openai/";
const KIND: Kind = Kind::OpenAi;

/// A router with its key.
pub struct Router {
    service: Service,
    base_url: String,
    chat_model: Option<String>,
}

/// The router of the manifest and the arguments, and what is wrong with it.
pub fn block(manifest: &Value, arguments: &ManifestFile) -> (Block, Vec<Mistake>) {
    let (mut block, mut mistakes) = router(manifest);
    let mut given = |field: &str,
                     option: &str,
                     place: &mut Option<String>,
                     value: &Option<String>,
                     mistake: Option<String>| {
        if let Some(value) = value {
            mistakes.retain(|mistake| mistake.field != field);
            mistakes.extend(mistake.map(|why| Mistake {
                field: field.to_string(),
                message: format!("{option}{why}"),
                hint: "See kb-rag retrieve --help.".to_string(),
            }));
            *place = Some(value.trim_end_matches('/').to_string());
        }
    };
    let wrong_url = arguments.router.as_deref().and_then(url_mistake);
    given("base_url", "--router", &mut block.base_url, &arguments.router, wrong_url);
    let wrong_key = arguments.router_key.as_deref().filter(|name| !is_variable(name));
    let wrong_key = wrong_key.map(|_| " is not the name of a variable".to_string());
    given("api_key", "--router-key", &mut block.api_key, &arguments.router_key, wrong_key);
    let wrong_model = arguments
        .chat_model
        .as_deref()
        .filter(|model| model.split('/').any(str::is_empty) || !model.contains('/'));
    let wrong_model = wrong_model.map(|model| format!(" \"{model}\" is not of the form provider/model"));
    given("default", "--chat-model", &mut block.chat_model, &arguments.chat_model, wrong_model);
    (block, mistakes)
}

fn is_variable(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
}

/// The mistake where no router is named.
pub fn missing() -> Failure {
    Failure::usage("llms.base_url is missing")
        .hint("Name the router of the models, as in https://router.example.com/v1, in the manifest or with --router.")
}

impl Router {
    /// # Errors
    /// Status 2 if there is no URL, or the variable of the key is not set.
    pub fn open(block: Block) -> Result<Router> {
        let base_url = block.base_url.ok_or_else(missing)?;
        let key = block.api_key.map(|name| variable("llms.api_key", &name)).transpose()?;
        let service = Service { name: format!("the router at {base_url}"), key };
        Ok(Router { service, base_url, chat_model: block.chat_model })
    }

    /// The vector of a query.
    pub async fn embed(
        &self,
        model: &str,
        dimensions: i32,
        query: &str,
        timeout: Duration,
    ) -> Result<Vec<f32>> {
        let dimensions = usize::try_from(dimensions).unwrap_or_default();
        let name = self.name_of(model);
        let texts = [query.to_string()];
        // A vector of another length than that of the model, or else that of the block, is of another model.
        let natural = KIND.facts(name).dimensions.or(Some(dimensions));
        let batch = Batch { model: name, texts: &texts, dimensions, natural, input: Input::Query };
        let response = self.send(&KIND.request(&batch), timeout).await?;
        let answer = KIND.read_answer(&response.body, &batch).and_then(|reading| reading.whole());
        let answer = answer.map_err(|fault| self.failure(self.service.fault(fault)))?;
        answer.vectors.into_iter().next().ok_or_else(|| Failure::new("the router returned no vector"))
    }

    /// The query that the chat model makes of a conversation. None if the manifest names no chat model.
    pub async fn rewrite(
        &self,
        more: Option<&str>,
        messages: &[Message],
        timeout: Duration,
    ) -> Option<Result<String>> {
        let model = self.chat_model.as_deref()?;
        Some(self.ask(model, more, messages, timeout.min(MAX_REWRITE_TIME)).await)
    }

    async fn ask(
        &self,
        model: &str,
        more: Option<&str>,
        messages: &[Message],
        timeout: Duration,
    ) -> Result<String> {
        let (instructions, text) = (rewrite::instructions(more), rewrite::transcript(messages));
        let question = Question { model: self.name_of(model), instructions: &instructions, text: &text };
        let response = self.send(&KIND.chat_request(&question), timeout).await?;
        let reply =
            KIND.read_chat(&response.body).map_err(|fault| self.failure(self.service.fault(fault)))?;
        rewrite::query_of(&reply.text)
            .ok_or_else(|| Failure::new(format!("chat model \"{model}\" replied without a query")))
    }

    async fn send(&self, call: &Call, timeout: Duration) -> Result<Response> {
        let url = KIND.url(&self.base_url, call);
        let response = self.service.post(url, call.body.clone(), timeout, MAX_BYTES).await;
        match response {
            Ok(response) if response.status == 200 => Ok(response),
            Ok(response) => Err(self.failure(self.service.refusal(&response))),
            Err(refusal) => Err(self.failure(refusal)),
        }
    }

    fn failure(&self, refusal: Refusal) -> Failure {
        self.service.failure(refusal)
    }

    /// The name of a model for the router.
    fn name_of<'a>(&self, model: &'a str) -> &'a str {
        let path = self.base_url.strip_prefix(OWN_HOST);
        match path.is_some_and(|path| path.is_empty() || path.starts_with('/')) {
            true => model.strip_prefix(OWN_PREFIX).unwrap_or(model),
            false => model,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_itself_gets_its_own_names() {
        let router = |url: &str| {
            let block = Block { base_url: Some(url.to_string()), ..Block::default() };
            Router::open(block).unwrap()
        };
        let own = router("https://api.openai.com/v1");
        assert_eq!(own.name_of("openai/text-embedding-3-small"), "text-embedding-3-small");
        assert_eq!(own.name_of("other/small"), "other/small");
        for url in
            ["https://router.example.com/v1", "https://api.openai.com.example.com", "http://api.openai.com"]
        {
            assert_eq!(router(url).name_of("openai/small"), "openai/small", "{url}");
        }
        assert_eq!(Router::open(Block::default()).err().unwrap().status, 2);
    }
}
