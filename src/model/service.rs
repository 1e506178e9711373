//! A provider that is called over HTTP, with everything that a call needs: it reads neither catalog nor settings any more.

use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kb_rag_core::provider::{Kind, Reason, Refusal, redact};
use kb_rag_http::{PrivateAddresses, Request, Response};

use super::certificates::certificates;
use super::refused::refused;
use crate::error::{Error, Result};
use crate::postgres::interrupt::{Wait, check_for_interrupts_of_call};
use crate::provider::{Headers, Provider};

/// The most time for establishing a connection.
const MAX_CONNECT_TIME: Duration = Duration::from_secs(10);

/// How a provider is called.
#[derive(Clone)]
pub struct Service {
    provider: String,
    base_url: String,
    /// Including the key.
    headers: Vec<(String, String)>,
    /// Texts that no message may show.
    secrets: Vec<String>,
    timeout: Duration,
    private_addresses: PrivateAddresses,
    certificates: Option<Rc<Vec<u8>>>,
}

/// Why a call returned nothing.
pub enum Failure {
    Refused(Refusal),
    /// Its address is private, and the provider may not reach private addresses.
    PrivateAddress(String),
}

impl Failure {
    /// As what a provider said.
    pub fn into_refusal(self) -> Refusal {
        match self {
            Failure::Refused(refusal) => refusal,
            // Only another address or setting helps, as with a wrong key.
            Failure::PrivateAddress(message) => {
                Refusal { reason: Reason::Unauthorized, message, retry_after: None }
            }
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refused(refusal)
    }
}

impl Service {
    /// With the key of the provider. 55000 if it is missing.
    pub fn from_provider(provider: &Provider) -> Result<Service> {
        Service::calling(provider, provider.headers()?)
    }

    /// With this bearer token in place of the provider's key.
    pub fn with_key(provider: &Provider, key: String) -> Result<Service> {
        Service::calling(provider, provider.headers_with(key)?)
    }

    fn calling(provider: &Provider, (headers, secrets): (Headers, Vec<String>)) -> Result<Service> {
        Ok(Service {
            provider: provider.name.clone(),
            base_url: provider.base_url(),
            headers,
            secrets,
            timeout: provider.timeout,
            private_addresses: match provider.may_reach_private() {
                true => PrivateAddresses::Allowed,
                false => PrivateAddresses::Refused,
            },
            certificates: certificates()?,
        })
    }

    /// The provider's URL.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Whether both use the same URL and the same key.
    pub fn is_same_endpoint(&self, other: &Service) -> bool {
        (&self.base_url, &self.headers) == (&other.base_url, &other.headers)
    }

    /// The answer to a POST request, whatever its status. It takes at most `max_time`, and no longer than the provider may.
    /// Checks for interrupts while it waits; issues no SQL and needs no transaction.
    pub fn post(
        &self,
        url: &str,
        body: &[u8],
        max_time: Duration,
        body_limit: u64,
    ) -> std::result::Result<Response, Failure> {
        let timeout = self.timeout.min(max_time);
        let request = Request {
            url,
            headers: &self.headers,
            body,
            timeout,
            connect_timeout: timeout.min(MAX_CONNECT_TIME),
            // What was sent is paid: an answer that comes slowly is waited for.
            slowest: None,
            body_limit,
            private_addresses: self.private_addresses,
            certificates: self.certificates.as_ref().map(|pem| pem.as_slice()),
        };
        let waiting = Wait::for_provider();
        let response = kb_rag_http::post(&request, check_for_interrupts_of_call);
        drop(waiting);
        response.map_err(|error| {
            let message = error.to_string();
            let reason = match error {
                kb_rag_http::Error::PrivateAddress(_) => {
                    return Failure::PrivateAddress(self.redact(message));
                }
                kb_rag_http::Error::BadUrl(_) => Reason::NotFound,
                kb_rag_http::Error::Unreachable(_) => Reason::Unreachable,
                kb_rag_http::Error::TimedOut(_) | kb_rag_http::Error::TooSlow(_) => Reason::TimedOut,
                kb_rag_http::Error::NoAnswer(_) => Reason::Transient,
                kb_rag_http::Error::Broken(_) => Reason::Broken,
                kb_rag_http::Error::TooLarge(_) => Reason::Nonsense,
            };
            self.without_secrets(Refusal { reason, message, retry_after: None }).into()
        })
    }

    /// What an answer with a status other than 200 means.
    pub fn refusal(&self, kind: Kind, response: &Response) -> Refusal {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.without_secrets(kind.read_refusal(response.status, &response.headers, &response.body, now))
    }

    pub fn without_secrets(&self, mut refusal: Refusal) -> Refusal {
        refusal.message = self.redact(refusal.message);
        refusal
    }

    /// A message without the key and the values of other headers, in case a provider repeats them.
    pub fn redact(&self, message: String) -> String {
        redact(message, &self.secrets)
    }

    /// The error for the user.
    pub fn error(&self, failure: Failure) -> Error {
        match failure {
            Failure::Refused(refusal) => refused(&format!("provider \"{}\"", self.provider), refusal),
            Failure::PrivateAddress(message) => {
                Error::denied(format!("provider \"{}\" resolves to a private address", self.provider))
                    .detail(message)
                    .hint("Its owner is not a superuser; superusers allow host:port in kb_rag.allowed_hosts.")
                    .of_provider()
            }
        }
    }
}
