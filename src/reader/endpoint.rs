//! Type `external`: an HTTP endpoint that returns texts.

use kb_rag_core::manifest::External;
use kb_rag_core::manifest::endpoint as protocol;
use kb_rag_core::provider::{Reason, Refusal};
use pgrx::pg_sys;

use super::MAX_BYTES;
use crate::agent::{self, Outcome, Passage};
use crate::error::{Error, Result};
use crate::model::{Failure, Service};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::provider::Provider;

/// The texts that the endpoint returns for a conversation.
pub fn retrieve(
    block: &External,
    messages: Option<&Jsonb>,
    session: Option<&str>,
    agent: Option<&str>,
    outcome: &mut Outcome,
) -> Result<Vec<Passage>> {
    let messages = agent::messages_of(messages)?;
    outcome.query = Some(agent::question_of(&messages)?.to_string());
    let role = role::current_role();
    let provider = provider_for(block, role)?;
    let service = service(block, &provider, role)?;
    let body = protocol::request(session, agent, block.top_k, &messages, block.max_messages);
    let url = format!("{}{}", provider.base_url(), block.path);
    let response =
        service.post(&url, &body, block.timeout, MAX_BYTES as u64).map_err(|failure| match failure {
            Failure::Refused(Refusal { reason: Reason::TimedOut, message, .. }) => {
                Error::unreachable(format!("provider \"{}\" did not answer in time", provider.name))
                    .detail(message)
                    .hint("Raise timeout_seconds of the block, or the timeout of the provider.")
            }
            failure => service.error(failure),
        })?;
    if response.status != 200 {
        return Err(status_error(&provider, block, response.status));
    }
    let texts = protocol::read(&response.body).map_err(|what| {
        Error::refused(format!("the search endpoint of provider \"{}\" failed: {what}", provider.name))
            .hint("It must answer with an array of strings, as in [\"text 1\", \"text 2\"].")
    })?;
    Ok(texts.into_iter().map(|text| Passage { text, similarity: None }).collect())
}

fn status_error(provider: &Provider, block: &External, status: u16) -> Error {
    let error = Error::refused(format!(
        "the search endpoint of provider \"{}\" answered HTTP status {status}",
        provider.name
    ))
    // A key in the query of the URL is not shown.
    .detail(format!("It was asked at {}.", block.path.split('?').next().unwrap_or_default()));
    match status {
        401 | 403 => error.hint("Check the key: api_key of the block, or that of the provider."),
        404 | 405 => error.hint("Check port and path of the block. The method is POST."),
        300..=399 => error.hint("Redirects are not followed: use the new address."),
        200..=299 => error.hint("It must answer with status 200."),
        _ => error,
    }
}

/// The provider of the endpoint's origin that the role may use and trusts, its own before that of a superuser: another role could set
/// one up that sends its own key. 42704 if there is none of this origin, 42501 if it may use none.
pub fn provider_for(block: &External, role: pg_sys::Oid) -> Result<Provider> {
    let mut providers = Provider::external_at(&block.origin)?;
    let is_usable = |provider: &Provider| provider.may_use(role) && provider.is_trusted_by(role);
    let is_own = |provider: &Provider| role::find(&provider.owner) == Some(role);
    providers.sort_by_key(|provider| (!is_usable(provider), !is_own(provider), provider.is_of_superuser()));
    if providers.first().is_some_and(is_usable) {
        return Ok(providers.swap_remove(0));
    }
    match providers.first() {
        Some(provider) => Err(Error::denied(format!("permission denied for provider \"{}\"", provider.name))
            .detail(match provider.may_use(role) {
                true => "Its owner is neither a superuser nor a role that you are a member of.".to_string(),
                false => format!("The provider was not granted to role \"{}\".", role::role_name(role)?),
            })
            .hint(match provider.may_use(role) {
                true => "Have a superuser set up the provider, or make this role a member of its owner.",
                false => "The owner of the provider can grant it with kb_provider_grant.",
            })
            .of_provider()),
        None => {
            let https = match block.origin.starts_with("http://") {
                true => " If the endpoint speaks https, put https:// before hostname.",
                false => "",
            };
            Err(Error::not_found(format!("no provider of kind external is at \"{}\"", block.origin)).hint(
                format!(
                    "Set one up with kb_provider_set(name, kind => 'external', base_url => '{}') and grant it with \
                     kb_provider_grant.{https}",
                    block.origin
                ),
            ))
        }
    }
}

/// How the endpoint is called: with the key that the block names, or else with that of the provider.
pub fn service(block: &External, provider: &Provider, role: pg_sys::Oid) -> Result<Service> {
    match &block.api_key {
        Some(name) => Service::with_key(provider, provider.secret_of(role, name)?),
        None => Service::from_provider(provider),
    }
}
