//! Reads answers with a status other than 200: what is wrong, and what helps.

use super::retry_after::{self, header};
use super::said::{Said, one_line};
use super::{Fault, Kind};
use core::time::Duration;

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What to do about it.
    pub reason: Reason,
    /// What the provider said, in one line of at most 300 characters.
    pub message: String,
    /// How long the provider asked to wait.
    pub retry_after: Option<Duration>,
}

/// What a refusal means for further calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Too many requests or too much load: waiting helps; the texts are not at fault.
    Overloaded,
    /// The credit or quota is used up: someone must pay or raise a limit.
    QuotaExhausted,
    /// The key is missing, wrong or lacks the permission.
    Unauthorized,
    /// The model, or the route at this address, does not exist.
    NotFound,
    /// A text is rejected, or there are too many of them: smaller batches show which.
    BadItem,
    /// A server error that may not recur.
    Transient,
    /// The answer broke off: a fault of the network, but the texts may have been paid for.
    Broken,
    /// An invalid response: not what the provider documents.
    Nonsense,
    /// Invalid vectors: a wrong dimension, zero, or not finite.
    BadVector,
    /// No answer: the host does not exist or does not accept connections.
    Unreachable,
    /// No answer in time.
    TimedOut,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        let reason = match fault {
            Fault::Dimension { .. } | Fault::NotFinite(_) | Fault::Zero(_) => Reason::BadVector,
            Fault::Cut(_) => Reason::Broken,
            _ => Reason::Nonsense,
        };
        Self { reason, message: one_line(&fault.to_string(), MAX_MESSAGE_CHARACTERS), retry_after: None }
    }
}

impl Reason {
    /// The outcome of a call of a provider, in the style of PostgreSQL's messages.
    pub fn clause(self, provider: &str) -> String {
        match self {
            Reason::Overloaded => format!("{provider} is overloaded"),
            Reason::Transient | Reason::Broken => format!("{provider} failed"),
            Reason::Unreachable => format!("{provider} cannot be reached"),
            Reason::TimedOut => format!("{provider} did not answer in time"),
            Reason::QuotaExhausted => format!("the quota of {provider} is exhausted"),
            Reason::Unauthorized => format!("{provider} rejected the key"),
            Reason::NotFound => format!("{provider} does not have the model or the address is wrong"),
            Reason::BadItem => format!("{provider} rejected the text"),
            Reason::Nonsense => format!("{provider} returned an invalid response"),
            Reason::BadVector => format!("{provider} returned an invalid vector"),
        }
    }

    /// Whether the provider has answered, so that the texts may have been paid for although there are no vectors.
    pub fn may_be_paid(self) -> bool {
        matches!(self, Reason::Broken | Reason::Nonsense | Reason::BadVector)
    }
}

const MAX_MESSAGE_CHARACTERS: usize = 300;

pub fn read(kind: Kind, status: u16, headers: &[(String, String)], body: &[u8], now: f64) -> Refusal {
    let said = Said::read(body);
    let retry_after = retry_after::wait(headers, &said, now);
    let reason = reason(kind, status, header(headers, "x-should-retry"), &said);
    Refusal { reason, message: message(status, headers, &said), retry_after }
}

fn message(status: u16, headers: &[(String, String)], said: &Said) -> String {
    let line = one_line(&said.message, MAX_MESSAGE_CHARACTERS);
    match status {
        // The query of the URL may contain secrets.
        300..=399 => match header(headers, "location").and_then(|url| url.split(['?', '#']).next()) {
            Some(url) => {
                one_line(&format!("HTTP status {status}, a redirect to {url}"), MAX_MESSAGE_CHARACTERS)
            }
            None => format!("HTTP status {status}, a redirect"),
        },
        _ if line.is_empty() => format!("HTTP status {status}"),
        _ => line,
    }
}

/// What the status means, if the body does not say more.
fn reason(kind: Kind, status: u16, should_retry: Option<&str>, said: &Said) -> Reason {
    let of_status = match status {
        // A success other than 200 carries no vectors.
        100..=299 => Reason::Nonsense,
        402 => Reason::QuotaExhausted,
        401 | 403 | 407 => Reason::Unauthorized,
        // Cohere answers 498 for texts with blocked words.
        400 | 411 | 413 | 414 | 422 | 431 | 498 => Reason::BadItem,
        // Cohere answers 501 for a model without such a feature.
        300..=399 | 404 | 405 | 406 | 410 | 415 | 501 => Reason::NotFound,
        429 | 503 | 529 => Reason::Overloaded,
        _ => Reason::Transient,
    };
    match of_status {
        Reason::BadItem if is_of_key(said) => Reason::Unauthorized,
        Reason::BadItem | Reason::Unauthorized if is_of_model(said) => Reason::NotFound,
        Reason::Overloaded if is_of_quota(kind, said) => Reason::QuotaExhausted,
        Reason::Overloaded if status == 429 && should_retry == Some("false") => Reason::QuotaExhausted,
        Reason::BadItem if is_of_runner(kind, said) => Reason::Transient,
        Reason::BadItem if should_retry == Some("true") => Reason::Transient,
        Reason::Transient if is_of_length(said) => Reason::BadItem,
        reason => reason,
    }
}

/// Google answers 400 for a wrong key, and FAILED_PRECONDITION for a country that it does not serve.
fn is_of_key(said: &Said) -> bool {
    said.has_any_code(&["api_key_invalid", "failed_precondition", "invalid_api_key"])
}

/// Mistral, Voyage, LiteLLM and Ollama answer 400 for a model that they do not have or that is not an
/// embedding model; OpenAI answers 403 for one that the project may not use. Only the beginning is examined,
/// because texts may be quoted later.
fn is_of_model(said: &Said) -> bool {
    let message = said.message.trim_start().to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|words| message.starts_with(words));
    said.has_any_code(&["model_not_found", "invalid_model", "model_not_available"])
        || starts(&["invalid model", "this model does not support embeddings"])
        || (starts(&["model "]) && message.contains("is not supported. supported models are"))
}

/// Google says "exceeded your current quota" for limits per minute too. Its waits do not
/// distinguish the two, so its message does not count.
fn is_of_quota(kind: Kind, said: &Said) -> bool {
    said.has_any_code(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"])
        || (kind == Kind::OpenAi && said.message.starts_with("You exceeded your current quota"))
        || (kind == Kind::Cohere && said.message.contains("/ month"))
}

/// Ollama answers 400 when the process that runs the model fails.
fn is_of_runner(kind: Kind, said: &Said) -> bool {
    kind == Kind::Ollama && said.message.starts_with("do embedding request")
}

/// llama.cpp and older versions of Ollama answer 500 for a text that is too long.
fn is_of_length(said: &Said) -> bool {
    let message = said.message.to_ascii_lowercase();
    (message.starts_with("input") && message.contains("is too large to process"))
        || message.contains("input length exceeds")
}
