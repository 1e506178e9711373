//! The errors of failed calls.

use std::borrow::Cow;

use kb_rag_core::provider::{Reason, Refusal};

use crate::error::Error;

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        refused("the provider", refusal)
    }
}

/// The error for a failed call: what is wrong, what the provider said, and what to do.
pub fn refused(provider: &str, refusal: Refusal) -> Error {
    let message = refusal.reason.clause(provider);
    let error = match refusal.reason {
        Reason::Overloaded | Reason::Transient | Reason::Broken | Reason::Unreachable | Reason::TimedOut => {
            Error::unreachable(message)
        }
        Reason::QuotaExhausted
        | Reason::Unauthorized
        | Reason::NotFound
        | Reason::BadItem
        | Reason::Nonsense => Error::refused(message),
        Reason::BadVector => Error::bad_vector(message).of_provider(),
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
