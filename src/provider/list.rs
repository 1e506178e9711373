//! kb_provider_list: the providers, without their secrets.

use super::headers::HeaderValue;
use super::{KeyReference, Provider};
use crate::error::Result;
use crate::postgres::role;

/// Replaces the reference to a key for roles other than the owner.
const HIDDEN: &str = "***";

/// One provider as the caller may see it.
pub struct Listed {
    pub provider: Provider,
    /// Whether the caller may use it.
    pub is_granted: bool,
    /// Where its key is stored; shown to the owner only.
    pub api_key: Option<String>,
    /// The names of its headers, and where their keys are stored.
    pub headers: Vec<String>,
}

/// The providers that the caller may use, even within limits, and the built-in ones.
pub fn list() -> Result<Vec<Listed>> {
    let caller = role::current_role();
    let providers = Provider::all()?;
    let mut shown = Vec::with_capacity(providers.len());
    for provider in providers {
        if provider.is_builtin || provider.may_use(caller) || provider.is_granted_within_limits(caller)? {
            shown.push(provider);
        }
    }
    let listed = shown.into_iter().map(|provider| {
        let is_owned = provider.is_owned_by(caller);
        let shown = |key: &KeyReference| if is_owned { key.text() } else { HIDDEN.to_string() };
        let header = |(name, value): &(String, HeaderValue)| match value.reference() {
            Some(reference) => format!("{name}: {}", shown(reference)),
            None => name.clone(),
        };
        Listed {
            is_granted: provider.may_use(caller),
            api_key: provider.api_key.as_ref().map(shown),
            headers: provider.headers.iter().map(header).collect(),
            provider,
        }
    });
    Ok(listed.collect())
}
