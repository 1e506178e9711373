//! The errors of failed calls, without secrets.

use std::borrow::Cow;

use kb_rag_core::provider::{Reason, Refusal};

use crate::error::Error;

/// A message with *** in place of a secret, or of the beginning of a secret where the message was cut off.
fn without(message: &str, secret: &str) -> String {
    const MARK: &str = "***";
    /// Fewer characters of a secret reveal nothing, and occur in any text.
    const MIN_CHARACTERS: usize = 4;
    if secret.is_empty() {
        return message.to_string();
    }
    let message = message.replace(secret, MARK);
    let cut = message.trim_end_matches(['…', '.']);
    let ends_with_part = (MIN_CHARACTERS..secret.len())
        .rev()
        .filter(|&length| secret.is_char_boundary(length))
        .find(|&length| cut.ends_with(&secret[..length]));
    match ends_with_part {
        Some(length) => format!("{}{MARK}{}", &cut[..cut.len() - length], &message[cut.len()..]),
        None => message,
    }
}

/// A message without secrets. Those that contain others must come first.
pub fn redact(message: String, secrets: &[String]) -> String {
    secrets.iter().fold(message, |message, secret| without(&message, secret))
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        refused("the provider", refusal)
    }
}

/// The error for a failed call: what is wrong, what the provider said, and what to do.
pub fn refused(provider: &str, refusal: Refusal) -> Error {
    let error = match refusal.reason {
        Reason::Overloaded => Error::unreachable(format!("{provider} is overloaded")),
        Reason::Transient | Reason::Broken => Error::unreachable(format!("{provider} failed")),
        Reason::Unreachable => Error::unreachable(format!("{provider} cannot be reached")),
        Reason::TimedOut => Error::unreachable(format!("{provider} did not answer in time")),
        Reason::QuotaExhausted => Error::refused(format!("the quota of {provider} is exhausted")),
        Reason::Unauthorized => Error::refused(format!("{provider} rejected the key")),
        Reason::NotFound => {
            Error::refused(format!("{provider} does not have the model or the address is wrong"))
        }
        Reason::BadItem => Error::refused(format!("{provider} rejected the text")),
        Reason::Nonsense => Error::refused(format!("{provider} returned an invalid response")),
        Reason::BadVector => {
            Error::bad_vector(format!("{provider} returned an invalid vector")).of_provider()
        }
    };
    let error = match fix_of(&refusal) {
        Some(hint) => error.hint(hint),
        None => error,
    };
    if refusal.message.is_empty() { error } else { error.detail(refusal.message) }
}

/// What the user can do after a failed call.
fn fix_of(refusal: &Refusal) -> Option<Cow<'static, str>> {
    if let Some(wait) = refusal.retry_after {
        return Some(Cow::Owned(format!("Try again in {:.0} s.", wait.as_secs_f64().ceil())));
    }
    Some(Cow::Borrowed(match refusal.reason {
        Reason::Overloaded | Reason::Transient | Reason::Broken | Reason::TimedOut => "Try again later.",
        Reason::Unreachable if refusal.message.contains("TLS") => {
            "Check base_url, which kb_provider_list() shows: its server must speak https and have a certificate that is \
             trusted; kb_rag.ca_file adds certificates."
        }
        Reason::Unreachable => {
            "Check base_url, which kb_provider_list() shows, and whether the database server can reach this address."
        }
        Reason::QuotaExhausted => "Add credit at the provider, then run kb_retry.",
        Reason::Unauthorized => {
            "Set the key again with kb_secret_set, or another reference to it with kb_provider_set; kb_provider_test tests it."
        }
        Reason::NotFound => {
            "Check the name of the model, and base_url, which usually ends with the version, as in /v1."
        }
        Reason::Nonsense => "Check kind and base_url of the provider, which kb_provider_list() shows.",
        Reason::BadItem | Reason::BadVector => return None,
    }))
}
